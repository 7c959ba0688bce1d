"""The charts of plan. One chart shows durability and stored bytes. The other chart shows the network traffic of a repair and stored
bytes. Filled marks are profiles on the Pareto front."""

from collections.abc import Callable
from typing import Any

from ecbench.charts.drawing import INK, Looks, Panel, plain_axes
from ecbench.plan.outcomes import Outcome
from ecbench.plan.request import duration_text, nines_text
from ecbench.plan.result import Result
from matplotlib.lines import Line2D

HEIGHT, FOOT = 300, 44  # pixels
PAPER = "#ffffff"  # the background colour; charts/drawing.py replaces it with a CSS variable


def draw(result: Result) -> list[tuple[str, str]]:
    """Returns a pair for each chart: its title and its SVG element."""
    return [("Durability and stored bytes", panel(result, lambda one: one.object_nines, "nines of an object per year")),
            ("Network traffic of a repair, and stored bytes",
             panel(result, lambda one: one.counted.repair.network, "bytes sent per lost byte"))]


def panel(result: Result, value: Callable[[Outcome], float | None], label: str) -> str:
    looks = Looks(one.counted.profile.plugin for one in result.outcomes)
    plugins = list(dict.fromkeys(one.counted.profile.plugin for one in result.outcomes))
    handles = [Line2D([], [], linestyle="", label=plugin, markersize=8, **mark(looks, plugin, True)) for plugin in plugins]
    handles.append(Line2D([], [], linestyle="", label="recommended", marker="o", markersize=15, markerfacecolor="none",
                          markeredgecolor=INK))
    drawn = Panel(HEIGHT + FOOT, 46, 14, FOOT, 10, handles)
    axes = drawn.axes
    for one in sorted(result.outcomes, key=lambda one: one.name in result.front):
        if (height := value(one)) is None:
            continue
        if one.name == result.recommendation.chosen.name:
            axes.plot(one.space, height, marker="o", markersize=15, markerfacecolor="none", markeredgecolor=INK)
        drawn.mark(one.space, height, tooltip(one), linestyle="", markersize=8,
                   **mark(looks, one.counted.profile.plugin, one.name in result.front))
    axes.set_xlabel("bytes stored per byte of the object")
    axes.set_ylabel(label)
    axes.set_ylim(0, 1.1 * max((height for one in result.outcomes if (height := value(one)) is not None), default=1))
    plain_axes(axes, "both")
    return drawn.svg(f"For each profile: {label}, and bytes stored per byte of the object")


def mark(looks: Looks, plugin: str, is_filled: bool) -> dict[str, Any]:
    colour = looks[plugin]["color"]
    return {"marker": looks[plugin]["marker"], "color": colour, "markerfacecolor": colour if is_filled else "none",
            "markeredgecolor": PAPER if is_filled else colour, "markeredgewidth": 0.8 if is_filled else 1.3}


def tooltip(one: Outcome) -> str:
    nines = "-" if one.object_nines is None else nines_text(one.object_nines)
    drive = f"; rebuilds a drive in {duration_text(one.drive.seconds)}" if one.drive else ""
    return (f"{one.name}: stores {one.space:.3f} bytes per byte of the object; {nines} nines; a repair sends "
            f"{one.counted.repair.network:.3g} bytes per lost byte{drive}")
