"""A complete plan: the request, all outcomes, and the recommendation."""

import dataclasses
from collections.abc import Callable, Sequence

from ecbench.experiment.expansion import Reason
from ecbench.plan import outcomes, sensitivity
from ecbench.plan.commands import commands
from ecbench.plan.outcomes import Outcome
from ecbench.plan.profiles import Counted
from ecbench.plan.quantities import short
from ecbench.plan.recommendation import Recommendation, recommend
from ecbench.plan.request import Request
from ecbench.plan.speeds import Speeds

FEW = 5  # profiles in the table without --verbose, if the recommendation names no others


@dataclasses.dataclass(frozen=True)
class Result:
    request: Request
    outcomes: list[Outcome]  # sorted by stored bytes, the smallest first
    front: set[str]  # names of the profiles on the Pareto front
    recommendation: Recommendation
    notes: list[str]  # what happens if drives and hosts fail
    details: list[str]  # more notes
    sensitivity: list[sensitivity.Change]
    commands: list[str]
    dropped: list[Reason]  # why profiles do not fit
    speed_notes: list[str]  # where the speeds come from

    def few(self, fewer: int = 0) -> list[Outcome]:
        """The profiles that are most interesting next to the recommended one; `fewer` less than usual."""
        return shown(self.outcomes, self.front, self.recommendation, fewer)


def padded_units(chosen: Outcome, request: Request) -> list[str]:
    """The stripe units that the code would pad."""
    return [f"Stripe unit {short(used)}, not {short(asked)}, which {chosen.name} cannot use."
            for asked, used in zip(request.stripe_units, chosen.counted.stripe_units) if used != asked]


def shown(found: Sequence[Outcome], front: set[str], recommendation: Recommendation, fewer: int = 0) -> list[Outcome]:
    """The recommended profile, three copies, and those that the recommendation names; up to FEW also those on the front that Ceph
    keeps, nearest in space first."""
    chosen = recommendation.chosen

    def distance(one: Outcome) -> tuple[bool, bool, bool, bool, bool, bool, float]:
        is_first = one.name == chosen.name or one.counted.is_replicated
        is_like = one.layout.per_domain == chosen.layout.per_domain
        serves_less = not one.domains_served and chosen.domains_served > 0
        return (not is_first, one.name not in recommendation.others, serves_less, not is_like, one.name not in front,
                bool(one.status), abs(one.space - chosen.space))

    count = max(1, max(FEW, 2 + len(recommendation.others)) - fewer)
    names = {one.name for one in sorted(found, key=distance)[:count]}
    return [one for one in found if one.name in names]


def interesting(counted: Sequence[Counted], request: Request) -> list[Counted]:
    """The profiles whose speeds are measured."""
    found = [outcomes.outcome(each, request) for each in counted]
    few = shown(found, {one.name for one in outcomes.front(found)}, recommend(found, request))
    return [one.counted for one in few if not one.counted.is_replicated]


def result_of(request: Request, counted: Sequence[Counted], dropped: list[Reason], speeds: dict[str, Speeds],
              speed_notes: list[str], notes: Callable[[Outcome], list[str]] = lambda chosen: [],
              details: Callable[[Outcome], list[str]] = lambda chosen: []) -> Result:
    """`speeds`: the speeds of each profile. The key is the name of the profile. `notes` and `details` make those of the result."""
    found = [outcomes.outcome(one, request, speeds.get(one.profile.name, Speeds())) for one in counted]
    found.sort(key=lambda one: (round(one.space, 9), -(one.object_nines or 0), one.counted.repair.network, one.name))
    recommendation = recommend(found, request)
    chosen = recommendation.chosen
    # The Pareto front is computed without speeds, because these are not known for all profiles.
    front = {one.name for one in outcomes.front([outcomes.outcome(one, request) for one in counted])}
    return Result(request, found, front, recommendation, [*padded_units(chosen, request), *notes(chosen)], details(chosen),
                  sensitivity.changes(counted, chosen.name, request), commands(chosen, request), dropped, speed_notes)
