"""Reads files of callgrind --dump-instr=yes. Counts the executed instructions (Ir) for each object and address. Instructions of
called functions are not counted for the caller. valgrind's manual describes the format in its "Callgrind Format Specification".
Each name has a number. The file contains "(number) name" where a name is used first, and only "(number)" after that.

The line after calls= contains the cost of the called function. This line is skipped, and so is the line after a jump. Positions can
be relative to the previous cost line that was not skipped. Usually, a skipped line has the same position as the cost line before
it. Only the line for the call in which callgrind was turned on has another position."""

import collections
import re
from collections.abc import Iterable, Iterator

from ecbench.profilers.profile_data import Costs, Unreadable
from ecbench.symbols.resolver import Resolver

LEAST_SHARE = 0.001  # of all instructions; calls that cost less are not followed
DEEPEST = 40
Place = tuple[str, str]  # the path of an object, and the name that callgrind has for a function in it
NAME = re.compile(r"\((\d+)\)(?: (.*))?$")


def read(path: str, resolver: Resolver | None = None) -> Costs:
    """Returns the costs in a file. `resolver`: names the functions of the call stacks; None: no call stacks. Throws Unreadable and
    OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse(file, path, resolver)


def parse(lines: Iterable[str], path: str, resolver: Resolver | None = None) -> Costs:
    reader = Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.line(line.rstrip("\n"))
        except (ValueError, IndexError) as error:
            raise Unreadable(f"{path}, line {number}: callgrind does not write lines such as {line.strip()[:80]!r}") from error
    if not reader.has_instructions:
        raise Unreadable(f"{path} is not a file that callgrind --dump-instr=yes has written")
    if resolver:
        for stack, cost in reader.stacks():
            reader.costs.stacks[tuple(reader.name_of(place, resolver) for place in stack)] += round(cost)
    return reader.costs


class Reader:
    def __init__(self) -> None:
        self.costs = Costs("Ir")
        self.has_instructions = False
        self._names: dict[tuple[str, str], str] = {}  # kind (object or function) and number → name
        self._object = self._called_object = ""
        self._function: Place = ("", "")
        self._called: Place = ("", "")
        self._self: collections.Counter[Place] = collections.Counter()
        self._calls: dict[Place, collections.Counter[Place]] = {}  # caller → called function → Ir, with the functions that it calls
        self._first: dict[Place, int] = {}  # an address in the function
        self._positions: list[int] = []  # positions in the last cost line that was not skipped
        self._event = 0  # index of Ir among the costs in a cost line
        self._is_call = False  # whether that is a call
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
            name = self._name("object", value)
            self._called_object = "" if name == "???" else name
            if key == "ob":
                self._object = self._called_object
        elif key == "fn":
            self._function = self._object, self._name("function", value)
            self._called_object = self._object
        elif key == "cfn":
            self._called = self._called_object, self._name("function", value)
            self._called_object = self._object
        elif key in ("calls", "jump", "jcnd"):
            self._skips, self._is_call = True, key == "calls"

    def _header(self, line: str) -> None:
        key, _, value = line.partition(":")
        if key == "positions":
            columns = value.split()
            self.has_instructions = columns[:1] == ["instr"]
            self._positions = [0] * len(columns)
        elif key == "events":
            self._event = value.split().index("Ir")

    def _name(self, kind: str, value: str) -> str:
        match = NAME.match(value)
        if not match:
            return value
        if match[2] is not None:
            self._names[kind, match[1]] = match[2]
        return self._names.get((kind, match[1]), "???")

    def _cost_line(self, line: str) -> None:
        words = line.split()
        count = len(self._positions)
        positions = [position(word, before) for word, before in zip(words, self._positions, strict=False)]
        if self._skips:
            self._skips = False
            if self._is_call and self._event < len(words) - count:
                self._calls.setdefault(self._function, collections.Counter())[self._called] += int(words[count + self._event])
            return
        self._positions[:len(positions)] = positions
        costs = words[count:]
        if self._event < len(costs):  # callgrind omits costs of 0 at the end of a line
            self.costs.at[self._object, self._positions[0]] += int(costs[self._event])
            self._self[self._function] += int(costs[self._event])
            self._first.setdefault(self._function, self._positions[0])

    def name_of(self, place: Place, resolver: Resolver) -> str:
        """callgrind has no names for the functions of stripped libraries."""
        address = self._first.get(place)
        return (place[1] if address is None else resolver.function(place[0], address).name).replace(";", ":")

    def stacks(self) -> Iterator[tuple[list[Place], float]]:
        """Call stacks with their instructions. A file of callgrind has calls instead of stacks: what a function costs that has
        several callers is divided in proportion to what its calls cost."""
        called = {place for calls in self._calls.values() for place in calls}
        whole = {place: self._self[place] + self._calls.get(place, collections.Counter()).total() for place in
                 {*self._self, *self._calls}}
        least = LEAST_SHARE * self.costs.total
        waiting: list[tuple[list[Place], float]] = [([place], whole[place]) for place in whole if place not in called]
        while waiting:
            stack, cost = waiting.pop()
            place, share = stack[-1], cost / max(whole.get(stack[-1], 0), 1)
            followed = [(one, share * ir) for one, ir in self._calls.get(place, {}).items()
                        if share * ir >= least and one not in stack and len(stack) < DEEPEST]
            yield stack, cost - sum(ir for _, ir in followed)
            waiting += [([*stack, one], ir) for one, ir in followed]


def position(word: str, before: int) -> int:
    if word == "*":
        return before
    return int(word, 0) + (before if word[0] in "+-" else 0)
