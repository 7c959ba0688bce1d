"""The axes of a page: properties that have several values in its runs. A value of the axis `technique` consists of a plugin, its
technique, and the parameters that vary."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ecbench.point.wording import size_text, workload_text
from ecbench.report.cases import Entry
from ecbench.terminal.console import Refused

PACKETSIZE, TECHNIQUE = "packetsize", "technique"
OF_CASES = ("workload", "erasures", "size", "k", "m")
IN_PROFILES = ("k", "m", "erasures")  # the section on k and m always shows these axes
BYTES = (PACKETSIZE, "size", "stripe-unit")


@dataclass(frozen=True)
class Axes:
    """`rows` and `columns` of the heat maps, and the x axis of the line charts; empty: all of x_axes()."""

    rows: str = PACKETSIZE
    columns: str = TECHNIQUE
    x: str = ""


@functools.cache
def properties(entry: Entry) -> dict[str, Any]:
    """Name of an axis → value of the entry on this axis."""
    parameters = (word.partition("=")[::2] for word in entry.series.parameters.split())
    return {**{name: getattr(entry.case, name) for name in OF_CASES},
            **{name.replace("_", "-"): value for name, value in entry.options.items()},
            TECHNIQUE: f"{entry.series.plugin} {entry.series.technique}".strip(), PACKETSIZE: entry.packetsize,
            **{name: int(value) if value.isdigit() else value for name, value in parameters}}


def value_of(entry: Entry, axis: str) -> Any:
    return entry.series.label if axis == TECHNIQUE else properties(entry).get(axis)


def swept(entries: Iterable[Entry]) -> list[str]:
    """The names of the axes on which `entries` have several values. None counts as a value, except on the axis packetsize."""
    values: dict[str, set[Any]] = {}
    for entry in entries:
        for name, value in properties(entry).items():
            values.setdefault(name, set()).add(value)
    return [name for name, found in values.items() if len(found - {None}) + (name != PACKETSIZE and None in found) > 1]


def check(axes: Axes, entries: Sequence[Entry]) -> None:
    """Throws Refused if an axis has only one value (packetsize and technique may, as rows or columns), or if rows and columns are
    equal."""
    known = swept(entries)
    for option, axis in (("--rows", axes.rows), ("--columns", axes.columns), ("--x", axes.x)):
        if axis and axis not in (known if option == "--x" else (*known, PACKETSIZE, TECHNIQUE)):
            advice = f"the axes with several values in the runs are {', '.join(known)}; give one of these axes"
            raise Refused(f"{option} {axis} is not allowed: "
                          f"{advice if known else f'the runs have only one point; leave {option} out'}")
    if axes.rows == axes.columns:
        raise Refused(f"--rows {axes.rows} is not allowed with --columns {axes.columns}: give two different axes")


def x_axes(entries: Iterable[Entry]) -> list[str]:
    """The numeric axes for which the page has a section with line charts if the user gave no --x."""
    entries = list(entries)
    return [axis for axis in swept(entries) if axis not in (*IN_PROFILES, TECHNIQUE)
            and all(isinstance(value_of(entry, axis), int | None) for entry in entries)]


def ordered(values: Iterable[Any]) -> list[Any]:
    """Without duplicates. Numbers are sorted, with None first; other values keep their order."""
    found = list(dict.fromkeys(values))
    if all(isinstance(value, int | None) for value in found):
        return sorted(found, key=lambda value: -1 if value is None else value)
    return found


def value_text(axis: str, value: Any) -> str:
    if axis == "stripe-unit" and value is None:
        return "one stripe"
    return "-" if value is None else size_text(value) if axis in BYTES[1:] else str(value)


def grouped(entries: Iterable[Entry], axes: Sequence[str]) -> dict[str, list[Entry]]:
    """Title of a group → its entries, which differ only in their values on `axes`. Unless packetsize is one of the axes, only the
    fastest packetsize is kept."""
    groups: dict[str, dict[Any, Entry]] = {}
    for entry in entries:
        group = groups.setdefault(title_without(entry, axes), {})
        cell = tuple(value_of(entry, axis) for axis in (*axes, TECHNIQUE))
        if cell not in group or entry.gb_per_s > group[cell].gb_per_s:
            group[cell] = entry
    return {title: list(found.values()) for title, found in groups.items()}


def title_without(entry: Entry, axes: Sequence[str]) -> str:
    """All properties of the group except those in `axes`."""
    case, hidden = entry.case, set(axes)
    shape = f"{case.k}+{case.m}" if not {"k", "m"} & hidden else f"k={case.k}" if "k" not in hidden else f"m={case.m}"
    words = [] if "workload" in hidden else [workload_text(case.workload, 0 if "erasures" in hidden else case.erasures)]
    words += [] if {"k", "m"} <= hidden else [shape]
    words += [] if "size" in hidden else [size_text(case.size)]
    words += [text for name, text in case.shown if name.replace("_", "-") not in hidden]
    words += [] if TECHNIQUE in hidden else [series_without(entry, hidden)]
    return ", ".join(words)


def series_without(entry: Entry, hidden: set[str]) -> str:
    series = entry.series
    parameters = [word for word in series.parameters.split() if word.partition("=")[0] not in hidden]
    return " ".join(filter(None, (series.plugin, series.technique, *parameters)))
