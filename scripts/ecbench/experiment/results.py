"""The results of an experiment: the comparison of the candidates of each case, its tables, and its answer."""

import functools
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self

from ecbench.ceph.profile import DEFAULTS, command_of, default_rank, notes_of, stored_bytes
from ecbench.ceph.releases import RELEASES
from ecbench.comparison.answer import LATENCY_NOISE, PRIOR_NOISE, Change, answer, direction_risk, over_cases, over_changes
from ecbench.comparison.comparison import OF_CASES, Comparison, case_of
from ecbench.comparison.figures import CHANGE, INCONCLUSIVE, NONE, OF_SELECT, SELECT, TIE, UNCLEAR, ratio_in_percent, ratio_text
from ecbench.experiment.cases import NAMES, Case, Points
from ecbench.experiment.experiment import CELLS, IN_ROWS, NOT_IN_ROWS, OF_A_CASE, Experiment, Table, of_json
from ecbench.point.axes import LIBRARY, SHAPE
from ecbench.point.point import DEFAULT_OPTIONS, REFERENCE_LOOPS, Planned, Point, bytes_text, figure_text, number_text, option_text
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S, LATENCIES, LIMIT, WAYS, key_of, median_of, rooflines_of, summarize_point, with_titles
from ecbench.statistics.interval import CONFIDENCE, Estimate, normal_quantile
from ecbench.terminal.console import aligned

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


# The experiment of the runs of the mode contenders, which ended with version 1; their headers have none.
OF_LIBRARIES = Experiment(candidate=(LIBRARY,), table=Table(("k+m", "size"), (LIBRARY,), (GB_PER_S, "limit")))
MARKS = {TIE: "=", UNCLEAR: "?"}
MOST_SHOWN = 10  # candidates of a ranking
LEGEND = ("GB/s: 10^9 bytes of object (overwrite: of new bytes) per second on one core; medians of the rounds. *: fastest; =: tie; "
          "?: unclear, may be over 10 % slower; no mark: slower, or inconclusive. "
          f"{OF_SELECT.format('all candidates of a case')}.")
FEW_NANOSECONDS = 5


