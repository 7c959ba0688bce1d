"""Runs a program under perf stat, to read hardware counters. Computes instructions per cycle, the share of cache misses, and the
memory bandwidth, which is estimated from the cache misses. Most virtual machines have no hardware counters."""

import math
import os
from collections.abc import Sequence
from typing import Any

from ecbench.process.children import Child
from ecbench.profilers.subject import Broken, Subject, read_row, run_checked, without

EVENTS = ("cycles", "instructions", "cache-references", "cache-misses")
LINE_BYTES = 64  # size of a cache line
NONE = "IPC, cache misses and bandwidth are unknown: perf finds no hardware counters on this machine"
SECONDS = "0.5"


def lines_of(perf: str, subject: Subject, child: Child, control: Sequence[str], lengths: dict[str, bool]) -> list[str]:
    """The lines about hardware counters, which are printed above the hot-spot table of a point. If the machine has hardware
    counters, runs the point once more, under perf stat. `control`: paths of two FIFOs that this function creates. Through these
    FIFOs, ecbench turns the counters on at the start of a timed loop, and off at its end."""
    try:
        if not counted(perf_stat(perf, ["true"], child, [])[1]):
            return [NONE]
        for fifo in control:
            os.mkfifo(fifo)
        try:
            command = [subject.command[0], *without(subject.command[1:], lengths), "--min-time", SECONDS, "--format", "json"]
            stdout, stderr = perf_stat(perf, command, child, control)
        finally:
            for fifo in control:
                os.remove(fifo)
    except (Broken, OSError) as error:
        return [f"IPC, cache misses and bandwidth are unknown: {error}"]
    return described(counted(stderr), read_row(stdout)) or [NONE]


def perf_stat(perf: str, command: Sequence[str], child: Child, control: Sequence[str]) -> tuple[str, str]:
    """Runs `command` under perf stat. Returns stdout and stderr; stderr contains the counts. Throws Broken."""
    words = [perf, "stat", "-x", ";", "-e", ",".join(f"{event}:u" for event in EVENTS)]
    if control:
        fifos = ",".join(control)
        words = ["env", f"ECBENCH_PERF_CONTROL={fifos}", *words, "-D", "-1", "--control", f"fifo:{fifos}"]
    return run_checked([*words, "--", *command], child, False, "perf stat")


def counted(text: str) -> dict[str, float]:
    """Event → count. The lines of `text` have the form "1234;;cycles:u;…". Events without a count are left out."""
    found = {}
    for line in text.splitlines():
        words = line.split(";")
        event = words[2].partition(":")[0] if len(words) > 2 else ""
        if event in EVENTS and words[0].replace(".", "", 1).isdigit() and float(words[0]) > 0:
            found[event] = float(words[0])
    return found


def described(counts: dict[str, float], row: dict[str, Any] | None) -> list[str]:
    parts = []
    if {"cycles", "instructions"} <= counts.keys():
        parts.append(f"{counts['instructions'] / counts['cycles']:.2f} instructions per cycle")
    if (misses := counts.get("cache-misses")) is not None:
        if references := counts.get("cache-references"):
            parts.append(f"{100 * misses / references:.1f} % of {references:.3g} cache references miss")
        if row and math.isfinite(row["seconds"]) and row["seconds"] > 0:
            parts.append(f"about {misses * LINE_BYTES / row['seconds'] / 1e9:.2f} GB/s from memory ({LINE_BYTES} bytes per miss)")
    return ["; ".join(parts)] if parts else []
