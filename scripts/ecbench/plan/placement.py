"""Where CRUSH puts the chunks of a placement group, and where it puts the chunks of a drive or a host that is out.

The rules were checked with crushtool and with a running cluster (src/test/system/crush_test.py, docs/plan.md):
- Rule of an erasure-coded pool (chooseleaf indep): the chunks of a drive that is out stay in its failure domain, if this has
  another drive. No other chunk moves. The chunks of a host that is out go to the other hosts, and some other chunks move too.
- Rule with two choose steps (several chunks in a failure domain): the same for a drive. The chunks of a host stay unmapped until
  its CRUSH weight is 0.
- Replicated rule (chooseleaf firstn): the copies of a drive that is out go to all drives, but more of them stay in its failure
  domain; with as many domains as copies, all stay."""

import dataclasses
import math

from ecbench.ceph import releases
from ecbench.plan.request import OSD, Cluster


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
    return releases.placement_groups(n, cluster.all_drives)


def chunk_bytes(n: int, cluster: Cluster) -> float:
    """The bytes of one chunk of a placement group, if the drives are full."""
    return cluster.all_drives * cluster.drive_bytes / (placement_groups(n, cluster) * n)


@dataclasses.dataclass(frozen=True)
class Targets:
    """The drives that write the chunks of a drive or a host that is out, and those that store the other chunks."""

    own: int  # remaining drives of the failure domain
    others: int  # drives of the other failure domains
    own_hosts: int
    other_hosts: int
    stay: float  # share of the lost chunks that stay in the failure domain
    read: float = 0  # share of the chunks that a repair reads in the failure domain

    @property
    def drives(self) -> int:
        """Drives that write."""
        return (self.own if self.stay else 0) + (self.others if self.stay < 1 else 0)

    @property
    def most(self) -> float:
        """The largest share of the lost chunks that one drive writes."""
        return max(self.stay / max(1, self.own), (1 - self.stay) / max(1, self.others))


def targets_of_drive(layout: Layout, cluster: Cluster, *, is_replicated: bool) -> Targets | None:
    """None: no drive can take the chunks."""
    own, hosts = cluster.domain_drives - 1, max(1, cluster.hosts // cluster.domains)
    stay, read = 0.0, 0.0
    if is_replicated and own:
        stay = share_that_stays(own, layout, cluster)
    elif own >= layout.per_domain:
        stay, read = 1, read_in_domain(layout)
    elif layout.spare <= 0 or layout.per_domain > 1:
        return None  # The rule with two steps never chooses another domain.
    return Targets(own, cluster.all_drives - own - 1, hosts, max(1, cluster.hosts - hosts), stay, read)


def share_that_stays(own: int, layout: Layout, cluster: Cluster) -> float:
    """The share of the copies of a drive or a host that stay in their failure domain, which has `own` other drives. crushtool:
    drive 0.61 with 4 hosts of 8 drives, 0.45 with 4 of 2, 0.31 with 6 of 4, 0.26 with 8 of 8, 0.14 with 14 of 12; host of 4 drives
    0.20 with 8 racks of 3 hosts."""
    return own / (own + 0.55 * layout.spare * cluster.domain_drives)


def targets_of_host(layout: Layout, cluster: Cluster, *, is_replicated: bool) -> Targets | None:
    """None: no host can take the chunks."""
    hosts = 1 if cluster.failure_domain == OSD else cluster.hosts // cluster.domains
    own, others = (hosts - 1) * cluster.drives, cluster.hosts - hosts
    if hosts > 1:
        if layout.per_domain > own:
            return None
        stay, read = (share_that_stays(own, layout, cluster), 0.0) if is_replicated else (1, read_in_domain(layout))
        return Targets(own, others * cluster.drives, hosts - 1, max(1, others), stay, read)
    has_room = layout.spare >= cluster.drives if cluster.failure_domain == OSD else layout.spare > 0
    return Targets(0, others * cluster.drives, 1, others, 0) if has_room and others else None


def read_in_domain(layout: Layout) -> float:
    """The share of the other chunks that the failure domain of a lost chunk stores."""
    return (layout.per_domain - 1) / (layout.n - 1)


def lost_together(layout: Layout, cluster: Cluster) -> float:
    """The mean number of chunks that a placement group loses with a host, if it loses any."""
    if layout.per_domain == 1:
        return 1
    of_host = layout.n / layout.used / (cluster.hosts // cluster.domains)
    without = math.comb(cluster.domain_drives - cluster.drives, layout.per_domain) / math.comb(cluster.domain_drives,
                                                                                                layout.per_domain)
    return of_host / (1 - without)


def moved_chunks(layout: Layout) -> float:
    """Other chunks that CRUSH moves per chunk of a host that is out: an approximation of crushtool's counts (chooseleaf indep:
    0.25 for 11 chunks on 14 hosts, 0.47 on 12; rule with two choose steps and CRUSH weight 0: 0.40 to 0.56)."""
    return 0.5 * (layout.n / layout.domains)**3 if layout.per_domain == 1 else 0.5


def fullest(layout: Layout, cluster: Cluster, *, is_replicated: bool) -> float:
    drive = targets_of_drive(layout, cluster, is_replicated=is_replicated)
    host = targets_of_host(layout, cluster, is_replicated=is_replicated)
    return releases.fullest(drive.most if drive else 0, cluster.drives * host.most if host else 0)
