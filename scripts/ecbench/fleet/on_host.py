"""ecbench fleet on-host DIRECTORY MODE WORD...: the Ansible role calls this command on each host. The command starts the mode
detached from the connection, or checks the mode that an earlier call started. Then it waits for some time, and prints the mode's
state as one line of JSON. A call may be repeated at any time: a running mode is not started again, a finished mode is not repeated,
and an interrupted mode is resumed (gate begins again). The mode's process and the process that waits for its exit code hold the
lock of the directory. If the lock is free, the mode has ended, for whatever reason."""

import argparse
import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ecbench.installation.places import PROGRAM, SCRIPTS, SOURCE
from ecbench.process.children import Child
from ecbench.terminal.arguments import Parser, cpu_list, whole
from ecbench.terminal.console import Refused

LAST_BYTES = 1 << 16  # last_line() reads only this many bytes at the end of a file
WRONG_BYTES = 2  # exit code
WITHOUT_RESUME = ("gate",)  # modes that begin again after an interruption


@dataclasses.dataclass(frozen=True)
class State:
    state: str  # new | running | done | failed
    reason: str = ""  # one line; only for failed
    exit_code: int | None = None  # of the mode; None if it did not end by itself
    bytes: int = 0  # of the run file; only for done
    hostname: str = socket.gethostname().partition(".")[0]  # as in rows


RUNNING = State("running")


@dataclasses.dataclass(frozen=True)
class Folder:
    """The files of one run on this host. The run file has the name of the directory."""

    path: pathlib.Path

    @property
    def lock(self) -> pathlib.Path:
        return self.path / "lock"

    @property
    def run_file(self) -> pathlib.Path:
        return self.path / f"{self.path.name}.jsonl"

    @property
    def started(self) -> pathlib.Path:
        """A file that contains the value of --call from the last start of the mode."""
        return self.path / "started"

    @property
    def ended(self) -> pathlib.Path:
        """A file with the exit code; it exists only if the mode ended by itself."""
        return self.path / "ended"

    @property
    def messages(self) -> pathlib.Path:
        """The stderr of the mode."""
        return self.path / "messages.log"

    @property
    def printed(self) -> pathlib.Path:
        """The stdout of the mode."""
        return self.path / "printed.txt"


