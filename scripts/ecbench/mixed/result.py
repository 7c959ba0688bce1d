"""The result of mixed. For each code and each repair rate: throughput, latencies and CPU time. For each code: the repair rate at
which the p99 of the foreground doubles."""

import dataclasses
import itertools
import math
import random
from collections.abc import Iterable, Sequence

from ecbench.mixed.setting import Setting, label_of
from ecbench.point.point import Json, Point
from ecbench.runfile.run_file import Run
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

FORMAT = "ecbench mixed comparison 1"
MAXIMUM = "maximum"  # the stage that measures the foreground's maximum
FACTOR = 2.0  # mixed finds the repair rate at which the p99 is FACTOR times the p99 without repairs
RESAMPLES = 2000
CONFIDENCE = 0.95
VALUES_ABOVE = 10  # a percentile is computed only if at least this many latencies are above it
P50, P95, P99 = 0.50, 0.95, 0.99

Histogram = Sequence[tuple[float, int]]  # pairs: a latency in milliseconds, and the number of operations with this latency


@dataclasses.dataclass(frozen=True)
class Step:
    """All measurements of a code at one repair rate."""

    setting: Setting
    rows: list[Json]

    @property
    def repair_rate(self) -> float:
        """The median of the measured repair rates of all rounds, in rebuilt bytes per second."""
        return median(row["repair"]["bytes_per_s"] for row in self.rows)

    @property
    def gb_per_s(self) -> Estimate:
        return estimate([row["foreground"]["gb_per_s"] for row in self.rows])

    @property
    def operations_per_s(self) -> float:
        return median(row["foreground"]["operations_per_s"] for row in self.rows)

    @property
    def unfinished(self) -> int:
        return sum(row["foreground"]["unfinished"] for row in self.rows)

    @property
    def operations(self) -> int:
        return sum(row["foreground"]["operations"] for row in self.rows)

    @property
    def foreground_cpus(self) -> float:
        """CPU seconds of the foreground per second of the measurement."""
        return median(row["foreground"]["cpu_seconds"] / row["duration_seconds"] for row in self.rows)

    @property
    def repair_cpus(self) -> float:
        return median(row["repair"]["cpu_seconds"] / row["duration_seconds"] for row in self.rows)

    @property
    def repair_cpu_seconds_per_gb(self) -> float | None:
        """CPU seconds for 10^9 rebuilt bytes; None without repairs."""
        repaired = sum(row["repair"]["bytes_per_s"] * row["duration_seconds"] for row in self.rows) / 1e9
        return sum(row["repair"]["cpu_seconds"] for row in self.rows) / repaired if repaired else None

    def percentile(self, share: float) -> float | None:
        """The percentile in milliseconds, from the latencies of all rounds. None if there are too few latencies."""
        if self.operations * (1 - share) < VALUES_ABOVE - 1e-9:
            return None
        return percentile_of([row["histogram"] for row in self.rows], share)


@dataclasses.dataclass(frozen=True)
class Doubling:
    """The repair rate, in bytes per second, at which the p99 is twice the p99 without repairs."""

    rate: float | None  # None: not reached
    low: float | None  # lower end of the 95 % interval; None: there is no interval
    high: float | None  # upper end of the interval; None: there is no interval, or its upper end is above `reached`
    reached: float  # the highest repair rate that was measured
    why: str = ""  # why the rate cannot be computed; "": the rate was computed, or the p99 does not double

    @property
    def has_interval(self) -> bool:
        return self.low is not None


@dataclasses.dataclass(frozen=True)
class CodeResult:
    label: str
    maximum: float  # highest number of operations per second, without repairs
    load: float  # scheduled operations per second
    steps: list[Step]  # by ascending repair rate; the first is without repairs
    doubling: Doubling


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


def crossing(points: Sequence[tuple[float, float]]) -> float | None:
    """Returns the lowest repair rate at which the latency reaches FACTOR times the latency of the first pair. Returns None if no
    latency is so high. Between measured rates, the latency is interpolated linearly. `points`: pairs of a repair rate and the
    latency at this rate."""
    bound = FACTOR * points[0][1]
    for (rate, latency), (next_rate, next_latency) in itertools.pairwise(points):
        if next_latency >= bound:
            share = (bound - latency) / (next_latency - latency) if next_latency > latency else 0.0
            return rate + min(max(share, 0.0), 1.0) * (next_rate - rate)
    return None


def doubling_of(steps: Sequence[Step], seed: int = 1) -> Doubling:
    """Computes the rate from all rounds. Computes the confidence interval by a bootstrap (Efron and Tibshirani 1993, chapter 13),
    which draws rounds at random with replacement. The same drawn rounds are used for all repair rates. The reason: all rates of a
    round were measured within a short time, so a change of the machine affects all of them equally."""
    reached = max((step.repair_rate for step in steps), default=0.0)
    if len(steps) < 2:
        return Doubling(None, None, None, reached, "only one repair rate was measured")
    if steps[0].unfinished:
        return Doubling(None, None, None, reached, "even without repairs, the foreground could not keep its schedule; end other "
                                                   "programs, or give a lower load=")
    if any(step.percentile(P99) is None for step in steps):
        return Doubling(None, None, None, reached, "too few operations for a p99; give a longer --duration or more --rounds")
    rate = crossing([(step.repair_rate, step.percentile(P99) or 0.0) for step in steps])
    by_round = [{row["repetition"]: row for row in step.rows} for step in steps]
    common = sorted(set.intersection(*(set(rows) for rows in by_round)))
    if len(common) < FEWEST_VALUES:
        return Doubling(rate, None, None, reached)
    generator = random.Random(seed)
    found = []
    for _ in range(RESAMPLES):
        drawn = generator.choices(common, k=len(common))
        points = [(median(rows[number]["repair"]["bytes_per_s"] for number in drawn),
                   percentile_of([rows[number]["histogram"] for number in drawn], P99)) for rows in by_round]
        found.append(crossing(points))
    found.sort(key=lambda value: math.inf if value is None else value)
    low, high = (found[round(end * (RESAMPLES - 1))] for end in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Doubling(rate, reached if low is None else low, high, reached)


def results_of(run: Run) -> list[CodeResult]:
    """The results of all codes that were measured so far."""
    settings: dict[Point, list[Setting]] = {}
    for entry in run.header["points"]:
        setting = run.points[entry["id"]]
        settings.setdefault(setting.code, []).append(setting)
    maxima: dict[Point, list[float]] = {code: [] for code in settings}
    for key, record in run.records.items():
        code = run.points[key.id].code
        if key.stage == MAXIMUM and record["record"] == "row" and code in maxima:
            maxima[code].append(record["foreground"]["operations_per_s"])
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
