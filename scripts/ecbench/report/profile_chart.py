"""Draws the two charts of Ceph's results page: GB/s of encode against k/m, and GB/s of decode or repair against k/m/erasures, with
the fastest packetsize of each technique."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ecbench.charts.drawing import PANEL_WIDTH, Looks, Panel, plain_axes
from ecbench.report.cases import Entry, by_series, highest
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

PLOT_HEIGHT, LEFT, STEP = 220, 46, 26


def label(entry: Entry) -> str:
    case = entry.case
    return f"{case.k}/{case.m}" + (f"/{case.erasures}" if case.erasures else "")


def place(entry: Entry) -> tuple[int, int, int]:
    case = entry.case
    return case.k, case.m, case.erasures


def draw_profile_chart(title: str, entries: Sequence[Entry], looks: Looks) -> str:
    """The chart as SVG. The entries may differ in k, m, erasures, technique and parameters."""
    labels = {place(entry): label(entry) for entry in sorted(entries, key=place)}
    positions = {where: number for number, where in enumerate(labels)}
    series = by_series(entries)
    handles = [Line2D([], [], label=one.label, markersize=5, linewidth=1.6, **looks[one]) for one in series]
    bottom = 32 + 6 * max(map(len, labels.values()))
    panel = Panel(PLOT_HEIGHT + bottom, LEFT, 10, bottom, 8, handles, width=max(PANEL_WIDTH, LEFT + 20 + STEP * len(labels)))
    axes = panel.axes
    plain_axes(axes)
    for one, members in series.items():
        for group in groups(members):
            draw_line(axes, group, positions, looks[one])
    axes.set_ylim(0, 1.05 * max(entry.high for entry in entries))
    axes.set_xlim(-0.5, len(labels) - 0.5)
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.set_xticks(range(len(labels)), labels.values(), rotation=90)
    shape = "k/m/lost chunks" if entries[0].case.erasures else "k/m"
    axes.set_xlabel(shape, fontsize=10.5)
    axes.set_ylabel("GB/s of object", fontsize=10.5)
    return panel.svg(f"GB/s by {shape}. {title}: highest is {highest(entries)}")


def groups(members: Sequence[Entry]) -> Collection[list[Entry]]:
    """A line connects the entries of a group: the fastest for each k, m and erasures."""
    best: dict[tuple[int, int, int], Entry] = {}
    for entry in members:
        where = place(entry)
        if where not in best or entry.gb_per_s > best[where].gb_per_s:
            best[where] = entry
    joined: dict[tuple[int, ...] | None, list[Entry]] = {}
    for where in sorted(best):
        joined.setdefault(where[:2] if best[where].case.erasures else None, []).append(best[where])
    return joined.values()


def draw_line(axes: Any, group: Sequence[Entry], positions: Mapping[tuple[int, int, int], int], look: Mapping[str, Any]) -> None:
    where = [positions[place(entry)] for entry in group]
    axes.vlines(where, [entry.low for entry in group], [entry.high for entry in group], color=look["color"], linewidth=1.2)
    axes.plot(where, [entry.gb_per_s for entry in group], markersize=4.5, linewidth=1.4, **look)
