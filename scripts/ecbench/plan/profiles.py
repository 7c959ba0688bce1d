"""Finds the profiles that fit the cluster: a profile must not have more chunks than there are hosts. For each of these profiles,
`ecbench --describe` counts the erasure patterns that can be recovered, and `ecbench --show-reads` computes the bytes that a repair
reads and sends."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence

from ecbench.ceph.stored_size import stored_bytes
from ecbench.measure.ecbench import Ecbench
from ecbench.plan.request import Request
from ecbench.point.expansion import Dropped
from ecbench.point.point import Json, Pairs, Point, make_point, profile_words
from ecbench.terminal.console import Refused

# MOST_PATTERNS limits how many erasure patterns are checked. If a code has more patterns, a random sample of this size is checked.
# The first number is for codes with more than MANY_CHUNKS chunks, because it takes longer to check their patterns. The second
# number is for all other codes. It takes seconds to check 20,000 patterns.
MOST_PATTERNS, MANY_CHUNKS = (1_000, 20_000), 24


@dataclasses.dataclass(frozen=True)
class Profile:
    """A profile with Ceph's names of plugins, techniques and parameters."""

    name: str  # the name that the tables show
    plugin: str
    technique: str
    parameters: Pairs  # parameters of the plugin
    k: int
    n: int  # number of all chunks

    @property
    def m(self) -> int:
        """The number of all coding chunks. For lrc, this number includes the local coding chunks."""
        return self.n - self.k

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.parameters)

    def point(self, workload: str, size: int, stripe_unit: int, **options: object) -> Point:
        return make_point(self.plugin, dict(self.parameters), workload, size, 1, stripe_unit=stripe_unit, cache="cold", **options)


@dataclasses.dataclass(frozen=True)
class LossCount:
    """Counts of the erasure patterns with a certain number of lost chunks."""

    chunks: int  # number of lost chunks
    patterns: int  # number of all patterns
    checked: int  # number of patterns that were checked: all patterns, or a random sample
    unrecoverable: int  # number of checked patterns that cannot be recovered

    @property
    def share(self) -> float:
        """The share of the checked patterns that can be recovered."""
        return 1 - self.unrecoverable / self.checked

    @property
    def is_exact(self) -> bool:
        return self.checked == self.patterns


@dataclasses.dataclass(frozen=True)
class Repair:
    """The cost of the repair of one lost chunk. Each value is the mean over all chunks of the profile."""

    drive: float  # bytes that are read from drives, divided by the chunk size
    network: float  # bytes that are sent over the network (also those of the rebuilt chunk), divided by the chunk size
    helpers: float  # number of chunks that are read
    reads_per_helper: float  # number of contiguous reads from one helper


@dataclasses.dataclass(frozen=True)
class Counted:
    """A profile, and the values that are counted or computed for it without a measurement."""

    profile: Profile
    losses: tuple[LossCount, ...]  # one for each number of lost chunks, 1 to n-k
    repair: Repair
    stored: tuple[float, ...]  # stored bytes per byte of the object; one value for each pair of Request.sizes()
    # The stripe unit in bytes; one value for each pair of Request.sizes(). If the code would pad the requested stripe unit, the
    # value is the next larger stripe unit that the code does not pad.
    stripe_units: tuple[int, ...]
    fast_ec: bool

    @property
    def survived(self) -> int:
        """The largest number of lost chunks for which every erasure pattern can be recovered."""
        return next((count.chunks - 1 for count in self.losses if count.unrecoverable), len(self.losses))

    def recoverable(self) -> list[float]:
        """For each number of lost chunks, the share of erasure patterns that can be recovered. The first element is for 0 lost
        chunks. The last element is for the largest number of lost chunks whose share is above 0."""
        return [1.0, *(count.share for count in self.losses if count.share > 0)]


def gather(request: Request, ecbench: Ecbench) -> tuple[list[Counted], list[Json]]:
    """Returns the profiles that fit the cluster, and the reasons why other profiles do not fit. Throws Refused if none fits."""
    dropped = Dropped()
    possible = list(profiles(request, ecbench, dropped))
    if not possible:
        reasons = "; ".join(reason["why"] for reason in dropped.all()[:3])
        raise Refused(f"no profile fits: {reasons or 'no plugin has a profile for these k and m; give other numbers'}")
    losses = count_losses([profile for profile, _ in possible], ecbench)
    return [counted(profile, units, losses[profile], request, repair_of(ecbench.show_reads(profile.words())))
            for profile, units in possible], dropped.all()


