"""bench.sh profile callgrind|pprof|perf: shows in which functions a point of ecbench, or any command, spends its instructions or
its time. Exit codes: 0 success; 1 no profile could be made; 2 wrong bytes."""

import argparse
import pathlib
import shlex
import sys
from collections.abc import Sequence

from ecbench.experiment.experiment import read_experiment
from ecbench.files.written_files import check_apart
from ecbench.installation.places import BUILD, FRONT, INSTALL, given
from ecbench.measure.budget import Budget, add_budget
from ecbench.measure.ecbench import own_program
from ecbench.point.axes import Language
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.profile import one_profile, packetsize_profile
from ecbench.profile.one_profile import OPENED_BY, closing, new_files
from ecbench.profilers.formats import Unreadable
from ecbench.profilers.profilers import PROFILERS
from ecbench.profilers.subject import Broken, find_subject
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain, say

DESCRIPTION = """Shows in which functions a point of ecbench, or any command, spends its instructions (callgrind) or its time
(pprof, perf). For ecbench, only the timed loops are profiled, not set-up or verification. The tables, the file of the profiler
and the command that repeats the profile are stored under results/profiles/."""
EXAMPLES = """\
bench.sh profile callgrind -- -p jerasure -P technique=reed_sol_van -P k=6 -P m=2 --dispatch scalar
bench.sh profile perf -- -p isa -P k=6 -P m=2 -w decode -e 2
bench.sh profile pprof -- gzip --best --stdout /usr/bin/perl
bench.sh profile callgrind --grid plugin=jerasure technique=cauchy_good k=6 m=2 packetsize=64..16384*2"""


def ours(words: list[str]) -> list[str]:
    return words[:words.index("--")] if "--" in words else words


def needs(words: list[str]) -> list[str]:
    """valgrind is installed before the build, which looks for its header."""
    purposes = [word for word in words if word in ("callgrind", "pprof", "perf")][:1]
    purposes += ["report"] if given(words, "--grid") else []
    return [INSTALL, *(f"{INSTALL} {purpose}" for purpose in purposes), BUILD]


def read_arguments(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of bench.sh profile, and the arguments after --."""
    found = "--" in words
    rest = words[len(ours(words)) + 1:]
    parser = Parser(mode="profile", description=DESCRIPTION, examples=EXAMPLES,
                    usage="bench.sh profile callgrind|pprof|perf [options] -- ECBENCH_OPTIONS | COMMAND")
    parser.add_argument("tool", choices=PROFILERS, help="callgrind counts instructions; pprof (gperftools) and perf take samples")
    parser.add_argument("--output", metavar="DIR", help="the directory for the files (default results/profiles/POINT/TOOL)")
    parser.add_argument("--ecbench", metavar="PATH", default=own_program(), help="the ecbench program (default: this ecbench)")
    parser.add_argument("--grid", nargs="+", metavar="GRID", help="only with callgrind: profile the points of a grid (the name "
                        "of a grid, or axes as in bench.sh run); for each packetsize, print the instructions per byte of the "
                        "object and the share of each class of functions (table lookups, XOR, memcpy, ...), and draw a chart")
    add_budget(parser, on="only with --grid: the tables have the points so far")
    arguments, of_ecbench = parser.parse_known_args(ours(words))
    if of_ecbench and not found:
        raise Refused(f"{of_ecbench[0]} is not an option of profile; write -- before the options of ecbench, as in "
                      f"{FRONT} profile {arguments.tool} -- {shlex.join(of_ecbench)}")
    arguments = parser.parse_args(ours(words))
    if not found and not arguments.grid:
        raise Refused("profile: give a command or options of ecbench after --, as in "
                      f"{FRONT} profile callgrind -- -p isa -P k=6 -P m=2")
    if arguments.tool != "callgrind" and arguments.grid:
        raise Refused(f"--grid needs instruction counts, which {arguments.tool} does not provide; give callgrind instead of "
                      f"{arguments.tool}")
    if arguments.grid:
        read_experiment(arguments.grid, Language(None))
    if arguments.budget and not arguments.grid:
        raise Refused("profile: --budget is only allowed with --grid")
    if arguments.grid and found:
        raise Refused("profile: --grid is not allowed together with arguments after --; leave out --grid or these arguments")
    return arguments, rest


def check_files(arguments: argparse.Namespace, folder: pathlib.Path, words: Sequence[str]) -> None:
    """Throws Refused if the profile would replace a file that the command uses."""
    outputs = [("--output", folder / name) for name in OPENED_BY]
    named = [*words, *(word.partition("=")[2] for word in words if "=" in word)]
    check_apart(outputs, [("the file", path) for path in [arguments.ecbench, *named]])


def run(arguments: argparse.Namespace, words: Sequence[str], child: Child) -> list[str]:
    profiler = PROFILERS[arguments.tool]()
    if arguments.grid:
        return packetsize_profile.run(arguments.grid, profiler, arguments.ecbench, arguments.output, child,
                                      Budget(arguments.budget))
    if arguments.output:
        check_files(arguments, pathlib.Path(arguments.output), words)  # before ecbench runs
    subject = find_subject(words, arguments.ecbench, child)
    path = pathlib.Path(arguments.output or one_profile.default_folder(subject, profiler)).absolute()
    check_files(arguments, path, words)
    with new_files(path) as folder:
        document, text = one_profile.take(subject, profiler, folder, arguments.own_words, child)
        opened_by = closing(folder, path)
    for note in document["notes"]:
        say(note)
    return [*text, "", f"files in {path}, with programs to open them:", *opened_by]


def profile(child: Child) -> int:
    arguments, words = read_arguments(sys.argv[1:])
    arguments.own_words = ours(sys.argv[1:])
    try:
        for line in run(arguments, words, child):
            print(plain(line))
    except Unreadable as error:
        raise Refused(str(error)) from error
    except Broken as broken:
        say(broken)
        return broken.exit_code
    return 0


def main() -> int:
    return run_to_the_end(profile, "interrupted before the profile was complete; with --grid, those of finished points are stored")
