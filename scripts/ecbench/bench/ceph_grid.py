"""The points that Ceph's bench.sh measures, in the order in which it measures them. For bit-matrix techniques, the mode bench adds
points with other packetsizes."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterable, Sequence

from ecbench.ceph.packets import TECHNIQUES as PACKET
from ecbench.ceph.packets import PacketTechnique, packetsizes_of
from ecbench.documents.document import Json
from ecbench.documents.shape import flag, or_null, required, text, whole
from ecbench.point.point import bytes_text

SHAPES = ((2, 1), (3, 2), (4, 2), (4, 3), (6, 2), (6, 3), (6, 4), (10, 3), (10, 4))

RAID6 = ("liberation", "reed_sol_r6_op", "blaum_roth", "liber8tion")
ALIGNS_PER_CHUNK = ("reed_sol_van", *(name for name, technique in PACKET.items() if technique.aligns_per_chunk))
W_TO_ASK = {"blaum_roth": PACKET["blaum_roth"].w}  # all others have this w by default

TECHNIQUES_OF_PLUGIN: dict[str, tuple[str, ...]] = {
    "example": ("",),
    "isa": ("reed_sol_van", "cauchy"),
    "jerasure": ("reed_sol_van", "cauchy_orig", "cauchy_good", *RAID6),
}
# Also the plugin's variants for instruction sets, in old versions of Ceph.
JERASURE = ("jerasure", "jerasure_generic", "jerasure_sse3", "jerasure_sse4")
TECHNIQUES_OF_PLUGIN |= dict.fromkeys(JERASURE, TECHNIQUES_OF_PLUGIN["jerasure"])

# Plugin → name of a technique in Ceph's bench.sh and on Ceph's page → its name in the plugin, if that is another.
CEPH_NAMES: dict[str, dict[str, str]] = {
    "isa": {"vandermonde": "reed_sol_van"},
    **dict.fromkeys(JERASURE, {"vandermonde": "reed_sol_van", "cauchy": "cauchy_good"}),
}

CEPH_TECHNIQUES = ("vandermonde", "cauchy", "liberation", "reed_sol_r6_op", "blaum_roth", "liber8tion")


@dataclasses.dataclass(frozen=True)
class Point:
    """The point that is measured for a row of the table."""

    plugin: str = required(text)
    technique: str = required(text)  # "" if the plugin has a single technique without a name
    k: int = required(whole(1))
    m: int = required(whole())
    workload: str = required(text)
    erasures: int = required(whole())  # 0 for encode
    size: int = required(whole(1))
    packetsize: int | None = required(or_null(whole(1)))  # None: the technique has none, or the user's parameters set it
    by_formula: bool = required(flag)  # False: the point has an additional packetsize, which only the mode bench measures

    @functools.cached_property
    def id(self) -> str:
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()[:12]

    def to_json(self) -> Json:
        return dataclasses.asdict(self)

    @property
    def w(self) -> int | None:
        return PACKET.get(self.technique, PacketTechnique()).w if self.plugin in JERASURE else None

    @property
    def series(self) -> str:
        """The name of the line in a chart of Ceph's page that contains this point, such as encode_vandermonde_isa."""
        names = {technique: name for name, technique in CEPH_NAMES.get(self.plugin, {}).items()}
        return f"{self.workload}_{names.get(self.technique, self.technique or 'xor')}_{self.plugin}"

    def __str__(self) -> str:
        words = [self.plugin, self.technique, f"{self.k}+{self.m}", f"packetsize={self.packetsize}" if self.packetsize else "",
                 self.workload, str(self.erasures) if self.erasures else "", f"of {bytes_text(self.size)}"]
        return " ".join(word for word in words if word)


def technique_of(plugin: str, name: str) -> str | None:
    """The technique's name in the plugin; None if the plugin has no such technique. `name`: that, or Ceph's name."""
    technique = CEPH_NAMES.get(plugin, {}).get(name, name)
    return technique if technique in TECHNIQUES_OF_PLUGIN[plugin] else None


def profiles(plugins: Sequence[str], techniques: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of plugin and technique in Ceph's order, without duplicates."""
    chosen = [(plugin, technique_of(plugin, name)) for name in techniques for plugin in plugins if plugin != "example"]
    without_name = [("example", "")] if "example" in plugins else []
    return list(dict.fromkeys([*without_name, *((plugin, technique) for plugin, technique in chosen if technique is not None)]))


def points(plugins: Sequence[str], techniques: Sequence[str], sizes: Sequence[int], choose_packetsize: bool = True,
           shapes: Sequence[tuple[int, int]] = SHAPES) -> list[Point]:
    """In the order of measurement. `choose_packetsize`: False if the user's parameters set it."""
    return [
        Point(plugin, technique, k, m, workload, erasures, size, packetsize, index == 0)
        for size in sizes
        for plugin, technique in profiles(plugins, techniques)
        for k, m in shapes
        if (m == 2 or technique not in RAID6) and (plugin != "example" or (k, m) == (2, 1))
        for index, packetsize in enumerate(packetsizes_of(technique, k, size) if choose_packetsize and technique in PACKET
                                           else [None])
        for workload, erasures in [("encode", 0)] + [("decode", lost) for lost in range(1, m + 1)]
    ]
