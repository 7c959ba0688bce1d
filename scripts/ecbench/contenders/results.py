"""Computes the results of a run: for each case, the figure of each library, the fastest library, and the confidence of this
verdict."""

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
        """The median of GB/s over the rounds, and its interval."""
        return estimate([row["gb_per_s"] for row in self.rows])

    @property
    def mark(self) -> str:
        """The mark that tables print after the figure; "" if no row has warnings."""
        return MARK if has_warnings(self.rows) else ""

    @property
    def disturbed(self) -> float:
        """The share of the rows that were disturbed by other programs."""
        return sum(map(is_disturbed, self.rows)) / len(self.rows)

    @functools.cached_property
    def by_round(self) -> dict[int, float]:
        return {row["repetition"]: row["gb_per_s"] for row in self.rows}


class CaseResult:
    """The result of a case. `cells`: title of a library's column → measurements of this library."""

    def __init__(self, case: Case, cells: dict[str, Cell], limit: Cell | None) -> None:
        self.case = case
        self.cells = cells
        self.limit = limit
        self._confidence = wanted_confidence(len(cells) - 1)
        numbers = sorted({number for cell in cells.values() for number in cell.by_round})
        self.rounds = Rounds(({name: math.log(cell.by_round[number]) for name, cell in cells.items() if number in cell.by_round}
                              for number in numbers), self._confidence)
        disturbed = {name: cell.disturbed for name, cell in cells.items()}
        # With only_ratios, a wide interval of the fastest library does not make a case inconclusive. If a case has only one
        # library, this library is the fastest.
        self.ranking: Ranking[str] = (ranking(self.rounds, list(cells), disturbed=disturbed, only_ratios=True) if len(cells) > 1
                                      else Ranking(list(cells), {}, [], [], None))

    @property
    def fastest(self) -> str | None:
        """The title of the fastest library; None if the case is inconclusive."""
        return None if self.ranking.inconclusive else self.ranking.first

    @property
    def ties(self) -> list[str]:
        """Libraries that are not significantly different from the fastest library. According to the intervals, they are at most
        10 % slower."""
        return [] if self.ranking.inconclusive else [name for name in self.ranking.ties if name not in self.ranking.unclear]

    @property
    def unclear(self) -> list[str]:
        """Libraries that may be as fast as the fastest library, but may also be more than 10 % slower than this library."""
        return [] if self.ranking.inconclusive else self.ranking.unclear

    @property
    def next(self) -> str | None:
        """The library whose speed is closest to the speed of the fastest library. None if the case is inconclusive or has only one
        library."""
        ratios = self.ranking.ratios
        return max(ratios, key=lambda name: ratios[name].median) if self.fastest and ratios else None

    def ratio_to(self, name: str | None) -> Estimate | None:
        """The speed of the fastest library / the speed of library `name`. None if the case is inconclusive, or if library `name`
        has no figure."""
        return self.rounds.ratio(self.fastest, name) if self.fastest and name in self.cells else None

    @property
    def ratio_to_isa(self) -> Estimate | None:
        return self.ratio_to(ISA)

    def limit_percent(self, name: str | None) -> float | None:
        """The speed of library `name` in percent of the memory limit. The percentage is computed for each round, and the median of
        all rounds is returned. None if there is no limit or no such library."""
        if name is None or self.limit is None:
            return None
        limits = self.limit.by_round
        both = [100 * speed / limits[number] for number, speed in self.cells[name].by_round.items() if number in limits]
        return median(both) if both else None

    @property
    def confidence(self) -> float | None:
        """The library that is really the fastest should be `fastest`, or be in `ties` or `unclear`. Returns a lower bound for the
        probability that this is true. None if the case is inconclusive or has only one library."""
        ratios = self.ranking.ratios.values()
        if not self.fastest or not ratios:
            return None
        _, really = values_beyond(min(ratio.count for ratio in ratios), self._confidence)
        return 1 - len(ratios) * (1 - really) / 2


def wanted_confidence(comparisons: int) -> float:
    """The confidence that the interval of each comparison needs, so that all comparisons of a case together have a confidence of
    95 % (Bonferroni correction). The formula has a factor 2, because only one end of an interval matters: a library is wrongly
    called slower only if the upper end of its interval is too low. With few rounds, the intervals have a lower confidence; see
    CaseResult.confidence."""
    return max(CONFIDENCE, 1 - 2 * (1 - CONFIDENCE) / max(comparisons, 1))


class Results:
    """The results of all cases in which at least one library has a figure. The cases are in the order of the run's header."""

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
            # A library has no figure for a case if it returned wrong bytes in any round of this case.
            if not entry.rows or entry.has_wrong_bytes or any(row["gb_per_s"] <= 0 for row in entry.rows):
                continue
            if entry.is_limit:
                limits[int(point.get("k")), int(point.get("m")), point.size, point.cache] = Cell(point, entry.rows)
            else:
                cells.setdefault(case_of(point), {})[self._titles[entry.library]] = Cell(point, entry.rows)
        return [CaseResult(case, found, None if case.changed else limits.get((case.k, case.computed_chunks, case.size, case.cache)))
                for case, found in cells.items()]

    def wrong_bytes_lines(self) -> list[str]:
        """Returns a line for each case and library with wrong bytes, and a line for each candidate that returned wrong bytes in the
        qualifying rounds."""
        return [*(f"{self._titles[entry.library]} returned WRONG BYTES and has no figure: {entry.case}"
                  for entry in self.entries if not entry.is_limit and entry.has_wrong_bytes),
                *(f"{name} returned WRONG BYTES and was not considered" for name in self._wrong_candidates)]

    @property
    def _wrong_candidates(self) -> list[str]:
        return self.run.header.get("wrong_candidates", [])

    @property
    def wrong_bytes(self) -> int:
        """The number of planned measurements that returned wrong bytes, plus the number of candidates that returned wrong bytes
        in the qualifying rounds."""
        return len(self._wrong_candidates) + sum(
            failure["kind"] == "wrong_bytes" for failures in self.run.failures.values() for failure in failures)

    @property
    def has_marks(self) -> bool:
        return any(cell.mark for result in self.cases for cell in (*result.cells.values(), result.limit) if cell)

    def by_table(self) -> dict[str, list[CaseResult]]:
        """Returns title of a table → results of the cases in this table."""
        found: dict[str, list[CaseResult]] = {}
        for result in self.cases:
            found.setdefault(result.case.table, []).append(result)
        return found

    @property
    def rounds(self) -> int:
        return self.run.header["repetitions"]

    @property
    def advice(self) -> str:
        """How to get more measurements for inconclusive cases. Inconclusive.what_to_do() adds this text to its own advice."""
        return f"repeat with --rounds {max(2 * self.rounds, FEWEST_VALUES)}"

    def inconclusive_text(self, result: CaseResult) -> str | None:
        """Why the case is inconclusive, and what to do; None if the case has a fastest library."""
        return result.ranking.inconclusive.text(self.advice) if result.ranking.inconclusive else None
