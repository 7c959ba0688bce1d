"""Input files, output files, temporary files, the directory for results, and what a file may contain: no path of a home directory,
nothing to load code from."""

import atexit
import contextlib
import errno
import fcntl
import io
import itertools
import os
import pathlib
import re
import shlex
import shutil
import stat
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ecbench.installation.places import SOURCE
from ecbench.terminal.console import Refused, plain_lines, refusing

Path = str | os.PathLike[str]


def without_home(text: str) -> str:
    """Returns `text` with ~ instead of the path of the home directory. `text` is a path, or a word such as --isal=PATH."""
    name, equals, path = text.partition("=") if not text.startswith("/") else ("", "", text)
    return f"{name}{equals}~{path[len(home()):]}" if home() and path.startswith(home() + "/") else text


def with_home(text: str) -> str:
    """Reverses without_home(): returns `text` with the path of the home directory instead of ~. `text` is a path such as ~/FILE, or
    a word such as --isal=~/DIR."""
    name, equals, path = text.partition("=") if not text.startswith("~") else ("", "", text)
    return f"{name}{equals}{home()}{path[1:]}" if home() and path.startswith("~/") else text


def home() -> str:
    return os.environ.get("HOME", "").rstrip("/")


# Opens the input files of modes: files that the user names, and files in directories that the user names. A FIFO is opened
# without waiting for a writer. All devices except /dev/null are refused, because reading a device may never end.

def open_input(path: Path, allows_pipes: bool = True) -> io.BufferedReader:
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


def check_distinct(paths: Sequence[Path]) -> None:
    """Throws Refused if a file is given twice, by its real path."""
    real = list(map(os.path.realpath, paths))
    if twice := next((path for number, path in enumerate(paths) if real[number] in real[:number]), None):
        raise Refused(f"{twice} is given twice; give each file only once")


def read_text(path: Path) -> str:
    """Returns the text of a file or pipe. Throws OSError. Throws UnicodeDecodeError if the text is not UTF-8."""
    with open_input(path) as file:
        return file.read().decode("utf-8")


# Writes the output files of a mode. The paths are checked before the mode measures: a path is refused if it cannot be written, or
# if the mode also reads it.

def check_writable(files: Mapping[str, Path | None]) -> None:
    """Throws Refused if a file in `files` cannot be written, or is given for two options. `files`: option → path; the path is None
    if the option is not given."""
    taken = {option: path for option, path in files.items() if path is not None}
    for option, path in taken.items():
        folder = os.path.dirname(path) or "."
        if not path or os.path.isdir(path):
            why = "give a file, not a directory"
        elif not os.path.isdir(folder):
            why = f"directory {folder} does not exist"
        elif not os.access(path if os.path.exists(path) else folder, os.W_OK):
            why = "it cannot be written"
        elif any(os.path.realpath(path) == os.path.realpath(other) for kind, other in taken.items() if kind != option):
            why = "the command already uses this file; name another file"
        else:
            continue
        raise Refused(f"{option} {path} is not allowed: {why}")


def check_apart(outputs: Iterable[tuple[str, Path | None]], inputs: Iterable[tuple[str, Path | None]]) -> None:
    """Throws Refused if an output file, or standard output, is also an input file, by its real path. `outputs`, `inputs`: a name
    for messages, such as --json, and a path, or None if there is no such file."""
    read = {os.path.realpath(path): f"{name} {path}" for name, path in inputs if path is not None}
    written = [(f"{option} {path}", path) for option, path in outputs if path is not None]
    for what, path in [*written, ("standard output", "/proc/self/fd/1")]:
        real = os.path.realpath(path)
        if real in read and os.path.isfile(real):
            raise Refused(f"{what} is not allowed: the command would overwrite {read[real]}, which it reads; name another file")


def write(option: str, path: Path, text: str) -> None:
    """Writes in place, since the path can be a FIFO, a mount point, or a file that another program has open. If the disk is full,
    an existing file is unchanged."""
    content = plain_lines(text).encode("utf-8", "backslashreplace")
    is_new = not os.path.lexists(path)
    try:
        # With O_NONBLOCK, open() fails if the path is a FIFO without a reader. Without O_NONBLOCK, open() would wait forever.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        os.set_blocking(descriptor, True)
        with open(descriptor, "wb") as file:
            before = os.fstat(descriptor)
            try:
                if len(content) > before.st_size and stat.S_ISREG(before.st_mode):
                    os.posix_fallocate(descriptor, 0, len(content))
            except OSError:
                file.truncate(before.st_size)
                raise
            file.write(content)
            if stat.S_ISREG(before.st_mode):
                file.truncate()
    except OSError as error:
        if is_new:
            pathlib.Path(path).unlink(missing_ok=True)
        raise Refused(f"{option} {path} cannot be written: {error.strerror}") from error


