"""Controls one process of `ecbench --serve-slices`, which prepares a point and runs slices of it on command. Every failure throws
an exception with a message of one line. The process is ended at the end of the `with` block."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from typing import Any, BinaryIO, NoReturn

from ecbench.gate.sides.sides import Side
from ecbench.measure.ecbench import lines_said, one_line
from ecbench.process.children import Child
from ecbench.terminal.console import Refused, WrongBytes

PROTOCOL = "ecbench slices 1"
SECONDS_TO_ANSWER = 120.0  # timeout for an answer: about 1000 times the longest expected time
SECONDS_TO_END = 5.0
SECONDS_BETWEEN_CHECKS = 0.2  # while waiting for an answer, checks for signals at this interval
HELLO_KEYS = {"protocol": str, "k": int, "m": int, "chunk_count": int, "chunk_size_bytes": int, "stripes": int,
              "object_bytes_per_iteration": int, "arena_bytes": int, "chunks_digest": str}


class SliceServer:
    """with SliceServer(side, words, arena, child) as server: ... `words` are options for the point and for the process. `arena` is
    the file descriptor of the shared memory. `child` is the children.Child that handles signals. Throws Refused, WrongBytes and
    children.Interrupted."""

    def __init__(self, side: Side, words: list[str], arena: int, child: Child, timeout: float) -> None:
        self.hello: dict[str, Any] = {}  # the JSON object that the process prints when the point is ready
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
            self._said = tempfile.TemporaryFile(prefix="ecbench-gate-")  # a file, because a pipe might become full
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
            end(self._process)
        if self._said is not None:
            self._said.close()

    def warm(self, iterations: int) -> None:
        self._expect("ok", f"warm {iterations}")

    def time(self, iterations: int) -> tuple[int, int]:
        """Runs the iterations. Returns their wall-clock time and their CPU time, in nanoseconds."""
        wall, cpu = self._numbers("ns", 2, f"time {iterations}")
        return wall, cpu

    def calibrate(self, nanoseconds: int) -> int:
        """Returns the number of iterations that take about this time."""
        return self._numbers("iterations", 1, f"calibrate {nanoseconds}")[0]

    def check(self) -> None:
        answer = self._ask("check")
        if answer.startswith("wrong"):
            raise WrongBytes(f"{self._side}: {one_line(answer.removeprefix('wrong')) or 'wrong bytes'}")
        if answer != "ok":
            self._refuse(f"replied '{one_line(answer)}' to the command 'check'")

    def _expect(self, wanted: str, command: str) -> None:
        answer = self._ask(command)
        if answer != wanted:
            self._refuse(f"replied '{one_line(answer)}' to the command '{command}'")

    def _numbers(self, word: str, count: int, command: str) -> list[int]:
        answer = self._ask(command)
        found, *numbers = answer.split() or [""]
        if found != word or len(numbers) != count or not all(number.isascii() and number.isdigit() for number in numbers):
            self._refuse(f"replied '{one_line(answer)}' to the command '{command}'")
        if not all(int(number) > 0 for number in numbers[:1]):
            self._refuse(f"replied '{one_line(answer)}' to the command '{command}': the first number must not be 0")
        return [int(number) for number in numbers]

    def _ask(self, command: str) -> str:
        assert self._process and self._process.stdin
        try:
            self._process.stdin.write(command.encode() + b"\n")
        except OSError:  # ignored: the process has ended, and _read_line() reports the reason
            pass
        return self._read_line(f"the command '{command}'")

    def _read_hello(self) -> dict[str, Any]:
        line = self._read_line("its start")
        try:
            hello = json.loads(line)
        except (ValueError, RecursionError):
            hello = None
        if not isinstance(hello, dict) or hello.get("protocol") != PROTOCOL:
            self._refuse(f"does not support the protocol '{PROTOCOL}': it printed '{one_line(line)}'")
        for key, kind in HELLO_KEYS.items():
            if not isinstance(hello.get(key), kind):
                self._refuse(f"does not print {key} at its start")
        return hello

    def _read_line(self, what: str) -> str:
        """Returns the next line without its newline. Throws an exception if the line does not arrive. `what` is for the message:
        the command that the process should answer, or its start."""
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
        """Throws an exception that reports how the process ended. Must be called after the process has closed its output. If a
        signal ended the process, the message contains the signal. Otherwise the message contains the last line of stderr, and the
        exit code if it is not 1 or 2."""
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
            self._refuse(f"was ended by signal {-code} ({signal_name(-code)}) after {what}")
        self._refuse(f"ended with exit code {code} after {what}: {why}" if code != 1 else f"failed: {why}")

    def _refuse(self, what: str) -> NoReturn:
        raise Refused(f"{self._side}: its slice server {what}")


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process, even if it does not respond. The process may already have ended."""
    for pipe in filter(None, (process.stdin, process.stdout)):
        pipe.close()
    try:
        os.killpg(process.pid, signal.SIGKILL)  # wait() was not called yet, so no other process can have this id
    except ProcessLookupError:
        pass
    process.wait()


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "without a name"
