"""Opens files that a user names, or that are in a directory that a user names. Opening a FIFO does not wait for a writer. Devices
except /dev/null are refused, since reading them may never end."""

import errno
import io
import os
import stat


def open_input(path: str | os.PathLike[str], allows_pipes: bool = True) -> io.BufferedReader:
    """Opens a regular file for reading bytes. With `allows_pipes`, also opens /dev/null and pipes, such as <(command). A FIFO
    without a writer is treated as an empty file. Throws OSError for other kinds of files."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(descriptor)
    is_stream = stat.S_ISFIFO(status.st_mode) or status.st_rdev == os.stat(os.devnull).st_rdev
    if not stat.S_ISREG(status.st_mode) and not (allows_pipes and is_stream):
        os.close(descriptor)
        why = "it is neither a regular file nor a pipe" if allows_pipes else "it is not a regular file"
        raise OSError(errno.EINVAL, os.strerror(errno.EISDIR) if stat.S_ISDIR(status.st_mode) else why, str(path))
    os.set_blocking(descriptor, True)
    return open(descriptor, "rb")


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Opens a regular file for reading bytes. Throws OSError for anything else."""
    return open_input(path, allows_pipes=False)


def read_text(path: str | os.PathLike[str]) -> str:
    """The UTF-8 text of a file or pipe. Throws OSError and UnicodeDecodeError."""
    with open_input(path) as file:
        return file.read().decode("utf-8")