@contextlib.contextmanager
def working_folder(parent: pathlib.Path, prefix: str) -> Iterator[pathlib.Path]:
    """A directory in `parent`, so that its files can be moved to `parent` by renaming. Makes `parent`. At the end, removes those of
    the directories it has made that are empty. Throws Refused."""
    made = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    try:
        with refusing(f"cannot write to {parent}: a directory cannot be created"):
            parent.mkdir(parents=True, exist_ok=True)
            workshop = tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True)
        with workshop as path:
            yield pathlib.Path(path)
    finally:
        with contextlib.suppress(OSError):  # not empty
            for folder in made:
                folder.rmdir()


def check_replaceable(path: Path, mark: str, program: str, option: str = "--output") -> None:
    """Throws Refused if the file `path` exists, unless it contains `mark`. `program` writes this mark into its files, and may
    replace a file that contains it."""
    try:
        with open_input(path, allows_pipes=False) as existing:
            if mark.encode() in existing.read(4096):
                return
    except FileNotFoundError:
        return
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error
    raise Refused(f"{path} exists and was not written by {program}, so it is not overwritten; choose another path with "
                  f"{option} FILE")


# Finds the directory for runs and results. It is used if no option names a file or directory for them.

def results_folder() -> pathlib.Path:
    """Throws Refused if the directory must be in the home directory of the user, and the user has none. An example is a container
    whose user id is not in /etc/passwd."""
    if folder := os.environ.get("ECBENCH_RESULTS_DIR"):
        return pathlib.Path(folder)
    if SOURCE:
        return SOURCE / "results"
    data = os.environ.get("XDG_DATA_HOME", "")  # a relative path is ignored, as the XDG specification requires
    if data.startswith("/"):
        return pathlib.Path(data) / "ecbench"
    try:
        return pathlib.Path.home() / ".local" / "share" / "ecbench"
    except RuntimeError:
        raise Refused(f"the user with id {os.getuid()} has no home directory for the results: name a file with --output, or set "
                      "HOME or XDG_DATA_HOME to a directory") from None


# The temporary files of a process are in one directory, which the process removes at its end. If the process is killed, the next
# start of a mode removes it: a process holds a lock on its directory, and the kernel releases the lock when the process ends. The
# name contains a digest of the host's name, since the kernel of another host may not see the lock.

HOST = f".ecbench-{zlib.crc32(os.uname().nodename.encode('utf-8', 'surrogateescape')):08x}-"
NAME = re.compile(rf"{re.escape(HOST)}\d+-[a-z0-9_]{{8}}")  # the number of the process, and what mkdtemp() appends

FREE = "; free space in it, or set TMPDIR to a directory that you can write and that has free space"

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC  # how it is opened; refuses a link
_making = threading.Lock()
_numbers = itertools.count()  # of files
_made: list[tuple[str, int, int]] = []  # at most one: path, its locked descriptor, the process that removes the directory


def own_folder() -> str:
    """The directory of this process. Processes that it forks use the same directory. Throws Refused."""
    with _making, refusing(unusable(), FREE):
        while not _made:
            path = tempfile.mkdtemp(prefix=f"{HOST}{os.getpid()}-")
            with contextlib.suppress(FileNotFoundError):  # another start has removed the directory before it was opened
                descriptor = os.open(path, FOLDER)
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
                if os.fstat(descriptor).st_nlink:  # otherwise, another start has removed it before it was locked
                    _made.append((path, descriptor, os.getpid()))
                    atexit.register(remove_own_folder)
                else:
                    os.close(descriptor)
    return _made[0][0]


@contextlib.contextmanager
def new_folder() -> Iterator[pathlib.Path]:
    """Throws Refused."""
    with refusing(unusable(), FREE):
        folder = tempfile.TemporaryDirectory(dir=own_folder(), ignore_cleanup_errors=True)
    with folder as path:
        yield pathlib.Path(path)


def new_file(content: bytes = b"", path: pathlib.Path | None = None) -> pathlib.Path:
    """`path`: in a directory of new_folder(). Throws Refused."""
    path = path or pathlib.Path(own_folder(), f"{os.getpid()}-{next(_numbers)}")
    with refusing(unusable(), FREE):
        path.write_bytes(content)
    return path


