"""Expands the axes of an experiment into points, and says why combinations of their values are dropped. `ecbench describe` checks
the combinations, so the rules of plugins are not here.

Values such as packetsize=fit depend on the rest of the point. technique=best names the techniques of a plugin that can be its
fastest for a k+m. packetsize=fit is the largest packetsize that adds little padding to a chunk, and a smaller one with which a
packet of each chunk fits into the L1 cache; that is faster if chunks are read from memory. fit-odd rounds up to an odd number of
cache lines, with which plugin simd is faster."""

import dataclasses
import itertools
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ecbench.ceph.profile import TECHNIQUES as PACKET_TECHNIQUES
from ecbench.ceph.profile import filling_packetsize, isa_technique, packetsizes_of
from ecbench.documents.document import Json
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import BEST, DEFAULTS, LIBRARY, OPTIONS, PARAMETERS, Axes
from ecbench.point.point import WITH_ERASURES, Describe, Pairs, Planned, Plugins, Point, make_point
from ecbench.runfile.header import Reason
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import loaded_objects
from ecbench.terminal.console import Refused, one_of

LARGEST_PACKETSIZE, PACKETSIZE_IN_L1 = 8192, 1024
LINE = 64  # bytes of a cache line


BEST_OF: dict[str, Callable[[int, int], list[str]]] = {
    "isa": lambda k, m: [isa_technique(k, m)],
    "rusty_erasure": lambda k, m: [isa_technique(k, m)],
    "jerasure": lambda k, m: ["reed_sol_van", "reed_sol_r6_op"] if m == 2 else ["reed_sol_van"],
    # Up to m=3, reed_sol_van is the fastest.
    "simd": lambda k, m: list(dict.fromkeys([isa_technique(k, m), *(("cauchy", "leopard_gf8") if m > 3 else ())]))}


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
                changed: Json = {axis: value} if axis in OPTIONS else {
                    "profile": tuple(sorted({**dict(point.profile), axis: str(value)}.items()))}
                yield from evaluated(dataclasses.replace(point, **changed))
            return
    yield point


def technique_of(point: Point) -> str:
    """The technique of a point with packets. Throws Refused."""
    technique: str = point.get("technique", "")
    if technique not in PACKET_TECHNIQUES:
        raise Refused(f"packetsize={point.get('packetsize')} is not allowed for {technique or point.plugin}; give numbers, or one "
                      f"of the techniques {', '.join(PACKET_TECHNIQUES)}")
    return technique


def fitting_packetsizes(point: Point) -> list[int]:
    """Empty if the technique does not have this k+m."""
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


FUNCTIONS: dict[tuple[str, str], Callable[[Point], Iterable[int]]] = {
    ("c", "1..m-1"): lambda point: range(1, int(point.get("m") or 0)),
    ("l", "all"): lambda point: [l for n in [int(point.get("k")) + int(point.get("m") or 0)] for l in range(2, n) if n % l == 0],
    ("changed", "1..k"): lambda point: range(1, int(point.get("k")) + 1),
    ("packetsize", "ceph"): lambda point: packetsizes_of(technique_of(point), int(point.get("k")), point.size),
    ("packetsize", "fit"): fitting_packetsizes,
    ("packetsize", "fit-odd"): odd_packetsizes,
}


DEFAULT_PLUGINS = ("isa", "jerasure")  # a plugin without the requested techniques is left out
NOT_OF_PROFILES = {*DEFAULTS, "plugin", "max-padding", LIBRARY}


@dataclasses.dataclass
class Expansion:
    entries: list[Planned] = dataclasses.field(default_factory=list)
    dropped: list[Reason] = dataclasses.field(default_factory=list)
    # Number of combinations that are the same point as another one; a technique without packetsize has one point for all values.
    merged: int = 0


@dataclasses.dataclass(frozen=True)
class Combination:
    point: Point  # its profile has only the parameters of the grid, without the plugin's defaults
    loses_all: bool  # whether erasures=all is given; then there is one point for each number of lost chunks from 1 to m
    most_padding: int | None  # max-padding=, in percent
    library: str
    is_complete: bool = False  # whether its profile has the defaults too


