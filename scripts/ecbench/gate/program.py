"""bench.sh gate ir | ab: tests whether a change makes an erasure code slower. The code of each mode is in its own directory."""

import argparse
import signal
import sys

from ecbench.documents.document import Json, schema_of
from ecbench.gate.ab import program as ab
from ecbench.gate.ab import verdicts
from ecbench.gate.ir import program as ir
from ecbench.gate.sides.both_sides import Failure, grid_words
from ecbench.installation.places import BUILD, INSTALL, with_charts
from ecbench.process.process import Child, run_to_the_end
from ecbench.terminal.arguments import Parser

MODES = {"ir": (ir, "compares the instruction counts of two builds"), "ab": (ab, "compares the speed of two builds in one run")}


def needs(words: list[str]) -> list[str]:
    """valgrind is installed before the build, which looks for its header."""
    if words[:1] == ["ir"]:  # a busy machine does not change the counts
        return [INSTALL, "install callgrind", BUILD]
    return with_charts(words, "--svg")


def schema() -> Json:
    return {"anyOf": [schema_of(verdicts.Result, "gate ab", "The output of gate ab --format json and --json FILE."),
                      schema_of(ir.Result, "gate ir", "The output of gate ir --json FILE."),
                      schema_of(Failure, "gate", "The output of --json FILE if there is no result.")]}


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused."""
    parser = Parser(mode="gate", examples="bench.sh gate ab HEAD~1 build\nbench.sh gate ir HEAD~1 build",
                    description="Tests whether a change makes an erasure code slower.",
                    epilog="Exit codes: 0 no regression; 1 error; 2 wrong bytes; 3 regression;\n4 inconclusive (only on request).")
    modes = parser.add_subparsers(dest="mode", metavar="ab|ir", required=True)
    for name, (module, what) in MODES.items():
        mode = modes.add_parser(name, help=what)
        if words[:1] == [name]:
            module.add_arguments(mode)
            mode.set_defaults(run=module.main, check=module.check)
    arguments = parser.parse_args(grid_words(words))
    arguments.check(arguments)
    return arguments


def gate(child: Child) -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a write to a slice server that has ended must raise an exception
    arguments = read_arguments(sys.argv[1:])
    return int(arguments.run(arguments, child))


def main() -> int:
    return run_to_the_end(gate, "interrupted before a result")
