"""Draws the forest plot of a gate ab run: a row for each point with its ratio and interval, and the threshold as a shaded band.
Verdicts differ in shape and colour."""

import math
from typing import Any

from ecbench.charts.drawing import COLOURS, FAINT, INK, LIMIT, margins, new_figure, plain_axes, to_svg_file
from ecbench.gate.ab import wording
from ecbench.gate.ab.verdict import FASTER, INCONCLUSIVE, NO_REGRESSION, SLOWER
from matplotlib.lines import Line2D

ROW, TOP, FOOT, EDGE = 22, 84, 58, 16  # pixels
PLOT = 380  # the plot's width
FIGURES = 270  # the column of figures to its right
LETTER = 6.4  # width in pixels of a letter in the widest possible font at 11 pixels
MOST_PERCENT = 50  # intervals beyond this are drawn as an arrow at the edge
STEPS = (0.5, 1, 2, 5, 10, 25)  # percent between ticks
STYLES = {SLOWER: (COLOURS[1], "s"), INCONCLUSIVE: (COLOURS[3], "o"), NO_REGRESSION: (LIMIT, "o"), FASTER: (COLOURS[0], "D")}


def forest(result: dict[str, Any]) -> str:
    """The text of an SVG file."""
    points, threshold = result["points"], result["threshold_percent"]
    step, reach = scale(points, threshold)
    left = EDGE + round(max((len(point["name"]) for point in points), default=0) * LETTER)
    width, height = left + PLOT + FIGURES, TOP + ROW * len(points) + FOOT
    figure = new_figure(width, height)
    margins(figure, left, FIGURES, FOOT, TOP)
    axes = figure.add_subplot(xlim=(1 - reach / 100, 1 + reach / 100), ylim=(len(points) - 0.5, -0.5))
    axes.axvspan(1 - threshold / 100, 1 + threshold / 100, color=COLOURS[0], alpha=0.09, linewidth=0, gid="threshold")
    axes.axvline(1, color=LIMIT, linewidth=1)
    axes.set_xticks([1 + number * step / 100 for number in range(-int(reach / step + 1e-9), int(reach / step + 1e-9) + 1)])
    axes.xaxis.set_major_formatter("{x:.2f}" if step >= 1 else "{x:.3f}")
    axes.set_yticks(range(len(points)), [plain(point["name"]) for point in points])
    plain_axes(axes, "x")
    titles = {"threshold": f"within {threshold:g} %"}
    for row, point in enumerate(points):
        draw_row(axes, row, point, titles)
    figure.text(EDGE / width, 1 - 26 / height, plain(wording.outcome(result)), fontsize=14, weight="bold")
    figure.text(EDGE / width, 1 - 48 / height, plain(clipped(sides(result), width)), color=LIMIT)
    axes.annotate("\N{LEFTWARDS ARROW} NEW is slower", (0.5, 1), (-12, 8), "axes fraction", "offset points", ha="right",
                  color=LIMIT)
    axes.annotate("NEW is faster \N{RIGHTWARDS ARROW}", (0.5, 1), (12, 8), "axes fraction", "offset points", color=LIMIT)
    handles = [Line2D([], [], linestyle="", label=kind, **marker(kind)) for kind in STYLES]
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(left / width, 0), ncols=4, frameon=False)
    return to_svg_file(figure, wording.outcome(result), titles)


def scale(points: list[dict[str, Any]], threshold: float) -> tuple[float, float]:
    """The percentage between two ticks, and the distance from 1 to each end, which contains the intervals and at least twice the
    threshold."""
    ends = [abs(100 * (value - 1)) for point in points for value in (point["ratio"], point["low"],
                                                                     point["high"]) if value is not None]
    wanted = max([2 * threshold, 1, *ends]) * 1.04
    step = next((step for step in STEPS if min(wanted, MOST_PERCENT) / step <= 5), STEPS[-1])
    return step, min(math.ceil(wanted / step) * step, MOST_PERCENT)


def draw_row(axes: Any, row: int, point: dict[str, Any], titles: dict[str, str]) -> None:
    kind = point["verdict"]
    colour = STYLES[kind][0]
    least, most = axes.get_xlim()
    if point["low"] is not None:
        axes.hlines(row, max(point["low"], least), min(point["high"], most), color=colour, linewidth=2,
                    linestyle=(0, (2, 1.5)) if kind == INCONCLUSIVE else "-")
        for value in (point["low"], point["high"]):
            outside = "<" if value < least else ">" if value > most else "|"
            axes.plot(min(max(value, least), most), row, marker=outside, color=colour, markersize=8, clip_on=False)
    axes.plot(min(max(point["ratio"], least), most), row, clip_on=False, gid=f"row{row}-", **marker(kind))
    figures = f"{point['ratio']:.3f} ({wording.interval(point)})"
    text, ink = (figures, INK) if kind == NO_REGRESSION else (f"{figures} {kind}", colour)
    axes.annotate(text, (1, row), (14, 0), axes.get_yaxis_transform(), "offset points", va="center", color=ink,
                  annotation_clip=False)
    titles[f"row{row}-"] = (f"{point['name']}: {kind}, {point['ratio']:.4f} ({wording.interval(point, 4)}), {point['launches']} "
                            f"launches, {wording.nanoseconds(point['old_ns_per_iteration'])} to "
                            f"{wording.nanoseconds(point['new_ns_per_iteration'])}")


def marker(kind: str) -> dict[str, Any]:
    colour, shape = STYLES[kind]
    return {"marker": shape, "color": colour, "markersize": 8, "markerfacecolor": FAINT if kind == INCONCLUSIVE else colour}


def sides(result: dict[str, Any]) -> str:
    return (f"speed of NEW over speed of OLD, OLD {wording.side(result['old'])}, NEW {wording.side(result['new'])}; shaded: within "
            f"{result['threshold_percent']:g} %")


def clipped(words: str, width: float) -> str:
    most = int((width - 2 * EDGE) / LETTER)
    return words if len(words) <= most else words[:most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def plain(words: str) -> str:
    """Escapes characters that matplotlib would read as mathematics."""
    return words.replace("$", r"\$")
