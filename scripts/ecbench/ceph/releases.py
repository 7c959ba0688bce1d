"""Ceph's releases: which plugins each can load, which it deprecates, and what Fast EC (allow_ec_optimizations) changes.

Sources: "Ending Support for some Erasure Code Plugins", ceph.io, 2025-12-16; "Tentacle FastEC Performance Updates", ceph.io,
2025-11-20; ErasureCodeInterface.h of Tentacle (OPTIMIZED_SUPPORTED)."""

import dataclasses

from ecbench.ceph.stored_size import PAGE

# Ceph keeps these. It removes all other techniques of jerasure. A plugin without techniques has the technique "".
KEPT = {("jerasure", "reed_sol_van"), ("isa", "reed_sol_van"), ("isa", "cauchy"), ("lrc", "")}
PLUGINS = ("isa", "jerasure", "lrc", "shec", "clay")
WITH_FAST_EC = {("isa", "reed_sol_van"), ("jerasure", "reed_sol_van")}


@dataclasses.dataclass(frozen=True)
class Release:
    name: str
    has_fast_ec: bool  # a pool may have allow_ec_optimizations
    stripe_unit: int  # bytes of a chunk of a stripe: Ceph's default, or what it recommends with Fast EC
    status: str = "deprecated"  # status of profiles that are not KEPT: an upgrade to umbrella warns of them, and vampire lacks them

    def status_of(self, plugin: str, technique: str) -> str:
        return "" if (plugin, "" if plugin == "lrc" else technique) in KEPT else self.status

    def uses_fast_ec(self, plugin: str, technique: str, chunk: int) -> bool:
        """`chunk`: bytes of a chunk of a stripe. Ceph denies Fast EC for chunks that are not whole pages."""
        return self.has_fast_ec and (plugin, technique) in WITH_FAST_EC and chunk % PAGE == 0


REMOVED = "removed"
RELEASES = {release.name: release for release in (
    Release("quincy", False, 4096),
    Release("reef", False, 4096),
    Release("squid", False, 4096),
    Release("tentacle", True, 16384),
    Release("umbrella", True, 16384),
    Release("vampire", True, 16384, REMOVED),
)}
