"""Cases (what is held equal while candidates are compared), the comparison of their candidates, and the comparison of two runs."""

import dataclasses
import functools
import itertools
import math
import operator
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from ecbench.comparison.figures import FASTER, SLOWER, Rounds, Verdict, change, direction, paired_ratio, tail_of, unpaired_ratio
from ecbench.comparison.select import Selection, select
from ecbench.point.point import DEFAULT_OPTIONS, Point, bytes_text, option_text, size_text, workload_text
from ecbench.runfile.row import WRONG_BYTES, Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S, Marks, PointSummary, median_of, speeds_of
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate
from ecbench.terminal.console import say

OF_CASES = ("workload", "erasures", "cache", "size", "changed")  # the properties of points that are fields of a case
NO_OPTIONS = ("plugin", "profile", "codec_lib", "workload", "erasures", "size")


class Case(NamedTuple):
    workload: str
    erasures: int  # number of lost chunks that a decode computes; 0 for other workloads
    cache: str
    k: int
    m: int
    size: int  # bytes
    changed: int = 0  # number of data chunks that an overwrite changes; 0 for other workloads
    options: tuple[tuple[str, Any], ...] = ()  # name and value of the others that do not have their usual value

    @property
    def shape(self) -> str:
        return f"{self.k}+{self.m}"

    @property
    def extras(self) -> list[str]:
        return [option_text(*option) for option in self.options]

    @property
    def title(self) -> str:
        return ", ".join([workload_text(self.workload, self.erasures), self.shape, size_text(self.size), *self.extras])

    def __str__(self) -> str:
        count = self.erasures or self.changed
        workload = f"{self.workload} {count}" if count else self.workload
        return f"{self.shape} {workload} of {bytes_text(self.size)}, {self.cache}"


def case_of(point: Point, row: Row | None = None, others: Collection[str] = ()) -> Case:
    """Codes without the parameters k and m have those of `row`. `others`: further properties that are no options of the case."""
    options = tuple((name, value) for name, value in point.to_json().items()
                    if name not in NO_OPTIONS and name not in others and value != DEFAULT_OPTIONS.get(name))
    k, m = (int(point.get(key) or (getattr(row, key) if row else 0)) for key in ("k", "m"))
    return Case(point.workload, point.erasures, point.cache, k, m, point.size, point.changed or 0, options)


# The candidates of a case, measured in the rounds of a run, and the answers of the comparison.

@dataclasses.dataclass(frozen=True, eq=False)
class Candidate:
    point: Point
    rows: Sequence[Row]  # those of rounds in which it did not fail
    mark: str = ""

    @functools.cached_property
    def speed(self) -> Estimate:
        """The median GB/s of the rounds."""
        return estimate([row.gb_per_s for row in self.rows])

    def middle(self, column: Callable[[Row], float | None]) -> float | None:
        return median_of(map(column, self.rows))


@dataclasses.dataclass(frozen=True)
class Comparison:
    candidates: Mapping[str, Candidate]
    failed: Sequence[str] = ()  # those without a figure, because their measurements failed, or have no value of this column
    wrong: Sequence[str] = ()  # those that returned wrong bytes in any round
    unmeasured: Sequence[str] = ()  # those that the run has not reached
    figure: str = GB_PER_S  # the column of a row that is compared

    @classmethod
    def of_run(cls, run: Run, points: Mapping[str, Sequence[Point]], figure: str = GB_PER_S) -> Self:
        """`points`: of each candidate. Its figure is the harmonic mean over them: the speed if each processes an object once."""
        candidates, marks = dict[str, Candidate](), Marks(run)
        failed, wrong, unmeasured = list[str](), list[str](), list[str]()
        for name, of_candidate in points.items():
            if any(failure.kind == WRONG_BYTES for point in of_candidate for failure in run.failures.get(point.id, ())):
                wrong.append(name)
            elif rows := [mean(each) for each in by_round([run.rows.get(point.id, ()) for point in of_candidate])]:
                candidates[name] = Candidate(of_candidate[0], rows, marks.of(rows))
                if not speeds_of(rows, figure):  # too few operations for this percentile
                    failed.append(name)
            elif any(run.failures.get(point.id) for point in of_candidate) or all(point.id in run.rows for point in of_candidate):
                failed.append(name)
            else:
                unmeasured.append(name)
        return cls(candidates, failed, wrong, unmeasured, figure)

    @functools.cached_property
    def rounds(self) -> Rounds:
        return Rounds.of_rows({name: candidate.rows for name, candidate in self.candidates.items()}, self.figure)

    @functools.cached_property
    def selection(self) -> Selection[str]:
        return select(self.rounds, self.failed, list(self.candidates), self.unmeasured)

    def ratio(self, name: str, base: str, comparisons: int = 1) -> Estimate | None:
        """The speed of `name` / the speed of `base` (latencies: the reciprocals); None if no round has both."""
        found = self.rounds.ratio(name, base, tail_of(comparisons))
        return found if found.count else None

    def change(self, name: str, base: str, comparisons: int = 1) -> Verdict:
        """Whether `name` is slower or faster than `base`."""
        return change(self.rounds.ratio(name, base, tail_of(comparisons)), self.rounds.ratio(name, base, tail_of(1)))


