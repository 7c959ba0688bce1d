"""Profiles one subject (a point of ecbench, or any command): runs it under the profiler, and writes the tables to the directory of
the profiler's file."""

import collections
import contextlib
import dataclasses
import html
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from ecbench.documents.document import Key, to_json
from ecbench.files.files import results_folder, working_folder
from ecbench.installation.places import FRONT_PROGRAM
from ecbench.process.process import Child
from ecbench.profilers.formats import Costs, Place
from ecbench.profilers.profilers import Profile, Profiler, write
from ecbench.profilers.subject import Broken, Subject, other_kernel, point_title, run_checked, shortened
from ecbench.symbols.elf import Function, Resolver
from ecbench.terminal.console import Refused, columns, refusing, say

# The file `classes` has the classes of functions: their descriptions for sentences() and the legend of a chart, and the rules.

OTHER = "other"
LINES = [line.strip() for line in pathlib.Path(__file__).with_name("classes").read_text("utf-8").splitlines()]
PHRASES = {name: phrase for name, colon, phrase in (line.partition(": ") for line in LINES if line[:1] != "#") if colon}
# Class, and patterns of an object file and of a function.
RULES = [(name, re.compile(in_object), re.compile(function)) for name, in_object, function in
         (line.split(maxsplit=2) for line in LINES if line and line[0] != "#" and line.partition(": ")[0] not in PHRASES)]


def class_of(function: Function) -> str:
    """The class of the first rule that matches."""
    return next((name for name, in_object, pattern in RULES
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
    class_name: Annotated[str, Key(name="class")]
    how: str  # how the name was found


def make_rows(costs: Costs, resolver: Resolver) -> list[Row]:
    by_function: collections.Counter[Function] = collections.Counter()
    for (path, address), count in costs.at.items():
        by_function[resolver.function(path, address)] += count
    ordered = sorted(by_function.items(), key=lambda item: (-item[1], item[0].object, item[0].name))
    rows, above = [], 0
    for rank, (function, count) in enumerate((item for item in ordered if item[1]), 1):
        above += count
        own, cumulative = (round(100 * part / costs.total, 4) for part in (count, above))
        rows.append(Row(rank, function.name, function.object, own, cumulative, count, class_of(function), function.how))
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
    counts = dict.fromkeys(PHRASES, 0)
    for row in rows:
        counts[row.class_name] += row.count
    return {name: 100 * counts[name] / sum(counts.values()) for name in sorted(counts, key=lambda one: -counts[one])}


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


# The directory of a profile.

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
        letters, hue = int((width - 4) / LETTER), zlib.crc32(name.encode(errors="replace")) % 50  # warm, the same in every profile
        text = name if len(name) <= letters else f"{name[:letters - 2]}.." if letters > 3 else ""
        lines.append(f'<g><title>{html.escape(name)}: {100 * count / total:.2f} %</title><rect x="{left:.1f}" y="{top}" '
                     f'width="{width:.1f}" height="{ROW - 1}" fill="hsl({hue} 80% 70%)"/>'
                     + (f'<text x="{left + 3:.1f}" y="{top + 13}">{html.escape(text)}</text>' if text else "") + "</g>")
    return "\n".join([*lines, "</svg>\n"])


def boxes_of(stacks: Stacks, depth: int = 0, begin: int = 0) -> Iterator[tuple[int, int, int, str]]:
    """Depth, begin, cost and name of each box. What a function costs without its calls is at the left."""
    for name, group in itertools.groupby(sorted(stacks.items()), lambda item: item[0][0]):
        inner: Stacks = collections.Counter({stack[1:]: count for stack, count in group})
        yield depth, begin, inner.total(), name
        own = inner.pop((), 0)
        yield from boxes_of(inner, depth + 1, begin + own)
        begin += own + inner.total()


ROWS_SHOWN = 20


def default_folder(subject: Subject, profiler: Profiler) -> pathlib.Path:
    return results_folder() / "profiles" / subject.slug / profiler.name


def take(subject: Subject, profiler: Profiler, folder: pathlib.Path, own_words: Sequence[str],
         child: Child) -> tuple[dict[str, Any], list[str]]:
    """Writes the files to `folder`. `own_words`: the arguments before -- in the command that repeats this profile. Returns the JSON
    document and the lines for stdout. Throws Refused and WrongBytes."""
    result = profiler.run(subject, folder, child)
    rows = make_rows(result.costs, result.resolver)
    if annotated := text_of(result.costs, result.resolver, child):
        write(folder / "annotated.txt", annotated)
    head, facts = describe(result, subject, profiler)
    draw(named(result.costs.stacks, result.resolver), profiler.name, facts["subject"], folder)
    event, percents = result.costs.event, shares(rows)
    document = {"format": FORMAT, **facts, "event": event, "total": result.costs.total,
                "classes": [{"class": name, "percent": round(percent, 4)} for name, percent in percents.items()],
                "sentences": sentences(percents, event), "rows": to_json(rows)}
    notes, closing = [f"note: {note}" for note in result.notes], ["", *document["sentences"]]
    text = [*head, "", *table_lines(rows, event), *closing, *([""] if notes else []), *notes]
    write(folder / "hotspots.txt", "".join(f"{line}\n" for line in text))
    write(folder / "hotspots.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    words = [word.replace(str(folder), str(folder.parent)) for word in result.command]
    own = shlex.join([str(FRONT_PROGRAM), "profile", *own_words, "--", *subject.command])
    write(folder / "command.txt", f"cd {shlex.quote(os.getcwd())} && {own}\n# This command runs: {shlex.join(words)}\n")
    return document, [*head, "", *table_lines(rows, event, ROWS_SHOWN), *closing]


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
