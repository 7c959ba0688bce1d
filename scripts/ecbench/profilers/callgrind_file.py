"""Reads files of callgrind --dump-instr=yes: executed instructions (Ir) by object and address, without the instructions of called
functions. The format is valgrind's "Callgrind Format Specification". A name is given once as (number) name, and later only by its
number. The line after calls= has the cost of the called function, which is not a cost of the caller. This line and the line after
a jump are skipped: the position in the next cost line is relative to the last cost line that was not skipped. A skipped line
usually has the same position as the cost line before it. It has another position for the call in which callgrind was turned on."""

import re
from collections.abc import Iterable

from ecbench.profilers.profile_data import Costs, Unreadable

NAME = re.compile(r"\((\d+)\)(?: (.*))?$")


def read(path: str) -> Costs:
    """The costs; throws Unreadable and OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse(file, path)


def parse(lines: Iterable[str], path: str) -> Costs:
    reader = Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.line(line.rstrip("\n"))
        except (ValueError, IndexError) as error:
            raise Unreadable(f"{path}, line {number}: not a line that callgrind writes: {line.strip()[:80]!r}") from error
    if not reader.has_instructions:
        raise Unreadable(f"{path}: not a file that callgrind --dump-instr=yes wrote")
    return reader.costs


class Reader:
    def __init__(self) -> None:
        self.costs = Costs("Ir")
        self.has_instructions = False
        self._objects: dict[str, str] = {}
        self._object = ""
        self._positions: list[int] = []  # positions in the last cost line that was not skipped
        self._event = 0  # the column of costs that contains Ir
        self._skips = False  # True: the next cost line belongs to a called function or to a jump

    def line(self, line: str) -> None:
        if not line or line[0] == "#":
            return
        if line[0] in "0123456789+-*":
            self._cost_line(line)
            return
        key, separator, value = line.partition("=")
        if not separator or ":" in key:
            self._header(line)
        elif key in ("ob", "cob"):
            name = self._name(value)
            if key == "ob":
                self._object = "" if name == "???" else name
        elif key in ("calls", "jump", "jcnd"):
            self._skips = True

    def _header(self, line: str) -> None:
        key, _, value = line.partition(":")
        if key == "positions":
            columns = value.split()
            self.has_instructions = columns[:1] == ["instr"]
            self._positions = [0] * len(columns)
        elif key == "events":
            self._event = value.split().index("Ir")

    def _name(self, value: str) -> str:
        match = NAME.match(value)
        if not match:
            return value
        if match[2] is not None:
            self._objects[match[1]] = match[2]
        return self._objects.get(match[1], "???")

    def _cost_line(self, line: str) -> None:
        words = line.split()
        count = len(self._positions)
        positions = [position(word, before) for word, before in zip(words, self._positions, strict=False)]
        if self._skips:
            self._skips = False
            return
        self._positions[:len(positions)] = positions
        costs = words[count:]
        if self._event < len(costs):  # trailing zeros are omitted
            self.costs.at[self._object, self._positions[0]] += int(costs[self._event])


def position(word: str, before: int) -> int:
    if word == "*":
        return before
    return int(word, 0) + (before if word[0] in "+-" else 0)
