"""The confidence that the first of a ranking is the fastest: one word for any number of rounds, also for one. docs/statistics.md
has the error rates of the words, which confidence_test.py simulates.

The error of a candidate's speed is estimated from all candidates of the case together, because a run that has just begun has one or
two rounds: the pooled variance of their speeds between the rounds, and a prior variance for the first rounds. The risk that another
candidate is faster by more than a margin is a tail of Student's t; the risks of all others are added (Bonferroni)."""

import math

from ecbench.comparison.figures import TRIMMED, Candidate, Rounds
from ecbench.comparison.questions import LEAST_DIFFERENCE
from ecbench.statistics.interval import FEWEST_VALUES, median
from ecbench.statistics.quantiles import t_tail

SURE, LIKELY, UNSURE = "sure", "likely", "unsure"
PRIOR_NOISE, PRIOR_WEIGHT = 0.04, 2  # the standard deviation of a measurement before it is known, and its degrees of freedom
SURE_RISK, LIKELY_RISK = 0.02, 0.25
LIKELY_MARGIN = 0.05  # a named candidate is `likely` if no other one is faster by more than this share


def confidence(figures: Rounds, order: list[Candidate], is_complete: bool = True) -> str:
    """The confidence in `order[0]`, the first of Rounds.ranked(). `is_complete`: whether each candidate has a figure; if not, one
    that has none may be the fastest."""
    if not is_complete:
        return UNSURE
    first, others = order[0], order[1:]
    if not others:
        return SURE
    noise, freedom = pooled_noise(figures, order)
    differences = [figures.differences(other, first) for other in others]

    def is_at_most(most: float, margin: float) -> bool:
        return math.fsum(risk(values, noise, freedom, margin) for values in differences) <= most

    if min(map(len, differences)) >= FEWEST_VALUES and is_at_most(SURE_RISK, LEAST_DIFFERENCE):
        return SURE
    return LIKELY if is_at_most(LIKELY_RISK, LIKELY_MARGIN) else UNSURE


def pooled_noise(figures: Rounds, candidates: list[Candidate]) -> tuple[float, int]:
    """The standard deviation of a measurement (of the logarithm of its speed) between rounds, and its degrees of freedom."""
    squares, freedom = PRIOR_WEIGHT * PRIOR_NOISE ** 2, PRIOR_WEIGHT
    relative = figures.relative(candidates)
    for values in relative.values():
        mean = math.fsum(values) / len(values) if values else 0
        squares += math.fsum((value - mean) ** 2 for value in values)
        freedom += max(len(values) - 1, 0)
    if len(candidates) == 2:  # relative() halves their difference, and both have the same values
        first, second = candidates
        values = figures.differences(first, second)
        mean = math.fsum(values) / len(values) if values else 0
        squares = PRIOR_WEIGHT * PRIOR_NOISE ** 2 + math.fsum((value - mean) ** 2 for value in values) / 2
        freedom = PRIOR_WEIGHT + max(len(values) - 1, 0)
    return math.sqrt(squares / freedom), freedom


def risk(differences: list[float], noise: float, freedom: int, margin: float) -> float:
    """The probability that the other candidate is faster than the first by more than `margin`. `differences`: of the logarithms of
    their speeds, in the rounds that have both."""
    count = len(differences)
    if not count:
        return 1.0
    cut = int(TRIMMED * count)
    middle = median(differences) if count < FEWEST_VALUES else math.fsum(sorted(differences)[cut:count - cut]) / (count - 2 * cut)
    error = noise * math.sqrt(2 / count)
    return t_tail((math.log1p(margin) - middle) / error, freedom)
