"""GB/s of a case by packetsize: a line per technique with the band of its interval, and the limit. Techniques without a packetsize
are level lines. Values far above the curves, mostly the limit, are drawn in a separate strip, so that the curves are not flat."""

from collections.abc import Mapping, Sequence
from typing import Any

from ecbench.charts.drawing import LIMIT, PANEL_WIDTH, Looks, legend_below, legend_height, margins, new_figure, plain_axes, to_svg
from ecbench.report.cases import Entry, by_series, fastest, outcome_text
from ecbench.statistics.interval import median
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

PLOT_HEIGHT, STRIP, BOTTOM, LEFT = 220, 48, 42, 46
FAR = 1.35  # multiple of the highest curve


def draw_packetsize_chart(title: str, entries: Sequence[Entry], looks: Looks) -> str:
    series = by_series(entries)
    limits = limit_by_packetsize(entries)
    curves = max(entry.high for entry in entries if entry.packetsize is not None)
    levels = {one: fastest(members) for one, members in series.items() if members[0].packetsize is None}
    above = [*limits.values(), *(best.gb_per_s for best in levels.values())]
    far = [value for value in above if value > FAR * curves]
    top = max([curves, *(value for value in above if value not in far)])
    handles = [Line2D([], [], label=one.label, markersize=5, linewidth=1.6, **looks[one]) for one in series]
    if limits:
        handles.append(Line2D([], [], color=LIMIT, linestyle=(0, (2, 2)), linewidth=1.6, label="limit"))
    foot = legend_height(len(handles))
    figure = new_figure(PANEL_WIDTH, PLOT_HEIGHT + BOTTOM + foot)
    axes, strip = add_axes(figure, bool(far), foot)
    for one, members in series.items():
        if one in levels:
            draw_level(strip if levels[one].gb_per_s in far else axes, levels[one], looks[one])
        else:
            draw_curve(axes, members, looks[one])
    if limits:
        # Drawn in both parts, because the value may be in different parts for different packetsizes.
        for part in filter(None, (axes, strip)):
            part.plot(list(limits), list(limits.values()), color=LIMIT, linestyle=(0, (2, 2)), linewidth=1.6)
    scale(axes, entries, top)
    if strip:
        strip.set_ylim(0.9 * min(far), 1.06 * max(far))
        strip.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    legend_below(figure, handles, foot)
    return to_svg(figure, f"GB/s against packetsize. {title}: {outcome_text(entries)}")


def add_axes(figure: Any, has_strip: bool, foot: float) -> tuple[Any, Any]:
    """The axes, and the axes of the strip above (None without a strip)."""
    if not has_strip:
        axes = figure.add_subplot()
        margins(figure, LEFT, 12, BOTTOM + foot, 8)
        plain_axes(axes)
        return axes, None
    strip, axes = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [STRIP, PLOT_HEIGHT - STRIP], "hspace": 0.08})
    margins(figure, LEFT, 12, BOTTOM + foot, 8)
    for one in (strip, axes):
        plain_axes(one)
    strip.spines["bottom"].set_visible(False)
    strip.tick_params(bottom=False, labelbottom=False)
    # Two slashes on the axis show that the scale is interrupted.
    mark = {"marker": [(-1, -0.6), (1, 0.6)], "markersize": 8, "linestyle": "none", "color": "#57606a", "clip_on": False}
    strip.plot([0], [0], transform=strip.transAxes, **mark)
    axes.plot([0], [1], transform=axes.transAxes, **mark)
    return axes, strip


def limit_by_packetsize(entries: Sequence[Entry]) -> dict[int, float]:
    """The median over the techniques, because each point measures the limit between its own samples."""
    limits: dict[int, list[float]] = {}
    for entry in entries:
        if entry.packetsize is not None and entry.summary.limit_gb_per_s:
            limits.setdefault(entry.packetsize, []).append(entry.summary.limit_gb_per_s)
    return {packetsize: median(found) for packetsize, found in sorted(limits.items())}


def draw_level(axes: Any, best: Entry, look: Mapping[str, Any]) -> None:
    axes.axhspan(best.low, best.high, color=look["color"], alpha=0.18, linewidth=0)
    axes.axhline(best.gb_per_s, color=look["color"], linestyle=look["linestyle"], linewidth=1.4)
    # A marker at the edge, the same as in the legend.
    axes.plot([1], [best.gb_per_s], transform=axes.get_yaxis_transform(), marker=look["marker"], markersize=5, color=look["color"],
              clip_on=False)


def draw_curve(axes: Any, members: Sequence[Entry], look: Mapping[str, Any]) -> None:
    members = sorted(members, key=lambda entry: entry.packetsize or 0)
    sizes = [entry.packetsize for entry in members]
    axes.fill_between(sizes, [entry.low for entry in members], [entry.high for entry in members], color=look["color"], alpha=0.22,
                      linewidth=0)
    axes.plot(sizes, [entry.gb_per_s for entry in members], markersize=4.5, linewidth=1.6, **look)


def scale(axes: Any, entries: Sequence[Entry], top: float) -> None:
    sizes = sorted({entry.packetsize for entry in entries if entry.packetsize is not None})
    axes.set_xscale("log", base=2)
    axes.set_xlim(sizes[0] / 1.25, sizes[-1] * 1.25)
    axes.set_ylim(0, 1.06 * top)
    axes.yaxis.set_major_locator(MaxNLocator(6))
    ticks = octaves(sizes)
    axes.set_xticks(ticks, [tick_text(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("packetsize (bytes, K = 1024), logarithmic", fontsize=10.5)
    axes.set_ylabel("GB/s of object", fontsize=10.5)


def octaves(sizes: Sequence[int]) -> Sequence[int]:
    """The powers of two within the sizes, as many as fit in the width."""
    powers = [1 << bit for bit in range(64) if sizes[0] <= 1 << bit <= sizes[-1]] or sizes
    return powers[::1 + len(powers) // 12]


def tick_text(size: int) -> str:
    return f"{size // 1024}K" if size >= 1024 and size % 1024 == 0 else str(size)
