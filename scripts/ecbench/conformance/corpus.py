"""A corpus of encoded objects: what create, check and hashes do with it."""

import dataclasses
import hashlib
import math
import os
import pathlib
import random
import tempfile
from collections.abc import Iterable, Sequence
from typing import NoReturn

from ecbench.conformance import request
from ecbench.conformance.request import Encoding, possible
from ecbench.files.inputs import open_regular
from ecbench.files.written_files import working_folder
from ecbench.measure.ecbench import Ecbench
from ecbench.point.point import Pairs, profile_words
from ecbench.process import temporary
from ecbench.runfile.row import WRONG_BYTES, Row
from ecbench.terminal.console import Refused, WrongBytes, plain, refusing
from ecbench.terminal.progress import Progress

ONCE = ["--iterations", "1"]  # one call is enough: the speed is not used, and all bytes are verified
# ceph_erasure_code_non_regression fills its object with rand(), without a seed; this is the object's period.
PERIOD = b"nwlrbbmqbhcdarzowkkyhiddqscdxrjmowfrx"


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


# create: encodes an object with each profile. Each encoded object has its own directory, in the layout of
# ceph_erasure_code_non_regression.

def create(directory: pathlib.Path, encodings: Sequence[Encoding], program: Ecbench, force: bool, progress: Progress) -> None:
    """Makes a directory in `directory` for each encoding. Throws Refused if one exists, unless `force`. After an error, complete
    directories are kept."""
    existing = [directory / str(encoding) for encoding in encodings if os.path.lexists(directory / str(encoding))]
    if existing and not force:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise Refused(f"'{existing[0]}' exists already{more}; --force replaces existing directories")
    with working_folder(directory, ".ecbench-conformance-") as workshop:
        for encoding in encodings:
            progress.show(str(encoding))
            make_folder(directory / str(encoding), encoding, workshop, program)
            progress.advance()
    progress.close()


