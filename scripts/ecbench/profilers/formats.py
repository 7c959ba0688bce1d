"""The data that every profiler provides: the cost at each address of each object. An object is an executable or a shared
library."""

import collections
import contextlib
import dataclasses
import os
import re
import struct
import threading
from collections.abc import Iterable, Iterator

from ecbench.symbols.resolver import Resolver

Mapping = tuple[int, int, int, str]  # start, end, offset in the file, path
NOWHERE = ("", 0)


class Unreadable(Exception):
    """The profiler's file is damaged or has an unexpected format. The message is one line."""


@dataclasses.dataclass
class Costs:
    event: str  # Ir or samples
    at: collections.Counter[tuple[str, int]] = dataclasses.field(default_factory=collections.Counter)  # (path, address) → cost
    # Call stack (names of its functions, the outermost function first) → number of samples. Empty if there are no call stacks.
    stacks: collections.Counter[tuple[str, ...]] = dataclasses.field(default_factory=collections.Counter)

    @property
    def total(self) -> int:
        return self.at.total()


class Mappings:
    """The objects that a process has mapped."""

    def __init__(self, resolver: Resolver, maps: Iterable[Mapping] = ()) -> None:
        self._resolver = resolver
        self._maps = list(maps)

    def copy(self) -> "Mappings":
        return Mappings(self._resolver, self._maps)

    def add(self, start: int, end: int, offset: int, path: str) -> None:
        self._maps.append((start, end, offset, path))

    def locate(self, pc: int) -> tuple[str, int]:
        """The path of the object that contains `pc`, and the address in this object. Returns NOWHERE if no object contains `pc`."""
        return next(self.places(pc), NOWHERE)  # a later mapping replaces an earlier one

    def places(self, pc: int) -> Iterator[tuple[str, int]]:
        """The same for each mapping that contains `pc`, the latest first."""
        for start, end, offset, path in reversed(self._maps):
            if start <= pc < end:
                names = self._resolver.object(path)
                address = names.address_of(pc - start + offset) if names else None
                yield path, pc - start if address is None else address


# Reads files of callgrind --dump-instr=yes. Counts the executed instructions (Ir) for each object and address. Instructions of
# called functions are not counted for the caller. valgrind's manual describes the format in its "Callgrind Format
# Specification". Each name has a number. The file contains "(number) name" where a name is used first, and only "(number)"
# after that. The line after calls= contains the cost of the called function. This line is skipped, and so is the line after a
# jump. Positions can be relative to the previous cost line that was not skipped. Usually, a skipped line has the same position
# as the cost line before it. Only the line for the call in which callgrind was turned on has another position.

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


# The objects that a process has mapped as code while it ran, also those that it unloaded. Reads /proc/PID/maps repeatedly.

SECONDS_BETWEEN = 0.02  # an object that was loaded for a shorter time may be missed; it has few samples
MAP_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+\s+(/.*)")
DELETED = " (deleted)"


def read_maps(text: str) -> Iterator[Mapping]:
    for line in text.splitlines():
        match = MAP_LINE.match(line)
        if match:
            start, end, offset = (int(match[number], 16) for number in (1, 2, 3))
            yield start, end, offset, match[4].removesuffix(DELETED)


class LoadedObjects:
    """`mappings` are those of the program that the process executed last: exec() replaces them all."""

    def __init__(self) -> None:
        self.mappings: set[Mapping] = set()

    @contextlib.contextmanager
    def watch(self, pid: int) -> Iterator[None]:
        ended = threading.Event()
        thread = threading.Thread(target=self._read_until, args=(pid, ended))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _read_until(self, pid: int, ended: threading.Event) -> None:
        program, text = "", ""
        while not ended.wait(SECONDS_BETWEEN):
            before = program, text
            with contextlib.suppress(OSError):  # the process has ended, or may not be read
                program = os.readlink(f"/proc/{pid}/exe")
                with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as maps:
                    text = maps.read()
            if program != before[0]:
                self.mappings.clear()
            if (program, text) != before:
                self.mappings.update(read_maps(text))


# Reads CPU profiles of gperftools ("CPU profiler binary data file"): machine words, and then the text of /proc/self/maps. The
# header is 0, 3, 0, the sampling period in microseconds, 0. Each record has the number of samples with the same call stack, the
# depth of the stack, and its program counters. The trailer is 0, 1, 0.

NOTABLE = 0.01  # share of samples


def read_pprof(path: str, resolver: Resolver, loaded: Iterable[Mapping] = ()) -> tuple[Costs, list[str]]:
    """The costs, and notes for the user. The file has the mappings at the end of the process; `loaded` are those before. Throws
    Unreadable and OSError."""
    with open(path, "rb") as file:
        return parse_pprof(file.read(), path, resolver, loaded)


def parse_pprof(content: bytes, path: str, resolver: Resolver, loaded: Iterable[Mapping] = ()) -> tuple[Costs, list[str]]:
    samples, maps = split(content, path)
    mappings = Mappings(resolver, {*loaded, *read_maps(maps)})
    costs = Costs("samples")
    doubtful: collections.Counter[str] = collections.Counter()  # names of objects at one address → samples
    for count, pc, *callers in samples:
        # A caller's address is that of the instruction after the call.
        frames = [*(mappings.locate(caller - 1) for caller in reversed(callers)), mappings.locate(pc)]
        costs.stacks[tuple(resolver.function(*place).name.replace(";", ":") for place in frames if place[0])] += count
        places = set(mappings.places(pc))
        costs.at[next(iter(places)) if len(places) == 1 else NOWHERE] += count
        if len(places) > 1:
            doubtful[" and ".join(sorted({os.path.basename(path) for path, _ in places}))] += count
    return costs, list(notes_of(costs, doubtful))


