"""Finds hosts whose speed differs from the speed of their class. A host can differ in all its figures, or only in the figures of
one workload, one cache state, one size or one number of threads."""

import collections
import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

from ecbench.fleet.cases import Candidate, Case
from ecbench.fleet.classes import HostClass
from ecbench.fleet.differences import Difference, differences
from ecbench.fleet.host_figures import Figure
from ecbench.point.wording import size_text
from ecbench.statistics.interval import FEWEST_VALUES, median
from ecbench.statistics.outliers import Outlier, Value, outliers

ALL = "all figures"
# Each host is tested with all its figures, and with subsets of its figures (parts). The allowed probability of a false alarm is
# divided between these tests: the tests with all figures get this share, and the tests with subsets get the rest.
FOR_ALL = 0.8
FEWEST_FIGURES = 6  # a subset with fewer figures is not tested
MAD = 1.4826  # the standard deviation of normally distributed values, divided by their median absolute deviation

Key = tuple[Case, Candidate]
Logarithms = dict[str, dict[Key, float]]  # host → key → logarithm of the figure, relative to the median of the class


@dataclasses.dataclass(frozen=True)
class SlowHost:
    """A host that differs from its class. `ratio`: the speed of the host / the speed of its class."""

    host: str
    host_class: str
    part: str  # ALL, or the name of the subset of figures in which the host differs
    ratio: float
    probability: float
    differences: list[Difference]

    @property
    def is_slower(self) -> bool:
        return self.ratio < 1

    def __str__(self) -> str:
        percent = abs(self.ratio - 1) * 100
        part = "" if self.part == ALL else f" in {self.part}"
        return f"{self.host} is {percent:.1f} % {'slower' if self.is_slower else 'faster'} than class {self.host_class}{part}"


def slow_hosts(classes: Sequence[HostClass], relative: Mapping[str, Logarithms]) -> list[SlowHost]:
    """The hosts that differ from their class, the slowest first. `relative`: the result of relative_of()."""
    parts = {one.name: list(parts_of(relative[one.name])) for one in classes}
    hosts = sum(map(len, relative.values()))
    of_parts = sum(len(relative[one.name]) * (len(parts[one.name]) - 1) for one in classes if parts[one.name])
    found = []
    for one in classes:
        named: dict[str, tuple[str, Outlier[str]]] = {}
        for part, keys in parts[one.name]:
            values = {host: value for host, of_host in relative[one.name].items() if (value := value_of(one, host, of_host, keys))}
            tests = hosts / FOR_ALL if part == ALL else of_parts / (1 - FOR_ALL)
            for outlier in outliers(values, tests, between_rounds(one, relative[one.name], keys)):
                is_in_all = outlier.member in named and named[outlier.member][0] == ALL
                if not is_in_all and (outlier.member not in named
                                      or outlier.probability < named[outlier.member][1].probability):
                    named[outlier.member] = part, outlier
        found += [SlowHost(host, one.name, part, outlier.ratio, outlier.probability, environment_differences(one, host))
                  for host, (part, outlier) in named.items()]
    return sorted(found, key=lambda slow: slow.ratio)


def environment_differences(host_class: HostClass, host: str) -> list[Difference]:
    own = next(one.figures for one in host_class.hosts if one.name == host)
    others = [one.figures for one in host_class.clean if one.name != host and one.figures]
    return differences(own, others) if own else []


def relative_of(classes: Sequence[HostClass]) -> dict[str, Logarithms]:
    """Calls logarithms() for each class. The keys of the result are the names of the classes."""
    return {one.name: logarithms(one) for one in classes}


def logarithms(host_class: HostClass) -> Logarithms:
    """For each clean host, the logarithms of its figures, relative to the median of the class. If only one host has a figure for a
    case and a candidate, this figure is left out."""
    by_key: dict[Key, dict[str, float]] = collections.defaultdict(dict)
    for host in host_class.clean:
        assert host.figures
        for key, figure in host.figures.clean.items():
            by_key[key][host.name] = math.log(figure.gb_per_s)
    relative: Logarithms = {host.name: {} for host in host_class.clean}
    for key, of_hosts in by_key.items():
        if len(of_hosts) > 1:
            level = median(of_hosts.values())
            for host_name, value in of_hosts.items():
                relative[host_name][key] = value - level
    return relative


def parts_of(relative: Logarithms) -> Iterator[tuple[str, set[Key]]]:
    """Yields the name and the keys of each set of figures that is tested. The first set has all figures. The axes are
    workload, size, cache state and number of threads. If the figures have several values of an axis, each value has its own set,
    unless it has fewer than FEWEST_FIGURES figures."""
    keys = dict.fromkeys(key for of_host in relative.values() for key in of_host)
    if not keys:
        return
    yield ALL, set(keys)
    by_value: dict[str, dict[str, set[Key]]] = collections.defaultdict(lambda: collections.defaultdict(set))
    for key in keys:
        case, _ = key
        options = dict(case.options)
        values = {"workload": case.workload, "size": f"objects of {size_text(case.size)}", "cache": options.get("cache", "warm"),
                  "threads": f"{options.get('threads', '1')} threads"}
        for axis, value in values.items():
            by_value[axis][value].add(key)
    for of_axis in by_value.values():
        if len(of_axis) > 1:
            yield from ((value, of_value) for value, of_value in of_axis.items() if len(of_value) >= FEWEST_FIGURES)


def value_of(host_class: HostClass, host: str, of_host: Mapping[Key, float], keys: set[Key]) -> Value | None:
    """The median of the host's figures with these keys, relative to the class, and the variance of this median. Returns None if
    the host has too few of these figures."""
    found = {key: value for key, value in of_host.items() if key in keys}
    if not found or len(found) < min(len(keys), FEWEST_FIGURES):
        return None
    middle = median(found.values())
    count = len(found)
    if count >= FEWEST_VALUES:
        scatter = (MAD * median(abs(value - middle) for value in found.values())) ** 2
    else:
        figures = figures_by_host(host_class)[host]
        scatter = math.fsum(figures[key].variance for key in found) / count
    # For many values, the variance of their median is pi / 2 times the variance of their mean. For one or two values, the median
    # is the mean.
    return Value(middle, scatter * (math.pi / 2 if count > 2 else 1) / count)


def figures_by_host(host_class: HostClass) -> dict[str, dict[Key, Figure]]:
    return {host.name: host.figures.clean for host in host_class.clean if host.figures}


def between_rounds(host_class: HostClass, relative: Logarithms, keys: set[Key]) -> float:
    """The contribution of differences between rounds to the variance of a host's value. For example, if a host is slow for a
    minute, all its figures in one round are low. The contribution is computed from the rounds of all hosts of the class. It is 0
    if every host has only one round."""
    squares, freedom, rounds = 0.0, 0, 1.0
    for host, figures in figures_by_host(host_class).items():
        chosen = [(figures[key].rounds, math.log(figures[key].gb_per_s)) for key in relative[host] if key in keys]
        count = max((len(speeds) for speeds, _ in chosen), default=0)
        of_rounds = [median(values) for number in range(count)
                     if (values := [math.log(speeds[number]) - level for speeds, level in chosen
                                    if number < len(speeds) and speeds[number] == speeds[number]])]
        if len(of_rounds) > 1:
            mean = math.fsum(of_rounds) / len(of_rounds)
            squares += math.fsum((value - mean) ** 2 for value in of_rounds)
            freedom += len(of_rounds) - 1
            rounds = max(rounds, len(of_rounds))
    return squares / freedom / rounds if freedom else 0.0
