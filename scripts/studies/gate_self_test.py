#!/usr/bin/python3 -Es
"""gate_self_test.py shows how often gate ab raises a false alarm, and how often it finds a loss of speed.

It runs gate ab on a build and a copy of it (equal builds; the copy is alternately NEW and OLD), and on the build and plugins that
repeat a part of their work at every point (target `handicapped`). Further arguments are passed to gate ab. The exit code is 1 if a
run of equal builds has a regression, or if less than 95 % of the handicapped points are found."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import launch
from ecbench.comparison.figures import INCONCLUSIVE, SLOWER
from ecbench.installation.places import SCRIPTS
from ecbench.statistics.interval import upper_bound
from ecbench.terminal.console import Refused

LEAST_FOUND = 0.95


def gate(old: pathlib.Path, new: pathlib.Path, words: list[str], **environment: str) -> dict[str, Any]:
    """Runs gate ab and returns its JSON document."""
    command = [sys.executable, "-Es", str(SCRIPTS / "mode.py"), "gate", "ab", str(old), str(new), "--format", "json", *words]
    start = time.monotonic()
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                            env=os.environ | environment)
    if result.returncode not in (0, 3):
        raise Refused(f"gate ab failed: {(result.stderr.strip().splitlines() or [str(result.returncode)])[-1]}")
    document: dict[str, Any] = json.loads(result.stdout)
    verdicts = [point["verdict"] for point in document["points"]]
    print(f"{old} against {new}: {verdicts.count(SLOWER)} of {len(verdicts)} points slower, {verdicts.count(INCONCLUSIVE)} "
          f"inconclusive, {time.monotonic() - start:.0f} s", flush=True)
    return document


def copy_of(build: pathlib.Path, folder: str) -> pathlib.Path:
    copy = pathlib.Path(folder) / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    (copy / "plugins").mkdir(parents=True)
    shutil.copy2(build / "ecbench", copy)
    for plugin in build.glob("plugins/libec_*.so"):
        shutil.copy2(plugin, copy / "plugins")
    return copy


def equal_runs(build: pathlib.Path, runs: int, words: list[str]) -> int:
    """The number of false alarms."""
    alarms = 0
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:  # a new copy for each run, so that its code has other addresses
            old, new = build, copy_of(build, folder)
            document = gate(new, old, words) if number % 2 else gate(old, new, words)
        alarms += document["verdict"] == SLOWER
    print(f"equal builds: {alarms} false alarms in {runs} runs; their probability is at most "
          f"{100 * upper_bound(alarms, runs):.1f} % (95 % confidence)")
    return alarms


def found_share(build: pathlib.Path, runs: int, percent: int, words: list[str]) -> float:
    """The share of handicapped points with the verdict slower."""
    verdicts = [point["verdict"] for _ in range(runs)
                for point in gate(build, build / "handicapped" / "plugins", words, ECBENCH_HANDICAP_PERCENT=str(percent))["points"]]
    found = verdicts.count(SLOWER)
    print(f"builds that repeat {percent} % of their work: {found} of {len(verdicts)} points found, {verdicts.count(INCONCLUSIVE)} "
          "inconclusive")
    return found / len(verdicts)


def main() -> int:
    parser = launch.parser(__doc__, takes_ecbench=False)
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path, help="a build directory that CMake configured")
    parser.add_argument("--runs", type=launch.at_least_one, default=10, help="runs of equal builds (default 10)")
    parser.add_argument("--handicapped-runs", type=launch.at_least_one, default=4, help="runs of handicapped builds (default 4)")
    parser.add_argument("--percent", type=launch.at_least_one, default=5,
                        help="the part of its work that the handicapped build repeats, in percent (default 5)")
    arguments, words = parser.parse_known_args()
    build = arguments.build.absolute()
    launch.output_of(["cmake", "--build", str(build), "--target", "handicapped"])
    alarms = equal_runs(build, arguments.runs, words)
    share = found_share(build, arguments.handicapped_runs, arguments.percent, words)
    return int(alarms > 0 or share < LEAST_FOUND)


if __name__ == "__main__":
    launch.run(main)
