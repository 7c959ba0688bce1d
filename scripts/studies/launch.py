"""Functions that all studies use. They start ecbench and read the rows that it prints. If ecbench fails, the study prints one line
and has exit code 1. A study must import this module before it imports the package ecbench."""

import argparse
import json
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NoReturn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, say

Speed = Callable[[], float]


def parser(text: str | None, takes_ecbench: bool = True) -> Parser:
    """Returns the argument parser of a study. `text` is the docstring of the study, which begins with the file name of the study.
    If `takes_ecbench` is true, the first argument of the study is the path of ecbench."""
    name, _, description = (text or "").partition(" ")
    result = Parser(prog=name, description=description)
    if takes_ecbench:
        result.add_argument("ecbench", metavar="ECBENCH", help="the path of ecbench, such as build/ecbench")
    return result


def run(main: Callable[[], int | None]) -> NoReturn:
    """Calls `main`. The result of `main` is the exit code of the process. Ctrl-C ends the process without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        sys.exit(main())
    except Refused as refusal:
        say(refusal)
        sys.exit(1)


def output_of(command: list[str]) -> str:
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Refused(f"{command[0]} cannot be run: {error.strerror}") from error
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()
        raise Refused(f"{shlex.join(command)}: "
                      f"{said[-1].removeprefix('ecbench: ') if said else f'exit code {result.returncode}'}")
    return result.stdout


def row_of(ecbench: str, words: str, **options: object) -> dict[str, Any]:
    """Runs ecbench, and returns the row that it prints. `words` are arguments of ecbench. A word with = is a parameter of the
    profile. `options` are more options; for example, min_time=0.1 becomes --min-time 0.1."""
    command = [ecbench]
    for word in words.split():
        command += ["-P", word] if "=" in word else [word]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    text = output_of([*command, "--format", "json"])
    try:
        row: dict[str, Any] = json.loads(text)
    except ValueError:
        raise Refused(f"the output of '{shlex.join(command)}' is not JSON: {' '.join(text.split())[:200]}") from None
    return row


def in_turn(rounds: int, *speeds: Speed) -> list[list[float]]:
    """Calls each function of `speeds` once in each round. The order of the calls is reversed after each round. For each function,
    returns the list of its results."""
    values: list[list[float]] = [[] for _ in speeds]
    for turn in range(rounds):
        for number in range(len(speeds))[::1 if turn % 2 else -1]:
            values[number].append(speeds[number]())
    return values


def compare(rounds: int, first: Speed, second: Speed) -> tuple[float, float, float]:
    """Returns three medians: the speed of `first`, the speed of `second`, and the ratio first / second of each round."""
    a, b = in_turn(rounds, first, second)
    return statistics.median(a), statistics.median(b), statistics.median(x / y for x, y in zip(a, b))


def at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is out of range; allowed: 1 or more")
    return int(text)
