"""The libraries that bench.sh contenders compares. Each library has a column in the tables. A Library object contains the name of
a plugin, and a function that lists the profiles to measure. Some libraries have several profiles: for example, "jerasure XOR" has
several techniques and packetsizes. For such a library, qualifying rounds pick one profile for each case (qualification.py)."""

import dataclasses
import pathlib
from collections.abc import Callable, Sequence

from ecbench.contenders.cases import Case
from ecbench.point.axes import Axes, Axis
from ecbench.point.point import Point
from ecbench.terminal.console import Refused

LIMIT = "limit"  # library name in the run file for points that measure the memory limit
ISA = "isa"
LARGEST_PACKETSIZE, PACKETSIZE_IN_L1 = 8192, 1024
PACKET_STEP = 16  # bytes that jerasure XORs in one step
LINE = 64  # bytes of a cache line; plugin simd is faster if a packet consists of an odd number of cache lines

Profile = dict[str, str | int]  # the parameters of a profile, except k and m
Profiles = Callable[[Case, Sequence[str]], list[Profile]]  # (case, techniques of the plugin) → profiles


@dataclasses.dataclass(frozen=True)
class XorTechnique:
    """A bit-matrix technique of the plugins jerasure and simd."""
    w: int
    short: str  # name of the technique in the tables
    packets: int  # the number of packets of a chunk is a multiple of this: w with per-chunk alignment, 4 * w without it
    only_two: bool = True  # whether the technique requires m=2
    more: Profile = dataclasses.field(default_factory=dict)


XOR_TECHNIQUES = {
    "cauchy_good": XorTechnique(8, "cg8", 8, False, {"jerasure-per-chunk-alignment": "true"}),
    "liber8tion": XorTechnique(8, "l8t", 32), "blaum_roth": XorTechnique(6, "br6", 24), "liberation": XorTechnique(7, "lib7", 28)}


@dataclasses.dataclass(frozen=True)
class Library:
    name: str  # also the title of the column; columns for a libisal from a directory have another title (versions.py)
    plugin: str
    profiles: Profiles = lambda _case, _techniques: [{}]
    codec_lib: str | None = None  # the directory of the libisal to load; None: the plugin loads its default libraries
    built_in: str | None = None  # directory of a libisal that `make contenders` builds; relative to the directory of ecbench

    @property
    def word(self) -> str:
        """The value of library= that selects this library."""
        return self.name.lower().replace(" ", "-")


