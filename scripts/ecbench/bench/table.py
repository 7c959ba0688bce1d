"""Prints rows as soon as they are measured: Table as Ceph's bench.sh does, with additional columns, and Fplot as JavaScript
(bench.js) for Ceph's page bench.html, which has two charts and two tables."""

import dataclasses
import math
import platform
import subprocess
from collections.abc import Iterable, Sequence
from typing import TextIO

from ecbench.bench.grid import Point
from ecbench.bench.runner import Row
from ecbench.ceph.profile import default_rank
from ecbench.comparison.answer import answer
from ecbench.comparison.figures import Rounds, Unpaired
from ecbench.comparison.select import select
from ecbench.point.point import GB_OF_100_GBIT, bytes_text, number_text
from ecbench.runfile.summary import warns_of_disturbance
from ecbench.statistics.interval import FEWEST_VALUES, Estimate

COLUMNS = (("seconds", 10), ("KB", 9), ("plugin", 9), ("k", 3), ("m", 3), ("work.", 7), ("iter.", 9), ("size", 9), ("eras.", 6),
           ("technique", 15), ("w", 3), ("packetsize", 11), ("GB/s", 9), ("±%", 5), ("%limit", 7), ("CPU s/GB", 9), ("command.", 0))
# The columns on a terminal, before the CPU cores for 100 Gbit/s.
CORES = "cores/100G"
FOR_PEOPLE = ("plugin", "technique", "k", "m", "w", "packetsize", "size", "work.", "eras.", "GB/s", "±%", "%limit")


def cores(cpu_seconds_per_gb: float | None) -> str:
    """The number of CPU cores that a stream of 100 Gbit/s needs."""
    return number_text(None if cpu_seconds_per_gb is None else GB_OF_100_GBIT * cpu_seconds_per_gb, 2)


class Table:
    """Columns are aligned on a terminal, and otherwise separated by tabs."""

    def __init__(self, out: TextIO):
        self._out = out
        self._on_terminal = out.isatty()
        self._unmarked = 0  # rows with warnings, as long as every row has some; they have no mark
        self._marks = False
        self._print([title for title, _ in COLUMNS], CORES)

    def add(self, row: Row) -> None:
        point = row.point
        if not self._marks and not row.warnings:
            self._marks = True
            if self._unmarked and self._on_terminal:
                self._out.write(f"(the {self._unmarked} rows above have a warning; below, ! marks those that have one)\n")
        self._unmarked += not self._marks
        self._print([f"{row.seconds:.6f}", str(row.kb), point.plugin, str(point.k), str(point.m), point.workload,
                     str(row.iterations), str(point.size), str(point.erasures), point.technique or "-", row.w, row.packetsize,
                     number_text(row.gb_per_s, 3) + ("!" if row.warnings and self._marks and self._on_terminal else ""),
                     number_text(row.ci_percent), number_text(row.limit_percent),
                     number_text(row.cpu_seconds_per_gb, 4), row.command], cores(row.cpu_seconds_per_gb))

    def end(self) -> None:
        pass

    def _print(self, cells: Sequence[str], last: str) -> None:
        # If a value has the width of its column or is longer, a space separates it from the next value.
        shown = {title: (cell, width) for cell, (title, width) in zip(cells, COLUMNS, strict=True)}
        aligned = "".join(f"{cell:<{width}}" if len(cell) < width else cell + " "
                          for cell, width in map(shown.__getitem__, FOR_PEOPLE))
        self._out.write((aligned + last if self._on_terminal else "\t".join(cells)) + "\n")
        self._out.flush()


class Fplot:
    """Each line of a chart and each table is a JavaScript variable. The label of the charts is GB/s, but the values are GiB of the
    object per second, as in Ceph's own output. All rows of a series (a line of a chart) must be added before those of the next. The
    output is complete after end(), which may be called after any row."""

    def __init__(self, out: TextIO):
        self._out = out
        self._series = ""
        self._group: tuple[int, int] | None = None
        self._tables: dict[str, list[str]] = {"encode": [], "decode": []}

    def add(self, row: Row) -> None:
        point = row.point
        lines = []
        if point.series != self._series:
            if self._series:
                lines.append("];\n")
            lines.append(f"var {point.series} = [")
            self._series, self._group = point.series, None
        # A null interrupts the line of the chart. Thus the line does not connect decodes with different k or m.
        if point.erasures and (point.k, point.m) != self._group:
            lines.append("  null,")
        self._group = (point.k, point.m)
        gib_per_s = f"{row.kb / 1024 / 1024 / row.seconds:.6f}" if row.seconds else "null"
        lines.append(f"  [ '{label(point)}', {gib_per_s} ],")
        self._write(lines)
        self._tables[point.workload].append(table_row(row))

    def end(self) -> None:
        if self._series:
            self._write(["];\n"])
        for workload, rows in self._tables.items():
            self._write([f"var {workload}_table = [", *rows, "];\n"])

    def _write(self, lines: Iterable[str]) -> None:
        self._out.write("\n".join(lines) + "\n")
        self._out.flush()


