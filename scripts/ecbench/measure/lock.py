"""Ensures that only one program measures on a machine at a time, since two measurements would disturb each other. The lock is
made by flock() on a directory that every system has. Such a lock creates no file, works for all users, and is released when its
process ends."""

import contextlib
import fcntl
import os
import pathlib
import pwd
import re
import sys
import time
from collections.abc import Callable, Iterator

from ecbench.installation.places import FRONT
from ecbench.measure.budget import Budget
from ecbench.process.children import Child
from ecbench.terminal.console import Refused
from ecbench.terminal.progress import Waiting

SECONDS_BETWEEN_TRIES = 0.1
LONGEST_COMMAND = 60  # characters of the other program's command that are printed


@contextlib.contextmanager
def machine_lock(child: Child, budget: Budget | None = None) -> Iterator[None]:
    """Waits while another program has the lock; the wait does not count towards the budget. If the environment variable
    ECBENCH_LOCK_DIR is set, it contains the path of the directory that is locked. Throws Refused and children.Interrupted."""
    path = folder()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Refused(f"{path}, the directory for the lock of measurements, cannot be opened: {error.strerror}; "
                      "ECBENCH_LOCK_DIR must name a directory that you can read") from error
    try:
        try:
            waited = wait_for(descriptor, child.check)
        except OSError as error:
            raise Refused(f"{path} cannot be locked: {error.strerror}") from error
        if budget:
            budget.leave_out(waited)
        yield
    finally:
        os.close(descriptor)


def wait_for_machine(child: Child) -> None:
    """Waits until no other program measures on this machine."""
    with machine_lock(child):
        pass


def wait_for(descriptor: int, check: Callable[[], None]) -> float:
    """Locks the directory. Returns the seconds of the wait."""
    begin = time.monotonic()
    waiting: Waiting | None = None
    try:
        while not is_locked(descriptor):
            waiting = waiting or Waiting(sys.stderr, f"{holder(descriptor)}, which measures on this machine")
            waiting.update()
            check()
            time.sleep(SECONDS_BETWEEN_TRIES)
        return time.monotonic() - begin if waiting else 0.0
    finally:
        if waiting:
            waiting.close()


def is_locked(descriptor: int) -> bool:
    """Tries to lock the directory."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def folder() -> str:
    """The directory that is locked. All users of a machine get the same directory, unless ECBENCH_LOCK_DIR is set."""
    return os.environ.get("ECBENCH_LOCK_DIR") or ("/run/lock" if os.access("/run/lock", os.R_OK) else "/tmp")


def holder(descriptor: int) -> str:
    """The command, the number and the user of the process that holds the lock, as text for a message. The kernel does not show, for
    example, a process of another container."""
    status = os.fstat(descriptor)
    locked = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        locks = pathlib.Path("/proc/locks").read_text("ascii")
        match = re.search(rf"^\d+: FLOCK +ADVISORY +WRITE +([1-9]\d*) {locked} ", locks, re.MULTILINE)
        if match:
            return f"{command_of(match[1])} (process {match[1]} of {user_of(match[1])})"
    except OSError:
        pass
    return "another program"


def command_of(process: str) -> str:
    """bench.sh and its arguments if the process runs a mode, otherwise its command line."""
    words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
    text = re.sub(r"^\S*python\S* (-\S+ )*\S*/mode\.py", FRONT, " ".join(words).strip())
    return text if len(text) <= LONGEST_COMMAND else f"{text[:LONGEST_COMMAND]}..."


def user_of(process: str) -> str:
    number = os.stat(f"/proc/{process}").st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
