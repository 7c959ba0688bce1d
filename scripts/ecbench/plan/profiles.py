"""The profiles that fit the hosts. For each profile, ecbench counts the losses that can be recovered (--describe), and the bytes
that a repair reads and sends (--show-reads)."""

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

# If there are more patterns of lost chunks than this, a random sample of this size is checked. The first number is for codes with
# more than MANY_CHUNKS chunks, which are checked more slowly. The second number is for other codes; checking 20,000 patterns takes
# seconds.
MOST_PATTERNS, MANY_CHUNKS = (1_000, 20_000), 24


@dataclasses.dataclass(frozen=True)
class Profile:
    """A profile with Ceph's names of plugins, techniques and parameters."""

    name: str  # in tables
    plugin: str
    technique: str
    parameters: Pairs  # parameters of the plugin
    k: int
    n: int  # all chunks

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
    """Counts of the erasure patterns that have the same number of lost chunks."""

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
    """The cost of the repair of one lost chunk: means over all chunks that can be lost."""

    drive: float  # data that is read from drives, in chunks
    network: float  # data that is sent over the network, in chunks; includes the rebuilt chunk
    helpers: float  # number of chunks that are read
    reads_per_helper: float  # number of contiguous reads from each chunk that is read


@dataclasses.dataclass(frozen=True)
class Counted:
    """A profile and the figures that ecbench counts for it: losses, repair traffic and stored bytes."""

    profile: Profile
    losses: tuple[LossCount, ...]  # one for each number of lost chunks, 1 to n-k
    repair: Repair
    stored: tuple[float, ...]  # bytes per byte of the object, for each of Request.sizes()
    stripe_units: tuple[int, ...]  # bytes, for each of Request.sizes(): the requested unit, or the next larger one without padding
    fast_ec: bool

    @property
    def survived(self) -> int:
        """The largest number n such that every loss of n chunks can be recovered."""
        return next((count.chunks - 1 for count in self.losses if count.unrecoverable), len(self.losses))

    def recoverable(self) -> list[float]:
        """For each number of lost chunks, the share of patterns that can be recovered. The list begins with 0 lost chunks. It ends
        with the last number whose share is above 0."""
        return [1.0, *(count.share for count in self.losses if count.share > 0)]


def gather(request: Request, ecbench: Ecbench) -> tuple[list[Counted], list[Json]]:
    """The profiles that fit, and the reasons why other profiles do not fit. Throws Refused if no profile fits."""
    dropped = Dropped()
    possible = list(profiles(request, ecbench, dropped))
    if not possible:
        reasons = "; ".join(reason["why"] for reason in dropped.all()[:3])
        raise Refused(f"no profile fits: {reasons or 'no plugin has a profile for these k and m; give other numbers'}")
    losses = count_losses([profile for profile, _ in possible], ecbench)
    return [counted(profile, units, losses[profile], request, repair_of(ecbench.show_reads(profile.words())))
            for profile, units in possible], dropped.all()


def profiles(request: Request, ecbench: Ecbench, dropped: Dropped) -> Iterator[tuple[Profile, tuple[int, ...]]]:
    """The profiles that ecbench accepts and that fit the hosts, with their stripe units. If the parameter l of lrc is not given,
    values of l that ecbench refuses are skipped without a message.

    Ceph refuses a stripe unit that the code would pad. Therefore the stripe unit of a profile is computed as follows: an object has
    the size of k requested stripe units, and the stripe unit is the chunk size of this object after padding."""
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
    """The names, plugins, k and parameters of profiles. ecbench may refuse some of them."""
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
    """The technique of an isa or jerasure profile. Ceph's plugin isa has limits for reed_sol_van, because above these limits its
    Vandermonde matrix does not recover every loss. Above them, cauchy is used."""
    return "cauchy" if plugin == "isa" and (m > 4 or (m == 4 and k > 21)) else "reed_sol_van"


def count_losses(found: Sequence[Profile], ecbench: Ecbench) -> dict[Profile, tuple[LossCount, ...]]:
    """Counts the losses of 1 to n-k chunks. If the loss of some chunks can be recovered, the loss of only a part of these chunks
    can be recovered too. Therefore losses of fewer than n-k chunks are checked only if some losses of n-k chunks cannot be
    recovered."""
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