class Dropped(dict[str, Reason]):
    """Counts the reasons why points are dropped. Reasons that differ only in numbers are counted together."""

    def add(self, why: str, point: object) -> None:
        self.setdefault(re.sub(r"\d+(\.\d+)?", "N", why), Reason(why, 0, str(point))).count += 1


def expand(grids: Sequence[Axes], plugins: Plugins, describe: Describe) -> Expansion:
    """Throws Refused if no point remains."""
    dropped = Dropped()
    combined = [one for grid in grids for axes in with_best(grid) for one in combinations(axes, plugins, dropped)]
    return described(combined, describe, dropped)


def repeat(planned: Sequence[Planned], describe: Describe) -> Expansion:
    """The points of another run, with the chunk sizes and the padding of this build. Throws Refused if this refuses all."""
    return described([Combination(one.point, False, None, one.library, is_complete=True) for one in planned], describe, Dropped())


def described(combined: Sequence[Combination], describe: Describe, dropped: Dropped) -> Expansion:
    """Throws Refused if no point remains."""
    wanted = list(dict.fromkeys(combined))
    merged = len(combined) - len(wanted)
    entries: dict[str, Planned] = {}
    while wanted:
        more = []
        for one, answer in zip(wanted, describe([{"words": one.point.words()} for one in wanted]), strict=True):
            if answer.refused:
                dropped.add(answer.refused, one.point)
                continue
            point = one.point if one.is_complete else dataclasses.replace(
                one.point, profile=tuple(sorted(answer.profile.items())), erasures=answer.erasures)
            if one.most_padding is not None and answer.padding_percent > one.most_padding:
                dropped.add(f"the padding is more than max-padding={one.most_padding} percent of the object", point)
                continue
            entry = Planned(point, answer.chunk_size, round(answer.padding_percent, 4), library=one.library)
            merged += entries.setdefault(point.id, entry) is not entry
            if one.loses_all and one.point.erasures == 1:
                more += [dataclasses.replace(one, point=dataclasses.replace(one.point, erasures=lost))
                         for lost in range(2, answer.m + 1)]
        wanted = more
    if not entries:
        reasons = "; ".join(f"{reason.why} (dropped combinations: {reason.count})" for reason in list(dropped.values())[:3])
        raise Refused(f"the set of points is empty: {reasons or 'no plugin has the requested profiles'}")
    return Expansion(list(entries.values()), list(dropped.values()), merged)


def combinations(axes: Axes, plugins: Plugins, dropped: Dropped) -> Iterator[Combination]:
    fixed = {**DEFAULTS, **axes}
    most_padding = axes.get("max-padding", (None,))[0]
    names = [key for key in DEFAULTS if key not in ("size", "workload", "erasures")]
    options = [{name.replace("-", "_"): None if value == "none" else value for name, value in zip(names, values, strict=True)}
               for values in itertools.product(*(fixed[name] for name in names))]
    for plugin, profile in profiles(axes, plugins, dropped):
        for option, size, workload in itertools.product(options, fixed["size"], fixed["workload"]):
            for lost in fixed["erasures"] if workload in WITH_ERASURES else (0,):
                loses_all = lost == "all" and option["erased"] is None
                made = make_point(plugin, dict(profile), workload, size, 1 if lost == "all" else lost, **option)
                for point in evaluated(made):
                    yield Combination(point, loses_all, most_padding, axes.get(LIBRARY, ("",))[0])


