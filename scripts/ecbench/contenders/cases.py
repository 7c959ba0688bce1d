"""What is compared: cases, each the same work on an object of the same size, in the same cache state, for the same k+m. Contestants
race within a case."""

import dataclasses
import itertools

from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, numbers, shapes
from ecbench.point.point import bytes_text
from ecbench.terminal.console import Refused

SHAPES = ((2, 1), (4, 2), (6, 2), (8, 4), (10, 4))
SIZES = (4 << 10, 128 << 10, 1 << 20, 4 << 20)
CACHES = ("warm", "cold")
WORKLOADS = ("encode", "decode")
ERASURES = (1, 2)
# The words of bench.sh contenders, except library= and plugin=, which contestants.py adds.
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "cache": OPTIONS["cache"], "workload": Axis(WORKLOADS),
        "erasures": numbers()}


@dataclasses.dataclass(frozen=True)
class Case:
    workload: str
    erasures: int
    cache: str
    k: int
    m: int
    size: int

    @property
    def work(self):
        return f"{self.workload} {self.erasures}" if self.erasures else self.workload

    @property
    def shape(self):
        return f"{self.k}+{self.m}"

    @property
    def table(self):
        """What stands in one table: all shapes and sizes of it."""
        return f"{self.work}, {self.cache}"

    @property
    def written(self):
        """How many chunks a call computes."""
        return self.erasures or self.m

    def __str__(self):
        return f"{self.shape} {self.work} of {bytes_text(self.size)}, {self.cache}"


def case_of(point):
    """The case that a point belongs to."""
    return Case(point.workload, point.erasures, point.cache, int(point.get("k")), int(point.get("m")), point.size)


def read_cases(axes: Axes) -> list[Case]:
    """In the order of the tables. Throws Refused if there is none."""
    lost = axes.get("erasures", ERASURES)
    works = [("encode", 0)] if "encode" in axes.get("workload", WORKLOADS) else []
    works += [("decode", erasures) for erasures in lost] if "decode" in axes.get("workload", WORKLOADS) else []
    found = [Case(workload, erasures, cache, k, m, size)
             for (workload, erasures), cache, (k, m), size in itertools.product(works, axes.get("cache", CACHES),
                                                                                shapes(axes, SHAPES), axes.get("size", SIZES))
             if erasures <= m]
    if not found:
        raise Refused(f"erasures={','.join(map(str, lost))} is not allowed: no shape has so many coding chunks; give fewer, or another "
                      "m")
    return found
