"""Rows out as JavaScript (bench.js) for Ceph's bench.html: one variable per line of its two charts, and its two tables. The charts
show GiB of object per second, as Ceph's do, though they call it GB/s."""


class Fplot:
    """Takes the rows series by series; what has been written is whole JavaScript after end(), whenever that is called."""

    def __init__(self, out):
        self._out = out
        self._series = None
        self._group = None
        self._tables = {"encode": [], "decode": []}

    def add(self, row):
        point = row.point
        lines = []
        if point.series != self._series:
            if self._series:
                lines.append("];\n")
            lines.append(f"var {point.series} = [")
            self._series, self._group = point.series, None
        # A null lifts the pen, so that decodes of one profile are joined with each other alone.
        if point.workload == "decode" and (point.k, point.m) != self._group:
            lines.append("  null,")
        self._group = (point.k, point.m)
        lines.append(f"  [ '{label(point)}', {gib_per_s(row)} ],")
        self._write(lines)
        self._tables[point.workload].append(table_row(row))

    def end(self):
        if self._series:
            self._write(["];\n"])
        for workload, rows in self._tables.items():
            self._write([f"var {workload}_table = [", *rows, "];\n"])

    def _write(self, lines):
        self._out.write("\n".join(lines) + "\n")
        self._out.flush()


def label(point):
    return f"{point.k}/{point.m}" + (f"/{point.erasures}" if point.workload == "decode" else "")


def gib_per_s(row):
    return f"{row.kb / 1024 / 1024 / row.seconds:.6f}" if row.seconds else "null"


def table_row(row):
    point = row.point
    packetsize = row.packetsize if row.packetsize != "-" else "'-'"
    cells = [f"'{point.plugin}'", f"'{point.technique or '-'}'", f"{row.seconds:.6f}", row.kb, point.k, point.m, row.iterations,
             packetsize]
    if point.workload == "decode":
        cells.append(point.erasures)
    return f"  [ {', '.join(str(cell) for cell in cells)} ],"
