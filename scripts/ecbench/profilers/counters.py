"""Hardware counters from perf stat: instructions per cycle, the share of cache misses, and the memory bandwidth, which is estimated
from the misses. Most virtual machines have none."""

import contextlib
import math
import os
from collections.abc import Iterator, Sequence

from ecbench.process.children import Child
from ecbench.profilers.subject import Broken, Subject, read_row, run_checked, without
from ecbench.runfile.row import Row

EVENTS = ("cycles", "instructions", "cache-references", "cache-misses")
LINE_BYTES = 64  # size of a cache line
NONE = "IPC, cache misses and bandwidth are unknown: perf finds no hardware counters on this machine"
SECONDS = "0.5"


@contextlib.contextmanager
def controlled(perf: Sequence[str], fifos: Sequence[str]) -> Iterator[list[str]]:
    """Yields a command of perf that ecbench turns on at the start of a timed loop, and off at its end, through two FIFOs. Without
    `fifos`, perf is always on."""
    if not fifos:
        yield list(perf)
        return
    names = ",".join(fifos)
    for fifo in fifos:
        os.mkfifo(fifo)
    try:
        yield ["env", f"ECBENCH_PERF_CONTROL={names}", *perf, "-D", "-1", "--control", f"fifo:{names}"]
    finally:
        for fifo in fifos:
            os.remove(fifo)


def lines_of(perf: str, subject: Subject, child: Child, control: Sequence[str], lengths: dict[str, bool]) -> list[str]:
    """The lines about hardware counters above the table of a point. If the machine has such counters, runs the point once more.
    `control`: see controlled()."""
    try:
        if not counted(perf_stat(perf, ["true"], child, [])[1]):
            return [NONE]
        command = [subject.command[0], *without(subject.command[1:], lengths), "--min-time", SECONDS, "--format", "json"]
        stdout, stderr = perf_stat(perf, command, child, control)
    except (Broken, OSError) as error:
        return [f"IPC, cache misses and bandwidth are unknown: {error}"]
    return described(counted(stderr), read_row(stdout)) or [NONE]


def perf_stat(perf: str, command: Sequence[str], child: Child, control: Sequence[str]) -> tuple[str, str]:
    """Runs `command`. Returns stdout and stderr; stderr contains the counts."""
    with controlled([perf, "stat", "-x", ";", "-e", ",".join(f"{event}:u" for event in EVENTS)], control) as words:
        return run_checked([*words, "--", *command], child, False, "perf stat")


def counted(text: str) -> dict[str, float]:
    """Event → count, from lines such as "1234;;cycles:u;…"."""
    found = {}
    for line in text.splitlines():
        words = line.split(";")
        event = words[2].partition(":")[0] if len(words) > 2 else ""
        if event in EVENTS and words[0].replace(".", "", 1).isdigit() and float(words[0]) > 0:
            found[event] = float(words[0])
    return found


def described(counts: dict[str, float], row: Row | None) -> list[str]:
    parts = []
    if {"cycles", "instructions"} <= counts.keys():
        parts.append(f"{counts['instructions'] / counts['cycles']:.2f} instructions per cycle")
    if (misses := counts.get("cache-misses")) is not None:
        if references := counts.get("cache-references"):
            parts.append(f"{100 * misses / references:.1f} % of {references:.3g} cache references miss")
        if row and math.isfinite(row.seconds) and row.seconds > 0:
            parts.append(f"about {misses * LINE_BYTES / row.seconds / 1e9:.2f} GB/s from memory ({LINE_BYTES} bytes per miss)")
    return ["; ".join(parts)] if parts else []
