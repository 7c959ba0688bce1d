"""The profiles that fit the cluster: their data must survive the loss of a failure domain. `ecbench describe` counts the erasure
patterns that can be recovered (of lrc, by Ceph's decoder), `ecbench reads` the bytes that a repair reads and sends. Also their
coding speeds."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Annotated

from ecbench.ceph.placement import Cluster, Layout
from ecbench.ceph.profile import isa_technique, recoverable, rounded_up, stored_bytes
from ecbench.documents.document import HIDDEN, Key
from ecbench.experiment.expansion import Dropped, Reason
from ecbench.measure.ecbench import Ecbench
from ecbench.plan.request import Request
from ecbench.point.point import Point, Reads, make_point, profile_words, size_word
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary, summarize
from ecbench.terminal.console import Refused, number_of, say

# If a code has more erasure patterns, a random sample of this size is checked, which takes seconds. The first number is for codes
# with more than MANY_CHUNKS chunks.
MOST_PATTERNS, MANY_CHUNKS = (1_000, 20_000), 24
MANY_PROFILES = 100
REPLICATED, COPIES = "replicated", 3


@dataclasses.dataclass(frozen=True)
class Profile:
    """A profile with Ceph's names of plugins, techniques and parameters."""

    name: Annotated[str, Key("As in the tables, such as isa 8+3. lrc: lrc k/m/l; shec: shec k/m/c.")]
    plugin: Annotated[str, Key("Ceph's plugin; replicated: three copies in a replicated pool.")]
    technique: Annotated[str, Key("Empty for lrc.")]
    parameters: Annotated[dict[str, str], Key("backend is a parameter of ecbench only; Ceph has all others.")]
    k: Annotated[int, Key("Number of data chunks.", least=1)]
    n: Annotated[int, Key("Number of all chunks.", least=2)]

    @property
    def m(self) -> int:
        """The number of all coding chunks. For lrc, this number includes the local coding chunks."""
        return self.n - self.k

    def words(self) -> list[str]:
        return profile_words(self.plugin, tuple(self.parameters.items()))


@dataclasses.dataclass(frozen=True)
class LossCount:
    """Counts of the erasure patterns with a certain number of lost chunks."""

    chunks: Annotated[int, Key("Number of lost chunks.", least=1)]
    patterns: Annotated[int, Key("Number of all erasure patterns with this number of lost chunks.", least=1)]
    checked: Annotated[int, Key("Number of checked patterns: all, or a random sample.", least=1)]
    unrecoverable: Annotated[int, Key("Number of checked patterns that cannot be recovered.", least=0)]
    recoverable_share: Annotated[float, Key("1 - unrecoverable / checked.", least=0, most=1)] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "recoverable_share", 1 - self.unrecoverable / self.checked)

    @property
    def is_exact(self) -> bool:
        return self.checked == self.patterns


@dataclasses.dataclass(frozen=True)
class Repair:
    """The cost of the repair of one lost chunk."""

    read: Annotated[float, Key("Bytes that the repair of one chunk reads from drives, in whole checksum blocks, per byte of the "
                               "chunk: the mean over all chunks, like the next four.", "read_per_lost_byte", above=0)]
    # It includes the gaps between the reads: a drive seeks over a gap or lets it pass, whichever takes less time.
    busy: Annotated[float, Key("Time of these reads on the drives, as bytes that are read contiguously in the same time, per byte "
                               "of the lost chunk.", "busy_per_lost_byte", above=0)]
    network: Annotated[float, Key("Bytes that the repair sends over the network, per byte of the lost chunk.",
                                  "sent_per_lost_byte", above=0)]
    helpers: Annotated[float, Key("Number of chunks that the repair reads.", above=0)]
    reads_per_helper: Annotated[float, Key("Number of contiguous reads from each of them.", above=0)]  # before rounding to blocks
    sub_chunks: Annotated[int, HIDDEN]  # of a chunk


