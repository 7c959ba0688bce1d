"""Values of axes that depend on the rest of the point, such as packetsize=fit. Files and words can use them.

technique=best names the techniques of a plugin that can be its fastest for a k+m. packetsize=fit is the largest packetsize that
adds little padding to a chunk, and a smaller one with which a packet of each chunk fits into the L1 cache; that is faster if chunks
are read from memory. fit-odd rounds up to an odd number of cache lines, with which plugin simd is faster."""

import dataclasses
import itertools
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from ecbench.ceph.profile import TECHNIQUES as PACKET_TECHNIQUES
from ecbench.ceph.profile import filling_packetsize, isa_technique, packetsizes_of
from ecbench.documents.document import Json
from ecbench.experiment.expansion import Expansion
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import BEST, LIBRARY, OPTIONS, Axes
from ecbench.point.description import Plugins
from ecbench.point.point import Point
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import loaded_objects
from ecbench.terminal.console import Refused, did_you_mean, one_of

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


# Entries of an experiment with the axis library: which of them can be measured here. `make contenders` builds plugins for
# libraries in other languages and a second ISA-L; codec-lib=built in a file means this ISA-L, since files name no directories.

NOT_IN_DEFAULT_BUILD = ("klauspost", "rs-erasure", "rs-simd", "rusty_erasure", "ceph")
CODEC_LIB, BUILT, BUILT_IN = "codec-lib", "built", "isal-2.32"  # BUILT_IN: next to the program


def present(entries: Sequence[Axes], plugins: Plugins, program: str, isal_folders: Sequence[str]) -> tuple[list[Axes], list[str]]:
    """The entries that can be measured, one more for each of `isal_folders`, and the names of the others. Throws Refused."""
    found, not_built = [], []
    for axes in entries:
        name, plugin = str(axes.get(LIBRARY, ("",))[0]), str(axes.get("plugin", ("",))[0])
        if axes.get(CODEC_LIB) == (BUILT,):
            folder = pathlib.Path(program).resolve().parent / BUILT_IN
            axes = {**axes, CODEC_LIB: (str(folder) if folder.is_dir() else "",)}
        if axes.get(CODEC_LIB) == ("",) or (name and plugin not in plugins):
            not_built.append(name or f"{CODEC_LIB}={BUILT}")
            continue
        found.append(axes)
        if name == plugin == "isa":
            found += [{**axes, LIBRARY: (f"isa in {folder}",), CODEC_LIB: (str(isal_in(folder)),)} for folder in isal_folders]
    if not found:
        raise Refused(f"nothing is left to measure: {', '.join(dict.fromkeys(not_built))} is not built; run make contenders, which "
                      "needs go, cargo and Ceph's packages")
    return found, list(dict.fromkeys(not_built))


def is_optional(axes: Axes) -> bool:
    """Whether only `make contenders` builds what the entry needs."""
    return axes.get(CODEC_LIB) == (BUILT,) or bool(set(axes.get("plugin", ())) & set(NOT_IN_DEFAULT_BUILD))


def check_isal(expansion: Expansion, folders: Sequence[str]) -> None:
    """Throws Refused if ISA-L in a directory cannot be used, although the installed one can."""
    names = {entry.library for entry in expansion.entries}
    for folder in folders if "isa" in names else ():
        if f"isa in {folder}" not in names:
            reasons = [reason.why for reason in expansion.dropped if str(isal_in(folder)) in reason.example]
            raise Refused(f"--isal {folder} is not allowed: {next(iter(reasons), 'it has no libisal.so.2')}")


def check(run: Run, program: Ecbench) -> None:
    """Throws Refused if a directory no longer contains the codec libraries with which the run began."""
    begun = {point.codec_lib: (point.plugin, loaded_objects(run.rows[identity])) for identity, point in run.points.items()
             if point.codec_lib and run.rows.get(identity)}
    for folder, (plugin, loaded) in begun.items():
        now = program.environment(["--plugin", plugin, "--codec-lib", folder]).shared_objects
        known = {(one.name, one.version, one.build_id) for one in now}
        if other := next((one for one in loaded if (one.name, one.version, one.build_id) not in known), None):
            raise Refused(f"{run.path} cannot be resumed: {other.name} in {folder} is not the library with which the run began "
                          f"({other}); begin a new run, without --resume")


def isal_in(folder: str) -> pathlib.Path:
    """Throws Refused if `folder` is not a directory."""
    path = pathlib.Path(folder)
    if not folder or not path.is_dir():
        raise Refused(f"--isal {folder or repr('')} is not allowed: give a directory with a libisal.so.2")
    return path.resolve()


def selected(entries: Sequence[Axes], own: Axes) -> tuple[list[Axes], Axes]:
    """The entries of a file that the user's library= and plugin= select, and the user's other axes. Throws Refused."""
    labelled = [axes for axes in entries if LIBRARY in axes]
    for axis in (LIBRARY, "plugin") if labelled else ():
        if axis not in own:
            continue
        names = {str(name) for axes in labelled for name in axes.get(axis, ())}
        if unknown := [name for name in own[axis] if name not in names]:
            raise Refused(f"{axis}={unknown[0]} is not allowed; choose {one_of(sorted(names))}{did_you_mean(unknown[0], names)}")
        entries = [axes for axes in entries if LIBRARY not in axes or set(own[axis]) & set(axes.get(axis, ()))]
        if not entries:
            raise Refused(f"{axis}={','.join(map(str, own[axis]))} is not allowed: the libraries use other plugins; leave one of "
                          "the words out")
        own = {key: values for key, values in own.items() if key != axis}
    return list(entries), own
