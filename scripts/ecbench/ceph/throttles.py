"""How fast Ceph rebuilds a drive, with the defaults of Reef and later releases. Sources: mclock-config-ref on docs.ceph.com, and
osd.yaml.in."""

import dataclasses

BACKFILLS = 1  # osd_max_backfills
MOST_BYTES = 8 << 20  # osd_recovery_max_chunk: of one recovery


@dataclasses.dataclass(frozen=True)
class Osd:
    active: int  # osd_recovery_max_active_hdd or _ssd: objects that a primary recovers at the same time
    iops: float  # osd_mclock_max_capacity_iops_hdd or _ssd; OSDs of solid-state drives measure their own

    def most_backfilled(self, backfills: int, chunk: float, seconds: float) -> float:
        """Bytes per second that are written to a drive, if each of its backfills always recovers `active` objects, and the recovery
        of one takes `seconds`. `chunk`: bytes of one chunk of an object."""
        return backfills * self.active * min(chunk, MOST_BYTES) / seconds


HDD, SSD = Osd(3, 315), Osd(10, 21_500)