@dataclasses.dataclass(frozen=True)
class Counted(Repair, Profile):
    """A profile, and the values that are counted or computed for it without a measurement."""

    losses: list[LossCount]  # one for each number of lost chunks, 1 to n-k
    stored: Annotated[list[float], Key("Stored bytes per byte of the object, for each entry of sizes.", "stored_per_byte", above=0)]
    # Also the next larger one if clay of the release would compute wrong bytes.
    stripe_units: Annotated[list[int], Key("Bytes, for each entry of sizes; if the code would pad the requested stripe unit, the "
                                           "next larger one that it does not pad.", least=1)]
    fast_ec: Annotated[bool, Key("true if the pool has allow_ec_optimizations.")]

    @property
    def is_replicated(self) -> bool:
        return self.plugin == REPLICATED

    @property
    def survived(self) -> int:
        """The largest number of lost chunks for which every erasure pattern can be recovered."""
        return next((count.chunks - 1 for count in self.losses if count.unrecoverable), len(self.losses))

    def recoverable(self) -> list[float]:
        """For each number of lost chunks, the share of erasure patterns that can be recovered. The first element is for 0 lost
        chunks. The last element is for the largest number of lost chunks whose share is above 0."""
        return [1.0, *(count.recoverable_share for count in self.losses if count.recoverable_share > 0)]


def gather(request: Request, ecbench: Ecbench) -> tuple[list[Counted], list[Reason]]:
    """The profiles that fit the cluster, and three copies, and why others do not fit. Throws Refused if none fits."""
    dropped = Dropped()
    if len(possible := list(profiles(request, ecbench, dropped))) > MANY_PROFILES:
        say(f"the losses and reads of {len(possible)} profiles are counted, which can take minutes; fewer k= and m= take less time")
    losses = count_losses([profile for profile, _ in possible], ecbench)
    found = []
    for profile, units in possible:
        repair = repairs(profile, units[0], request, ecbench)
        if profile.plugin == "clay":
            units = tuple(rounded_up(unit, request.release.sub_chunk_unit * repair.sub_chunks) for unit in units)
            repair = repairs(profile, units[0], request, ecbench)
        one = counted(profile, units, losses[profile.name], request, repair)
        if why := misfit(profile.n, one.survived, one.survived == profile.m, request.cluster):
            dropped.add(why, profile.name)
        else:
            found.append(one)
    if not found:
        reasons = "; ".join(reason.why for reason in list(dropped.values())[:3])
        raise Refused(f"no profile fits: {reasons or 'no plugin has a profile for these k and m'}; give other k=, m= or l=, "
                      "more hosts or drives, another failure-domain=, or use a replicated pool")
    if request.cluster.domains >= COPIES:
        found.append(copies(request))
    return found, list(dropped.values())


def misfit(n: int, survived: int, is_mds: bool, cluster: Cluster) -> str:
    """Why the profile does not fit the cluster; "" if it fits."""
    layout, domain = Layout(n, cluster), cluster.failure_domain
    if layout.per_domain > 1 and not is_mds:
        return f"it has {n} chunks, but there are only {cluster.domains} {domain}s, and it is not MDS"
    if layout.per_domain > survived:
        return (f"with {number_of(cluster.domains, domain)}, {layout.per_domain} of its {n} chunks are on one "
                f"{domain}, and it survives only the loss of {survived}")
    if layout.per_domain > 1 and layout.per_domain >= cluster.domain_drives:
        return (f"{layout.per_domain} of its {n} chunks are on one {domain} of {cluster.domain_drives} drives, so no drive is left "
                "for a rebuild")
    return ""


def copies(request: Request) -> Counted:
    """Three copies in a replicated pool. A repair reads one copy."""
    losses = [LossCount(lost, math.comb(COPIES, lost), math.comb(COPIES, lost), 0) for lost in range(1, COPIES)]
    sizes = list(request.sizes())
    stored = [COPIES * rounded_up(size, request.min_alloc) / size for size, _ in sizes]
    return Counted(f"{COPIES} copies", REPLICATED, "", {"size": str(COPIES)}, 1, COPIES, read=1, busy=1, network=1, helpers=1,
                   reads_per_helper=1, sub_chunks=1, losses=losses, stored=stored, stripe_units=[unit for _, unit in sizes],
                   fast_ec=False)


