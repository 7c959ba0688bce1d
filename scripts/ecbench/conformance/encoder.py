"""Encodes objects by ecbench and looks at the chunk files: what create, check and hashes have in common."""

import hashlib
import pathlib
import shutil
import tempfile

from ecbench.files.input_file import open_regular
from ecbench.terminal.console import Refused

ONCE = ["--iterations", "1"]  # figures are of no interest here; that all bytes are verified does not depend on it
PERIOD = b"nwlrbbmqbhcdarzowkkyhiddqscdxrjmowfrx"  # the 37 letters that Ceph's tool draws, always the same since it never seeds


def ceph_content(width):
    """The object that Ceph's tool encodes."""
    return (PERIOD * (width // len(PERIOD) + 1))[:width]


class TemporaryFolder:
    """A folder that is gone whatever ends the block; in `parent`, so that what is made there can be moved into it."""

    def __init__(self, parent=None):
        self._parent = parent

    def __enter__(self):
        try:
            self.path = pathlib.Path(tempfile.mkdtemp(prefix=".ecbench-conformance-", dir=self._parent))
        except OSError as error:
            raise Refused(f"{self._parent or tempfile.gettempdir()} takes no new folder: {error.strerror}") from error
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def encode(program, words, content, chunks=None):
    """Encodes the file `content`, into the folder `chunks` if it is given; returns the Outcome."""
    written = ["--chunks-out", str(chunks)] if chunks is not None else []
    return program.measure([*words, "--input", str(content), *written, *ONCE])


def chunk_names(folder):
    """The files of a folder that are named like chunks, in the order of their numbers."""
    return sorted((path.name for path in folder.iterdir() if path.name[:1].isdigit()), key=lambda name: (len(name), name))


def digest(path):
    """SHA-256 of a regular file in hexadecimal digits. Throws OSError."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
