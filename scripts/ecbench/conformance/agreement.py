"""hashes: shows which profiles compute the same coding chunks from the same data. All profiles with the same k encode the same
object. The size of the object is chosen so that none of these profiles pads it. All profiles then have the same data chunks, and
coding chunks differ only if the codes differ."""

import dataclasses
import pathlib
import random
from collections.abc import Iterable, Sequence

from ecbench.conformance.encoder import chunk_names, digest, encode
from ecbench.conformance.request import possible
from ecbench.measure.ecbench import Ecbench
from ecbench.point.point import Pairs, profile_words
from ecbench.process import temporary
from ecbench.terminal.console import Refused, plain
from ecbench.terminal.progress import Progress

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
    """The smallest chunk size of at least `at_least` bytes with which no code needs padding: of the sizes to which the codes round
    it up, the largest is tried next. Throws Refused after MOST_ROUNDS attempts, or above MOST_CHUNK."""
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


def groups_that_agree(codes: Iterable[Code]) -> list[list[Code]]:
    """Groups of codes that compute the same coding chunks, in the order of their first codes."""
    groups: dict[tuple[str, ...], list[Code]] = {}
    for code in codes:
        groups.setdefault(code.coding, []).append(code)
    return list(groups.values())