def profiles(axes: Axes, plugins: Plugins, dropped: Dropped) -> Iterator[tuple[str, Pairs]]:
    """Pairs of a plugin and its parameters. The parameters are in the order of the axes; those that a technique does not have are
    left out."""
    for plugin in map(str, axes.get("plugin", [name for name in DEFAULT_PLUGINS if name in plugins])):
        techniques = {technique.name: {parameter.name for parameter in technique.parameters}
                      for technique in plugins[plugin].techniques}
        # clay's own technique has no name. Its parameter `technique` is the technique of another code, which clay uses.
        is_parameter = "technique" in techniques.get("", ())
        for name in techniques if is_parameter else axes.get("technique", techniques):
            if name not in techniques:
                if "plugin" in axes:
                    dropped.add(f"{plugin} has no technique {name}", f"{plugin} {name}")
                continue
            values: Axes = {PARAMETERS.get(key, key): axes[key] for key in axes if key not in NOT_OF_PROFILES}
            if name:
                values = ({} if "technique" in axes else {"technique": ()}) | values | {"technique": (name,)}
            known = techniques[name] | {"technique"} if name else techniques[name]
            for combination in itertools.product(*values.values()):
                yield plugin, tuple((key, str(value)) for key, value in zip(values, combination, strict=True) if key in known)


# Entries of an experiment with the axis library: which of them can be measured here. `make contenders` builds plugins for
# libraries in other languages and a second ISA-L; codec-lib=built in a file means this ISA-L, since files name no directories.

NOT_IN_DEFAULT_BUILD = ("klauspost", "rs-erasure", "rs-simd", "rusty_erasure", "ceph")
CODEC_LIB, BUILT, BUILT_IN = "codec-lib", "built", "isal-2.32"  # BUILT_IN: next to the program


def present(entries: Sequence[Axes], plugins: Plugins, program: str, isal_folders: Sequence[str]) -> tuple[list[Axes], str]:
    """The entries that can be measured, one more for each of `isal_folders`. The text names the others and how to build them; "" if
    there are none. Throws Refused."""
    found, left_out = list[Axes](), dict[str, str]()  # name → target of make
    for axes in entries:
        name, plugin, target = str(axes.get(LIBRARY, ("",))[0]), str(axes.get("plugin", ("",))[0]), optional_target(axes)
        folder = pathlib.Path(program).resolve().parent / BUILT_IN
        lacks_libraries = BUILT in axes.get(CODEC_LIB, ()) and not folder.is_dir()
        if CODEC_LIB in axes:
            axes = {**axes, CODEC_LIB: tuple(str(folder) if one == BUILT else one for one in axes[CODEC_LIB]
                                             if one != BUILT or not lacks_libraries)}
        lacks_plugin = name and plugin not in plugins
        if lacks_libraries or lacks_plugin:
            left_out[name or f"{CODEC_LIB}={BUILT}"] = target
        if lacks_plugin or axes.get(CODEC_LIB) == ():
            continue
        found.append(axes)
        if name == plugin == "isa":
            found += [{**axes, LIBRARY: (f"isa in {folder}",), CODEC_LIB: (str(isal_in(folder)),)} for folder in isal_folders]
    targets = set(left_out.values())
    how = "isal" if targets == {"isal"} else "contenders, which needs go, cargo and Ceph's packages"
    text = f"{', '.join(left_out)}; run make {how}" if left_out else ""
    if not found:
        raise Refused(f"nothing is left to measure; not built: {text}")
    return found, text


def optional_target(axes: Axes) -> str:
    """The target of make that builds what the entry needs beyond the product; "" if there is none."""
    if set(axes.get("plugin", ())) & set(NOT_IN_DEFAULT_BUILD):
        return "contenders"
    return "isal" if BUILT in axes.get(CODEC_LIB, ()) else ""


def check_isal(expansion: Expansion, folders: Sequence[str]) -> None:
    """Throws Refused if ISA-L in a directory cannot be used, although the installed one can."""
    names = {entry.library for entry in expansion.entries}
    for folder in folders if "isa" in names else ():
        if f"isa in {folder}" not in names:
            reasons = [reason.why for reason in expansion.dropped if str(isal_in(folder)) in reason.example]
            raise Refused(f"--isal {folder} is not allowed: {next(iter(reasons), 'it has no libisal.so.2')}")


def check_libraries(run: Run, program: Ecbench) -> None:
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

