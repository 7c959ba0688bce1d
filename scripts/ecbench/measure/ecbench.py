"""Runs the program ecbench: its lists and descriptions, and measurements, each in a new process. The result of a measurement is a
row, or a Failure if the program crashes, refuses the point or does not end."""

import contextlib
import dataclasses
import functools
import json
import math
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from typing import IO, Any, TypeVar

from ecbench.documents.document import Json, Unlike, fields, read, read_json
from ecbench.files.files import new_file, why_full, without_home
from ecbench.installation.places import NOT_A_PROGRAM, PROGRAM, SOURCE
from ecbench.point.point import Description, Plugin, Plugins, Reads, bytes_text
from ecbench.process.process import Child
from ecbench.runfile.header import Environment
from ecbench.runfile.row import WRONG_BYTES, Failure, RowOrFailure, read_printed
from ecbench.terminal.console import Refused, plain

SECONDS_TO_ANSWER = 60  # time limit of commands that measure nothing; --describe gets ten times as much
REQUESTS_AT_ONCE = 20_000  # maximum number of requests for one run of --describe


@dataclasses.dataclass(frozen=True)
class Listing:
    """The output of --list."""

    plugins: list[Plugin]


Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True)
class Ended:
    """A process that has ended."""

    exit_code: int  # -N if signal N ended the process
    stdout: str
    said: list[str]  # lines on stderr

    @property
    def last_word(self) -> str:
        return self.said[-1] if self.said else ""


def of_ecbench(json: Any) -> Environment:
    """A run file may lack the facts about the program, but the output of `ecbench environment` must have them."""
    fields({"shared_objects": object, "ecbench": object})(json)
    return read(Environment, json)


