"""Adds the options of modes that measure named points in rounds, and makes the measurements of these modes."""

import argparse
from collections.abc import Mapping

from ecbench.measure import resume, start
from ecbench.measure.budget import seconds_of
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench
from ecbench.measure.lock import machine_lock
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.point import Planned, Point
from ecbench.runfile.header import Options
from ecbench.runfile.run_file import Run
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import seconds, seed, whole
from ecbench.terminal.console import say
from ecbench.terminal.progress import duration

SECONDS_FOR_A_PROCESS = 300


def add_arguments(parser: argparse.ArgumentParser, rounds: int = FEWEST_VALUES, min_time: float = 0.1) -> None:
    resume.add_arguments(parser)
    parser.add_argument("--rounds", type=whole(1, 1000), default=rounds, metavar="N",
                        help=f"measurements of each point (default %(default)s; a confidence interval needs {FEWEST_VALUES})")
    parser.add_argument("--min-time", type=seconds, default=min_time, metavar="SECONDS",
                        help="duration of the samples of a measurement in seconds (default %(default)s)")
    parser.add_argument("--seed", type=seed, metavar="N",
                        help="seed for the order (default: random, printed)")
    parser.add_argument("--ecbench", metavar="PATH", help="the program to measure with (default: this ecbench)")


def measure(mode: str, asked: resume.Asked, program: Ecbench, points: Mapping[str, Point]) -> Run:
    """Measures the points and returns the finished run. If `asked` contains a finished run, returns this run. `points`: name of the
    point in tables → point. Throws Refused and children.Interrupted."""
    if asked.run and asked.run.finished:
        return asked.run
    with machine_lock(program.child, asked.budget):
        if asked.run:
            writer, run = start.go_on(asked.run.path, program.environment())
        else:
            cpus = quiet_cpus(1)
            options = Options(asked.arguments.min_time, SECONDS_FOR_A_PROCESS, cpus, limit=False)
            planned = {point.id: Planned(point, name=name) for name, point in reversed(list(points.items()))}
            writer, run = start.begin(
                start.Start(mode, asked.words, asked.arguments.rounds, options, asked.arguments.seed,
                            list(reversed(planned.values())), asked.arguments.output), program.environment(["--cpu", str(cpus[0])]))
        with Session(run, writer, by_ecbench(program, run, budget=asked.budget), budget=asked.budget) as session:
            seconds = asked.budget.announce(seconds_of(run.total() - len(run.done()), run.header.options.min_time))
            say(f"{len(run.points)} points are measured in {run.header.repetitions} rounds; this takes about "
                f"{duration(seconds)}; --seed {run.header.seed} repeats the order of measurements")
            session.measure_planned(drop_failed=True)
            session.end()
    return run
