"""The cases of a comparison. All measurements of a case have the same workload, number of lost or changed chunks, k, m, object size
and cache state. The libraries are compared separately in each case."""

import dataclasses
import itertools

from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, numbers, shapes
from ecbench.point.point import Point, bytes_text
from ecbench.terminal.console import Refused

SHAPES = ((2, 1), (4, 2), (6, 2), (8, 4), (10, 4))
SIZES = (4 << 10, 128 << 10, 1 << 20, 4 << 20)
CACHES = ("warm", "cold")
WORKLOADS = ("encode", "decode", "overwrite")
ERASURES = (1, 2)
CHANGED = (1,)  # numbers of data chunks that an overwrite changes
# Axes that bench.sh contenders accepts. It also accepts library= and plugin=, which libraries.py defines.
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "cache": OPTIONS["cache"], "workload": Axis(WORKLOADS),
        "erasures": numbers(), "changed": numbers(1)}


@dataclasses.dataclass(frozen=True)
class Case:
    workload: str
    erasures: int  # number of lost chunks that a decode computes; 0 for other workloads
    cache: str
    k: int
    m: int
    size: int  # bytes
    changed: int = 0  # number of data chunks that an overwrite changes; 0 for other workloads

    @property
    def shape(self) -> str:
        return f"{self.k}+{self.m}"

    @property
    def workload_text(self) -> str:
        count = self.erasures or self.changed
        return f"{self.workload} {count}" if count else self.workload

    @property
    def table(self) -> str:
        """The title of the table that contains this case. A table has one line for each combination of k+m and object size."""
        return f"{self.workload_text}, {self.cache}"

    @property
    def computed_chunks(self) -> int:
        """The number of chunks that a call computes."""
        return self.erasures or self.m

    def __str__(self) -> str:
        return f"{self.shape} {self.workload_text} of {bytes_text(self.size)}, {self.cache}"


def case_of(point: Point) -> Case:
    return Case(point.workload, point.erasures, point.cache, int(point.get("k")), int(point.get("m")), point.size,
                point.changed or 0)


def read_cases(axes: Axes) -> list[Case]:
    """The cases in the order of the tables. Throws Refused if the axes give no case."""
    workloads, erasures = axes.get("workload", WORKLOADS), axes.get("erasures", ERASURES)
    asked = [("encode", 0, 0)] if "encode" in workloads else []
    asked += [("decode", int(count), 0) for count in erasures] if "decode" in workloads else []
    asked += [("overwrite", 0, int(count)) for count in axes.get("changed", CHANGED)] if "overwrite" in workloads else []
    found = [Case(workload, lost, str(cache), k, m, int(size), changed)
             for (workload, lost, changed), cache, (k, m), size in itertools.product(
                 asked, axes.get("cache", CACHES), shapes(axes, SHAPES), axes.get("size", SIZES)) if lost <= m and changed <= k]
    if not found:
        given = " ".join(f"{key}={','.join(map(str, axes[key]))}" for key in ("erasures", "changed") if key in axes)
        raise Refused(f"{given} is not allowed: erasures= must be at most m, and changed= must be at most k; give smaller "
                      "numbers, or another k and m")
    return found
