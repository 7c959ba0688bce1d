"""The outcome of each profile for the cluster: space, durability, rebuilds, cores; and the Pareto front of the profiles."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated

from ecbench.ceph.placement import Cluster, Layout
from ecbench.ceph.releases import SECONDS_UNTIL_OUT, overwrite_of, served_losses
from ecbench.documents.document import HIDDEN, Key
from ecbench.plan.profiles import UNKNOWN, Counted, Speeds
from ecbench.plan.request import Request

MOST_NINES = 300.0  # must be below 308, because the smallest floating-point numbers are near 1e-308


@dataclasses.dataclass(frozen=True)
class Chain:
    """The durability of one placement group: a continuous-time Markov chain, whose state is the number of lost chunks.

    In state i, i chunks are lost and the object can still be recovered. One more chunk is lost at the rate (n - i) a, where a is
    the failure rate of one drive. Only some of the patterns of i + 1 losses can be recovered; the others are data loss. Lost chunks
    are repaired at the rate i/T. The states are eliminated from the last to the first.
    Only 1 - survival() subtracts, so the relative error stays near that of one floating-point operation, even at 1e-30 losses per
    year.

    The chain is exact for codes that recover every loss of up to m chunks. For other codes it assumes that all recoverable patterns
    of i losses are equally probable. This is exact in the limit T = 0; see docs/plan.md.

    `recoverable[i]`: the share of the patterns of i lost chunks that the code can recover. recoverable[0] is 1."""

    n: int
    recoverable: Sequence[float]
    failures_per_year: float  # failure rate of one drive
    repair_years: float  # mean time of one repair

    def survival(self, lost: int) -> float:
        """The probability that an object that has lost `lost` chunks can still be recovered after one more loss. R(i) patterns of i
        losses can be recovered, and there are (n-i) R(i) ways to lose one more chunk. Every subset of a recoverable pattern is
        recoverable, so each of the R(i+1) patterns results from i+1 of these ways."""
        if lost + 1 >= len(self.recoverable):
            return 0.0
        # Shares can be estimates from a sample. Then recoverable[lost + 1] may by chance be larger than recoverable[lost].
        return min(1.0, self.recoverable[lost + 1] / self.recoverable[lost])

    def years_to_loss(self) -> float:
        """The mean time from the state without losses to data loss."""
        last = max(lost for lost, share in enumerate(self.recoverable) if share > 0)
        # After a group has entered state `lost + 1`, it either loses data or returns to state `lost`. `died`: the probability that
        # it loses data first. `time`: the mean number of years until one of these two events.
        died, time = 0.0, 0.0
        for lost in range(last, 0, -1):
            loss = (self.n - lost) * self.failures_per_year
            up = loss * self.survival(lost) if lost < last else 0.0
            ends = loss * (1 - self.survival(lost)) if lost < last else loss
            ends += up * died
            repaired = lost / self.repair_years
            time = (1 + up * time) / (ends + repaired)
            died = ends / (ends + repaired)
        up = self.n * self.failures_per_year * self.survival(0)
        ends = self.n * self.failures_per_year * (1 - self.survival(0)) + up * died
        return (1 + up * time) / ends if ends else math.inf  # `ends` is 0 if it is too small for a floating-point number

    def sector_losses_per_year(self, unreadable: Sequence[float]) -> float:
        """The rate at which data is lost because a sector cannot be read during a repair. unreadable[i]: the probability of such a
        sector in the chunks that are read if i chunks are lost. Uses the stationary probabilities of the states."""
        rate, stays, losses = 0.0, 1.0, 0.0  # of the state `lost`: times per year that it is entered, and share of time
        for lost in range(1, len(self.recoverable)):
            rate = stays * (self.n - lost + 1) * self.failures_per_year * self.survival(lost - 1)
            repaired = lost / self.repair_years
            stays = rate / (repaired + (self.n - lost) * self.failures_per_year)
            losses += rate * (1 - self.survival(lost)) * unreadable[lost]
        return losses

    def losses_per_year(self) -> float:
        """The rate at which a group loses data. The mean time between two losses is much longer than a repair, so the losses are
        approximately a Poisson process."""
        return 1 / self.years_to_loss()


def probability(losses_per_year: float) -> float:
    """The probability of at least one data loss within a year."""
    return -math.expm1(-losses_per_year)


def nines(probability_of_loss: float) -> float:
    """The nines of the durability: -log10 of the probability of loss, at most MOST_NINES."""
    return min(max(-math.log10(probability_of_loss), 0.0), MOST_NINES) if probability_of_loss > 0 else MOST_NINES


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

    def rate_of_drive(self, limit: str) -> float:
        """Bytes per second that a drive writes with this limit."""
        return self.lost_bytes / self.writers / self.limits[limit]


def rebuild(counted: Counted, layout: Layout, object_bytes: int, per_core: float | None, *,
            of_host: bool = False) -> Rebuild | None:
    """The rebuild of a lost drive, or host; None if no other can store its chunks. `per_core`: bytes of lost chunks that one core
    rebuilds per second; None: not known."""
    cluster, k = layout.cluster, counted.k
    if not (targets := layout.host_targets if of_host else layout.drive_targets):
        return None
    lost, moved = cluster.drive_bytes, 0.0  # `moved`: bytes of other chunks that are copied for each lost byte
    if of_host:
        lost *= cluster.drives
        moved = 0 if layout.is_replicated or (targets.stay and not layout.is_spread) else layout.moved_chunks
        # Ceph reads k chunks once for all chunks that an object has lost (ECBackend::continue_recovery_op), and sends each.
        if (together := layout.lost_together) > 1:
            counted = dataclasses.replace(counted, busy=k / together, network=(k - 1) / together + 1)
    written, read = lost * (1 + moved), lost * (counted.busy + moved)
    own = (targets.stay * written + targets.read * read) / max(1, targets.own)
    others = ((1 - targets.stay) * written + (1 - targets.read) * read) / max(1, targets.others)
    received = max(targets.stay / targets.own_hosts, (1 - targets.stay) / targets.other_hosts) * written
    # One drive writes a chunk of a placement group.
    written = max(written * targets.most, layout.chunk_bytes)
    drives = max(own, others, written) / cluster.drive_rate
    limits = {DRIVE: drives, NETWORK: max(lost * (counted.network + moved) / cluster.hosts, received) / cluster.net}
    if per_core:
        limits[CPU] = lost / (cluster.hosts * cluster.cores * per_core)
    limits[SHARE] = drives / cluster.recovery_share
    chunk = cluster.chunk_of(object_bytes, k)
    limits[BACKFILLS] = written / cluster.most_backfilled(chunk)
    limits[OPERATIONS] = written / (cluster.osd.iops * chunk)
    limit = max(limits, key=lambda name: limits[name])  # if two are equal, the first one
    return Rebuild(lost, limits[limit], limit, limits, targets.drives)


SECONDS_PER_YEAR = 365 * 24 * 3600
MARGIN = 1.5  # the recommended profile also reaches the required nines if AFR and repair time are both MARGIN times as large
SAME = 1e-9  # two values are treated as equal if their relative difference is less than SAME


@dataclasses.dataclass(frozen=True)
class Losses:
    """Expected data losses per year."""

    drives: Annotated[float, Key("More drives are lost than the code recovers.", least=0)]
    sectors: Annotated[float, Key("A sector cannot be read while no redundancy is left.", least=0)]


@dataclasses.dataclass(frozen=True)
class Outcome(Counted):
    """A profile in this cluster: durability, times of rebuilds, space, speeds."""

    on_front: Annotated[bool, Key("true if the profile is on the Pareto front of stored bytes, durability and network traffic.")]
    status: Annotated[str, Key("deprecated: the release deprecates the plugin or the technique.", words=("", "deprecated"))]
    survived_losses: Annotated[int, Key("The largest number of lost chunks for which every erasure pattern can be recovered.",
                                        least=0)]
    chunks_per_domain: Annotated[int, Key("The largest number of chunks of an object in one failure domain.", least=1)]
    free_domains: Annotated[int, Key("Number of failure domains without a chunk of an object.", least=0)]
    domains_survived: Annotated[int, Key("Number of failure domains that can be lost without data loss.", least=0)]
    domains_served: Annotated[int, Key("Number of failure domains that can be down while clients read and write (min_size k+1, or "
                                       "k if m=1).", least=0)]
    object_losses: Annotated[Losses | None, Key("Expected losses of one object per year; null: no drive can store the "
                                                "chunks of a failed drive.", "object_losses_per_year")]
    pool_losses: Annotated[Losses | None, Key("Expected number of data losses of the pool per year.", "pool_losses_per_year")]
    object_nines: Annotated[float | None, Key("-log10 of the probability that an object is lost in a year, at most 300.")]
    pool_nines: Annotated[float | None, Key("The same for any object of the pool.")]
    margin_nines: Annotated[float | None, Key("object_nines if AFR and repair time are both 1.5 times as large.")]
    full: Annotated[float, Key("The share to which the drives can be full.", "fullest_share", least=0, most=1)]
    usable: Annotated[float, Key("Bytes of objects that the pool can store if all drives are as full.", "usable_bytes", least=0)]
    drive: Annotated[Rebuild | None, Key("Of all chunks of a failed drive; null: no drive can store them.", "drive_rebuild")]
    host: Annotated[Rebuild | None, Key("Of all chunks of a failed host; null: no host can store them.", "host_rebuild")]
    encode_gb_per_s: Annotated[float | None, Key("Speed on one core, in 10^9 bytes of the object per second; null: not known.")]
    repair_gb_per_s: Annotated[float | None, Key("The same for the repair of one lost chunk.")]
    degraded_read_gb_per_s: Annotated[float | None, Key("The same for the decode of one lost data chunk.")]
    write_cores: Annotated[float | None, Key("Number of cores in the whole cluster that encode the bytes that clients write "
                                             "(write_rate), and compute the CRC32C of all chunks if the run has it; "
                                             "null: not known.")]
    rebuild_cores: Annotated[float | None, Key("Number of cores in the whole cluster that coding needs while a drive is rebuilt; "
                                               "null: not known.")]
    overwrite_reads: Annotated[int, Key("Number of chunks that Ceph reads to change one chunk of a stripe.", least=0)]
    overwrite_writes: Annotated[int, Key("Number of chunks that Ceph writes to change one chunk of a stripe.", least=0)]
    speeds: Annotated[Speeds, HIDDEN]
    layout: Annotated[Layout, HIDDEN]

    @property
    def space(self) -> float:
        """Stored bytes per byte of the object."""
        return self.stored[0]

    @property
    def drives_survived(self) -> int:
        """Drives that can fail in addition to `domains_survived`."""
        return self.survived % self.layout.per_domain

    def is_worse_than(self, other: "Outcome") -> bool:
        """Whether `other` is better in space, durability or network traffic, and not worse in the others. A profile that Ceph keeps
        is never worse than one that it removes."""
        if other.status and not self.status:
            return False
        own, others = ((one.space, -(one.pool_nines or 0), one.network) for one in (self, other))
        return (all(cost >= least - SAME for cost, least in zip(own, others))
                and any(cost > least + SAME for cost, least in zip(own, others)))


def outcome(counted: Counted, request: Request, speeds: Speeds = UNKNOWN) -> Outcome:
    """`on_front` is false: it depends on the other profiles."""
    cluster, k, n, survived = request.cluster, counted.k, counted.n, counted.survived
    layout, per_core = Layout(n, cluster, counted.is_replicated), speeds.repair and speeds.repair / k  # a chunk has 1/k
    drive = rebuild(counted, layout, request.objects[0], per_core)
    own_losses = pool_losses = margin_losses = None
    if drive:
        chain = chain_of(counted, cluster, drive)
        whole, groups, losses = layout.chunk_bytes, layout.placement_groups, chain.losses_per_year()
        own = min(whole, request.objects[0] / k)
        own_losses = Losses(losses, sector_losses(chain, counted, own, cluster))
        pool_losses = Losses(groups * losses * distinct(counted, layout),
                             groups * sector_losses(chain, counted, whole, cluster))
        worse = chain_of(counted, cluster, drive, MARGIN)
        margin_losses = Losses(worse.losses_per_year(), sector_losses(worse, counted, own, cluster))
    reads, writes = overwrite_of(k, n, fast_ec=counted.fast_ec, is_replicated=counted.is_replicated)
    return Outcome(
        **{field.name: getattr(counted, field.name) for field in dataclasses.fields(Counted)}, on_front=False,
        status="" if counted.is_replicated else request.release.status_of(counted.plugin, counted.technique),
        survived_losses=survived, chunks_per_domain=layout.per_domain, free_domains=layout.spare,
        domains_survived=survived // layout.per_domain, domains_served=served_losses(k, n, survived) // layout.per_domain,
        object_losses=own_losses, pool_losses=pool_losses, object_nines=nines_of(own_losses),
        pool_nines=nines_of(pool_losses), margin_nines=nines_of(margin_losses), full=layout.fullest,
        usable=layout.fullest * cluster.all_drives * cluster.drive_bytes / counted.stored[0], drive=drive,
        host=rebuild(counted, layout, request.objects[0], per_core, of_host=True),
        encode_gb_per_s=speeds.encode and speeds.encode / 1e9,
        repair_gb_per_s=speeds.repair and speeds.repair / 1e9,
        degraded_read_gb_per_s=speeds.degraded_read and speeds.degraded_read / 1e9,
        write_cores=cluster.write_rate / speeds.write if speeds.write else None,
        rebuild_cores=drive.lost_bytes / drive.seconds / per_core if drive and per_core else None, overwrite_reads=reads,
        overwrite_writes=writes, speeds=speeds, layout=layout)


def nines_of(losses: Losses | None) -> float | None:
    return nines(probability(losses.drives + losses.sectors)) if losses else None


def chain_of(counted: Counted, cluster: Cluster, drive: Rebuild, times: float = 1) -> Chain:
    """`times`: factor for the AFR and for the time of a repair."""
    return Chain(counted.n, counted.recoverable(), times * cluster.afr,
                 times * (SECONDS_UNTIL_OUT + drive.seconds) / SECONDS_PER_YEAR)


def sector_losses(chain: Chain, counted: Counted, chunk: float, cluster: Cluster) -> float:
    """Losses per year from unreadable sectors in chunks of `chunk` bytes. The repair of one lost chunk reads the chunks that the
    code requests; the repair of several reads k chunks."""
    read = [0.0, counted.helpers, *([counted.k] * counted.n)]
    return chain.sector_losses_per_year([-math.expm1(chunks * chunk * 8 * math.log1p(-cluster.unreadable)) for chunks in read])


def distinct(counted: Counted, layout: Layout) -> float:
    """Events in which the pool loses data, per placement group that loses data. In a small cluster, the same drives store the
    chunks of many placement groups. `shared`: the mean number of placement groups that a fatal set of lost drives belongs to."""
    fatal, cluster = counted.survived + 1, layout.cluster
    share = next((1 - count.recoverable_share for count in counted.losses if count.chunks == fatal), 1.0)
    places = cluster.hosts if layout.is_spread else cluster.domains if layout.per_domain == 1 else cluster.all_drives
    sets = math.comb(places, fatal) * (cluster.all_drives // places)**fatal
    # The two integers can be larger than any floating-point number; their ratio is not.
    shared = share * (layout.placement_groups * math.comb(counted.n, fatal) / sets)
    return -math.expm1(-shared) / shared if shared else 1.0


def with_front(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """On the Pareto front: those that are not worse than any other profile (is_worse_than())."""
    return [dataclasses.replace(one, on_front=not any(one.is_worse_than(other) for other in outcomes)) for one in outcomes]
