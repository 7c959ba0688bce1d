"""Rows out as Ceph's bench.sh prints them, with the columns that ecbench adds: in columns on a terminal, separated by tabs
elsewhere, each as soon as it is measured."""

COLUMNS = (("seconds", 10), ("KB", 9), ("plugin", 9), ("k", 3), ("m", 3), ("work.", 7), ("iter.", 9), ("size", 9), ("eras.", 6),
           ("technique", 15), ("w", 3), ("packetsize", 11), ("GB/s", 8), ("±%", 5), ("%limit", 7), ("CPU s/GB", 9), ("command.", 0))


def number(value, decimals):
    return "-" if value is None else f"{value:.{decimals}f}"


class Table:
    def __init__(self, out):
        self._out = out
        self._on_terminal = out.isatty()
        self._print([title for title, _ in COLUMNS])

    def add(self, row):
        point = row.point
        self._print([f"{row.seconds:.6f}", str(row.kb), point.plugin, str(point.k), str(point.m), point.workload,
                     str(row.iterations),
                     str(point.size), str(point.erasures), point.technique or "-", row.w, row.packetsize,
                     number(row.gb_per_s, 3), number(row.ci_percent, 1), number(row.limit_percent, 1),
                     number(row.cpu_seconds_per_gb, 4), row.command])

    def end(self):
        pass

    def _print(self, cells):
        if self._on_terminal:
            # A value that is as wide as its column still keeps its distance.
            line = "".join(f"{cell:<{width}}" if len(cell) < width else cell + " " for cell, (_, width) in zip(cells, COLUMNS))
            line = line.rstrip()
        else:
            line = "\t".join(cells)
        self._out.write(line + "\n")
        self._out.flush()
