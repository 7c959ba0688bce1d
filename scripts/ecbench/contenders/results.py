"""The results of a run: for each case, the figures of the libraries and the answer which is the fastest."""

import dataclasses
from collections.abc import Sequence

from ecbench.comparison import tally
from ecbench.comparison.case import Case, case_of_point
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.select import Selection
from ecbench.contenders import versions
from ecbench.point.point import Point
from ecbench.runfile.rooflines import by_round, key_of_limit, percents
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import median_of
from ecbench.statistics.interval import FEWEST_VALUES


@dataclasses.dataclass(frozen=True)
class CaseResult:
    case: Case
    libraries: Comparison  # by title of their columns
    limit: Candidate | None = None
    ways: Comparison = Comparison({})  # simd's ways to encode (ways.py)

    @property
    def selection(self) -> Selection[str]:
        return self.libraries.selection

    def limit_percent(self, name: str | None) -> float | None:
        """The speed of a library in percent of the roofline: the median of the rounds' percentages."""
        if name is None or self.limit is None:
            return None
        return median_of(percents(by_round(self.libraries.candidates[name].rows), by_round(self.limit.rows)))


class Results:
    """The results of all cases in which at least one library has a figure, in the order of the run's header."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.entries = versions.entries_of(run)
        self._titles = versions.titles_of(self.entries)
        self.cases = self._case_results()
        present = {name for result in self.cases for name in result.libraries.candidates}
        self.libraries = [title for title in self._titles.values() if title in present]

    def _case_results(self) -> list[CaseResult]:
        limits: dict[str, Point] = {}
        libraries: dict[Case, dict[str, Point]] = {}
        ways: dict[Case, dict[str, Point]] = {}
        for entry in self.entries:
            if entry.is_limit:
                limits[str(key_of_limit(entry.point))] = entry.point
            elif entry.is_way:
                ways.setdefault(case_of_point(entry.point), {})[entry.library] = entry.point
            else:
                libraries.setdefault(case_of_point(entry.point), {})[self._titles[entry.library]] = entry.point
        measured = Comparison.of_run(self.run, limits).candidates
        found = []
        for case, points in libraries.items():
            limit = None if case.changed else measured.get(str((case.k, case.computed_chunks, case.size, case.cache)))
            found.append(CaseResult(case, Comparison.of_run(self.run, points), limit,
                                    Comparison.of_run(self.run, ways.get(case, {}))))
        return [result for result in found if result.libraries.candidates]

    def wrong_bytes_lines(self) -> list[str]:
        return [*(f"{self._titles.get(entry.library, entry.library)} returned WRONG BYTES and has no figure: {entry.case}"
                  for entry in self.entries if not entry.is_limit and entry.has_wrong_bytes),
                *(f"{name} returned WRONG BYTES and was not considered" for name in self._wrong_candidates)]

    @property
    def _wrong_candidates(self) -> list[str]:
        return self.run.header.wrong_candidates

    @property
    def wrong_bytes(self) -> int:
        return len(self._wrong_candidates) + self.run.wrong_bytes()

    @property
    def has_marks(self) -> bool:
        return any(one.mark for result in self.cases for one in (*result.libraries.candidates.values(), result.limit) if one)

    def by_table(self) -> dict[str, list[CaseResult]]:
        found: dict[str, list[CaseResult]] = {}
        for result in self.cases:
            found.setdefault(result.case.table, []).append(result)
        return found

    @property
    def rounds(self) -> int:
        return self.run.header.repetitions

    @property
    def advice(self) -> str:
        return f"repeat with --rounds {max(2 * self.rounds, FEWEST_VALUES)}"

    @property
    def answer(self) -> str:
        return answer(self.run.header.machine.cpu, self.cases, self.libraries)


def scores(cases: Sequence[CaseResult], libraries: Sequence[str]) -> list[tally.Score]:
    """The number of cases in which each library is the fastest."""
    return tally.scores([tally.outcome_of(result.selection) for result in cases], libraries)


def answer(cpu: str, cases: Sequence[CaseResult], libraries: Sequence[str]) -> str:
    return tally.sentence(cpu, "library", [tally.outcome_of(result.selection) for result in cases], scores(cases, libraries))
