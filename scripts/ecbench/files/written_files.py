"""Writes the output files of a mode. The paths are checked before the mode measures: a path is refused if it cannot be written, or
if the mode also reads it."""

import contextlib
import os
import pathlib
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping

from ecbench.files.inputs import open_regular
from ecbench.terminal.console import Refused, plain_lines, refusing

Path = str | os.PathLike[str]


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
        with open_regular(path) as existing:
            if mark.encode() in existing.read(4096):
                return
    except FileNotFoundError:
        return
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error
    raise Refused(f"{path} exists and was not written by {program}, so it is not overwritten; choose another path with "
                  f"{option} FILE")
