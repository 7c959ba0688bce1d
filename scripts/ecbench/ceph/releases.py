"""The releases of Ceph: the techniques that each release keeps, deprecates or does not have, and whether it has Fast EC
(allow_ec_optimizations).

Sources: "Ending Support for some Erasure Code Plugins", ceph.io, 2025-12-16; "Tentacle FastEC Performance Updates", ceph.io,
2025-11-20; ErasureCodeInterface.h of Tentacle (OPTIMIZED_SUPPORTED)."""

import dataclasses

from ecbench.ceph.stored_size import PAGE

# The plugins and techniques that Ceph keeps. It removes all others. The technique of lrc is "" here, because lrc has no techniques.
KEPT = {("jerasure", "reed_sol_van"), ("isa", "reed_sol_van"), ("isa", "cauchy"), ("lrc", "")}
PLUGINS = ("isa", "jerasure", "lrc", "shec", "clay")
WITH_FAST_EC = {("isa", "reed_sol_van"), ("jerasure", "reed_sol_van")}


@dataclasses.dataclass(frozen=True)
class Release:
    name: str
    has_fast_ec: bool  # whether a pool can set allow_ec_optimizations
    stripe_unit: int  # bytes of one chunk in one stripe: Ceph's default, or its recommendation for Fast EC
    status: str = "deprecated"  # of techniques that are not in KEPT: umbrella warns about them, vampire does not have them

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
    Release("tentacle", True, 16384),
    Release("umbrella", True, 16384),
    Release("vampire", True, 16384, REMOVED),
)}
