"""The figures of candidates: their speeds in rounds, or one speed each.

The speed of a machine changes between rounds, so only speeds of the same round are compared. A ratio is the trimmed mean of the
logarithms of the rounds' ratios, with the interval of Yuen (Biometrika 61, 1974)."""

import math
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

from ecbench.comparison.questions import tail_of
from ecbench.runfile.row import Row
from ecbench.runfile.summary import GB_PER_S, PointSummary, disturbed_share, speeds_of
from ecbench.statistics.interval import CONFIDENCE, FEWEST_VALUES, Estimate, estimate, median
from ecbench.statistics.quantiles import normal_quantile, t_quantile

Candidate = TypeVar("Candidate", bound=Hashable)
TRIMMED = 0.2  # the share of the rounds that is trimmed at each end; disturbed rounds move the ratio only a little


class Rounds:
    """rounds[r][candidate]: the logarithm of the candidate's GB/s in round r, if it has one. disturbed[candidate]: the share of its
    measurements that other programs disturbed."""

    is_paired = True

    def __init__(self, rounds: Iterable[Mapping] = (), disturbed: Mapping[Any, float] | None = None) -> None:
        self.rounds = list(rounds)
        self.disturbed = disturbed or {}

    @classmethod
    def of_rows(cls, rows: Mapping[Any, Sequence[Row]], figure: str = GB_PER_S) -> Self:
        """`figure`: the column that is compared; of latencies, the reciprocals."""
        return cls.of_speeds({candidate: speeds_of(of_candidate, figure) for candidate, of_candidate in rows.items()},
                             {candidate: disturbed_share(of_candidate) for candidate, of_candidate in rows.items()})

    @classmethod
    def of_speeds(cls, speeds: Mapping[Any, Mapping[int, float]], disturbed: Mapping[Any, float]) -> Self:
        """`speeds`: candidate → round → GB/s."""
        by_number: dict[int, dict[Any, float]] = {}
        for candidate, of_candidate in speeds.items():
            for number, gb_per_s in of_candidate.items():
                by_number.setdefault(number, {})[candidate] = math.log(gb_per_s)
        return cls([by_number[number] for number in sorted(by_number)], disturbed)

    @property
    def candidates(self) -> list:
        return list(dict.fromkeys(candidate for speeds in self.rounds for candidate in speeds))

    def figure(self, candidate: Candidate) -> Estimate:
        """The median GB/s of all rounds."""
        return estimate([math.exp(speeds[candidate]) for speeds in self.rounds if candidate in speeds])

    def ratio(self, candidate: Candidate, base: Candidate, tail: float) -> Estimate:
        """The speed of `candidate` / the speed of `base`."""
        return paired_ratio(self.differences(candidate, base), tail)

    def differences(self, candidate: Candidate, base: Candidate) -> list[float]:
        """The differences of the logarithms of their speeds, in each round that has both."""
        return [speeds[candidate] - speeds[base] for speeds in self.rounds if candidate in speeds and base in speeds]

    def relative(self, candidates: Sequence[Candidate]) -> dict[Candidate, list[float]]:
        """The logarithms of each candidate's speeds, relative to the median of all `candidates` in the same round."""
        result: dict[Candidate, list[float]] = {candidate: [] for candidate in candidates}
        for speeds in self.rounds:
            present = [candidate for candidate in candidates if candidate in speeds]
            level = median([speeds[candidate] for candidate in present]) if present else 0
            for candidate in present:
                result[candidate].append(speeds[candidate] - level)
        return result

    def ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """By the number of other candidates that a candidate beats: the median of the rounds' ratios is above 1. Then by the median
        of relative()."""
        relative = self.relative(candidates)
        columns = {candidate: [speeds.get(candidate, math.nan) for speeds in self.rounds] for candidate in candidates}
        beaten = {candidate: sum(self._is_faster(candidate, other, columns) for other in candidates if other != candidate)
                  for candidate in candidates}
        return sorted(candidates, key=lambda candidate: (-beaten[candidate], -median(relative[candidate])))

    def _is_faster(self, candidate: Candidate, other: Candidate, columns: Mapping[Candidate, list[float]]) -> bool:
        """The median is computed only if each is faster in half of the rounds, because ranked() would take long otherwise."""
        one, two = columns[candidate], columns[other]
        faster, slower = sum(map(operator.gt, one, two)), sum(map(operator.le, one, two))
        if faster != slower:
            return faster > slower
        differences = self.differences(candidate, other)
        return bool(differences) and median(differences) > 0


