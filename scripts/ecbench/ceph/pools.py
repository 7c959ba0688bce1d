"""Ceph's defaults for pools and OSDs, by the names of their options, and what follows from them for an erasure-coded pool."""

import dataclasses
import math

GROUPS_PER_DRIVE = 100  # mon_target_pg_per_osd: number of placement groups that have a chunk on one drive
MOST_GROUPS = 65536  # mon_max_pool_pg_num: Ceph refuses a pool with more placement groups
NEARFULL = 0.85  # mon_osd_nearfull_ratio: Ceph warns
BACKFILLFULL = 0.90  # mon_osd_backfillfull_ratio: Ceph moves no chunks to a drive that is fuller
UNEVEN = 1.06  # the fullest drive / the mean: the balancer leaves 5 of 70 to 100 chunks (upmap_max_deviation)
SECONDS_UNTIL_OUT = 600  # mon_osd_down_out_interval: after this time, Ceph begins to rebuild the chunks of a failed drive
DEEP_SCRUB = 7  # days: osd_deep_scrub_interval
MOST_OBJECT = 128 << 20  # bytes: osd_max_object_size
OBJECT = 4 << 20  # bytes: the size of the objects of RBD, CephFS and RGW
BLOCK_SIZES = (4096, 8192, 16384, 32768, 65536)  # of BlueStore
MOST_BACKFILLS, MOST_CHUNKS = 100, 256


def placement_groups(n: int, drives: int) -> int:
    """The choice of the autoscaler for a pool with n chunks that is alone on its drives: about GROUPS_PER_DRIVE groups have a chunk
    on each drive; a power of two."""
    return min(MOST_GROUPS, max(1, 2 ** round(math.log2(drives * GROUPS_PER_DRIVE / n))))


def fullest(drive_share: float, host_share: float) -> float:
    """The mean share to which drives can be full: Ceph does not warn, and the chunks of a lost drive or host fit. The arguments:
    the largest share of its chunks that one other drive takes."""
    return min(NEARFULL, BACKFILLFULL / (1 + drive_share), BACKFILLFULL / (1 + host_share)) / UNEVEN


def served_losses(k: int, n: int, survived: int) -> int:
    """Lost chunks with which clients read and write: the default for min_size is k+1, and k if n = k+1."""
    return min(survived, max(1, n - k - 1))


@dataclasses.dataclass(frozen=True)
class Overwrite:
    """The chunks that Ceph reads and writes to overwrite one chunk of a stripe."""

    reads: int
    writes: int


def overwrite_of(k: int, n: int, *, fast_ec: bool, is_replicated: bool) -> Overwrite:
    """With Fast EC, Ceph reads the old chunk and the coding chunks (parity delta), or the k-1 other data chunks if these are fewer,
    and writes the changed chunk and the coding chunks. Without, it reads k chunks and writes n. A replicated pool writes."""
    if is_replicated:
        return Overwrite(0, n)
    return Overwrite(min(k - 1, 1 + n - k), 1 + n - k) if fast_ec else Overwrite(k, n)
