"""The time to rebuild a drive or a host, and what limits it."""

import dataclasses
from typing import Annotated

from ecbench.ceph import placement
from ecbench.ceph.placement import Cluster, Layout, Targets
from ecbench.documents.document import HIDDEN, Key
from ecbench.plan.profiles import Counted, Repair

DRIVE, NETWORK, CPU, SHARE, BACKFILLS = "drive", "network", "CPU", "recovery-share", "osd_max_backfills"
OPERATIONS = "operations"
LIMITS = (DRIVE, NETWORK, CPU, SHARE, BACKFILLS, OPERATIONS)


@dataclasses.dataclass(frozen=True)
class Rebuild:
    """The rebuild of all chunks of a drive or a host."""

    lost_bytes: Annotated[float, Key(above=0)]
    seconds: Annotated[float, Key(above=0)]
    limit: Annotated[str, Key("What limits the rebuild. recovery-share: the drives, but only because the rebuild gets this share "
                              "of their rate. osd_max_backfills: Ceph recovers few objects at the same time. operations: an OSD "
                              "writes few objects per second.", words=LIMITS)]
    # For DRIVE, the rebuild gets the whole rate of the drives; for SHARE, recovery_share of it.
    limits: Annotated[dict[str, float], Key("For each limit: the seconds that the rebuild would take if only this limited it.",
                                            "limit_seconds")]
    writers: Annotated[int, HIDDEN]  # drives that write

    @property
    def rate(self) -> float:
        """Lost bytes that are rebuilt per second."""
        return self.lost_bytes / self.seconds

    def rate_of_drive(self, limit: str) -> float:
        """Bytes per second that a drive writes with this limit."""
        return self.lost_bytes / self.writers / self.limits[limit]


def of_drive(counted: Counted, layout: Layout, cluster: Cluster, object_bytes: int, per_core: float | None) -> Rebuild | None:
    """The rebuild of a lost drive; None if no drive can store the rebuilt chunks. `per_core`: bytes of lost chunks that one core
    rebuilds per second; None: not known."""
    targets = placement.targets_of_drive(layout, cluster, is_replicated=counted.is_replicated)
    return rebuild(cluster.drive_bytes, counted, counted.repair, targets, 0, cluster, object_bytes, per_core)


def of_host(counted: Counted, layout: Layout, cluster: Cluster, object_bytes: int, per_core: float | None) -> Rebuild | None:
    """The rebuild of a host; None if no other host can store its chunks."""
    targets = placement.targets_of_host(layout, cluster, is_replicated=counted.is_replicated)
    moved = 0 if counted.is_replicated or not targets or targets.stay else placement.moved_chunks(layout)
    # Ceph reads k chunks once for all chunks that an object has lost (ECBackend::continue_recovery_op), and sends each of these.
    together, k, repair = placement.lost_together(layout, cluster), counted.profile.k, counted.repair
    if together > 1:
        repair = dataclasses.replace(repair, busy=k / together, network=(k - 1) / together + 1)
    return rebuild(cluster.drive_bytes * cluster.drives, counted, repair, targets, moved, cluster, object_bytes, per_core)


def rebuild(lost: float, counted: Counted, repair: Repair, targets: Targets | None, moved: float, cluster: Cluster,
            object_bytes: int, per_core: float | None) -> Rebuild | None:
    """Rebuilds `lost` bytes. `moved`: bytes of other chunks that are copied for each lost byte."""
    if not targets:
        return None
    rate = cluster.drive_rate
    written, read = lost * (1 + moved), lost * (repair.busy + moved)
    own = (targets.stay * written + targets.read * read) / max(1, targets.own)
    others = ((1 - targets.stay) * written + (1 - targets.read) * read) / max(1, targets.others)
    received = max(targets.stay / targets.own_hosts, (1 - targets.stay) / targets.other_hosts) * written
    # One drive writes a chunk of a placement group.
    written = max(written * targets.most, placement.chunk_bytes(counted.profile.n, cluster))
    drives = max(own, others, written) / rate
    limits = {DRIVE: drives,
              NETWORK: max(lost * (repair.network + moved) / cluster.hosts, received) / cluster.net}
    if per_core:
        limits[CPU] = lost / (cluster.hosts * cluster.cores * per_core)
    limits[SHARE] = drives / cluster.recovery_share
    chunk = cluster.chunk_of(object_bytes, counted.profile.k)
    limits[BACKFILLS] = written / cluster.most_backfilled(chunk)
    limits[OPERATIONS] = written / (cluster.osd.iops * chunk)
    limit = max(limits, key=lambda name: limits[name])  # if two are equal, the first one
    return Rebuild(lost, limits[limit], limit, limits, targets.drives)
