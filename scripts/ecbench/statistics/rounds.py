"""Compares candidates that were measured in rounds. Each round measures every candidate once, in random order.

The speed of the machine can change between two rounds. Therefore only speeds of the same round are compared. The logarithms of
speeds are stored, because a disturbance multiplies a speed by a factor."""

import math
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from ecbench.statistics.interval import CONFIDENCE, Estimate, estimate, median

Candidate = TypeVar("Candidate", bound=Hashable)
Relative = Mapping[Candidate, Sequence[float]]


class Rounds:
    """rounds[r][candidate] is the logarithm of the candidate's GB/s in round r. If the candidate has no speed in round r, rounds[r]
    does not contain it. `confidence`: the confidence for the intervals of ratios."""

    def __init__(self, rounds: Iterable[Mapping] = (), confidence: float = CONFIDENCE) -> None:
        self.rounds = list(rounds)
        self.confidence = confidence

    def add(self, speeds: Mapping) -> None:
        self.rounds.append(speeds)

    def figure(self, candidate: Candidate) -> Estimate:
        """The median of the candidate's GB/s over all rounds, with its interval."""
        return estimate([math.exp(speeds[candidate]) for speeds in self.rounds if candidate in speeds])

    def ratio(self, candidate: Candidate, base: Candidate) -> Estimate:
        """The median of the ratios speed of `candidate` / speed of `base`, with its interval. Each ratio is from a round that has
        both speeds."""
        return estimate([math.exp(speeds[candidate] - speeds[base]) for speeds in self.rounds
                         if candidate in speeds and base in speeds], self.confidence)

    def relative(self, candidates: Sequence[Candidate]) -> dict[Candidate, list[float]]:
        """Candidate → one value for each round that has its speed. The value is the logarithm of its speed, minus the median of the
        logarithms of all `candidates` in this round."""
        result: dict[Candidate, list[float]] = {candidate: [] for candidate in candidates}
        for speeds in self.rounds:
            present = [candidate for candidate in candidates if candidate in speeds]
            level = median([speeds[candidate] for candidate in present]) if present else 0
            for candidate in present:
                result[candidate].append(speeds[candidate] - level)
        return result

    def ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Sorts the candidates by the number of other candidates that they beat, the highest number first. Each round gives the
        ratio speed of A / speed of B. A beats B if the median of these ratios is above 1. Candidates that beat the same number of
        others are sorted by their medians of relative(), the highest median first."""
        relative = self.relative(candidates)
        columns = {candidate: [speeds.get(candidate, math.nan) for speeds in self.rounds] for candidate in candidates}
        beaten = {candidate: sum(self._is_faster(candidate, other, columns) for other in candidates if other != candidate)
                  for candidate in candidates}
        return sorted(candidates, key=lambda candidate: (-beaten[candidate], -median(relative[candidate])))

    def _is_faster(self, candidate: Candidate, other: Candidate, columns: Mapping[Candidate, list[float]]) -> bool:
        """Whether the median of the ratios candidate / other is above 1. `columns`: candidate → the logarithm of its speed in each
        round, NaN if a round does not have its speed. The median is computed only if the candidate is faster in exactly half of the
        rounds that have both speeds. In all other cases, the number of rounds in which it is faster is sufficient."""
        one, two = columns[candidate], columns[other]
        faster, slower = sum(map(operator.gt, one, two)), sum(map(operator.le, one, two))
        return faster > slower if faster != slower else self.ratio(candidate, other).median > 1
