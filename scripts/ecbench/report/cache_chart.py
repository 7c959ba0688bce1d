"""Draws a chart of warm and cold caches: for each technique a line with both speeds, and their ratio at the right."""

from collections.abc import Sequence
from typing import Any

from ecbench.charts.drawing import Panel, wrapped
from ecbench.report.cases import Entry, by_series, highest
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

ROW, LEFT, RIGHT, BOTTOM = 34, 12, 48, 42
LETTERS = 42  # maximum number of characters in a line of text
WARM, COLD = "#D55E00", "#0072B2"


def pairs(entries: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """A warm and a cold entry for each series, with the packetsize that has the highest warm speed."""
    cold = {(entry.series, entry.packetsize): entry for entry in entries if entry.case.cache == "cold"}
    both = [entry for entry in entries if entry.case.cache == "warm" and (entry.series, entry.packetsize) in cold]
    return [(best, cold[series, best.packetsize]) for series, members in by_series(both).items() for best in [highest(members)]]


def draw_cache_chart(title: str, found: Sequence[tuple[Entry, Entry]]) -> str:
    """`found`: pairs of warm and cold entries."""
    found = sorted(found, key=lambda pair: pair[0].gb_per_s)
    handles = [Line2D([], [], linestyle="none", marker="o", color=WARM, markersize=7, label="warm: chunks in the cache"),
               Line2D([], [], linestyle="none", marker="D", markerfacecolor="white", markeredgewidth=1.6, color=COLD, markersize=6,
                      label="cold: chunks in memory")]
    lines = max(wrapped(warm.code, LETTERS).count("\n") + 1 for warm, _ in found)
    panel = Panel(14 + (ROW + 12 * (lines - 1)) * len(found) + BOTTOM, LEFT, RIGHT, BOTTOM, 4, handles)
    axes = panel.axes
    for row, (warm, cold) in enumerate(found):
        draw_pair(axes, row, warm, cold)
    axes.set_xlim(0, 1.04 * max(max(warm.high, cold.high) for warm, cold in found))
    axes.set_ylim(-0.5, len(found) - 0.3 + 0.1 * (lines - 1))
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.grid(True, axis="x")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel("GB/s of object", fontsize=10.5)
    return panel.svg(f"Warm against cold. {title}: " + "; ".join(f"{warm}, cold {cold.gb_per_s:.2f}" for warm, cold in found))


def draw_pair(axes: Any, row: int, warm: Entry, cold: Entry) -> None:
    axes.plot([cold.gb_per_s, warm.gb_per_s], [row, row], color="#8c959f", linewidth=2, zorder=1)
    for entry, colour in ((warm, WARM), (cold, COLD)):
        axes.hlines(row, entry.low, entry.high, color=colour, linewidth=4, alpha=0.35, zorder=2)
    axes.plot([warm.gb_per_s], [row], marker="o", color=WARM, markersize=7, zorder=3)
    axes.plot([cold.gb_per_s], [row], marker="D", markerfacecolor="white", markeredgewidth=1.6, color=COLD, markersize=6, zorder=3)
    axes.text(0.0, row + 0.24, wrapped(warm.code, LETTERS), fontsize=10, va="bottom", linespacing=1.05,
              transform=axes.get_yaxis_transform())
    if warm.gb_per_s:
        axes.text(1.02, row, f"× {cold.gb_per_s / warm.gb_per_s:.2f}", fontsize=10.5, va="center",
                  transform=axes.get_yaxis_transform())
