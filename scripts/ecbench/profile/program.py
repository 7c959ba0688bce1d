"""bench.sh profile callgrind|pprof|perf: shows in which functions a point of ecbench, or any command, spends its instructions or
its time. Exit codes: 0 success; 1 no profile could be made; 2 wrong bytes."""

import argparse
import dataclasses
import pathlib
import re
import shlex
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from ecbench.experiment.expansion import expand
from ecbench.experiment.experiment import read_experiment
from ecbench.files.files import check_apart, results_folder
from ecbench.installation.places import BUILD, FRONT, INSTALL, given
from ecbench.measure.ecbench import Ecbench, find_program, own_program
from ecbench.measure.session import Budget, add_budget
from ecbench.page import charts
from ecbench.page.block import Block, Chart, Column, Form, Kind, table
from ecbench.point.axes import Language, split
from ecbench.point.point import Planned, Point
from ecbench.process.process import Child, run_to_the_end
from ecbench.profile.one_profile import OPENED_BY, PHRASES, closing, default_folder, new_files, take
from ecbench.profilers.profilers import PROFILERS, Profiler, write
from ecbench.profilers.subject import Broken, find_point, find_subject, slug_of
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Progress, Refused, plain, say

# profile --grid: for each packetsize, the instructions per byte of the object, and the share of each class of functions, counted by
# callgrind, as a table and a chart.

WIDTH = 560  # pixels
LEAST_SHARE = 0.5  # percent, of a class that is shown
PARAMETER = re.compile(r" packetsize=\d+")
MOST_BARS = 2000
Profiled = tuple[Planned, dict[str, Any]]  # a point and its hotspots.json


@dataclasses.dataclass(frozen=True)
class ClassRow:
    """A part of a bar: the instructions of a class of functions."""

    code: Annotated[str, Column(title="Point")]
    instructions: Annotated[float, Column(title="instructions per byte of the object", form=Form.FIGURE)]
    kind: Annotated[str, Column(title="Class")]
    text: Annotated[str, Column()]


CHART = Chart(Kind.BARS, "", "instructions", text="text", colour="kind", most=MOST_BARS)


def run_grid(words: list[str], profiler: Profiler, program: str, output: str | None, child: Child, budget: Budget) -> list[str]:
    """Returns the lines for stdout: the table in Markdown, and the directory of the files."""
    program = find_program(program)
    entries = choose(words, Ecbench(program, child))
    path = pathlib.Path(output or results_folder() / "profiles" / slug_of("-".join(words))[:100]).absolute()
    with new_files(path) as folder:
        found = measure_all(entries, profiler, program, output, child, budget)
        if not found:
            raise Broken("no point could be profiled")
        lines, rows = table_and_rows(found)
        write(folder / "packetsize.md", "\n".join(lines) + "\n")
        try:
            picture = charts.picture(Block("", "", ClassRow, rows), CHART, rows, WIDTH)
            title = "Instructions per byte of the object for each packetsize (callgrind)"
            write(folder / "packetsize.svg", charts.svg({**picture, "background": "white", "title": title}))
        except charts.NoPage as no_page:
            say(no_page)
        names = sorted(file.name for file in folder.iterdir())
    return [*lines, f"files in {path}: {', '.join(names)}"]


def choose(words: list[str], ecbench: Ecbench) -> list[Planned]:
    """The points that have a packetsize; without the axis workload only those of encode, without size only the largest objects."""
    plugins = ecbench.list_plugins()
    grids = read_experiment(words, Language(plugins)).points
    entries = [entry for entry in expand(grids, plugins, ecbench.describe).entries if entry.point.get("packetsize")]
    named = {word.partition("=")[0] for word in split(words)}
    if "workload" not in named:
        entries = [entry for entry in entries if entry.point.workload == "encode"]
    if "size" not in named:
        largest = max((entry.point.size for entry in entries), default=0)
        entries = [entry for entry in entries if entry.point.size == largest]
    if not entries:
        raise Refused(f"--grid {' '.join(words)} has no point with a packetsize: give techniques with a packetsize, such as "
                      "cauchy_good")
    return sorted(entries, key=lambda entry: (group_of(entry.point), int(entry.point.get("packetsize"))))


def group_of(point: Point) -> str:
    return PARAMETER.sub("", str(point))


def measure_all(entries: Sequence[Planned], profiler: Profiler, program: str, output: str | None, child: Child,
                budget: Budget) -> list[Profiled]:
    """The points that were profiled within the budget; reports those that could not be."""
    progress, found = Progress(sys.stderr, len(entries)), list[Profiled]()
    for number, entry in enumerate(entries):
        if found and budget.is_spent():
            say(f"{budget.spent_text()} after {number} of {len(entries)} points; the table has these")
            break
        progress.show(entry.point)
        try:
            # Stored where bench.sh profile stores it, or below `output`.
            subject = find_point(program, entry.point.words(), child)
            path = pathlib.Path(output, "points", subject.slug) if output else default_folder(subject, profiler)
            with new_files(path.absolute()) as folder:
                found.append((entry, take(subject, profiler, folder, [profiler.name], child)[0]))
        except Broken as error:
            say(f"{entry.point}: {error}")
        progress.advance()
    return found


