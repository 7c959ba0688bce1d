"""Where CRUSH puts the chunks of a placement group, and where it puts the chunks of a drive or a host that is out.

The rules were checked with crushtool and with a running cluster (src/test/system/crush_test.py, docs/plan.md):
- Rule of an erasure-coded pool (chooseleaf indep): the chunks of a drive that is out stay in its failure domain, if this has
  another drive. No other chunk moves. The chunks of a host that is out go to the other hosts, and some other chunks move too.
- Replicated rule (chooseleaf firstn): the copies of a drive that is out go to all drives."""

import dataclasses
import math

from ecbench.plan.request import OSD, Cluster

GROUPS_PER_DRIVE = 100  # mon_target_pg_per_osd: number of placement groups that have a chunk on one drive
MOST_GROUPS = 65536  # mon_max_pool_pg_num: Ceph refuses a pool with more placement groups
NEARFULL = 0.85  # mon_osd_nearfull_ratio: Ceph warns
BACKFILLFULL = 0.90  # mon_osd_backfillfull_ratio: Ceph moves no chunks to a drive that is fuller


@dataclasses.dataclass(frozen=True)
class Layout:
    """The failure domains of one placement group."""

    n: int  # chunks
    domains: int  # failure domains of the cluster
    per_domain: int  # chunks in one failure domain, at most

    @property
    def used(self) -> int:
        return math.ceil(self.n / self.per_domain)

    @property
    def spare(self) -> int:
        """Failure domains without a chunk."""
        return self.domains - self.used


def layout_of(n: int, cluster: Cluster) -> Layout:
    """As few chunks in one failure domain as possible."""
    return Layout(n, cluster.domains, math.ceil(n / cluster.domains))


def placement_groups(n: int, cluster: Cluster) -> int:
    """The number of placement groups of the pool. With this number, about GROUPS_PER_DRIVE groups have a chunk on each drive. The
    number is a power of two, as Ceph recommends, and at most MOST_GROUPS."""
    return min(MOST_GROUPS, max(1, 2 ** round(math.log2(cluster.all_drives * GROUPS_PER_DRIVE / n))))


def chunk_bytes(n: int, cluster: Cluster) -> float:
    """The bytes of one chunk of a placement group, if the drives are full."""
    return cluster.all_drives * cluster.drive_bytes / (placement_groups(n, cluster) * n)


@dataclasses.dataclass(frozen=True)
class Targets:
    """The drives that write the chunks of a drive or a host that is out."""

    drives: int
    hosts: int  # hosts of these drives
    also_read: bool  # whether these drives also store the chunks that are read


def targets_of_drive(layout: Layout, cluster: Cluster, *, is_replicated: bool) -> Targets | None:
    """None: no drive can take the chunks."""
    everywhere = Targets(cluster.all_drives - 1, cluster.hosts, True)
    if is_replicated:
        return everywhere if layout.spare > 0 or cluster.domain_drives > 1 else None
    if cluster.domain_drives > layout.per_domain:
        return Targets(cluster.domain_drives - 1, max(1, cluster.hosts // cluster.domains), False)
    return everywhere if layout.spare > 0 else None


def targets_of_host(layout: Layout, cluster: Cluster) -> Targets | None:
    """None: no host can take the chunks."""
    in_domain = 0 if cluster.failure_domain == OSD else cluster.hosts // cluster.domains - 1
    if in_domain and cluster.failure_domain != OSD:
        return Targets(in_domain * cluster.drives, in_domain, False)
    others = Targets((cluster.hosts - 1) * cluster.drives, cluster.hosts - 1, True)
    has_room = layout.spare >= cluster.drives if cluster.failure_domain == OSD else layout.spare > 0
    return others if has_room and others.drives else None


def moved_chunks(layout: Layout) -> float:
    """Other chunks that CRUSH moves per chunk of a host that is out: an approximation of crushtool's counts for chooseleaf
    indep (0.25 for 11 chunks on 14 hosts, 0.47 on 12)."""
    return 0.5 * (layout.n / layout.domains)**3 if layout.per_domain == 1 else 0


def fullest(layout: Layout, cluster: Cluster, *, is_replicated: bool) -> float:
    """The share to which the drives can be full, so that the chunks of a lost drive fit (BACKFILLFULL)."""
    targets = targets_of_drive(layout, cluster, is_replicated=is_replicated)
    return BACKFILLFULL * targets.drives / (targets.drives + 1) if targets else BACKFILLFULL


def fullest_for_host(cluster: Cluster) -> float:
    """The same for the chunks of a lost host."""
    hosts = cluster.hosts // cluster.domains if cluster.domains < cluster.hosts else cluster.hosts
    return BACKFILLFULL * (hosts - 1) / hosts
