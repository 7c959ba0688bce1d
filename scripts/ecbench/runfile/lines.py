"""Reads the lines of run files, which are uncompressed (.jsonl) or compressed with gzip (.jsonl.gz). ecbench writes only
uncompressed run files, because each line must be on disk before the next measurement begins."""

import gzip
import os
import pathlib
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from ecbench.files.input_file import open_input, open_regular
from ecbench.terminal.console import Refused

MOST_BYTES = 256 << 20  # the largest size of a run file, after decompression
MOST_BYTES_OF_LINE = 32 << 20  # a header has about 350 bytes per point, so 90,000 points fit
MOST_VALUES = 16_000_000  # of a run file: [] has 2 bytes, but needs 64 bytes of memory; stored runs have 8 bytes per value or more
MAGIC = b"\x1f\x8b"  # first two bytes of a gzip file (RFC 1952, section 2.3.1); no JSON begins with these bytes


def read_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yields the lines of a file or pipe; there is at least one. If the content begins with MAGIC, it is decompressed. Throws
    Refused. A file with more than MOST_BYTES after decompression is refused when so many bytes have been read."""
    try:
        with open_input(path) as file:
            first = file.peek(len(MAGIC))[:len(MAGIC)]
            if first != MAGIC and first and has_gzip_name(path):
                raise Refused(f"{path} is not a gzip file, although its name ends in .gz; give a file that gzip wrote, or remove "
                              ".gz from the name")
            yield from limited(path, cast(BinaryIO, gzip.GzipFile(fileobj=file)) if first == MAGIC else file)
    except EOFError as error:
        raise Refused(f"{path} cannot be decompressed: the file is cut off; copy it again") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Refused(f"{path} cannot be decompressed: {error}; copy it again") from error
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error


def limited(path: str | os.PathLike[str], file: BinaryIO) -> Iterator[bytes]:
    total = values = 0
    while line := file.readline(MOST_BYTES_OF_LINE + 1):
        total += len(line)
        if total > MOST_BYTES:
            raise Refused(f"{path} is larger than {MOST_BYTES >> 20} MiB, the limit for a run file")
        if len(line) > MOST_BYTES_OF_LINE:
            raise Refused(f"{path} has a line with more than {MOST_BYTES_OF_LINE >> 20} MiB, the limit for a line of a run file")
        values += sum(map(line.count, b"[{,"))
        if values > MOST_VALUES:
            raise Refused(f"{path} has more than {MOST_VALUES} JSON values, the limit for a run file")
        yield line
    if not total:
        raise Refused(f"{path} is empty; a run file must begin with a header")


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
