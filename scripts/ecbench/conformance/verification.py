"""check: encodes the object in each directory of a corpus, compares the chunks, and decodes losses of chunks."""

import dataclasses
import math
import os
import pathlib
from collections.abc import Sequence
from typing import NoReturn

from ecbench.conformance import folder_name
from ecbench.conformance.encoder import chunk_names, digest, encode
from ecbench.measure.ecbench import Ecbench
from ecbench.process import temporary
from ecbench.terminal.console import Refused, WrongBytes

RIGHT, WRONG, REFUSED = "right", "WRONG", "refused"
ALWAYS = 2  # erasure patterns with at most this number of lost chunks are always decoded; other patterns only if is_cheap()
CHEAP_PATTERNS = 2000
CHEAP_BYTES = 1 << 28  # upper bound for (number of patterns) * (bytes of all n chunks)
NO_ENCODING = folder_name.Encoding("", (), 0)  # for a directory whose name is refused


@dataclasses.dataclass
class Folder:
    path: pathlib.Path
    encoding: folder_name.Encoding = NO_ENCODING
    word: str = RIGHT  # the verdict: RIGHT, WRONG or REFUSED
    why: str = ""  # the reason for the verdict, in one line; empty if the verdict is RIGHT
    chunk_count: int = 0
    same_chunks: int = 0  # number of stored chunks that have the same bytes as the chunks that ecbench computes
    losses: tuple[int, ...] = ()  # numbers of lost chunks, such as 1 and 2, for which all erasure patterns are decoded
    # number of lost chunks → (number of patterns that were decoded to the right bytes, number of all patterns)
    decoded: dict[int, tuple[int, int]] = dataclasses.field(default_factory=dict)

    def refuse(self, why: str) -> None:
        self.word, self.why = REFUSED, why


def find_folders(directory: pathlib.Path) -> list[Folder]:
    """`directory` and those below it that are named plugin=..., or have a file `content`. Throws Refused if there is none."""
    def refuse(error: OSError) -> NoReturn:
        raise Refused(f"{error.filename} cannot be read: {error.strerror}")

    found = [directory] if directory.absolute().name.startswith("plugin=") else []
    for parent, names, files in os.walk(directory, onerror=refuse):
        if "content" in files and pathlib.Path(parent) not in found:
            found.append(pathlib.Path(parent))
        found += [pathlib.Path(parent, name) for name in names if name.startswith("plugin=")]
        names[:] = [name for name in names if not name.startswith(("plugin=", "."))]
    if not found:
        raise Refused(f"{directory} contains no directory plugin=... {folder_name.WIDTH}=...; make one with conformance create")
    return [Folder(path) for path in sorted(found, key=str)]


def describe(folders: Sequence[Folder], program: Ecbench) -> None:
    """Sets `encoding`, `chunk_count` and `losses` of each Folder, with one call of ecbench. Throws Refused."""
    named = []
    for folder in folders:
        try:
            folder.encoding = folder_name.parse(folder.path.absolute().name)
            named.append(folder)
        except Refused as refusal:
            folder.refuse(str(refusal))
    for folder, answer in zip(named, program.describe([folder.encoding.request() for folder in named]), strict=True):
        if answer.refused:
            folder.refuse(answer.refused)
            continue
        folder.chunk_count = answer.chunk_count
        folder.losses = tuple(lost for lost in range(1, answer.m + 1)
                              if is_cheap(folder.chunk_count, lost, answer.chunk_size))


def is_cheap(chunk_count: int, lost: int, chunk_size: int) -> bool:
    patterns = math.comb(chunk_count, lost)
    return lost <= ALWAYS or (patterns <= CHEAP_PATTERNS and patterns * chunk_count * chunk_size <= CHEAP_BYTES)


def check(folder: Folder, program: Ecbench) -> None:
    """Encodes and decodes the object of a directory that describe() has not refused. Sets its verdict."""
    try:
        check_content(folder)
        with temporary.new_folder() as workshop:
            measure(program, folder, workshop, 1)
            compare_chunks(folder, workshop)
        for lost in folder.losses[1:]:
            measure(program, folder, None, lost)
    except Refused as refusal:
        folder.refuse(str(refusal))
    except WrongBytes as wrong:
        folder.word, folder.why = WRONG, str(wrong)
    except OSError as error:
        folder.refuse(f"{error.filename} cannot be read: {error.strerror}")


def check_content(folder: Folder) -> None:
    size = (folder.path / "content").stat().st_size
    if size != folder.encoding.width:
        raise Refused(f"the file 'content' has {size} bytes, but the directory's name has "
                      f"{folder_name.WIDTH}={folder.encoding.width}")


def measure(program: Ecbench, folder: Folder, chunks: pathlib.Path | None, lost: int) -> None:
    """Encodes the object, and decodes every erasure pattern with `lost` lost chunks. Throws Refused and WrongBytes."""
    words = [*folder.encoding.words(), "--workload", "decode", "--erasures", str(lost), "--erasures-generation", "exhaustive"]
    row = encode(program, words, folder.path / "content", chunks)
    folder.decoded[lost] = (row.patterns, row.patterns + row.unrecoverable)


def compare_chunks(folder: Folder, chunks: pathlib.Path) -> None:
    names = [str(position) for position in range(folder.chunk_count)]
    existing = chunk_names(folder.path)
    missing = [name for name in names if name not in existing]
    different = [name for name in names if name in existing and digest(chunks / name) != digest(folder.path / name)]
    foreign = [name for name in existing if name not in names]
    folder.same_chunks = len(names) - len(missing) - len(different)
    if different:
        raise WrongBytes(f"{chunks_text(different)} encoded differently by ecbench")
    if missing:
        raise Refused(f"{chunks_text(missing)} missing")
    if foreign:
        raise Refused(f"the directory contains a file {foreign[0]}, but this code has only chunks 0 to {folder.chunk_count - 1}")


def chunks_text(names: Sequence[str]) -> str:
    return f"chunk {names[0]} is" if len(names) == 1 else f"chunks {', '.join(names)} are"
