"""The hot-spot table of a profile: functions with their classes (table-lookup, memcpy, and so on; the file `classes` contains the
rules), and the instructions of the hottest functions."""

import collections
import dataclasses
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ecbench.process.children import Child
from ecbench.profilers.formats import Costs
from ecbench.profilers.subject import Broken, run_checked, shortened
from ecbench.symbols.elf import Function, Resolver
from ecbench.terminal.console import columns, say

RULES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "classes")
OTHER = "other"
# class → a description for sentences() and for the legend of a chart
PHRASES = {
    "table-lookup": "table lookups",
    "shuffle-multiply": "multiplication with shuffles",
    "affine-multiply": "multiplication with GFNI",
    "carryless-multiply": "carry-less multiplication",
    "multiply-by-two": "multiplication by two",
    "xor-region": "XOR of regions",
    "memcpy": "memcpy",
    "region-set-up": "setting up regions",
    "schedule": "processing matrices and schedules",
    "matrix-inversion": "inverting matrices",
    "allocation": "allocating memory",
    "harness": "the harness",
    OTHER: "other functions",
}


Rules = list[tuple[str, re.Pattern[str], re.Pattern[str]]]  # class, and patterns of an object file and of a function


def read_rules() -> Rules:
    with open(RULES, encoding="utf-8") as file:
        words = (line.strip().split(maxsplit=2) for line in file if line.strip() and not line.startswith("#"))
        return [(name, re.compile(in_object), re.compile(function)) for name, in_object, function in words]


def class_of(function: Function, rules: Rules) -> str:
    """The class of the first rule that matches."""
    return next((name for name, in_object, pattern in rules
                 if in_object.fullmatch(function.object) and pattern.fullmatch(function.name)), OTHER)


def sentences(percents: Mapping[str, float], event: str) -> list[str]:
    """One sentence for each class with a share of at least 0.05 %. Table lookups and the harness always have a sentence."""
    return [f"{percent:.1f} % of {event} in {PHRASES[name]}" for name, percent in percents.items()
            if percent >= 0.05 or name in ("table-lookup", "harness")]


# The hot-spot table, as text and as JSON. It lists functions, sorted by their own cost (without the cost of the functions that
# they call). The table has the same columns for all profilers.

FORMAT = "ecbench hotspots 1"


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


def make_rows(costs: Costs, resolver: Resolver, rules: Rules) -> list[Row]:
    by_function: collections.Counter[Function] = collections.Counter()
    for (path, address), count in costs.at.items():
        by_function[resolver.function(path, address)] += count
    ordered = sorted(by_function.items(), key=lambda item: (-item[1], item[0].object, item[0].name))
    rows, above = [], 0
    for rank, (function, count) in enumerate((item for item in ordered if item[1]), 1):
        above += count
        rows.append(Row(rank, function.name, function.object, 100 * count / costs.total, 100 * above / costs.total, count,
                        class_of(function, rules), function.how))
    return rows


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


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """Class → its percentage, with the largest percentage first."""
    sums = dict.fromkeys(PHRASES, 0.0)
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
        "sentences": sentences(percents, costs.event),
        "rows": [{"rank": row.rank, "function": row.function, "object": row.object, "self_percent": round(row.self_percent, 4),
                  "cumulative_percent": round(row.cumulative_percent, 4), "count": row.count, "class": row.class_name,
                  "how": row.how} for row in rows],
    }


# Lists the instructions of the hottest functions with their share of the function's cost, as objdump (binutils) disassembles
# them. All profilers give the cost of each address, so perf annotate and callgrind_annotate are not needed.

FUNCTIONS = 3
LONGEST_GAP = 4096  # bytes between two addresses with cost; after a longer gap, a new part of the function begins
LONGEST_INSTRUCTION = 15  # bytes, on x86
INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t(.*)")


def text_of(costs: Costs, resolver: Resolver, child: Child) -> str:
    """The text of annotated.txt. If objdump is not installed, prints a message and returns an empty text."""
    objdump = shutil.which("objdump")
    if not objdump:
        say("annotated.txt is not written, because objdump is not installed: install the package binutils")
        return ""
    by_function: dict[tuple[str, Function], dict[int, int]] = {}
    for (path, address), count in costs.at.items():
        if path and resolver.object(path):
            by_function.setdefault((path, resolver.function(path, address)), {})[address] = count
    hottest = sorted(by_function.items(), key=lambda item: -sum(item[1].values()))[:FUNCTIONS]
    parts = []
    for (path, function), counts in hottest:
        own = sum(counts.values())
        lines = [f"{function.name} in {function.object}: {own} {costs.event}, {100 * own / costs.total:.2f} % of the profile",
                 f"{'self %':>7}  {'address':>8}  instruction"]
        try:
            parts.append("\n".join([*lines, *instructions(objdump, path, counts, own, child)]))
        except Broken as error:
            say(f"annotated.txt does not contain the function {function.name}: {error}")
    return "".join(f"{part}\n\n" for part in parts)


def instructions(objdump: str, path: str, counts: dict[int, int], own: int, child: Child) -> Iterator[str]:
    """Throws Broken."""
    for first, last in ranges(sorted(counts)):
        listing, _ = run_checked([objdump, "-d", "--no-show-raw-insn", f"--start-address={first:#x}",
                                  f"--stop-address={last + LONGEST_INSTRUCTION:#x}", path], child, False, "objdump")
        for line in listing.splitlines():
            if (found := INSTRUCTION.fullmatch(line)) and (address := int(found[1], 16)) <= last:
                share = f"{100 * counts[address] / own:.2f}" if address in counts else ""
                yield f"{share:>7}  {address:8x}  {' '.join(found[2].split())}"


def ranges(addresses: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last address of each part of a function (see LONGEST_GAP). `addresses` must be sorted."""
    parts: list[tuple[int, int]] = []
    for address in addresses:
        if parts and address - parts[-1][1] <= LONGEST_GAP:
            parts[-1] = parts[-1][0], address
        else:
            parts.append((address, address))
    return parts
