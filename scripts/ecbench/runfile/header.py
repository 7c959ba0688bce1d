"""The header of a run file, and the lines of run files of all versions."""

import dataclasses
import gzip
import os
import pathlib
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, BinaryIO, cast

from ecbench.documents.document import NOT_READ, Json, Key, Whole, fields, list_of, matching, or_null, read, words
from ecbench.files.inputs import open_input, open_regular
from ecbench.point.point import Planned
from ecbench.runfile.environment import Environment, Machine
from ecbench.terminal.console import Refused, refusing

RENAMED = ("sweep", "contenders")  # until 1.0, modes of their own for experiments


def mode_of(header: Json) -> str:
    """The header of an old run has no key "mode"."""
    mode = header.get("mode", "run")
    return "run" if mode in RENAMED else mode


# The conditions of the measurements, and the planned points.

MOST_REPETITIONS = 1000
Seconds = Annotated[float, Key(least=0.001, most=86400)]
ENTRY = fields({"id": str, "point": object}, {"chunk_size": Whole | None, "padding_percent": float | None, "group": str,
                                              "library": str, "name": str})
TABLE = fields(dict.fromkeys(("rows", "columns", "cells"), list[str]), {"profiles": list[str]})
EXPERIMENT = fields({}, {"title": str, "question": words("select", "change", "none"), "candidate": list[str],
                         "reference": dict[str, str], "table": or_null(TABLE), "view": words("bars"), "together": list[str],
                         "figure": words("gb_per_s", "objects_per_s", "p50", "p95", "p99")})
PLAN = fields({"points": list_of(ENTRY)}, {"mode": str})


# A new file of --from would otherwise be in a directory that the run names.
file_name = matching(re.compile("[^/]*"), "the name of a file, without /")
time = matching(re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "a time, such as 2026-11-21T05:00:00Z")


@dataclasses.dataclass
class Reason:
    """Why combinations of axes are dropped."""

    why: str
    count: Annotated[int, Key("Number of combinations that are left out for this reason.", least=1)]
    example: str  # the first


@dataclasses.dataclass(frozen=True)
class Options:
    """The options for the measuring processes. Those that an old run lacks are 0, empty or None."""

    min_time: Seconds = 0  # total duration of the samples in each measurement, in seconds
    timeout: Seconds = 0  # seconds after which a process is killed
    # A point with n threads uses the first n.
    cpus: Annotated[Sequence[Annotated[int, Key(least=0, most=1 << 16)]], Key(fewest=1)] = ()
    limit: bool | None = None  # whether each measurement also measures the roofline


@dataclasses.dataclass(kw_only=True)
class Header:
    json: Json  # as it is stored
    points: Annotated[list[Planned], NOT_READ] = dataclasses.field(default_factory=list)
    mode: Annotated[str, NOT_READ] = ""
    format: str = ""
    run: Annotated[str, Key(check=file_name)]  # the name of the run
    words: list[str] = dataclasses.field(default_factory=list)  # arguments of the mode, for --resume
    grid: str
    seed: Whole
    repetitions: Annotated[int, Key(least=1, most=MOST_REPETITIONS)]
    order: str
    options: Options
    started: Annotated[str, Key(check=time)]
    host: str = "not recorded"
    machine: Machine
    environment: Environment
    dropped: list[Reason]
    merged: Whole = 0
    # Keys that some modes add.
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    counts: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)  # id → what a repair reads, without a measurement
    experiment: Annotated[Json, Key(check=EXPERIMENT)] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, json: Json) -> "Header":
        """Without its points. Throws Unlike."""
        PLAN(json)
        header = read(cls, json)
        header.mode = mode_of(json)
        return header


# Reads the lines of run files, which are uncompressed (.jsonl) or compressed with gzip (.jsonl.gz). ecbench writes only
# uncompressed run files, because each line must be on disk before the next measurement begins.

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
    with refusing(f"{path} cannot be read"), open_regular(path) as file:
        return has_gzip_name(path) or file.read(len(MAGIC)) == MAGIC


def stem_of(path: str | os.PathLike[str]) -> str:
    """The file's name without .jsonl or .jsonl.gz."""
    return pathlib.Path(str(path).removesuffix(".gz")).stem


def paths_of(given: Iterable[str | os.PathLike[str]]) -> list[pathlib.Path]:
    """The given run files, and those of the given directories and their subdirectories. If a directory contains NAME.jsonl and
    NAME.jsonl.gz, only NAME.jsonl is returned. Throws Refused if a directory has no run file."""
    found = []
    for path in map(pathlib.Path, given):
        plain = set(path.rglob("*.jsonl")) if path.is_dir() else {path}
        inside = sorted(plain | {each for each in path.rglob("*.jsonl.gz") if each.with_suffix("") not in plain})
        if not inside:
            raise Refused(f"{path} has no run file, NAME.jsonl or NAME.jsonl.gz: give a directory that has one")
        found += inside
    return found
