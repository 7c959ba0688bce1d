"""Ensures that only one program measures on a machine at a time, since two would disturb each other. The lock is a flock on a file
that is never deleted, and ends with the process that holds it. The file's content is only used in the message to a second
program."""

import fcntl
import os
import pwd
import re
import stat

from ecbench.terminal.console import Refused

NAME = "ecbench-measuring.lock"


class MachineLock:
    """with MachineLock("sweep"): ... throws Refused at once if another program measures. $ECBENCH_LOCK_DIR sets another folder."""

    def __init__(self, mode: str):
        self._mode = mode
        self._descriptor = -1

    def __enter__(self) -> "MachineLock":
        path = os.path.join(folder(), NAME)
        try:
            descriptor = open_lock(path)
        except OSError as error:
            raise Refused(f"{path}, the lock of measurements, cannot be opened: {error.strerror}") from error
        try:
            check_kind(descriptor, path)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            held = holder(descriptor)
            os.close(descriptor)
            raise Refused(f"another program measures on this machine{held}: wait until it has ended, since two would disturb each "
                          "other") from error
        except (OSError, Refused) as error:
            os.close(descriptor)
            raise error if isinstance(error, Refused) else Refused(f"{path} cannot be locked: {error.strerror}") from error
        self._descriptor = descriptor
        sign(descriptor, self._mode)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def folder() -> str:
    """The same folder for all users of a machine: /run/lock if all users may write to it, or else /tmp."""
    if named := os.environ.get("ECBENCH_LOCK_DIR"):
        return named
    try:
        return "/run/lock" if os.stat("/run/lock").st_mode & stat.S_IWOTH else "/tmp"
    except OSError:
        return "/tmp"


def open_lock(path: str) -> int:
    """Opens the file without following links or waiting for a pipe. In a sticky folder the kernel refuses O_CREAT for another
    user's file."""
    safe = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    for _ in range(2):
        try:
            return os.open(path, os.O_RDWR | safe)
        except PermissionError:
            return os.open(path, os.O_RDONLY | safe)  # enough for locking, but the holder's name cannot be written
        except FileNotFoundError:
            pass
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | safe, 0o666)
        except FileExistsError:  # another process has just created it
            continue
        os.fchmod(descriptor, 0o666)  # independent of the umask
        return descriptor
    return os.open(path, os.O_RDWR | safe)


def check_kind(descriptor: int, path: str) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise Refused(f"{path}, the lock of measurements, is not a regular file with one name: remove it")


def sign(descriptor: int, mode: str) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{mode} {os.getpid()} {user()}\n".encode(), 0)
    except OSError:  # opened only for reading
        pass


def user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def holder(descriptor: int) -> str:
    """Text that identifies the holder. Any user may write to the file, so only text of the right form is shown."""
    try:
        text = os.pread(descriptor, 200, 0).decode("ascii", "replace")
    except OSError:
        return ""
    match = re.fullmatch(r"([a-z]+) ([0-9]+) ([A-Za-z0-9_.-]+)\n", text)
    return f" ({match[1]}, process {match[2]} of {match[3]})" if match else ""
