"""Opens the input files of modes: files that the user names, and files in directories that the user names. A FIFO is opened without
waiting for a writer. All devices except /dev/null are refused, because reading a device may never end."""

import errno
import io
import os
import stat


def open_input(path: str | os.PathLike[str], allows_pipes: bool = True) -> io.BufferedReader:
    """Opens a regular file in binary mode. With `allows_pipes`, also opens /dev/null and pipes, such as <(command). Reading a FIFO
    without a writer returns no bytes. Throws OSError for other types of files."""
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
    """Opens a regular file in binary mode. Throws OSError if the file cannot be opened or is not a regular file."""
    return open_input(path, allows_pipes=False)


def read_text(path: str | os.PathLike[str]) -> str:
    """Returns the text of a file or pipe. Throws OSError. Throws UnicodeDecodeError if the text is not UTF-8."""
    with open_input(path) as file:
        return file.read().decode("utf-8")