class Unpaired(Generic[Candidate]):
    """One figure for each candidate. They were not measured in the same rounds."""

    is_paired = False

    def __init__(self, figures: Mapping[Candidate, Estimate], disturbed: Mapping[Candidate, float] | None = None) -> None:
        self._figures = figures
        self.disturbed = disturbed or {}

    @property
    def candidates(self) -> list[Candidate]:
        return list(self._figures)

    def figure(self, candidate: Candidate) -> Estimate:
        return self._figures[candidate]

    def ratio(self, candidate: Candidate, base: Candidate, tail: float) -> Estimate:
        return unpaired_ratio(self._figures[candidate], self._figures[base], tail)

    def ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return sorted(candidates, key=lambda candidate: -self._figures[candidate].median)


Figures = Rounds | Unpaired[Candidate]


def figures_of(summaries: Mapping[Candidate, PointSummary]) -> Figures[Candidate]:
    """Points of one run. Its repetitions are rounds; with fewer than FEWEST_VALUES of them, the points are unpaired."""
    disturbed = {one: summary.disturbed for one, summary in summaries.items()}
    if max((len(summary.speeds) for summary in summaries.values()), default=0) < FEWEST_VALUES:
        return Unpaired({one: summary.estimate for one, summary in summaries.items()}, disturbed)
    return Rounds.of_speeds({one: summary.speeds for one, summary in summaries.items()}, disturbed)


def paired_ratio(logarithms: Sequence[float], tail: float = tail_of(1)) -> Estimate:
    """`logarithms`: of the ratio in each round. `tail`: the probability that the true ratio is beyond one end of the interval. With
    fewer than FEWEST_VALUES rounds, the ratio is their median, without an interval."""
    count = len(logarithms)
    if count < FEWEST_VALUES:
        return Estimate(math.exp(median(logarithms)) if logarithms else math.nan, count=count)
    ascending, cut = sorted(logarithms), int(TRIMMED * count)
    inner = ascending[cut:count - cut]
    mean = math.fsum(inner) / len(inner)
    winsorized = [inner[0]] * cut + inner + [inner[-1]] * cut
    middle = math.fsum(winsorized) / count
    squares = math.fsum((value - middle) ** 2 for value in winsorized)
    half = t_quantile(tail, len(inner) - 1) * math.sqrt(squares / (len(inner) * (len(inner) - 1)))
    return Estimate(math.exp(mean), math.exp(mean - half), math.exp(mean + half), count)


def unpaired_ratio(one: Estimate, base: Estimate, tail: float) -> Estimate:
    """The ratio of two figures with 95 % intervals, which need not be symmetric: the method of variance estimates recovery (Zou and
    Donner, Statistics in Medicine 27, 2008) on a logarithmic scale. No interval if a figure has none, or one that reaches 0."""
    ratio, count = one.median / base.median if base.median else math.nan, min(one.count, base.count)
    if not one.low or not base.low or one.high is None or base.high is None:
        return Estimate(ratio, count=count)
    widened = normal_quantile(tail) / normal_quantile((1 - CONFIDENCE) / 2)
    below = widened * math.hypot(math.log(one.median / one.low), math.log(base.high / base.median))
    above = widened * math.hypot(math.log(one.high / one.median), math.log(base.median / base.low))
    return Estimate(ratio, ratio * math.exp(-below), ratio * math.exp(above), count)
