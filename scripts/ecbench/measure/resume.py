"""Begins runs, and resumes them on the same machine, with the same build of ecbench and the same plugins and codec libraries. Also
the arguments of measuring modes: an interrupted run is resumed with the arguments that are stored in the header of its run file,
except the words in files/files.py. With --resume, only these words, the options in OF_THE_MACHINE and some options of the mode are
allowed."""

import argparse
import dataclasses
import datetime
import itertools
import os
import pathlib
import platform
import re
import secrets
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ecbench.documents.document import Json, Unlike, refuse_controls
from ecbench.files import files
from ecbench.files.files import results_folder, with_home, without_home
from ecbench.installation.places import command
from ecbench.measure.ecbench import Ecbench, find_program, own_program
from ecbench.measure.session import Budget, add_budget
from ecbench.point.point import Planned
from ecbench.process.process import Child
from ecbench.runfile.header import MAGIC, Environment, Header, Options, codecs_of, difference, machine_of
from ecbench.runfile.run_file import Run, RunWriter, now, points_of, read_mode, read_run
from ecbench.terminal.arguments import Parser, seed, whole
from ecbench.terminal.console import Refused, refusing, say

RANDOM = "random"
INSTEAD = "begin a new run, without --resume"


def folder_of(environment: Environment) -> pathlib.Path:
    return results_folder() / machine_of(environment).slug


def path_of(output: str | os.PathLike[str] | None, name: str, environment: Environment) -> pathlib.Path:
    """`output`, or a path with `name`, the date and the time, and a number if another run began in the same second."""
    if output is not None:
        return pathlib.Path(output)
    stem = f"{name}-{datetime.datetime.now().strftime('%Y-%m-%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    paths = (folder_of(environment) / f"{name}.jsonl" for name in names)
    return next(path for path in paths if not path.exists())


def begin(environment: Environment, mode: str, words: Sequence[str], rounds: int, options: Options, seed: int | None = None,
          points: Sequence[Planned] = (), output: str | os.PathLike[str] | None = None, name: str | None = None,
          order: str = RANDOM, more: Json | None = None) -> tuple[RunWriter, Run]:
    """Begins a run on this machine. `words`: arguments of the mode, for --resume. `seed`: None: random. `name`: the part of the
    file name before date and time (None: the mode). `more`: additional keys of the header. Throws Refused."""
    path = path_of(output, name or mode, environment)
    words = [re.sub(r"[\t-\r]", " ", without_home(word)) for word in words]
    json = {
        "run": path.stem, "mode": mode, "words": words, "grid": " ".join(words),
        "seed": secrets.randbits(32) if seed is None else seed, "repetitions": rounds, "order": order,
        "options": dataclasses.asdict(options), "started": now(), "host": platform.node(),
        "machine": dataclasses.asdict(machine_of(environment)), "environment": environment.json,
        "points": [one.to_json() for one in points], "dropped": [], "merged": 0, **(more or {})}
    try:
        refuse_controls(json)  # the file could not be read again
    except Unlike as unlike:
        raise Refused(f"no run file can be written: {unlike}") from unlike
    header = Header.read(json)
    header.points = list(points)
    return RunWriter.create(path, json), Run(path, header, points_of(points))


def go_on(path: str | os.PathLike[str], environment: Environment) -> tuple[RunWriter, Run]:
    """Resumes a run. Throws Refused if the run is finished, or if it cannot be continued under the same conditions."""
    run = read_run(path, drop_cut_off=True)
    if run.finished:
        raise Refused(f"{run.path} is finished; nothing is left to measure")
    for what, of in (("machine", lambda given: dataclasses.asdict(machine_of(given))), ("program under test", codecs_of)):
        before, facts = of(run.header.environment), of(environment)
        if run.header.points:  # all points are planned, so none uses a plugin that was built later
            facts = {key: facts.get(key) for key in before}
        if found := difference(before, facts):
            raise Refused(f"{run.path} cannot be resumed, because the {what} has changed ({found}); {INSTEAD}")
    options = run.header.options
    if lacking := [name for name in ("cpus", "min_time", "timeout") if not getattr(options, name)]:
        raise Refused(f"{run.path} cannot be resumed: the options in its first line lack {lacking[0]}; {INSTEAD}")
    if missing := set(options.cpus) - os.sched_getaffinity(0):
        raise Refused(f"{run.path} cannot be resumed: it measured on CPU {min(missing)}, which is not an allowed CPU of this "
                      f"process; {INSTEAD}")
    writer = RunWriter.resume(run.path)
    writer.append("resumed", at=now(), environment=environment.json)
    return writer, run


def newest_unfinished(mode: str, environment: Environment) -> pathlib.Path:
    """The unfinished run of this mode on this machine whose file was changed last. Throws Refused if there is none."""
    folder = folder_of(environment)
    for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            run = read_run(path, drop_cut_off=True)
        except Refused:  # no message, because the user did not name this file
            continue
        if not run.finished and run.mode == mode:
            return path
    raise Refused(f"no unfinished run of {command(mode)} is in {folder}; give the file of a run: --resume FILE")


# The arguments of measuring modes.