def reed_sol_van(_case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return [{"technique": "reed_sol_van"}]


def jerasure_rs(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    names = ("reed_sol_van", "reed_sol_r6_op") if case.m == 2 else ("reed_sol_van",)
    return [{"technique": name, "w": 8} for name in names]


def jerasure_xor(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return xor_profiles(case, packetsizes)


def simd_xor(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return xor_profiles(case, odd_packetsizes)


def xor_profiles(case: Case, sizes: Callable[[Case, XorTechnique], list[int]]) -> list[Profile]:
    return [{"technique": name, "w": technique.w, "packetsize": size, **technique.more}
            for name, technique in XOR_TECHNIQUES.items() if not technique.only_two or (case.m == 2 and case.k <= technique.w)
            for size in sizes(case, technique)]


def odd_packetsizes(case: Case, technique: XorTechnique) -> list[int]:
    """Returns the values of packetsizes(). If chunks are large, each value is rounded up to an odd number of cache lines. Plugin
    simd is faster with such packets (see LINE). The rounding adds little padding to large chunks."""
    sizes = packetsizes(case, technique)
    if -(-case.size // case.k) < 16 * LINE * technique.packets:
        return sizes
    return list(dict.fromkeys((-(-size // LINE) | 1) * LINE for size in sizes))


def packetsizes(case: Case, technique: XorTechnique) -> list[int]:
    """Returns two packetsizes. The first is the largest packetsize that adds little padding to a chunk, and is at most
    LARGEST_PACKETSIZE. The second is at most PACKETSIZE_IN_L1, so that one packet of each chunk fits into the L1 cache. The second
    packetsize is faster if the chunks are read from memory. If both packetsizes would be equal because the chunks are small, the
    second is about half of the first. If they are still equal, only one packetsize is returned."""
    chunk = -(-case.size // case.k)
    large, small = (fitting_packetsize(chunk, technique.packets, most) for most in (LARGEST_PACKETSIZE, PACKETSIZE_IN_L1))
    return list(dict.fromkeys((large, small if small < large else fitting_packetsize(chunk, technique.packets, large // 2))))


def fitting_packetsize(chunk: int, packets: int, most: int) -> int:
    """A chunk consists of groups of `packets` packets. This function chooses the smallest number of groups for which a packet has
    at most `most` bytes. It returns the packetsize with which these groups fill the chunk. The packetsize is rounded up to a
    multiple of PACKET_STEP."""
    rounds = -(-chunk // (packets * most))
    return -(-chunk // (packets * rounds * PACKET_STEP)) * PACKET_STEP


def klauspost(_case: Case, techniques: Sequence[str]) -> list[Profile]:
    return [{"technique": name} for name in ("vandermonde", "cauchy") if name in techniques] or [{}]


def klauspost_leopard(_case: Case, techniques: Sequence[str]) -> list[Profile]:
    return [{"technique": name} for name in techniques if name.startswith("leopard")]


def ceph_isa(_case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return [{"plugin": "isa", "technique": "reed_sol_van"}]


def ceph_jerasure(case: Case, techniques: Sequence[str]) -> list[Profile]:
    return [{"plugin": "jerasure", **profile} for profile in jerasure_rs(case, techniques)]


LIBRARIES = (
    Library(ISA, "isa", reed_sol_van),
    Library("isa 2.32", "isa", reed_sol_van, built_in="isal-2.32"),
    Library("jerasure RS", "jerasure", jerasure_rs),
    Library("jerasure XOR", "jerasure", jerasure_xor),
    Library("klauspost", "klauspost", klauspost),
    Library("klauspost leopard", "klauspost", klauspost_leopard),
    Library("rs-erasure", "rs-erasure"),
    Library("rs-simd", "rs-simd"),
    Library("rusty_erasure", "rusty_erasure", reed_sol_van),
    Library("simd", "simd", reed_sol_van),
    Library("simd XOR", "simd", simd_xor),
    Library("ceph isa", "ceph", ceph_isa),
    Library("ceph jerasure", "ceph", ceph_jerasure),
)
NOT_IN_DEFAULT_BUILD = ("klauspost", "rs-erasure", "rs-simd", "rusty_erasure", "ceph")  # plugins that only `make contenders` builds

AXES = {"library": Axis(tuple(library.word for library in LIBRARIES)),
        "plugin": Axis(tuple(dict.fromkeys(library.plugin for library in LIBRARIES)))}


def chosen(axes: Axes, isal_folders: list[str]) -> list[Library]:
    """The libraries that library= and plugin= select (default: all), and one more library for each --isal. Throws Refused."""
    found = [library for library in LIBRARIES
             if library.word in axes.get("library", (library.word,)) and library.plugin in axes.get("plugin", (library.plugin,))]
    if not found:
        raise Refused(f"library={','.join(map(str, axes['library']))} is not allowed with plugin="
                      f"{','.join(map(str, axes['plugin']))}: these libraries use other plugins; leave library= or plugin= out")
    return found + [isal_in(folder) for folder in isal_folders]


def located(libraries: list[Library], folder: pathlib.Path) -> tuple[list[Library], list[str]]:
    """Returns the libraries that can be used, and the names of libraries that were not built. `make contenders` puts ISA-L 2.32
    into a directory in `folder`. If this directory exists, it becomes the codec_lib of the library."""
    found, not_built = [], []
    for library in libraries:
        if library.built_in is None:
            found.append(library)
        elif (path := folder / library.built_in).is_dir():
            found.append(dataclasses.replace(library, codec_lib=str(path.resolve())))
        else:
            not_built.append(library.name)
    return found, not_built


def isal_in(folder: str) -> Library:
    """Returns a library that uses plugin isa and loads the libisal in `folder`. Throws Refused if `folder` is not a directory."""
    path = pathlib.Path(folder)
    if not folder or not path.is_dir():
        raise Refused(f"--isal {folder or repr('')} is not allowed: give a directory with a libisal.so.2")
    return Library(f"isa in {folder}", "isa", reed_sol_van, str(path.resolve()))


def short_code(point: Point) -> str:
    """Returns the technique. For a bit-matrix technique, returns its short name and the packetsize, such as cg8:1024."""
    technique, packetsize = point.get("technique", ""), point.get("packetsize")
    return f"{XOR_TECHNIQUES[technique].short}:{packetsize}" if packetsize and technique in XOR_TECHNIQUES else technique
