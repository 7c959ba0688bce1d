"""Draws the forest plot of a gate ab run. Each row shows the ratio and the interval of a point. A shaded band shows the changes
below the threshold. The marker of a point shows its verdict by shape and colour."""

import math
from typing import Any

from ecbench.charts.drawing import COLOURS, FAINT, INK, LIMIT, margins, new_figure, plain_axes, to_svg_file
from ecbench.comparison.questions import FASTER, INCONCLUSIVE, NO_REGRESSION, SLOWER
from ecbench.gate.ab import wording
from ecbench.gate.ab.markdown import ends_of
from ecbench.gate.ab.result import PointResult, Result
from matplotlib.lines import Line2D

ROW, TOP, FOOT, EDGE = 22, 84, 58, 16  # pixels
PLOT = 380  # the plot's width
FIGURES = 270  # width of the column of ratios and intervals, on the right of the plot
LETTER = 6.4  # pixels that are reserved for each character; enough for the widest font at a size of 11 pixels
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # distances between ticks, for a small range of ratios
FAR_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5, 10, 20, 50, 100)  # ticks for a large range
MOST_TICKS = 9
STYLES = {SLOWER: (COLOURS[1], "s"), INCONCLUSIVE: (COLOURS[3], "o"), NO_REGRESSION: (LIMIT, "o"), FASTER: (COLOURS[0], "D")}


def forest(result: Result) -> str:
    """Returns the forest plot as the text of an SVG file."""
    points, threshold = result.points, result.threshold_percent
    least, most = ends_of(result)
    left = EDGE + round(max((len(point.name) for point in points), default=0) * LETTER)
    width, height = left + PLOT + FIGURES, TOP + ROW * len(points) + FOOT
    figure = new_figure(width, height)
    margins(figure, left, FIGURES, FOOT, TOP)
    margin = (most / least) ** 0.02
    axes = figure.add_subplot(xscale="log", xlim=(least / margin, most * margin), ylim=(len(points) - 0.5, -0.5))
    axes.axvspan(1 - threshold / 100, 1 + threshold / 100, color=COLOURS[0], alpha=0.09, linewidth=0, gid="threshold")
    axes.axvline(1, color=LIMIT, linewidth=1)
    ticks = ticks_within(least, most)
    axes.set_xticks(ticks, [f"{tick:.4g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(points)), [plain(point.name) for point in points])
    plain_axes(axes, "x")
    titles = {"threshold": f"within {threshold:g} %"}
    for row, point in enumerate(points):
        draw_row(axes, row, point, titles)
    figure.text(EDGE / width, 1 - 26 / height, plain(wording.outcome(result)), fontsize=14, weight="bold")
    figure.text(EDGE / width, 1 - 48 / height, plain(clipped(sides(result), width)), color=LIMIT)
    axes.annotate("\N{LEFTWARDS ARROW} NEW is slower", (1, 1), (-12, 8), axes.get_xaxis_transform(), "offset points",
                  ha="right", color=LIMIT)
    axes.annotate("NEW is faster \N{RIGHTWARDS ARROW}", (1, 1), (12, 8), axes.get_xaxis_transform(), "offset points",
                  color=LIMIT)
    handles = [Line2D([], [], linestyle="", label=kind, **marker(kind)) for kind in STYLES]
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(left / width, 0), ncols=4, frameon=False)
    return to_svg_file(figure, wording.outcome(result), titles)


def ticks_within(least: float, most: float) -> list[float]:
    """The ratios at which the logarithmic axis has ticks. The ratio 1 is always one of them."""
    for step in STEPS:
        ticks = [1 + number * step for number in range(math.ceil((least - 1) / step), math.floor((most - 1) / step) + 1)]
        if len(ticks) <= MOST_TICKS and most <= 2 * least:
            return ticks
    return [tick for tick in FAR_TICKS if least <= tick <= most]


def draw_row(axes: Any, row: int, point: PointResult, titles: dict[str, str]) -> None:
    kind = point.verdict
    colour = STYLES[kind][0]
    if point.low is not None:
        axes.hlines(row, point.low, point.high, color=colour, linewidth=2,
                    linestyle=(0, (2, 1.5)) if kind == INCONCLUSIVE else "-")
        axes.plot([point.low, point.high], [row, row], marker="|", linestyle="", color=colour, markersize=8, clip_on=False)
    axes.plot(point.ratio, row, clip_on=False, gid=f"row{row}-", **marker(kind))
    figures = f"{point.ratio:.3f} ({wording.interval(point)})"
    text, ink = (figures, INK) if kind == NO_REGRESSION else (f"{figures} {kind}", colour)
    axes.annotate(text, (1, row), (14, 0), axes.get_yaxis_transform(), "offset points", va="center", color=ink,
                  annotation_clip=False)
    titles[f"row{row}-"] = (f"{point.name}: {kind}, {point.ratio:.4f} ({wording.interval(point, 4)}), {point.launches} "
                            f"launches, {wording.nanoseconds(point.old_ns_per_iteration)} to "
                            f"{wording.nanoseconds(point.new_ns_per_iteration)}")


def marker(kind: str) -> dict[str, Any]:
    colour, shape = STYLES[kind]
    return {"marker": shape, "color": colour, "markersize": 8, "markerfacecolor": FAINT if kind == INCONCLUSIVE else colour}


def sides(result: Result) -> str:
    old, new = wording.sides(result)
    return (f"{old} \N{RIGHTWARDS ARROW} {new}; ratio: speed of NEW / speed of OLD; shaded: changes of less than "
            f"{result.threshold_percent:g} %")


def clipped(words: str, width: float) -> str:
    most = int((width - 2 * EDGE) / LETTER)
    return words if len(words) <= most else words[:most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def plain(words: str) -> str:
    """Escapes dollar signs. Otherwise matplotlib would draw the text between them as a formula."""
    return words.replace("$", r"\$")