def unusable() -> str:
    return f"the temporary directory {os.path.dirname(_made[0][0]) if _made else os.environ.get('TMPDIR') or '/tmp'} cannot be used"


def why_full(message: str) -> str:
    """What to do, if a message says that the disk is full and names a file in the directory of this process; otherwise ""."""
    is_full = _made and _made[0][0] in message and any(os.strerror(number) in message for number in (errno.ENOSPC, errno.EDQUOT))
    return f"{unusable()}: {message}{FREE}" if is_full else ""


def remove_own_folder() -> None:
    """Removes the directory of this process, if it has one."""
    if _made and _made[0][2] == os.getpid():
        path, descriptor, _ = _made.pop()
        remove(path, descriptor)
        os.close(descriptor)


def remove_left_folders() -> None:
    """Removes the directories of this user whose processes have ended."""
    for place in {os.environ.get("TMPDIR") or "/tmp", "/tmp"}:
        with contextlib.suppress(OSError):
            for name in filter(NAME.fullmatch, os.listdir(place)):
                path = os.path.join(place, name)
                with contextlib.suppress(OSError):  # another process has the lock, or the file system has no locks
                    descriptor = os.open(path, FOLDER)
                    try:
                        if os.fstat(descriptor).st_uid == os.geteuid():
                            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                            remove(path, descriptor)
                    finally:
                        os.close(descriptor)


def remove(path: str, folder: int) -> None:
    """Empties it by the descriptor, so that nothing else is emptied if the path now names another directory."""
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except OSError:
            shutil.rmtree(name, ignore_errors=True, dir_fd=folder)
    with contextlib.suppress(OSError):
        os.rmdir(path)


# The words that name a program, a library or a directory from which ecbench loads code. They are taken only from the command
# line and from the environment: a file that came from elsewhere would otherwise run a program. src/test/scripts/loading_test.py
# goes through the options of all modes and the keys of a run file.

OPTIONS = ("--ecbench", "--plugin-dir", "--isal", "--codec-lib")
ANOTHER = ("--ecbench", "--plugin-dir")  # a resumed run may use another one, because its build ids are compared
AXES = ("codec-lib",)
KEYS = ("codec_lib",)  # of a point
PARAMETERS = ("directory",)  # of a profile; ecbench also takes them with the prefix erasure-code-
VARIABLES = ("CEPH_ERASURE_CODE_BENCHMARK", "PLUGIN_DIRECTORY", "PARAMETERS")  # PARAMETERS can have every option of the program
AGAIN = "is not taken from a file, because code is loaded from there"


def split_off(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words without the options in OPTIONS, and all words that name code, quoted for a shell: --ecbench PATH, codec-lib=DIR."""
    kept, found = [], []
    rest = iter(map(with_home, words))
    for word in rest:
        option, equals, value = word.partition("=")
        if option in OPTIONS:
            found.append(f"{option} {shlex.quote(with_home(value) if equals else next(rest, ''))}")
        else:
            kept.append(word)
            pairs = ((part, *part.partition("=")[::2]) for part in word.split())
            found += [part for part, key, values in pairs if key in AXES and set(values.split(",")) - {"none", ""}]
    return kept, list(dict.fromkeys(found))


def is_axis(words: Iterable[str]) -> bool:
    """Whether all words are axes in AXES."""
    return all(part.partition("=")[0] in AXES for word in words for part in word.split())


def lacking(recorded: Iterable[str], given: Sequence[str]) -> list[str]:
    """The words of split_off() that the user has not given again."""
    options = {word.partition(" ")[0] for word in given}
    return [word for word in recorded if word not in given and not {word.partition(" ")[0]} & options & set(ANOTHER)]


def check_points(path: object, points: Iterable[Any], given: Iterable[str], program: str) -> None:
    """Throws Refused if a point loads libraries from a directory that is neither in the words of split_off() that the user gave,
    nor below the directory of the program."""
    values = (shlex.split(word)[-1].removeprefix(f"{AXES[0]}=") for word in given)
    folders = {os.path.realpath(folder) for value in values for folder in value.split(",")}
    own = os.path.join(os.path.dirname(os.path.realpath(program)), "")
    for point in points:
        folder = getattr(point, KEYS[0], None)
        if folder and os.path.realpath(folder) not in folders and not os.path.realpath(folder).startswith(own):
            raise Refused(f"{path}: the directory {folder} of {KEYS[0]} {AGAIN}; if you trust it, give codec-lib={folder}")
