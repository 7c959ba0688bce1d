"""The questions that a comparison answers, and the figures that it compares. A mode adds no rule; docs/statistics.md documents the
rules and their error rates."""

import math
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from ecbench.runfile.row import Row
from ecbench.runfile.summary import GB_PER_S, LATENCIES, PointSummary, disturbed_share, speeds_of
from ecbench.statistics import interval
from ecbench.statistics.interval import CONFIDENCE, FEWEST_VALUES, Estimate, estimate, median, values_beyond

NOISE_FLOOR = 0.015  # 95 % of the runs of a point differ by less than this from their mean; also the default of --drift-floor
LEAST_DIFFERENCE = NOISE_FLOOR  # smaller differences are never called significant
# The allowed error of a table. The trimmed interval (see Rounds) is slightly too narrow, so that simulated error rates are up to a
# quarter higher: with 0.04, they are at most 5 %.
ALPHA = 0.04
INCONCLUSIVE = "inconclusive"
FASTEST, TIE, UNCLEAR = "fastest", "tie", "unclear"
FASTER, SLOWER, NO_REGRESSION = "faster", "slower", "no regression"


# The questions, and under which conditions the error rates of their answers hold.
SELECT, CHANGE = "select", "change"
OF_SELECT = "If {} are equally fast and the rounds are independent, any of them is called slower in at most 5 % of runs"
OF_OUTLIERS = "Equal hosts are named in at most 1 % of fleets, if the noise between them is not above the noise floor"


def tail_of(comparisons: int) -> float:
    """The tail probability of each interval if a table makes `comparisons` comparisons with two possible verdicts (Bonferroni)."""
    return ALPHA / (2 * max(comparisons, 1))


@dataclass(frozen=True)
class Verdict:
    word: str
    ratio: Estimate  # of speeds, with the interval that decided


def change(corrected: Estimate, of_one: Estimate, margin: float = LEAST_DIFFERENCE) -> Verdict:
    """Whether the speed changed by at least the margin, relative to one reference. `corrected`, `of_one`: the ratio of speeds, with
    the interval that is corrected for all comparisons and looks, and with that of one. A missed loss does not depend on the number
    of other comparisons, so `no regression` needs only the latter, which must contain no loss of the margin."""
    margin -= 1e-11  # tolerates rounding errors, such as in 1.03 - 1
    if corrected.high is not None and corrected.high < 1 and corrected.median <= 1 - margin:
        return Verdict(SLOWER, corrected)
    if corrected.low is not None and corrected.low > 1 and corrected.median >= 1 + margin:
        return Verdict(FASTER, corrected)
    if of_one.low is not None and of_one.low > 1 - margin:
        return Verdict(NO_REGRESSION, of_one)
    return Verdict(INCONCLUSIVE, corrected)


def direction(ratio: Estimate) -> str:
    """SLOWER, FASTER, or another word if the difference is not significant."""
    return change(ratio, ratio).word


# The figures of candidates: their speeds in rounds, or one speed each. The speed of a machine changes between rounds, so only
# speeds of the same round are compared. A ratio is the trimmed mean of the logarithms of the rounds' ratios, with the interval
# of Yuen (Biometrika 61, 1974).

Candidate = TypeVar("Candidate", bound=Hashable)
TRIMMED = 0.2  # the share of the rounds that is trimmed at each end; disturbed rounds move the ratio only a little


class Rounds:
    """rounds[r][candidate]: the logarithm of the candidate's GB/s in round r, if it has one. disturbed[candidate]: the share of its
    measurements that other programs disturbed."""

    is_paired = True

    def __init__(self, rounds: Iterable[Mapping] = (), disturbed: Mapping[Any, float] | None = None, power: int = 1) -> None:
        self.rounds = list(rounds)
        self.disturbed = disturbed or {}
        self.power = power  # -1: the speeds are the reciprocals of latencies

    @classmethod
    def of_rows(cls, rows: Mapping[Any, Sequence[Row]], figure: str = GB_PER_S) -> Self:
        """`figure`: the column that is compared; of latencies, the reciprocals."""
        return cls.of_speeds({candidate: speeds_of(of_candidate, figure) for candidate, of_candidate in rows.items()},
                             {candidate: disturbed_share(of_candidate) for candidate, of_candidate in rows.items()},
                             -1 if figure in LATENCIES else 1)

    @classmethod
    def of_speeds(cls, speeds: Mapping[Any, Mapping[int, float]], disturbed: Mapping[Any, float], power: int = 1) -> Self:
        """`speeds`: candidate → round → GB/s."""
        by_number: dict[int, dict[Any, float]] = {}
        for candidate, of_candidate in speeds.items():
            for number, gb_per_s in of_candidate.items():
                by_number.setdefault(number, {})[candidate] = math.log(gb_per_s)
        return cls([by_number[number] for number in sorted(by_number)], disturbed, power)

    @property
    def candidates(self) -> list:
        return list(dict.fromkeys(candidate for speeds in self.rounds for candidate in speeds))

    def figure(self, candidate: Candidate) -> Estimate:
        """The median GB/s, or latency, of all rounds."""
        return estimate([math.exp(self.power * speeds[candidate]) for speeds in self.rounds if candidate in speeds])

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
    half = interval.t_quantile(tail, len(inner) - 1) * math.sqrt(squares / (len(inner) * (len(inner) - 1)))
    return Estimate(math.exp(mean), math.exp(mean - half), math.exp(mean + half), count)