class Ecbench:
    """build/ecbench, or another program with the same options. Because it can be a build of 1.0, commands are called as in 1.0
    (--list). `plugin_directory`: the directory whose plugins are loaded. `timeout`: of any call, in seconds."""

    def __init__(self, program: str, child: Child, plugin_directory: str | os.PathLike[str] | None = None,
                 timeout: float = math.inf):
        self.program = program
        self._timeout = timeout
        self.child = child
        self._limits: pathlib.Path | None = None
        self._directory = ["--erasure-code-dir", str(plugin_directory)] if plugin_directory else []

    def command(self, words: Sequence[str]) -> list[str]:
        return [self.program, *words, *self._directory]

    @functools.cached_property
    def options(self) -> list[str]:
        """The options of the program, without --; of a build without --version --format json, none. Throws Refused."""
        try:
            fields({"options": list[str]})(printed := read_json(self._ask(["--version", "--format", "json"])))
            return printed["options"]
        except Unlike as unlike:
            raise Refused(f"{self.program} --version printed JSON that cannot be used: {unlike}") from unlike
        except ValueError:
            return []

    def run(self, words: Sequence[str], timeout: float | None = None) -> Ended:
        """Runs the program until it ends. Throws Interrupted, OSError and subprocess.TimeoutExpired, and Refused if the temporary
        directory is full."""
        code, stdout, stderr = self.child.run(self.command(words), timeout)
        ended = Ended(code, stdout, lines_said(stderr))
        if code and (full := why_full(ended.last_word)):
            raise Refused(full)
        return ended

    def serve(self, words: Sequence[str], stderr: int | IO[bytes], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
        """The caller controls the process through stdin and stdout. Throws Interrupted and OSError."""
        return self.child.start(self.command([*words, "--serve-slices"]), stderr, descriptors)

    def measure(self, words: Sequence[str], timeout: float | None = None) -> RowOrFailure:
        """Measures a point. Throws only Interrupted, and Refused if the temporary directory is full."""
        words = [*words, "--format", "json"]
        kind, code = "failed", None
        try:
            ended = self.run(words, timeout)
            code, last = ended.exit_code, ended.last_word or "no message"
            if code == 0:
                return read_printed(read_json(ended.stdout))
            kind = "signal" if code < 0 else {1: "refused", 2: WRONG_BYTES}.get(code, kind)
            why = {"signal": f"ended by signal {-code}{self.limit_note(-code)}",
                   "failed": f"exit code {code}: {last}"}.get(kind, last)
        except OSError as error:
            why = f"{self.program} cannot be run: {error.strerror}"
        except subprocess.TimeoutExpired:
            kind, why = "timeout", f"did not end within {timeout:g} s"
        except Unlike as unlike:
            why = f"the row that the program printed cannot be used: {unlike}"
        except ValueError:
            why = f"the output of the program is not JSON: {one_line(ended.stdout) or '(empty)'}"
        # In its paths, ~ replaces the home directory, because run files are published.
        shown = ("~/" + shlex.quote(short[2:]) if (short := without_home(word)) != word and short.startswith("~")
                 else shlex.quote(word) for word in self.command(words))
        return failure(kind, " ".join(shown), why, code)

    def limit_note(self, number: int) -> str:
        """For a process that was ended by this signal: a limit of memory ends a process by SIGKILL, without a word."""
        with contextlib.suppress(Refused):  # of a program that is too old to print its environment
            if number == signal.SIGKILL and (cgroup := self.environment().cgroup) and (limit := cgroup.memory_limit_bytes):
                return f"; memory is limited to {bytes_text(limit)} by a control group: raise the limit, or give a smaller size"
        return ""

    def session_words(self, patience: float | None) -> list[str]:
        """Options of a session, if the build has them: each process takes the roofline from the processes before it, and waits for
        clean samples for at most `patience` seconds. Throws Interrupted."""
        try:
            options = self.options
        except Refused:  # the program does not print its version; the measurement then shows what is wrong
            return []
        if "limit-file" in options and self._limits is None:
            self._limits = new_file()
        words = ["--limit-file", str(self._limits)] if self._limits else []
        return [*words, "--patience", f"{patience:.2g}"] if patience is not None and "patience" in options else words

    def list_plugins(self) -> Plugins:
        listed, = self._read("--list", [self._ask(["--list", "--format", "json"])], lambda json: read(Listing, json))
        return {pathlib.Path(plugin.path).stem.removeprefix("libec_"): plugin for plugin in listed.plugins}

    def environment(self, words: Sequence[str] = ()) -> Environment:
        """The output of --environment. `words`: further arguments, such as --plugin or --cpu."""
        return self._read("--environment", [self._ask(["--environment", *words])], of_ecbench)[0]

    def describe(self, requests: Sequence[Json]) -> list[Description]:
        """The results of --describe for requests such as {"words": [...], "losses": 2}, in the same order. Throws Refused."""
        if any("--dispatch" in request["words"] for request in requests) and not self.options:
            raise Refused(f"{self.program} is too old: it has other names of dispatch levels; build it again")
        described: list[Description] = []
        for begin in range(0, len(requests), REQUESTS_AT_ONCE):
            batch = requests[begin:begin + REQUESTS_AT_ONCE]
            file = new_file("".join(json.dumps(request) + "\n" for request in batch).encode())
            try:
                stdout = self._ask(["--describe", str(file)], timeout=10 * SECONDS_TO_ANSWER)
            finally:
                file.unlink()
            described += self._read("--describe", stdout.splitlines(), Description.read)
            if len(described) != begin + len(batch):
                raise Refused(f"{self.program} --describe printed {len(described) - begin} lines for {len(batch)} requests; "
                              "one line for each request is expected")
        return described

    def show_reads(self, words: Sequence[str]) -> list[Reads]:
        """For each erasure pattern. `words`: the profile, and options that select the patterns. Throws Refused."""
        lines = self._ask(["--show-reads", *words, "--format", "json"]).splitlines()
        return self._read("--show-reads", lines, lambda json: read(Reads, json))

    def _read(self, option: str, lines: Sequence[str], take: Callable[[Any], Value]) -> list[Value]:
        """Parses each line as JSON. `take` reads the value, and throws Unlike. Throws Refused."""
        values: list[Value] = []
        for number, line in enumerate(lines, 1):
            try:
                values.append(take(read_json(line)))
            except Unlike as unlike:
                place = f", line {number}" if len(lines) > 1 else ""
                raise Refused(f"the output of {self.program} {option} cannot be used{place}: {unlike}") from unlike
            except ValueError as error:
                raise Refused(f"the output of {self.program} {option} is not JSON: {one_line(line) or '(empty)'}") from error
        return values

    def _ask(self, words: Sequence[str], timeout: float = SECONDS_TO_ANSWER) -> str:
        """Returns the output of the program. Throws Refused. If the exit code is not 0, Refused contains the program's message."""
        try:
            ended = self.run(words, timeout := min(timeout, self._timeout))
        except OSError as error:
            raise Refused(f"{self.program} cannot be run: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise Refused(f"{self.program} {words[0]} did not end within {timeout:g} s") from error
        if ended.exit_code != 0:
            raise Refused(ended.last_word or f"{self.program} {words[0]} ended with exit code {ended.exit_code} without a message")
        return ended.stdout


def own_program() -> str:
    """The program of this ecbench; a relative path in the root of the sources."""
    return str(PROGRAM.relative_to(SOURCE) if SOURCE and pathlib.Path.cwd() == SOURCE else PROGRAM)


def find_program(path: str | None = None) -> str:
    """`path`, or the program of this ecbench. Throws Refused if this is not an executable file."""
    path = own_program() if path is None else path
    if (found := shutil.which(path)) is None:
        raise Refused(f"{path} {NOT_A_PROGRAM}")
    return found


def failure(kind: str, command: str, why: str, exit_code: int | None = None) -> Failure:
    columns: Json = {"kind": kind, "why": why, "exit_code": exit_code, "command": command}
    return Failure(json=columns, **columns)


def lines_said(stderr: str) -> list[str]:
    return [one_line(line.removeprefix("ecbench: ")) for line in stderr.splitlines() if line.strip()]


def one_line(text: str) -> str:
    return plain(" ".join(text.split()))[:300]
