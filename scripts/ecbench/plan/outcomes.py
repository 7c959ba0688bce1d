"""The coding speed of one core: measured, or read from run files."""

import dataclasses
import math
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from ecbench.ceph.placement import Cluster, Layout, chunk_bytes, fullest, layout_of, placement_groups
from ecbench.ceph.releases import SECONDS_UNTIL_OUT, Overwrite, overwrite_of, served_losses
from ecbench.comparison.comparison import Comparison
from ecbench.documents.document import Key
from ecbench.plan import rebuild
from ecbench.plan.chain import HOURS_PER_YEAR, Chain, nines, probability
from ecbench.plan.profiles import Counted, Profile
from ecbench.plan.rebuild import Rebuild
from ecbench.plan.request import Request
from ecbench.point.point import Point
from ecbench.runfile.header import runs_in
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import PointSummary, summarize
from ecbench.terminal.console import Refused

# The speeds that are measured for each profile. Key: name of the speed. Value: workload and options of the measured point.
ENCODE, REPAIR, DEGRADED_READ = "encode", "repair", "degraded read"
POINTS: Mapping[str, tuple[str, dict[str, object]]] = {
    ENCODE: ("encode", {}), REPAIR: ("repair", {}), DEGRADED_READ: ("decode", {"erased": 0, "want": "data"})}
# Parameters of profiles that do not change the bytes of the chunks.
KERNELS = ("backend", "store")
# If a parameter of clay has one of these values, the parameter is ignored in the comparison of two points.
SCALAR_CODES = {("scalar_mds", "isa"), ("scalar_mds", "jerasure"), ("technique", "reed_sol_van")}


@dataclasses.dataclass(frozen=True)
class Speeds:
    """Speeds: bytes of the object that one core processes per second; None: not known."""

    encode: float | None = None
    repair: float | None = None
    degraded_read: float | None = None
    marked: bool = False  # measured with warnings

    def rebuilt(self, k: int) -> float | None:
        """Bytes of lost chunks that one core rebuilds per second. A chunk has 1/k of the bytes of the object."""
        return self.repair / k if self.repair else None


UNKNOWN = Speeds()


def points(counted: Iterable[Counted], request: Request) -> dict[str, Point]:
    """The points that are measured. The key consists of the names of the profile and the speed, such as `isa 8+3 encode`."""
    return {f"{one.profile.name} {figure}": point for one in counted for figure, point in points_of(one, request).items()}


def points_of(counted: Counted, request: Request) -> dict[str, Point]:
    """The points of one profile, with the first object size and the first stripe unit. The keys are the keys of POINTS."""
    return {figure: counted.profile.point(workload, request.objects[0], counted.stripe_units[0], **options)
            for figure, (workload, options) in POINTS.items()}


def measured(profile: Profile, figures: Comparison) -> Speeds:
    names = [f"{profile.name} {figure}" for figure in POINTS]
    found = [figures.candidates.get(name) for name in names]
    values = [one and one.speed.median for one in found]
    encode, repair, degraded_read = (value * 1e9 if value else None for value in values)
    return Speeds(encode, repair, degraded_read, any(one and one.mark for one in found))


class Stored:
    """The speeds in run files. If several machines measured the same point, the lowest speed is used."""

    def __init__(self, paths: Sequence[str]):
        """Throws Refused."""
        self.runs: list[Run] = [read_run(file) for path in paths for file in files_of(path)]
        self.conditions: set[tuple[int, int | None, str]] = set()  # size, stripe unit and cache state of the speeds that are used
        self._summaries: list[PointSummary] = [one for run in self.runs for one in summarize(run) if one.gb_per_s]

    def speeds(self, counted: Counted, request: Request) -> Speeds:
        if counted.is_replicated:
            return UNKNOWN
        wanted = points_of(counted, request)
        found = {figure: self._slowest(point) for figure, point in wanted.items()}
        if not found[REPAIR] and counted.profile.plugin in ("isa", "jerasure"):
            # For these plugins, repair and decode of one lost chunk are the same computation.
            found[REPAIR] = self._slowest(dataclasses.replace(wanted[REPAIR], workload="decode"))
        encode, repair, degraded_read = (one.gb_per_s * 1e9 if one and one.gb_per_s else None for one in found.values())
        return Speeds(encode, repair, degraded_read, any(one.mark for one in found.values() if one))

    def _slowest(self, wanted: Point) -> PointSummary | None:
        """The slowest of the points that are alike and nearest: in size, then in stripe unit, then in cache state."""
        alike = [one for one in self._summaries if is_alike(one.point, wanted)]
        if not alike:
            return None
        nearest = min(distance(one.point, wanted) for one in alike)
        chosen = min((one for one in alike if distance(one.point, wanted) == nearest), key=lambda one: one.gb_per_s or 0)
        self.conditions.add((chosen.point.size, chosen.point.stripe_unit, chosen.point.cache))
        return chosen


def files_of(path: str) -> list[pathlib.Path]:
    """If `path` is a directory: the run files in it and in its subdirectories. Otherwise: only `path`. Throws Refused."""
    if not (folder := pathlib.Path(path)).is_dir():
        return [folder]
    if found := runs_in(folder):
        return found
    raise Refused(f"--runs {path} is not allowed: the directory has no run file (*.jsonl, *.jsonl.gz); give a run file or another "
                  "directory")


def is_alike(found: Point, wanted: Point) -> bool:
    """Whether the speed of `found`, which must use one thread, may be used for `wanted`."""
    return (found.plugin == wanted.plugin and found.workload == wanted.workload and found.threads == 1
            and found.codec_lib == wanted.codec_lib and found.timing == wanted.timing
            and (found.erasures == wanted.erasures or found.erased is not None) and found.dispatch == wanted.dispatch
            and code_of(found) == code_of(wanted))


def code_of(point: Point) -> dict[str, str]:
    """The parameters that affect the bytes of the chunks, without parameters that have their default value."""
    ignored = {("w", "8"), *(SCALAR_CODES if point.plugin == "clay" else ())}
    return {key: value for key, value in point.profile
            if value not in ("", "false") and key not in KERNELS and (key, value) not in ignored}


def distance(found: Point, wanted: Point) -> tuple[float, bool, bool]:
    return (max(found.size / wanted.size, wanted.size / found.size), found.stripe_unit != wanted.stripe_unit,
            found.cache != wanted.cache)


# The outcome of each profile for the cluster: space, durability, rebuilds, cores; and the Pareto front of the profiles.

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
