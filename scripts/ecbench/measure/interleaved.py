"""Measures several points side by side: in rounds, each of which measures every point once, in an order drawn anew, in a process of
its own. What the machine does in the meantime happens to all of them, so that two are compared within their rounds."""

import dataclasses
import math
import random
import sys

from ecbench.terminal.console import say
from ecbench.measure.cpus import quiet_cpus
from ecbench.terminal.progress import Progress
from ecbench.statistics.standing import figure_of
from ecbench.statistics.interval import median, median_interval
from ecbench.terminal.arguments import seconds, whole

FEWEST_ROUNDS = 6  # of which an interval of 95 % can be told
SECONDS_FOR_A_PROCESS = 300


@dataclasses.dataclass(frozen=True)
class Effort:
    rounds: int
    min_time: float  # seconds, of each measurement
    seed: int


def add_arguments(parser, rounds=FEWEST_ROUNDS, min_time=0.1):
    parser.add_argument("--rounds", type=whole(1, 1000), default=rounds, metavar="N",
                        help="how often each point is measured, in turn with all others (default %(default)s; an interval needs "
                             f"{FEWEST_ROUNDS})")
    parser.add_argument("--min-time", type=seconds, default=min_time, metavar="SECONDS",
                        help="of each measurement (default %(default)s)")
    parser.add_argument("--seed", type=whole(0, (1 << 63) - 1), metavar="N",
                        help="of the order of measurements (default: drawn, and said)")
    parser.add_argument("--ecbench", metavar="PATH", help="the program to measure with (default build/ecbench)")


def effort_of(arguments, count):
    """What add_arguments() read, for `count` points; says what is done."""
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 32)
    say(f"{count} points are measured in {arguments.rounds} rounds; --seed {seed} repeats their order")
    return Effort(arguments.rounds, arguments.min_time, seed)


@dataclasses.dataclass
class Figures:
    rows: dict = dataclasses.field(default_factory=dict)  # name → its rows, by round
    failed: dict = dataclasses.field(default_factory=dict)  # name → its Outcome; it has no rows

    def middle(self, name, key="gb_per_s"):
        """The median over the rounds; None if there is no figure."""
        return median([row[key] for row in self.rows[name]]) if name in self.rows else None

    def interval_percent(self, name):
        """Half the 95 % interval of GB/s over the rounds, in percent; None if there is none."""
        rates = [row["gb_per_s"] for row in self.rows.get(name, ())]
        if len(rates) < FEWEST_ROUNDS:
            return None
        low, high, _ = median_interval(rates)
        return (high - low) / 2 / median(rates) * 100

    def ratio(self, name, base):
        """The speed of one over that of another, round by round: median, low, high. None if either has none; low and high are None
        where there are too few rounds."""
        if name not in self.rows or base not in self.rows:
            return None
        return figure_of([row["logarithm"] - other["logarithm"] for row, other in zip(self.rows[name], self.rows[base])])

    @property
    def wrong_bytes(self):
        return bool(self.wrong)

    @property
    def wrong(self):
        """The names of those that gave back wrong bytes."""
        return [name for name, outcome in self.failed.items() if outcome.kind == "wrong_bytes"]


def measure(ecbench, points, effort):
    """`points` maps names, which people read, to words of ecbench. A point that is refused or fails is told and left out. Throws
    children.Interrupted."""
    figures = Figures()
    progress = Progress(sys.stderr, len(points) * effort.rounds)
    order = random.Random(effort.seed)
    measuring = ["--cpu", str(quiet_cpus(1)[0]), "--min-time", f"{effort.min_time:g}", "--limit", "no"]
    try:
        for number in range(effort.rounds):
            names = [name for name in points if name not in figures.failed]
            order.shuffle(names)
            for name in names:
                progress.show(f"round {number + 1} of {effort.rounds}: {name}")
                take(figures, name, ecbench.measure([*points[name], *measuring], SECONDS_FOR_A_PROCESS), progress)
                progress.advance()
    finally:
        progress.erase()
    return figures


def take(figures, name, outcome, progress):
    if outcome.kind == "row" and outcome.row["gb_per_s"] > 0:
        figures.rows.setdefault(name, []).append(slim(outcome.row))
        return
    figures.failed[name] = outcome
    figures.rows.pop(name, None)
    progress.erase()
    what = {"refused": "is refused", "wrong_bytes": "gives back wrong bytes"}.get(outcome.kind, "failed")
    say(f"{name} {what}: {outcome.why or 'its clock saw no time pass'}")


def slim(row):
    """What is kept of a row: samples are many."""
    return {**{key: value for key, value in row.items() if key != "samples"}, "logarithm": math.log(row["gb_per_s"])}
