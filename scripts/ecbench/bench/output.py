"""Prints rows as soon as they are measured: Table as Ceph's bench.sh does, with additional columns, and Fplot as JavaScript
(bench.js) for Ceph's page bench.html, which has two charts and two tables."""

from collections.abc import Iterable, Sequence
from typing import TextIO

from ecbench.bench.ceph_grid import Point
from ecbench.bench.runner import Row
from ecbench.point.wording import GB_OF_100_GBIT, number_text

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
