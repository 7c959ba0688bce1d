"""The output of gate ir: a table of the points with the functions whose counts changed, JSON, and Markdown for a pull request."""

import argparse
import collections
import dataclasses
import json
import sys
from collections.abc import Callable
from typing import Annotated, TextIO

from ecbench.documents.document import Key, to_json
from ecbench.files.written_files import write
from ecbench.gate.ir.comparing import Result
from ecbench.gate.ir.counting import Count
from ecbench.gate.ir.judging import GROWN, SAME, SHRUNK, CountChange, FunctionGrowth
from ecbench.gate.sides.markdown import document
from ecbench.gate.sides.markdown import plain as as_markdown
from ecbench.point.point import Json, bytes_text
from ecbench.process.children import Child
from ecbench.profilers.subject import demangler
from ecbench.terminal.columns import GREEN, RED, print_columns
from ecbench.terminal.console import plain, say

FORMAT = "ecbench gate ir 2"
TITLES = ("", "point", "OLD", "NEW", "change")
COLOURS = {GROWN: RED, SHRUNK: GREEN}
LONGEST_NAME = 80


@dataclasses.dataclass(frozen=True)
class CountResult:
    instructions_per_byte: Annotated[float, Key("Instructions per byte of the object. Bytes of padding are not counted.", above=0)]
    instructions: Annotated[int, Key("In all iterations together.", least=1)]
    iterations: Annotated[int, Key(least=1)]
    size: Annotated[int, Key("Bytes of the object that was used for the count. For native counts, often fewer than the point has.",
                             least=1)]
    kernel: str


@dataclasses.dataclass(frozen=True)
class PointResult:
    id: Annotated[str, Key("The id of the point, as in run files.")]
    point: Annotated[str, Key("The name of the point.")]
    counter: Annotated[str, Key("How the instructions were counted. native: by single-stepping, without valgrind.",
                                words=("callgrind", "native"))]
    outcome: Annotated[str, Key("same: the count changed by at most the tolerance. grown, shrunk: by more.",
                                words=(SAME, GROWN, SHRUNK))]
    tolerance_percent: Annotated[float, Key(least=0)]
    change_percent: Annotated[float, Key("Change of the instructions per byte.")]
    native_kernel: Annotated[str | None, Key(
        "Only for callgrind: the kernel that runs at this point without valgrind. If it differs from new.kernel, the count is not "
        "valid for runs without valgrind on this CPU. null: unknown, or the counter is native.")]
    old: CountResult
    new: CountResult
    functions: Annotated[list[FunctionGrowth], Key("If the outcome is grown or shrunk: the functions whose counts changed "
                                                   "most in the same direction, the largest change first.")]


@dataclasses.dataclass(frozen=True)
class Document:
    format: Annotated[str, Key(words=(FORMAT,))]
    old: Annotated[str, Key("The name of OLD.")]
    new: Annotated[str, Key("The name of NEW.")]
    exit_code: Annotated[int, Key("0: no count grew beyond its tolerance. 3: a count grew.")]
    notes: Annotated[list[str], Key("Lines that were printed to standard error.")]
    points: list[PointResult]


def show(result: Result, arguments: argparse.Namespace, child: Child) -> None:
    result = dataclasses.replace(result, verdicts=with_readable_names(result.verdicts, demangler(child)))
    print_result(result, sys.stdout)
    sys.stdout.flush()
    if arguments.json is not None:
        write("--json", arguments.json, json.dumps(as_json(result), indent=1, ensure_ascii=False) + "\n")
    if arguments.markdown is not None:
        write("--markdown", arguments.markdown, markdown(result))


def print_result(result: Result, out: TextIO) -> None:
    """Prints the notes to standard error, and the table and the lines below it to `out`."""
    for note in result.notes:
        say(note)
    lines = [cells(verdict) for verdict in result.verdicts]
    print_columns(TITLES, lines, out, right=TITLES[2:], colour_of=lambda row: COLOURS.get(row[0].split()[0]))
    out.writelines(f"{plain(line)}\n" for line in [*function_lines(result.verdicts), "", *summary(result)])


