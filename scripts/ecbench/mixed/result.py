"""The result of mixed. For each code and each repair rate: throughput, latencies and CPU time. For each code: the repair rate at
which the p99 of the foreground doubles."""

import dataclasses
import math
import random
import statistics
from collections.abc import Iterable, Sequence

from ecbench.mixed.setting import MixedRow, Setting, label_of
from ecbench.point.point import Point
from ecbench.point.wording import figure_text
from ecbench.runfile.run_file import Run
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

MAXIMUM = "maximum"  # the stage that measures the foreground's maximum
FACTOR = 2.0  # mixed finds the repair rate at which the p99 is FACTOR times the p99 without repairs
# A rate is printed only if the upper ends of two 95 % intervals are at most MOST_WIDE times the lower ends: of the rate, and of the
# p99 without repairs.
MOST_WIDE = 3.0
RESAMPLES = 2000
CONFIDENCE = 0.95
VALUES_ABOVE = 10  # a percentile is computed only if at least this many latencies are above it
P50, P95, P99 = 0.50, 0.95, 0.99

Histogram = Sequence[tuple[float, int]]  # pairs: a latency in milliseconds, and the number of operations with this latency


@dataclasses.dataclass(frozen=True)
class Step:
    """All measurements of a code at one repair rate."""

    setting: Setting
    rows: list[MixedRow]

    @property
    def repair_rate(self) -> float:
        """The median of the measured repair rates of all rounds, in rebuilt bytes per second."""
        return median(row.repair.bytes_per_s for row in self.rows)

    @property
    def gb_per_s(self) -> Estimate:
        return estimate([row.foreground.gb_per_s for row in self.rows])

    @property
    def operations_per_s(self) -> float:
        return median(row.foreground.operations_per_s for row in self.rows)

    @property
    def unfinished(self) -> int:
        return sum(row.foreground.unfinished for row in self.rows)

    @property
    def operations(self) -> int:
        return sum(row.foreground.operations for row in self.rows)

    @property
    def foreground_cpus(self) -> float:
        """CPU seconds of the foreground per second of the measurement."""
        return median(row.foreground.cpu_seconds / row.duration_seconds for row in self.rows)

    @property
    def repair_cpus(self) -> float:
        return median(row.repair.cpu_seconds / row.duration_seconds for row in self.rows)

    @property
    def repair_cpu_seconds_per_gb(self) -> float | None:
        """CPU seconds for 10^9 rebuilt bytes; None without repairs."""
        repaired = sum(row.repair.bytes_per_s * row.duration_seconds for row in self.rows) / 1e9
        return sum(row.repair.cpu_seconds for row in self.rows) / repaired if repaired else None

    def percentile(self, share: float) -> float | None:
        """The percentile in milliseconds, from the latencies of all rounds. None if there are too few latencies."""
        if self.operations * (1 - share) < VALUES_ABOVE - 1e-9:
            return None
        return percentile_of([row.histogram for row in self.rows], share)


@dataclasses.dataclass(frozen=True)
class Doubling:
    """The repair rate, in bytes per second, at which the p99 is twice the p99 without repairs."""

    reached: float  # the highest repair rate that was measured
    why: str = ""  # why the rate is not known; "": it is known, or the p99 does not double
    rate: float | None = None  # None: not reached, or not known
    low: float | None = None  # ends of the 95 % interval; None: not known. If the rate is not reached, `low` is `reached`
    high: float | None = None


@dataclasses.dataclass(frozen=True)
class CodeResult:
    label: str
    maximum: float  # highest number of operations per second, without repairs
    load: float  # scheduled operations per second
    steps: list[Step]  # by ascending repair rate; the first is without repairs
    doubling: Doubling

    @property
    def background(self) -> str:
        return self.steps[0].setting.background


def percentile_of(histograms: Iterable[Histogram], share: float) -> float:
    """The latency in milliseconds that has rank ceil(share * n) among all n latencies in ascending order. n must not be 0."""
    ordered = sorted((milliseconds, count) for histogram in histograms for milliseconds, count in histogram)
    total = sum(count for _, count in ordered)
    rank = math.ceil(share * total - 1e-9)
    seen = 0
    for milliseconds, count in ordered:
        seen += count
        if seen >= rank:
            return milliseconds
    return ordered[-1][0]