def profiles(request: Request, ecbench: Ecbench, dropped: Dropped) -> Iterator[tuple[Profile, tuple[int, ...]]]:
    """Yields the profiles that ecbench accepts and that have at most one chunk per host, each with its stripe units. If the
    parameter l of lrc is not given, values of l that ecbench refuses are skipped without a message.

    Ceph refuses a stripe unit that the code would pad. Therefore ecbench is asked for the chunk size of an object with k requested
    stripe units. This chunk size includes the padding, and is used as the stripe unit of the profile."""
    wanted = list(candidates(request))
    answers = iter(ecbench.describe([{"words": [*profile_words(plugin, parameters), "--size", str(k * unit)]}
                                     for _, plugin, k, parameters in wanted for unit in request.stripe_units]))
    hosts = request.cluster.hosts
    for name, plugin, _, parameters in wanted:
        described = list(itertools.islice(answers, len(request.stripe_units)))
        answer = next((one for one in described if "refused" in one), described[0])
        if "refused" in answer:
            if plugin != "lrc" or request.l:
                dropped.add(answer["refused"], name)
        elif answer["chunk_count"] > hosts:
            dropped.add(f"it has {answer['chunk_count']} chunks, but there are only {hosts} hosts", name)
        else:
            technique = answer["profile"].get("technique") or ("" if plugin == "lrc" else "reed_sol_van")
            yield (Profile(name, plugin, technique, parameters, answer["k"], answer["chunk_count"]),
                   tuple(one["chunk_size"] for one in described))


def candidates(request: Request) -> Iterator[tuple[str, str, int, Pairs]]:
    """Yields the name, the plugin, k and the parameters of each requested profile. ecbench may refuse some of these profiles."""
    for plugin in request.plugins:
        for k in request.k:
            for m in request.m:
                shape = {"k": k, "m": m}
                if plugin == "lrc":
                    for l in request.l or (l for l in range(2, k + m) if (k + m) % l == 0):
                        yield f"lrc {k}/{m}/{l}", plugin, k, pairs(shape, l=l, backend="isa")
                elif plugin == "shec":
                    for c in request.c or ((m - 1,) if m > 1 else ()):
                        yield f"shec {k}/{m}/{c}", plugin, k, pairs(shape, c=c, technique="multiple", backend="isa")
                elif plugin == "clay":
                    yield f"clay {k}+{m}", plugin, k, pairs(shape, scalar_mds="isa", technique="reed_sol_van")
                else:
                    yield f"{plugin} {k}+{m}", plugin, k, pairs(shape, technique=technique_of(plugin, k, m))


def pairs(shape: dict[str, int], **others: object) -> Pairs:
    return tuple((key, str(value)) for key, value in {**shape, **others}.items())


def technique_of(plugin: str, k: int, m: int) -> str:
    """The technique of a profile of isa or jerasure. Ceph limits k and m for isa's reed_sol_van, because isa's Vandermonde matrix
    cannot recover every loss if k or m is larger. For larger k or m, the technique is cauchy."""
    return "cauchy" if plugin == "isa" and (m > 4 or (m == 4 and k > 21)) else "reed_sol_van"


def count_losses(found: Sequence[Profile], ecbench: Ecbench) -> dict[Profile, tuple[LossCount, ...]]:
    """Counts the erasure patterns of 1 to n-k lost chunks. If a code can recover a pattern, it can also recover every subset of
    this pattern. Therefore patterns with fewer than n-k lost chunks are checked only if the code cannot recover all patterns of n-k
    lost chunks."""
    last = ask_losses([(profile, profile.m) for profile in found], ecbench)
    others = ask_losses([(profile, chunks) for profile, most in zip(found, last) if most.unrecoverable
                         for chunks in range(1, profile.m)], ecbench)
    rest = iter(others)
    counts = {}
    for profile, most in zip(found, last):
        fewer = list(itertools.islice(rest, profile.m - 1)) if most.unrecoverable else [
            LossCount(chunks, patterns, patterns if most.is_exact else min(patterns, most.checked), 0)
            for chunks in range(1, profile.m) for patterns in [math.comb(profile.n, chunks)]]
        counts[profile] = (*fewer, most)
    return counts


def ask_losses(questions: Sequence[tuple[Profile, int]], ecbench: Ecbench) -> list[LossCount]:
    """`questions`: pairs of a profile and a number of lost chunks. Returns the counts for each pair."""
    few, many = MOST_PATTERNS
    answers = ecbench.describe([{"words": profile.words(), "losses": chunks,
                                 "most_patterns": many if profile.n <= MANY_CHUNKS else few} for profile, chunks in questions])
    return [loss_count(answer["losses"], profile.n) for (profile, _), answer in zip(questions, answers, strict=True)]


def counted(profile: Profile, units: tuple[int, ...], losses: tuple[LossCount, ...], request: Request, repair: Repair) -> Counted:
    def uses_fast_ec(unit: int) -> bool:
        return request.release.uses_fast_ec(profile.plugin, profile.technique, unit)

    sizes = list(itertools.product(request.objects, units))
    stored = [stored_bytes(size, profile.k, profile.n, unit, fast_ec=uses_fast_ec(unit)) / size for size, unit in sizes]
    return Counted(profile, losses, repair, tuple(stored), tuple(unit for _, unit in sizes), uses_fast_ec(units[0]))


def loss_count(found: Json, n: int) -> LossCount:
    chunks = found["chunks"]
    return LossCount(chunks, math.comb(n, chunks), found["checked"], found["unrecoverable"])


def repair_of(answers: Sequence[Json]) -> Repair:
    def mean(key: str) -> float:
        return math.fsum(answer[key] for answer in answers) / len(answers)

    return Repair(mean("drive_factor"), mean("network_factor"), mean("chunks_read"), mean("reads_per_helper"))