def make_parser() -> Parser:
    parser = Parser(mode="fleet on-host", description="Starts a mode in the background, unless an earlier call has started it. "
                    "Then prints the state of the mode. The Ansible role calls this command.")
    add = parser.add_argument
    add("word", choices=["on-host"], metavar="on-host")
    add("--look", action="store_true", help="only print the state")
    add("--remove", action="store_true", help="remove DIRECTORY; if the host has no other run, also remove the bundles")
    add("--call", default=secrets.token_hex(8), metavar="WORD",
        help="a word that is the same in all calls of one fleet command; a mode that failed is started again only if WORD "
             "is not the WORD of its last start")
    add("--wait", type=whole(0, 3600), default=0, metavar="SECONDS", help="the longest wait for the end of the mode (default 0)")
    add("--cpus", type=cpu_list, metavar="LIST", help="the CPUs that the mode may use, such as 1 or 0,2-3 (default: all)")
    add("--nice", type=whole(0, 19), default=10, metavar="N", help="the niceness of the mode (default 10)")
    add("folder", metavar="DIRECTORY", help="the directory of the run; the run file is named after this directory")
    add("mode_words", nargs=argparse.REMAINDER, metavar="MODE WORD")
    return parser


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused."""
    arguments = make_parser().parse_args(words)
    if not arguments.mode_words and not arguments.look and not arguments.remove:
        raise Refused("fleet on-host needs a mode after the directory, such as: fleet on-host DIRECTORY tune k=4 m=2")
    return arguments


def run(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    if arguments.remove:
        remove(Folder(pathlib.Path(arguments.folder).absolute()))
        return 0
    print(json.dumps(dataclasses.asdict(step(arguments))))
    return 0


def step(arguments: argparse.Namespace) -> State:
    """Throws Refused and OSError."""
    folder = Folder(pathlib.Path(arguments.folder).absolute())
    if arguments.look and not folder.path.exists():
        return State("new")
    try:
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(folder, 0 if arguments.look else arguments.wait) as lock:
            if lock is None:
                return RUNNING
            found = state_of(folder, arguments.mode_words)
            if arguments.look or found.state == "done" or text_of(folder.started) == arguments.call:
                return found
            start(folder, arguments, lock)
        with locked(folder, arguments.wait) as lock:
            return RUNNING if lock is None else state_of(folder, arguments.mode_words)
    except OSError as error:
        return State("failed", f"{folder.path}: {error.strerror}")


def remove(folder: Folder) -> None:
    """Removes the run. If no other run is left, also removes the bundles and the state of ecbench. Throws OSError, and Refused if
    the mode still runs."""
    runs = folder.path.parent
    if runs.name != "runs" or not folder.path.exists():
        return
    with locked(folder, 0) as lock:
        if lock is None:
            raise Refused(f"{folder.path} was not removed: the mode still runs; wait until it has ended")
        shutil.rmtree(folder.path)
    if not any(runs.iterdir()):
        for name in ("runs", "bundles", "state"):
            shutil.rmtree(runs.parent / name, ignore_errors=True)
        with contextlib.suppress(OSError):  # rmdir() fails if the directory has other files, which are kept
            runs.parent.rmdir()


class TimeIsUp(Exception):
    pass


def time_is_up(_number: int, _frame: FrameType | None) -> None:
    raise TimeIsUp


@contextlib.contextmanager
def locked(folder: Folder, seconds: int) -> Iterator[int | None]:
    """Yields the descriptor of the lock; None if another process still holds the lock after `seconds`. This process waits in the
    kernel, so that it does not disturb the measurement."""
    descriptor = os.open(folder.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield descriptor if wait_for(descriptor, seconds) else None
    finally:
        os.close(descriptor)


def wait_for(descriptor: int, seconds: int) -> bool:
    signal.signal(signal.SIGALRM, time_is_up)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    try:
        signal.alarm(seconds)
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if seconds else fcntl.LOCK_NB))
        return True
    except (TimeIsUp, BlockingIOError):
        return False
    finally:
        signal.alarm(0)


def state_of(folder: Folder, words: list[str]) -> State:
    """The state of a run whose lock is free."""
    if not folder.started.exists():
        return State("new")
    if is_finished(folder.run_file):
        return State("done", exit_code=exit_code_of(folder), bytes=folder.run_file.stat().st_size)
    code = exit_code_of(folder)
    if code is None:
        full = ", and the file system is full" if os.statvfs(folder.path).f_bavail == 0 else ""
        return State("failed", f"the processes were killed{full}")
    said = last_line(folder.messages).removeprefix("ecbench: ")
    mode = words[0] if words else "the mode"
    return State("failed", said or f"{mode} had exit code {code} without a message", code)


def exit_code_of(folder: Folder) -> int | None:
    text = text_of(folder.ended)
    return int(text) if text and text.lstrip("-").isdigit() else None


def text_of(path: pathlib.Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return None


def last_line(path: pathlib.Path) -> str:
    """The last line of a file, without empty lines; "" if there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def is_finished(path: pathlib.Path) -> bool:
    """Whether the last record of a run file is the end record. A run of gate ab is also finished if it found wrong bytes."""
    try:
        record: Any = json.loads(last_line(path))
    except ValueError:
        return False
    return isinstance(record, dict) and (record.get("record") == "end" or
                                         (record.get("record") == "broken_off" and record.get("exit_code") == WRONG_BYTES))


def start(folder: Folder, arguments: argparse.Namespace, lock: int) -> None:
    """Starts the mode in a new session, so that it continues when the connection ends. The mode inherits the lock."""
    folder.ended.unlink(missing_ok=True)
    folder.started.write_text(arguments.call, "utf-8")
    command = command_of(folder, arguments.mode_words)
    if os.fork():
        return
    code = 1
    try:
        os.setsid()
        code = supervise(folder, arguments, lock, command)
    finally:
        os._exit(code)


def command_of(folder: Folder, words: list[str]) -> list[str]:
    """The command that continues the run. It begins a new run if the mode has no --resume, or if the run file has no complete
    header and therefore no results."""
    path = folder.run_file
    front = [sys.executable, "-E", "-s", str(SCRIPTS / "mode.py")] if SOURCE else [str(PROGRAM)]
    if words[0] not in WITHOUT_RESUME and has_header(path):
        return [*front, words[0], "--resume", str(path)]
    path.unlink(missing_ok=True)
    return [*front, *words, "--output", str(path)]


def has_header(path: pathlib.Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.readline().endswith(b"\n")
    except FileNotFoundError:
        return False


def supervise(folder: Folder, arguments: argparse.Namespace, lock: int, command: list[str]) -> int:
    """Runs the mode and records its exit code. Closes the pipes of the connection, because the connection would otherwise wait for
    this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.nice(arguments.nice)
    if arguments.cpus:
        os.sched_setaffinity(0, arguments.cpus)
    state = folder.path.parent.parent / "state"  # files that ecbench keeps between runs; remove() removes them
    variables = {**os.environ, "XDG_STATE_HOME": str(state), "ECBENCH_INSTALL": "no"}
    with open(folder.messages, "wb") as messages, open(folder.printed, "wb") as printed:
        code = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=messages, env=variables,
                                pass_fds=[lock], cwd=folder.path).wait()
    ended = folder.ended.with_suffix(".part")
    ended.write_text(str(code), "utf-8")
    os.replace(ended, folder.ended)
    return 0
