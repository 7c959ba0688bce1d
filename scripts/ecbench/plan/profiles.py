"""The profiles that fit the hosts, and ecbench's counts for each: the losses that it survives (--describe), and what a repair reads
and sends (--show-reads)."""

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

# If a number of losses has more patterns than this, a random sample is checked. 20,000 patterns take seconds, or longer for codes
# with many chunks.
MOST_PATTERNS, MANY_CHUNKS = (1_000, 20_000), 24


@dataclasses.dataclass(frozen=True)
class Profile:
    """In Ceph's terms."""

    name: str  # in tables
    plugin: str
    technique: str
    parameters: Pairs  # parameters of the plugin
    k: int
    n: int  # all chunks

    @property
    def m(self) -> int:
        """All coding chunks: for lrc, also the local ones."""
        return self.n - self.k

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.parameters)

    def point(self, workload: str, size: int, stripe_unit: int, **options: object) -> Point:
        return make_point(self.plugin, dict(self.parameters), workload, size, 1, stripe_unit=stripe_unit, cache="cold", **options)


@dataclasses.dataclass(frozen=True)
class LossCount:
    """How many patterns with one number of lost chunks, or of a sample of these, can be recovered."""

    chunks: int
    patterns: int
    checked: int
    unrecoverable: int

    @property
    def share(self) -> float:
        """The share that can be recovered."""
        return 1 - self.unrecoverable / self.checked

    @property
    def is_exact(self) -> bool:
        return self.checked == self.patterns


@dataclasses.dataclass(frozen=True)
class Repair:
    """Means over the losses of each single chunk, in chunks."""

    drive: float  # read from drives
    network: float  # sent, the rebuilt chunk too
    helpers: float
    reads_per_helper: float  # contiguous


@dataclasses.dataclass(frozen=True)
class Counted:
    """A profile and the figures that ecbench counts for it: losses, repair traffic and stored bytes."""

    profile: Profile
    losses: tuple[LossCount, ...]  # one for each number of lost chunks, 1 to n-k
    repair: Repair
    stored: tuple[float, ...]  # bytes per byte of the object, for each of Request.sizes()
    stripe_units: tuple[int, ...]  # bytes, for each of Request.sizes(): the nearest larger one that the code allows
    fast_ec: bool

    @property
    def survived(self) -> int:
        """The largest number n such that every loss of n chunks can be recovered."""
        return next((count.chunks - 1 for count in self.losses if count.unrecoverable), len(self.losses))

    def recoverable(self) -> list[float]:
        """The share that can be recovered for each number of losses, from 0 losses to the last number whose share is above 0."""
        return [1.0, *(count.share for count in self.losses if count.share > 0)]


def gather(request: Request, ecbench: Ecbench) -> tuple[list[Counted], list[Json]]:
    """The profiles that fit, and why others do not. Throws Refused if none fits."""
    dropped = Dropped()
    possible = list(profiles(request, ecbench, dropped))
    if not possible:
        raise Refused(f"no profile fits: {'; '.join(reason['why'] for reason in dropped.all()[:3]) or 'none is possible'}")
    losses = count_losses([profile for profile, _ in possible], ecbench)
    return [counted(profile, units, losses[profile], request, repair_of(ecbench.show_reads(profile.words())))
            for profile, units in possible], dropped.all()


def profiles(request: Request, ecbench: Ecbench, dropped: Dropped) -> Iterator[tuple[Profile, tuple[int, ...]]]:
    """The profiles that ecbench accepts and that fit the hosts, with their stripe units. If l is not given, impossible values of l
    are skipped without a message.

    Ceph refuses a stripe unit that the code would pad. Therefore the stripe unit is the size of a chunk of k requested units, with
    its padding."""
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
    """isa's Vandermonde matrix recovers every loss only within these limits of Ceph's plugin."""
    return "cauchy" if plugin == "isa" and (m > 4 or (m == 4 and k > 21)) else "reed_sol_van"


def count_losses(found: Sequence[Profile], ecbench: Ecbench) -> dict[Profile, tuple[LossCount, ...]]:
    """Counts the losses of 1 to n-k chunks. If a loss can be recovered, so can every part of it. Therefore smaller losses
    are only counted if not all losses of n-k chunks can be recovered."""
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
    """Profiles, and numbers of lost chunks."""
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
