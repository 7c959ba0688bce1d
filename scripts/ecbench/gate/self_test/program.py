"""bench.sh gate self-test: shows how reliable gate ab is on this machine. It runs gate ab on two equal builds. It also runs
gate ab on a build and a slower build."""

import argparse
import datetime
import json
import pathlib
import sys
from typing import Any

from ecbench.files.results_folder import results_folder
from ecbench.files.written_files import check_apart
from ecbench.gate.ab.verdict import Settings
from ecbench.gate.self_test.account import account
from ecbench.gate.self_test.campaign import HANDICAPPED, NAMES, SAME, Campaign, RealRun
from ecbench.gate.self_test.kept import kept_lines
from ecbench.gate.self_test.resampling import Pool, resample
from ecbench.gate.self_test.telling import lines
from ecbench.gate.sides import exit_codes
from ecbench.gate.sides.points import grid_file, read_lines
from ecbench.installation.places import OWN_BUILD, SOURCE
from ecbench.measure.ecbench import Ecbench
from ecbench.process.children import Child
from ecbench.runfile.machine import machine_of
from ecbench.terminal.arguments import percent, whole
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import Progress

SEED = 6
DRAWN_RUNS = 200

DESCRIPTION = """Shows how reliable gate ab is on this machine. Runs gate ab on two pairs of builds. The first pair is this build
and a copy of it (equal builds). The second pair is this build and a handicapped build, whose plugins repeat a part of their work
(--percent). Then simulates whole runs from the recorded launches. Prints how often equal builds raise a false alarm, how often the
gate detects a slower point ("caught"), how often the gate is inconclusive, and how long a run takes. A self-test takes about
twenty minutes. If it is interrupted, the same command continues it."""

EPILOG = """Exit codes: 0 all aims are reached (the output lists the aims); 3 an aim is missed; 1 bad input, or a run failed;
130 after Ctrl-C."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add = parser.add_argument
    add("--quick", action="store_true", help="make one run with equal builds and one run with the handicapped build; "
                                             "write no results, unless --results is given")
    add("--kept", action="store_true", help="measure nothing. Read the stored results in the directory of --results, and print the "
                                            "number of runs with equal builds, the number of false alarms, and an upper bound for "
                                            "the probability of a false alarm")
    add("--busy", action="store_true", help="copy memory on another CPU during all runs")
    add("--runs", type=whole(1, 1000), metavar="N", help="number of real runs with equal builds (default 10, or 1 if "
                                                                     "--quick is given)")
    add("--handicapped-runs", type=whole(0, 1000), metavar="N", help="number of real runs with the handicapped build "
                                                                     "(default 4, or 1 if --quick is given); 0 is allowed")
    add("--percent", type=whole(1, 100), default=5, metavar="P", help="the part of its work that the handicapped build repeats, in "
                                                                      "percent (default 5)")
    add("--build", default=str(OWN_BUILD), metavar="DIR", help="the build that is compared with a copy of it and with a "
                                                                   "handicapped build (default build/)")
    add("--work", metavar="DIR", help="directory for the records of the runs (default: gate-self-test in the build "
                                     "directory; --busy appends -busy to this name, and --quick appends -quick)")
    add("--results", metavar="DIR", help="directory for the results (default results/<machine>)")
    add("--grid", type=str.splitlines, metavar="GRID", help="as in gate ab")
    add("--threshold", type=percent, metavar="PERCENT", help="as in gate ab")
    add("--launches", type=whole(1, 1000), metavar="N", help="as in gate ab")
    add("--pairs", type=whole(2, 10000), metavar="N", help="as in gate ab")


def check(arguments: argparse.Namespace) -> None:
    """Checks the arguments before anything is built. Throws Refused."""
    if SOURCE is None:
        raise Refused("gate self-test compiles slower plugins, which an installed ecbench cannot do: run ./bench.sh gate "
                      "self-test in a clone of ecbench")
    if arguments.grid is not None:
        read_lines(arguments.grid, None)


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the self-test and returns the exit code. Throws Refused and children.Interrupted."""
    if arguments.kept:
        sys.stdout.writelines(f"{line}\n" for line in kept_lines(results_of(arguments, child)))
        return exit_codes.NO_REGRESSION
    same_runs, slow_runs = wanted_runs(arguments)
    build = pathlib.Path(arguments.build).absolute()
    work = arguments.work or build / f"gate-self-test{'-busy' if arguments.busy else ''}{'-quick' if arguments.quick else ''}"
    campaign = Campaign(work, build, passed_on(arguments), arguments.percent, arguments.busy, child)
    grid = [("--grid", grid_file(arguments.grid))] if arguments.grid else []
    check_apart(campaign.outputs(), [("--build", build / "ecbench"), ("--build", build / "plugins"), *grid])
    campaign.begin(needs_handicapped=slow_runs > 0)
    same, handicapped = measure(campaign, same_runs, slow_runs)
    result = judge(same, handicapped, arguments.percent)
    text = "\n".join(lines(result)) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()
    keep(arguments, result, text)
    return exit_codes.NO_REGRESSION if all(aim["reached"] for aim in result["aims"]) else exit_codes.REGRESSION


