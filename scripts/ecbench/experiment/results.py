"""The results of an experiment: its cases, the comparison of the candidates of each case, and its table. A case is what is held
equal while candidates compete: the properties of points that are no properties of candidates."""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self

from ecbench.ceph.releases import RELEASES
from ecbench.ceph.stored_size import stored_bytes
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.questions import CHANGE
from ecbench.comparison.text import NONE, ratio_text
from ecbench.experiment.experiment import CELLS, Experiment, Table, of_json
from ecbench.point.axes import COPIES, OPTIONS, SHAPE
from ecbench.point.point import Point
from ecbench.point.wording import figure_text, size_text
from ecbench.point.workloads import REFERENCE_LOOPS
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S
from ecbench.terminal.columns import aligned

Properties = Mapping[str, str]
OF_SIZE = ("size", "stripe-unit")
VERDICT = "verdict"


def stored(release: str, row: Row) -> float | None:
    """Bytes that Ceph stores / bytes of the object. None for a reference loop."""
    if row.workload in REFERENCE_LOOPS:
        return None
    fast_ec = RELEASES[release].uses_fast_ec(row.plugin, row.profile.get("technique", ""), row.chunk_size)
    return stored_bytes(row.size, row.k, row.chunk_count, row.chunk_size, fast_ec=fast_ec) / row.size


# Cells that are computed from a row; all others are columns of the row.
COMPUTED: dict[str, Callable[[Row], float | None]] = {
    "cpu_seconds_per_tb": lambda row: None if row.cpu_seconds_per_gb is None else 1000 * row.cpu_seconds_per_gb,
    "stored": functools.partial(stored, "squid"), "stored_tentacle": functools.partial(stored, "tentacle")}


def properties_of(point: Point) -> dict[str, str]:
    """The values of all axes of a point, as in words."""
    found = {"plugin": point.plugin, **{COPIES if key == "size" else key: value for key, value in point.profile
                                        if value not in ("", "false")}}
    for axis in OPTIONS:
        value = getattr(point, axis.replace("-", "_"))
        found[axis] = "none" if value is None else size_text(value) if axis in OF_SIZE else str(value)
    if "k" in found and "m" in found:
        found[SHAPE] = f"{found['k']}+{found['m']}"
    elif COPIES in found:
        found[SHAPE] = f"{found[COPIES]}x"
    return found


@dataclasses.dataclass(frozen=True)
class Case:
    held: Properties  # what is equal for all candidates, and differs between cases
    ids: Mapping[str, str]  # name of a candidate → id of its point

    @property
    def title(self) -> str:
        return ", ".join(f"{name} {value}" if value[:1].isdigit() and name != SHAPE else value
                         for name, value in self.held.items()) or "all points"


class Points:
    """The points of a run and their cases. `points`: by id."""

    def __init__(self, points: Mapping[str, Point], experiment: Experiment):
        self._experiment = experiment
        self.properties = {identity: properties_of(point) for identity, point in points.items()}
        names = dict.fromkeys(name for found in self.properties.values() for name in found)
        varied = [name for name in names if len({found.get(name) for found in self.properties.values()}) > 1]
        self.varied = [name for name in varied if name not in ("k", "m") or SHAPE not in varied]
        self.cases = self._cases(points)

    def competes(self, name: str) -> bool:
        """Whether candidates differ in this property. Without `candidate`, they differ in the whole profile. With it, parameters
        that some plugins do not have follow from the candidate."""
        candidate = self._experiment.candidate
        if name in (SHAPE, "k", "m") or name in OPTIONS or name in candidate:
            return name in candidate
        return not candidate or any(name not in found for found in self.properties.values())

    def independent(self, names: Sequence[str], shown: Sequence[str] = ()) -> list[str]:
        """`names` without those whose value follows from the others or from `shown`, such as the erasures of each workload."""
        kept = list(shown)
        for name in names:
            values: dict[tuple[str | None, ...], set[str | None]] = {}
            for found in self.properties.values():
                values.setdefault(tuple(found.get(one) for one in kept), set()).add(found.get(name))
            if any(len(of) > 1 for of in values.values()):
                kept.append(name)
        return kept[len(shown):]

    def _cases(self, points: Mapping[str, Point]) -> list[Case]:
        groups: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        names = self.independent([name for name in self.varied if not self.competes(name)])
        for identity, found in self.properties.items():
            held = tuple((name, found[name]) for name in names if name in found)
            name = " ".join(value if key in ("plugin", "technique") else f"{key}={value}" for key, value in found.items()
                            if key in self.varied and self.competes(key)) or str(points[identity])
            groups.setdefault(held, {})[name] = identity
        return [Case(dict(held), ids) for held, ids in groups.items()]


