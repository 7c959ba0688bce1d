"""Reads files of callgrind --dump-instr=yes. Counts the executed instructions (Ir) for each object and address. Instructions of
called functions are not counted for the caller. valgrind's manual describes the format in its "Callgrind Format Specification".
Each name has a number. The file contains "(number) name" where a name is used first, and only "(number)" after that.

The line after calls= contains the cost of the called function. This line is skipped, and so is the line after a jump. Positions can
be relative to the previous cost line that was not skipped. Usually, a skipped line has the same position as the cost line before
it. Only the line for the call in which callgrind was turned on has another position."""

import re
from collections.abc import Iterable

from ecbench.profilers.profile_data import Costs, Unreadable

NAME = re.compile(r"\((\d+)\)(?: (.*))?$")


def read(path: str) -> Costs:
    """Returns the costs in a file. Throws Unreadable and OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse(file, path)


def parse(lines: Iterable[str], path: str) -> Costs:
    reader = Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.line(line.rstrip("\n"))
        except (ValueError, IndexError) as error:
            raise Unreadable(f"{path}, line {number}: callgrind does not write lines such as {line.strip()[:80]!r}") from error
    if not reader.has_instructions:
        raise Unreadable(f"{path} is not a file that callgrind --dump-instr=yes has written")
    return reader.costs


class Reader:
    def __init__(self) -> None:
        self.costs = Costs("Ir")
        self.has_instructions = False
        self._objects: dict[str, str] = {}
        self._object = ""
        self._positions: list[int] = []  # positions in the last cost line that was not skipped
        self._event = 0  # index of Ir among the costs in a cost line
        self._skips = False  # whether the next cost line belongs to a called function or to a jump

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
        if self._event < len(costs):  # callgrind omits costs of 0 at the end of a line
            self.costs.at[self._object, self._positions[0]] += int(costs[self._event])


def position(word: str, before: int) -> int:
    if word == "*":
        return before
    return int(word, 0) + (before if word[0] in "+-" else 0)
