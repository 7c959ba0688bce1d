"""A complete plan, as dataclasses: the recommendation, the assumptions that matter most for it, and the outcome of each profile.
plan --format json prints it, and plan --schema its schema."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from ecbench.ceph.placement import Cluster
from ecbench.documents.document import HIDDEN, Key
from ecbench.experiment.expansion import Reason
from ecbench.plan.outcomes import Outcome, outcome, with_front
from ecbench.plan.profiles import Counted
from ecbench.plan.recommendation import Recommendation, commands, recommend
from ecbench.plan.request import Request, amount_text, nines_text
from ecbench.plan.speeds import Speeds
from ecbench.point.point import size_word

FORMAT = "ecbench plan 1"
SHOWN = 3  # without --verbose
EFFECT = 0.1  # nines
SMALLER_OBJECT, SLOWER_NET = 16, 2.5
FEW = 5  # profiles in the table without --verbose, if the recommendation names no others


def with_cluster(request: Request, **values: Any) -> Request:
    return dataclasses.replace(request, cluster=dataclasses.replace(request.cluster, **values))


# How an assumption is changed, and how its argument is written. The first one, AFR, is always shown: it is the least certain.
CHANGES: tuple[tuple[Callable[[Request], Request], Callable[[Request], str]], ...] = (
    (lambda one: with_cluster(one, afr=min(1.0, 2 * one.cluster.afr)), lambda one: f"afr={100 * one.cluster.afr:g}%"),
    (lambda one: with_cluster(one, uer=10 * one.cluster.uer), lambda one: f"uer={one.cluster.uer:.3g}"),
    (lambda one: with_cluster(one, recovery_share=one.cluster.recovery_share / 3),
     lambda one: f"recovery-share={100 * one.cluster.recovery_share:g}%"),
    (lambda one: with_cluster(one, net=one.cluster.net / SLOWER_NET),
     lambda one: f"net={amount_text(one.cluster.net * 8).replace(' ', '')}"),
    (lambda one: dataclasses.replace(one, objects=(max(1, one.objects[0] // SMALLER_OBJECT),)),
     lambda one: f"object={size_word(one.objects[0])}"),
)


@dataclasses.dataclass(frozen=True)
class Change:
    """The result with one changed assumption."""

    words: Annotated[str, Key("The changed argument.")]
    now: Annotated[str, Key("The value that is assumed.")]
    chosen: Annotated[str, Key("The profile that would be recommended.")]
    object_nines: Annotated[float, Key("Of the profile that is recommended now, like pool_nines.")]
    pool_nines: float

    def text(self, now: str) -> str:
        other = f"; then take {self.chosen}" if self.chosen != now else ""
        return (f"{self.words}, not {self.now}: {nines_text(self.object_nines)} per object, {nines_text(self.pool_nines)} for the "
                f"pool{other}")


def changes_of(counted: Sequence[Counted], chosen: str, request: Request) -> list[Change]:
    """The changes that have an effect; after AFR, those that change the recommendation first, then those that change the nines."""
    now = next(outcome(one, request) for one in counted if one.profile.name == chosen)
    if now.object_nines is None:
        return []
    found = []
    for change, words in CHANGES:
        changed = change(request)
        if words(changed) == words(request):
            continue
        found_now = [outcome(one, changed) for one in counted]
        own = next(one for one in found_now if one.name == chosen)
        found.append(Change(words(changed), words(request).partition("=")[2], recommend(found_now, changed).chosen.name,
                            own.object_nines or 0, own.pool_nines or 0))
    least = now.object_nines + (now.pool_nines or 0) - EFFECT
    return [*found[:1], *sorted((one for one in found[1:] if one.chosen != chosen or one.object_nines + one.pool_nines < least),
                              key=lambda one: (one.chosen == chosen, one.pool_nines + one.object_nines))]


@dataclasses.dataclass(frozen=True)
class Assumption:
    text: str
    words: Annotated[str, Key("The arguments that change it; empty: none does.")]

    def __str__(self) -> str:
        return self.text + (f" ({self.words})" if self.words else "")


@dataclasses.dataclass(frozen=True)
class Size:
    object_bytes: Annotated[int, Key(least=1)]
    stripe_unit: Annotated[int, Key("The requested stripe unit in bytes.", least=1)]


@dataclasses.dataclass(frozen=True)
class Result:
    format: Annotated[str, Key(words=(FORMAT,))]
    recommendation: Recommendation
    sensitivity: Annotated[list[Change], Key("The result if one assumption is changed: first AFR, then those that matter most.")]
    cluster: Cluster
    release: Annotated[str, Key("The name of the Ceph release.")]
    assumptions: list[Assumption]
    speeds: Annotated[list[str], Key("The source of the speeds, for example the run files and the machines.")]
    sizes: Annotated[list[Size], Key("If a property of a profile has only one value, it is for the first of these.")]
    profiles: Annotated[list[Outcome], Key("The profiles that fit the cluster; the one that stores the fewest bytes is the first.")]
    left_out: list[Reason]
    request: Annotated[Request, HIDDEN]

    def few(self, fewer: int = 0) -> list[Outcome]:
        """The profiles that are most interesting next to the recommended one; `fewer` less than usual."""
        return shown(self.profiles, self.recommendation, fewer)


def shown(found: Sequence[Outcome], recommendation: Recommendation, fewer: int = 0) -> list[Outcome]:
    """The recommended profile, three copies, and those that the recommendation names; up to FEW also those on the front that Ceph
    keeps, nearest in space first."""
    chosen = recommendation.chosen

    def distance(one: Outcome) -> tuple[bool, bool, bool, bool, bool, bool, float]:
        is_first = one.name == chosen.name or one.counted.is_replicated
        is_like = one.layout.per_domain == chosen.layout.per_domain
        serves_less = not one.domains_served and chosen.domains_served > 0
        return (not is_first, one.name not in recommendation.others, serves_less, not is_like, not one.on_front,
                bool(one.status), abs(one.space - chosen.space))

    count = max(1, max(FEW, 2 + len(recommendation.others)) - fewer)
    names = {one.name for one in sorted(found, key=distance)[:count]}
    return [one for one in found if one.name in names]


def interesting(counted: Sequence[Counted], request: Request) -> list[Counted]:
    """The profiles whose speeds are measured."""
    found = with_front([outcome(each, request) for each in counted])
    few = shown(found, recommend(found, request))
    return [one.counted for one in few if not one.counted.is_replicated]


def result_of(request: Request, counted: Sequence[Counted], dropped: list[Reason], speeds: dict[str, Speeds],
              speed_notes: list[str], notes: Callable[[Outcome], list[str]] = lambda chosen: [],
              details: Callable[[Outcome], list[str]] = lambda chosen: []) -> Result:
    """`speeds`: by name of the profile. `notes` and `details` make those of the result."""
    # The Pareto front is computed without speeds, because these are not known for all profiles.
    on_front = {one.name for one in with_front([outcome(one, request) for one in counted]) if one.on_front}
    found = [dataclasses.replace(one, on_front=one.name in on_front)
             for one in (outcome(one, request, speeds.get(one.profile.name, Speeds())) for one in counted)]
    found.sort(key=lambda one: (round(one.space, 9), -(one.object_nines or 0), one.sent_per_lost_byte, one.name))
    best = recommend(found, request)
    chosen = best.chosen
    padded = [f"Stripe unit {size_word(used)}, not {size_word(asked)}, which {chosen.name} cannot use."
              for asked, used in zip(request.stripe_units, chosen.counted.stripe_units) if used != asked]
    best = dataclasses.replace(best, notes=[*padded, *notes(chosen)], details=details(chosen), commands=commands(chosen, request))
    return Result(FORMAT, best, changes_of(counted, chosen.name, request), request.cluster, request.release.name,
                  [Assumption(*one) for one in request.assumptions()], speed_notes, [Size(*one) for one in request.sizes()], found,
                  dropped, request)
