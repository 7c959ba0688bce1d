"""bench.sh gate ir | ab | pr | self-test: tests whether a change makes an erasure code slower. The code of each mode is in its own
directory. Exit codes: 0 no regression; 1 bad input; 2 wrong bytes; 3 a regression, or an aim of the self-test is missed;
4 inconclusive (only with --require-conclusive) or no baseline (only with --require-baseline); 128 + the number of the signal that
ended the gate."""

import argparse
import importlib
import signal
import sys

from ecbench.gate.sides.points import grid_words
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser

MODES = {"ir": ("ir", "counts instructions, and compares the counts with a baseline or with another build"),
         "ab": ("ab", "compares the speed of two builds in one run"),
         "pr": ("pr", "compares a change with its base by ir and by ab, and prints one verdict"),
         "self-test": ("self_test", "shows how often gate ab raises a false alarm, and how often it detects a slower build")}


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused."""
    parser = Parser(mode="gate", description="Tests whether a change makes an erasure code slower.",
                    epilog="Exit codes: 0 no regression; 1 bad input; 2 wrong bytes; 3 regression (self-test: an aim "
                           "is missed);\n4 inconclusive (only with --require-conclusive) or no baseline (only with "
                           "--require-baseline); 130 after Ctrl-C.")
    modes = parser.add_subparsers(dest="mode", metavar="MODE", required=True)
    for name, (package, what) in MODES.items():
        mode = modes.add_parser(name, help=what)
        if words[:1] == [name]:
            module = importlib.import_module(f"ecbench.gate.{package}.program")
            module.add_arguments(mode)
            mode.set_defaults(run=module.main, check=module.check)
    arguments = parser.parse_args(grid_words(words))
    arguments.check(arguments)
    return arguments


def gate(child: Child) -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a write to a slice server that has ended must raise an exception
    arguments = read_arguments(sys.argv[1:])
    return arguments.run(arguments, child)


def main() -> int:
    return run_to_the_end(gate, "interrupted before a result")