def by_round(of_points: Iterable[Sequence[Row]]) -> list[list[Row]]:
    """The rows of each round in which all points have a speed."""
    first, *others = ({row.repetition: row for row in rows if row.gb_per_s > 0} for rows in of_points)
    return [[row, *(rows[number] for rows in others)] for number, row in first.items() if all(number in rows for rows in others)]


def mean(rows: Sequence[Row]) -> Row:
    if len(rows) == 1:
        return rows[0]
    costs = [row.cpu_seconds_per_gb for row in rows if row.cpu_seconds_per_gb is not None]
    return dataclasses.replace(
        rows[0], gb_per_s=statistics.harmonic_mean([row.gb_per_s for row in rows]),
        cpu_seconds_per_gb=statistics.fmean(costs) if costs else None,
        warnings=[warning for row in rows for warning in row.warnings or ()] if rows[0].warnings is not None else None)


def exit_code(run: Run, wrong: int, count: int) -> int:
    """The exit code for a run with `count` figures and `wrong` points that returned wrong bytes."""
    if not count:
        why = "every measurement failed" if run.finished else "the run is not finished; continue it with --resume"
        say(f"{run.path} has no figure: {why}")
    return 2 if wrong else 0 if count else 1


# Two runs, compared point by point: the ratio of the speeds of each point, and whether it changed. Intervals are corrected for
# the number of common points. The runs are interleaved at a point if their repetitions alternate in time, so that changes of
# the machine affect both. Then each repetition gives a ratio. Otherwise, the ratio is that of two independent figures, and its
# interval does not include changes of the machine between the runs.

SAME, UNKNOWN = "~", "-"  # SAME: not significantly different; UNKNOWN: the ratio has no interval
Group = tuple[str, int, str, str]  # workload, size, plugin, technique


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    a: PointSummary
    b: PointSummary
    ratio: Estimate  # speed in the second run / speed in the first run
    interleaved: bool

    @property
    def group(self) -> Group:
        point = self.a.point
        return point.workload, point.size, point.plugin, point.get("technique") or ""

    @property
    def verdict(self) -> str:
        found = UNKNOWN if self.ratio.low is None else direction(self.ratio)
        return found if found in (FASTER, SLOWER, UNKNOWN) else SAME


def pair_up(a: Run, a_summaries: Sequence[PointSummary], b: Run, b_summaries: Sequence[PointSummary]) -> list[Pair]:
    """The points that have a figure in both runs, in the order of the first run."""
    of_b = {summary.id: summary for summary in b_summaries if summary.gb_per_s}
    common = [summary for summary in a_summaries if summary.gb_per_s and summary.id in of_b]
    tail = tail_of(len(common))
    return [pair(summary, a.rows[summary.id], of_b[summary.id], b.rows[summary.id], tail) for summary in common]


def pair(a: PointSummary, a_rows: Sequence[Row], b: PointSummary, b_rows: Sequence[Row], tail: float) -> Pair:
    ratio = unpaired_ratio(b.estimate, a.estimate, tail)
    in_step = interleaved_pairs(a_rows, b_rows)
    if in_step:
        ratios = [b_row.gb_per_s / a_row.gb_per_s for a_row, b_row in in_step]
        paired = paired_ratio(list(map(math.log, ratios)), tail)
        if len(ratios) < FEWEST_VALUES and ratio.low is not None and ratio.high is not None:
            paired = dataclasses.replace(paired, low=min(ratio.low, *ratios), high=max(ratio.high, *ratios))
        ratio = paired
    return Pair(a, b, ratio, bool(in_step))


def interleaved_pairs(a_rows: Sequence[Row], b_rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """The repetitions of both runs in pairs, in the order of measurement. Empty if the runs are not interleaved at this point."""
    pairs = list(zip(sorted(a_rows, key=operator.attrgetter("at")), sorted(b_rows, key=operator.attrgetter("at"))))
    if len(a_rows) != len(b_rows) or len(pairs) < 2:
        return []
    alternate = all(max(row.at for row in earlier) <= min(row.at for row in later) for earlier, later in itertools.pairwise(pairs))
    return pairs if alternate and pairs[0][0].at != pairs[-1][0].at else []


def by_group(pairs: Iterable[Pair]) -> dict[Group, list[Pair]]:
    """The pairs of each workload, size, plugin and technique, in ascending order of the ratio."""
    ordered = sorted(pairs, key=lambda each: (each.group, each.ratio.median))
    return {name: list(of_group) for name, of_group in itertools.groupby(ordered, lambda each: each.group)}


def mean_ratio(pairs: Iterable[Pair]) -> float:
    return statistics.geometric_mean(pair.ratio.median for pair in pairs)
