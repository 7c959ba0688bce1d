"""Picks one profile for each library that has several profiles, separately for each case. Each profile is measured once. Profiles
that are at most 10 % slower than the fastest are measured twice more. These timings are not results: the fastest of many candidates
is often the one that noise made faster, so its speed is measured again in later rounds."""

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
CLOSE = 0.9  # share of the fastest speed
MORE_ROUNDS = 2


@dataclasses.dataclass
class Choice:
    candidates: list[Candidate] = dataclasses.field(default_factory=list)  # the run measures these
    # id of the chosen point → [candidate, GB/s] of each candidate
    tried: dict[str, list[list]] = dataclasses.field(default_factory=dict)
    wrong: list[str] = dataclasses.field(default_factory=list)  # candidates that returned wrong bytes


def choose(session: Session, candidates: Candidates, seed: int) -> Choice:
    """Chooses one candidate for each library of each case. Throws children.Interrupted."""
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
    """Returns the GB/s of the candidates by the id of their points. Candidates that failed in a round are left out."""
    if not groups:
        return {}
    candidates = list(itertools.chain.from_iterable(groups))
    say(f"libraries with several profiles: their {len(candidates)} candidate profiles are measured first, which takes about "
        f"{duration(sum(seconds_of(one.case, MIN_TIME) for one in candidates) * 1.5)}")
    found = session.take_rounds([one.point for one in candidates], 1, "qualifying", EFFORT, seed)
    rates = {identity: outcomes[0].row["gb_per_s"] for identity, outcomes in found.items() if outcomes[0].row}
    # Candidates that are clearly slower in the first round are not measured again: their GB/s are those of the first round. For the
    # others, the median of all rounds is used.
    again = session.take_rounds(close_points(groups, rates), MORE_ROUNDS, "qualifying, close", EFFORT, seed)
    for identity, outcomes in again.items():
        found[identity] += outcomes
    choice.wrong += [str(one.point) for one in candidates
                     if any(outcome.kind == "wrong_bytes" for outcome in found[one.point.id])]
    speeds = {identity: [outcome.row["gb_per_s"] for outcome in outcomes if outcome.row] for identity, outcomes in found.items()}
    return {identity: median(of) for identity, of in speeds.items() if len(of) == len(found[identity])}


def close_points(groups: Iterable[list[Candidate]], rates: dict[str, float]) -> list[Point]:
    """A candidate is close if its speed is at least CLOSE times the speed of the fastest in its group. Returns the points of close
    candidates. Leaves out groups in which only the fastest is close."""
    found = []
    for group in groups:
        best = max((rates.get(one.point.id, 0) for one in group), default=0)
        close = [one.point for one in group if rates.get(one.point.id, -1) >= CLOSE * best]
        found += close if len(close) > 1 else []
    return found


# Seconds that a process takes to start, load its plugin, and make and check its objects. If the cache state is cold, the process
# makes a pool of objects that is larger than the caches. Measured on two quiet cores of an AMD EPYC.
SECONDS_OF_A_PROCESS = {"warm": 0.04, "cold": 0.26}
SECONDS_OF_LARGE_OBJECTS = 0.05
LARGE = 4 << 20


def seconds_of(case: Case, min_time: float) -> float:
    return SECONDS_OF_A_PROCESS[case.cache] + 1.05 * min_time + (SECONDS_OF_LARGE_OBJECTS if case.size >= LARGE else 0)