def label(point: Point) -> str:
    return f"{point.k}/{point.m}" + (f"/{point.erasures}" if point.erasures else "")


def table_row(row: Row) -> str:
    point = row.point
    cells = [f"'{point.plugin}'", f"'{point.technique or '-'}'", f"{row.seconds:.6f}", row.kb, point.k, point.m, row.iterations,
             row.packetsize if row.packetsize != "-" else "'-'", *([point.erasures] if point.erasures else [])]
    return f"  [ {', '.join(map(str, cells))} ],"


# The last lines of the output: the fastest profile for 6+2 and its speeds, and then the CPU and the compiler.

BEST = "Best profile for 6+2"
WIDTH = 37


def closing_lines(rows: Sequence[Row], failed: Sequence[Point], compiler: str, unmeasured: Sequence[Point] = ()) -> list[str]:
    """The speeds of the best profile, the CPU and the compiler, and the answer, if `rows` contains their values. `failed`: points
    without a row; `unmeasured`: those that the run has not reached."""
    size = max((row.point.size for row in rows if is_compared(row.point) and row.gb_per_s), default=0)
    largest = [row for row in rows if is_compared(row.point) and row.gb_per_s and row.point.size == size]
    without = [[point for point in points if is_compared(point) and point.size == size] for points in (failed, unmeasured)]
    lines = [aligned_cells("CPU and compiler:", f"{cpu_model()}; {compiler}")]
    if not largest:
        if any(map(is_compared, unmeasured)):
            lines.append("unsure: no profile of 6+2 is measured yet: --budget measures more")
        return lines
    names = [*map(name_of, (row.point for row in largest)), *map(name_of, without[0]), *map(name_of, without[1])]
    middle = len(largest) + len(without[0])
    disturbed = dict(enumerate(float(warns_of_disturbance(row)) for row in largest))
    figures = Rounds([{number: math.log(row.gb_per_s or 1) for number, row in enumerate(largest)}], disturbed)
    found = select(Unpaired(dict(enumerate(map(speed_of_point, largest))), disturbed), name=names.__getitem__)
    last = answer(figures, found, "a larger --budget", names.__getitem__, range(len(largest), middle), range(middle, len(names)))
    # As in tune, Ceph's default profile if it is as fast.
    ties = [] if found.inconclusive else [one for one in found.ties if one not in found.unclear]
    best = min((largest[one] for one in (found.first, *ties)), key=rank_of)
    return [aligned_cells(f"{BEST}, {bytes_text(size)}:", name_of(best.point)), *speed_lines(best, rows), *lines, str(last)]


def is_compared(point: Point) -> bool:
    return (point.k, point.m, point.workload) == (6, 2, "encode")


def speed_of_point(row: Row) -> Estimate:
    speed = row.gb_per_s or 0
    if row.ci_percent is None:  # of a program that is not ecbench
        return Estimate(speed, count=1)
    return Estimate(speed, speed * (1 - row.ci_percent / 100), speed * (1 + row.ci_percent / 100), FEWEST_VALUES)


def rank_of(row: Row) -> int:
    parameters = {"technique": row.point.technique, "w": row.w, "packetsize": row.packetsize}
    return default_rank(row.point.plugin, {name: value for name, value in parameters.items() if value != "-"})


def name_of(point: Point) -> str:
    return f"{point.plugin} {point.technique}{f' packetsize={point.packetsize}' if point.packetsize else ''}"


def speed_lines(best: Row, rows: Sequence[Row]) -> list[str]:
    speeds = {row.point: row.gb_per_s for row in rows if row.gb_per_s}
    points = [best.point, *(dataclasses.replace(best.point, workload="decode", erasures=lost) for lost in (1, 2))]
    titles = ("Encoding:", "Recovering the loss of one chunk:", "Recovering the loss of two chunks:")
    return [aligned_cells(title, f"{speeds[point]:.1f} GB/s") for title, point in zip(titles, points) if point in speeds]


def aligned_cells(title: str, value: str) -> str:
    return f"{title:<{WIDTH}}{value}"


def cpu_model() -> str:
    """The model name of the CPU. It is read from /proc/cpuinfo, or from the output of lscpu if /proc/cpuinfo has no model name. If
    both have no model name, returns the architecture, such as aarch64."""
    for command in (["cat", "/proc/cpuinfo"], ["lscpu"]):
        try:
            text = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=10).stdout
        except (OSError, subprocess.TimeoutExpired):
            continue
        for line in text.splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() == "model name" and value.strip(" -"):
                return value.strip()
    return platform.machine()
