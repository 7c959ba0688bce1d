"""What recovery is asked for: the shapes of the article on costs and benefits, or those that words give."""

import dataclasses

from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, Language, Values, numbers, read_axes, shapes, single, split
from ecbench.recovery import codes
from ecbench.recovery.codes import Code
from ecbench.terminal.console import Refused

AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "l": numbers(), "c": numbers(), "size": OPTIONS["size"], "cache": OPTIONS["cache"],
        "backend": Axis()}
DEFAULT_SIZE = 4 << 20  # as Ceph's objects
OF_SHAPES = ("k", "m", "l", "c")


@dataclasses.dataclass(frozen=True)
class ShecShape:
    """One of l and c is given; the other one follows from it, if only roughly."""
    k: int
    m: int
    l: int | None
    c: int | None

    def code(self, backend: str) -> Code:
        if self.l is not None:
            return codes.shec(self.k, self.m, self.l, backend)
        return codes.shec_with_c(self.k, self.m, self.c, backend)

    def cells(self) -> list[str]:
        """k, m, l and c."""
        l = self.c * self.k / self.m if self.l is None else self.l
        c = self.m * self.l / self.k if self.c is None else self.c
        return [str(self.k), str(self.m), *(f"{number:.2f}".rstrip("0").rstrip(".") for number in (l, c))]


@dataclasses.dataclass(frozen=True)
class Request:
    shapes: list[tuple[int, int]]  # k and m of Reed-Solomon and CLAY
    shec: list[ShecShape]
    lrc: list[tuple[int, int, int | None]]  # k, m, l; None: every l that is possible
    is_article: bool  # the figures are compared with the article's
    sizes: Values
    caches: Values
    backend: str


def read_request(words: list[str]) -> Request:
    """Throws Refused."""
    axes = read_axes(split(words), Language(None, AXES, takes_profiles=False))
    own = (axes.get("size", (DEFAULT_SIZE,)), axes.get("cache", ("cold",)), single(axes, "backend", "isa"))
    if not any(key in axes for key in OF_SHAPES):
        return Request([shape[:2] for shape in codes.CLAY], [ShecShape(*shape[:3], None) for shape in codes.SHEC], list(codes.LRC),
                       True, *own)
    if "k" not in axes and "m" not in axes:
        raise Refused("k and m are missing; give the shape, such as k=8 m=3")
    found = shapes(axes, tuple((k, m) for k, m, _, _ in codes.CLAY))
    return Request(found, [shape for k, m in found for shape in shec_shapes(k, m, axes)],
                   [(k, m, l) for k, m in found for l in axes.get("l", (None,))], False, *own)


def shec_shapes(k: int, m: int, axes: Axes) -> list[ShecShape]:
    """Those of l= and c=. If neither is given, every c below m, as c=m needs all of k chunks."""
    ls = axes.get("l", ())
    cs = axes.get("c", () if ls else range(1, m))
    return [*(ShecShape(k, m, l, None) for l in ls), *(ShecShape(k, m, None, c) for c in cs)]
