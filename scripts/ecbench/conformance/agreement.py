"""hashes: which profiles compute the same coding chunks of the same data. All encode one object whose size pads none of them, so
that chunks differ by the code alone and not by where it puts the padding."""

import dataclasses
import random

from ecbench.conformance.encoder import TemporaryFolder, chunk_names, digest, encode
from ecbench.conformance.request import left_over, tell_left_out
from ecbench.terminal.console import Refused, plain

MOST_ROUNDS = 1000
MOST_CHUNK = 16 << 20


@dataclasses.dataclass
class Code:
    plugin: str
    parameters: tuple  # of (key, value)
    data_count: int = 0  # k
    chunk_size: int = 0  # of an object of the size that was asked last
    coding: tuple = ()  # SHA-256 of each coding chunk

    def words(self):
        words = ["--plugin", self.plugin]
        for key, value in self.parameters:
            words += ["--parameter", f"{key}={value}"]
        return words

    def __str__(self):
        parameters = (value if key == "technique" else f"{key}={value}" for key, value in self.parameters)
        return plain(" ".join([self.plugin, *parameters]))


def codes_by_k(profiles, program):
    """The codes of (plugin, parameters), by k; what is refused is told and left out. Throws Refused if nothing is left."""
    codes = [Code(plugin, parameters) for plugin, parameters in profiles]
    answers = program.describe([{"words": code.words()} for code in codes])
    left, refused = left_over(codes, answers)
    tell_left_out(refused)
    if not left:
        raise Refused("no code takes any of these profiles")
    for code, answer in zip(codes, answers, strict=True):
        code.data_count = answer.get("k", 0)
    return {k: [code for code in left if code.data_count == k] for k in sorted({code.data_count for code in left})}


def common_chunk_size(codes, at_least, program):
    """The smallest chunk size from `at_least` on that every code has without padding: each code rounds up, and the largest is asked
    of all again, until it is the same. Throws Refused if that is beyond MOST_CHUNK."""
    size = at_least
    for _ in range(MOST_ROUNDS):
        sizes = chunk_sizes(codes, size, program)
        if max(sizes) > MOST_CHUNK:
            break
        if set(sizes) == {size}:
            return size
        size = max(sizes)
    raise Refused(f"these codes have no chunk size of up to {MOST_CHUNK >> 20} MiB in common: name fewer, or another packetsize")


def chunk_sizes(codes, size, program):
    answers = program.describe([{"words": [*code.words(), "--size", str(size * code.data_count)]} for code in codes])
    for code, answer in zip(codes, answers, strict=True):
        if "refused" in answer:
            raise Refused(f"{code}: {answer['refused']}")
    return [answer["chunk_size"] for answer in answers]


def encode_all(codes, chunk_size, program, progress):
    """Sets the hashes of each code's coding chunks. Throws Refused."""
    with TemporaryFolder() as workshop:
        data = random.Random(1).randbytes(chunk_size * codes[0].data_count)
        pieces = [data[begin:begin + chunk_size] for begin in range(0, len(data), chunk_size)]
        content = workshop / "content"
        content.write_bytes(data)
        for number, code in enumerate(codes):
            progress.show(str(code))
            chunks = workshop / str(number)
            outcome = encode(program, code.words(), content, chunks)
            if outcome.kind != "row":
                raise Refused(f"{code}: {outcome.why}")
            code.coding = tuple(digest(path) for path in coding_files(chunks, pieces))
            progress.advance()
    progress.erase()


def coding_files(chunks, pieces):
    """The files that are no data chunk: those stand in the object's order, wherever a mapping puts them."""
    coding, left = [], list(pieces)
    for name in chunk_names(chunks):
        if left and (chunks / name).read_bytes() == left[0]:
            del left[0]
        else:
            coding.append(chunks / name)
    return coding


def groups_that_agree(codes):
    """Lists of codes with the same coding chunks, in the order of their first ones."""
    groups = {}
    for code in codes:
        groups.setdefault(code.coding, []).append(code)
    return list(groups.values())
