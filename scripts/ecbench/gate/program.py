"""bench.sh gate ir | ab | self-test: whether a change makes a code slower. Each is a package of its own: ir, ab and
self_test.

Exit code 0 if not; 1 for bad input; 2 for wrong bytes; 3 for a regression; 4 if it cannot be told, where that was required; 128 and
the number of the signal that ends it."""

import importlib
import signal
import sys

from ecbench.gate.sides.points import grid_words
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser

MODES = {"ir": ("ir", "counts instructions, and holds them against a baseline or another build"),
         "ab": ("ab", "times two builds against each other in one run"),
         "self-test": ("self_test", "shows how often gate ab raises a false alarm, and what it catches")}


def read_arguments(words):
    """Throws Refused."""
    parser = Parser(prog="bench.sh gate", description="Whether a change makes a code slower.",
                    epilog="Exit codes: 0 no; 1 bad input; 2 wrong bytes; 3 a regression; 4 inconclusive, with "
                           "--require-conclusive or --require-baseline; 130 after Ctrl-C.")
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


def gate(child):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a slice server that is gone breaks a pipe too, and is told
    arguments = read_arguments(sys.argv[1:])
    return arguments.run(arguments, child)


def main():
    return run_to_the_end(gate, "interrupted: a gate that is not over says nothing")
