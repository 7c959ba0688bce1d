"""The candidates of a case, measured in the rounds of a run, and the answers of the comparison."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Self

from ecbench.comparison.figures import Rounds
from ecbench.comparison.questions import Verdict, change, tail_of
from ecbench.comparison.select import Selection, select
from ecbench.point.point import Point
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import WRONG_BYTES, Run
from ecbench.runfile.summary import GB_PER_S, MARK, mark_of, mark_shower, median_of
from ecbench.statistics.interval import Estimate, estimate
from ecbench.terminal.console import say


@dataclasses.dataclass(frozen=True, eq=False)
class Candidate:
    point: Point
    rows: Sequence[Row]  # those of rounds in which it did not fail
    shows_mark: bool = dataclasses.field(default=True, kw_only=True)

    @functools.cached_property
    def speed(self) -> Estimate:
        """The median GB/s of the rounds."""
        return estimate([row.gb_per_s for row in self.rows])

    @property
    def warned(self) -> bool:
        return bool(mark_of(self.rows))

    @property
    def mark(self) -> str:
        return MARK if self.warned and self.shows_mark else ""

    def middle(self, column: Callable[[Row], float | None]) -> float | None:
        return median_of(map(column, self.rows))


@dataclasses.dataclass(frozen=True)
class Comparison:
    candidates: Mapping[str, Candidate]
    failed: Sequence[str] = ()  # those without a figure, because their measurements failed
    wrong: Sequence[str] = ()  # those that returned wrong bytes in any round
    unmeasured: Sequence[str] = ()  # those that the run has not reached
    figure: str = GB_PER_S  # the column of a row that is compared

    @classmethod
    def of_run(cls, run: Run, points: Mapping[str, Point], figure: str = GB_PER_S) -> Self:
        candidates: dict[str, Candidate] = {}
        failed: list[str] = []
        wrong: list[str] = []
        unmeasured: list[str] = []
        shows_mark = mark_shower(run)
        for name, point in points.items():
            if any(failure.kind == WRONG_BYTES for failure in run.failures.get(point.id, ())):
                wrong.append(name)
            elif rows := [row for row in run.rows.get(point.id, ()) if row.gb_per_s > 0]:
                candidates[name] = Candidate(point, rows, shows_mark=shows_mark(rows))
            else:
                (failed if point.id in run.rows or point.id in run.failures else unmeasured).append(name)
        return cls(candidates, failed, wrong, unmeasured, figure)

    @functools.cached_property
    def rounds(self) -> Rounds:
        return Rounds.of_rows({name: candidate.rows for name, candidate in self.candidates.items()}, self.figure)

    @functools.cached_property
    def selection(self) -> Selection[str]:
        return select(self.rounds, self.failed, candidates=list(self.candidates), unmeasured=self.unmeasured)

    def ratio(self, name: str, base: str, comparisons: int = 1) -> Estimate | None:
        """The speed of `name` / the speed of `base` (latencies: the reciprocals); None if no round has both."""
        found = self.rounds.ratio(name, base, tail_of(comparisons))
        return found if found.count else None

    def change(self, name: str, base: str, comparisons: int = 1) -> Verdict:
        """Whether `name` is slower or faster than `base`."""
        return change(self.rounds.ratio(name, base, tail_of(comparisons)), self.rounds.ratio(name, base, tail_of(1)))


def exit_code(run: Run, wrong: int, count: int) -> int:
    """The exit code for a run with `count` figures and `wrong` points that returned wrong bytes."""
    if not count:
        why = "every measurement failed" if run.finished else "the run is not finished; continue it with --resume"
        say(f"{run.path} has no figure: {why}")
    return 2 if wrong else 0 if count else 1
