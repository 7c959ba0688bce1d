"""Values of axes that depend on the rest of the point, such as packetsize=fit. Files and words can use them.

technique=best names the techniques of a plugin that can be its fastest for a k+m. packetsize=fit is the largest packetsize that
adds little padding to a chunk, and a smaller one with which a packet of each chunk fits into the L1 cache; that is faster if chunks
are read from memory. fit-odd rounds up to an odd number of cache lines, with which plugin simd is faster."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from ecbench.ceph.profile import TECHNIQUES as PACKET_TECHNIQUES
from ecbench.ceph.profile import filling_packetsize, isa_technique, packetsizes_of
from ecbench.documents.document import Json
from ecbench.point.axes import BEST, OPTIONS, Axes
from ecbench.point.point import Point
from ecbench.terminal.console import Refused, one_of

LARGEST_PACKETSIZE, PACKETSIZE_IN_L1 = 8192, 1024
LINE = 64  # bytes of a cache line


def best_of_jerasure(_k: int, m: int) -> list[str]:
    return ["reed_sol_van", "reed_sol_r6_op"] if m == 2 else ["reed_sol_van"]


def best_of_simd(k: int, m: int) -> list[str]:
    """Up to m=3, reed_sol_van is the fastest."""
    return list(dict.fromkeys([isa_technique(k, m), *(("cauchy", "leopard_gf8") if m > 3 else ())]))


def best_of_isa(k: int, m: int) -> list[str]:
    return [isa_technique(k, m)]


BEST_OF: dict[str, Callable[[int, int], list[str]]] = {
    "isa": best_of_isa, "rusty_erasure": best_of_isa, "jerasure": best_of_jerasure, "simd": best_of_simd}


def with_best(axes: Axes) -> Iterator[Axes]:
    """The axes with the techniques that technique=best names, for each plugin and k+m. Throws Refused."""
    if axes.get("technique") != (BEST,):
        yield axes
        return
    if not {"plugin", "k", "m"} <= axes.keys():
        raise Refused(f"technique={BEST} needs plugin, k and m; give 8+3, for example")
    for plugin, k, m in itertools.product(axes["plugin"], axes["k"], axes["m"]):
        code = axes.get("ceph-plugin", (plugin,))[0] if plugin == "ceph" else plugin
        if code not in BEST_OF:
            raise Refused(f"technique={BEST} is not allowed with plugin={code}; give names, or the plugin {one_of(BEST_OF)}")
        yield {**axes, "plugin": (plugin,), "k": (k,), "m": (m,), "technique": tuple(BEST_OF[code](k, m))}


def evaluated(point: Point) -> Iterator[Point]:
    """The point with the values of the functions that its axes name. erasures=all is not among them: it needs m, which may be a
    default of the plugin."""
    for (axis, word), values in FUNCTIONS.items():
        given = point.get(axis) if axis not in OPTIONS else getattr(point, axis)
        if given == word:
            if not (point.get("k") or "").isdigit():
                raise Refused(f"{axis}={word} needs k; give k=6, for example")
            for value in values(point):
                yield from evaluated(with_value(point, axis, value))
            return
    yield point


def with_value(point: Point, axis: str, value: int) -> Point:
    if axis in OPTIONS:
        options: Json = {axis: value}
        return dataclasses.replace(point, **options)
    return dataclasses.replace(point, profile=tuple(sorted({**dict(point.profile), axis: str(value)}.items())))


def technique_of(point: Point) -> str:
    """The technique of a point with packets. Throws Refused."""
    technique: str = point.get("technique", "")
    if technique not in PACKET_TECHNIQUES:
        raise Refused(f"packetsize={point.get('packetsize')} is not allowed for {technique or point.plugin}; give numbers, or one "
                      f"of the techniques {', '.join(PACKET_TECHNIQUES)}")
    return technique


def ceph_packetsizes(point: Point) -> Sequence[int]:
    return packetsizes_of(technique_of(point), int(point.get("k")), point.size)


def fitting_packetsizes(point: Point) -> list[int]:
    """None if the technique does not have this k+m."""
    technique, k = PACKET_TECHNIQUES[technique_of(point)], int(point.get("k"))
    if not technique.has(k, int(point.get("m") or 0)):
        return []
    chunk = -(-point.size // k)

    def fitting(most: int) -> int:
        """For the smallest number of groups of packets with which a packet has at most `most` bytes."""
        return filling_packetsize(chunk, technique.packets, -(-chunk // (technique.packets * most)))

    large, small = fitting(LARGEST_PACKETSIZE), fitting(PACKETSIZE_IN_L1)
    return list(dict.fromkeys((large, small if small < large else fitting(large // 2))))


def odd_packetsizes(point: Point) -> list[int]:
    """Only for large chunks, to which an odd number of cache lines adds little padding."""
    sizes, packets = fitting_packetsizes(point), PACKET_TECHNIQUES[technique_of(point)].packets
    if -(-point.size // int(point.get("k"))) < 16 * LINE * packets:
        return sizes
    return list(dict.fromkeys((-(-size // LINE) | 1) * LINE for size in sizes))


def n_of(point: Point) -> int:
    return int(point.get("k")) + int(point.get("m") or 0)


FUNCTIONS: dict[tuple[str, str], Callable[[Point], Iterable[int]]] = {
    ("c", "1..m-1"): lambda point: range(1, int(point.get("m") or 0)),
    ("l", "all"): lambda point: [l for l in range(2, n_of(point)) if n_of(point) % l == 0],
    ("changed", "1..k"): lambda point: range(1, int(point.get("k")) + 1),
    ("packetsize", "ceph"): ceph_packetsizes,
    ("packetsize", "fit"): fitting_packetsizes,
    ("packetsize", "fit-odd"): odd_packetsizes,
}
