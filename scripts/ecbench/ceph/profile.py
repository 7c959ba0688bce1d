"""Profiles as Ceph accepts them: limits, defaults, the profile with the same bytes as one of ecbench, and the command that creates
it. Also what follows from a profile: packets, stored bytes, the losses that lrc's decoder recovers."""

import dataclasses
import math
import shlex
from collections.abc import Mapping

from ecbench.ceph.releases import PAGE, PLUGINS, RELEASES
from ecbench.point.point import Point

# Ceph's default profiles for new pools, without k and m. Tentacle (20.2) and later releases use the first profile, and earlier
# releases use the second profile.
DEFAULTS = ({"plugin": "isa", "technique": "reed_sol_van"}, {"plugin": "jerasure", "technique": "reed_sol_van", "w": "8"})
DEFAULT_STRIPE_UNIT = 4096
UNDER_CLAY = ("jerasure", "isa", "shec")
FIRST = ("k", "m", "technique")
NOT_CEPHS = ("backend", "matrix", "store")  # parameters that only ecbench has
ISAS_MOST_DATA, ISAS_MOST_CODING = 32, {"reed_sol_van": 4, "cauchy": 32}
ISAS_MOST_DATA_FOR_FOUR = 21  # with k=22 m=4, reed_sol_van cannot recover every loss of 4 chunks


def isa_allows(technique: str, k: int, m: int) -> bool:
    if m > ISAS_MOST_CODING[technique]:
        return False
    return technique == "cauchy" or k <= (ISAS_MOST_DATA_FOR_FOUR if m == 4 else ISAS_MOST_DATA)


def isa_technique(k: int, m: int) -> str:
    """reed_sol_van, or cauchy if Ceph does not allow reed_sol_van for this k and m (docs/codes.md)."""
    return "reed_sol_van" if isa_allows("reed_sol_van", k, m) else "cauchy"


def default_rank(point: Point) -> int:
    """The index of its profile in DEFAULTS; len(DEFAULTS) if it is not a default profile."""
    given = {key: value for key, value in point.profile if value not in ("", "false") and key not in ("k", "m")}
    given["plugin"] = point.plugin
    return DEFAULTS.index(given) if given in DEFAULTS else len(DEFAULTS)


def in_ceph(point: Point) -> tuple[str, dict[str, str]] | None:
    """The plugin and the profile with which Ceph computes the same bytes; None if Ceph does not have the code. Ceph does not have
    the plugin simd. simd computes the same bytes as isa or as jerasure. Its parameter `matrix` selects one."""
    profile = {key: value for key, value in point.profile if key not in NOT_CEPHS}
    if profile.get("scalar_mds", UNDER_CLAY[0]) not in UNDER_CLAY:
        return None
    if point.plugin in PLUGINS:
        return point.plugin, profile
    if point.plugin != "simd":
        return None
    plugin = point.get("matrix")
    if plugin == "isa":
        profile = {key: value for key, value in profile.items() if key in (*FIRST, "mapping")}
        if not isa_allows(profile["technique"], int(profile["k"]), int(profile["m"])):
            return None
    return plugin, profile


def set_command(name: str, plugin: str, parameters: Mapping[str, str], stripe_unit: int | None,
                failure_domain: str = "host", device_class: str = "") -> str:
    """The command that creates the profile. The values "" and "false" are Ceph's defaults. Ceph refuses a stripe unit that is not a
    multiple of 4 KiB, unless --force is given."""
    values = [f"{key}={value}" for key, value in parameters.items() if value not in ("", "false") and key not in NOT_CEPHS]
    striped = [f"stripe_unit={stripe_unit}"] if stripe_unit else []
    force = ["--force"] if stripe_unit and stripe_unit % PAGE else []
    return shlex.join(["ceph", "osd", "erasure-code-profile", "set", name, f"plugin={plugin}", *values, *striped,
                       f"crush-failure-domain={failure_domain}",
                       *([f"crush-device-class={device_class}"] if device_class else []), *force])


def command_of(point: Point) -> str | None:
    """The command that creates a profile with the same bytes in Ceph; None if Ceph does not have the code."""
    if not (found := in_ceph(point)):
        return None
    plugin, profile = found
    first = "fastest" if plugin == point.plugin else f"like-{point.plugin}"
    words = (first, plugin, profile.get("technique"), profile["k"], profile["m"], point.stripe_unit)
    ordered = {key: profile[key] for key in (*FIRST, *profile) if key in profile}
    return set_command("-".join(str(word) for word in words if word), plugin, ordered, point.stripe_unit)


def notes_of(point: Point) -> list[str]:
    """Facts that an engineer should know before using the profile."""
    if not (found := in_ceph(point)):
        return []
    plugin, profile = found
    notes = []
    if plugin != point.plugin:
        notes.append(f"Ceph has no plugin {point.plugin}. With this profile, Ceph's plugin {plugin} computes the same "
                     "bytes, but the speed differs. for=ceph compares only plugins that Ceph can load")
    if backend := point.get("backend", ""):
        notes.append(f"Ceph's plugin {plugin} has no backend={backend}. Ceph computes the same bytes, but the speed differs")
    technique = profile.get("technique", "")
    if RELEASES["umbrella"].status_of(plugin, technique):
        what = plugin if plugin in ("shec", "clay") else f"{plugin}'s {technique}"
        notes.append(f"Ceph deprecates {what} in its Umbrella release and removes it in the next (ceph.io, 2025-12-16, "
                     "\"Ending Support for some Erasure Code Plugins\")")
    return notes