def profiles(request: Request, ecbench: Ecbench, dropped: Dropped) -> Iterator[tuple[Profile, tuple[int, ...]]]:
    """The profiles that ecbench accepts and that fit the cluster, each with its stripe units. Ceph refuses a stripe unit that the
    code would pad, so it is the padded chunk of an object of k requested stripe units."""
    wanted = list(candidates(request))
    answers = iter(ecbench.describe([{"words": [*profile.words(), "--size", str(profile.k * unit)]}
                                     for profile in wanted for unit in request.stripe_units]))
    for profile in wanted:
        described = list(itertools.islice(answers, len(request.stripe_units)))
        refused = next((one.refused for one in described if one.refused), "")
        given = {key: int(value) for key, value in profile.parameters.items() if value.isdigit()}
        if given.get("l") == given["k"] + given["m"]:
            dropped.add("Ceph computes no global coding chunks if one local group contains all chunks (l = k+m)", profile.name)
        elif refused:
            if profile.plugin != "lrc" or request.l:
                dropped.add(refused, profile.name)
        elif why := misfit(profile.n, profile.m, profile.plugin != "lrc", request.cluster):
            dropped.add(why, profile.name)
        else:
            yield profile, tuple(one.chunk_size for one in described)


def candidates(request: Request) -> Iterator[Profile]:
    """The requested profiles, also those that ecbench refuses."""
    def made(name: str, n: int, **others: object) -> Profile:
        parameters = {key: str(value) for key, value in {"k": k, "m": m, **others}.items()}
        return Profile(f"{plugin} {name}", plugin, str(others.get("technique", "")), parameters, k, n)

    for plugin, k, m in itertools.product(request.plugins, request.k, request.m):
        if plugin == "lrc":
            for l in request.l or (l for l in range(2, k + m) if (k + m) % l == 0):
                yield made(f"{k}/{m}/{l}", k + m + (k + m) // l, l=l, backend="isa")
        elif plugin == "shec":
            for c in request.c or ((m - 1,) if m > 1 else ()):
                yield made(f"{k}/{m}/{c}", k + m, c=c, technique="multiple", backend="isa")
        elif plugin == "clay":
            yield made(f"{k}+{m}", k + m, scalar_mds="isa", technique="reed_sol_van")
        else:
            yield made(f"{k}+{m}", k + m, technique=isa_technique(k, m) if plugin == "isa" else "reed_sol_van")


def count_losses(found: Sequence[Profile], ecbench: Ecbench) -> dict[str, list[LossCount]]:
    """Name of a profile → the counts of its erasure patterns of 1 to n-k lost chunks. A subset of a recoverable pattern is
    recoverable, so fewer than n-k losses are checked only if some pattern of n-k cannot be recovered."""
    counts: dict[str, list[LossCount]] = {}
    for profile in (one for one in found if one.plugin == "lrc"):  # Ceph's decoder recovers fewer losses than ecbench's
        k, m, l = (int(profile.parameters[key]) for key in "kml")
        counts[profile.name] = [LossCount(chunks, patterns, patterns, patterns - recoverable(k, m, l, chunks))
                                for chunks in range(1, profile.m + 1) for patterns in [math.comb(profile.n, chunks)]]
    found = [profile for profile in found if profile.name not in counts]
    last = ask_losses([(profile, profile.m) for profile in found], ecbench)
    rest = iter(ask_losses([(profile, chunks) for profile, most in zip(found, last) if most.unrecoverable
                            for chunks in range(1, profile.m)], ecbench))
    for profile, most in zip(found, last):
        fewer = list(itertools.islice(rest, profile.m - 1)) if most.unrecoverable else [
            LossCount(chunks, patterns, patterns if most.is_exact else min(patterns, most.checked), 0)
            for chunks in range(1, profile.m) for patterns in [math.comb(profile.n, chunks)]]
        counts[profile.name] = [*fewer, most]
    return counts


def ask_losses(questions: Sequence[tuple[Profile, int]], ecbench: Ecbench) -> list[LossCount]:
    """`questions`: pairs of a profile and a number of lost chunks."""
    few, many = MOST_PATTERNS
    answers = ecbench.describe([{"words": profile.words(), "losses": chunks,
                                 "most_patterns": many if profile.n <= MANY_CHUNKS else few} for profile, chunks in questions])
    counts = []
    for (profile, chunks), answer in zip(questions, answers, strict=True):
        if answer.losses is None:
            raise Refused(f"the losses of {profile.name} were not counted: {answer.refused or 'build ecbench again'}")
        counts.append(LossCount(chunks, math.comb(profile.n, chunks), answer.losses.checked, answer.losses.unrecoverable))
    return counts


def counted(profile: Profile, units: tuple[int, ...], losses: list[LossCount], request: Request, repair: Repair) -> Counted:
    def uses_fast_ec(unit: int) -> bool:
        return request.release.uses_fast_ec(profile.plugin, profile.technique, unit)

    sizes = list(itertools.product(request.objects, units))
    stored = [stored_bytes(size, profile.k, profile.n, unit, fast_ec=uses_fast_ec(unit), min_alloc=request.min_alloc) / size
              for size, unit in sizes]
    return Counted(**vars(profile), **vars(repair), losses=losses, stored=stored, stripe_units=[unit for _, unit in sizes],
                   fast_ec=uses_fast_ec(units[0]))


def repairs(profile: Profile, unit: int, request: Request, ecbench: Ecbench) -> Repair:
    """The cost of a repair with this stripe unit."""
    answers = ecbench.show_reads([*profile.words(), "--size", str(profile.k * unit), "--stripe-unit", str(unit), "--csum-block",
                                  str(request.csum_block)])
    if (sub_chunks := answers[0].sub_chunk_count) > 1 and not request.release.reads_sub_chunks:
        k = profile.k
        return Repair(read=k, busy=k, network=k, helpers=k, reads_per_helper=1, sub_chunks=sub_chunks)
    stripes = max(1, -(-request.objects[0] // (profile.k * unit)))
    return repair_of(answers, unit, stripes, request.cluster)


def repair_of(answers: Sequence[Reads], unit: int, stripes: int, cluster: Cluster) -> Repair:
    return Repair(fmean(one.block_factor for one in answers), fmean(busy(one, unit, stripes, cluster) for one in answers),
                  fmean(one.network_factor for one in answers), fmean(one.chunks_read for one in answers),
                  fmean(one.reads_per_helper for one in answers), answers[0].sub_chunk_count)


def busy(answer: Reads, unit: int, stripes: int, cluster: Cluster) -> float:
    """Repair.busy for one lost chunk. `unit`: bytes of a chunk in one stripe. All gaps between the reads of a helper have the same
    size. The gap after the last read of the object does not count."""
    helpers, reads = answer.chunks_read, answer.block_reads_per_helper
    if not reads or not helpers:
        return answer.block_factor
    gap = unit * (1 - answer.block_factor / helpers) / reads
    passed = min(gap, cluster.drive_seek * cluster.drive_rate)  # bytes that the drive could have read instead
    return answer.block_factor + helpers * max(0.0, stripes * reads - 1) * passed / (stripes * unit)


def clay_note(found: Sequence[Counted], chosen: Counted, request: Request, ecbench: Ecbench) -> list[str]:
    """From which stripe unit clay with the same k and m as `chosen` reads only its sub-chunks, and takes less time on drives than
    Reed-Solomon."""
    k, m, release = chosen.k, chosen.m, request.release
    for clay in (one for one in found if (one.plugin, one.k, one.m) == ("clay", k, m)):
        if not release.reads_sub_chunks:
            return [f"{clay.name} reads {k} chunks: {release.name} does not repair from sub-chunks."]
        most = request.objects[0] // k
        units = [unit for power in range(16) if (unit := clay.sub_chunks * 512 << power) <= most]
        faster = next((unit for unit in units if repairs(clay, unit, request, ecbench).busy < k), None)
        crossover = f"faster from {size_word(faster)}" if faster else "never faster"
        return [f"{clay.name} reads {clay.read:.2f} per byte, fewest at stripe unit n x "
                f"{size_word(clay.sub_chunks * request.csum_block)}; {crossover}."]
    return []


# The coding speed of one core.

# The speeds that are measured for each profile. Key: name of the speed. Value: workload and options of the measured point.
POINTS: Mapping[str, tuple[str, dict[str, object]]] = {
    "encode": ("encode", {}), "repair": ("repair", {}), "degraded read": ("decode", {"erased": 0, "want": "data"})}
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
    crc32c: float = 0  # seconds per byte of the object for the CRC32C of all chunks; 0: not known

    @property
    def write(self) -> float | None:
        """Bytes of the object that one core encodes per second if it also computes the CRC32C of all chunks, as an OSD does. Only
        encodes, if the time of the CRC32C is not known."""
        return 1 / (1 / self.encode + self.crc32c) if self.encode else None

    @property
    def code_percent(self) -> float | None:
        """The share of the code in the time of a write; None if that of the CRC32C is not known."""
        return 100 * self.write / self.encode if self.write and self.encode and self.crc32c else None


UNKNOWN = Speeds()


def points_of(counted: Counted, request: Request) -> dict[str, Point]:
    """Name, such as `isa 8+3 encode`, → point to measure, with the first object size and stripe unit."""
    size, unit = request.objects[0], counted.stripe_units[0]
    instead = {"repair": "decode"} if counted.sub_chunks > 1 and not request.release.reads_sub_chunks else {}
    return {f"{counted.name} {figure}": make_point(counted.plugin, counted.parameters, instead.get(workload, workload), size, 1,
                                                   stripe_unit=unit, cache="cold", **options)
            for figure, (workload, options) in POINTS.items()}


class Measured:
    """The speeds in runs. If several machines measured the same point, the lowest speed is used."""

    def __init__(self, runs: Sequence[Run]):
        self.runs = runs
        self.conditions: set[tuple[int, int | None, str]] = set()  # size, stripe unit and cache state of the speeds that are used
        self._summaries: list[PointSummary] = [one for run in runs for one in summarize(run) if one.gb_per_s]

    def speeds(self, counted: Counted, request: Request) -> Speeds:
        if counted.is_replicated:
            return UNKNOWN
        _, to_repair, _ = points = list(points_of(counted, request).values())
        found = [self._slowest(point) for point in points]
        if not found[1] and counted.plugin in ("isa", "jerasure"):
            # For these plugins, repair and decode of one lost chunk are the same computation.
            found[1] = self._slowest(dataclasses.replace(to_repair, workload="decode"))
        encode, repair, degraded_read = (one.gb_per_s * 1e9 if one and one.gb_per_s else None for one in found)
        crc32c = found[0].row.crc32c_cpu_seconds_per_gb if found[0] and found[0].row else None
        return Speeds(encode, repair, degraded_read, any(one.mark for one in found if one), (crc32c or 0) / 1e9)

    def _slowest(self, wanted: Point) -> PointSummary | None:
        """The slowest of the points that are alike and nearest: in size, then in stripe unit, then in cache state."""
        alike = [one for one in self._summaries if is_alike(one.point, wanted)]
        if not alike:
            return None
        nearest = min(distance(one.point, wanted) for one in alike)
        chosen = min((one for one in alike if distance(one.point, wanted) == nearest), key=lambda one: one.gb_per_s or 0)
        self.conditions.add((chosen.point.size, chosen.point.stripe_unit, chosen.point.cache))
        return chosen


def is_alike(found: Point, wanted: Point) -> bool:
    """Whether the speed of `found` may be used for `wanted`, which has one thread."""
    same = ("plugin", "workload", "threads", "codec_lib", "timing", "dispatch")
    return (all(getattr(found, name) == getattr(wanted, name) for name in same) and code_of(found) == code_of(wanted)
            and (found.erasures == wanted.erasures or found.erased is not None))


def code_of(point: Point) -> dict[str, str]:
    """The parameters that affect the bytes of the chunks, without parameters that have their default value."""
    ignored = {("w", "8"), *(SCALAR_CODES if point.plugin == "clay" else ())}
    return {key: value for key, value in point.profile
            if value not in ("", "false") and key not in KERNELS and (key, value) not in ignored}


def distance(found: Point, wanted: Point) -> tuple[float, bool, bool]:
    return (max(found.size / wanted.size, wanted.size / found.size), found.stripe_unit != wanted.stripe_unit,
            found.cache != wanted.cache)
