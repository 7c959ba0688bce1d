"""The cases in which the libraries are compared."""

import itertools

from ecbench.comparison.case import Case
from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, numbers, shapes
from ecbench.terminal.console import Refused

SHAPES = ((2, 1), (4, 2), (6, 2), (8, 4), (10, 4))
WIDE_SHAPES = ((16, 4), (16, 8), (16, 16), (32, 32), (64, 64), (128, 64))
SIZES = (4 << 10, 128 << 10, 1 << 20, 4 << 20)
CACHES = ("warm", "cold")
WORKLOADS = ("encode", "decode", "overwrite")
ERASURES = (1, 2)
CHANGED = (1,)  # numbers of data chunks that an overwrite changes
NAMED_SHAPES = {"usual": SHAPES, "wide": WIDE_SHAPES}
# Axes that bench.sh contenders accepts. It also accepts library= and plugin=, which libraries.py defines.
AXES = {"shapes": Axis(tuple(NAMED_SHAPES)), "k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"],
        "cache": OPTIONS["cache"], "workload": Axis(WORKLOADS), "erasures": numbers(), "changed": numbers(1)}


def read_cases(axes: Axes) -> list[Case]:
    """In the order of the tables. Throws Refused if the axes give no case."""
    defaults = tuple(shape for name in axes.get("shapes", ("usual",)) for shape in NAMED_SHAPES[str(name)])
    workloads, erasures = axes.get("workload", WORKLOADS), axes.get("erasures", ERASURES)
    asked = [("encode", 0, 0)] if "encode" in workloads else []
    asked += [("decode", int(count), 0) for count in erasures] if "decode" in workloads else []
    asked += [("overwrite", 0, int(count)) for count in axes.get("changed", CHANGED)] if "overwrite" in workloads else []
    found = [Case(workload, lost, str(cache), k, m, int(size), changed)
             for (workload, lost, changed), cache, (k, m), size in itertools.product(
                 asked, axes.get("cache", CACHES), shapes(axes, defaults), axes.get("size", SIZES)) if lost <= m and changed <= k]
    if not found:
        given = " ".join(f"{key}={','.join(map(str, axes[key]))}" for key in ("erasures", "changed") if key in axes)
        raise Refused(f"{given} is not allowed: erasures= must be at most m, and changed= must be at most k; give smaller "
                      "numbers, or another k and m")
    return found
