"""Who competes: each contestant is a column of the tables, a plugin with the profiles that it may run. Where there are several, as
with the bit matrix codes of jerasure, whose best depends on the case, the fastest of them stands for it (qualifying.py)."""

import dataclasses
import pathlib

from ecbench.point.axes import Axes, Axis
from ecbench.terminal.console import Refused

LIMIT = "limit"
ISA = "isa"
MOST_PACKETSIZE, PACKETSIZE_IN_L1 = 8192, 1024
PACKET_STEP = 16  # bytes; what jerasure's XOR takes at a time


@dataclasses.dataclass(frozen=True)
class XorCode:
    """A technique of jerasure's bit matrix codes."""
    w: int
    short: str  # its name in the tables
    packets: int  # that chunks are whole multiples of: w, or 4 w where Ceph's own alignment cannot be had otherwise
    for_two: bool = True  # whether it has two coding chunks alone
    also: dict = dataclasses.field(default_factory=dict)  # of the profile


XOR_TECHNIQUES = {
    "cauchy_good": XorCode(8, "cg8", 8, False, {"jerasure-per-chunk-alignment": "true"}),
    "liber8tion": XorCode(8, "l8t", 32), "blaum_roth": XorCode(6, "br6", 24), "liberation": XorCode(7, "lib7", 28)}


@dataclasses.dataclass(frozen=True)
class Contestant:
    name: str  # of the column
    plugin: str
    profiles: object = None  # of (case, techniques of the plugin): dicts of what the profile has beside k and m
    codec_lib: str | None = None

    @property
    def word(self):
        """As library= takes it."""
        return self.name.lower().replace(" ", "-")

    def candidates(self, case, techniques):
        return self.profiles(case, techniques) if self.profiles else [{}]


def one_technique(name):
    return lambda case, techniques: [{"technique": name}]


def jerasure_rs(case, _techniques):
    names = ("reed_sol_van", "reed_sol_r6_op") if case.m == 2 else ("reed_sol_van",)
    return [{"technique": name, "w": 8} for name in names]


def jerasure_xor(case, _techniques):
    found = []
    for technique, code in XOR_TECHNIQUES.items():
        if not code.for_two or (case.m == 2 and case.k <= code.w):
            found += [{"technique": technique, "w": code.w, "packetsize": size, **code.also} for size in packetsizes(case, code)]
    return found


def packetsizes(case, code):
    """The largest that fills a chunk with as little padding as it can, and one whose packets of all chunks stay in the L1 cache,
    which is the better one where chunks come from memory; in small chunks half of the first."""
    chunk = -(-case.size // case.k)
    large, small = (fitting_packetsize(chunk, code.packets, most) for most in (MOST_PACKETSIZE, PACKETSIZE_IN_L1))
    return list(dict.fromkeys((large, small if small < large else fitting_packetsize(chunk, code.packets, large // 2))))


def fitting_packetsize(chunk, packets, most):
    """Up to `most`, such that whole rounds of so many packets fill the chunk with the least beyond it."""
    rounds = -(-chunk // (packets * most))
    return -(-chunk // (packets * rounds * PACKET_STEP)) * PACKET_STEP


def klauspost(_case, techniques):
    return [{"technique": name} for name in ("vandermonde", "cauchy") if name in techniques] or [{}]


def klauspost_leopard(_case, techniques):
    return [{"technique": name} for name in techniques if name.startswith("leopard")]


CONTESTANTS = (
    Contestant(ISA, "isa", one_technique("reed_sol_van")),
    Contestant("jerasure RS", "jerasure", jerasure_rs),
    Contestant("jerasure XOR", "jerasure", jerasure_xor),
    Contestant("klauspost", "klauspost", klauspost),
    Contestant("klauspost leopard", "klauspost", klauspost_leopard),
    Contestant("rs-erasure", "rs-erasure"),
    Contestant("rs-simd", "rs-simd"),
    Contestant("simd", "simd", one_technique("reed_sol_van")),
)
BUILT_APART = ("klauspost", "rs-erasure", "rs-simd")  # plugins that make contenders builds


AXES = {"library": Axis(tuple(contestant.word for contestant in CONTESTANTS)),
        "plugin": Axis(tuple(dict.fromkeys(contestant.plugin for contestant in CONTESTANTS)))}


def chosen(axes: Axes, isal_folders: list[str]) -> list[Contestant]:
    """Those that library= and plugin= name, by default all, and those in the folders."""
    wanted = [contestant for contestant in CONTESTANTS
              if contestant.word in axes.get("library", (contestant.word,))
              and contestant.plugin in axes.get("plugin", (contestant.plugin,))]
    if not wanted:
        raise Refused(f"library={','.join(axes['library'])} is not allowed with plugin={','.join(axes['plugin'])}: these libraries "
                      "have other plugins")
    return wanted + [isal_in(folder) for folder in isal_folders]


def isal_in(folder):
    """Plugin isa with the libisal in a folder. Throws Refused."""
    path = pathlib.Path(folder)
    if not folder or not path.is_dir():
        raise Refused(f"--isal {folder or repr('')} is not allowed: give a folder with a libisal.so.2")
    return Contestant(f"isa in {folder}", "isa", one_technique("reed_sol_van"), str(path.resolve()))


def short_code(point):
    """Such as l8t:1376, cg8:1024; what the choice of a contestant with several candidates fell on."""
    profile = dict(point.profile)
    technique = profile.get("technique", "")
    if technique in XOR_TECHNIQUES and "packetsize" in profile:
        return f"{XOR_TECHNIQUES[technique].short}:{profile['packetsize']}"
    return technique
