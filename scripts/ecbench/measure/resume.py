"""The arguments of measuring modes. An interrupted run is resumed with the arguments that are stored in the header of its run file,
except the words in files/inputs.py. With --resume, only these words, the options in OF_THE_MACHINE and some options of the mode are
allowed."""

import argparse
import dataclasses
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ecbench.files import inputs
from ecbench.files.inputs import with_home
from ecbench.installation.places import command
from ecbench.measure.budget import Budget, add_budget
from ecbench.measure.ecbench import Ecbench, find_program, own_program
from ecbench.measure.start import newest_unfinished
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.header import is_compressed
from ecbench.runfile.run_file import Run, read_mode, read_run
from ecbench.terminal.arguments import Parser, seed, whole
from ecbench.terminal.console import Refused, say

# Allowed with --resume.
OF_THE_MACHINE = ("resume", "budget", *(option.removeprefix("--").replace("-", "_") for option in inputs.OPTIONS))
# A run file from elsewhere must not choose where a page is written.
NOT_KEPT = ("--output", "--resume", "--budget", "--page")
# Nor which file is printed, nor that nothing is measured.
OF_ONE_START = {"budget": None, "page": None, "print": False, "dry_run": False, "counts_only": False}
Parsed = tuple[argparse.Namespace, dict[str, Any]]  # all arguments, and those that the user gave, without defaults


@dataclasses.dataclass
class Asked:
    """The arguments of a mode."""

    arguments: argparse.Namespace
    run: Run | None  # the run to resume; None: a new run
    words: list[str]  # for the header of a new run
    budget: Budget = dataclasses.field(default_factory=Budget)

    def limit(self, seconds: float | None) -> None:
        """Without --budget, the mode's default."""
        if seconds is not None and self.arguments.budget is None:
            self.budget = Budget(seconds)


def add_arguments(parser: argparse.ArgumentParser, default_budget: str = "no limit") -> None:
    add_budget(parser, default_budget)
    parser.add_argument("--output", metavar="FILE", help="the run file to create (default: in results/, or in "
                        "~/.local/share/ecbench if installed)")
    parser.add_argument("--resume", nargs="?", const="", metavar="FILE", help="continue an interrupted run (default: the "
                        "newest of this mode)")


def read(mode: str, words: Sequence[str], parser: argparse.ArgumentParser, child: Child, also: Iterable[str] = ()) -> Asked:
    """Parses `words`. With --resume, also parses the arguments in the header of the run. `also`: further options that are allowed
    with --resume, such as format. Throws Refused."""
    arguments, given = checked(mode, words, parser, also)
    if "resume" not in given:
        return Asked(arguments, None, kept_words(words), Budget(arguments.budget))
    path = given["resume"]
    if not path:
        program = Ecbench(find_program(given.get("ecbench")), child, given.get("plugin_dir"))
        path = newest_unfinished(mode, program.environment())
    run = read_run(path, drop_cut_off=True)
    kept, named = inputs.split_off(run.header.words)
    permitted = inputs.split_off(words)[1]
    if missing := inputs.lacking(named, permitted):
        text = f"{path} was started with {' '.join(missing)}"
        if not run.finished or not all(word.startswith("--") for word in missing):
            raise Refused(f"{text}, which {inputs.AGAIN}; if you trust it, give it again with --resume")
        say(f"{text}; nothing is loaded from there")
    if not run.finished:
        inputs.check_points(path, run.points.values(), permitted, given.get("ecbench") or own_program())
    arguments, _ = parsed(parser, kept if missing else list(map(with_home, run.header.words)))
    for name, value in {**OF_ONE_START, **given, "resume": str(path)}.items():
        if name != "words":  # the words are those of the run; the given ones only permit some of them
            setattr(arguments, name, value)
    return Asked(arguments, run, run.header.words, Budget(arguments.budget))


def check(mode: str, words: Sequence[str], parser: argparse.ArgumentParser, also: Iterable[str] = ()) -> argparse.Namespace | None:
    """Returns the arguments of a new run, or None if a run is resumed. Does not run ecbench. Throws Refused."""
    arguments, given = checked(mode, words, parser, also)
    return None if "resume" in given else arguments


