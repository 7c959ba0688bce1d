"""Functions that the commands create, check and hashes use to encode objects with ecbench and to read chunk files."""

import hashlib
import pathlib
from collections.abc import Sequence

from ecbench.files.input_file import open_regular
from ecbench.measure.ecbench import Ecbench
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import WRONG_BYTES
from ecbench.terminal.console import Refused, WrongBytes

ONCE = ["--iterations", "1"]  # one call is enough: the speed is not used, and all bytes are verified
# The letters of ceph_erasure_code_non_regression, which uses rand() without a seed.
PERIOD = b"nwlrbbmqbhcdarzowkkyhiddqscdxrjmowfrx"


def ceph_content(width: int) -> bytes:
    """The object that ceph_erasure_code_non_regression encodes."""
    return (PERIOD * (width // len(PERIOD) + 1))[:width]


def encode(program: Ecbench, words: Sequence[str], content: pathlib.Path, chunks: pathlib.Path | None = None,
           name: str = "") -> Row:
    """Encodes the file `content`. `chunks`: the directory for its chunks. Throws Refused and WrongBytes, with `name` first."""
    written = ["--chunks-out", str(chunks)] if chunks is not None else []
    outcome = program.measure([*words, "--input", str(content), *written, *ONCE])
    if outcome.failure:
        error = WrongBytes if outcome.failure == WRONG_BYTES else Refused
        raise error(f"{name}: {outcome.why}" if name else outcome.why)
    return outcome


def chunk_names(folder: pathlib.Path) -> list[str]:
    """The names of the chunk files in a directory, sorted as numbers: 0, 1, ..., 9, 10, ..."""
    return sorted((path.name for path in folder.iterdir() if path.name[:1].isdigit()), key=lambda name: (len(name), name))


def digest(path: pathlib.Path) -> str:
    """The SHA-256 of a regular file, as hexadecimal digits. Throws OSError."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
