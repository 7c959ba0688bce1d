"""The results of a run: for each case the figure of each library, the fastest library, and the confidence."""

import dataclasses
import functools
import math
from typing import Any

from ecbench.contenders import versions
from ecbench.contenders.cases import Case, case_of
from ecbench.contenders.entries import entries_of
from ecbench.contenders.libraries import ISA
from ecbench.point.point import Point
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import MARK, has_warnings, is_disturbed
from ecbench.statistics.interval import CONFIDENCE, FEWEST_VALUES, Estimate, estimate, median, values_beyond
from ecbench.statistics.ranking import Ranking, ranking
from ecbench.statistics.rounds import Rounds


@dataclasses.dataclass(frozen=True)
class Cell:
    """The measurements of a library, or of the memory limit, in a case."""
    point: Point
    rows: list[dict[str, Any]]

    @functools.cached_property
    def speed(self) -> Estimate:
        """GB/s."""
        return estimate([row["gb_per_s"] for row in self.rows])

    @property
    def mark(self) -> str:
        """The mark after the figure."""
        return MARK if has_warnings(self.rows) else ""

    @property
    def disturbed(self) -> float:
        """The share of rows that other programs disturbed."""
        return sum(map(is_disturbed, self.rows)) / len(self.rows)

    @functools.cached_property
    def by_round(self) -> dict[int, float]:
        return {row["repetition"]: row["gb_per_s"] for row in self.rows}


class CaseResult:
    """The result of a case. `cells`: the measurements of each library, by the title of its column."""

    def __init__(self, case: Case, cells: dict[str, Cell], limit: Cell | None) -> None:
        self.case = case
        self.cells = cells
        self.limit = limit
        self._confidence = wanted_confidence(len(cells) - 1)
        numbers = sorted({number for cell in cells.values() for number in cell.by_round})
        self.rounds = Rounds(({name: math.log(cell.by_round[number]) for name, cell in cells.items() if number in cell.by_round}
                              for number in numbers), self._confidence)
        disturbed = {name: cell.disturbed for name, cell in cells.items()}
        # only_ratios: a wide interval of the fastest library does not make a case inconclusive. If a case has only one library,
        # this library is the fastest.
        self.ranking: Ranking[str] = (ranking(self.rounds, list(cells), disturbed=disturbed, only_ratios=True) if len(cells) > 1
                                      else Ranking(list(cells), {}, [], [], None))

    @property
    def fastest(self) -> str | None:
        """None if the measurements are inconclusive."""
        return None if self.ranking.inconclusive else self.ranking.first

    @property
    def ties(self) -> list[str]:
        """Libraries that are not significantly different from the fastest, and at most 10 % slower."""
        return [] if self.ranking.inconclusive else [name for name in self.ranking.ties if name not in self.ranking.unclear]

    @property
    def unclear(self) -> list[str]:
        """Libraries that may be as fast as the fastest, but may also be more than 10 % slower."""
        return [] if self.ranking.inconclusive else self.ranking.unclear

    @property
    def next(self) -> str | None:
        """The library whose speed is closest to that of the fastest."""
        ratios = self.ranking.ratios
        return max(ratios, key=lambda name: ratios[name].median) if self.fastest and ratios else None

    def ratio_to(self, name: str | None) -> Estimate | None:
        """Speed of the fastest / speed of another library; None if there is no fastest, or no such library."""
        return self.rounds.ratio(self.fastest, name) if self.fastest and name in self.cells else None

    @property
    def ratio_to_isa(self) -> Estimate | None:
        return self.ratio_to(ISA)

    def limit_percent(self, name: str | None) -> float | None:
        """In each round, the speed is divided by the limit. Returns the median of these ratios in percent."""
        if name is None or self.limit is None:
            return None
        limits = self.limit.by_round
        both = [100 * speed / limits[number] for number, speed in self.cells[name].by_round.items() if number in limits]
        return median(both) if both else None

    @property
    def confidence(self) -> float | None:
        """A lower bound for the probability that the truly fastest library is `fastest` or in `ties` or `unclear`. None if the case
        is inconclusive or has only one library."""
        ratios = self.ranking.ratios.values()
        if not self.fastest or not ratios:
            return None
        _, really = values_beyond(min(ratio.count for ratio in ratios), self._confidence)
        return 1 - len(ratios) * (1 - really) / 2


def wanted_confidence(comparisons: int) -> float:
    """The confidence that each interval needs, so that all comparisons together have 95 % (Bonferroni). The formula has a
    factor 2, because only one end of an interval matters: a library is wrongly called slower only if the upper end is too low. With
    few rounds the confidence is lower, see CaseResult.confidence."""
    return max(CONFIDENCE, 1 - 2 * (1 - CONFIDENCE) / max(comparisons, 1))


class Results:
    """All cases of a run that have a figure, in the order of the run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.entries = entries_of(run)
        self._titles = versions.titles_of(self.entries)
        self.cases = self._case_results()
        present = {name for result in self.cases for name in result.cells}
        self.libraries = [title for title in self._titles.values() if title in present]

    def _case_results(self) -> list[CaseResult]:
        limits: dict[Any, Cell] = {}
        cells: dict[Case, dict[str, Cell]] = {}
        for entry in self.entries:
            point = entry.point
            # A library that returned wrong bytes in any round has no speed.
            if not entry.rows or entry.has_wrong_bytes or any(row["gb_per_s"] <= 0 for row in entry.rows):
                continue
            if entry.is_limit:
                limits[int(point.get("k")), int(point.get("m")), point.size, point.cache] = Cell(point, entry.rows)
            else:
                cells.setdefault(case_of(point), {})[self._titles[entry.library]] = Cell(point, entry.rows)
        return [CaseResult(case, found, None if case.changed else limits.get((case.k, case.computed_chunks, case.size, case.cache)))
                for case, found in cells.items()]

    def wrong_bytes_lines(self) -> list[str]:
        """A line for each library that returned wrong bytes in a case, and for each candidate that returned wrong bytes."""
        return [*(f"{self._titles[entry.library]} returned WRONG BYTES and has no figure: {entry.case}"
                  for entry in self.entries if not entry.is_limit and entry.has_wrong_bytes),
                *(f"{name} returned WRONG BYTES and was not considered" for name in self._wrong_candidates)]

    @property
    def _wrong_candidates(self) -> list[str]:
        return self.run.header.get("wrong_candidates", [])

    @property
    def wrong_bytes(self) -> int:
        """The number of measurements with wrong bytes, plus the number of candidates that returned wrong bytes."""
        return len(self._wrong_candidates) + sum(
            failure["kind"] == "wrong_bytes" for failures in self.run.failures.values() for failure in failures)

    @property
    def has_marks(self) -> bool:
        return any(cell.mark for result in self.cases for cell in (*result.cells.values(), result.limit) if cell)

    def by_table(self) -> dict[str, list[CaseResult]]:
        """The cases by title of their table."""
        found: dict[str, list[CaseResult]] = {}
        for result in self.cases:
            found.setdefault(result.case.table, []).append(result)
        return found

    @property
    def rounds(self) -> int:
        return self.run.header["repetitions"]

    @property
    def advice(self) -> str:
        """Advice for inconclusive cases, in addition to the advice to use a quieter machine."""
        return f"repeat with --rounds {max(2 * self.rounds, FEWEST_VALUES)}"

    def inconclusive_text(self, result: CaseResult) -> str | None:
        """The reason and the advice."""
        return result.ranking.inconclusive.text(self.advice) if result.ranking.inconclusive else None