def make_folder(folder: pathlib.Path, encoding: Encoding, workshop: pathlib.Path, program: Ecbench) -> None:
    """Makes the directory `folder` with all its files; only then it replaces one that exists. Throws Refused and WrongBytes."""
    content, new = workshop / "content", workshop / "new"
    with refusing(f"'{folder}' cannot be written"):
        content.write_bytes((PERIOD * (encoding.width // len(PERIOD) + 1))[:encoding.width])
        encode(program, encoding.words(), content, new, str(encoding))
        content.rename(new / "content")
        (new / "manifest.json").unlink(missing_ok=True)  # Ceph's corpus has no manifests: directory names contain the profiles
        if os.path.lexists(folder):
            folder.rename(pathlib.Path(tempfile.mkdtemp(dir=workshop), folder.name))
        new.rename(folder)


# hashes: shows which profiles compute the same coding chunks from the same data. All profiles with the same k encode the same
# object, of a size that none of them pads. Their data chunks are then the same, and coding chunks differ only if the codes do.

MOST_ROUNDS = 1000
MOST_CHUNK = 16 << 20


@dataclasses.dataclass
class Code:
    plugin: str
    parameters: Pairs
    data_count: int = 0  # k
    coding: tuple[str, ...] = ()  # SHA-256 of each coding chunk

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.parameters)

    def __str__(self) -> str:
        parameters = (value if key == "technique" else f"{key}={value}" for key, value in self.parameters)
        return plain(" ".join([self.plugin, *parameters]))


def codes_by_k(profiles: Iterable[tuple[str, Pairs]], program: Ecbench) -> dict[int, list[Code]]:
    """k → its codes. Reports the profiles that ecbench refuses. Throws Refused if none remains."""
    codes = [Code(*profile) for profile in profiles]
    answers = program.describe([{"words": code.words()} for code in codes])
    left = possible(codes, answers)
    for code, answer in zip(codes, answers, strict=True):
        code.data_count = answer.k
    return {k: [code for code in left if code.data_count == k] for k in sorted({code.data_count for code in left})}


def common_chunk_size(codes: Sequence[Code], at_least: int, program: Ecbench) -> int:
    """The smallest chunk size from `at_least` bytes on that no code pads: of the sizes to which the codes round it up, the largest
    is tried next. Throws Refused after MOST_ROUNDS attempts, or above MOST_CHUNK."""
    size = at_least
    for _ in range(MOST_ROUNDS):
        sizes = chunk_sizes(codes, size, program)
        if max(sizes) > MOST_CHUNK:
            break
        if set(sizes) == {size}:
            return size
        size = max(sizes)
    raise Refused(f"no chunk size up to {MOST_CHUNK >> 20} MiB was found that all profiles with k={codes[0].data_count} can use "
                  "without padding; give fewer profiles, another packetsize or a smaller --chunk-size")


def chunk_sizes(codes: Sequence[Code], size: int, program: Ecbench) -> list[int]:
    answers = program.describe([{"words": [*code.words(), "--size", str(size * code.data_count)]} for code in codes])
    for code, answer in zip(codes, answers, strict=True):
        if answer.refused:
            raise Refused(f"{code}: {answer.refused}")
    return [answer.chunk_size for answer in answers]


def encode_all(codes: Sequence[Code], chunk_size: int, program: Ecbench, progress: Progress) -> None:
    """Encodes the same object with each code, and sets the hashes of the coding chunks. Throws Refused and WrongBytes."""
    with temporary.new_folder() as workshop:
        data = random.Random(1).randbytes(chunk_size * codes[0].data_count)
        pieces = [data[begin:begin + chunk_size] for begin in range(0, len(data), chunk_size)]
        content = workshop / "content"
        temporary.write(content, data)
        for number, code in enumerate(codes):
            progress.show(str(code))
            chunks = workshop / str(number)
            encode(program, code.words(), content, chunks, str(code))
            code.coding = tuple(digest(path) for path in coding_files(chunks, pieces))
            progress.advance()
    progress.close()


def coding_files(chunks: pathlib.Path, pieces: Iterable[bytes]) -> list[pathlib.Path]:
    """The files of coding chunks: those without the bytes of a piece of the object. `mapping` can change positions."""
    coding, left = [], list(pieces)
    for name in chunk_names(chunks):
        if left and (chunks / name).read_bytes() == left[0]:
            del left[0]
        else:
            coding.append(chunks / name)
    return coding


# check: encodes the object in each directory of a corpus, compares the chunks, and decodes losses of chunks.

RIGHT, WRONG, REFUSED = "right", "WRONG", "refused"
ALWAYS = 2  # erasure patterns with at most this number of lost chunks are always decoded; other patterns only if is_cheap()
CHEAP_PATTERNS = 2000
CHEAP_BYTES = 1 << 28  # upper bound for (number of patterns) * (bytes of all n chunks)
NO_ENCODING = request.Encoding("", (), 0)  # for a directory whose name is refused


@dataclasses.dataclass
class Folder:
    path: pathlib.Path
    encoding: request.Encoding = NO_ENCODING
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
        raise Refused(f"{directory} contains no directory plugin=... {request.WIDTH}=...; make one with conformance create")
    return [Folder(path) for path in sorted(found, key=str)]


def describe(folders: Sequence[Folder], program: Ecbench) -> None:
    """Sets `encoding`, `chunk_count` and `losses` of each Folder, with one call of ecbench. Throws Refused."""
    named = []
    for folder in folders:
        try:
            folder.encoding = request.parse(folder.path.absolute().name)
            named.append(folder)
        except Refused as refusal:
            folder.refuse(str(refusal))
    for folder, answer in zip(named, program.describe([folder.encoding.request() for folder in named]), strict=True):
        if answer.refused:
            folder.refuse(answer.refused)
            continue
        folder.chunk_count = answer.chunk_count
        folder.losses = tuple(lost for lost in range(1, answer.m + 1) if is_cheap(folder.chunk_count, lost, answer.chunk_size))


def is_cheap(chunk_count: int, lost: int, chunk_size: int) -> bool:
    patterns = math.comb(chunk_count, lost)
    return lost <= ALWAYS or (patterns <= CHEAP_PATTERNS and patterns * chunk_count * chunk_size <= CHEAP_BYTES)


def check(folder: Folder, program: Ecbench) -> None:
    """Encodes and decodes the object of a directory that describe() has not refused. Sets its verdict."""
    try:
        if (size := (folder.path / "content").stat().st_size) != (width := folder.encoding.width):
            raise Refused(f"the file 'content' has {size} bytes, but the directory's name has {request.WIDTH}={width}")
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
