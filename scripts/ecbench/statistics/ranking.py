"""Which of several candidates is the fastest, and when measurements do not answer that."""

import dataclasses
import typing
from collections.abc import Mapping, Sequence

from ecbench.statistics.standing import Rounds, figure_of, ranked_by_pairs, ratio_interval

Candidate = typing.Hashable
LEAST_ROUNDS = 6  # of which an interval of 95 % can be made
MOST_DISTURBED = 1 / 3  # of a candidate's measurements


@dataclasses.dataclass(frozen=True)
class Ranking:
    order: Sequence[Candidate]  # fastest first
    ties: Sequence[Candidate]  # not significantly different from the first, and it is not among them
    inconclusive: str = ""  # why the first may not be the fastest; empty if it is, or ties with it


def ranking(rounds: Rounds, candidates: Sequence[Candidate], widest: float, disturbed: Mapping[Candidate, float]) -> Ranking:
    """Ranks by the ratios within rounds. `disturbed` is the share of a candidate's measurements that have a warning. The outcome is
    inconclusive if the first or a tie has too few or too many disturbed measurements, if the speed of the first varies by more
    than `widest` (0.1: plus or minus 10 %), or if a tie may be faster than the first by more than that."""
    order = ranked_by_pairs(rounds, candidates)
    first = order[0]
    intervals = {other: ratio_interval(rounds, other, first) for other in order[1:]}
    ties = [other for other, (_, _, high) in intervals.items() if high is None or high >= 1]
    return Ranking(order, ties, doubt(rounds, first, {tie: intervals[tie] for tie in ties}, widest, disturbed))


def doubt(rounds: Rounds, first: Candidate, ties: Mapping[Candidate, tuple], widest: float,
          disturbed: Mapping[Candidate, float]) -> str:
    for candidate in (first, *ties):
        if len(rounds.speeds(candidate)) < LEAST_ROUNDS:
            return f"{candidate} was measured in {len(rounds.speeds(candidate))} rounds, and at least {LEAST_ROUNDS} are needed"
        if (share := disturbed.get(candidate, 0)) > MOST_DISTURBED:
            return f"other programs disturbed {share * 100:.0f} % of the measurements of {candidate}"
    middle, low, high = figure_of(rounds.speeds(first))
    if (high - low) / 2 > widest * middle:
        return f"the speed of {first} varies by ±{(high - low) / 2 / middle * 100:.0f} %, and at most ±{widest * 100:.0f} % are usable"
    for tie, (_, low, high) in ties.items():
        if high > 1 + widest:
            return f"{tie} has {low * 100:.0f} to {high * 100:.0f} % of the speed of {first}, so that either may be faster"
    return ""
