"""Input files, the directory for results, and what a file may contain: no path of a home directory, nothing to load code from."""

import errno
import io
import os
import pathlib
import shlex
import stat
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ecbench.installation.places import SOURCE
from ecbench.terminal.console import Refused


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


def check_distinct(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Throws Refused if a file is given twice, by its real path."""
    real = list(map(os.path.realpath, paths))
    if twice := next((path for number, path in enumerate(paths) if real[number] in real[:number]), None):
        raise Refused(f"{twice} is given twice; give each file only once")


def read_text(path: str | os.PathLike[str]) -> str:
    """Returns the text of a file or pipe. Throws OSError. Throws UnicodeDecodeError if the text is not UTF-8."""
    with open_input(path) as file:
        return file.read().decode("utf-8")


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
    """The words without the options in OPTIONS, and all words of the table, quoted for a shell: --ecbench PATH, codec-lib=DIR."""
    kept, found = [], []
    rest = iter(map(with_home, words))
    for word in rest:
        option, equals, value = word.partition("=")
        if option in OPTIONS:
            found.append(f"{option} {shlex.quote(with_home(value) if equals else next(rest, ''))}")
        else:
            kept.append(word)
            found += axes_in(word)
    return kept, list(dict.fromkeys(found))


def axes_in(word: str) -> list[str]:
    pairs = ((part, *part.partition("=")[::2]) for part in word.split())
    return [part for part, key, values in pairs if key in AXES and set(values.split(",")) - {"none", ""}]


def is_axis(words: Iterable[str]) -> bool:
    """Whether the words are axes of the table only."""
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


def check_variables(recorded: Mapping[str, str], given: Mapping[str, str]) -> None:
    """Throws Refused if the user has not set a variable of the table again."""
    for name in VARIABLES:
        if name in recorded and name not in given:
            raise Refused(f"the run was started with {name}={recorded[name]}, which {AGAIN}; if you trust it, set {name} again")


def variables_in(recorded: Mapping[str, str]) -> list[str]:
    """The variables of the table that a user must set again, quoted for a shell."""
    return [f"{name}={shlex.quote(with_home(recorded[name]))}" for name in VARIABLES if name in recorded]


def check_grid(axes: Mapping[str, Sequence[Any]]) -> None:
    """Throws Refused if the grid of a file has an axis of the table; codec-lib=built is the ISA-L next to the program."""
    for key, values in axes.items():
        if key in AXES and tuple(values) != ("built",):
            raise Refused(f"{key}= {AGAIN}; give it as a word, next to the name of the grid")
