"""Reads the arguments of recovery. By default, k, m and l are those of the article on costs and benefits."""

import dataclasses

from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, Language, Values, numbers, read_axes, shapes, single, split
from ecbench.recovery import codes
from ecbench.terminal.console import Refused

AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "l": numbers(), "c": numbers(), "size": OPTIONS["size"], "cache": OPTIONS["cache"],
        "backend": Axis()}
DEFAULT_SIZE = 4 << 20  # the size of Ceph's objects
OF_SHAPES = ("k", "m", "l", "c")


@dataclasses.dataclass(frozen=True)
class Request:
    shapes: list[tuple[int, int]]  # k and m of Reed-Solomon and CLAY
    shec: list[codes.Shec]
    lrc: list[tuple[int, int, int | None]]  # k, m, l; None: every possible l
    is_article: bool  # whether the figures are compared with the article
    sizes: Values
    caches: Values
    backend: str


def read_request(words: list[str]) -> Request:
    """Throws Refused."""
    axes = read_axes(split(words), Language(None, AXES, takes_profiles=False))
    own = (axes.get("size", (DEFAULT_SIZE,)), axes.get("cache", ("cold",)), str(single(axes, "backend", "isa")))
    if not any(key in axes for key in OF_SHAPES):
        return Request([shape[:2] for shape in codes.CLAY], [codes.Shec(*shape[:3]) for shape in codes.SHEC], list(codes.LRC), True,
                       *own)
    if "k" not in axes and "m" not in axes:
        raise Refused("k and m are missing; give both, for example k=8 m=3")
    found = shapes(axes, tuple(shape[:2] for shape in codes.CLAY))
    return Request(found, [shape for k, m in found for shape in shec_shapes(k, m, axes)],
                   [(k, m, l) for k, m in found for l in axes.get("l", (None,))], False, *own)


def shec_shapes(k: int, m: int, axes: Axes) -> list[codes.Shec]:
    """For the given l and c, otherwise for every c below m: a repair with c=m reads k chunks."""
    ls = axes.get("l", ())
    cs = axes.get("c", () if ls else range(1, m))
    return [*(codes.Shec(k, m, l=l) for l in ls), *(codes.Shec(k, m, c=c) for c in cs)]
