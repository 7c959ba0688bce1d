"""check: what a folder of a corpus holds is what ecbench encodes, and every loss of it that the code can recover is recovered."""

import dataclasses
import math
import os
import pathlib

from ecbench.conformance import folder_name
from ecbench.conformance.encoder import TemporaryFolder, chunk_names, digest, encode
from ecbench.terminal.console import Refused

RIGHT, WRONG, REFUSED = "right", "WRONG", "refused"
ALWAYS = 2  # losses of so many chunks are all decoded; of more as long as that is cheap
CHEAP_PATTERNS = 2000
CHEAP_BYTES = 1 << 28  # of all chunks, which each pattern compares


class Wrong(Exception):
    """Bytes that are not as they should be: one line."""


@dataclasses.dataclass
class Folder:
    path: pathlib.Path
    encoding: folder_name.Encoding | None = None
    word: str = RIGHT  # or WRONG or REFUSED
    why: str = ""  # one line, unless RIGHT
    chunk_count: int = 0
    same_chunks: int = 0  # with the bytes that ecbench encodes
    losses: tuple = ()  # the numbers of lost chunks that are to be decoded
    decoded: dict = dataclasses.field(default_factory=dict)  # chunks lost → (patterns decoded to the right bytes, all patterns)

    def refuse(self, why):
        self.word, self.why = REFUSED, why


def find_folders(directory):
    """The folders of a corpus in `directory`, also below folders of versions, as Ceph has them. Throws Refused if there is none."""
    directory = pathlib.Path(directory)

    def refuse(error):
        raise Refused(f"{error.filename} cannot be read: {error.strerror}")

    found = [directory] if directory.absolute().name.startswith("plugin=") else []
    for parent, names, _ in os.walk(directory, onerror=refuse):
        found += [pathlib.Path(parent, name) for name in names if name.startswith("plugin=")]
        names[:] = [name for name in names if not name.startswith(("plugin=", "."))]
    if not found:
        raise Refused(f"{directory} holds no folder named plugin=... {folder_name.WIDTH}=...: conformance create makes some")
    return [Folder(path) for path in sorted(found, key=str)]


def describe(folders, program):
    """Fills in what the names say and what ecbench says of them, in one call for all folders. Throws Refused if ecbench fails."""
    named = []
    for folder in folders:
        try:
            folder.encoding = folder_name.parse(folder.path.absolute().name)
            named.append(folder)
        except Refused as refusal:
            folder.refuse(str(refusal))
    requests = [{"words": [*folder.encoding.words(), "--size", str(folder.encoding.width)]} for folder in named]
    for folder, answer in zip(named, program.describe(requests), strict=True):
        if "refused" in answer:
            folder.refuse(answer["refused"])
            continue
        folder.chunk_count = answer["chunk_count"]
        folder.losses = tuple(lost for lost in range(1, answer["m"] + 1)
                              if is_cheap(folder.chunk_count, lost, answer["chunk_size"]))


def is_cheap(chunk_count, lost, chunk_size):
    patterns = math.comb(chunk_count, lost)
    return lost <= ALWAYS or (patterns <= CHEAP_PATTERNS and patterns * chunk_count * chunk_size <= CHEAP_BYTES)


def check(folder, program):
    """Encodes and decodes what describe() has not refused, and sets the folder's verdict. Throws children.Interrupted alone."""
    try:
        check_content(folder)
        with TemporaryFolder() as workshop:
            measure(program, folder, workshop, 1)
            compare_chunks(folder, workshop)
        for lost in folder.losses[1:]:
            measure(program, folder, None, lost)
    except Refused as refusal:
        folder.refuse(str(refusal))
    except Wrong as wrong:
        folder.word, folder.why = WRONG, str(wrong)
    except OSError as error:
        folder.refuse(f"{error.filename} cannot be read: {error.strerror}")


def check_content(folder):
    size = (folder.path / "content").stat().st_size
    if size != folder.encoding.width:
        raise Refused(f"content has {size} bytes, and the folder's name says {folder.encoding.width}")


def measure(program, folder, chunks, lost):
    """Encodes the content, and decodes every loss of `lost` chunks; every byte is verified. Throws Refused and Wrong."""
    words = [*folder.encoding.words(), "--workload", "decode", "--erasures", str(lost), "--erasures-generation", "exhaustive"]
    outcome = encode(program, words, folder.path / "content", chunks)
    if outcome.kind == "wrong_bytes":
        raise Wrong(outcome.why)
    if outcome.kind != "row":
        raise Refused(outcome.why)
    folder.decoded[lost] = (outcome.row["patterns"], outcome.row["patterns"] + outcome.row["unrecoverable"])


def compare_chunks(folder, chunks):
    names = [str(position) for position in range(folder.chunk_count)]
    there = chunk_names(folder.path)
    missing = [name for name in names if name not in there]
    different = [name for name in names if name in there and digest(chunks / name) != digest(folder.path / name)]
    foreign = [name for name in there if name not in names]
    folder.same_chunks = len(names) - len(missing) - len(different)
    if different:
        raise Wrong(f"{chunks_text(different)} encoded differently")
    if missing:
        raise Refused(f"{chunks_text(missing)} not there")
    if foreign:
        raise Refused(f"it holds a file {foreign[0]}, and the chunks of this code are 0 to {folder.chunk_count - 1}")


def chunks_text(names):
    return f"chunk {names[0]} is" if len(names) == 1 else f"chunks {', '.join(names)} are"
