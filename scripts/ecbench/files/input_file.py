"""Opens files that are named by a user, or found in a folder that is. Opening a FIFO for reading waits until another process opens
it for writing, and reading a device may never end."""

import errno
import os
import stat


def open_input(path):
    """For reading bytes: a regular file, /dev/null, or a pipe that another process writes to, as <(command) gives. A FIFO without a
    writer is like an empty file. Throws OSError."""
    return opened(path, is_input, "it is neither a regular file nor a pipe")


def open_regular(path):
    """For reading bytes. Throws OSError for anything but a regular file."""
    return opened(path, lambda status: stat.S_ISREG(status.st_mode), "it is not a regular file")


def is_input(status):
    return stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode) or status.st_rdev == os.stat(os.devnull).st_rdev


def opened(path, allowed, otherwise):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(descriptor)
    if not allowed(status):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EISDIR) if stat.S_ISDIR(status.st_mode) else otherwise, str(path))
    os.set_blocking(descriptor, True)
    return open(descriptor, "rb")


def read_text(path):
    """Of an input in UTF-8. Throws OSError and UnicodeDecodeError."""
    with open_input(path) as file:
        return file.read().decode("utf-8")
