"""The chart of libraries. It has one line for each combination of k+m and object size. On a line, each library has a mark at
its GB/s. A vertical bar is at the GB/s of the roofline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ecbench.charts.drawing import LIMIT, Looks, Panel, plain_axes, plain_ticks
from ecbench.point.wording import figure_text
from matplotlib.lines import Line2D

LINE, TOP, FOOT = 19, 8, 40  # pixels
# Upper limit for (GB/s of the fastest library in a chart) / (GB/s at the left end of the chart). A library that is too slow for the
# chart has a faint mark at the left end.
FARTHEST_BEHIND = 60


@dataclass(frozen=True)
class Mark:
    name: str
    gb_per_s: float


@dataclass(frozen=True)
class Line:
    label: str  # k+m and object size
    case: str
    marks: Sequence[Mark]  # fastest first
    limit: float | None  # GB/s of the roofline


def draw(title: str, lines: Sequence[Line], looks: Looks) -> str:
    """Returns the chart as an <svg> element for a page."""
    names = list(dict.fromkeys(one.name for line in lines for one in line.marks))
    values = [one.gb_per_s for line in lines for one in line.marks]
    low = max(0.85 * min(values), max(values) / FARTHEST_BEHIND)
    handles = [Line2D([], [], linestyle="", label=name, **mark(looks, name)) for name in names]
    handles.append(Line2D([], [], linestyle="", color=LIMIT, marker="|", markersize=11, markeredgewidth=2.5, label="limit"))
    panel = Panel(TOP + LINE * len(lines) + FOOT, 100, 14, FOOT, TOP, handles)
    axes = panel.axes
    axes.set_xscale("log")
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)), [line.label for line in lines])
    for row, line in enumerate(lines):
        if line.limit:
            panel.mark(line.limit, row, f"limit, {line.case}: {figure_text(line.limit)} GB/s", color=LIMIT, marker="|",
                       markersize=15, markeredgewidth=2.5)
        for one in reversed(line.marks):
            rate = one.gb_per_s
            panel.mark(max(rate, low), row, f"{one.name}, {line.case}: {figure_text(rate)} GB/s", alpha=1 if rate >= low else 0.4,
                       clip_on=False, **mark(looks, one.name))
    axes.set_xlim(left=low / 1.05)
    axes.set_xlabel("GB/s of object, logarithmic")
    plain_axes(axes, "both")
    plain_ticks(axes.xaxis)
    return panel.svg(f"GB/s of each library by k+m and object size: {title}")


def mark(looks: Looks, name: str) -> dict[str, Any]:
    return {"color": looks[name]["color"], "marker": looks[name]["marker"], "markersize": 8, "markeredgecolor": "white",
            "markeredgewidth": 0.8}
