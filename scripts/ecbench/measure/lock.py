"""One sweep or race on a machine at a time, whoever starts it: two that measure at once measure each other. The lock is the
kernel's (flock) on a file that is never deleted; it ends with the process that holds it, however that ends. What the file says is
only for the message that refuses the second one."""

import fcntl
import os
import pwd
import re
import stat

from ecbench.terminal.console import Refused

NAME = "ecbench-measuring.lock"


class MachineLock:
    """with MachineLock("sweep"): ... throws Refused at once if another measures. $ECBENCH_LOCK_DIR names another folder."""

    def __init__(self, mode):
        self._mode = mode
        self._descriptor = None

    def __enter__(self):
        path = os.path.join(folder(), NAME)
        try:
            descriptor = open_lock(path)
        except OSError as error:
            raise Refused(f"{path}, the lock against a second sweep, cannot be opened: {error.strerror}") from error
        try:
            check_kind(descriptor, path)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            held = holder(descriptor)
            os.close(descriptor)
            raise Refused(f"another one measures on this machine{held}: wait for its end, two at once would measure each "
                          "other") from error
        except (OSError, Refused) as error:
            os.close(descriptor)
            raise error if isinstance(error, Refused) else Refused(f"{path} cannot be locked: {error.strerror}") from error
        self._descriptor = descriptor
        sign(descriptor, self._mode)
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)


def folder():
    """The same for all users of a machine: /run/lock where everybody may write there, else /tmp."""
    if named := os.environ.get("ECBENCH_LOCK_DIR"):
        return named
    try:
        everybody = os.stat("/run/lock").st_mode & stat.S_IWOTH
    except OSError:
        everybody = False
    return "/run/lock" if everybody else "/tmp"


def open_lock(path):
    """Never follows a link, nor waits for a pipe. In a sticky folder the kernel lets nobody open another's file with O_CREAT."""
    safe = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    for _ in range(2):
        try:
            return os.open(path, os.O_RDWR | safe)
        except PermissionError:
            return os.open(path, os.O_RDONLY | safe)  # enough to lock; the holder's name is not told then
        except FileNotFoundError:
            pass
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | safe, 0o666)
        except FileExistsError:  # another was quicker
            continue
        os.fchmod(descriptor, 0o666)  # whatever the umask is
        return descriptor
    return os.open(path, os.O_RDWR | safe)


def check_kind(descriptor, path):
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise Refused(f"{path}, the lock against a second sweep, is no file of its own: remove it")


def sign(descriptor, mode):
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{mode} {os.getpid()} {user()}\n".encode(), 0)
    except OSError:  # opened for reading alone
        pass


def user():
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def holder(descriptor):
    """Anybody may write to the file, so that only what has the form of a name is repeated."""
    try:
        text = os.pread(descriptor, 200, 0).decode("ascii", "replace")
    except OSError:
        return ""
    match = re.fullmatch(r"([a-z]+) ([0-9]+) ([A-Za-z0-9_.-]+)\n", text)
    return f" ({match[1]}, process {match[2]} of {match[3]})" if match else ""
