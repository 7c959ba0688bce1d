"""Encodes objects with ecbench and reads the chunk files, for create, check and hashes."""

import contextlib
import hashlib
import pathlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence

from ecbench.files.input_file import open_regular
from ecbench.measure.ecbench import Ecbench, Outcome
from ecbench.terminal.console import Refused

ONCE = ["--iterations", "1"]  # one call is enough: the speed is not used, and all bytes are verified
PERIOD = b"nwlrbbmqbhcdarzowkkyhiddqscdxrjmowfrx"  # Ceph's tool calls rand() without a seed, so its letters are always these


def ceph_content(width: int) -> bytes:
    """The object that Ceph's tool encodes."""
    return (PERIOD * (width // len(PERIOD) + 1))[:width]


@contextlib.contextmanager
def temporary_folder(parent: pathlib.Path | None = None) -> Iterator[pathlib.Path]:
    """A directory that is removed at the end of the block. It is in `parent`, so that its files can be moved there by renaming."""
    try:
        path = pathlib.Path(tempfile.mkdtemp(prefix=".ecbench-conformance-", dir=parent))
    except OSError as error:
        raise Refused(f"a directory cannot be created in {parent or tempfile.gettempdir()}: {error.strerror}") from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def encode(program: Ecbench, words: Sequence[str], content: pathlib.Path, chunks: pathlib.Path | None = None) -> Outcome:
    """Encodes the file `content`. If `chunks` is given, writes the chunks to that directory."""
    written = ["--chunks-out", str(chunks)] if chunks is not None else []
    return program.measure([*words, "--input", str(content), *written, *ONCE])


def chunk_names(folder: pathlib.Path) -> list[str]:
    """The names of the chunk files in a directory, ordered by number."""
    return sorted((path.name for path in folder.iterdir() if path.name[:1].isdigit()), key=lambda name: (len(name), name))


def digest(path: pathlib.Path) -> str:
    """SHA-256 of a regular file in hexadecimal digits. Throws OSError."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
