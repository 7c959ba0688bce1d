"""The output of gate ir: a table of the points with the functions whose counts changed, JSON, and Markdown for a pull request."""

import argparse
import collections
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from ecbench.files.written_files import write
from ecbench.gate.ir.comparing import Result
from ecbench.gate.ir.counting import Count
from ecbench.gate.ir.judging import GONE, GROWN, NEW, SAME, SHRUNK, FunctionGrowth, Verdict
from ecbench.gate.sides import exit_codes
from ecbench.gate.sides.markdown import Rows, document
from ecbench.gate.sides.markdown import plain as as_markdown
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.profilers.subject import demangler
from ecbench.terminal.columns import GREEN, RED, YELLOW, print_columns
from ecbench.terminal.console import plain, say

FORMAT = "ecbench gate ir 1"
TITLES = ("", "point", "before", "now", "change")
COLOURS = {GROWN: RED, SHRUNK: GREEN, NEW: YELLOW, GONE: YELLOW}
LONGEST_NAME = 80


def show(result: Result, arguments: argparse.Namespace, child: Child) -> None:
    readable = readable_names(result.verdicts, demangler(child))
    print_result(result, readable, sys.stdout)
    sys.stdout.flush()
    if arguments.json is not None:
        write("--json", arguments.json, json.dumps(as_json(result, readable), indent=1, ensure_ascii=False) + "\n")
    if arguments.markdown is not None:
        write("--markdown", arguments.markdown, markdown(result, readable))


def print_result(result: Result, readable: dict[str, str], out: TextIO) -> None:
    """Prints the notes to standard error, and the table and the lines below it to `out`."""
    for note in result.notes:
        say(note)
    lines = [cells(verdict) for verdict in result.verdicts]
    print_columns(TITLES, lines, out, right=TITLES[2:], colour_of=lambda row: COLOURS.get(row[0].split()[0]))
    out.writelines(f"{plain(line)}\n" for line in [*function_lines(result.verdicts, readable), "", *summary(result)])


def readable_names(verdicts: list[Verdict], demangle: Callable[[list[str]], list[str]]) -> dict[str, str]:
    names = sorted({function.function for verdict in verdicts for function in verdict.functions})
    return dict(zip(names, demangle(names), strict=True))


def cells(verdict: Verdict) -> list[str]:
    return [verdict.outcome, title(verdict), per_byte(verdict.before), per_byte(verdict.now), change(verdict)]


def title(verdict: Verdict) -> str:
    if verdict.counter == "callgrind":
        return verdict.name
    count = verdict.now or verdict.before
    size = bytes_text(count.size) if count else ""
    return f"{verdict.name}, natively" + ("" if f" of {size}" in verdict.name else f" on {size}")


def per_byte(count: Count | None) -> str:
    return "-" if count is None else f"{count.per_byte:.4f}"


def change(verdict: Verdict) -> str:
    if verdict.change_percent is None:
        return "-"
    return "0" if verdict.change_percent == 0 else f"{verdict.change_percent:+.3f} %".replace("-", "\N{MINUS SIGN}")


def function_lines(verdicts: list[Verdict], readable: dict[str, str]) -> list[str]:
    """For each point whose count changed beyond the tolerance: a line with the change, and a line for each listed function."""
    lines = []
    for verdict in verdicts:
        before, now = verdict.before, verdict.now
        if verdict.outcome not in (GROWN, SHRUNK) or not before or not now:
            continue
        lines += ["", f"{title(verdict)}: {change(verdict)}, {verdict.tolerance_percent:g} % allowed"]
        if before.kernel != now.kernel:
            lines.append(f"  another kernel: {before.kernel or 'unknown'} before, {now.kernel or 'unknown'} now")
        if verdict.is_of_other_kernel:
            lines.append(f"  counted kernel: {now.kernel or 'unknown'}; native kernel: {verdict.native_kernel}")
        lines += [f"  {function_line(function, readable)}" for function in verdict.functions]
    return lines


def function_line(function: FunctionGrowth, readable: dict[str, str]) -> str:
    name = readable[function.function]
    name = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME - 1] + "…"
    return f"{name} in {function.object}: {function.before:.4f} before, {function.now:.4f} now"


def summary(result: Result) -> list[str]:
    """The last lines of the output."""
    counts = collections.Counter(verdict.outcome for verdict in result.verdicts)
    lines = [f"instructions per byte of object: {result.judged}, against {result.against}", headline(result, counts)]
    if counts[SHRUNK] and not result.updated:
        how = "; --update writes them to the baseline" if result.fingerprints else ""
        lines.append(f"some counts are lower than before{how}")
    if result.updated:
        lines.append("the baseline was updated")
    return lines


def headline(result: Result, counts: collections.Counter[str]) -> str:
    compared = counts[SAME] + counts[GROWN] + counts[SHRUNK]
    if result.exit_code == exit_codes.REGRESSION or (result.updated and counts[GROWN]):
        text = f"REGRESSION: {counts[GROWN]} of {compared} points grew" if not result.updated else f"{counts[GROWN]} points grew"
    elif compared:
        text = f"none of {compared} points grew beyond its tolerance"
    else:
        text = "nothing to compare the counts with"
    more = [f"{counts[outcome]} {words}" for outcome, words in ((SHRUNK, "shrank"), (NEW, "without a baseline"), (GONE, "gone"))
            if counts[outcome]]
    return ", ".join([text, *more])


def as_json(result: Result, readable: dict[str, str]) -> dict[str, Any]:
    return {
        "format": FORMAT, "judged": result.judged, "against": result.against, "exit_code": result.exit_code,
        "updated": result.updated, "notes": result.notes, "fingerprints": result.fingerprints,
        "points": [{
            "id": verdict.id, "point": verdict.name, "counter": verdict.counter, "outcome": verdict.outcome,
            "tolerance_percent": verdict.tolerance_percent, "change_percent": verdict.change_percent,
            "native_kernel": verdict.native_kernel or None,
            **{name: facts(count) for name, count in (("before", verdict.before), ("now", verdict.now))},
            "functions": [{"function": readable[function.function], "object": function.object, "before": function.before,
                           "now": function.now} for function in verdict.functions]} for verdict in result.verdicts]}


def facts(count: Count | None) -> dict[str, Any] | None:
    if count is None:
        return None
    return {"instructions_per_byte": count.per_byte, "instructions": count.instructions, "iterations": count.iterations,
            "size": count.size, "kernel": count.kernel}


def markdown(result: Result, readable: dict[str, str]) -> str:
    lines = summary(result)
    return document([f"### ecbench gate ir: {lines[1]}", "", as_markdown(lines[0])], *rows(result, readable), remarks(result))


def rows(result: Result, readable: dict[str, str]) -> tuple[Sequence[str], Rows, Rows]:
    """The titles of the columns, the rows of points whose outcome is not SAME, and the rows of points whose outcome is SAME."""
    shown: list[list[str]] = []
    folded: list[list[str]] = []
    for verdict in result.verdicts:
        row = [as_markdown(title(verdict)), verdict.outcome if verdict.outcome == SAME else f"**{verdict.outcome}**",
               per_byte(verdict.before), per_byte(verdict.now), change(verdict),
               "<br>".join(as_markdown(function_line(function, readable)) for function in verdict.functions)]
        (folded if verdict.outcome == SAME else shown).append(row)
    return ("point", "verdict", "before", "now", "change", "functions"), shown, folded


def remarks(result: Result) -> list[str]:
    return [f"- {as_markdown(line)}" for line in [*summary(result)[2:], *result.notes]]
