"""bench.sh sweep GRID...: measures the points of a grid and writes a run file. Exit codes: 0 if the sweep reached its end, even if
points failed; 1 for bad input; 2 if a code returned wrong bytes; 128 + the signal's number if a signal ended the sweep."""

import argparse
import sys
from typing import Any

from ecbench.files.home import without_home
from ecbench.files.written_files import check_apart
from ecbench.measure import resume, start
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import MachineLock
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import Language
from ecbench.point.expansion import Expansion, expand, repeat
from ecbench.point.grid import read_grids
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import Run, RunWriter, read_run
from ecbench.sweep import closing
from ecbench.sweep.options import check, make_parser
from ecbench.terminal.console import say

MODE = "sweep"
ROUNDS = 2
MIN_TIME = 0.2


def expanded(options: argparse.Namespace, source: Run | None, program: Ecbench) -> tuple[Expansion, str, str]:
    """The points, the grid as the user wrote it, and the name of the run."""
    if source:
        return repeat(list(source.points.values()), program.describe), source.header["grid"], f"from-{source.name}"
    plugins = program.list_plugins()
    grids, name = read_grids(options.grid, Language(plugins))
    return expand(grids, plugins, program.describe), " ".join(map(without_home, options.grid)), name


def effort_of(options: argparse.Namespace, source: Run | None) -> tuple[int, float]:
    """The number of repetitions, and the total duration of the samples in each measurement, in seconds. With --from, the defaults
    are the values of the given run."""
    before: dict[str, Any] = source.header if source else {"repetitions": ROUNDS, "options": {}}
    return options.repetitions or before["repetitions"], options.min_time or before["options"].get("min_time", MIN_TIME)


def begin(asked: resume.Asked, program: Ecbench) -> tuple[RunWriter, Run] | None:
    """Returns the run and its writer. With --dry-run, this function only prints the points, and returns None."""
    options = asked.arguments
    if asked.run:
        return start.go_on(asked.run.path, program.environment(), f"--from {asked.run.path}")
    source = read_run(options.source) if options.source is not None else None
    expansion, grid, name = expanded(options, source, program)
    rounds, min_time = effort_of(options, source)
    closing.tell_grid(expansion)
    if options.dry_run:
        closing.print_points(expansion)
        closing.tell_estimate(len(expansion.entries), rounds, min_time)
        return None
    points = [entry["point"] for entry in expansion.entries]
    cpus = start.cpus_for(points, options.cpu)
    environment = program.environment(["--cpu", ",".join(map(str, cpus)), "--threads", str(max(point.threads for point in points))])
    return start.begin(start.Start(
        MODE, asked.words, rounds, start.Options(min_time, options.timeout, cpus), options.seed, expansion.entries, options.output,
        name, more={"grid": grid, "dropped": expansion.dropped, "merged": expansion.merged}), environment)


def measure(writer: RunWriter, run: Run, program: Ecbench) -> int:
    """Measures the points, prints the results, and returns the exit code."""
    for trouble in run.header["environment"]["unfit"]:
        say(trouble)
    closing.tell_estimate(len(run.points), run.header["repetitions"], run.header["options"]["min_time"])
    with Session(run, writer, by_ecbench(program, run)) as session:
        session.measure_planned()
        session.end()
    return close(run)


def close(run: Run) -> int:
    """Prints the results of the run and returns the exit code."""
    closing.print_summary(run)
    wrong = sum(failure["kind"] == "wrong_bytes" for failures in run.failures.values() for failure in failures)
    if wrong:
        say(f"WRONG BYTES in {wrong} of {run.total()} measurements: a code does not return the object")
    return 2 if wrong else 0


def read_arguments(words: list[str]) -> None:
    """Throws Refused for errors in the arguments that can be found without the ecbench program."""
    if options := resume.check(MODE, words, make_parser()):
        check(options)


def sweep(child: Child) -> int:
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child)
    options = asked.arguments
    if asked.run and asked.run.finished:  # the results are only printed again, without the ecbench program
        check_apart([], [("--resume", options.resume)])
        return close(asked.run)
    check(options)
    program = Ecbench(find_program(options.ecbench), child, options.plugin_dir)
    check_apart([("--output", options.output)], [("--from", options.source), ("--resume", options.resume),
                                                 ("--ecbench", program.program)])
    if options.dry_run:
        begin(asked, program)
        return 0
    with MachineLock():
        begun = begin(asked, program)
        return measure(*begun, program) if begun else 0


def main() -> int:
    return run_to_the_end(sweep, "interrupted before the first point")
