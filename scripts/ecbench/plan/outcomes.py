"""The outcome of each profile for the cluster: space, durability, rebuilds, cores; and the Pareto front of the profiles."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated

from ecbench.ceph.pools import SECONDS_UNTIL_OUT, Overwrite, overwrite_of, served_losses
from ecbench.documents.document import Key
from ecbench.plan import rebuild
from ecbench.plan.chain import HOURS_PER_YEAR, Chain, nines, probability
from ecbench.plan.placement import Layout, chunk_bytes, fullest, layout_of, placement_groups
from ecbench.plan.profiles import Counted
from ecbench.plan.rebuild import Rebuild
from ecbench.plan.request import Cluster, Request
from ecbench.plan.speeds import UNKNOWN, Speeds

SECONDS_PER_YEAR = HOURS_PER_YEAR * 3600
MARGIN = 1.5  # the recommended profile also reaches the required nines if AFR and repair time are both MARGIN times as large
SAME = 1e-9  # two values are treated as equal if their relative difference is less than SAME


@dataclasses.dataclass(frozen=True)
class Losses:
    """Expected data losses per year."""

    drives: Annotated[float, Key("More drives are lost than the code recovers.", least=0)]
    sectors: Annotated[float, Key("A sector cannot be read while no redundancy is left.", least=0)]

    @property
    def nines(self) -> float:
        return nines(probability(self.drives + self.sectors))


@dataclasses.dataclass(frozen=True)
class Outcome:
    counted: Counted
    speeds: Speeds
    layout: Layout
    drive: Rebuild | None  # the rebuild of a drive; None: no drive can store the rebuilt chunks
    host: Rebuild | None  # the rebuild of a host; None: no host is left for the rebuilt chunks
    # Expected data losses of one object, of all placement groups, and of one object with MARGIN. None: no rebuild is possible
    object_losses: Losses | None
    pool_losses: Losses | None
    margin_losses: Losses | None
    status: str  # the result of Release.status_of()
    overwrite: Overwrite
    full: float  # share to which the drives can be full
    usable: float  # bytes of objects if they are

    @property
    def name(self) -> str:
        return self.counted.profile.name

    @property
    def space(self) -> float:
        """Stored bytes per byte of the object."""
        return self.counted.stored[0]

    @property
    def domains_survived(self) -> int:
        """Failure domains that can fail without data loss."""
        return self.counted.survived // self.layout.per_domain

    @property
    def drives_survived(self) -> int:
        """Drives that can fail in addition."""
        return self.counted.survived % self.layout.per_domain

    @property
    def domains_served(self) -> int:
        """Failure domains that can fail while clients read and write."""
        profile = self.counted.profile
        return served_losses(profile.k, profile.n, self.counted.survived) // self.layout.per_domain

    @property
    def object_nines(self) -> float | None:
        return self.object_losses.nines if self.object_losses else None

    @property
    def pool_nines(self) -> float | None:
        """-log10 of the probability that the pool loses any data in a year."""
        return self.pool_losses.nines if self.pool_losses else None

    @property
    def margin_nines(self) -> float | None:
        return self.margin_losses.nines if self.margin_losses else None

    @property
    def rebuild_cores(self) -> float | None:
        """The number of cores that coding needs while a drive is rebuilt, summed over the whole cluster."""
        rate = self.speeds.rebuilt(self.counted.profile.k)
        return self.drive.rate / rate if self.drive and rate else None

    def write_cores(self, cluster: Cluster) -> float | None:
        return cluster.write_rate / self.speeds.encode if self.speeds.encode else None

    def is_worse_than(self, other: "Outcome") -> bool:
        """Whether `other` is better in space, durability or network traffic, and not worse in the others. A profile that Ceph keeps
        is never worse than one that it removes."""
        if other.status and not self.status:
            return False
        own, others = self._costs(), other._costs()
        return (all(cost >= least - SAME for cost, least in zip(own, others))
                and any(cost > least + SAME for cost, least in zip(own, others)))

    def _costs(self) -> tuple[float, float, float]:
        return self.space, -(self.pool_nines or 0), self.counted.repair.network


def outcome(counted: Counted, request: Request, speeds: Speeds = UNKNOWN) -> Outcome:
    cluster, profile = request.cluster, counted.profile
    layout, per_core = layout_of(profile.n, cluster), speeds.rebuilt(profile.k)
    drive = rebuild.of_drive(counted, layout, cluster, request.objects[0], per_core)
    own_losses = pool_losses = margin_losses = None
    if drive:
        chain = chain_of(counted, cluster, drive)
        whole = chunk_bytes(profile.n, cluster)
        own = min(whole, request.objects[0] / profile.k)
        groups = placement_groups(profile.n, cluster)
        losses = chain.losses_per_year()
        own_losses = Losses(losses, sector_losses(chain, counted, own, cluster))
        pool_losses = Losses(groups * losses * distinct(counted, layout, cluster),
                             groups * sector_losses(chain, counted, whole, cluster))
        worse = chain_of(counted, cluster, drive, MARGIN)
        margin_losses = Losses(worse.losses_per_year(), sector_losses(worse, counted, own, cluster))
    status = "" if counted.is_replicated else request.release.status_of(profile.plugin, profile.technique)
    host = rebuild.of_host(counted, layout, cluster, request.objects[0], per_core)
    full = fullest(layout, cluster, is_replicated=counted.is_replicated)
    return Outcome(counted, speeds, layout, drive, host, own_losses, pool_losses, margin_losses, status,
                   overwrite_of(profile.k, profile.n, fast_ec=counted.fast_ec, is_replicated=counted.is_replicated),
                   full, full * cluster.all_drives * cluster.drive_bytes / counted.stored[0])


def chain_of(counted: Counted, cluster: Cluster, drive: Rebuild, times: float = 1) -> Chain:
    """`times`: factor for the AFR and for the time of a repair."""
    return Chain(counted.profile.n, counted.recoverable(), times * cluster.afr,
                 times * (SECONDS_UNTIL_OUT + drive.seconds) / SECONDS_PER_YEAR)


def sector_losses(chain: Chain, counted: Counted, chunk: float, cluster: Cluster) -> float:
    """Losses per year from unreadable sectors in chunks of `chunk` bytes. The repair of one lost chunk reads the chunks that the
    code requests; the repair of several reads k chunks."""
    read = [0.0, counted.repair.helpers, *([counted.profile.k] * counted.profile.n)]
    return chain.sector_losses_per_year([-math.expm1(chunks * chunk * 8 * math.log1p(-cluster.unreadable)) for chunks in read])


def distinct(counted: Counted, layout: Layout, cluster: Cluster) -> float:
    """Events in which the pool loses data, per placement group that loses data. In a small cluster, the same drives store the
    chunks of many placement groups. `shared`: the mean number of placement groups that a fatal set of lost drives belongs to."""
    fatal = counted.survived + 1
    share = next((1 - count.share for count in counted.losses if count.chunks == fatal), 1.0)
    sets = (math.comb(layout.domains, fatal) * cluster.domain_drives**fatal if layout.per_domain == 1
            else math.comb(cluster.all_drives, fatal))
    # The two integers can be larger than any floating-point number; their ratio is not.
    shared = share * (placement_groups(counted.profile.n, cluster) * math.comb(counted.profile.n, fatal) / sets)
    return -math.expm1(-shared) / shared if shared else 1.0


def front(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The Pareto front: all profiles that are not worse than any other profile (is_worse_than())."""
    return [one for one in outcomes if not any(one.is_worse_than(other) for other in outcomes)]
