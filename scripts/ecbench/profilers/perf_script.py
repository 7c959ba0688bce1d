"""Parses the output of `perf script` with WORDS: samples by object and address of the instruction."""

import re

from ecbench.profilers.profile_data import Costs, Mappings, Unreadable
from ecbench.symbols.resolver import Resolver

WORDS = ["--show-mmap-events", "--show-task-events", "-F", "pid,ip,dso"]
MAP = re.compile(r"\s*(-?\d+) PERF_RECORD_MMAP2? -?\d+/-?\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: ..x. (.*)")
FORK = re.compile(r".* PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)\s*")
SAMPLE = re.compile(r"\s*(\d+)\s+([0-9a-f]+) \((.*)\)\s*")


def parse(text: str, resolver: Resolver) -> Costs:
    """The costs; throws Unreadable."""
    costs = Costs("samples")
    processes: dict[str, Mappings] = {}
    for line in text.splitlines():
        mapping = MAP.fullmatch(line)
        if mapping:
            start, size, offset = (int(mapping[number], 0) for number in (2, 3, 4))
            processes.setdefault(mapping[1], Mappings(resolver)).add(start, start + size, offset, mapping[5])
            continue
        fork = FORK.fullmatch(line)
        if fork:
            if fork[1] != fork[2] and fork[2] in processes:  # a process, not a thread
                processes[fork[1]] = processes[fork[2]].copy()
            continue
        sample = SAMPLE.fullmatch(line)
        if sample:
            mappings = processes.get(sample[1])
            path, address = mappings.locate(int(sample[2], 16)) if mappings else ("", 0)
            costs.at[(path, address) if path else (sample[3], 0)] += 1
        elif line.strip() and "PERF_RECORD_" not in line:
            raise Unreadable(f"perf script: not the line of a sample: {line.strip()[:80]!r}")
    return costs
