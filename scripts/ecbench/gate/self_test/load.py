"""Starts and ends the memory copier, which runs on another CPU than the gate."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from ecbench.measure.cpus import quiet_cpus
from ecbench.terminal.console import Refused

PROGRAM = pathlib.Path(__file__).resolve().parent / "copier.py"
SECONDS_TO_END = 30


def copiers_cpu() -> int:
    """The CPU of the copier. The gate measures on the highest-numbered CPU that this process may use; the copier uses the
    second-highest."""
    cpus = quiet_cpus(2)
    if len(cpus) < 2:
        raise Refused("--busy needs two CPUs: one to measure on, and one for the copier")
    return cpus[1]


@contextlib.contextmanager
def busy_copier() -> Iterator[dict[str, Any]]:
    """Yields a dict with the copier's CPU. The copier's speed is added at the end."""
    facts = {"cpu": copiers_cpu()}
    process = subprocess.Popen([sys.executable, "-E", "-s", str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        os.sched_setaffinity(process.pid, {facts["cpu"]})
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            raise Refused("the memory copier did not start: it needs 512 MiB of memory")
        yield facts
        facts.update(end(process))
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def end(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Ends the copier. Returns the contents of the line that it prints at its end."""
    try:
        said, _ = process.communicate(timeout=SECONDS_TO_END)
        return json.loads(said)
    except (ValueError, OSError, subprocess.TimeoutExpired) as error:
        raise Refused("the memory copier ended before the end of the run, so memory was not busy: start the self-test "
                      "again") from error
