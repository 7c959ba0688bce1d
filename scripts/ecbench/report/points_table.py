"""The table of all points, which has one row for each point, and the raw data in the page."""

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ecbench.charts.page import script_data
from ecbench.point.point import Point
from ecbench.point.wording import number_text, size_text
from ecbench.report.cases import Entry
from ecbench.report.machines import Measured
from markupsafe import Markup

# Title and meaning of each column. The first column is shown only if the page has several runs.
COLUMNS = (
    ("Machine", "label of the run"), ("GB/s", "median speed in 10^9 bytes of the object per second"),
    ("±%", "half the width of the 95 % interval, in percent of GB/s"), ("% of limit", ""), ("Plugin", ""),
    ("Technique", "technique, and the parameters that vary"), ("k+m", "numbers of data chunks and coding chunks"),
    ("Packetsize", "bytes"), ("Workload", ""), ("Lost", "number of lost chunks"), ("Object", "size of the object"), ("Options", ""),
    ("CPU s/GB", "CPU seconds for 10^9 bytes of the object"), ("Padding %", "padding in percent of the object size"),
    ("Chunk", "size of a chunk in bytes"),
    ("Times", "number of measurements of the point"), ("Command", "command that measures the point again"))


def columns(several: bool) -> Sequence[tuple[str, str]]:
    return COLUMNS if several else COLUMNS[1:]


def table_rows(all_measured: Sequence[Measured]) -> Iterator[list[Any]]:
    several = len(all_measured) > 1
    for measured in all_measured:
        for entry in measured.entries:
            cells = row_cells(entry)
            yield [measured.label, *cells] if several else cells


def row_cells(entry: Entry) -> list[Any]:
    summary, case = entry.summary, entry.case
    without_figure = "not measured" if summary.is_unmeasured else "failed"
    return [
        without_figure if entry.gb_per_s is None else entry.figure, number_text(summary.interval_percent),
        number_text(summary.percent_of_limit), entry.series.plugin,
        " ".join(word for word in (entry.series.technique, entry.series.parameters) if word),
        f"{case.k}+{case.m}", "" if entry.packetsize is None else entry.packetsize, case.workload, case.erasures,
        size_text(case.size), ", ".join(case.extras),
        number_text(summary.cpu_seconds_per_gb, 4), number_text(summary.padding_percent), summary.chunk_size, summary.repetitions,
        command(summary.point)]


def command(point: Point) -> str:
    return shlex.join(["ecbench", *(str(word) for word in point.words())])


def html_rows(all_measured: Sequence[Measured]) -> Markup:
    """Not built in the template: with 10,000 rows, its loop would take longer than drawing all charts."""
    escape = Markup.escape
    return Markup("").join(Markup("<tr>") + Markup("").join(Markup("<td>") + escape(cell) for cell in cells) + Markup("\n")
                           for cells in table_rows(all_measured))


# Keys of rows that the raw data does not contain. `record`, `command` and `samples` are not needed. The other keys are already in
# the point of the row.
NOT_IN_ROWS = frozenset({"record", "plugin", "profile", "workload", "size", "erasures", "stripe_unit", "cache", "threads", "timing",
                         "dispatch", "codec_lib", "command", "samples"})


def raw_data(all_measured: Sequence[Measured]) -> Markup:
    """The runs as JSON for a <script> element. Points and rows are stored as tables: `constant` contains the keys that have the
    same value in all records, `columns` the other keys, and `rows` their values."""
    runs = []
    for measured in all_measured:
        run = measured.run
        rows = [{key: value for key, value in row.json.items() if key not in NOT_IN_ROWS}
                for rows in run.rows.values() for row in rows]
        points = [{"id": entry.summary.id, **entry.summary.point.to_json()} for entry in measured.entries]
        runs.append({"run": {key: value for key, value in run.header.json.items() if key != "points"}, "finished": run.finished,
                     "points": in_columns(points), "rows": in_columns(rows),
                     "failures": [failure.json for failures in run.failures.values() for failure in failures]})
    text = json.dumps({"format": "ecbench report 1", "runs": runs}, separators=(",", ":"), ensure_ascii=False)
    return script_data(text)


def in_columns(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if not records:
        return {"constant": {}, "columns": [], "rows": []}
    keys = list(dict.fromkeys(key for record in records for key in record))
    constant = {key: records[0].get(key) for key in keys if all(record.get(key) == records[0].get(key) for record in records)}
    varying = [key for key in keys if key not in constant]
    return {"constant": constant, "columns": varying,
            "rows": [[shortened(record.get(key)) for key in varying] for record in records]}


def shortened(value: Any) -> Any:
    """Numbers are rounded to six significant digits, because no figure is more precise."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return [shortened(one) for one in value] if isinstance(value, list) else value
