#!/usr/bin/python3 -Es
"""gate_self_test.py shows how often gate ab raises a false alarm, and how often it finds a loss of speed.

It runs gate ab on a build and a copy of it (equal builds; the copy is alternately NEW and OLD), and on the build and plugins that
repeat a part of their work at every point (target `handicapped`). Further arguments are passed to gate ab. The exit code is 1 if a
run of equal builds has a regression, or if less than 95 % of the handicapped points are found."""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
from typing import Any

import launch
from ecbench.comparison.figures import INCONCLUSIVE, SLOWER
from ecbench.installation.places import SCRIPTS
from ecbench.process.process import Child
from ecbench.statistics.interval import upper_bound
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused

LEAST_FOUND = 0.95


def gate(child: Child, old: pathlib.Path, new: pathlib.Path, words: list[str]) -> dict[str, Any]:
    """Runs gate ab and returns its JSON document."""
    start = time.monotonic()
    code, stdout, stderr = child.run([sys.executable, "-Es", str(SCRIPTS / "mode.py"), "gate", "ab", str(old), str(new), "--format",
                                      "json", *words])
    if code not in (0, 3):
        raise Refused(f"gate ab failed: {(stderr.strip().splitlines() or [str(code)])[-1]}")
    document: dict[str, Any] = json.loads(stdout)
    verdicts = [point["verdict"] for point in document["points"]]
    print(f"{old} against {new}: {verdicts.count(SLOWER)} of {len(verdicts)} points slower, {verdicts.count(INCONCLUSIVE)} "
          f"inconclusive, {time.monotonic() - start:.0f} s", flush=True)
    return document


def copy_of(build: pathlib.Path, folder: str) -> pathlib.Path:
    copy = pathlib.Path(folder) / "copy"
    shutil.copytree(build / "plugins", copy / "plugins")
    shutil.copy2(build / "ecbench", copy)
    return copy


def equal_runs(child: Child, build: pathlib.Path, runs: int, words: list[str]) -> int:
    """The number of false alarms."""
    alarms = 0
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:  # a new copy for each run, so that its code has other addresses
            old, new = build, copy_of(build, folder)
            document = gate(child, *((new, old) if number % 2 else (old, new)), words)
        alarms += document["verdict"] == SLOWER
    print(f"equal builds: {alarms} false alarms in {runs} runs; their probability is at most "
          f"{100 * upper_bound(alarms, runs):.1f} % (95 % confidence)")
    return alarms


def found_share(child: Child, build: pathlib.Path, runs: int, percent: int, words: list[str]) -> float:
    """The share of handicapped points with the verdict slower."""
    os.environ["ECBENCH_HANDICAP_PERCENT"] = str(percent)
    plugins = build / "handicapped" / "plugins"
    verdicts = [point["verdict"] for _ in range(runs) for point in gate(child, build, plugins, words)["points"]]
    found = verdicts.count(SLOWER)
    print(f"builds that repeat {percent} % of their work: {found} of {len(verdicts)} points found, {verdicts.count(INCONCLUSIVE)} "
          "inconclusive")
    return found / len(verdicts)


def study(parser: Parser, child: Child) -> int:
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path, help="a build directory that CMake configured")
    parser.add_argument("--runs", type=launch.at_least_one, default=10, help="runs of equal builds (default 10)")
    parser.add_argument("--handicapped-runs", type=launch.at_least_one, default=4, help="runs of handicapped builds (default 4)")
    parser.add_argument("--percent", type=launch.at_least_one, default=5,
                        help="the part of its work that the handicapped build repeats, in percent (default 5)")
    arguments, words = parser.parse_known_args()
    build = arguments.build.absolute()
    if child.run_shown(["cmake", "--build", str(build), "--target", "handicapped"]):
        raise Refused(f"the target handicapped of {build} cannot be built: see above")
    alarms = equal_runs(child, build, arguments.runs, words)
    share = found_share(child, build, arguments.handicapped_runs, arguments.percent, words)
    return int(alarms > 0 or share < LEAST_FOUND)


if __name__ == "__main__":
    launch.run(__doc__, study)
