"""The points of a run sorted for the page. A case is what competes: the same work on the same object by different codes. A series
is one of the competitors, a plugin's technique with all its parameters but packetsize; an entry is one point with its figures."""

import collections
import dataclasses
import functools

from ecbench.point.wording import USUAL, figure_text, option_text, size_text, workload_text
from ecbench.statistics.interval import independent_ratio

CODE_KEYS = ("plugin", "profile", "workload", "size", "erasures")


@dataclasses.dataclass(frozen=True)
class Case:
    workload: str
    erasures: int
    size: int
    k: int
    m: int
    options: tuple  # of (name, value as text, words that the page uses)

    @functools.cached_property
    def extras(self):
        return [words for _, _, words in self.options if words]

    @property
    def title(self):
        return ", ".join([workload_text(self.workload, self.erasures), f"{self.k}+{self.m}", size_text(self.size), *self.extras])

    def option(self, name):
        return next((value for key, value, _ in self.options if key == name), None)

    def without(self, name):
        """The options but one: what must be the same where that one is compared."""
        return tuple(option for option in self.options if option[0] != name)


@dataclasses.dataclass(frozen=True)
class Series:
    plugin: str
    technique: str
    parameters: str  # those that tell it from another of the same technique, such as w=16

    @property
    def label(self):
        return " ".join(word for word in (self.plugin, self.technique, self.parameters) if word)


@dataclasses.dataclass(frozen=True)
class Entry:
    summary: object
    case: Case
    series: Series
    packetsize: int | None

    @property
    def gb_per_s(self):
        return self.summary.gb_per_s

    @property
    def figure(self):
        """GB/s as text."""
        return figure_text(self.gb_per_s) + self.summary.mark

    @property
    def low(self):
        return self.summary.gb_per_s if self.summary.low is None else self.summary.low

    @property
    def high(self):
        return self.summary.gb_per_s if self.summary.high is None else self.summary.high

    @property
    def code(self):
        """The code in words: series and packetsize."""
        return self.series.label + (f", packetsize {self.packetsize}" if self.packetsize is not None else "")

    @property
    def interval_text(self):
        percent = self.summary.interval_percent
        return "" if percent is None else f"±{percent:.1f} %"

    def __str__(self):
        return f"{self.code}: {self.figure} GB/s"


def read_entries(summaries_of_runs):
    """One list of entries per run. What the runs have in common decides how series are told apart, so that a series has the same
    name on every machine."""
    points = [summary.point for summaries in summaries_of_runs for summary in summaries]
    fields = [point.to_json() for point in points]
    varying = varying_parameters(points)
    varied_options = {name for name, values in option_values(fields).items() if len(values) > 1}
    described = zip(points, fields)
    return [[make_entry(summary, *next(described), varying, varied_options) for summary in summaries]
            for summaries in summaries_of_runs]


def option_values(fields):
    values = collections.defaultdict(set)
    for field in fields:
        for name, value in field.items():
            if name not in CODE_KEYS:
                values[name].add(str(value))
    return values


def shape(point):
    profile = dict(point.profile)
    return point.plugin, profile.get("technique", ""), profile.get("k"), profile.get("m")


def varying_parameters(points):
    """Of each plugin and technique, the parameters that some k+m has in several values: w=8 and w=16, not the w that follows k."""
    values = collections.defaultdict(set)
    for point in points:
        for key, value in point.profile:
            values[(*shape(point), key)].add(value)
    varying = collections.defaultdict(set)
    for (plugin, technique, _, _, key), found in values.items():
        if len(found) > 1 and key != "packetsize":
            varying[plugin, technique].add(key)
    return varying


def make_entry(summary, point, fields, varying, varied_options):
    profile = dict(point.profile)
    technique = profile.get("technique", "")
    told = varying.get((point.plugin, technique), ())
    parameters = " ".join(f"{key}={value}" for key, value in point.profile if key in told)
    options = tuple((name, str(value), words_of(name, value, name in varied_options))
                    for name, value in sorted(fields.items()) if name not in CODE_KEYS)
    row = summary.row or {}
    case = Case(point.workload, point.erasures, point.size, int(profile.get("k") or row.get("k", 0)),
                int(profile.get("m") or row.get("m", 0)), options)
    packetsize = profile.get("packetsize")
    return Entry(summary, case, Series(point.plugin, technique, parameters), int(packetsize) if packetsize else None)


def words_of(name, value, varies):
    if name in USUAL:
        return option_text(name, value) if varies or value != USUAL[name] else ""
    return option_text(name, value) if value not in (None, "", [], ()) else ""


def by_case(entries):
    """Cases in the order of the run, each with its entries that have a figure."""
    cases = collections.defaultdict(list)
    for entry in entries:
        if entry.gb_per_s is not None:
            cases[entry.case].append(entry)
    return cases


def by_series(entries):
    found = collections.defaultdict(list)
    for entry in entries:
        found[entry.series].append(entry)
    return found


def fastest(entries):
    return max(entries, key=lambda entry: entry.gb_per_s)


def as_fast(entries, best):
    """Those that cannot be told from the best, fastest first: the interval of their ratio to it reaches 1."""
    rivals = [entry for entry in entries if entry is not best and not is_slower(entry, best)]
    return sorted(rivals, key=lambda entry: -entry.gb_per_s)


def is_slower(entry, best):
    ratio = independent_ratio(entry.summary.estimate, best.summary.estimate)
    return ratio.high is not None and ratio.high < 1
