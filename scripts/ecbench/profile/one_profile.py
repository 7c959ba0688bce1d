"""Profiles one subject (a point of ecbench, or any command): runs it under the profiler, and writes the tables to the directory of
the profiler's file."""

import collections
import contextlib
import html
import json
import os
import pathlib
import shlex
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from ecbench.files.inputs import results_folder
from ecbench.files.written_files import working_folder
from ecbench.installation.places import FRONT_PROGRAM
from ecbench.process.children import Child
from ecbench.profile import hotspot_table
from ecbench.profilers.formats import Place
from ecbench.profilers.profilers import Profile, Profiler, write
from ecbench.profilers.subject import Subject, other_kernel, point_title
from ecbench.symbols.elf import Resolver
from ecbench.terminal.console import Refused, refusing, say

# For each file of a profile: a program that opens it, or a complete command, in which FILE is its path; after a colon: its content.
OPENED_BY = {
    "hotspots.txt": "less: the table of functions", "hotspots.json": "jq: the same table as JSON",
    "annotated.txt": "less: the instructions of the hottest functions", "flame.svg": "a web browser: the flame graph",
    "stacks.folded": "speedscope.app: the call stacks", "callgrind.out": "kcachegrind FILE",
    "cpu.prof": "google-pprof --text PROGRAM FILE, or go tool pprof PROGRAM FILE", "perf.data": "perf report -i FILE",
    "symbols.json": "jq: names and addresses of the kernels", "row.json": "jq: the row of the measurement",
    "output.txt": "less: the output of the program", "command.txt": "sh: repeats this profile",
    "packetsize.md": "less", "packetsize.svg": "a web browser"}

MARKS = ("hotspots.json", "packetsize.md")  # every directory of a profile has one of these


