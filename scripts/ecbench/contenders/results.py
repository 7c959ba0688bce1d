"""What a run of contenders says: case by case the figures of its contestants, who is the fastest, and how sure that is."""

import dataclasses
import math

from ecbench.contenders import naming
from ecbench.contenders.cases import case_of
from ecbench.contenders.contestants import ISA, LIMIT
from ecbench.contenders.field import limit_key, limit_key_of
from ecbench.runfile.summary import MARK, has_warnings
from ecbench.statistics.interval import FEWEST_VALUES as FEWEST_ROUNDS
from ecbench.statistics.interval import estimate, median, median_interval
from ecbench.statistics.rounds import Rounds

FAMILY = 0.95  # how sure an interval, and all comparisons of a case together, ought to be


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Of two speeds, round by round; low and high are None where there are too few rounds."""
    middle: float
    low: float | None
    high: float | None

    def excludes_one(self):
        return self.low is not None and not self.low <= 1 <= self.high


@dataclasses.dataclass
class Cell:
    """A contestant in a case."""
    contestant: str
    point: object
    rows: list

    @property
    def gb_per_s(self):
        return median([row["gb_per_s"] for row in self.rows])

    @property
    def interval(self):
        """Of the rounds' figures, as low and high; None of too few."""
        if len(self.rows) < FEWEST_ROUNDS:
            return None
        low, high, _ = median_interval([row["gb_per_s"] for row in self.rows])
        return low, high

    @property
    def mark(self):
        """What stands next to the figure."""
        return MARK if has_warnings(self.rows) else ""

    def by_round(self):
        return {row["repetition"]: row["gb_per_s"] for row in self.rows if row["gb_per_s"] > 0}


class Standing:
    """One case: `cells` maps contestants to what was measured of them, `limit` is the Cell of the yardstick or None. Those in
    `unknown` failed in too many rounds to be compared with the fastest, and may be faster."""

    def __init__(self, case, cells, limit):
        self.case = case
        self.cells = cells
        self.limit = limit
        numbers = sorted({number for cell in cells.values() for number in cell.by_round()})
        self._rounds = Rounds()
        for number in numbers:
            self._rounds.add({name: math.log(cell.by_round()[number]) for name, cell in cells.items() if number in cell.by_round()})
        ranked = self._rounds.ranked(list(cells))
        enough = [name for name in ranked if len(cells[name].by_round()) >= FEWEST_ROUNDS]
        self.fastest = (enough or ranked)[0]
        self.ranked = [self.fastest, *(name for name in ranked if name != self.fastest)]
        against = {name: self.ratio(self.fastest, name) for name in self.ranked[1:]}
        self.unknown = [name for name, ratio in against.items() if enough and ratio.low is None]
        compared = {name: ratio for name, ratio in against.items() if name not in self.unknown}
        self.equals = [name for name, ratio in compared.items() if ratio.low is None or ratio.low <= 1]
        # Not the next by rank alone: the one that comes closest to the fastest.
        self.runner_up = min(compared, key=lambda name: compared[name].middle, default=None)

    @property
    def undecided(self):
        """The others who may be the fastest."""
        return [*self.equals, *self.unknown]

    def ratio(self, name, base):
        """The interval is as wide as all comparisons of the fastest with the others need together, as far as the rounds allow."""
        return ratio_of(self._pairs(name, base), max(len(self.cells) - 1, 1))

    def _pairs(self, name, base):
        return [speeds[name] - speeds[base] for speeds in self._rounds.rounds if name in speeds and base in speeds]

    def pair(self, name, base):
        """By itself, as of two that are compared without regard to the others."""
        return ratio_of(self._pairs(name, base), 1)

    def of_runner_up(self):
        return None if self.runner_up is None else self.ratio(self.fastest, self.runner_up)

    def of_isa(self):
        """The fastest over isa; None where there is none."""
        return self.ratio(self.fastest, ISA) if ISA in self.cells else None

    def percent_of_limit(self, name):
        """Round by round; None where the limit was not measured."""
        if self.limit is None:
            return None
        speeds, limits = self.cells[name].by_round(), self.limit.by_round()
        both = [100 * speeds[number] / limits[number] for number in speeds if number in limits]
        return median(both) if both else None

    @property
    def certainty(self):
        """With which probability at least whoever is really the fastest is `fastest`, or one of `equals` or `unknown`; None where
        there is nothing to err in. That equals are not told apart is less sure, for the one taken for the fastest was the
        luckiest."""
        compared = [name for name in self.ranked[1:] if name not in self.unknown]
        rounds = min((len(self._pairs(self.fastest, name)) for name in compared), default=0)
        if rounds < FEWEST_ROUNDS:
            return None
        others = len(self.cells) - 1
        return 1 - others * (1 - median_interval(range(rounds), wanted_confidence(others)).confidence) / 2


