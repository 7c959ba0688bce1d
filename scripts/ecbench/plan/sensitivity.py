"""The assumptions that matter most for a recommendation: what changes if they are wrong."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from ecbench.documents.document import Key
from ecbench.plan.outcomes import outcome
from ecbench.plan.profiles import Counted
from ecbench.plan.quantities import amount_text, nines_text, short
from ecbench.plan.recommendation import recommend
from ecbench.plan.request import Request

SHOWN = 3  # without --verbose
EFFECT = 0.1  # nines
SMALLER_OBJECT, SLOWER_NET = 16, 2.5


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
     lambda one: f"object={short(one.objects[0])}"),
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


def changes(counted: Sequence[Counted], chosen: str, request: Request) -> list[Change]:
    """The changes that have an effect; after AFR, those that change the recommendation first, then those that change the nines."""
    now = next(outcome(one, request) for one in counted if one.profile.name == chosen)
    if now.object_nines is None:
        return []
    found = []
    for change, words in CHANGES:
        changed = change(request)
        if words(changed) == words(request):
            continue
        outcomes = [outcome(one, changed) for one in counted]
        own = next(one for one in outcomes if one.name == chosen)
        found.append(Change(words(changed), words(request).partition("=")[2], recommend(outcomes, changed).chosen.name,
                            own.object_nines or 0, own.pool_nines or 0))
    least = now.object_nines + (now.pool_nines or 0) - EFFECT
    return [*found[:1], *sorted((one for one in found[1:] if one.chosen != chosen or one.object_nines + one.pool_nines < least),
                              key=lambda one: (one.chosen == chosen, one.pool_nines + one.object_nines))]
