"""Functions that all studies use. A study must import this module before it imports the package ecbench."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ecbench.measure.ecbench import Ecbench
from ecbench.runfile.row import Row
from ecbench.terminal.arguments import Parser, whole
from ecbench.terminal.console import Refused

at_least_one = whole(1, 1_000_000)


def parser(text: str | None, takes_ecbench: bool = True) -> Parser:
    """Returns the argument parser of a study. `text` is the docstring of the study, which begins with the file name of the study.
    If `takes_ecbench` is true, the first argument of the study is the path of ecbench."""
    name, _, description = (text or "").partition(" ")
    result = Parser(prog=name, description=description)
    if takes_ecbench:
        result.add_argument("ecbench", metavar="ECBENCH", help="the path of ecbench, such as build/ecbench")
    return result


def row_of(ecbench: Ecbench, words: str, **options: object) -> Row:
    """Measures. `words` are arguments of ecbench; a word with = is a parameter of the profile. `options` are more options; for
    example, min_time=0.1 becomes --min-time 0.1. Throws Refused."""
    command = [part for word in words.split() for part in (("-P", word) if "=" in word else (word,))]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    outcome = ecbench.measure(command)
    if isinstance(outcome, Row):
        return outcome
    raise Refused(f"{outcome.command}: {outcome.why}")
