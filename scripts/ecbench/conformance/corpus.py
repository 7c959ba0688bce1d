"""A corpus of encoded objects: the names of its directories, and what create, check and hashes do with it."""

import argparse
import dataclasses
import hashlib
import itertools
import math
import os
import pathlib
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from ecbench.documents.document import Json
from ecbench.experiment.expansion import Dropped, profiles
from ecbench.experiment.experiment import read_experiment
from ecbench.files.files import AGAIN, PARAMETERS, new_file, new_folder, open_input, working_folder
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import OPTIONS, Language
from ecbench.point.point import Description, Pairs, Plugins, profile_words
from ecbench.runfile.row import WRONG_BYTES, Row
from ecbench.terminal.console import Progress, Refused, WrongBytes, plain, refusing, say

WIDTH = "stripe-width"
OLD_WIDTH = "stipe-width"  # the spelling of Ceph 0.85, which Ceph's published corpus still contains


@dataclasses.dataclass(frozen=True)
class Encoding:
    """Describes the object in a directory: the profile with which it is encoded, and its size."""

    plugin: str
    parameters: Pairs  # in the same order as in the name of the directory
    width: int  # bytes of the object

    def __str__(self) -> str:
        return " ".join([f"plugin={self.plugin}", f"{WIDTH}={self.width}", *(f"{key}={value}" for key, value in self.parameters)])

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.parameters)

    def request(self) -> Json:
        """The request for ecbench describe."""
        return {"words": [*self.words(), "--size", str(self.width)]}


def make_encoding(plugin: str, parameters: Iterable[tuple[str, str]], width: int) -> Encoding:
    """Throws Refused if parse() would not read the same encoding from the directory's name."""
    encoding = Encoding(plugin, tuple(parameters), width)
    for key, value in (("plugin", plugin), *encoding.parameters):
        if "/" in value or "\0" in value:
            raise Refused(f"{key}={value} is not allowed: it becomes part of a directory's name, which cannot contain /")
    if parse(str(encoding)) != encoding:
        raise Refused(f"'{encoding}' is not allowed as a directory's name, because `conformance check` would read another profile "
                      "from it: put spaces in double quotes")
    if len(str(encoding).encode()) > 255:
        raise Refused(f"'{encoding}' is not allowed: a directory's name has at most 255 bytes")
    return encoding


def parse(name: str) -> Encoding:
    """Reads the encoding from the name of a directory. Throws Refused if a directory of a corpus cannot have this name."""
    def refuse(why: str) -> NoReturn:
        raise Refused(f"'{name}' is not a directory of a corpus: {why}")

    if any("\ud800" <= letter <= "\udfff" for letter in name):  # ecbench gets the words as JSON, which must be UTF-8
        refuse("its name is not UTF-8")
    quoted = name.split('"')  # a space between double quotes separates no words: lrc's parameter `layers` is JSON
    words = '"'.join(part if number % 2 else part.replace(" ", "\0") for number, part in enumerate(quoted)).split("\0")
    pairs = [word.partition("=") for word in words]
    for key, equals, _ in pairs:
        if not key or not equals:
            refuse(f"{key or 'an empty word'} is not key=value")
    keys = [key for key, _, _ in pairs]
    if named := [key for key in keys if key.removeprefix("erasure-code-") in PARAMETERS]:
        refuse(f"{named[0]} {AGAIN}")
    if keys[:1] != ["plugin"] or keys[1:2] not in ([WIDTH], [OLD_WIDTH]):
        refuse(f"its name must begin with plugin=... {WIDTH}=...")
    width = pairs[1][2]
    if not (width.isascii() and width.isdigit() and 0 < int(width[:19]) < 1 << 62 and len(width) < 19):
        refuse(f"{WIDTH}={width} is not a number of bytes from 1 to 10^18 - 1")
    if len(set(keys)) < len(keys):
        refuse(f"{next(key for key in keys if keys.count(key) > 1)} is given twice")
    return Encoding(pairs[0][2], tuple((key, value) for key, _, value in pairs[2:]), int(width))


# The encodings that bench.sh conformance makes: of one profile, with the options of ceph_erasure_code_non_regression, or of a grid.

