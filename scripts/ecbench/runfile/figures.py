"""Computes the figures that tables show for the points of a run: medians over all rounds, and ratios of two points that were
measured in the same round."""

import dataclasses
from collections.abc import Mapping

from ecbench.point.point import Json, Point
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import MARK, has_warnings
from ecbench.statistics.interval import Estimate, estimate, median


@dataclasses.dataclass
class Figures:
    # Name of a point → its rows. Points that failed in any round are left out.
    rows: dict[str, list[Json]] = dataclasses.field(default_factory=dict)
    wrong: list[str] = dataclasses.field(default_factory=list)  # names of the points that returned wrong bytes

    def middle(self, name: str, key: str = "gb_per_s") -> float | None:
        """The median of row[key] over the rounds; None if `rows` does not contain the point."""
        return median([row[key] for row in self.rows[name]]) if name in self.rows else None

    def interval_percent(self, name: str) -> float | None:
        """Half the width of the 95 % interval of the median GB/s, in percent of this median. None if there are too few rounds for
        an interval."""
        return estimate([row["gb_per_s"] for row in self.rows.get(name, ())]).width_percent

    def ratio(self, name: str, base: str) -> Estimate | None:
        """The median of the ratios speed of `name` / speed of `base`. Each ratio is from one round. None if `rows` does not contain
        both points."""
        if name not in self.rows or base not in self.rows:
            return None
        others = {row["repetition"]: row["gb_per_s"] for row in self.rows[base]}
        return estimate([row["gb_per_s"] / others[row["repetition"]] for row in self.rows[name] if row["repetition"] in others])

    def mark(self, name: str) -> str:
        """The mark that tables print after the figures of a point; "" if no row of the point has warnings."""
        return MARK if has_warnings(self.rows.get(name, ())) else ""

    @property
    def marked(self) -> bool:
        return any(map(self.mark, self.rows))


def figures_of(run: Run, points: Mapping[str, Point]) -> Figures:
    """`points`: name of a point in the tables → point."""
    figures = Figures()
    for name, point in points.items():
        rows, failures = run.rows.get(point.id, []), run.failures.get(point.id, [])
        if any(failure["kind"] == "wrong_bytes" for failure in failures):
            figures.wrong.append(name)
        if rows and not failures and all(row["gb_per_s"] > 0 for row in rows):
            figures.rows[name] = rows
    return figures
