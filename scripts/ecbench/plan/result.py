"""A complete plan: the request, all outcomes, and the recommendation."""

import dataclasses
from collections.abc import Sequence

from ecbench.plan import outcomes
from ecbench.plan.commands import commands
from ecbench.plan.outcomes import Outcome
from ecbench.plan.profiles import Counted
from ecbench.plan.recommendation import Recommendation, recommend
from ecbench.plan.request import Request
from ecbench.plan.speeds import Speeds
from ecbench.point.point import Json


@dataclasses.dataclass(frozen=True)
class Result:
    request: Request
    outcomes: list[Outcome]  # sorted by stored bytes, the smallest first
    front: set[str]  # names of the profiles on the Pareto front
    recommendation: Recommendation
    commands: list[str]
    dropped: list[Json]  # reasons why profiles do not fit; returned by Dropped.all()
    speed_notes: list[str]  # where the speeds come from


def front_of(counted: Sequence[Counted], request: Request) -> list[Counted]:
    """The Pareto front. It is computed without speeds, because speeds are measured later, and only for profiles on the front."""
    return [one.counted for one in outcomes.front([outcomes.outcome(each, request) for each in counted])]


def result_of(request: Request, counted: Sequence[Counted], dropped: list[Json], speeds: dict[str, Speeds],
              speed_notes: list[str]) -> Result:
    """`speeds`: the speeds of each profile. The key is the name of the profile."""
    found = [outcomes.outcome(one, request, speeds.get(one.profile.name, Speeds())) for one in counted]
    found.sort(key=lambda one: (round(one.space, 9), -(one.object_nines or 0), one.counted.repair.network, one.name))
    recommendation = recommend(found, request)
    return Result(request, found, {one.profile.name for one in front_of(counted, request)}, recommendation,
                  commands(recommendation.chosen, request), dropped, speed_notes)