# Allowed with --resume.
OF_THE_MACHINE = ("resume", "budget", "verbose", *(option.removeprefix("--").replace("-", "_") for option in files.OPTIONS))
# A run file from elsewhere must not choose where a page is written.
NOT_KEPT = ("--output", "--resume", "--budget", "--page")
# Nor which file is printed, nor that nothing is measured.
OF_ONE_START = {"budget": None, "page": None, "print": False, "dry_run": False, "counts_only": False}
INTERRUPTED = "interrupted before the first point"
Parsed = tuple[argparse.Namespace, dict[str, Any]]  # all arguments, and those that the user gave, without defaults


@dataclasses.dataclass
class Asked:
    """The arguments of a mode."""

    arguments: argparse.Namespace
    run: Run | None  # the run to resume; None: a new run
    words: list[str]  # for the header of a new run
    budget: Budget = dataclasses.field(default_factory=Budget)

    def limit(self, seconds: float | None) -> None:
        """Without --budget, the mode's default, which begins now."""
        if seconds is not None and self.arguments.budget is None:
            self.budget = Budget(seconds)


@dataclasses.dataclass(frozen=True)
class Mode:
    """A measuring mode as data: its words and options."""

    name: str
    examples: str
    description: str
    words: str  # explains the words
    axes: Iterable[str]
    read: Callable[[argparse.Namespace], object]  # throws Refused for errors that can be found without ecbench
    options: Callable[[Parser], object] | None = None  # adds those that other modes do not have; None: has only those of all modes
    rounds: str = ""  # the default, for the help
    fewest_rounds: int = 1
    word: str = "KEY=VALUES"
    word_help: str | None = None
    usage: str | None = None
    also: tuple[str, ...] = ()  # options that are allowed with --resume
    budget: str = "no limit"  # the default, for the help
    verbose: str = "print all warnings"

    def parser(self) -> Parser:
        """Also parses the arguments in the headers of stored runs."""
        parser = Parser(mode=self.name, usage=self.usage, examples=self.examples, description=self.description, epilog=self.words,
                        axes=self.axes)
        add = parser.add_argument
        add("words", nargs="*", metavar=self.word, help=self.word_help)
        if self.options:
            add("--rounds", type=whole(self.fewest_rounds, 1000), metavar="N",
                help=f"measurements of each point (default {self.rounds})")
            self.options(parser)
            add("--seed", type=seed, metavar="N", help="seed for the order (default: random)")
        add_budget(parser, self.budget)
        add("--output", metavar="FILE",
            help="the run file to create (default: in results/, or in ~/.local/share/ecbench if installed)")
        add("--resume", nargs="?", const="", metavar="FILE", help="continue an interrupted run (default: the newest of this mode)")
        if self.options:
            add("--ecbench", metavar="PATH", help="the program to measure with (default: this ecbench)")
            add("--verbose", action="store_true", help=self.verbose)
        return parser

    def check(self, words: Sequence[str]) -> None:
        """Does not run ecbench. Throws Refused."""
        arguments, given = self._parsed(words)
        if "resume" not in given:
            self.read(arguments)

    def ask(self, words: Sequence[str], child: Child) -> Asked:
        """Parses `words`. With --resume, also parses the arguments in the header of the run. Throws Refused."""
        arguments, given = self._parsed(words)
        if "resume" not in given:
            return Asked(arguments, None, kept_words(words), Budget(arguments.budget))
        path = given["resume"]
        if not path:
            program = Ecbench(find_program(given.get("ecbench")), child, given.get("plugin_dir"))
            path = newest_unfinished(self.name, program.environment())
        run = read_run(path, drop_cut_off=True)
        kept, named = files.split_off(run.header.words)
        permitted = files.split_off(words)[1]
        if missing := files.lacking(named, permitted):
            text = f"{path} was started with {' '.join(missing)}"
            if not run.finished or not all(word.startswith("--") for word in missing):
                raise Refused(f"{text}, which {files.AGAIN}; if you trust it, give it again with --resume")
            say(f"{text}; nothing is loaded from there")
        if not run.finished:
            files.check_points(path, run.points.values(), permitted, given.get("ecbench") or own_program())
        arguments, _ = parsed(self.parser(), kept if missing else list(map(with_home, run.header.words)))
        for name, value in {**OF_ONE_START, **given, "resume": str(path)}.items():
            if name != "words":  # the words are those of the run; the given ones only permit some of them
                setattr(arguments, name, value)
        return Asked(arguments, run, run.header.words, Budget(arguments.budget))

    def _parsed(self, words: Sequence[str]) -> Parsed:
        """Throws Refused if an argument is not allowed with --resume, or if the run is compressed or not of the mode."""
        parser = self.parser()
        arguments, given = parsed(parser, words)
        for action in parser._actions if "resume" in given else ():
            if action.dest in given and action.dest not in (*OF_THE_MACHINE, *self.also) and not (
                    action.dest == "words" and files.is_axis(given["words"])):
                name = action.option_strings[-1] if action.option_strings else f"the {str(action.metavar or action.dest).lower()}"
                raise Refused(f"--resume uses the arguments with which the run was started; leave {name} out")
        if path := given.get("resume"):
            with refusing(f"{path} cannot be read"), files.open_input(path, allows_pipes=False) as file:
                if path.endswith(".gz") or file.read(len(MAGIC)) == MAGIC:
                    raise Refused(f"{path} is compressed and cannot be continued; decompress it first: gunzip {shlex.quote(path)}")
            if (found := read_mode(path)) not in (self.name, None):
                raise Refused(f"{path} is a run of {command(found)}: continue it with {command(found)} --resume {path}")
        return arguments, given


def parsed(parser: Parser, words: Sequence[str]) -> Parsed:
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
