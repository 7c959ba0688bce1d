"""Draws a line chart: GB/s against an axis such as packetsize, with a line and a band of intervals for each technique, and the
roofline. Values that are far above the curves (usually the roofline) are drawn in a separate strip."""

from collections.abc import Mapping, Sequence
from typing import Any

from ecbench.charts.drawing import LIMIT, PANEL_WIDTH, Looks, legend_below, legend_height, margins, new_figure, plain_axes, to_svg
from ecbench.report.axes import BYTES, PACKETSIZE, ordered, value_of, value_text
from ecbench.report.cases import Entry, by_series, highest, outcome_text
from ecbench.statistics.interval import median
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

PLOT_HEIGHT, STRIP, BOTTOM, LEFT = 220, 48, 42, 46
FAR = 1.35  # a value is drawn in the strip if it is higher than FAR times the highest curve
DASHED = {"color": LIMIT, "linestyle": (0, (2, 2)), "linewidth": 1.6}


class Scale:
    """Logarithmic for sizes in bytes. Other values have equal distances."""

    def __init__(self, axis: str, entries: Sequence[Entry]) -> None:
        values = ordered(value_of(entry, axis) for entry in entries)
        self.axis = axis
        self.values = [value for value in values if value is not None or axis != PACKETSIZE]
        self.is_logarithmic = axis in BYTES and None not in self.values

    def x(self, entry: Entry) -> float | None:
        """The position of the entry on the x axis; None if the entry is drawn as a horizontal line."""
        value = value_of(entry, self.axis)
        if value not in self.values:
            return None
        return float(value) if self.is_logarithmic else self.values.index(value)

    def label(self, axes: Any) -> None:
        name = self.axis.replace("-", " ")
        if self.is_logarithmic:
            axes.set_xscale("log", base=2)
            axes.set_xlim(self.values[0] / 1.25, self.values[-1] * 1.25)
            ticks = octaves(self.values)
            axes.set_xticks(ticks, [tick_text(tick) for tick in ticks])
            axes.minorticks_off()
            axes.set_xlabel(f"{name} (bytes, K = 1024), logarithmic", fontsize=10.5)
        else:
            texts = [value_text(self.axis, value) for value in self.values]
            is_long = sum(map(len, texts)) > 40
            axes.set_xlim(-0.4, len(texts) - 0.6)
            axes.set_xticks(range(len(texts)), texts, rotation=90 if is_long else 0)
            axes.set_xlabel(name, fontsize=10.5)

    @property
    def height(self) -> float:
        """The height of the labels below the axis, in pixels."""
        texts = [] if self.is_logarithmic else [value_text(self.axis, value) for value in self.values]
        return BOTTOM + (6.5 * max(map(len, texts)) if sum(map(len, texts)) > 40 else 0)


def draw_axis_chart(title: str, axis: str, entries: Sequence[Entry], looks: Looks) -> str:
    """The chart as SVG. The entries differ only in their technique, and in their value on `axis`."""
    series, scale = by_series(entries), Scale(axis, entries)
    limits = limit_by_x(entries, scale)
    curves = max(entry.high for entry in entries if scale.x(entry) is not None)
    levels = {one: highest(members) for one, members in series.items() if scale.x(members[0]) is None}
    above = [*limits.values(), *(best.gb_per_s for best in levels.values())]
    far = [value for value in above if value > FAR * curves]
    top = max([curves, *(value for value in above if value not in far)])
    handles = [Line2D([], [], label=one.label, markersize=5, linewidth=1.6, **looks[one]) for one in series]
    if limits:
        handles.append(Line2D([], [], label="limit", **DASHED))
    foot = legend_height(handles) + scale.height
    figure = new_figure(PANEL_WIDTH, PLOT_HEIGHT + foot)
    axes, strip = add_axes(figure, bool(far), foot)
    for one, members in series.items():
        if one in levels:
            draw_level(strip if levels[one].gb_per_s in far else axes, levels[one], looks[one])
        else:
            draw_curve(axes, members, looks[one], scale)
    if limits:
        # The limit is drawn in both parts of the chart, because it can be in the strip at some x, and below the strip at other x.
        for part in filter(None, (axes, strip)):
            part.plot(list(limits), list(limits.values()), **DASHED)
    scale.label(axes)
    axes.set_ylim(0, 1.06 * top)
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.set_ylabel("GB/s of object", fontsize=10.5)
    if strip:
        strip.set_ylim(0.9 * min(far), 1.06 * max(far))
        strip.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    legend_below(figure, handles)
    outcome = outcome_text(entries) if len({entry.case for entry in entries}) == 1 else f"highest is {highest(entries)}"
    return to_svg(figure, f"GB/s against {axis}. {title}: {outcome}")


