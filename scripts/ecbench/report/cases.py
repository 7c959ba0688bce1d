"""Groups the points of a run for the page of bench.sh report. All points of a case have the same workload, number of erasures,
object size, k, m and options. The page compares erasure codes only within a case. All points of a series have the same plugin and
technique, and the same values of the parameters that vary, except packetsize. An entry is one point with its figures."""

import collections
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ecbench.point.point import Point
from ecbench.point.wording import USUAL, figure_text, option_text, size_text, workload_text
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.ranking import IndependentFigures, Ranking, ranking

CODE_KEYS = ("plugin", "profile", "workload", "size", "erasures")
WHAT_TO_DO = "measure again with more --repetitions"


@dataclass(frozen=True)
class Case:
    workload: str
    erasures: int
    size: int
    k: int
    m: int
    options: tuple[tuple[str, str, str], ...]  # name, value as text, text in the title ("": not in the title)

    @functools.cached_property
    def extras(self) -> list[str]:
        return [words for _, _, words in self.options if words]

    @property
    def title(self) -> str:
        return ", ".join([workload_text(self.workload, self.erasures), f"{self.k}+{self.m}", size_text(self.size), *self.extras])

    def option(self, name: str) -> str | None:
        return next((value for key, value, _ in self.options if key == name), None)

    def without(self, name: str) -> tuple[Any, ...]:
        """All properties of the case except the option `name`. If cases differ only in this option, without() returns the same
        tuple for them."""
        return (self.workload, self.erasures, self.size, self.k, self.m, *(option for option in self.options if option[0] != name))


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

    @property
    def gb_per_s(self) -> Any:
        """None if the point failed. The entries that by_case() returns always have a number."""
        return self.summary.gb_per_s

    @property
    def figure(self) -> str:
        """GB/s as text."""
        return figure_text(self.gb_per_s) + self.summary.mark

    @property
    def low(self) -> Any:
        return self.gb_per_s if self.summary.low is None else self.summary.low

    @property
    def high(self) -> Any:
        return self.gb_per_s if self.summary.high is None else self.summary.high

    @property
    def code(self) -> str:
        """The erasure code as text: series and packetsize."""
        return self.series.label + (f" with packetsize {self.packetsize}" if self.packetsize is not None else "")

    @property
    def interval_text(self) -> str:
        percent = self.summary.interval_percent
        return "" if percent is None else f"±{percent:.1f} %"

    def __str__(self) -> str:
        return f"{self.code}: {self.figure} GB/s"


Cases = Mapping[Case, list[Entry]]


def read_entries(summaries_of_runs: Sequence[Sequence[PointSummary]]) -> list[list[Entry]]:
    """Returns one list of entries for each run. The name of a series contains every parameter that varies in any of the runs.
    Therefore, a series has the same name in all runs."""
    points = [summary.point for summaries in summaries_of_runs for summary in summaries]
    fields = {id(point): point.to_json() for point in points}
    values = collections.defaultdict(set)
    for field in fields.values():
        for name, value in field.items():
            values[name].add(str(value))
    varied = {name for name, found in values.items() if len(found) > 1}
    varying = varying_parameters(points)
    return [[make_entry(summary, fields[id(summary.point)], varying, varied) for summary in summaries]
            for summaries in summaries_of_runs]


def varying_parameters(points: Iterable[Point]) -> Mapping[tuple[str, str], set[str]]:
    """Plugin and technique → parameters that have several values for the same k and m, such as w=8 and w=16. If w differs only
    between profiles with different k or m, w is not in the result. A missing parameter counts as a value."""
    profiles = collections.defaultdict(list)
    for point in points:
        profile = dict(point.profile)
        profiles[point.plugin, profile.get("technique", ""), profile.get("k"), profile.get("m")].append(profile)
    varying: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    for (plugin, technique, _, _), found in profiles.items():
        keys = {key for profile in found for key in profile} - {"packetsize"}
        varying[plugin, technique] |= {key for key in keys if len({profile.get(key) for profile in found}) > 1}
    return varying


def make_entry(summary: PointSummary, fields: Mapping[str, Any], varying: Mapping[tuple[str, str], set[str]],
               varied: set[str]) -> Entry:
    point, row = summary.point, summary.row or {}
    technique, packetsize = point.get("technique", ""), point.get("packetsize")
    shown = varying.get((point.plugin, technique), ())
    options = tuple((name, str(value), words_of(name, value, name in varied))
                    for name, value in sorted(fields.items()) if name not in CODE_KEYS)
    case = Case(point.workload, point.erasures, point.size, int(point.get("k") or row.get("k", 0)),
                int(point.get("m") or row.get("m", 0)), options)
    series = Series(point.plugin, technique, " ".join(f"{key}={value}" for key, value in point.profile if key in shown))
    return Entry(summary, case, series, int(packetsize) if packetsize else None)


def words_of(name: str, value: Any, varies: bool) -> str:
    if name in USUAL:
        return option_text(name, value) if varies or value != USUAL[name] else ""
    return option_text(name, value) if value not in (None, "", [], ()) else ""


def by_case(entries: Iterable[Entry]) -> Cases:
    """Case → entries of this case. Entries without a figure are left out. The cases are in the order of the run."""
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


def same_case(cases: Cases, case: Case, option: str, value: str) -> Iterator[list[Entry]]:
    """Finds the cases that have this value of the option and are otherwise equal to `case`. Yields a list for each such case: the
    entries of the case."""
    return (entries for other, entries in cases.items()
            if other.option(option) == value and other.without(option) == case.without(option))


def fastest(entries: Iterable[Entry]) -> Entry:
    """The entry with the highest GB/s. The difference to the other entries may be insignificant; see ranked()."""
    return max(entries, key=lambda entry: entry.gb_per_s)


def ranked(entries: Sequence[Entry]) -> Ranking[Entry]:
    figures = {entry: entry.summary.estimate for entry in entries}
    return ranking(IndependentFigures(figures), list(entries), disturbed={entry: entry.summary.disturbed for entry in entries},
                   name=lambda entry: entry.code)


def outcome_text(entries: Sequence[Entry]) -> str:
    """The result of a chart as text for screen readers: the fastest entry, or why the result is inconclusive."""
    found = ranked(entries)
    return f"inconclusive: {found.inconclusive}" if found.inconclusive and len(entries) > 1 else f"fastest is {found.first}"
