"""Functions of all studies. A study must import this module before it imports the package ecbench."""

import pathlib
import sys
from collections.abc import Callable
from typing import NoReturn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ecbench.measure.ecbench import Ecbench
from ecbench.process.process import Child, run_to_the_end
from ecbench.runfile.row import Row
from ecbench.terminal.arguments import Parser, whole
from ecbench.terminal.console import Refused

at_least_one = whole(1, 1_000_000)
ECBENCH = "the path of ecbench, such as build/ecbench"


def run(text: str | None, study: Callable[[Parser, Child], int], runs_others: bool = True) -> NoReturn:
    """`text`: the docstring of the study, which begins with its file name."""
    name, _, description = (text or "").partition(" ")
    parser = Parser(prog=name, description=description)
    sys.exit(run_to_the_end(lambda child: study(parser, child), "interrupted", runs_others))


def row_of(ecbench: Ecbench, words: str, **options: object) -> Row:
    """Measures. `words`: arguments of ecbench. `options`: more; min_time=0.1 becomes --min-time 0.1. Throws Refused."""
    more = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    outcome = ecbench.measure([*words.split(), *more])
    if isinstance(outcome, Row):
        return outcome
    raise Refused(f"{outcome.command}: {outcome.why}")
