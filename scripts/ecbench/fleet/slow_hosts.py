"""Finds hosts whose speed differs from that of their class: in all figures, or only in those of one workload, cache state, size or
number of threads."""

import collections
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from ecbench.comparison.case import Case
from ecbench.comparison.outlier import FEWEST_FIGURES, Deviations, Part, differing
from ecbench.documents import document
from ecbench.fleet.cases import Candidate
from ecbench.fleet.classes import HostClass
from ecbench.fleet.differences import Difference, differences
from ecbench.point.wording import size_text

ALL = "all figures"

Key = tuple[Case, Candidate]


@dataclasses.dataclass(frozen=True)
class SlowHost:
    """A host that differs from its class. A part of the JSON document."""

    host: str
    host_class: Annotated[str, document.Key(name="class")]
    part: Annotated[str, document.Key("The figures in which the host differs from its class: all figures, or the figures of one "
                                      "workload, cache state, size or number of threads.", name="figures")]
    ratio: Annotated[float, document.Key("The speed of the host / the mean speed of the hosts of its class that are not outliers.")]
    is_slower: Annotated[bool, document.Key(name="slower")]
    probability: Annotated[float, document.Key("If all hosts were equal: the probability that any host of the fleet has such a "
                                               "difference by chance.", least=0, most=1)]
    differences: list[Difference]

    def __str__(self) -> str:
        percent = abs(self.ratio - 1) * 100
        part = "" if self.part == ALL else f" in {self.part}"
        return f"{self.host} is {percent:.1f} % {'slower' if self.is_slower else 'faster'} than class {self.host_class}{part}"


def slow_hosts(classes: Sequence[HostClass], deviations: Mapping[str, Deviations[str, Key]]) -> list[SlowHost]:
    """The hosts that differ from their class, the slowest first. `deviations`: the result of deviations_of()."""
    found = differing([(deviations[one.name], list(parts_of(deviations[one.name].keys))) for one in classes])
    slow = [SlowHost(host, one.name, part, outlier.ratio, outlier.ratio < 1, outlier.probability,
                     environment_differences(one, host))
            for one, named in zip(classes, found) for host, (part, outlier) in named.items()]
    return sorted(slow, key=lambda host: host.ratio)


def deviations_of(classes: Sequence[HostClass]) -> dict[str, Deviations[str, Key]]:
    """The deviations of the clean hosts of each class."""
    return {one.name: Deviations.of({host.name: host.figures.clean for host in one.clean if host.figures}) for one in classes}


def environment_differences(host_class: HostClass, host: str) -> list[Difference]:
    clean = {one.name: one.figures for one in host_class.clean if one.figures}
    return differences(clean.pop(host), list(clean.values()))


def parts_of(keys: Sequence[Key]) -> Iterator[Part[Key]]:
    """The parts that are tested: all figures, and each value of an axis that has several values, unless it has too few figures."""
    if not keys:
        return
    yield Part(ALL, set(keys), is_all=True)
    by_value: dict[str, dict[str, set[Key]]] = collections.defaultdict(lambda: collections.defaultdict(set))
    for key in keys:
        case, _ = key
        options = dict(case.options)
        values = {"workload": case.workload, "size": f"objects of {size_text(case.size)}", "cache": case.cache,
                  "threads": f"{options.get('threads', '1')} threads"}
        for axis, value in values.items():
            by_value[axis][value].add(key)
    for of_axis in by_value.values():
        if len(of_axis) > 1:
            yield from (Part(value, of_value) for value, of_value in of_axis.items() if len(of_value) >= FEWEST_FIGURES)
