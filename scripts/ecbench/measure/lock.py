"""Ensures that only one program measures on a machine at a time, since two measurements would disturb each other. The lock is
made by flock() on a directory that every system has. Such a lock creates no file, works for all users, and is released when its
process ends."""

import fcntl
import os
import pathlib
import pwd
import re

from ecbench.terminal.console import Refused


class MachineLock:
    """Holds the lock in a `with` block. If another program has the lock, throws Refused immediately. If the environment variable
    ECBENCH_LOCK_DIR is set, it contains the path of the directory that is locked."""

    def __init__(self) -> None:
        self._descriptor = -1

    def __enter__(self) -> "MachineLock":
        path = folder()
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Refused(f"{path}, the directory for the lock of measurements, cannot be opened: {error.strerror}; "
                          "ECBENCH_LOCK_DIR must name a directory that you can read") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            held = holder(descriptor)
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                raise Refused(f"another program measures on this machine{held}: wait until it has ended, because two "
                              "measurements disturb each other") from error
            raise Refused(f"{path} cannot be locked: {error.strerror}") from error
        self._descriptor = descriptor
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def folder() -> str:
    """The directory that is locked. All users of a machine get the same directory, unless ECBENCH_LOCK_DIR is set."""
    return os.environ.get("ECBENCH_LOCK_DIR") or ("/run/lock" if os.access("/run/lock", os.R_OK) else "/tmp")


def holder(descriptor: int) -> str:
    """The number and the user of the process that holds the lock, as text for a message. Returns "" if the kernel does not show
    this process, for example if the process runs in another container."""
    status = os.fstat(descriptor)
    locked = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        locks = pathlib.Path("/proc/locks").read_text("ascii")
        match = re.search(rf"^\d+: FLOCK +ADVISORY +WRITE +([1-9]\d*) {locked} ", locks, re.MULTILINE)
        return f" (process {match[1]} of {user_of(match[1])})" if match else ""
    except OSError:
        return ""


def user_of(process: str) -> str:
    number = os.stat(f"/proc/{process}").st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