def checked(mode: str, words: Sequence[str], parser: argparse.ArgumentParser, also: Iterable[str]) -> Parsed:
    """Throws Refused if an argument is not allowed with --resume, or if the run is not of the mode."""
    arguments, given = parsed(parser, words)
    allowed = (*OF_THE_MACHINE, *also)
    for action in parser._actions if "resume" in given else ():
        if action.dest in given and action.dest not in allowed and not (action.dest == "words" and inputs.is_axis(given["words"])):
            name = action.option_strings[-1] if action.option_strings else f"the {str(action.metavar or action.dest).lower()}"
            raise Refused(f"--resume uses the arguments with which the run was started; leave {name} out")
    if given.get("resume"):
        check_mode(mode, given["resume"])
    return arguments, given


def parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> Parsed:
    """Words and options may be in any order."""
    names = [action.dest for action in parser._actions if action.dest != argparse.SUPPRESS]
    found = vars(parser.parse_intermixed_args(list(words), argparse.Namespace(**dict.fromkeys(names))))
    given = {name: value for name, value in found.items() if value is not None and value != []}
    defaults = {name: parser.get_default(name) for name, value in found.items() if value is None}
    return argparse.Namespace(**{**found, **defaults}), given


def kept_words(words: Sequence[str]) -> list[str]:
    """`words` without the options in NOT_KEPT and their values. These options do not affect the measurements."""
    kept, skip = [], False
    for word in words:
        if not skip and word.partition("=")[0] not in NOT_KEPT:
            kept.append(word)
        skip = not skip and word in NOT_KEPT
    return kept


def check_mode(mode: str, path: str | os.PathLike[str]) -> None:
    """Throws Refused if the run file cannot be read, is compressed, or belongs to another mode."""
    if is_compressed(path):
        raise Refused(f"{path} is compressed and cannot be continued; decompress it first: gunzip {shlex.quote(str(path))}")
    found = read_mode(path)
    if found not in (mode, None):
        raise Refused(f"{path} is a run of {command(found)}: continue it with {command(found)} --resume {path}")


@dataclasses.dataclass(frozen=True)
class Mode:
    """A measuring mode as data: its words and options."""

    name: str
    examples: str
    description: str
    words: str  # explains the words
    axes: Iterable[str]
    read: Callable[[argparse.Namespace], object]  # throws Refused for errors that can be found without ecbench
    options: Callable[[Parser], object]  # adds those that other modes do not have
    rounds: str  # the default, for the help
    fewest_rounds: int = 1
    word: str = "KEY=VALUES"
    also: tuple[str, ...] = ()  # options that are allowed with --resume
    verbose: str = "print all warnings"
    interrupted: str = "interrupted before the first point"

    def parser(self) -> Parser:
        parser = Parser(mode=self.name, examples=self.examples, description=self.description, epilog=self.words, axes=self.axes)
        parser.add_argument("words", nargs="*", metavar=self.word)
        parser.add_argument("--rounds", type=whole(self.fewest_rounds, 1000), metavar="N",
                            help=f"measurements of each point (default {self.rounds})")
        self.options(parser)
        parser.add_argument("--seed", type=seed, metavar="N", help="seed for the order (default: random)")
        add_arguments(parser)
        parser.add_argument("--ecbench", metavar="PATH", help="the program to measure with (default: this ecbench)")
        parser.add_argument("--verbose", action="store_true", help=self.verbose)
        return parser

    def check(self, words: list[str]) -> None:
        """Throws Refused."""
        if arguments := check(self.name, words, self.parser(), ("verbose", *self.also)):
            self.read(arguments)

    def ask(self, child: Child) -> Asked:
        return read(self.name, sys.argv[1:], self.parser(), child, ("verbose", *self.also))

    def run(self, program: Callable[[Child], int]) -> int:
        return run_to_the_end(program, self.interrupted)
