"""ecbench fleet on-host DIRECTORY MODE WORD...: the Ansible role calls this command on each host. The command starts the mode
in the background, unless an earlier call has started it. Then the command waits until the mode has ended, but at most for the time
of --wait. Then it prints the state of the mode as one line of JSON. A call may be repeated at any time. A mode that is running or
finished is not started again. An interrupted mode is resumed if the value of --call is new; gate begins again instead. The
mode holds the lock of the directory. A second process, which waits for the exit code of the mode, also holds this lock. If the lock
is free, the mode is not running."""

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
WITHOUT_RESUME = ("gate",)  # modes that cannot be resumed; they begin again after an interruption


@dataclasses.dataclass(frozen=True)
class State:
    state: str  # new | running | done | failed
    reason: str = ""  # why the mode failed, in one line; empty if it has not failed
    exit_code: int | None = None  # exit code of the mode; None if the mode has not ended by itself
    bytes: int = 0  # size of the run file; 0 if the state is not done
    hostname: str = socket.gethostname().partition(".")[0]  # the host's name, as in rows


RUNNING = State("running")


@dataclasses.dataclass(frozen=True)
class Folder:
    """The files of one run on this host. The run file is named after the directory."""

    path: pathlib.Path

    @property
    def lock(self) -> pathlib.Path:
        return self.path / "lock"

    @property
    def run_file(self) -> pathlib.Path:
        return self.path / f"{self.path.name}.jsonl"

    @property
    def started(self) -> pathlib.Path:
        """The path of a file that contains the --call value of the command that last started the mode."""
        return self.path / "started"

    @property
    def ended(self) -> pathlib.Path:
        """The path of a file that contains the exit code of the mode. The file exists only after the mode has ended."""
        return self.path / "ended"

    @property
    def messages(self) -> pathlib.Path:
        """The path of a file that contains the stderr of the mode."""
        return self.path / "messages.log"

    @property
    def printed(self) -> pathlib.Path:
        """The path of a file that contains the stdout of the mode."""
        return self.path / "printed.txt"


def make_parser() -> Parser:
    parser = Parser(mode="fleet on-host", description="Starts a mode in the background, unless an earlier call has started it. "
                    "Then prints the state of the mode. The Ansible role calls this command.")
    add = parser.add_argument
    add("word", choices=["on-host"], metavar="on-host")
    add("--look", action="store_true", help="only print the state")
    add("--remove", action="store_true", help="remove DIRECTORY; if the host has no other run, also remove the bundles "
                                                  "and the files that ecbench keeps between runs")
    add("--call", default=secrets.token_hex(8), metavar="WORD",
        help="a word that identifies the fleet command; all calls by one fleet command have the same WORD. A mode that failed is "
             "started again only if WORD has changed since the last start of the mode")
    add("--wait", type=whole(0, 3600), default=0, metavar="SECONDS",
        help="wait until the mode has ended, but at most SECONDS (default 0)")
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
    """Starts the mode if necessary, waits, and returns the state of the mode. An OSError is returned as the state failed."""
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
    """Removes the run. If the host has no other run, also removes the bundles and the files that ecbench keeps between runs. Throws
    Refused if the mode still runs, and OSError."""
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
    """Yields the descriptor of the lock; None if another process still holds the lock after `seconds`. This process does
    not poll the lock, but sleeps in the kernel, so that it does not disturb the measurement."""
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
    return State("failed", said or f"{mode} had exit code {code} and printed no message", code)


def exit_code_of(folder: Folder) -> int | None:
    text = text_of(folder.ended)
    return int(text) if text and text.lstrip("-").isdigit() else None


def text_of(path: pathlib.Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return None


def last_line(path: pathlib.Path) -> str:
    """The last line of a file that is not empty; "" if the file has no such line or cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def is_finished(path: pathlib.Path) -> bool:
    """Whether the last record of a run file is the end record. A run of gate ab is also finished if it has stopped because
    of wrong bytes."""
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
    """Returns the command line that starts the mode. The mode resumes the run, if possible. It begins a new run if it has no option
    --resume, or if the run file has no complete header and therefore no results."""
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
    """Runs the mode and records its exit code. Closes the pipes of the connection, because otherwise the connection would
    stay open until this process ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.nice(arguments.nice)
    if arguments.cpus:
        os.sched_setaffinity(0, arguments.cpus)
    state = folder.path.parent.parent / "state"  # directory of the files that ecbench keeps between runs; remove() removes it
    variables = {**os.environ, "XDG_STATE_HOME": str(state), "ECBENCH_INSTALL": "no"}
    with open(folder.messages, "wb") as messages, open(folder.printed, "wb") as printed:
        code = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=messages, env=variables,
                                pass_fds=[lock], cwd=folder.path).wait()
    ended = folder.ended.with_suffix(".part")
    ended.write_text(str(code), "utf-8")
    os.replace(ended, folder.ended)
    return 0
