"""Packets: bit-matrix techniques of jerasure divide a chunk into packets, and pad it to whole groups of packets."""

import dataclasses


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
    """Ceph's packetsize: the largest multiple of 16 for which 8 packets fit in a chunk, but at most 3100. If a chunk has less than
    128 bytes, Ceph's formula gives 0, and Ceph's script fails. This function then returns 16."""
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
