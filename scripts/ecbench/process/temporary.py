"""The temporary files of a process are in one directory, which the process removes at its end. If the process is killed, the next
start of a mode removes it: a process holds a lock on its directory, and the kernel releases the lock when the process ends. The
name contains a digest of the host's name, since the kernel of another host may not see the lock."""

import atexit
import contextlib
import fcntl
import itertools
import os
import pathlib
import re
import shutil
import tempfile
import threading
import zlib
from collections.abc import Iterator
from errno import EDQUOT, ENOSPC

from ecbench.terminal.console import refusing

HOST = f".ecbench-{zlib.crc32(os.uname().nodename.encode('utf-8', 'surrogateescape')):08x}-"
NAME = re.compile(rf"{re.escape(HOST)}\d+-[a-z0-9_]{{8}}")  # the number of the process, and what mkdtemp() appends

FREE = "; free space in it, or set TMPDIR to a directory that you can write and that has free space"

_making = threading.Lock()
_numbers = itertools.count()  # of files
_made: list[tuple[str, int, int]] = []  # at most one: path, its locked descriptor, the process that removes the directory


def own_folder() -> str:
    """The directory of this process. Processes that it forks use the same directory. Throws Refused."""
    with _making, writing():
        while not _made:
            path = tempfile.mkdtemp(prefix=f"{HOST}{os.getpid()}-")
            descriptor = opened(path)
            try_lock(descriptor)
            if os.fstat(descriptor).st_nlink:  # otherwise, another start removed the directory before it was locked
                _made.append((path, descriptor, os.getpid()))
                atexit.register(remove)
            else:
                os.close(descriptor)
    return _made[0][0]


@contextlib.contextmanager
def new_folder() -> Iterator[pathlib.Path]:
    """Throws Refused."""
    with writing():
        folder = tempfile.TemporaryDirectory(dir=own_folder(), ignore_cleanup_errors=True)
    with folder as path:
        yield pathlib.Path(path)


def new_file(content: bytes = b"") -> pathlib.Path:
    """Throws Refused."""
    return write(pathlib.Path(own_folder(), f"{os.getpid()}-{next(_numbers)}"), content)


def write(path: pathlib.Path, content: bytes) -> pathlib.Path:
    """Writes a file in the directory of this process. Throws Refused."""
    with writing():
        path.write_bytes(content)
    return path


def writing() -> contextlib.AbstractContextManager[None]:
    """Throws Refused instead of OSError."""
    return refusing(unusable(), FREE)


def unusable() -> str:
    return f"the temporary directory {os.path.dirname(_made[0][0]) if _made else os.environ.get('TMPDIR') or '/tmp'} cannot be used"


def why_full(message: str) -> str:
    """What to do, if a message says that the disk is full and names a file in the directory of this process; otherwise ""."""
    is_full = _made and _made[0][0] in message and any(os.strerror(number) in message for number in (ENOSPC, EDQUOT))
    return f"{unusable()}: {message}{FREE}" if is_full else ""


def remove() -> None:
    """Removes the directory of this process, if it has one."""
    if _made and _made[0][2] == os.getpid():
        path, descriptor, _ = _made.pop()
        empty_and_close(path, descriptor)


def remove_left() -> None:
    """Removes the directories of this user whose processes have ended."""
    for place in {os.environ.get("TMPDIR") or "/tmp", "/tmp"}:
        with contextlib.suppress(OSError):
            for name in filter(NAME.fullmatch, os.listdir(place)):
                path = os.path.join(place, name)
                with contextlib.suppress(OSError):
                    descriptor = opened(path)
                    if os.fstat(descriptor).st_uid == os.geteuid() and try_lock(descriptor):
                        empty_and_close(path, descriptor)
                    else:
                        os.close(descriptor)


def opened(path: str) -> int:
    """Throws OSError if the path is a link or not a directory."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def try_lock(folder: int) -> bool:
    """False if another process has the lock, or if the file system has no locks."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def empty_and_close(path: str, folder: int) -> None:
    """By the descriptor, so that nothing else is emptied if the path now names another directory."""
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except OSError:
            shutil.rmtree(name, ignore_errors=True, dir_fd=folder)
    with contextlib.suppress(OSError):
        os.rmdir(path)
    os.close(folder)
