"""Reads CPU profiles of gperftools ("CPU profiler binary data file"): machine words, and then the text of /proc/self/maps. The
header is 0, 3, 0, the sampling period in microseconds, 0. Each record has the number of samples with the same call stack, the depth
of the stack, and its program counters. The trailer is 0, 1, 0."""

import re
import struct

from ecbench.profilers.profile_data import Costs, Mappings, Unreadable
from ecbench.symbols.resolver import Resolver

MAP = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+\s+(/.*)")
DELETED = " (deleted)"


def read(path: str, resolver: Resolver) -> Costs:
    """Throws Unreadable and OSError."""
    with open(path, "rb") as file:
        return parse(file.read(), path, resolver)


def parse(content: bytes, path: str, resolver: Resolver) -> Costs:
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
            samples.append((count, words[place + 2]))
        place += 2 + depth
    maps = content[(place + 3) * 8:]
    if b"\0" in maps:
        raise Unreadable("more than one process wrote into the CPU profile, because the program forks: profile it with perf")
    mappings = read_maps(maps.decode(errors="surrogateescape"), resolver)
    costs = Costs("samples")
    for count, pc in samples:
        costs.at[mappings.locate(pc)] += count
    return costs


def read_maps(text: str, resolver: Resolver) -> Mappings:
    mappings = Mappings(resolver)
    for line in text.splitlines():
        match = MAP.match(line)
        if match:
            start, end, offset = (int(match[number], 16) for number in (1, 2, 3))
            mappings.add(start, end, offset, match[4].removesuffix(DELETED))
    return mappings
