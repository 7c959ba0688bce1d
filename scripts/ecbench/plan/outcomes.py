"""The outcome of each profile for the cluster: space, durability, rebuilds, cores; and the Pareto front of the profiles."""

import dataclasses
import math
from collections.abc import Sequence

from ecbench.plan import rebuild
from ecbench.plan.chain import HOURS_PER_YEAR, Chain, nines, probability
from ecbench.plan.profiles import Counted
from ecbench.plan.rebuild import Rebuild
from ecbench.plan.request import GROUPS_PER_DRIVE, MOST_GROUPS, SECONDS_UNTIL_OUT, Cluster, Request
from ecbench.plan.speeds import UNKNOWN, Speeds

SECONDS_PER_YEAR = HOURS_PER_YEAR * 3600
SAME = 1e-9  # two values are treated as equal if their relative difference is less than SAME


@dataclasses.dataclass(frozen=True)
class Overwrite:
    """The numbers of chunks that Ceph reads and writes to overwrite one chunk of a stripe."""

    reads: int
    writes: int


@dataclasses.dataclass(frozen=True)
class Outcome:
    counted: Counted
    speeds: Speeds
    hosts_left: int  # number of hosts without a chunk of an object; the rebuild of a host needs at least one such host
    drive: Rebuild | None  # the rebuild of a drive; None: no drive can store the rebuilt chunks
    host: Rebuild | None  # the rebuild of a host; None: no host is left for the rebuilt chunks
    losses_per_year: float | None  # expected data losses of one placement group; the rate at which one object is lost is the same
    pool_losses_per_year: float | None  # expected data losses of all placement groups of the pool
    status: str  # the result of Release.status_of()
    overwrite: Overwrite

    @property
    def name(self) -> str:
        return self.counted.profile.name

    @property
    def space(self) -> float:
        """Stored bytes per byte of the object."""
        return self.counted.stored[0]

    @property
    def object_nines(self) -> float | None:
        return None if self.losses_per_year is None else nines(probability(self.losses_per_year))

    @property
    def pool_nines(self) -> float | None:
        """-log10 of the probability that the pool loses any data in a year."""
        return None if self.pool_losses_per_year is None else nines(probability(self.pool_losses_per_year))

    @property
    def rebuild_cores(self) -> float | None:
        """The number of cores that coding needs while a drive is rebuilt, summed over the whole cluster."""
        rate = self.speeds.rebuilt(self.counted.profile.k)
        return self.drive.rate / rate if self.drive and rate else None

    def write_cores(self, cluster: Cluster) -> float | None:
        return cluster.write_rate / self.speeds.encode if self.speeds.encode else None

    def is_worse_than(self, other: "Outcome") -> bool:
        """Compares space, durability and network traffic. Returns True if `other` is better in at least one of these, and at least
        as good in the other ones. If Ceph deprecates or removes `other` but keeps this profile, the result is always False."""
        if other.status and not self.status:
            return False
        own, others = self._costs(), other._costs()
        return (all(cost >= least * (1 - SAME) for cost, least in zip(own, others))
                and any(cost > least * (1 + SAME) for cost, least in zip(own, others)))

    def _costs(self) -> tuple[float, float, float]:
        return self.space, math.inf if self.losses_per_year is None else self.losses_per_year, self.counted.repair.network


def outcome(counted: Counted, request: Request, speeds: Speeds = UNKNOWN) -> Outcome:
    cluster, profile = request.cluster, counted.profile
    per_core = speeds.rebuilt(profile.k)
    drive = rebuild.of_drive(counted, cluster, per_core)
    losses = chain(counted, cluster, drive).losses_per_year() if drive else None
    return Outcome(counted, speeds, cluster.hosts - profile.n, drive, rebuild.of_host(counted, cluster, per_core), losses,
                   losses * placement_groups(counted, cluster) if losses is not None else None,
                   request.release.status_of(profile.plugin, profile.technique), overwrite_of(counted))


def chain(counted: Counted, cluster: Cluster, drive: Rebuild) -> Chain:
    return Chain(counted.profile.n, counted.recoverable(), cluster.afr, (SECONDS_UNTIL_OUT + drive.seconds) / SECONDS_PER_YEAR)


def placement_groups(counted: Counted, cluster: Cluster) -> int:
    """The number of placement groups of the pool. With this number, about GROUPS_PER_DRIVE groups have a chunk on each drive. The
    number is a power of two, as Ceph recommends, and at most MOST_GROUPS."""
    return min(MOST_GROUPS, max(1, 2 ** round(math.log2(cluster.all_drives * GROUPS_PER_DRIVE / counted.profile.n))))


def overwrite_of(counted: Counted) -> Overwrite:
    """With Fast EC, Ceph reads either the old chunk and the m coding chunks (parity delta), or the k-1 other data chunks. It
    chooses the way with fewer reads. In both cases, Ceph writes only the changed chunk and the coding chunks. Without Fast EC, Ceph
    reads the k data chunks and writes all n chunks of the stripe."""
    profile = counted.profile
    if counted.fast_ec:
        return Overwrite(min(profile.k - 1, 1 + profile.m), 1 + profile.m)
    return Overwrite(profile.k, profile.n)


def front(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The Pareto front: all profiles that are not worse than any other profile (is_worse_than())."""
    return [one for one in outcomes if not any(one.is_worse_than(other) for other in outcomes)]
