"""The hot-spot table, as text and as JSON. It lists functions, sorted by their own cost (without the cost of the functions that
they call). The table has the same columns for all profilers."""

import collections
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ecbench.profile import class_rules
from ecbench.profilers.profile_data import Costs
from ecbench.symbols.resolver import Function, Resolver
from ecbench.terminal.columns import columns

FORMAT = "ecbench hotspots 1"
LONGEST_NAME = 80


@dataclasses.dataclass(frozen=True)
class Row:
    rank: int
    function: str
    object: str
    self_percent: float
    cumulative_percent: float  # sum of self_percent in this row and in the rows above it
    count: int  # Ir or samples
    class_name: str
    how: str  # how the name was found


def make_rows(costs: Costs, resolver: Resolver, rules: class_rules.Rules) -> list[Row]:
    by_function: collections.Counter[Function] = collections.Counter()
    for (path, address), count in costs.at.items():
        by_function[resolver.function(path, address)] += count
    ordered = sorted(by_function.items(), key=lambda item: (-item[1], item[0].object, item[0].name))
    rows, above = [], 0
    for rank, (function, count) in enumerate((item for item in ordered if item[1]), 1):
        above += count
        rows.append(Row(rank, function.name, function.object, 100 * count / costs.total, 100 * above / costs.total, count,
                        rules.classify(function), function.how))
    return rows


def with_readable_names(rows: Sequence[Row], demangle: Callable[[Sequence[str]], list[str]]) -> list[Row]:
    names = demangle([row.function for row in rows])
    return [dataclasses.replace(row, function=name) for row, name in zip(rows, names, strict=True)]


def table_lines(rows: Sequence[Row], event: str, most: int | None = None) -> list[str]:
    """`most`: the number of rows that are shown; the last line has the number of the others."""
    shown = rows[:most]
    cells = [("rank", "self %", "cum. %", event, "class", "named by", "object", "function")]
    cells += [(str(row.rank), f"{row.self_percent:.2f}", f"{row.cumulative_percent:.2f}", str(row.count), row.class_name, row.how,
               row.object, shortened(row.function)) for row in shown]
    lines = list(columns(cells, [True] * 4 + [False] * 4))
    if len(shown) < len(rows):
        rest = 100 - shown[-1].cumulative_percent
        lines.append(f"functions not shown: {len(rows) - len(shown)}, {rest:.2f} % together; hotspots.txt contains all functions")
    return lines


def shortened(name: str) -> str:
    """Names of C++ templates can be several lines long. The JSON has the complete name."""
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME - 1] + "…"


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """Class → its percentage, with the largest percentage first."""
    sums = dict.fromkeys(class_rules.PHRASES, 0.0)
    for row in rows:
        sums[row.class_name] += row.self_percent
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def to_json(rows: Sequence[Row], costs: Costs, facts: Mapping[str, Any]) -> dict[str, Any]:
    percents = shares(rows)
    return {
        "format": FORMAT,
        **facts,
        "event": costs.event,
        "total": costs.total,
        "classes": [{"class": name, "percent": round(percent, 4)} for name, percent in percents.items()],
        "sentences": class_rules.sentences(percents, costs.event),
        "rows": [{"rank": row.rank, "function": row.function, "object": row.object, "self_percent": round(row.self_percent, 4),
                  "cumulative_percent": round(row.cumulative_percent, 4), "count": row.count, "class": row.class_name,
                  "how": row.how} for row in rows],
    }


def as_text(document: Mapping[str, Any]) -> str:
    """JSON with one line per row of the table."""
    rows = document["rows"]
    head = json.dumps({**document, "rows": []}, indent=1, ensure_ascii=False).removesuffix("[]\n}")
    return head + "[\n" + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n ]\n}\n"
