"""Functions of all studies. A study must import this module before it imports the package ecbench."""

import pathlib
import sys
from collections.abc import Callable
from typing import NoReturn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser, whole

at_least_one = whole(1, 1_000_000)
ECBENCH = "the path of ecbench, such as build/ecbench"


def run(text: str | None, study: Callable[[Parser, Child], int], runs_others: bool = True) -> NoReturn:
    """`text`: the docstring of the study, which begins with its file name."""
    name, _, description = (text or "").partition(" ")
    parser = Parser(prog=name, description=description)
    sys.exit(run_to_the_end(lambda child: study(parser, child), "interrupted", runs_others))
