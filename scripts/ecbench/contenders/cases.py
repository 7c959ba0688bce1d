"""The cases of a comparison. A case is one workload with one k+m, one object size and one cache state. Libraries are compared
within a case."""

import dataclasses
import itertools

from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, numbers, shapes
from ecbench.point.point import Point, bytes_text
from ecbench.terminal.console import Refused

SHAPES = ((2, 1), (4, 2), (6, 2), (8, 4), (10, 4))
SIZES = (4 << 10, 128 << 10, 1 << 20, 4 << 20)
CACHES = ("warm", "cold")
WORKLOADS = ("encode", "decode")
ERASURES = (1, 2)
# The words of bench.sh contenders. libraries.py adds library= and plugin=.
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "cache": OPTIONS["cache"], "workload": Axis(WORKLOADS),
        "erasures": numbers()}


@dataclasses.dataclass(frozen=True)
class Case:
    workload: str
    erasures: int  # 0 for encode
    cache: str
    k: int
    m: int
    size: int  # bytes

    @property
    def shape(self) -> str:
        return f"{self.k}+{self.m}"

    @property
    def workload_text(self) -> str:
        return f"{self.workload} {self.erasures}" if self.erasures else self.workload

    @property
    def table(self) -> str:
        """The title of the case's table, which contains all shapes and sizes."""
        return f"{self.workload_text}, {self.cache}"

    @property
    def computed_chunks(self) -> int:
        """The number of chunks that a call computes."""
        return self.erasures or self.m

    def __str__(self) -> str:
        return f"{self.shape} {self.workload_text} of {bytes_text(self.size)}, {self.cache}"


def case_of(point: Point) -> Case:
    return Case(point.workload, point.erasures, point.cache, int(point.get("k")), int(point.get("m")), point.size)


def read_cases(axes: Axes) -> list[Case]:
    """The cases in the order of the tables. Throws Refused if there are none."""
    workloads, erasures = axes.get("workload", WORKLOADS), axes.get("erasures", ERASURES)
    asked = [("encode", 0)] if "encode" in workloads else []
    asked += [("decode", int(count)) for count in erasures] if "decode" in workloads else []
    found = [Case(workload, count, str(cache), k, m, int(size)) for (workload, count), cache, (k, m), size in itertools.product(
        asked, axes.get("cache", CACHES), shapes(axes, SHAPES), axes.get("size", SIZES)) if count <= m]
    if not found:
        raise Refused(f"erasures={','.join(map(str, erasures))} is not allowed: no shape has so many coding chunks; give "
                      "fewer, or another m")
    return found