def table_and_rows(found: Sequence[Profiled]) -> tuple[list[str], list[ClassRow]]:
    """The table in Markdown and the rows of the chart, with the classes that have at least LEAST_SHARE somewhere, the largest
    first."""
    shares = [{item["class"]: item["percent"] for item in document["classes"]} for _, document in found]
    most = {name: max(share.get(name, 0) for share in shares) for name in PHRASES}
    kinds = [name for name in sorted(most, key=most.__getitem__, reverse=True) if most[name] >= LEAST_SHARE]
    cells, rows = [], []
    for (entry, document), share in zip(found, shares, strict=True):
        group, packetsize, per_byte = group_of(entry.point), entry.point.get("packetsize"), document["ir_per_byte"]
        cells.append([packetsize, str(entry.chunk_size), f"{entry.padding_percent or 0:.1f}", f"{per_byte:.3f}",
                      *(f"{share.get(name, 0):.1f}" for name in kinds), group, document["kernel"]])
        rows += [ClassRow(f"{group}, packetsize {packetsize}", per_byte * share.get(name, 0) / 100, PHRASES[name],
                          f"{per_byte:.2f}" if name == kinds[0] else "") for name in kinds]
    titles = ["packetsize", "chunk", "padding %", "Ir/byte", *(f"{name} %" for name in kinds), "point", "kernel"]
    return list(table([titles, *cells], [True] * (4 + len(kinds)) + [False] * 2)), rows


# The arguments, and one profile.

DESCRIPTION = """Shows in which functions a point of ecbench, or any command, spends its instructions (callgrind) or its time
(pprof, perf). For ecbench, only the timed loops are profiled, not set-up or verification. The tables, the file of the profiler
and the command that repeats the profile are stored under results/profiles/."""
EXAMPLES = """\
bench.sh profile callgrind -- -p jerasure -P technique=reed_sol_van -P k=6 -P m=2 --dispatch scalar
bench.sh profile perf -- -p isa -P k=6 -P m=2 -w decode -e 2
bench.sh profile pprof -- gzip --best --stdout /usr/bin/perl
bench.sh profile callgrind --grid plugin=jerasure technique=cauchy_good k=6 m=2 packetsize=64..16384*2"""


def needs(words: list[str]) -> list[str]:
    """valgrind is installed before the build, which looks for its header."""
    purposes = [word for word in words if word in ("callgrind", "pprof", "perf")][:1]
    purposes += ["report"] if given(words, "--grid") else []
    return [INSTALL, *(f"{INSTALL} {purpose}" for purpose in purposes), BUILD]


def read_arguments(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of bench.sh profile, and the arguments after --."""
    own = words[:words.index("--")] if "--" in words else words
    parser = Parser(mode="profile", description=DESCRIPTION, examples=EXAMPLES,
                    usage="bench.sh profile callgrind|pprof|perf [options] -- ECBENCH_OPTIONS | COMMAND")
    parser.add_argument("tool", choices=PROFILERS, metavar="callgrind|pprof|perf",
                        help="callgrind counts instructions; pprof (gperftools) and perf take samples")
    parser.add_argument("--output", metavar="DIR", help="the directory for the files (default results/profiles/POINT/TOOL)")
    parser.add_argument("--ecbench", metavar="PATH", default=own_program(), help="the ecbench program (default: this ecbench)")
    parser.add_argument("--grid", nargs="+", metavar="GRID", help="only with callgrind: profile the points of a grid (the name "
                        "of a grid, or axes as in bench.sh run); for each packetsize, print the instructions per byte of the "
                        "object and the share of each class of functions (table lookups, XOR, memcpy, ...), and draw a chart")
    add_budget(parser, on="only with --grid: the tables have the points so far")
    arguments, of_ecbench = parser.parse_known_args(own)
    if of_ecbench:
        raise Refused(f"{of_ecbench[0]} is not an option of profile; write -- before the options of ecbench, as in "
                      f"{FRONT} profile {arguments.tool} -- {shlex.join(of_ecbench)}")
    if ("--" in words) == bool(arguments.grid):
        raise Refused("profile: give either --grid, or a command or options of ecbench after --, as in "
                      f"{FRONT} profile callgrind -- -p isa -P k=6 -P m=2")
    if arguments.tool != "callgrind" and arguments.grid:
        raise Refused(f"--grid needs instruction counts, which {arguments.tool} does not provide; give callgrind instead of "
                      f"{arguments.tool}")
    if arguments.grid:
        read_experiment(arguments.grid, Language(None))
    if arguments.budget and not arguments.grid:
        raise Refused("profile: --budget is only allowed with --grid")
    arguments.own_words = own
    return arguments, words[len(own) + 1:]


def check_files(arguments: argparse.Namespace, folder: pathlib.Path, words: Sequence[str]) -> None:
    """Throws Refused if the profile would replace a file that the command uses."""
    outputs = [("--output", folder / name) for name in OPENED_BY]
    named = [*words, *(word.partition("=")[2] for word in words if "=" in word)]
    check_apart(outputs, [("the file", path) for path in [arguments.ecbench, *named]])


def run(arguments: argparse.Namespace, words: Sequence[str], child: Child) -> list[str]:
    profiler = PROFILERS[arguments.tool]()
    if arguments.grid:
        return run_grid(arguments.grid, profiler, arguments.ecbench, arguments.output, child, Budget(arguments.budget))
    if arguments.output:
        check_files(arguments, pathlib.Path(arguments.output), words)  # before ecbench runs
    subject = find_subject(words, arguments.ecbench, child)
    path = pathlib.Path(arguments.output or default_folder(subject, profiler)).absolute()
    check_files(arguments, path, words)
    with new_files(path) as folder:
        document, text = take(subject, profiler, folder, arguments.own_words, child)
        opened_by = closing(folder, path)
    for note in document["notes"]:
        say(note)
    return [*text, "", f"files in {path}, with programs to open them:", *opened_by]


def profile(child: Child) -> int:
    for line in run(*read_arguments(sys.argv[1:]), child):
        print(plain(line))
    return 0


def main() -> int:
    return run_to_the_end(profile, "interrupted before the profile was complete; with --grid, those of finished points are stored")
