"""Writes rows as JavaScript (bench.js) for Ceph's bench.html: a variable for each line of its two charts and for each of its two
tables. As in Ceph's own output, the charts have the label GB/s, but their values are object sizes in GiB per second."""

from collections.abc import Iterable
from typing import TextIO

from ecbench.fplot.ceph_grid import Point
from ecbench.fplot.runner import Row


class Fplot:
    """Takes the rows series by series. end() can be called after any row, and makes the output complete JavaScript."""

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
        # A null interrupts the line of the chart. The line connects only decodes with the same k and m.
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
