"""Prints rows as Ceph's bench.sh does, with additional columns. Each row is printed as soon as it is measured. On a terminal, the
columns are aligned. If the output is not a terminal, the columns are separated by tabs."""

from collections.abc import Sequence
from typing import TextIO

from ecbench.fplot.runner import Row
from ecbench.point.wording import number_text

COLUMNS = (("seconds", 10), ("KB", 9), ("plugin", 9), ("k", 3), ("m", 3), ("work.", 7), ("iter.", 9), ("size", 9), ("eras.", 6),
           ("technique", 15), ("w", 3), ("packetsize", 11), ("GB/s", 9), ("±%", 5), ("%limit", 7), ("CPU s/GB", 9), ("command.", 0))


# The columns on a terminal, before the CPU cores for 100 Gbit/s (12.5 GB/s).
CORES = "cores/100G"
FOR_PEOPLE = ("plugin", "technique", "k", "m", "w", "packetsize", "size", "work.", "eras.", "GB/s", "±%", "%limit")


def cores(cpu_seconds_per_gb: float | None) -> str:
    """The number of CPU cores that a stream of 100 Gbit/s needs."""
    return number_text(None if cpu_seconds_per_gb is None else 12.5 * cpu_seconds_per_gb, 2)


class Table:
    def __init__(self, out: TextIO):
        self._out = out
        self._on_terminal = out.isatty()
        self._print([title for title, _ in COLUMNS], CORES)

    def add(self, row: Row) -> None:
        point = row.point
        self._print([f"{row.seconds:.6f}", str(row.kb), point.plugin, str(point.k), str(point.m), point.workload,
                     str(row.iterations), str(point.size), str(point.erasures), point.technique or "-", row.w, row.packetsize,
                     number_text(row.gb_per_s, 3) + ("!" if row.warnings and self._on_terminal else ""),
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