def add_axes(figure: Any, has_strip: bool, foot: float) -> tuple[Any, Any]:
    """The axes for the curves, and those for the strip above them, or None."""
    if not has_strip:
        axes = figure.add_subplot()
        margins(figure, LEFT, 12, foot, 8)
        plain_axes(axes)
        return axes, None
    strip, axes = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [STRIP, PLOT_HEIGHT - STRIP], "hspace": 0.08})
    margins(figure, LEFT, 12, foot, 8)
    for one in (strip, axes):
        plain_axes(one)
    strip.spines["bottom"].set_visible(False)
    strip.tick_params(bottom=False, labelbottom=False)
    # Two slashes on the y axis show that the scale is interrupted.
    mark = {"marker": [(-1, -0.6), (1, 0.6)], "markersize": 8, "linestyle": "none", "color": LIMIT, "clip_on": False}
    strip.plot([0], [0], transform=strip.transAxes, **mark)
    axes.plot([0], [1], transform=axes.transAxes, **mark)
    return axes, strip


def limit_by_x(entries: Sequence[Entry], scale: Scale) -> dict[float, float]:
    """The median over all points at this x, because the roofline is measured for each point."""
    limits: dict[float, list[float]] = {}
    for entry in entries:
        if (x := scale.x(entry)) is not None and entry.summary.limit_gb_per_s:
            limits.setdefault(x, []).append(entry.summary.limit_gb_per_s)
    return {x: median(found) for x, found in sorted(limits.items())}


def draw_level(axes: Any, best: Entry, look: Mapping[str, Any]) -> None:
    axes.axhspan(best.low, best.high, color=look["color"], alpha=0.18, linewidth=0)
    axes.axhline(best.gb_per_s, color=look["color"], linestyle=look["linestyle"], linewidth=1.4)
    # The marker at the right end of the line is the same as in the legend.
    axes.plot([1], [best.gb_per_s], transform=axes.get_yaxis_transform(), marker=look["marker"], markersize=5, color=look["color"],
              clip_on=False)


def draw_curve(axes: Any, members: Sequence[Entry], look: Mapping[str, Any], scale: Scale) -> None:
    placed = sorted(((x, entry) for entry in members if (x := scale.x(entry)) is not None), key=lambda pair: pair[0])
    where = [x for x, _ in placed]
    axes.fill_between(where, [entry.low for _, entry in placed], [entry.high for _, entry in placed], color=look["color"],
                      alpha=0.22, linewidth=0)
    axes.plot(where, [entry.gb_per_s for _, entry in placed], markersize=4.5, linewidth=1.6, **look)


def octaves(sizes: Sequence[int]) -> Sequence[int]:
    """The powers of two for the labels of the x axis; some are left out if there are too many."""
    powers = [1 << bit for bit in range(64) if sizes[0] <= 1 << bit <= sizes[-1]] or sizes
    return powers[::1 + len(powers) // 12]


def tick_text(size: int) -> str:
    for unit, bytes_ in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if size >= bytes_ and size % bytes_ == 0:
            return f"{size // bytes_}{unit}"
    return str(size)
