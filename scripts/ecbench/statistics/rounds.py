"""Speeds that were measured in rounds: each round measures every candidate once, in random order.

Between rounds the whole machine gets faster or slower, so candidates are compared within rounds. The logarithms of
speeds are stored, because a disturbance multiplies a speed by a factor."""

import math
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from ecbench.statistics.interval import CONFIDENCE, Estimate, estimate, median

Candidate = TypeVar("Candidate", bound=Hashable)
Relative = Mapping[Candidate, Sequence[float]]


class Rounds:
    """rounds[r][candidate] is the logarithm of the candidate's GB/s in round r; failed candidates are missing. `confidence`: the
    confidence of the interval of each ratio."""

    def __init__(self, rounds: Iterable[Mapping] = (), confidence: float = CONFIDENCE) -> None:
        self.rounds = list(rounds)
        self.confidence = confidence

    def add(self, speeds: Mapping) -> None:
        self.rounds.append(speeds)

    def figure(self, candidate: Candidate) -> Estimate:
        """GB/s, the median over all rounds."""
        return estimate([math.exp(speeds[candidate]) for speeds in self.rounds if candidate in speeds])

    def ratio(self, candidate: Candidate, base: Candidate) -> Estimate:
        """The speed of a candidate / the speed of `base`, from the rounds that have both."""
        return estimate([math.exp(speeds[candidate] - speeds[base]) for speeds in self.rounds
                         if candidate in speeds and base in speeds], self.confidence)

    def relative(self, candidates: Sequence[Candidate]) -> dict[Candidate, list[float]]:
        """For each candidate, in each round that has it: the logarithm of its speed minus the median logarithm of `candidates`."""
        result: dict[Candidate, list[float]] = {candidate: [] for candidate in candidates}
        for speeds in self.rounds:
            present = [candidate for candidate in candidates if candidate in speeds]
            level = median([speeds[candidate] for candidate in present]) if present else 0
            for candidate in present:
                result[candidate].append(speeds[candidate] - level)
        return result

    def ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Candidates in descending order of the number of other candidates that they beat. A beats B if the median over the
        rounds of speed A / speed B is above 1. Candidates with equal numbers are in the order of their relative speeds. If a
        candidate beats all others, it is the first one."""
        relative = self.relative(candidates)
        columns = {candidate: [speeds.get(candidate, math.nan) for speeds in self.rounds] for candidate in candidates}
        beaten = {candidate: sum(self._is_faster(candidate, other, columns) for other in candidates if other != candidate)
                  for candidate in candidates}
        return sorted(candidates, key=lambda candidate: (-beaten[candidate], -median(relative[candidate])))

    def _is_faster(self, candidate: Candidate, other: Candidate, columns: Mapping[Candidate, list[float]]) -> bool:
        """Whether the median of the ratios candidate / other is above 1. `columns`: the speeds in all rounds; NaN if missing. The
        median is computed only if the candidate is faster in exactly half of the rounds that have both."""
        one, two = columns[candidate], columns[other]
        faster, slower = sum(map(operator.gt, one, two)), sum(map(operator.le, one, two))
        return faster > slower if faster != slower else self.ratio(candidate, other).median > 1