@contextlib.contextmanager
def new_files(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields a hidden directory in `folder`, whose files are moved to `folder` if the block throws nothing: a profile that fails or
    is interrupted does not replace an earlier one. Throws Refused."""
    present = {name for name in OPENED_BY if os.path.lexists(folder / name)}
    if present and present.isdisjoint(MARKS):
        raise Refused(f"{folder / min(present)} exists, and is not of a profile; give another directory with --output")
    with working_folder(folder, ".partial-") as working:
        yield working
        with refusing(f"cannot write to {folder}"):
            for file in sorted(working.iterdir()):
                file.replace(folder / file.name)


def closing(working: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """A line for each file in `working`, which is moved to `folder`: how to open it."""
    names = [name for name in OPENED_BY if (working / name).exists()]
    width = max(map(len, names), default=0)
    return [f"  {name:<{width}}  {OPENED_BY[name].replace('FILE', str(folder / name))}" for name in names]


# Draws the call stacks of a profile as a flame graph (Gregg, ACM Queue 14(2), 2016): each box is a function, as wide as its
# share, above its caller. The SVG has no script and loads nothing; a tooltip names each function.

STACKS, SVG = "stacks.folded", "flame.svg"
WIDTH, ROW, LETTER, HEAD = 1200, 18, 7.0, 40  # pixels
NARROWEST = 0.5  # pixels of a box that is drawn
Stacks = collections.Counter[tuple[str, ...]]


def draw(stacks: Stacks, tool: str, title: str, folder: pathlib.Path) -> None:
    """Writes the call stacks and the flame graph. Each stack is one line with the outermost function first."""
    stacks = collections.Counter({stack: count for stack, count in stacks.items() if stack and count > 0})
    if not stacks:
        say(f"no flame graph: {tool} recorded no call stacks; use perf")
        return
    write(folder / STACKS, "".join(f"{';'.join(stack)} {count}\n" for stack, count in sorted(stacks.items())))
    write(folder / SVG, svg(stacks, f"{tool} of {title}"))


def svg(stacks: Stacks, title: str) -> str:
    total, boxes = stacks.total(), list(boxes_of(stacks))
    height = HEAD + ROW * (1 + max(depth for depth, *_ in boxes))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="12">',
             f'<text x="8" y="24" font-size="15">{html.escape(title)}</text>']
    for depth, begin, count, name in boxes:
        left, width = WIDTH * begin / total, WIDTH * count / total
        if width < NARROWEST:
            continue
        top = height - ROW * (depth + 1)
        letters = int((width - 4) / LETTER)
        text = name if len(name) <= letters else f"{name[:letters - 2]}.." if letters > 3 else ""
        lines.append(f'<g><title>{html.escape(name)}: {100 * count / total:.2f} %</title><rect x="{left:.1f}" y="{top}" '
                     f'width="{width:.1f}" height="{ROW - 1}" fill="{colour(name)}"/>'
                     + (f'<text x="{left + 3:.1f}" y="{top + 13}">{html.escape(text)}</text>' if text else "") + "</g>")
    return "\n".join([*lines, "</svg>\n"])


def boxes_of(stacks: Stacks) -> list[tuple[int, int, int, str]]:
    """Depth, begin, cost and name of each box. Stacks with the same begin are next to each other, since they are sorted."""
    found: list[tuple[int, int, int, str]] = []
    open_boxes: list[int] = []  # of each function of the stack before: the index of its box
    begin, before = 0, tuple[str, ...]()
    for stack, count in sorted(stacks.items()):
        common = next((depth for depth, (one, other) in enumerate(zip(before, stack)) if one != other),
                      min(len(before), len(stack)))
        del open_boxes[common:]
        for depth in range(common, len(stack)):
            open_boxes.append(len(found))
            found.append((depth, begin, 0, stack[depth]))
        for index in open_boxes:
            depth, left, cost, name = found[index]
            found[index] = depth, left, cost + count, name
        begin, before = begin + count, stack
    return found


def colour(name: str) -> str:
    """A warm colour that a function has in every profile."""
    return f"hsl({zlib.crc32(name.encode(errors='replace')) % 50} 80% 70%)"


ROWS_SHOWN = 20


def default_folder(subject: Subject, profiler: Profiler) -> pathlib.Path:
    return results_folder() / "profiles" / subject.slug / profiler.name


def take(subject: Subject, profiler: Profiler, folder: pathlib.Path, own_words: Sequence[str],
         child: Child) -> tuple[dict[str, Any], list[str]]:
    """Writes the files to `folder`. `own_words`: the arguments before -- in the command that repeats this profile. Returns the JSON
    document and the lines for stdout. Throws Broken and Unreadable."""
    result = profiler.run(subject, folder, child)
    rows = hotspot_table.make_rows(result.costs, result.resolver, hotspot_table.read_rules())
    if annotated := hotspot_table.text_of(result.costs, result.resolver, child):
        write(folder / "annotated.txt", annotated)
    head, facts = describe(result, subject, profiler)
    draw(named(result.costs.stacks, result.resolver), profiler.name, facts["subject"], folder)
    document = hotspot_table.to_json(rows, result.costs, facts)
    notes = [f"note: {note}" for note in result.notes]
    event, closing = result.costs.event, ["", *document["sentences"]]
    text = [*head, "", *hotspot_table.table_lines(rows, event), *closing, *([""] if notes else []), *notes]
    write(folder / "hotspots.txt", "".join(f"{line}\n" for line in text))
    write(folder / "hotspots.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    words = [word.replace(str(folder), str(folder.parent)) for word in result.command]
    own = shlex.join([str(FRONT_PROGRAM), "profile", *own_words, "--", *subject.command])
    write(folder / "command.txt", f"cd {shlex.quote(os.getcwd())} && {own}\n# This command runs: {shlex.join(words)}\n")
    return document, [*head, "", *hotspot_table.table_lines(rows, event, ROWS_SHOWN), *closing]


def named(stacks: collections.Counter[tuple[Place, ...]], resolver: Resolver) -> Stacks:
    found: Stacks = collections.Counter()
    for stack, count in stacks.items():
        found[tuple(resolver.function(*place).name.replace(";", ":") for place in stack)] += count
    return found


def describe(result: Profile, subject: Subject, profiler: Profiler) -> tuple[list[str], dict[str, Any]]:
    """The lines above the table, and the same facts as JSON."""
    costs, row = result.costs, result.row
    title = point_title(row) if row else shlex.join(subject.command)
    lines = [f"{profiler.name} of {title}"]
    facts: dict[str, Any] = {"tool": profiler.name, "subject": title}
    if costs.event == "Ir" and row:
        per_iteration = costs.total / row.iterations
        facts |= {"iterations": row.iterations, "size": row.size, "ir_per_iteration": per_iteration,
                  "ir_per_byte": per_iteration / row.size}
        lines.append(f"{costs.total} Ir in {row.iterations} iterations: {per_iteration:.1f} per iteration, "
                     f"{per_iteration / row.size:.4f} per byte of the object")
    elif costs.event == "Ir":
        lines.append(f"{costs.total} Ir")
    else:
        facts |= {"seconds": result.seconds, "samples_per_second": costs.total / result.seconds}
        lines.append(f"{costs.total} samples in {result.seconds:.2f} s: {costs.total / result.seconds:.0f} per second")
    if row:
        kernel, native = row.kernel, (subject.native.kernel if subject.native else "")
        facts |= {"kernel": kernel, "native_kernel": native, "command": row.command}
        lines.append(f"kernel profiled: {kernel or 'unknown'}; natively: {native or 'unknown'}")
        if other := other_kernel(kernel, native, profiler.name == "callgrind"):
            result.notes.append(f"the profiled kernel is not the native kernel: {other}")
    lines += result.counters
    facts |= {"notes": result.notes, "counters": result.counters}
    return lines, facts
