"""The data that every profiler provides, the costs at each address of each object (an executable or a shared library), and its file
formats. Files that are damaged or have another format are refused."""

import collections
import dataclasses
import re
import struct
from collections.abc import Iterable, Iterator

from ecbench.symbols.elf import Resolver
from ecbench.terminal.console import Refused

Place = tuple[str, int]  # the path of an object, and an address in it
NOWHERE = ("", 0)
SAMPLES = "samples"  # an event


@dataclasses.dataclass
class Costs:
    event: str  # Ir or samples
    at: collections.Counter[Place] = dataclasses.field(default_factory=collections.Counter)
    # Call stack (the outermost function first) → its own cost, without that of the calls it makes.
    stacks: collections.Counter[tuple[Place, ...]] = dataclasses.field(default_factory=collections.Counter)

    @property
    def total(self) -> int:
        return self.at.total()

    def add(self, stack: list[Place], count: int = 1) -> None:
        """Adds samples with a call stack, the innermost frame first. Frames whose object is not a file are left out of the stack:
        at such a frame, it could not be unwound any further."""
        self.at[stack[0]] += count
        known = [place for place in stack if place[0].startswith("/")] or stack[:1]
        self.stacks[tuple(reversed(known))] += count


# Reads files of callgrind with OPTIONS: names and positions are written out. Counts the executed instructions (Ir) for each object
# and address. valgrind's manual describes the format in its "Callgrind Format Specification". The line after calls= contains the
# cost of the called function, which is not counted for the caller. The line after a jump is skipped, too.

OPTIONS = ["--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"]
LEAST_SHARE = 0.001  # of all instructions; calls that cost less are not followed
DEEPEST = 40
Named = tuple[str, str]  # the path of an object, and the name that callgrind has for a function in it
Spent = collections.Counter[Named]


def parse_callgrind(lines: Iterable[str], path: str) -> Costs:
    """Throws Refused."""
    costs, has_instructions, event = Costs("Ir"), False, 0  # `event`: index of Ir in a cost line
    own: Spent = collections.Counter()
    calls: dict[Named, Spent] = {}  # caller → called function → Ir, with the functions that it calls
    first: dict[Named, int] = {}  # an address in the function; callgrind has no names for those of stripped libraries
    path_now = called_path = skipped = ""  # `skipped`: the key whose cost line, of a called function or a jump, is next
    function = called = ("", "")
    for number, line in enumerate(lines, 1):
        key, separator, value = line.rstrip("\n").partition("=")
        words = line.split()
        try:
            if line[:1].isdigit():
                address, cost = int(words[0], 0), int(words[event]) if event < len(words) else 0  # zeros at the end are left out
                if skipped == "calls":
                    calls.setdefault(function, collections.Counter())[called] += cost
                elif not skipped:
                    costs.at[path_now, address] += cost
                    own[function] += cost
                    first.setdefault(function, address)
                skipped = ""
            elif line.startswith("positions:"):
                has_instructions = words[1:2] == ["instr"]
                event += len(words) - 1
            elif line.startswith("events:"):
                event += words.index("Ir") - 1
            elif key in ("ob", "cob"):
                called_path = "" if value == "???" else value
                path_now = called_path if key == "ob" else path_now
            elif key == "fn":
                function, called_path = (path_now, value), path_now
            elif key == "cfn":
                called, called_path = (called_path, value), path_now
            elif separator and key in ("calls", "jump", "jcnd"):
                skipped = key
        except (ValueError, IndexError) as error:
            raise Refused(f"{path}, line {number}: callgrind does not write lines such as {line.strip()[:80]!r}") from error
    if not has_instructions:
        raise Refused(f"{path} is not a file that callgrind --dump-instr=yes has written")
    for stack, ir in stacks_of(own, calls):
        costs.stacks[tuple((name[0], first[name]) for name in stack if name in first)] += round(ir)
    return costs