# The other axes of OPTIONS, such as threads=, are settings of a measurement. conformance measures nothing.
AXES = {"size": OPTIONS["size"]}
MOST_FOLDERS = 10_000


def read_profiles(words: list[str], plugins: Plugins) -> list[tuple[str, Pairs, int | None]]:
    """Plugin, parameters and size (None if not given) of every combination of the grids, without duplicates. Throws Refused."""
    found: dict[tuple[str, Pairs, int | None], None] = {}
    for axes in read_experiment(words, Language(plugins, AXES)).points:
        for (plugin, pairs), size in itertools.product(profiles(axes, plugins, Dropped()), axes.get("size", (None,))):
            found[plugin, pairs, size] = None
            if len(found) > MOST_FOLDERS:
                raise Refused(f"the grid has more than {MOST_FOLDERS} combinations of profile and size: give fewer values")
    if not found:
        raise Refused("the grid is empty: no plugin has the requested profiles")
    return list(found)


def encodings(options: argparse.Namespace, program: Ecbench) -> list[Encoding]:
    """The objects to encode. Profiles of a grid that ecbench refuses are reported and left out. Throws Refused."""
    if options.plugin is None:
        asked = read_profiles(options.grid, program.list_plugins())
    else:
        parts = (word.partition("=") for word in options.parameter)
        asked = [(options.plugin, tuple((key, value) for key, _, value in parts), None)]
    wanted = [make_encoding(plugin, pairs, width) for plugin, pairs, size in asked
              for width in ([size] if size else options.stripe_width or [4096])]
    return possible(wanted, program.describe([encoding.request() for encoding in wanted]), options.plugin is not None)


def possible(wanted: Sequence[Encoding], answers: Sequence[Description], takes_all: bool = False,
             show: Callable[[Encoding], str] = str) -> list[Encoding]:
    """Those of `wanted` that ecbench does not refuse; reports the others, as `show` writes them. `answers`: of ecbench describe.
    Throws Refused if none remains or, with `takes_all`, if one is refused."""
    found, left = Dropped(), []
    for one, answer in zip(wanted, answers, strict=True):
        if not answer.refused:
            left.append(one)
        elif takes_all:
            raise Refused(answer.refused)
        else:
            found.add(answer.refused, show(one))
    for reason in found.values():
        say(reason)
    if not left:
        raise Refused("ecbench refuses all these profiles; the messages above give the reasons")
    return left