def with_readable_names(verdicts: list[CountChange], demangle: Callable[[list[str]], list[str]]) -> list[CountChange]:
    names = sorted({function.function for verdict in verdicts for function in verdict.functions})
    readable = dict(zip(names, demangle(names), strict=True))
    return [dataclasses.replace(verdict, functions=tuple(dataclasses.replace(one, function=readable[one.function])
                                                         for one in verdict.functions)) for verdict in verdicts]


def cells(verdict: CountChange) -> list[str]:
    return [verdict.outcome, title(verdict), per_byte(verdict.old), per_byte(verdict.new), change(verdict)]


def title(verdict: CountChange) -> str:
    if verdict.counter == "callgrind":
        return verdict.name
    size = bytes_text(verdict.new.size)
    return f"{verdict.name}, natively" + ("" if f" of {size}" in verdict.name else f" on {size}")


def per_byte(count: Count) -> str:
    return f"{count.per_byte:.4f}"


def change(verdict: CountChange) -> str:
    return "0" if verdict.change_percent == 0 else f"{verdict.change_percent:+.3f} %".replace("-", "\N{MINUS SIGN}")


def function_lines(verdicts: list[CountChange]) -> list[str]:
    """For each point whose count changed beyond the tolerance: the change, and the functions."""
    lines = []
    for verdict in verdicts:
        if verdict.outcome == SAME:
            continue
        old, new = verdict.old.kernel, verdict.new.kernel
        lines += ["", f"{title(verdict)}: {change(verdict)}, {verdict.tolerance_percent:g} % allowed"]
        if old != new:
            lines.append(f"  another kernel: {old or 'unknown'} in OLD, {new or 'unknown'} in NEW")
        if verdict.is_of_other_kernel:
            lines.append(f"  counted kernel: {new or 'unknown'}; native kernel: {verdict.native_kernel}")
        lines += [f"  {function_line(function)}" for function in verdict.functions]
    return lines


def function_line(function: FunctionGrowth) -> str:
    name = function.function
    name = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME - 1] + "…"
    return f"{name} in {function.object}: {function.old:.4f} in OLD, {function.new:.4f} in NEW"


def summary(result: Result) -> list[str]:
    """The last lines of the output."""
    counts = collections.Counter(verdict.outcome for verdict in result.verdicts)
    return [f"instructions per byte of object: {result.new}, against {result.old}", headline(counts)]


def headline(counts: collections.Counter[str]) -> str:
    text = (f"REGRESSION: {counts[GROWN]} of {counts.total()} points grew" if counts[GROWN]
            else f"none of {counts.total()} points grew beyond its tolerance" if counts.total() else "no point was counted")
    return text + (f", {counts[SHRUNK]} shrank" if counts[SHRUNK] else "")


def as_json(result: Result) -> Json:
    return to_json(Document(FORMAT, result.old, result.new, result.exit_code, result.notes, [
        PointResult(verdict.id, verdict.name, verdict.counter, verdict.outcome, verdict.tolerance_percent, verdict.change_percent,
                    verdict.native_kernel or None, facts(verdict.old), facts(verdict.new), list(verdict.functions))
        for verdict in result.verdicts]))


def facts(count: Count) -> CountResult:
    return CountResult(count.per_byte, count.instructions, count.iterations, count.size, count.kernel)


def markdown(result: Result) -> str:
    """The rows of points whose outcome is SAME are folded."""
    lines = summary(result)
    shown: list[list[str]] = []
    folded: list[list[str]] = []
    for verdict in result.verdicts:
        is_same = verdict.outcome == SAME
        (folded if is_same else shown).append([
            as_markdown(title(verdict)), verdict.outcome if is_same else f"**{verdict.outcome}**", per_byte(verdict.old),
            per_byte(verdict.new), change(verdict),
            "<br>".join(as_markdown(function_line(function)) for function in verdict.functions)])
    return document([f"### ecbench gate ir: {lines[1]}", "", as_markdown(lines[0])],
                    ("point", "verdict", "OLD", "NEW", "change", "functions"), shown, folded,
                    [f"- {as_markdown(line)}" for line in result.notes])
