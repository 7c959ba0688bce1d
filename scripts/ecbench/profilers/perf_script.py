"""Parses the output of `perf script`, which runs with the options WORDS. Counts the samples for each instruction (object and
address), and for each call stack. A sample without a call stack is one line. A sample with a call stack consists of a line with the
process id, a line for each frame (the innermost frame first), and an empty line."""

import re

from ecbench.profilers.profile_data import Costs, Mappings, Unreadable
from ecbench.symbols.resolver import Resolver

WORDS = ["--show-mmap-events", "--show-task-events", "--no-inline", "-F", "pid,ip,dso"]
MAP = re.compile(r"\s*(-?\d+) PERF_RECORD_MMAP2? -?\d+/-?\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: ..x. (.*)")
FORK = re.compile(r".* PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)\s*")
PROCESS = re.compile(r"\s*(\d+)\s*")
FRAME = re.compile(r"\s+([0-9a-f]+) \((.*)\)\s*")
SAMPLE = re.compile(r"\s*(\d+)\s+([0-9a-f]+) \((.*)\)\s*")


def parse(text: str, resolver: Resolver) -> Costs:
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
