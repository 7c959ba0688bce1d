"""Reads the lines of run files, which are uncompressed (.jsonl) or compressed with gzip (.jsonl.gz). ecbench writes only
uncompressed run files, because each line must be on disk before the next measurement begins."""

import gzip
import os
import pathlib
import zlib
from typing import BinaryIO

from ecbench.files.input_file import open_input, open_regular
from ecbench.terminal.console import Refused

MAGIC = b"\x1f\x8b"  # first two bytes of a gzip file (RFC 1952, section 2.3.1); no JSON begins with these bytes


def read_lines(path: str | os.PathLike[str]) -> list[bytes]:
    """Returns all lines of a file or pipe. If the content begins with MAGIC, it is decompressed. Throws Refused."""
    try:
        with open_input(path) as file:
            first = file.peek(len(MAGIC))[:len(MAGIC)]
            if first != MAGIC and first and has_gzip_name(path):
                raise Refused(f"{path} is not a gzip file, although its name ends in .gz; give a file that gzip wrote, or remove "
                              ".gz from the name")
            lines = decompressed(path, file) if first == MAGIC else file.readlines()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    if not lines:
        raise Refused(f"{path} is empty; a run file must begin with a header")
    return lines


def decompressed(path: str | os.PathLike[str], file: BinaryIO) -> list[bytes]:
    try:
        return gzip.GzipFile(fileobj=file).readlines()
    except EOFError as error:
        raise Refused(f"{path} cannot be decompressed: the file is cut off; copy it again") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Refused(f"{path} cannot be decompressed: {error}; copy it again") from error


def has_gzip_name(path: str | os.PathLike[str]) -> bool:
    return str(path).endswith(".gz")


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Whether the file is compressed, or has the name of a compressed file. Throws Refused."""
    try:
        with open_regular(path) as file:
            return has_gzip_name(path) or file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error


def stem_of(path: str | os.PathLike[str]) -> str:
    """The file's name without .jsonl or .jsonl.gz."""
    return pathlib.Path(str(path).removesuffix(".gz")).stem


def runs_in(folder: pathlib.Path) -> list[pathlib.Path]:
    """The run files of a directory and its subdirectories. If a directory contains NAME.jsonl and NAME.jsonl.gz, only NAME.jsonl is
    returned."""
    plain = set(folder.rglob("*.jsonl"))
    return sorted(plain | {path for path in folder.rglob("*.jsonl.gz") if path.with_suffix("") not in plain})
