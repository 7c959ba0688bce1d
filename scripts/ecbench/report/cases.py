"""The points of a run for the page of bench.sh report. The points of a series have the same plugin, technique and values
of the parameters that vary, except packetsize. An entry is one point with its figures."""

import collections
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ecbench.comparison.case import Case, case_of
from ecbench.comparison.figures import figures_of
from ecbench.comparison.select import Selection, select
from ecbench.point.point import Point
from ecbench.point.wording import USUAL, figure_text, option_text
from ecbench.runfile.summary import PointSummary

CODE_KEYS = ("plugin", "profile", "workload", "size", "erasures")
WHAT_TO_DO = "measure again with more --repetitions"


@dataclass(frozen=True, order=True)
class Series:
    plugin: str
    technique: str
    parameters: str  # parameters that vary within the technique, such as w=16

    @property
    def label(self) -> str:
        return " ".join(word for word in (self.plugin, self.technique, self.parameters) if word)


@dataclass(frozen=True, eq=False)
class Entry:
    summary: PointSummary
    case: Case
    series: Series
    packetsize: int | None
    options: Mapping[str, Any]  # the properties of the point that are not CODE_KEYS
    # Those of the same case and run that have no figure, without those with wrong bytes.
    without_figure: list["Entry"] = field(default_factory=list)

    @property
    def gb_per_s(self) -> Any:
        """None if the point failed or was not measured. The entries that by_case() returns always have a number."""
        return self.summary.gb_per_s

    @property
    def figure(self) -> str:
        return figure_text(self.gb_per_s) + self.summary.mark

    @property
    def low(self) -> Any:
        return self.gb_per_s if self.summary.low is None else self.summary.low

    @property
    def high(self) -> Any:
        return self.gb_per_s if self.summary.high is None else self.summary.high

    @property
    def code(self) -> str:
        return self.series.label + (f" with packetsize {self.packetsize}" if self.packetsize is not None else "")

    @property
    def interval_text(self) -> str:
        percent = self.summary.interval_percent
        return "" if percent is None else f"±{percent:.1f} %"

    def __str__(self) -> str:
        return f"{self.code}: {self.figure} GB/s"


Cases = Mapping[Case, list[Entry]]


def read_entries(summaries_of_runs: Sequence[Sequence[PointSummary]]) -> list[list[Entry]]:
    """The entries of each run. The name of a series contains every parameter that varies in any of the runs, so that a series has
    the same name in all runs."""
    points = [summary.point for summaries in summaries_of_runs for summary in summaries]
    options = {id(point): {name: value for name, value in sorted(point.to_json().items()) if name not in CODE_KEYS}
               for point in points}
    values = collections.defaultdict(set)
    for of_point in options.values():
        for name, value in of_point.items():
            values[name].add(str(value))
    varied = {name for name, found in values.items() if len(found) > 1}
    varying = varying_parameters(points)
    result = []
    for summaries in summaries_of_runs:
        entries = [make_entry(summary, options[id(summary.point)], varying, varied) for summary in summaries]
        without: dict[Case, list[Entry]] = collections.defaultdict(list)
        for entry in entries:
            if entry.gb_per_s is None and not entry.summary.has_wrong_bytes:
                without[entry.case].append(entry)
        result.append([replace(entry, without_figure=without[entry.case]) for entry in entries] if without else entries)
    return result


def varying_parameters(points: Iterable[Point]) -> Mapping[tuple[str, str], set[str]]:
    """Plugin and technique → parameters that have several values for the same k and m. A missing parameter counts as a value."""
    profiles = collections.defaultdict(list)
    for point in points:
        profile = dict(point.profile)
        profiles[point.plugin, profile.get("technique", ""), profile.get("k"), profile.get("m")].append(profile)
    varying: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    for (plugin, technique, _, _), found in profiles.items():
        keys = {key for profile in found for key in profile} - {"packetsize"}
        varying[plugin, technique] |= {key for key in keys if len({profile.get(key) for profile in found}) > 1}
    return varying


def make_entry(summary: PointSummary, options: Mapping[str, Any], varying: Mapping[tuple[str, str], set[str]],
               varied: set[str]) -> Entry:
    point = summary.point
    technique, packetsize = point.get("technique", ""), point.get("packetsize")
    shown = varying.get((point.plugin, technique), ())
    shown_options = tuple((name, text) for name, value in options.items() if (text := words_of(name, value, name in varied)))
    series = Series(point.plugin, technique, " ".join(f"{key}={value}" for key, value in point.profile if key in shown))
    return Entry(summary, case_of(summary, shown_options), series, int(packetsize) if packetsize else None, options)


def words_of(name: str, value: Any, varies: bool) -> str:
    if name in USUAL:
        return option_text(name, value) if varies or value != USUAL[name] else ""
    return option_text(name, value) if value not in (None, "", [], ()) else ""


def by_case(entries: Iterable[Entry]) -> Cases:
    """The entries with a figure. The cases are in the order of the run."""
    cases = collections.defaultdict(list)
    for entry in entries:
        if entry.gb_per_s is not None:
            cases[entry.case].append(entry)
    return cases


def by_series(entries: Iterable[Entry]) -> dict[Series, list[Entry]]:
    found = collections.defaultdict(list)
    for entry in entries:
        found[entry.series].append(entry)
    return found


def highest(entries: Iterable[Entry]) -> Entry:
    """The entry with the highest GB/s, which need not be significantly faster than the others; see ranked()."""
    return max(entries, key=lambda entry: entry.gb_per_s)


def ranked(entries: Sequence[Entry], series: Series | None = None) -> Selection[Entry]:
    """`series`: the series of the entries, if only entries of this series are compared."""
    without = dict.fromkeys(one for entry in entries for one in entry.without_figure if series in (None, one.series))
    failed, unmeasured = ([one for one in without if one.summary.is_unmeasured == is_open] for is_open in (False, True))
    return select(figures_of({entry: entry.summary for entry in entries}), failed, lambda entry: entry.code, unmeasured=unmeasured)


def outcome_text(entries: Sequence[Entry]) -> str:
    """The result of a chart as text for screen readers."""
    found = ranked(entries)
    return f"inconclusive: {found.inconclusive}" if found.inconclusive else f"fastest is {found.first}"
