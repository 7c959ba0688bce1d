"""The libraries that bench.sh contenders compares. Each has a column in the tables, a plugin, and a function that lists its
profiles; of several, qualification.py picks one for each case."""

import dataclasses
import pathlib
from collections.abc import Callable, Sequence

from ecbench.ceph.packets import PER_CHUNK_ALIGNMENT, TECHNIQUES, PacketTechnique, filling_packetsize
from ecbench.ceph.profile import isa_technique
from ecbench.comparison.case import Case
from ecbench.point.axes import Axes, Axis
from ecbench.point.point import Point
from ecbench.runfile.libraries import DIRECT, FFT, LEOPARD
from ecbench.terminal.console import Refused

LIMIT = "limit"  # library name in the run file for points that measure the roofline
ISA = "isa"
LARGEST_PACKETSIZE, PACKETSIZE_IN_L1 = 8192, 1024
LINE = 64  # bytes of a cache line; plugin simd is faster if a packet consists of an odd number of cache lines

SIMD = "simd"

Profile = dict[str, str | int]  # the parameters of a profile, except k and m
Profiles = Callable[[Case, Sequence[str]], list[Profile]]  # (case, techniques of the plugin) → profiles


# The bit-matrix techniques that are compared, with their names in the tables.
XOR_TECHNIQUES = {"cauchy_good": "cg8", "liber8tion": "l8t", "blaum_roth": "br6", "liberation": "lib7"}


# The ways in which plugin simd can encode (ways.py). Names in the run file and titles of columns.
WAYS: dict[str, Profile] = {DIRECT: {"technique": "cauchy", "transform": "direct"},
                            FFT: {"technique": "cauchy", "transform": "fft"},
                            LEOPARD: {"technique": "leopard_gf8", "transform": "fft"}}


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


def isa_codes(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return [{"technique": isa_technique(case.k, case.m)}]


def simd_codes(case: Case, techniques: Sequence[str]) -> list[Profile]:
    """Up to m=3, reed_sol_van is the fastest."""
    names = dict.fromkeys([isa_technique(case.k, case.m), *(("cauchy", "leopard_gf8") if case.m > 3 else ())])
    return [{"technique": name} for name in names if name in techniques]


def jerasure_rs(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    names = ("reed_sol_van", "reed_sol_r6_op") if case.m == 2 else ("reed_sol_van",)
    return [{"technique": name, "w": 8} for name in names]


def jerasure_xor(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return xor_profiles(case, packetsizes)


def simd_xor(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return xor_profiles(case, odd_packetsizes)


def xor_profiles(case: Case, sizes: Callable[[Case, PacketTechnique], list[int]]) -> list[Profile]:
    return [{"technique": name, "w": technique.w, "packetsize": size,
             **({PER_CHUNK_ALIGNMENT: "true"} if technique.aligns_per_chunk else {})}
            for name, technique in ((name, TECHNIQUES[name]) for name in XOR_TECHNIQUES) if technique.has(case.k, case.m)
            for size in sizes(case, technique)]


def odd_packetsizes(case: Case, technique: PacketTechnique) -> list[int]:
    """For large chunks, the values are rounded up to an odd number of cache lines (see LINE); that adds little padding."""
    sizes = packetsizes(case, technique)
    if -(-case.size // case.k) < 16 * LINE * technique.packets:
        return sizes
    return list(dict.fromkeys((-(-size // LINE) | 1) * LINE for size in sizes))


def packetsizes(case: Case, technique: PacketTechnique) -> list[int]:
    """The largest packetsize that adds little padding to a chunk, and a smaller one: a packet of each chunk fits into the L1 cache,
    which is faster if chunks are read from memory."""
    chunk = -(-case.size // case.k)
    large, small = (fitting_packetsize(chunk, technique.packets, most) for most in (LARGEST_PACKETSIZE, PACKETSIZE_IN_L1))
    return list(dict.fromkeys((large, small if small < large else fitting_packetsize(chunk, technique.packets, large // 2))))


def fitting_packetsize(chunk: int, packets: int, most: int) -> int:
    """The packetsize for the smallest number of groups of packets for which a packet has at most `most` bytes."""
    return filling_packetsize(chunk, packets, -(-chunk // (packets * most)))


def klauspost(_case: Case, techniques: Sequence[str]) -> list[Profile]:
    return [{"technique": name} for name in ("vandermonde", "cauchy") if name in techniques] or [{}]


def klauspost_leopard(_case: Case, techniques: Sequence[str]) -> list[Profile]:
    return [{"technique": name} for name in techniques if name.startswith("leopard")]


def ceph_isa(case: Case, _techniques: Sequence[str]) -> list[Profile]:
    return [{"plugin": "isa", "technique": isa_technique(case.k, case.m)}]


def ceph_jerasure(case: Case, techniques: Sequence[str]) -> list[Profile]:
    return [{"plugin": "jerasure", **profile} for profile in jerasure_rs(case, techniques)]


LIBRARIES = (
    Library(ISA, "isa", isa_codes),
    Library("isa 2.32", "isa", isa_codes, built_in="isal-2.32"),
    Library("jerasure RS", "jerasure", jerasure_rs),
    Library("jerasure XOR", "jerasure", jerasure_xor),
    Library("klauspost", "klauspost", klauspost),
    Library("klauspost leopard", "klauspost", klauspost_leopard),
    Library("rs-erasure", "rs-erasure"),
    Library("rs-simd", "rs-simd"),
    Library("rusty_erasure", "rusty_erasure", isa_codes),
    Library(SIMD, "simd", simd_codes),
    Library("simd XOR", "simd", simd_xor),
    Library("ceph isa", "ceph", ceph_isa),
    Library("ceph jerasure", "ceph", ceph_jerasure),
)
NOT_IN_DEFAULT_BUILD = ("klauspost", "rs-erasure", "rs-simd", "rusty_erasure", "ceph")  # plugins that only `make contenders` builds

AXES = {"library": Axis(tuple(library.word for library in LIBRARIES)),
        "plugin": Axis(tuple(dict.fromkeys(library.plugin for library in LIBRARIES)))}


def chosen(axes: Axes, isal_folders: list[str]) -> list[Library]:
    """The libraries that library= and plugin= select, and one for each --isal. Throws Refused."""
    found = [library for library in LIBRARIES
             if library.word in axes.get("library", (library.word,)) and library.plugin in axes.get("plugin", (library.plugin,))]
    if not found:
        raise Refused(f"library={','.join(map(str, axes['library']))} is not allowed with plugin="
                      f"{','.join(map(str, axes['plugin']))}: these libraries use other plugins; leave library= or plugin= out")
    return found + [isal_in(folder) for folder in isal_folders]


def located(libraries: list[Library], folder: pathlib.Path) -> tuple[list[Library], list[str]]:
    """The libraries that can be used, with the directory of ISA-L 2.32 that `make contenders` puts into `folder`, and the names of
    those that were not built."""
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
    """Throws Refused if `folder` is not a directory."""
    path = pathlib.Path(folder)
    if not folder or not path.is_dir():
        raise Refused(f"--isal {folder or repr('')} is not allowed: give a directory with a libisal.so.2")
    return Library(f"isa in {folder}", "isa", isa_codes, str(path.resolve()))


def short_code(point: Point) -> str:
    """The technique, or for a bit-matrix technique its short name and the packetsize, such as cg8:1024."""
    technique, packetsize = point.get("technique", ""), point.get("packetsize")
    return f"{XOR_TECHNIQUES[technique]}:{packetsize}" if packetsize and technique in XOR_TECHNIQUES else technique
