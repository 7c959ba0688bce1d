"""sweep.py GRID...: measures the points of a grid into a run file. bench.sh sweep --help tells the grids and the options.

Exit code 0 if all was measured, failures included; 1 for bad input; 2 if a code gave back wrong bytes; 128 and the number of the
signal that ends it."""

import shlex
import sys

from ecbench.process import children
from ecbench.process.end import run_to_the_end
from ecbench.terminal.console import Refused, say
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.expansion import expand, repeat
from ecbench.point.grid import Language, read_grids
from ecbench.measure.lock import MachineLock
from ecbench.runfile.run_file import read_run
from ecbench.measure import beginning
from ecbench.sweep import closing
from ecbench.sweep.options import parse
from ecbench.measure.session import Session


def chosen_points(options, program):
    """The expansion, the grid as it was given, the run's name, and the run whose points they are, if any."""
    if options.source is not None:
        source = read_run(options.source)
        return repeat(list(source.points.values()), program.describe), source.header["grid"], f"from-{source.name}", source
    plugins = program.list_plugins()
    grids, name = read_grids(options.grid, Language(plugins))
    return expand(grids, plugins, program.describe), " ".join(options.grid), name, None


def dry_run(options, program):
    expansion, _, _, source = chosen_points(options, program)
    closing.tell_grid(expansion)
    closing.print_points(expansion)
    repetitions, how = beginning.run_options(options, [entry["point"] for entry in expansion.entries], source)
    closing.tell_estimate(len(expansion.entries), repetitions, how["min_time"])
    return 0


def begin_run(options, program):
    """The writer of the run, and the run as far as it is done."""
    if options.resume is not None:
        environment = program.environment()
        run = read_run(options.resume, drop_cut_off=True) if options.resume else beginning.newest_unfinished(environment)
        if beginning.is_contest(run):
            raise Refused(f"{run.path} is a run of bench.sh contenders: that has a --resume of its own")
        return beginning.go_on(run, environment, f"--from {run.path}"), run
    expansion, grid, name, source = chosen_points(options, program)
    closing.tell_grid(expansion)
    points = [entry["point"] for entry in expansion.entries]
    cpus = ",".join(map(str, beginning.cpus_for(points, options)))
    environment = program.environment(["--cpu", cpus, "--threads", str(max(point.threads for point in points))])
    return beginning.begin(options, expansion, grid, name, environment, source)


def sweep(options, program):
    with MachineLock("sweep"):
        writer, run = begin_run(options, program)
        for trouble in run.header["environment"]["unfit"]:
            say(trouble)
        closing.tell_estimate(len(run.points), run.header["repetitions"], run.header["options"]["min_time"])
        session = Session(run, writer, program)
        try:
            session.measure_all()
        except children.Interrupted as interrupt:
            say(f"interrupted after {session.done} of {session.total}; go on with: bench.sh sweep --resume "
                f"{shlex.quote(str(writer.path))}")
            return 128 + interrupt.args[0]
        finally:
            writer.close()
    finished = read_run(writer.path)
    closing.print_summary(finished)
    wrong = [failure for failures in finished.failures.values() for failure in failures if failure["kind"] == "wrong_bytes"]
    if wrong:
        say(f"WRONG BYTES in {len(wrong)} of {finished.total()} measurements: a code does not give back the object")
    return 2 if wrong else 0


def program(child):
    options = parse(sys.argv[1:])
    ecbench = Ecbench(find_program(options.ecbench), child, options.plugin_dir)
    return dry_run(options, ecbench) if options.dry_run else sweep(options, ecbench)


def main():
    return run_to_the_end(program, "interrupted before the first point")