def ratio_of(logarithms, comparisons):
    found = estimate([math.exp(value) for value in logarithms], wanted_confidence(comparisons))
    return Ratio(found.median, found.low, found.high)


def wanted_confidence(comparisons):
    """Of each interval, so that none of so many errs (Bonferroni): who is taken to be slower is wrongly so beyond one end alone.
    Too few rounds give less, which Standing.certainty tells."""
    return max(FAMILY, 1 - 2 * (1 - FAMILY) / comparisons)


class Results:
    """All cases of a run that have a figure, in its order."""

    def __init__(self, run):
        self.run = run
        self.names = naming.names_of(run)
        self.standings = self._standings()
        if self.standings:
            present = {name for standing in self.standings for name in standing.cells}
            self.contestants = [name for name in self.names.values() if name in present]
        else:
            self.contestants = []

    def _standings(self):
        limits, cells = {}, {}
        for entry in self.run.header["points"]:
            point, rows = self.run.points[entry["id"]], self.run.rows.get(entry["id"], [])
            if not rows or not all(row["gb_per_s"] > 0 for row in rows) or self._has_wrong_bytes(entry["id"]):
                continue
            if entry["contestant"] == LIMIT:
                limits[limit_key(point)] = Cell(LIMIT, point, rows)
            else:
                name = self.names[entry["contestant"]]
                cells.setdefault(case_of(point), {})[name] = Cell(name, point, rows)
        return [Standing(case, found, limits.get(limit_key_of(case))) for case, found in cells.items()]

    def _has_wrong_bytes(self, identity):
        """Who gave back wrong bytes once has no speed."""
        return any(failure["kind"] == "wrong_bytes" for failure in self.run.failures.get(identity, []))

    def disqualified(self):
        """A line for each contestant of a case, and for each candidate, that gave back wrong bytes."""
        found = [f"{self.names[entry['contestant']]} gave back WRONG BYTES, and has no figure there: {entry['group']}"
                 for entry in self.run.header["points"] if entry["contestant"] != LIMIT and self._has_wrong_bytes(entry["id"])]
        return found + [f"{name} gave back WRONG BYTES, and stands for nobody" for name in self._wrong_candidates()]

    def _wrong_candidates(self):
        return self.run.header.get("wrong_candidates", [])

    @property
    def marked(self):
        """Whether any figure is."""
        return any(cell.mark for standing in self.standings for cell in (*standing.cells.values(), standing.limit) if cell)

    def tables(self):
        """The standings of each table, by its name."""
        found = {}
        for standing in self.standings:
            found.setdefault(standing.case.table, []).append(standing)
        return found

    @property
    def rounds(self):
        return self.run.header["repetitions"]

    @property
    def certainty(self):
        """The lowest of the cases'."""
        return min((standing.certainty for standing in self.standings if standing.certainty is not None), default=None)

    @property
    def too_few_rounds(self):
        """Whether no two are told apart for want of rounds, rather than of contestants."""
        return self.certainty is None and any(standing.equals for standing in self.standings)

    @property
    def wrong_bytes(self):
        """How many measurements, those among candidates too, found any."""
        return len(self._wrong_candidates()) + sum(
            failure["kind"] == "wrong_bytes" for failures in self.run.failures.values() for failure in failures)
