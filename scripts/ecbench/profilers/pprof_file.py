"""Reads CPU profiles of gperftools ("CPU profiler binary data file"): machine words, and then the text of /proc/self/maps. The
header is 0, 3, 0, the sampling period in microseconds, 0. Each record has the number of samples with the same call stack, the depth
of the stack, and its program counters. The trailer is 0, 1, 0."""

import collections
import os
import struct
from collections.abc import Iterable

from ecbench.profilers.loaded_objects import read_maps
from ecbench.profilers.profile_data import NOWHERE, Costs, Mapping, Mappings, Unreadable
from ecbench.symbols.resolver import Resolver

NOTABLE = 0.01  # share of samples


def read(path: str, resolver: Resolver, loaded: Iterable[Mapping] = ()) -> tuple[Costs, list[str]]:
    """The costs, and notes for the user. The file has the mappings at the end of the process; `loaded` are those before. Throws
    Unreadable and OSError."""
    with open(path, "rb") as file:
        return parse(file.read(), path, resolver, loaded)


def parse(content: bytes, path: str, resolver: Resolver, loaded: Iterable[Mapping] = ()) -> tuple[Costs, list[str]]:
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
