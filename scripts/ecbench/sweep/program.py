"""bench.sh sweep GRID...: measures the points of a grid into a run file.

Exit code 0 if all was measured, failures included; 1 for bad input; 2 if a code gave back wrong bytes; 128 and the number of the
signal that ends it."""

import sys

from ecbench.files.home import without_home
from ecbench.files.written_files import check_apart
from ecbench.measure import resume, start
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import MachineLock
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import Language
from ecbench.point.expansion import expand, repeat
from ecbench.point.grid import read_grids
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.sweep import closing
from ecbench.sweep.options import check, make_parser
from ecbench.terminal.console import say

MODE = "sweep"
ROUNDS = 2
MIN_TIME = 0.2


def chosen_points(options, program):
    """The expansion, the grid as it was given, the run's name, and the run whose points they are, if any."""
    if options.source is not None:
        source = read_run(options.source)
        return repeat(list(source.points.values()), program.describe), source.header["grid"], f"from-{source.name}", source
    plugins = program.list_plugins()
    grids, name = read_grids(options.grid, Language(plugins))
    return expand(grids, plugins, program.describe), " ".join(map(without_home, options.grid)), name, None


def effort_of(options, source):
    """Repetitions and seconds of samples; a run that repeats another one's points does as that did unless told otherwise."""
    before = source.header if source else {"repetitions": ROUNDS, "options": {}}
    return options.repetitions or before["repetitions"], options.min_time or before["options"].get("min_time", MIN_TIME)


def dry_run(options, program):
    expansion, _, _, source = chosen_points(options, program)
    closing.tell_grid(expansion)
    closing.print_points(expansion)
    closing.tell_estimate(len(expansion.entries), *effort_of(options, source))
    return 0


def begin_run(asked, program):
    """The writer of the run, and the run as far as it is done."""
    options = asked.arguments
    if asked.run:
        return start.go_on(asked.run.path, program.environment(), f"--from {asked.run.path}")
    expansion, grid, name, source = chosen_points(options, program)
    closing.tell_grid(expansion)
    points = [entry["point"] for entry in expansion.entries]
    cpus = start.cpus_for(points, options.cpu)
    environment = program.environment(["--cpu", ",".join(map(str, cpus)), "--threads", str(max(point.threads for point in points))])
    rounds, min_time = effort_of(options, source)
    return start.begin(start.Start(
        MODE, asked.words, rounds, start.Options(min_time, options.timeout, cpus), options.seed, expansion.entries, options.output,
        name, more={"grid": grid, "dropped": expansion.dropped, "merged": expansion.merged}), environment)


def sweep(asked, program):
    with MachineLock(MODE):
        writer, run = begin_run(asked, program)
        for trouble in run.header["environment"]["unfit"]:
            say(trouble)
        closing.tell_estimate(len(run.points), run.header["repetitions"], run.header["options"]["min_time"])
        with Session(run, writer, by_ecbench(program, run)) as session:
            session.measure_planned()
            session.end()
    finished = read_run(writer.path)
    closing.print_summary(finished)
    wrong = [failure for failures in finished.failures.values() for failure in failures if failure["kind"] == "wrong_bytes"]
    if wrong:
        say(f"WRONG BYTES in {len(wrong)} of {finished.total()} measurements: a code does not give back the object")
    return 2 if wrong else 0


def read_arguments(words):
    """Throws Refused for what can be told without the program."""
    if options := resume.check(MODE, words, make_parser()):
        check(options)


def program(child):
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child)
    options = asked.arguments
    check(options)
    ecbench = Ecbench(find_program(options.ecbench), child, options.plugin_dir)
    check_apart([("--output", options.output)], [("--from", options.source), ("--resume", options.resume),
                                                 ("--ecbench", ecbench.program)])
    return dry_run(options, ecbench) if options.dry_run else sweep(asked, ecbench)


def main():
    return run_to_the_end(program, "interrupted before the first point")