class Results:
    """`counts`: without a run, id → cell → its value."""

    def __init__(self, entries: Sequence[Planned], experiment: Experiment, run: Run | None = None,
                 counts: Mapping[str, Mapping[str, float]] | None = None):
        self._counts = counts or (run.header.counts if run else {})
        self._experiment = experiment
        self._points = Points(entries, experiment)
        self._run = run
        self._rooflines = rooflines_of(run) if run else {}
        self._compared = [(case, Comparison({}) if run is None else Comparison.of_run(run, case.points, experiment.figure))
                          for case in self._points.cases]

    @classmethod
    def of_run(cls, run: Run) -> Self:
        entries, experiment = run.header.points, experiment_of(run)
        if not run.header.experiment and LIBRARY in experiment.candidate:
            entries = [one for one in entries if one.library not in WAYS and run.points[one.id].workload != LIMIT]
        return cls(with_titles(run, entries), experiment, run)

    @functools.cached_property
    def of_points(self) -> dict[str, Comparison]:
        """Id of a point → the comparison of its case."""
        return {identity: found for case, found in self._compared for identity in case.all_ids(case.points)}

    @property
    def cases(self) -> list[tuple[Case, Comparison]]:
        """Those in which a candidate has a figure."""
        return [(case, found) for case, found in self._compared if found.candidates]

    def title_of(self, case: Case) -> str:
        point = next(iter(case.points.values()))[0]
        if self._experiment.together:
            options = [option_text(name, value) for name, usual in DEFAULT_OPTIONS.items()
                       if (value := getattr(point, name)) != usual]
            return ", ".join([f"{point.get('k')}+{point.get('m')}", bytes_text(point.size), *options])
        more = {name: value for name, value in case.held.items() if name not in (SHAPE, "k", "m", *OF_CASES)}
        code = " ".join(value for name, value in more.items() if name in NAMES)
        others = [f"{name}={value}" for name, value in more.items() if name not in NAMES]
        return ", ".join([str(case_of(point)), *([code] if code else []), *others])

    def lines(self, more: str) -> Iterator[str]:
        """A line for each case, if there are several, and the answer, if the experiment asks a question. `more`: the options that
        continue the run."""
        few = [name for _, found in self._compared for name in found.failed if name in found.candidates]
        if few:
            yield (f"too few operations for a {self._experiment.figure}: {len(few)} of "
                   f"{sum(len(found.candidates) for _, found in self._compared)} points; give a higher pace, or compare p50")
        if self._experiment.question == SELECT:
            unit = CELLS[self._experiment.figure]
            answers = [(case, answer(found.rounds, found.selection, more, unit)) for case, found in self._compared
                       if set(found.wrong) != set(case.ids)]
            if len(answers) > 1:  # the last line has what continues the run
                yield from (f"{self.title_of(case)}: {found}".removesuffix(more).removesuffix(": ")
                            for case, found in answers if found.first and found.only is None)
            if answers:
                kind = " ".join(self._experiment.candidate) or "profile"
                of_all = [found for _, found in answers]
                yield str(of_all[0] if len(of_all) == 1 else over_cases(of_all, kind, more, unit))
        elif self._experiment.question == CHANGE:
            changes = list(self._changes())
            for case, name, one in changes if not self._experiment.table else ():
                yield f"{case.title}: {name}: {one or 'not compared, because the reference has no figure'}"
            reached = [found for case, found in self._compared if len(case.ids) > 1]
            yield str(over_changes([one for _, _, one in changes if one], sum(len(found.unmeasured) for found in reached),
                                   [name for found in reached for name in found.failed], more))

    def change_text(self, identity: str) -> str:
        """The verdict on a candidate, with the ratio that decided."""
        without = "the reference" if self._points.is_reference(identity) else "not compared: no round has it and the reference"
        return str(self.changes.get(identity, without))

    @functools.cached_property
    def changes(self) -> dict[str, Change]:
        """By the id of the candidate."""
        return {case.ids[name]: one for case, name, one in self._changes() if one}

    def _changes(self) -> Iterator[tuple[Case, str, Change | None]]:
        """Each candidate except the reference. No Change if the reference has no figure."""
        figure = self._experiment.figure if self._compares_latencies else "speed"
        comparisons = sum(len(found.candidates) - 1 for case, found in self._compared if self._reference(case, found))
        for case, found in self._compared:
            reference = self._reference(case, found)
            for name in found.candidates:
                if not reference:
                    yield case, name, None
                elif name != reference and found.ratio(name, reference):
                    # The standard deviation of a measurement, as the samples of one show it.
                    own = [median_of(summarize_point(Planned(one.point), [row], []).estimate.width_percent for row in one.rows) or 0
                           for one in (found.candidates[name], found.candidates[reference])]
                    prior = LATENCY_NOISE if self._compares_latencies else max(
                        PRIOR_NOISE, max(own) / 100 / normal_quantile((1 - CONFIDENCE) / 2))
                    verdict = found.change(name, reference, comparisons)
                    yield case, name, Change(name, reference, figure, verdict.word, self._of_figures(verdict.ratio),
                                             direction_risk(found.rounds, name, reference, prior))

    def rankings(self) -> Iterator[str]:
        """The lines of a table for each case, the fastest first; of the candidates of a single figure, also the commands."""
        for case, found in self.cases:
            selection = found.selection
            shown = [*selection.order[:MOST_SHOWN], *(name for name in selection.order[MOST_SHOWN:]
                                                      if default_rank(found.candidates[name].point) < len(DEFAULTS))]
            each = case.points[selection.first] if self._experiment.together else ()
            yield self.title_of(case)
            parts = (f"{point.workload} {point.erasures or ''}".rstrip() for point in each)
            titles = ["", "", "GB/s", "±%", *parts, "% of the first"]
            yield from aligned([titles, *([MARKS.get(selection.verdict(name).word, ""), name, *self._ranked(case, found, name)]
                                          for name in shown)], left=2)
            if selection.order[len(shown):]:
                yield f"and {len(selection.order) - len(shown)} more"
            if each and not selection.inconclusive:
                yield from self._commands(case, min(selection.leaders, key=lambda name: default_rank(case.points[name][0])))

    def _ranked(self, case: Case, found: Comparison, name: str) -> list[str]:
        candidate, selection = found.candidates[name], found.selection
        parts = case.points[name] if self._experiment.together else ()
        own = [median_of(row.gb_per_s for row in self._rows(point)) for point in parts]
        ratio = "100" if name == selection.first else ratio_in_percent(selection.ratios[name])
        width = candidate.speed.width_percent
        if width is None and not parts:  # too few rounds for an interval of their figures
            width = summarize_point(Planned(candidate.point), list(candidate.rows), []).estimate.width_percent
        return [f"{candidate.speed.median:.2f}{candidate.mark}", number_text(width), *(number_text(one, 2) for one in own), ratio]

    def _rows(self, point: Point) -> Sequence[Row]:
        return self._run.rows.get(point.id, ()) if self._run else ()

    def _commands(self, case: Case, name: str) -> Iterator[str]:
        points = case.points[name]
        rows = [(point, row) for point in points for row in self._rows(point)[:1] if row.command]
        yield f"recommended: {name}{'; measure it:' if rows else ''}"
        yield from (f"  {row.command.partition(' --')[0]} {shlex.join(point.words())}" for point, row in rows)
        if command := command_of(points[0]):
            yield "use it in Ceph:"
            yield f"  {command}"
        yield from (f"note: {note}" for note in notes_of(points[0]))

    @property
    def empty_calls(self) -> str:
        """The cost of calls that do no work; "" without candidates that are called through another language."""
        costs: dict[str, list[float | None]] = {}
        for _, found in self.cases if LIBRARY in self._experiment.candidate else ():
            for name, candidate in found.candidates.items():
                costs.setdefault(name, []).extend(row.call_overhead_ns for row in candidate.rows)
        known = [f"{name} {cost:.0f} ns" for name, of in costs.items() if (cost := median_of(of) or 0) > FEW_NANOSECONDS]
        return f"every figure includes the cost of an empty call: {', '.join(known)}" if known else ""

    def _reference(self, case: Case, comparison: Comparison) -> str:
        """The name of the reference; "" if the question has none, or if it has no figure."""
        return next((name for name in comparison.candidates if self._points.is_reference(case.ids[name])), "")

    @property
    def _marks(self) -> bool:
        """Whether marks show what is the fastest, instead of intervals."""
        return self._experiment.question == SELECT and bool(self._experiment.candidate)

    @property
    def legend(self) -> str:
        return LEGEND if self._marks and self._experiment.table and GB_PER_S in self._experiment.table.cells else ""

    @property
    def _compares_latencies(self) -> bool:
        return self._experiment.figure in LATENCIES

    def _of_figures(self, ratio: Estimate) -> Estimate:
        """Latencies are compared as speeds: a longer one is slower."""
        return ratio.inverse if self._compares_latencies else ratio

    def tables(self) -> Iterator[str]:
        """The lines of the tables that the experiment declares: one for each combination of the other properties that vary."""
        table = self._experiment.table
        if table is None:
            return
        shown = (*table.keys, *table.columns)
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
            yield from (f"  {line}" for line in aligned(self._lines(table, of), left=len(table.rows)))

    def _lines(self, table: Table, of: Mapping[str, tuple[Case, Comparison, str]]) -> list[list[str]]:
        def profile(one: tuple[Case, Comparison, str] | None) -> str:
            found = self._points.properties[one[0].ids[one[2]]] if one else {}
            return ":".join(found[name] for name in ("technique", "packetsize") if name in found) or NONE

        def keys(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
            return {identity: tuple(self._points.properties[identity].get(name, NONE) for name in names) for identity in of}

        rows, columns = keys(table.keys), keys(table.columns)
        found = {(rows[identity], columns[identity]): one for identity, one in of.items()}
        row_keys, column_keys = dict.fromkeys(rows.values()), dict.fromkeys(columns.values())
        if IN_ROWS in table.rows:
            return [[*table.keys, "", *map(" ".join, column_keys)],
                    *([*(row if cell == table.cells[0] else ("",) * len(row)), CELLS[cell],
                       *(self._cell(cell, found.get((row, column))) for column in column_keys)]
                      for row in row_keys for cell in table.cells)]
        own, shared = ([cell for cell in table.cells if (cell in OF_A_CASE) == is_shared] for is_shared in (False, True))
        named = len(own) > 1 or not table.columns
        cells = [(column, cell) for column in column_keys for cell in own]
        chosen = [column for column in column_keys if " ".join(column) in table.profiles]
        lines = [[*table.rows, *(" ".join([*column, *([CELLS[cell]] if named else [])]) for column, cell in cells),
                  *(CELLS[cell] for cell in shared), *(f"{' '.join(column)} is" for column in chosen)]]
        for row in row_keys:
            case, comparison, _ = next(one for (key, _), one in found.items() if key == row)
            lines.append([*row, *(self._cell(cell, found.get((row, column))) for column, cell in cells),
                          *(figure_text(self.limit(case, comparison)) for _ in shared),
                          *(profile(found.get((row, column))) for column in chosen)])
        return lines

    def limit(self, case: Case, found: Comparison) -> float | None:
        """The roofline of a case in GB/s."""
        measured = median_of(row.limit_gb_per_s for candidate in found.candidates.values() for row in candidate.rows)
        point = next(iter(case.points.values()))[0]
        if measured is not None or point.changed or not point.get("k"):
            return measured
        return median_of(self._rooflines.get(key_of(point, point.erasures or int(point.get("m") or 0)), {}).values())

    def _cell(self, cell: str, of: tuple[Case, Comparison, str] | None) -> str:
        if of is None:
            return NONE
        case, found, name = of
        counts = self._counts.get(case.ids[name], {})
        if self._run is None or (cell in NOT_IN_ROWS and counts):
            return figure_text(counts.get(cell))
        if name not in found.candidates:
            return NONE
        candidate, reference, change = found.candidates[name], self._reference(case, found), self.changes.get(case.ids[name])
        if cell == "ratio":
            base = reference if self._experiment.question == CHANGE else next(iter(found.selection.order), "")
            of_select = self._of_figures(found.selection.ratios.get(name, Estimate(1)))  # count 0: no round has both
            ratio = change.ratio if change else of_select if of_select.count and self._experiment.question != CHANGE else None
            return "1" if name == base else ratio_text(ratio)
        if cell == VERDICT:
            return change.verdict if change else INCONCLUSIVE if reference and name != reference else ""
        if cell == GB_PER_S:
            figure, half = figure_text(candidate.speed.median) + candidate.mark, candidate.speed.width_percent
            selection = found.selection
            if not self._marks:
                return figure if half is None else f"{figure} ±{half:.0f}%"
            is_first = not selection.inconclusive and name == selection.first
            return ("*" if is_first else MARKS.get(selection.verdict(name).word, "")) + figure
        text = figure_text(candidate.middle(COMPUTED.get(cell, lambda row: row.json.get(cell))))
        has_mark = cell not in COMPUTED and self._experiment.table and GB_PER_S not in self._experiment.table.cells
        return text + candidate.mark * bool(has_mark)


def experiment_of(run: Run) -> Experiment:
    if not run.header.experiment and any(entry.library for entry in run.header.points):
        return OF_LIBRARIES
    return of_json(run.header.experiment)
