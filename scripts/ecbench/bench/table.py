"""What bench prints: rows as soon as they are measured (Table: as Ceph's bench.sh does, with additional columns; Fplot: JavaScript
for Ceph's page bench.html, which has two charts and two tables), the last lines, and the answer before the grid."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from ecbench.bench.grid import series
from ecbench.ceph.profile import default_rank
from ecbench.comparison.answer import answer
from ecbench.comparison.comparison import Comparison
from ecbench.comparison.figures import figures_of
from ecbench.comparison.select import select
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.results import Results
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Planned, Point, bytes_text, number_text, size_word
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import all_rows, is_disturbed, summarize
from ecbench.statistics.interval import Estimate, median

COLUMNS = (("seconds", 10), ("KB", 9), ("plugin", 9), ("k", 3), ("m", 3), ("work.", 7), ("iter.", 9), ("size", 9), ("eras.", 6),
           ("technique", 15), ("w", 3), ("packetsize", 11), ("GB/s", 9), ("±%", 5), ("%limit", 7), ("CPU s/GB", 9), ("command.", 0))
# The columns on a terminal, before OF_100_GBIT.
OF_100_GBIT = ("cores/100G", "%code")
FOR_PEOPLE = ("plugin", "technique", "k", "m", "w", "packetsize", "size", "work.", "eras.", "GB/s", "±%", "%limit")


class Table:
    """Columns are aligned on a terminal, and otherwise separated by tabs."""

    def __init__(self, out: TextIO):
        self._out = out
        self._on_terminal = out.isatty()
        self._print([title for title, _ in COLUMNS], OF_100_GBIT)

    def add(self, point: Point, row: Row) -> None:
        self._print([f"{row.seconds:.6f}", str(row.kb), point.plugin, point.get("k"), point.get("m"), point.workload,
                     str(row.iterations), str(point.size), str(point.erasures), point.get("technique", "-"),
                     row.profile.get("w", "-"), row.profile.get("packetsize", "-"),
                     number_text(row.gb_per_s or None, 3) + "!" * (row.is_doubtful and self._on_terminal),
                     number_text(Estimate(row.gb_per_s, row.ci_low, row.ci_high).width_percent), number_text(row.limit_percent),
                     number_text(row.cpu_seconds_per_gb, 4), row.command],
                    (number_text(row.cores, 2), number_text(row.code_percent, 0)))

    def end(self) -> None:
        pass

    def _print(self, cells: Sequence[str], of_100_gbit: tuple[str, str]) -> None:
        # If a value has the width of its column or is longer, a space separates it from the next value.
        shown = {title: (cell, width) for cell, (title, width) in zip(cells, COLUMNS, strict=True)}
        aligned = "".join(f"{cell:<{width}}" if len(cell) < width else cell + " "
                          for cell, width in map(shown.__getitem__, FOR_PEOPLE))
        self._out.write(("{}{:<12}{}".format(aligned, *of_100_gbit) if self._on_terminal else "\t".join(cells)) + "\n")
        self._out.flush()


class Fplot:
    """Each line of a chart and each table is a JavaScript variable. The label of the charts is GB/s, but the values are GiB of the
    object per second, as in Ceph's own output. All rows of a series (a line of a chart) must be added before those of the next. The
    output is complete after end(), which may be called after any row."""

    def __init__(self, out: TextIO):
        self._out = out
        self._series = ""
        self._shape = ""
        self._tables: dict[str, list[str]] = {"encode": [], "decode": []}

    def add(self, point: Point, row: Row) -> None:
        lines = []
        if series(point) != self._series:
            if self._series:
                lines.append("];\n")
            self._series, self._shape = series(point), ""
            lines.append(f"var {self._series} = [")
        # A null interrupts the line of the chart. Thus the line does not connect decodes with different k or m.
        shape = f"{point.get('k')}/{point.get('m')}"
        if point.erasures and shape != self._shape:
            lines.append("  null,")
        self._shape = shape
        gib_per_s = f"{row.kb / 1024 / 1024 / row.seconds:.6f}" if row.seconds else "null"
        lines.append(f"  [ '{shape}{f'/{point.erasures}' if point.erasures else ''}', {gib_per_s} ],")
        self._write(lines)
        cells = [f"'{point.plugin}'", f"'{point.get('technique', '-')}'", f"{row.seconds:.6f}", row.kb, point.get("k"),
                 point.get("m"), row.iterations, row.profile.get("packetsize", "'-'"),
                 *([point.erasures] if point.erasures else [])]
        self._tables[point.workload].append(f"  [ {', '.join(map(str, cells))} ],")

    def end(self) -> None:
        if self._series:
            self._write(["];\n"])
        for workload, rows in self._tables.items():
            self._write([f"var {workload}_table = [", *rows, "];\n"])

    def _write(self, lines: Iterable[str]) -> None:
        self._out.write("\n".join(lines) + "\n")
        self._out.flush()


# The last lines of the output: the fastest profile for 6+2 and its speeds, and then the CPU and the compiler.

BEST = "Best profile for 6+2"
WIDTH = 37


def closing_lines(run: Run, compiler: str) -> list[str]:
    """The speeds of the best profile (of ties, Ceph's default, so that the answer may name another), the CPU and the compiler, and
    the answer, if the run has figures for them."""
    compared = [one for one in summarize(run)
                if (one.point.get("k"), one.point.get("m"), one.point.workload) == ("6", "2", "encode")]
    size = max((one.point.size for one in compared if one.gb_per_s), default=0)
    lines = [aligned_cells("CPU and compiler:", f"{run.header.machine.cpu}; {compiler}")]
    if not size:
        if any(one.is_unmeasured for one in compared):
            lines.append("unsure: no profile of 6+2 is measured yet: --budget measures more")
        return lines
    by_name = {name_of(one.point): one for one in compared if one.point.size == size}
    found = Comparison.of_run(run, {name: [one.point] for name, one in by_name.items()})
    failed = [name for name in found.failed if any(one.kind != "refused" for one in by_name[name].failures)]
    ranked = select(figures_of({name: by_name[name] for name in found.candidates}))
    last = answer(found.rounds, dataclasses.replace(ranked, failed=failed, unmeasured=found.unmeasured), "a larger --budget")
    best = min((by_name[one].point for one in ranked.leaders), key=default_rank)
    decodes = [dataclasses.replace(best, workload="decode", erasures=lost) for lost in (1, 2)]
    titles = ("Encoding:", "Recovering the loss of one chunk:", "Recovering the loss of two chunks:")
    speeds_of_best = [aligned_cells(title, f"{rows[0].gb_per_s:.1f} GB/s") for title, point in zip(titles, [best, *decodes])
                      if (rows := [row for row in run.rows.get(point.id, ()) if row.gb_per_s])]
    return [aligned_cells(f"{BEST}, {bytes_text(size)}:", name_of(best)), *speeds_of_best, *lines, str(last)]


def name_of(point: Point) -> str:
    packetsize = point.get("packetsize")
    return f"{point.plugin} {point.get('technique', '')}{f' packetsize={packetsize}' if packetsize else ''}"


def aligned_cells(title: str, value: str) -> str:
    return f"{title:<{WIDTH}}{value}"


# The answer that bench.sh prints before the grid: isa and jerasure, encode and one or two lost chunks, in interleaved rounds.

EXPERIMENT = Experiment(together=("workload", "erasures"))
TECHNIQUE, SHAPE, SIZE = "reed_sol_van", ("6", "2"), 1 << 20
ROUNDS = 12
SECONDS = 15.0
STAGE = "answer"
EFFORT = Effort(0.1, limit=False)


def asked(grid: Sequence[Point]) -> list[Point]:
    """The points of the answer among those of the grid."""
    shapes = [(point.get("k"), point.get("m")) for point in grid]
    shape = SHAPE if SHAPE in shapes else shapes[0]
    return [point for point, one in zip(grid, shapes, strict=True) if one == shape and point.size == SIZE and point.erasures <= 2
            and point.get("technique") == TECHNIQUE]


def lines(session: Session, run: Run, points: Sequence[Point], seconds: float) -> Iterator[str]:
    """Measures the rounds and yields the lines of the answer. Throws Interrupted and OutOfTime."""
    session.take_rounds(points, ROUNDS, STAGE, EFFORT, seconds)
    entries = list(map(Planned, points))
    answer = Run(run.path, dataclasses.replace(run.header, points=entries), {point.id: point for point in points})
    for key, record in run.records.items():
        if key.stage == STAGE:
            answer.add(key._replace(stage=""), record)
    results = Results(entries, EXPERIMENT, answer)
    rows = list(all_rows(answer))
    yield f"one core, {len({row.repetition for row in rows})} interleaved rounds:"
    yield from results.rankings()
    widths = [width for _, found in results.cases for one in found.candidates.values()
              if (width := one.speed.width_percent) is not None]
    noise = f"±{median(widths):.1f} %" if widths else "unknown"
    yield (f"noise: {noise}; of {len(rows)} measurements, {sum(bool(row.warnings) for row in rows)} have a warning (!), and other "
           f"programs disturbed {sum(map(is_disturbed, rows))}")
    yield from results.lines("a larger --budget")
    yield f"next: ./bench.sh tune k={points[0].get('k')} m={points[0].get('m')} size={size_word(points[0].size)}"
