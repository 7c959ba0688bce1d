"""Facts about Ceph: its releases, how fast it rebuilds a drive, and its defaults for pools and OSDs.

Sources for releases: "Ending Support for some Erasure Code Plugins", ceph.io, 2025-12-16; "Tentacle FastEC Performance Updates",
ceph.io, 2025-11-20; ceph PR 55332 (MSR, squid); ErasureCodeIsa.h and ErasureCodeJerasure.h (OPTIMIZED_SUPPORTED; isa cauchy: PR
65016); PR 55196 (ErasureCodeClay::is_repair(); its backport to squid, PR 58568, was closed), measured in pool_test.py."""

import dataclasses

PAGE = 4096  # bytes; Fast EC stores whole pages
# The plugins and techniques that Ceph keeps. All others are deprecated, and vampire does not have them. lrc has no techniques, so
# its entry has "" as the technique.
KEPT = {("jerasure", "reed_sol_van"), ("isa", "reed_sol_van"), ("isa", "cauchy"), ("lrc", "")}
PLUGINS = ("isa", "jerasure", "lrc", "shec", "clay")
WITH_FAST_EC = {("isa", "reed_sol_van"), ("isa", "cauchy"), ("jerasure", "reed_sol_van")}


@dataclasses.dataclass(frozen=True)
class Release:
    name: str
    has_fast_ec: bool  # whether allow_ec_optimizations can be set for a pool
    stripe_unit: int  # bytes of one chunk in one stripe: Ceph's default; with Fast EC, the size that Ceph recommends
    # clay of 20.2.4 computes wrong coding chunks if a sub-chunk is not a multiple of this number of bytes (docs/codes.md). umbrella
    # was not tested.
    sub_chunk_unit: int = 1
    # Whether clay repairs a chunk from sub-chunks. Without, its is_repair() is always false, so OSDs read k whole chunks.
    reads_sub_chunks: bool = True
    # Status of the techniques that are not in KEPT. umbrella warns about these techniques. vampire does not have them.
    status: str = "deprecated"

    def status_of(self, plugin: str, technique: str) -> str:
        return "" if (plugin, "" if plugin == "lrc" else technique) in KEPT else self.status

    def uses_fast_ec(self, plugin: str, technique: str, chunk: int) -> bool:
        """`chunk`: bytes of one chunk in one stripe. Ceph refuses Fast EC if `chunk` is not a multiple of the page size."""
        return self.has_fast_ec and (plugin, technique) in WITH_FAST_EC and chunk % PAGE == 0


REMOVED = "removed"
RELEASES = {release.name: release for release in (
    Release("quincy", False, 4096),
    Release("reef", False, 4096),
    Release("squid", False, 4096),
    Release("tentacle", True, 16384, sub_chunk_unit=64, reads_sub_chunks=False),
    Release("umbrella", True, 16384, sub_chunk_unit=64, reads_sub_chunks=False),
    Release("vampire", True, 16384, status=REMOVED),
)}


# How fast Ceph rebuilds a drive, with the defaults of Reef and later releases. Sources: mclock-config-ref on docs.ceph.com, and
# osd.yaml.in.

BACKFILLS = 1  # osd_max_backfills
MOST_BYTES = 8 << 20  # osd_recovery_max_chunk: of one recovery


@dataclasses.dataclass(frozen=True)
class Osd:
    active: int  # osd_recovery_max_active_hdd or _ssd: objects that a primary recovers at the same time
    iops: float  # osd_mclock_max_capacity_iops_hdd or _ssd; OSDs of solid-state drives measure their own


HDD, SSD = Osd(3, 315), Osd(10, 21_500)


# Ceph's defaults for pools and OSDs, by the names of their options, and what follows from them for an erasure-coded pool.

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


def served_losses(k: int, n: int, survived: int) -> int:
    """Lost chunks with which clients read and write: the default for min_size is k+1, and k if n = k+1."""
    return min(survived, max(1, n - k - 1))


def overwrite_of(k: int, n: int, *, fast_ec: bool, is_replicated: bool) -> tuple[int, int]:
    """The chunks that Ceph reads and writes to overwrite one chunk of a stripe. With Fast EC, it reads the old chunk and the coding
    chunks (parity delta), or the k-1 other data chunks if these are fewer, and writes the changed chunk and the coding chunks.
    Without, it reads k chunks and writes n. A replicated pool writes."""
    if is_replicated:
        return 0, n
    return (min(k - 1, 1 + n - k), 1 + n - k) if fast_ec else (k, n)