def unpaired_ratio(one: Estimate, base: Estimate, tail: float) -> Estimate:
    """The ratio of two figures with 95 % intervals, which need not be symmetric: the method of variance estimates recovery (Zou and
    Donner, Statistics in Medicine 27, 2008) on a logarithmic scale. No interval if a figure has none, or one that reaches 0."""
    ratio, count = one.median / base.median if base.median else math.nan, min(one.count, base.count)
    if not one.low or not base.low or one.high is None or base.high is None:
        return Estimate(ratio, count=count)
    widened = interval.normal_quantile(tail) / interval.normal_quantile((1 - CONFIDENCE) / 2)
    below = widened * math.hypot(math.log(one.median / one.low), math.log(base.high / base.median))
    above = widened * math.hypot(math.log(one.high / one.median), math.log(base.median / base.low))
    return Estimate(ratio, ratio * math.exp(-below), ratio * math.exp(above), count)


# The change of a point that was measured in launches: each gives a ratio (time of NEW / time of OLD), the median over its pairs
# of slices. The ratio of a point is the median over its launches, since addresses of code and tables can bias a whole launch:
# in a self-test with equal builds, the ratio of one of 2420 launches differed from 1 by 9 %. The ends of the interval are order
# statistics, which are valid for any distribution of the noise, if the launches are independent. A point that is inconclusive
# at the first look gets further launches. The second look uses all launches of the point.

LOOKS = 2
THRESHOLD_PERCENT = 3.0
ALPHA_OF_LAUNCHES = 0.05


@dataclass(frozen=True)
class Settings:
    points: int  # number of all points of the gate, including those that need no second look
    threshold: float = THRESHOLD_PERCENT  # loss of speed in percent
    alpha: float = ALPHA_OF_LAUNCHES

    @property
    def tail(self) -> float:
        """The largest allowed probability that the true median is beyond one end of an interval, corrected for points and looks."""
        return self.alpha / (self.points * LOOKS)

    @property
    def tail_of_one(self) -> float:
        """Like `tail`, but corrected only for the looks."""
        return self.alpha / LOOKS

    @property
    def launches_needed(self) -> int:
        """The smallest number of launches that can be called slower: if the builds do not differ, all launches show a loss with a
        probability of 2^-launches, which must not exceed `tail`."""
        return math.ceil(math.log2(1 / self.tail))


@dataclass(frozen=True)
class PointVerdict(Verdict):
    """The values of its ratio are launches."""
    confidence_percent: float
    ties: int  # launches whose ratio is 1


def judge_point(ratios: Sequence[float], settings: Settings) -> PointVerdict:
    """`ratios`: of all launches so far."""
    if not ratios or not all(math.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ValueError("a point needs at least one launch, and ratios that are finite and above 0")
    speeds = sorted(1 / ratio for ratio in ratios)
    found = change(exact_ratio(speeds, settings.tail), exact_ratio(speeds, settings.tail_of_one), settings.threshold / 100)
    tail = settings.tail_of_one if found.word == NO_REGRESSION else settings.tail
    return PointVerdict(found.word, found.ratio, 100 * (1 - 2 * tail), sum(ratio == 1 for ratio in ratios))


def exact_ratio(ascending: Sequence[float], tail: float) -> Estimate:
    """The median, with the narrowest interval such that the true median is beyond each end with a probability of at most `tail`; no
    interval if there are too few values."""
    beyond, confidence = values_beyond(len(ascending), 1 - 2 * tail)
    middle = median(ascending)
    if (1 - confidence) / 2 > tail * (1 + 1e-9):
        return Estimate(middle, count=len(ascending))
    return Estimate(middle, ascending[beyond], ascending[-1 - beyond], len(ascending))


# A comparison as text and JSON.

NONE = "-"


def ratio_text(ratio: Estimate | None, between: str = "..") -> str:
    """With its interval, such as 1.25 (1.20..1.31)."""
    return NONE if ratio is None else f"{ratio.median:.2f}" + (
        "" if ratio.low is None else f" ({ratio.low:.2f}{between}{ratio.high:.2f})")


def ratio_in_percent(ratio: Estimate) -> str:
    interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low * 100:.1f} to {ratio.high * 100:.1f})"
    return f"{ratio.median * 100:.1f}{interval}"
