"""For each case, picks the fastest profile of each library that has several profiles. First, each profile is measured once. Then
the profiles that are at most 10 % slower than the library's fastest profile are measured two more times. These timings are not
results. Noise often makes the picked profile look faster than it is. Therefore its speed is measured again in later rounds."""

import dataclasses
import itertools
from collections.abc import Iterable

from ecbench.contenders.candidates import Candidate, Candidates
from ecbench.contenders.cases import Case
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Point
from ecbench.statistics.interval import median
from ecbench.terminal.console import say
from ecbench.terminal.progress import duration

MIN_TIME = 0.02  # seconds
EFFORT = Effort(MIN_TIME, limit=False)
CLOSE = 0.9  # a close candidate has at least this share of the fastest candidate's speed
MORE_ROUNDS = 2


@dataclasses.dataclass
class Choice:
    candidates: list[Candidate] = dataclasses.field(default_factory=list)  # the candidates that the rounds of the run measure
    # id of a chosen point → [candidate, GB/s] of each candidate of the same library and case
    tried: dict[str, list[list]] = dataclasses.field(default_factory=dict)
    wrong: list[str] = dataclasses.field(default_factory=list)  # candidates that returned wrong bytes


def choose(session: Session, candidates: Candidates, seed: int) -> Choice:
    """For each case, chooses one candidate of each library. Throws children.Interrupted."""
    choice = Choice()
    groups = candidates.groups()
    rates = measure(session, [group for group in groups if len(group) > 1], seed, choice)
    for group in groups:
        ranked = sorted((one for one in group if one.point.id in rates), key=lambda one: -rates[one.point.id])
        choice.candidates += ranked[:1] if len(group) > 1 else group
        if ranked:
            choice.tried[ranked[0].point.id] = [[str(one.point), round(rates[one.point.id], 4)] for one in ranked]
    return choice


def measure(session: Session, groups: list[list[Candidate]], seed: int, choice: Choice) -> dict[str, float]:
    """Returns the GB/s of the candidates. The keys are the ids of their points. A candidate that failed in a round is left out."""
    if not groups:
        return {}
    candidates = list(itertools.chain.from_iterable(groups))
    say(f"some libraries have several profiles. Their {len(candidates)} candidate profiles are measured first, which takes about "
        f"{duration(sum(seconds_of(one.case, MIN_TIME) for one in candidates) * 1.5)}")
    found = session.take_rounds([one.point for one in candidates], 1, "qualifying", EFFORT, seed)
    rates = {identity: outcomes[0].row["gb_per_s"] for identity, outcomes in found.items() if outcomes[0].row}
    # Only close candidates are measured again. The GB/s of such a candidate are the median of all its rounds. The GB/s of every
    # other candidate are from the first round.
    again = session.take_rounds(close_points(groups, rates), MORE_ROUNDS, "qualifying, close", EFFORT, seed)
    for identity, outcomes in again.items():
        found[identity] += outcomes
    choice.wrong += [str(one.point) for one in candidates
                     if any(outcome.kind == "wrong_bytes" for outcome in found[one.point.id])]
    speeds = {identity: [outcome.row["gb_per_s"] for outcome in outcomes if outcome.row] for identity, outcomes in found.items()}
    return {identity: median(of) for identity, of in speeds.items() if len(of) == len(found[identity])}


def close_points(groups: Iterable[list[Candidate]], rates: dict[str, float]) -> list[Point]:
    """Returns the points of the close candidates. A candidate is close if its speed is at least CLOSE times the speed of the
    fastest candidate in its group. If only the fastest candidate of a group is close, the group is left out."""
    found = []
    for group in groups:
        best = max((rates.get(one.point.id, 0) for one in group), default=0)
        close = [one.point for one in group if rates.get(one.point.id, -1) >= CLOSE * best]
        found += close if len(close) > 1 else []
    return found


# The time in seconds that a measuring process needs in addition to its samples: it starts, loads its plugin, makes objects and
# checks them. If the cache state is cold, the process makes a pool of objects that is larger than the caches. The values were
# measured on two quiet cores of an AMD EPYC.
SECONDS_OF_A_PROCESS = {"warm": 0.04, "cold": 0.26}
SECONDS_OF_LARGE_OBJECTS = 0.05
LARGE = 4 << 20


def seconds_of(case: Case, min_time: float) -> float:
    return SECONDS_OF_A_PROCESS[case.cache] + 1.05 * min_time + (SECONDS_OF_LARGE_OBJECTS if case.size >= LARGE else 0)
