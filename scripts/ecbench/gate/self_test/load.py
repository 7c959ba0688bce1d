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
    """The number of the copier's CPU. Of the CPUs that this process may use, the gate measures on the CPU with the highest number.
    The copier uses the CPU with the second-highest number."""
    cpus = quiet_cpus(2)
    if len(cpus) < 2:
        raise Refused("--busy needs two CPUs: one for the measurements, and one for the memory copier")
    return cpus[1]


@contextlib.contextmanager
def busy_copier() -> Iterator[dict[str, Any]]:
    """Runs the copier. Yields a dict with the number of the copier's CPU. At the end, the dict also gets the speeds
    that the copier has measured."""
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
    """Ends the copier. Returns the JSON object that the copier prints at its end."""
    try:
        said, _ = process.communicate(timeout=SECONDS_TO_END)
        return json.loads(said)
    except (ValueError, OSError, subprocess.TimeoutExpired) as error:
        raise Refused("the memory copier ended before the run ended, so the memory was not busy during the whole run: "
                      "start the self-test again") from error
