"""Starts the busy neighbour on the CPU beside the one that the gate measures on, and ends it."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

from ecbench.measure.cpus import quiet_cpus
from ecbench.terminal.console import Refused

PROGRAM = pathlib.Path(__file__).resolve().parent / "neighbour.py"
SECONDS_TO_END = 30


def neighbours_cpu():
    """The gate measures on the highest of the CPUs that are allowed; the neighbour gets the next."""
    cpus = quiet_cpus(2)
    if len(cpus) < 2:
        raise Refused("--busy needs two CPUs: one to measure on, and one for the neighbour")
    return cpus[1]


@contextlib.contextmanager
def busy_neighbour():
    """Yields a dict that has the neighbour's CPU, and how fast it copied once it has ended."""
    facts = {"cpu": neighbours_cpu()}
    process = subprocess.Popen([sys.executable, "-E", "-s", str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        os.sched_setaffinity(process.pid, {facts["cpu"]})
        if process.stdout.readline() != "ready\n":
            raise Refused("the busy neighbour did not start: it needs 512 MiB of memory")
        yield facts
        facts.update(end(process))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def end(process):
    """What it says at its end."""
    try:
        said, _ = process.communicate(timeout=SECONDS_TO_END)
        return json.loads(said)
    except (ValueError, OSError, subprocess.TimeoutExpired) as error:
        raise Refused("the busy neighbour ended before its time: this run was not busy") from error