def rising(values: Sequence[float]) -> list[float]:
    """The nearest values (least squares) that do not fall: isotonic regression by pooling adjacent violators."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (before, many), (after, more) = pools[-2:]
            pools[-2:] = [((before * many + after * more) / (many + more), many + more)]
    return [value for value, count in pools for _ in range(count)]


def crossing(points: Sequence[tuple[float, float]]) -> float | None:
    """Returns the repair rate at which the latency reaches FACTOR times the latency of the first pair; None if it does not. A
    latency that does not fall with the rate is fitted to all pairs, and interpolated linearly between them. `points`: pairs of a
    repair rate and the latency at this rate, by ascending rate."""
    fitted = [points[0][1], *rising([max(latency, points[0][1]) for _, latency in points[1:]])]
    bound = FACTOR * points[0][1]
    for (rate, _), (next_rate, _), latency, next_latency in zip(points, points[1:], fitted, fitted[1:]):
        if next_latency >= bound:
            share = (bound - latency) / (next_latency - latency) if next_latency > latency else 0.0
            return rate + min(max(share, 0.0), 1.0) * (next_rate - rate)
    return None


def doubling_of(steps: Sequence[Step], resamples: int = RESAMPLES) -> Doubling:
    """Computes the rate from the lower quartile, over the rounds, of p99, and the median of the repair rate. Other programs only
    lengthen latencies, so the lower quartile is that of the less disturbed rounds. Computes the confidence interval by a bootstrap
    (Efron and Tibshirani 1993, chapter 13), which draws rounds at random with replacement. The same drawn rounds are used for all
    repair rates. The reason: all rates of a round were measured within a short time, so a change of the machine affects all of
    them equally. There is no rate if an interval is wider than MOST_WIDE."""
    reached = max((step.repair_rate for step in steps), default=0.0)
    if len(steps) < 2:
        return Doubling(reached, "only one repair rate was measured")
    if steps[0].unfinished:
        return Doubling(reached, "even without repairs, the foreground could not keep its schedule; end other programs, or give a "
                                 "lower load=")
    if any(step.percentile(P99) is None for step in steps):
        return Doubling(reached, "too few operations for a p99; give a longer --duration or more --rounds")
    by_round = [{row.repetition: (row.repair.bytes_per_s, percentile_of([row.histogram], P99)) for row in step.rows}
                for step in steps]
    common = sorted(set.intersection(*(set(rows) for rows in by_round)))
    if len(common) < FEWEST_VALUES:
        return Doubling(reached, f"it needs {FEWEST_VALUES} rounds of every repair rate")

    def points_of(rounds: Sequence[int]) -> list[tuple[float, float]]:
        return [(median(rows[number][0] for number in rounds), lower_quartile([rows[number][1] for number in rounds]))
                for rows in by_round]

    generator = random.Random(1)
    drawn = [points_of(generator.choices(common, k=len(common))) for _ in range(resamples)]
    low, high = ends(sorted(points[0][1] for points in drawn))
    if high > MOST_WIDE * low:
        return Doubling(reached, f"without repairs, the p99 is {low:.3g} to {high:.3g} ms; end other programs, or give more "
                                 "--rounds")
    rate = crossing(points_of(common))
    low, high = ends(sorted(math.inf if (found := crossing(points)) is None else found for points in drawn))
    if rate is None and low == math.inf:
        return Doubling(reached, low=reached)
    if rate is None or high > MOST_WIDE * low:
        first, last = ("not reached" if end == math.inf else f"{figure_text(end / 1e6)} MB/s" for end in (low, high))
        return Doubling(reached, f"the 95 % interval is {first} to {last}; give more --rounds")
    return Doubling(reached, "", rate, low, high)


def lower_quartile(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=4, method="inclusive")[0]


def ends(ordered: Sequence[float]) -> tuple[float, float]:
    """The ends of the CONFIDENCE interval."""
    low, high = (ordered[round(end * (len(ordered) - 1))] for end in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return low, high


def results_of(run: Run) -> list[CodeResult]:
    """The results of all codes that were measured so far."""
    settings: dict[Point, list[Setting]] = {}
    for entry in run.header.points:
        setting = run.points[entry.id]
        settings.setdefault(setting.code, []).append(setting)
    maxima: dict[Point, list[float]] = {code: [] for code in settings}
    for key, record in run.records.items():
        code = run.points[key.id].code
        if key.stage == MAXIMUM and isinstance(record, MixedRow) and code in maxima:
            maxima[code].append(record.foreground.operations_per_s)
    found = (code_result(median(maxima[code]), planned[0].foreground_rate or 0.0,
                         [Step(setting, run.rows.get(setting.id, [])) for setting in planned])
             for code, planned in settings.items() if maxima[code])
    return [result for result in found if result is not None]


def code_result(maximum: float, load: float, steps: Iterable[Step]) -> CodeResult | None:
    """Returns None if the code was not measured at repair rate 0."""
    measured = sorted((step for step in steps if step.rows), key=lambda step: (step.setting.repair_rate != 0, step.repair_rate))
    if not measured or measured[0].setting.repair_rate != 0:
        return None
    return CodeResult(label_of(measured[0].setting.code), maximum, load, measured, doubling_of(measured))