class Results:
    """`planned`: the points by id. `counts`: without a run, id → cell → its value."""

    def __init__(self, planned: Mapping[str, Point], experiment: Experiment, run: Run | None = None,
                 counts: Mapping[str, Mapping[str, float]] | None = None):
        self._counts = counts
        self._experiment = experiment
        self._points = Points(planned, experiment)
        self._cells = experiment.table.cells if experiment.table else ()
        self._compared = [(case, Comparison({}) if run is None else Comparison.of_run(
            run, {name: planned[identity] for name, identity in case.ids.items()}, experiment.figure))
                          for case in self._points.cases]

    @classmethod
    def of_run(cls, run: Run) -> Self:
        return cls({entry.id: run.points[entry.id] for entry in run.header.points}, of_json(run.header.experiment), run)

    def _reference(self, case: Case, comparison: Comparison) -> str:
        """The name of the reference; "" if the question has none, or if it has no figure."""
        wanted = self._experiment.reference
        return next((name for name in comparison.candidates if wanted and all(
            self._points.properties[case.ids[name]].get(key) == value for key, value in wanted)), "")

    @property
    def _comparisons(self) -> int:
        """The number of comparisons with a reference, for Bonferroni's correction."""
        return max(1, sum(len(found.candidates) - 1 for case, found in self._compared if self._reference(case, found)))

    def changes(self) -> Iterator[str]:
        """For the question change without a table: a line for each candidate of each case, except the reference."""
        for case, found in self._compared if self._experiment.question is CHANGE and not self._experiment.table else ():
            reference = self._reference(case, found)
            for name in found.candidates:
                if not reference:
                    yield f"{case.title}: {name}: not compared, because the reference has no figure"
                elif name != reference:
                    verdict = found.change(name, reference, self._comparisons)
                    yield f"{case.title}: {name}: {verdict.word}, {ratio_text(verdict.ratio)} times the speed of {reference}"

    def tables(self) -> Iterator[str]:
        """The lines of the tables that the experiment declares: one for each combination of the other properties that vary."""
        table = self._experiment.table
        if table is None:
            return
        shown = (*table.rows, *table.columns)
        rest = self._points.independent([name for name in self._points.varied if name not in shown and not (
            self._points.competes(name) and set(shown) & set(self._experiment.candidate))], shown)
        parts: dict[tuple[str, ...], dict[str, tuple[Case, Comparison, str]]] = {}
        for case, found in self._compared:
            for name, identity in case.ids.items():
                key = tuple(self._points.properties[identity].get(one, NONE) for one in rest)
                parts.setdefault(key, {})[identity] = case, found, name
        for key, of in parts.items():
            if rest:
                yield ", ".join(f"{name} {value}" for name, value in zip(rest, key, strict=True))
            yield from (f"  {line}" for line in aligned(self._lines(table, of), left=len(table.rows) + table.is_tall))

    def _lines(self, table: Table, of: Mapping[str, tuple[Case, Comparison, str]]) -> list[list[str]]:
        def keys(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
            return {identity: tuple(self._points.properties[identity].get(name, NONE) for name in names) for identity in of}

        rows, columns = keys(table.rows), keys(table.columns)
        found = {(rows[identity], columns[identity]): one for identity, one in of.items()}
        row_keys, column_keys = dict.fromkeys(rows.values()), dict.fromkeys(columns.values())
        if table.is_tall:
            lines = [[*table.rows, "", *(" ".join(column) for column in column_keys)]]
            for row in row_keys:
                lines += [[*(row if cell == table.cells[0] else ("",) * len(row)), CELLS[cell],
                           *(self._cell(cell, found.get((row, column))) for column in column_keys)] for cell in table.cells]
            return lines
        named = len(table.cells) > 1 or not table.columns
        cells = [(column, cell) for column in column_keys for cell in table.cells]
        return [[*table.rows, *(" ".join([*column, *([CELLS[cell]] if named else [])]) for column, cell in cells)],
                *([*row, *(self._cell(cell, found.get((row, column))) for column, cell in cells)] for row in row_keys)]

    def _cell(self, cell: str, of: tuple[Case, Comparison, str] | None) -> str:
        if of is None:
            return NONE
        case, found, name = of
        if self._counts is not None:
            return figure_text(self._counts[case.ids[name]].get(cell))
        if name not in found.candidates:
            return NONE
        if cell == "ratio":
            reference = self._reference(case, found)
            base = reference if self._experiment.question is CHANGE else found.selection.first
            return "1" if name == base else ratio_text(found.ratio(name, base, self._comparisons)) if base else NONE
        if cell == VERDICT:
            reference = self._reference(case, found)
            return found.change(name, reference, self._comparisons).word if reference and name != reference else ""
        if cell == GB_PER_S:
            return speed_text(found.candidates[name])
        candidate = found.candidates[name]
        text = figure_text(candidate.middle(COMPUTED.get(cell, lambda row: row.json.get(cell))))
        return text if cell in COMPUTED or GB_PER_S in self._cells else text + candidate.mark


def speed_text(candidate: Candidate) -> str:
    half = candidate.speed.width_percent
    return f"{figure_text(candidate.speed.median)}{candidate.mark}" + ("" if half is None else f" ±{half:.0f}%")
