"""Speaks with one `ecbench --serve-slices`: a process that has a point ready and runs slices of it when it is told to. Whatever
goes wrong with it is one exception, and it never outlives its `with`."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time

from ecbench.measure.ecbench import lines_said, one_line
from ecbench.terminal.console import Refused

PROTOCOL = "ecbench slices 1"
SECONDS_TO_ANSWER = 120.0  # a thousand times what the slowest should take: who is silent for so long hangs
SECONDS_TO_END = 5.0
SECONDS_BETWEEN_CHECKS = 0.2  # for a signal that has come
HELLO_KEYS = {"protocol": str, "k": int, "m": int, "chunk_count": int, "chunk_size_bytes": int, "stripes": int,
              "object_bytes_per_iteration": int, "arena_bytes": int, "chunks_digest": str}


class WrongBytes(Exception):
    """A side gave back wrong bytes, or other chunks than the other side; one line, exit code 2."""


class SliceServer:
    """with SliceServer(side, words, arena, child) as server: ... `words` are the point and how it is run, `arena` the descriptor of
    the shared memory, `child` the children.Child that knows of signals. Throws Refused, WrongBytes and children.Interrupted."""

    def __init__(self, side, words, arena, child, timeout):
        self.hello = None  # what it says of itself once the point is ready
        self._side = side
        self._words = [*words, *side.codec_words(), "--arena", str(arena)]
        self._arena = arena
        self._child = child
        self._timeout = timeout
        self._process = None
        self._said = None
        self._unread = b""

    def __enter__(self):
        try:
            self._said = tempfile.TemporaryFile(prefix="ecbench-gate-")  # nobody reads it before the end, and a pipe might fill
            self._process = self._side.ecbench(self._child).serve(self._words, self._said, [self._arena])
            self.hello = self._read_hello()
        except OSError as error:
            self.__exit__()
            raise Refused(f"{self._side}: {self._side.program} cannot be run: {error.strerror}") from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process is not None:
            end(self._process)
        if self._said is not None:
            self._said.close()

    def warm(self, iterations):
        self._expect("ok", f"warm {iterations}")

    def time(self, iterations):
        """Nanoseconds on the wall's clock and on the CPU's."""
        return tuple(self._numbers("ns", 2, f"time {iterations}"))

    def calibrate(self, nanoseconds):
        """How many iterations take about so long."""
        return self._numbers("iterations", 1, f"calibrate {nanoseconds}")[0]

    def check(self):
        answer = self._ask("check")
        if answer.startswith("wrong"):
            raise WrongBytes(f"{self._side}: {one_line(answer.removeprefix('wrong')) or 'wrong bytes'}")
        if answer != "ok":
            self._refuse(f"answered '{one_line(answer)}' to check")

    def _expect(self, wanted, command):
        answer = self._ask(command)
        if answer != wanted:
            self._refuse(f"answered '{one_line(answer)}' to {command}")

    def _numbers(self, word, count, command):
        answer = self._ask(command)
        found, *numbers = answer.split() or [""]
        if found != word or len(numbers) != count or not all(number.isascii() and number.isdigit() for number in numbers):
            self._refuse(f"answered '{one_line(answer)}' to {command}")
        if not all(int(number) > 0 for number in numbers[:1]):
            self._refuse(f"saw no time pass: '{one_line(answer)}' to {command}")
        return [int(number) for number in numbers]

    def _ask(self, command):
        try:
            self._process.stdin.write(command.encode() + b"\n")
        except OSError:  # it is gone, and what it said last tells why
            pass
        return self._read_line(command)

    def _read_hello(self):
        line = self._read_line("its start")
        try:
            hello = json.loads(line)
        except (ValueError, RecursionError):
            hello = None
        if not isinstance(hello, dict) or hello.get("protocol") != PROTOCOL:
            self._refuse(f"does not speak the protocol '{PROTOCOL}' but says '{one_line(line)}'")
        for key, kind in HELLO_KEYS.items():
            if not isinstance(hello.get(key), kind):
                self._refuse(f"does not say its {key}")
        return hello

    def _read_line(self, what):
        """The next line, without its end; throws where none comes."""
        deadline = time.monotonic() + self._timeout
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        while b"\n" not in self._unread:
            self._child.check()
            left = deadline - time.monotonic()
            if left <= 0:
                self._refuse(f"did not answer {what} within {self._timeout:g} s")
            if not poll.poll(1000 * min(left, SECONDS_BETWEEN_CHECKS)):
                continue
            piece = os.read(self._process.stdout.fileno(), 65536)
            if not piece:
                self._tell_end(what)
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _tell_end(self, what):
        """It has closed its output: says why, by its exit code and its last words."""
        try:
            code = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._refuse(f"closed its output after {what}")
        self._child.check()
        self._said.seek(0)
        said = lines_said(self._said.read().decode("utf-8", "replace"))
        why = said[-1] if said else "no word"
        if code == 2:
            raise WrongBytes(f"{self._side}: {why}")
        if code < 0:
            self._refuse(f"was ended by signal {-code} ({signal_name(-code)}) after {what}")
        self._refuse(f"ended with exit code {code} after {what}: {why}" if code != 1 else f"refused it: {why}")

    def _refuse(self, what):
        raise Refused(f"{self._side}: its slice server {what}")


def end(process):
    """Whatever it is doing: it has nothing to lose."""
    process.stdin.close()
    process.stdout.close()
    try:
        os.killpg(process.pid, signal.SIGKILL)  # not yet waited for, so that the number is still its own
    except ProcessLookupError:
        pass
    process.wait()


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return "of no name"