def wanted_runs(arguments: argparse.Namespace) -> tuple[int, int]:
    defaults = (1, 1) if arguments.quick else (10, 4)
    given = (arguments.runs, arguments.handicapped_runs)
    same, slow = (default if runs is None else runs for runs, default in zip(given, defaults, strict=True))
    return same, slow


def passed_on(arguments: argparse.Namespace) -> list[str]:
    words = [] if arguments.grid is None else ["--grid", *arguments.grid]
    for name in ("threshold", "launches", "pairs"):
        if (value := getattr(arguments, name)) is not None:
            words += [f"--{name}", f"{value:g}"]
    return words


def measure(campaign: Campaign, same_runs: int, slow_runs: int) -> tuple[list[RealRun], list[RealRun]]:
    """Makes the runs. The two kinds of runs alternate, so that changes of the machine's speed affect both kinds."""
    turns = [(SAME, number) for number in range(same_runs)] + [(HANDICAPPED, number) for number in range(slow_runs)]
    totals = {SAME: same_runs, HANDICAPPED: slow_runs}
    turns.sort(key=lambda turn: ((turn[1] + 0.5) / totals[turn[0]], turn[0]))
    found: dict[str, list[RealRun]] = {SAME: [], HANDICAPPED: []}
    done = sum(campaign.has(*turn) for turn in turns)
    if done:
        say(f"{done} of {len(turns)} runs exist already")
    progress = Progress(sys.stderr, len(turns) - done)
    try:
        for kind, number in turns:
            fresh = not campaign.has(kind, number)
            if fresh:
                progress.show(f"gate ab of {NAMES[kind]} builds")
            found[kind].append(campaign.run(kind, number))
            if fresh:
                progress.advance()
    finally:
        progress.erase()
    return found[SAME], found[HANDICAPPED]


def judge(same: list[RealRun], handicapped: list[RealRun], percent_lost: float) -> dict[str, Any]:
    header = same[0].header
    settings = Settings(len(header["points"]), header["threshold"], header["alpha"])
    ids = [entry["id"] for entry in header["points"]]
    pools = (Pool(same), Pool(handicapped) if handicapped else None)
    equal, slow = resample(*pools, ids, settings, header["launches"], DRAWN_RUNS, SEED)
    return account(same, handicapped, equal, slow, percent_lost)


def results_of(arguments: argparse.Namespace, child: Child) -> pathlib.Path:
    """The directory of --results if it is given, or else the directory with the results of this machine."""
    if arguments.results is not None:
        return pathlib.Path(arguments.results)
    environment = Ecbench(str(pathlib.Path(arguments.build) / "ecbench"), child).environment()
    return results_folder() / machine_of(environment)["slug"]


def keep(arguments: argparse.Namespace, result: dict[str, Any], text: str) -> None:
    """Writes the results to new files. The names of these files contain the time, so that no earlier results are overwritten."""
    if arguments.quick and arguments.results is None:
        return
    folder = pathlib.Path(arguments.results or results_folder() / result["machine"]["slug"])
    name = f"gate-self-test{'-busy' if arguments.busy else ''}-{datetime.datetime.now(datetime.UTC):%Y-%m-%d-%H%M%S}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for end, content in (("txt", text), ("json", json.dumps(result, indent=1, ensure_ascii=False) + "\n")):
            with open(folder / f"{name}.{end}", "x", encoding="utf-8") as file:
                file.write(content)
            say(f"written: {folder / name}.{end}")
    except OSError as error:
        raise Refused(f"{folder / name} cannot be written: {error.strerror}; the records of the runs are kept, so the "
                      "same command does not repeat the runs") from error
