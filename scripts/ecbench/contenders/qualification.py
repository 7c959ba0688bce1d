"""For each case, picks the fastest profile of each library that has several: all are measured once, and those within 10 % of the
fastest twice more. These timings are not results, because the picked profile often looks faster than it is."""

import dataclasses
import itertools
from collections.abc import Iterable

from ecbench.contenders.candidates import Candidate, Candidates
from ecbench.measure.budget import seconds_of
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Point
from ecbench.runfile.run_file import WRONG_BYTES
from ecbench.statistics.interval import median
from ecbench.terminal.console import say

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


def choose(session: Session, candidates: Candidates, seed: int, share: float) -> Choice:
    """For each case, chooses one candidate of each library. `share`: the share of the time left that may be used. Throws
    children.Interrupted."""
    choice = Choice()
    groups = candidates.groups()
    rates = measure(session, to_qualify(candidates), seed, choice, share)
    for group in groups:
        ranked = sorted((one for one in group if one.point.id in rates), key=lambda one: -rates[one.point.id])
        # If all candidates of a library failed, the first one is measured again: the run must show that the library failed.
        choice.candidates += (ranked or [one for one in group if str(one.point) not in choice.wrong])[:1]
        if ranked:
            choice.tried[ranked[0].point.id] = [[str(one.point), round(rates[one.point.id], 4)] for one in ranked]
    return choice


def to_qualify(candidates: Candidates) -> list[list[Candidate]]:
    return [group for group in candidates.groups() if len(group) > 1]


def estimate(candidates: Candidates) -> float:
    """The estimated duration in seconds; close candidates are measured again."""
    return 1.5 * seconds_of(sum(map(len, to_qualify(candidates))), MIN_TIME)


def measure(session: Session, groups: list[list[Candidate]], seed: int, choice: Choice, share: float) -> dict[str, float]:
    """Returns the GB/s of the candidates. The keys are the ids of their points. A candidate that failed in a round is left out."""
    if not groups:
        return {}
    candidates = list(itertools.chain.from_iterable(groups))
    say(f"some libraries have several profiles; their {len(candidates)} candidate profiles are measured first")
    found = session.take_rounds([one.point for one in candidates], 1, "qualifying", EFFORT, seed, share=share * 2 / 3)
    rates = {identity: outcomes[0].gb_per_s for identity, outcomes in found.items() if not outcomes[0].failure}
    # Only close candidates are measured again. The GB/s of such a candidate are the median of all its rounds. The GB/s of every
    # other candidate are from the first round.
    again = session.take_rounds(close_points(groups, rates), MORE_ROUNDS, "qualifying, close", EFFORT, seed, share=share / 3)
    for identity, outcomes in again.items():
        found[identity] += outcomes
    choice.wrong += [str(one.point) for one in candidates
                     if any(outcome.failure == WRONG_BYTES for outcome in found[one.point.id])]
    speeds = {identity: [outcome.gb_per_s for outcome in outcomes if not outcome.failure] for identity, outcomes in found.items()}
    return {identity: median(of) for identity, of in speeds.items() if len(of) == len(found[identity])}


def close_points(groups: Iterable[list[Candidate]], rates: dict[str, float]) -> list[Point]:
    """The points that have at least CLOSE times the speed of the fastest of their group, if there are several."""
    found = []
    for group in groups:
        best = max((rates.get(one.point.id, 0) for one in group), default=0)
        close = [one.point for one in group if rates.get(one.point.id, -1) >= CLOSE * best]
        found += close if len(close) > 1 else []
    return found

