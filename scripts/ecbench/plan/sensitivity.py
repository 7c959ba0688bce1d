"""The assumptions that matter most for a recommendation: what changes if they are wrong."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ecbench.plan.outcomes import outcome
from ecbench.plan.profiles import Counted
from ecbench.plan.quantities import amount_text, nines_text, short
from ecbench.plan.recommendation import recommend
from ecbench.plan.request import Request

SHOWN = 3
SMALLER_OBJECT = 16


def with_cluster(request: Request, **values: Any) -> Request:
    return dataclasses.replace(request, cluster=dataclasses.replace(request.cluster, **values))


# How an assumption is changed, and how the changed argument is written.
CHANGES: tuple[tuple[Callable[[Request], Request], Callable[[Request], str]], ...] = (
    (lambda one: with_cluster(one, afr=min(1.0, 2 * one.cluster.afr)), lambda one: f"afr={100 * one.cluster.afr:g}%"),
    (lambda one: with_cluster(one, uer=10 * one.cluster.uer), lambda one: f"uer={one.cluster.uer:.0e}"),
    (lambda one: with_cluster(one, recovery_share=one.cluster.recovery_share / 3),
     lambda one: f"recovery-share={100 * one.cluster.recovery_share:g}%"),
    (lambda one: with_cluster(one, net=one.cluster.net / 10),
     lambda one: f"net={amount_text(one.cluster.net * 8).replace(' ', '')}"),
    (lambda one: dataclasses.replace(one, objects=(max(1, one.objects[0] // SMALLER_OBJECT),)),
     lambda one: f"object={short(one.objects[0])}"),
)


@dataclasses.dataclass(frozen=True)
class Change:
    """The result with one changed assumption."""

    words: str  # the changed argument
    chosen: str  # the profile that would be recommended
    object_nines: float  # of the profile that is recommended now
    pool_nines: float

    def text(self, now: str) -> str:
        other = f"; then take {self.chosen}" if self.chosen != now else ""
        return f"{self.words}: {nines_text(self.object_nines)} per object, {nines_text(self.pool_nines)} for the pool{other}"


def changes(counted: Sequence[Counted], chosen: str, request: Request) -> list[Change]:
    """The SHOWN changes that matter most: those that change the recommendation first, then those that change the nines."""
    found = []
    for change, words in CHANGES:
        changed = change(request)
        outcomes = [outcome(one, changed) for one in counted]
        own = next(one for one in outcomes if one.name == chosen)
        found.append(Change(words(changed), recommend(outcomes, changed).chosen.name, own.object_nines or 0, own.pool_nines or 0))
    found.sort(key=lambda one: (one.chosen == chosen, one.pool_nines + one.object_nines))
    return found[:SHOWN]
