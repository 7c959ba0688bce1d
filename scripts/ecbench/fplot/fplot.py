"""Writes rows as JavaScript (bench.js) for Ceph's page bench.html, which has two charts and two tables. Each line of a chart and
each table is a JavaScript variable. The label of the charts is GB/s, but the values are GiB of the object per second. This is also
the case in Ceph's own output."""

from collections.abc import Iterable
from typing import TextIO

from ecbench.fplot.ceph_grid import Point
from ecbench.fplot.runner import Row


class Fplot:
    """The caller must add all rows of a series (a line of a chart) before the rows of the next series. end() may be called after
    any row. The output is then complete JavaScript."""

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