def notes_of(costs: Costs, doubtful: collections.Counter[str]) -> Iterable[str]:
    for names, count in doubtful.items():
        yield (f"{100 * count / costs.total:.1f} % of the samples have no object: the program loaded {names} at the same address, "
               "one after the other; use perf")
    unknown = costs.at[NOWHERE] - doubtful.total()
    if unknown > NOTABLE * costs.total:
        yield (f"{100 * unknown / costs.total:.1f} % of the samples have no object: the program unloaded a library soon after it "
               "loaded it, or generated code; use perf")


def split(content: bytes, path: str) -> tuple[list[tuple[int, ...]], str]:
    """The samples (count, and the call stack's program counters, the innermost first), and the text of /proc/self/maps. Throws
    Unreadable."""
    words = struct.unpack(f"<{len(content) // 8}Q", content[:len(content) // 8 * 8])
    if len(words) < 5 or words[:3] != (0, 3, 0):
        raise Unreadable(f"{path} is not a CPU profile of gperftools")
    place = 5
    samples = []
    while True:
        if place + 2 >= len(words) or place + 2 + words[place + 1] > len(words):
            raise Unreadable(f"{path}: the end of the profile is missing")
        count, depth = words[place:place + 2]
        if (count, depth, words[place + 2]) == (0, 1, 0):
            break
        if depth:
            samples.append((count, *words[place + 2:place + 2 + depth]))
        place += 2 + depth
    maps = content[(place + 3) * 8:]
    if b"\0" in maps:
        raise Unreadable("more than one process wrote into the CPU profile, because the program forks: profile it with perf")
    return samples, maps.decode(errors="surrogateescape")


# Parses the output of `perf script`, which runs with the options WORDS. Counts the samples for each instruction (object and
# address), and for each call stack. A sample without a call stack is one line. A sample with a call stack consists of a line
# with the process id, a line for each frame (the innermost frame first), and an empty line.

WORDS = ["--show-mmap-events", "--show-task-events", "--no-inline", "-F", "pid,ip,dso"]
MAP = re.compile(r"\s*(-?\d+) PERF_RECORD_MMAP2? -?\d+/-?\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: ..x. (.*)")
FORK = re.compile(r".* PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)\s*")
PROCESS = re.compile(r"\s*(\d+)\s*")
FRAME = re.compile(r"\s+([0-9a-f]+) \((.*)\)\s*")
SAMPLE = re.compile(r"\s*(\d+)\s+([0-9a-f]+) \((.*)\)\s*")


def parse_perf(text: str, resolver: Resolver) -> Costs:
    """Returns the costs. Throws Unreadable."""
    costs = Costs("samples")
    processes: dict[str, Mappings] = {}
    stack: list[tuple[str, int]] | None = None  # the frames of the sample that is being read
    for line in text.splitlines():
        mapping = MAP.fullmatch(line)
        if mapping:
            start, size, offset = (int(mapping[number], 0) for number in (2, 3, 4))
            processes.setdefault(mapping[1], Mappings(resolver)).add(start, start + size, offset, mapping[5])
            continue
        fork = FORK.fullmatch(line)
        if fork:
            if fork[1] != fork[2] and fork[2] in processes:  # the new task is a process, not a thread
                processes[fork[1]] = processes[fork[2]].copy()
            continue
        sample = SAMPLE.fullmatch(line)
        if sample:
            costs.at[located(processes.get(sample[1]), sample[2], sample[3])] += 1
        elif PROCESS.fullmatch(line):
            stack = []
        elif stack is not None and (frame := FRAME.fullmatch(line)):
            stack.append(frame_of(int(frame[1], 16), frame[2], resolver))
        elif stack is not None and not line.strip():
            add_stack(costs, stack, resolver)
            stack = None
        elif line.strip() and "PERF_RECORD_" not in line:
            raise Unreadable(f"perf script printed a line that is not part of a sample: {line.strip()[:80]!r}")
    if stack is not None:
        add_stack(costs, stack, resolver)
    return costs


def located(mappings: Mappings | None, address: str, name: str) -> tuple[str, int]:
    path, place = mappings.locate(int(address, 16)) if mappings else ("", 0)
    return (path, place) if path else (name, 0)


def frame_of(offset: int, path: str, resolver: Resolver) -> tuple[str, int]:
    """The object of a frame, and the address in it. In call stacks, perf prints offsets in files, otherwise addresses in memory."""
    names = resolver.object(path) if path.startswith("/") else None
    address = names.address_of(offset) if names else None
    return (path, address) if address is not None else (path, 0)


def add_stack(costs: Costs, stack: list[tuple[str, int]], resolver: Resolver) -> None:
    """Adds one sample to `costs`. `stack`: object and address of each frame, the innermost frame first."""
    if stack:
        costs.at[stack[0]] += 1
        # Frames whose object is not a file are left out. At such a frame, perf could not unwind the stack any further.
        known = [place for place in stack if place[0].startswith("/")] or stack[:1]
        costs.stacks[tuple(resolver.function(*place).name.replace(";", ":") for place in reversed(known))] += 1
