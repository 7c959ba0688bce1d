"""Controls one process of `ecbench --serve-slices`, which prepares a point and runs slices of it on command."""

import contextlib
import dataclasses
import os
import re
import select
import signal
import subprocess
import time
from typing import BinaryIO, NoReturn

from ecbench.documents.document import Unlike, Whole, read, read_json
from ecbench.gate.sides.sides import Side
from ecbench.measure.ecbench import lines_said, one_line
from ecbench.process.children import Child, kill
from ecbench.terminal.console import Refused, WrongBytes

PROTOCOL = "ecbench slices 1"
SECONDS_TO_ANSWER = 120.0  # timeout for an answer: about 1000 times the longest expected time
SECONDS_TO_END = 5.0
SECONDS_BETWEEN_CHECKS = 0.2  # while waiting for an answer, checks for signals at this interval
SHAPE = ("k", "m", "chunk_count", "chunk_size_bytes", "stripes", "object_bytes_per_iteration", "arena_bytes")


@dataclasses.dataclass(frozen=True)
class Hello:
    """The first line of the process, when the point is ready."""

    protocol: str
    chunks_digest: str
    k: Whole
    m: Whole
    chunk_count: Whole
    chunk_size_bytes: Whole
    stripes: Whole
    object_bytes_per_iteration: Whole
    arena_bytes: Whole
    kernel: str | None = None


class SliceServer:
    """with SliceServer(side, words, arena, child) as server: ... `words`: options for the point and the process. `arena`: the file
    descriptor of the shared memory. Throws Refused, WrongBytes and children.Interrupted."""

    def __init__(self, side: Side, words: list[str], arena: int, child: Child, timeout: float) -> None:
        self.hello: Hello
        self._side = side
        self._words = [*words, *side.codec_words(), "--arena", str(arena)]
        self._arena = arena
        self._child = child
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._said: BinaryIO | None = None
        self._unread = b""

    def __enter__(self) -> "SliceServer":
        try:
            self._said = os.fdopen(os.memfd_create("ecbench-said"), "w+b")  # a file, because a pipe might become full
            self._process = self._side.ecbench(self._child).serve(self._words, self._said, [self._arena])
            self.hello = self._read_hello()
        except OSError as error:
            self.__exit__()
            raise Refused(f"{self._side}: {self._side.program} cannot be run: {error.strerror}") from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            for pipe in filter(None, (self._process.stdin, self._process.stdout)):
                pipe.close()
            kill(self._process)
            self._process.wait()
        if self._said is not None:
            self._said.close()

    def warm(self, iterations: int) -> None:
        self._ask(f"warm {iterations}", "ok")

    def time(self, iterations: int) -> int:
        """Runs the iterations. Returns their wall-clock time in nanoseconds; the server also prints their CPU time."""
        return int(self._ask(f"time {iterations}", "ns ([1-9][0-9]*) [0-9]+")[1])

    def calibrate(self, nanoseconds: int) -> int:
        """The number of iterations that take about this time."""
        return int(self._ask(f"calibrate {nanoseconds}", "iterations ([1-9][0-9]*)")[1])

    def check(self) -> None:
        found = self._ask("check", "ok|wrong(.*)")
        if found[0] != "ok":
            raise WrongBytes(f"{self._side}: {one_line(found[1]) or 'wrong bytes'}")

    def _ask(self, command: str, wanted: str) -> re.Match[str]:
        """`wanted`: a regular expression that the answer must match."""
        assert self._process and self._process.stdin
        with contextlib.suppress(OSError):  # if the process has ended, _read_line() reports why
            self._process.stdin.write(command.encode() + b"\n")
        answer = self._read_line(f"the command '{command}'")
        found = re.fullmatch(wanted, answer)
        if not found:
            self._refuse(f"replied '{one_line(answer)}' to the command '{command}'")
        return found

    def _read_hello(self) -> Hello:
        line = self._read_line("its start")
        try:
            hello = read(Hello, read_json(line))
        except Unlike as unlike:
            self._refuse(f"printed at its start: {unlike}")
        except ValueError:
            self._refuse(f"does not support the protocol '{PROTOCOL}': it printed '{one_line(line)}'")
        if hello.protocol != PROTOCOL:
            self._refuse(f"does not support the protocol '{PROTOCOL}', but '{one_line(hello.protocol)}'")
        return hello

    def _read_line(self, what: str) -> str:
        """The next line without its newline. `what`: for messages, the command that the process should answer, or its start."""
        assert self._process and self._process.stdout
        deadline = time.monotonic() + self._timeout
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        while b"\n" not in self._unread:
            self._child.check()
            left = deadline - time.monotonic()
            if left <= 0:
                self._refuse(f"printed nothing within {self._timeout:g} s after {what}")
            if not poll.poll(1000 * min(left, SECONDS_BETWEEN_CHECKS)):
                continue
            piece = os.read(self._process.stdout.fileno(), 65536)
            if not piece:
                self._tell_end(what)
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _tell_end(self, what: str) -> NoReturn:
        """Reports how the process ended, which has closed its output."""
        assert self._process and self._said
        try:
            code = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._refuse(f"closed its output after {what}")
        self._child.check()
        self._said.seek(0)
        said = lines_said(self._said.read().decode("utf-8", "replace"))
        why = said[-1] if said else "no message"
        if code == 2:
            raise WrongBytes(f"{self._side}: {why}")
        if code < 0:
            name = next((one.name for one in signal.Signals if one == -code), "without a name")
            self._refuse(f"was ended by signal {-code} ({name}) after {what}"
                         f"{self._side.ecbench(self._child).limit_note(-code)}")
        self._refuse(f"ended with exit code {code} after {what}: {why}" if code != 1 else f"failed: {why}")

    def _refuse(self, what: str) -> NoReturn:
        raise Refused(f"{self._side}: its slice server {what}")