def stacks_of(own: Spent, calls: dict[Named, Spent]) -> Iterator[tuple[list[Named], float]]:
    """Call stacks with their instructions. A file of callgrind has calls instead of stacks: what a function costs that has several
    callers is divided in proportion to what its calls cost."""
    called = {place for inner in calls.values() for place in inner}
    whole = {place: own[place] + calls.get(place, collections.Counter()).total() for place in {*own, *calls}}
    least = LEAST_SHARE * own.total()
    waiting: list[tuple[list[Named], float]] = [([place], whole[place]) for place in whole if place not in called]
    while waiting:
        stack, cost = waiting.pop()
        place, share = stack[-1], cost / max(whole.get(stack[-1], 0), 1)
        followed = [(one, share * ir) for one, ir in calls.get(place, {}).items()
                    if share * ir >= least and one not in stack and len(stack) < DEEPEST]
        yield stack, cost - sum(ir for _, ir in followed)
        waiting += [([*stack, one], ir) for one, ir in followed]


# Reads CPU profiles of gperftools ("CPU profiler binary data file"): machine words, and then the text of /proc/self/maps. The
# header is 0, 3, 0, the sampling period in microseconds, 0. Each record has the number of samples with the same call stack, the
# depth of the stack, and its program counters. The trailer is 0, 1, 0.

NOTABLE = 0.01  # share of samples
MAP_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+\s+(/.*)")
DELETED = " (deleted)"


def parse_pprof(content: bytes, path: str, resolver: Resolver) -> tuple[Costs, list[str]]:
    """The costs, and notes for the user. Throws Refused."""
    samples, text = split(content, path)
    maps = [(int(found[1], 16), int(found[2], 16), int(found[3], 16), found[4].removesuffix(DELETED))
            for found in map(MAP_LINE.match, text.splitlines()) if found]

    def locate(pc: int) -> Place:
        """The object that contains `pc`, and the address in this object."""
        for start, end, offset, name in maps:
            if start <= pc < end:
                names = resolver.object(name)
                address = names.address_of(pc - start + offset) if names else None
                return name, pc - start if address is None else address
        return NOWHERE

    costs = Costs(SAMPLES)
    for count, pc, *callers in samples:
        # A caller's address is that of the instruction after the call.
        costs.add([locate(pc), *(locate(caller - 1) for caller in callers)], count)
    unknown = costs.at[NOWHERE]
    return costs, [f"{100 * unknown / costs.total:.1f} % of the samples have no object: the program unloaded a library, or "
                   "generated code; use perf"] if unknown > NOTABLE * costs.total else []


def split(content: bytes, path: str) -> tuple[list[tuple[int, ...]], str]:
    """The samples (count, and the call stack's program counters, the innermost first), and the text of /proc/self/maps. Throws
    Refused."""
    words = struct.unpack(f"<{len(content) // 8}Q", content[:len(content) // 8 * 8])
    if len(words) < 5 or words[:3] != (0, 3, 0):
        raise Refused(f"{path} is not a CPU profile of gperftools")
    place = 5
    samples = []
    while True:
        if place + 2 >= len(words) or place + 2 + words[place + 1] > len(words):
            raise Refused(f"{path}: the end of the profile is missing")
        count, depth = words[place:place + 2]
        if (count, depth, words[place + 2]) == (0, 1, 0):
            break
        if depth:
            samples.append((count, *words[place + 2:place + 2 + depth]))
        place += 2 + depth
    maps = content[(place + 3) * 8:]
    if b"\0" in maps:
        raise Refused("more than one process wrote into the CPU profile, because the program forks: profile it with perf")
    return samples, maps.decode(errors="surrogateescape")


# Parses the output of `perf script`, which runs with the options WORDS. A sample is a line for each frame, the innermost first,
# after an empty line. In call stacks, perf prints offsets in files.

WORDS = ["--no-inline", "-F", "ip,dso"]
FRAME = re.compile(r"\s+([0-9a-f]+) \((.*)\)\s*")


def parse_perf(text: str, resolver: Resolver) -> Costs:
    """Throws Refused."""
    costs, stack = Costs(SAMPLES), list[Place]()
    for line in [*text.splitlines(), ""]:
        if frame := FRAME.fullmatch(line):
            names = resolver.object(frame[2]) if frame[2].startswith("/") else None
            stack.append((frame[2], (names and names.address_of(int(frame[1], 16))) or 0))
        elif line.strip():
            raise Refused(f"perf script printed a line that is not part of a sample: {line.strip()[:80]!r}")
        elif stack:
            costs.add(stack)
            stack = []
    return costs