# What create, check and hashes do.

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
    with open_input(path, allows_pipes=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# create: encodes an object with each profile. Each encoded object has its own directory, in the layout of
# ceph_erasure_code_non_regression.

def create(directory: pathlib.Path, encodings: Sequence[Encoding], program: Ecbench, force: bool) -> None:
    """Makes a directory in `directory` for each encoding. Throws Refused if one exists, unless `force`. After an error, complete
    directories are kept."""
    existing = [directory / str(encoding) for encoding in encodings if os.path.lexists(directory / str(encoding))]
    if existing and not force:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise Refused(f"'{existing[0]}' exists already{more}; --force replaces existing directories")
    progress = Progress(sys.stderr, len(encodings))
    with working_folder(directory, ".ecbench-conformance-") as workshop:
        for encoding in encodings:
            progress.show(str(encoding))
            folder, content, new = directory / str(encoding), workshop / "content", workshop / "new"
            with refusing(f"'{folder}' cannot be written"):
                content.write_bytes((PERIOD * (encoding.width // len(PERIOD) + 1))[:encoding.width])
                encode(program, encoding.words(), content, new, str(encoding))
                content.rename(new / "content")
                (new / "manifest.json").unlink(missing_ok=True)  # Ceph's corpus has none: directory names contain the profiles
                if os.path.lexists(folder):  # it is replaced only when the new one has all files
                    folder.rename(pathlib.Path(tempfile.mkdtemp(dir=workshop), folder.name))
                new.rename(folder)
            progress.advance()


# hashes: shows which profiles compute the same coding chunks from the same data. All profiles with the same k encode the same
# object, of a size that none of them pads. Their data chunks are then the same, and coding chunks differ only if the codes do.

MOST_ROUNDS = 1000
MOST_CHUNK = 16 << 20


def title(code: Encoding) -> str:
    """How the output of hashes names a code."""
    return plain(" ".join([code.plugin, *(value if key == "technique" else f"{key}={value}" for key, value in code.parameters)]))


def codes_by_k(profiles: Iterable[tuple[str, Pairs, int | None]], program: Ecbench) -> dict[int, list[Encoding]]:
    """k → its codes. Reports the profiles that ecbench refuses. Throws Refused if none remains."""
    codes = [Encoding(plugin, parameters, 0) for plugin, parameters, _ in profiles]
    answers = dict(zip(codes, program.describe([{"words": code.words()} for code in codes]), strict=True))
    left = possible(codes, list(answers.values()), show=title)
    return {k: [code for code in left if answers[code].k == k] for k in sorted({answers[code].k for code in left})}


def common_chunk_size(k: int, codes: Sequence[Encoding], at_least: int, program: Ecbench) -> int:
    """The smallest chunk size from `at_least` bytes on that no code pads: of the sizes to which the codes round it up, the largest
    is tried next. Throws Refused after MOST_ROUNDS attempts, or above MOST_CHUNK."""
    size = at_least
    for _ in range(MOST_ROUNDS):
        answers = program.describe([dataclasses.replace(code, width=size * k).request() for code in codes])
        for code, answer in zip(codes, answers, strict=True):
            if answer.refused:
                raise Refused(f"{title(code)}: {answer.refused}")
        sizes = {answer.chunk_size for answer in answers}
        if max(sizes) > MOST_CHUNK:
            break
        if sizes == {size}:
            return size
        size = max(sizes)
    raise Refused(f"no chunk size up to {MOST_CHUNK >> 20} MiB was found that all profiles with k={k} can use without padding; "
                  "give fewer profiles, another packetsize or a smaller --chunk-size")


def coding_chunks(k: int, codes: Sequence[Encoding], chunk_size: int, program: Ecbench) -> dict[Encoding, tuple[str, ...]]:
    """Encodes the same object with each code → the SHA-256 of its coding chunks. Throws Refused and WrongBytes."""
    progress, found = Progress(sys.stderr, len(codes)), {}
    with new_folder() as workshop:
        data = random.Random(1).randbytes(chunk_size * k)
        pieces = [data[begin:begin + chunk_size] for begin in range(0, len(data), chunk_size)]
        content = workshop / "content"
        new_file(data, content)
        for number, code in enumerate(codes):
            progress.show(title(code))
            chunks = workshop / str(number)
            encode(program, code.words(), content, chunks, title(code))
            coding, left = [], list(pieces)
            for path in (chunks / name for name in chunk_names(chunks)):  # `mapping` can change positions
                if left and path.read_bytes() == left[0]:
                    del left[0]
                else:
                    coding.append(digest(path))
            found[code] = tuple(coding)
            progress.advance()
    return found


# check: encodes the object in each directory of a corpus, compares the chunks, and decodes losses of chunks.

RIGHT, WRONG, REFUSED = "right", "WRONG", "refused"
ALWAYS = 2  # erasure patterns with at most this number of lost chunks are always decoded; other patterns only if is_cheap()
CHEAP_PATTERNS = 2000
CHEAP_BYTES = 1 << 28  # upper bound for (number of patterns) * (bytes of all n chunks)
NO_ENCODING = Encoding("", (), 0)  # for a directory whose name is refused


@dataclasses.dataclass
class Folder:
    path: pathlib.Path
    encoding: Encoding = NO_ENCODING
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
        raise Refused(f"{directory} contains no directory plugin=... {WIDTH}=...; make one with conformance create")
    return [Folder(path) for path in sorted(found, key=str)]


def describe(folders: Sequence[Folder], program: Ecbench) -> None:
    """Sets `encoding`, `chunk_count` and `losses` of each Folder, with one call of ecbench. Throws Refused."""
    named = []
    for folder in folders:
        try:
            folder.encoding = parse(folder.path.absolute().name)
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
            raise Refused(f"the file 'content' has {size} bytes, but the directory's name has {WIDTH}={width}")
        with new_folder() as workshop:
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
