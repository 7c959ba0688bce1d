"""The releases of Ceph. For each release: the techniques that it keeps, the techniques that it deprecates or has removed, and
whether it has Fast EC (allow_ec_optimizations).

Sources: "Ending Support for some Erasure Code Plugins", ceph.io, 2025-12-16; "Tentacle FastEC Performance Updates", ceph.io,
2025-11-20; ceph PR 55332 (MSR, squid); ErasureCodeIsa.h and ErasureCodeJerasure.h (OPTIMIZED_SUPPORTED; isa cauchy: PR 65016)."""

import dataclasses

from ecbench.ceph.stored_size import PAGE

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
    Release("tentacle", True, 16384, sub_chunk_unit=64),
    Release("umbrella", True, 16384, sub_chunk_unit=64),
    Release("vampire", True, 16384, status=REMOVED),
)}