# Packets: bit-matrix techniques of jerasure divide a chunk into packets, and pad it to whole groups of packets.

@dataclasses.dataclass(frozen=True)
class PacketTechnique:
    w: int = 8  # the w that is measured; for blaum_roth not the plugin's default, 7, which is not MDS
    # Without jerasure-per-chunk-alignment, which only the Cauchy techniques have, a group has four times as many packets.
    aligns_per_chunk: bool = False
    is_raid6: bool = True  # only for m=2 and k <= w

    @property
    def packets(self) -> int:
        """The number of packets of a chunk is a multiple of this."""
        return self.w * (1 if self.aligns_per_chunk else 4)

    def has(self, k: int, m: int) -> bool:
        return not self.is_raid6 or (m == 2 and k <= self.w)


TECHNIQUES = {
    "cauchy_orig": PacketTechnique(aligns_per_chunk=True, is_raid6=False),
    "cauchy_good": PacketTechnique(aligns_per_chunk=True, is_raid6=False),
    "liberation": PacketTechnique(7),
    "blaum_roth": PacketTechnique(6),
    "liber8tion": PacketTechnique(),
}
STEP = 16  # bytes that jerasure XORs in one step
PER_CHUNK_ALIGNMENT = "jerasure-per-chunk-alignment"  # less padding, the same code


def packetsize_by_formula(size: int, k: int) -> int:
    """Ceph's packetsize: the largest multiple of 16 for which 8 packets fit in a chunk, at most 3100. For a chunk of less than 128
    bytes, Ceph's formula gives 0, and its script fails; this function returns 16."""
    return min(size // k // 8 // 16 * 16, 3100) or 16


def filling_packetsize(chunk: int, packets: int, groups: int, step: int = STEP) -> int:
    """The smallest multiple of `step` for which `groups` groups of `packets` packets hold a chunk."""
    return -(-chunk // (packets * groups * step)) * step


def chunk_size(technique: str, k: int, size: int, packetsize: int) -> int:
    """The size of a chunk with its padding, as in Ceph."""
    unit = TECHNIQUES[technique].packets * packetsize
    return -(-size // (k * unit)) * unit


def packetsizes_of(technique: str, k: int, size: int) -> list[int]:
    """The packetsizes to measure: Ceph's packetsize, the largest power of two that fits, and 3072 if it fits. A packetsize
    fits if its chunk_size() is at most a third larger than the smallest chunk_size() of 3072 and the powers of two from 32 to 8192.
    3072 was the fastest packetsize in 2013. Today, the largest power of two that fits is the fastest of the three for 1 MiB
    objects. For 4 KiB objects, this power of two is 32 to 256, and is up to twice as fast as Ceph's packetsize (cauchy_good 6+3 and
    10+3)."""
    powers = [2**exponent for exponent in range(5, 14)]
    chunks = {value: chunk_size(technique, k, size, value) for value in (3072, *powers)}
    fitting = [value for value in chunks if 3 * chunks[value] <= 4 * min(chunks.values())]
    known = [value for value in (3072, max(fitting, key=lambda value: (value in powers, value))) if value in fitting]
    return list(dict.fromkeys([packetsize_by_formula(size, k), *known]))


def rounded_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def stored_bytes(size: int, k: int, n: int, chunk: int, *, fast_ec: bool, min_alloc: int = 1) -> int:
    """The bytes that Ceph stores for an object of `size` bytes in an erasure-coded pool. `chunk`: bytes of one chunk in one stripe;
    `min_alloc`: BlueStore's unit of allocation. Without Fast EC (allow_ec_optimizations, from Tentacle on), Ceph pads the object to
    whole stripes. With it, a data chunk of the last stripe has only the pages that contain bytes of the object, and coding chunks
    are as long as the longest data chunk: of 4 KiB with k=4, m=2 and chunks of 16 KiB, 12 KiB instead of 96."""
    if not fast_ec:
        return n * rounded_up(-(-size // (k * chunk)) * chunk, min_alloc)
    stripes, rest = divmod(size, k * chunk)
    lasts = [min(chunk, max(0, rest - number * chunk)) for number in range(k)] + [min(chunk, rest)] * (n - k)
    return sum(rounded_up(stripes * chunk + last, max(min_alloc, PAGE)) for last in lasts)


# Which losses Ceph's decoder of lrc k/m/l recovers. It makes one pass: first every local layer, then the global layer.

def recoverable(k: int, m: int, l: int, lost: int) -> int:
    """The number of patterns of `lost` lost chunks that Ceph rebuilds completely.

    There are (k+m)/l groups of l chunks and one local coding chunk. A group rebuilds the loss of one of its chunks. The global
    layer rebuilds the chunks of all other groups if these have lost at most m chunks together, but no local coding chunk: after
    the global layer, no local layer is used again."""
    ways = {(0, 0): 1}  # (lost chunks, those that the global layer must rebuild) → number of patterns
    for _ in range((k + m) // l):
        grown: dict[tuple[int, int], int] = {}
        for (all_lost, for_global), count in ways.items():
            for own in range(l + 1):
                left = own if own > 1 else 0
                if for_global + left <= m:
                    key = all_lost + own, for_global + left
                    grown[key] = grown.get(key, 0) + count * (math.comb(l, own) if own != 1 else l + 1)
        ways = grown
    return sum(count for (all_lost, _), count in ways.items() if all_lost == lost)
