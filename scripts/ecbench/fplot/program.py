"""bench.py [fplot]: sweeps Ceph's grid and prints the table, or the JavaScript of Ceph's page. bench.sh --help tells the variables.

Exit code 0; 1 if nothing could be measured or a row broke down; 2 as soon as a code gives back wrong bytes; 130, 143, 129 or 131 if
SIGINT, SIGTERM, SIGHUP or SIGQUIT ends it."""

import collections
import sys

from ecbench.fplot import ceph_grid, runner
from ecbench.fplot.closing import closing_lines
from ecbench.fplot.fplot import Fplot
from ecbench.fplot.settings import find_program, read_settings
from ecbench.fplot.table import Table
from ecbench.process import children
from ecbench.process.end import run_to_the_end
from ecbench.terminal.console import end_unwritten, say
from ecbench.terminal.progress import Progress


def read_mode(arguments):
    """The settings of the mode, which of the points are its own, and its output."""
    if arguments and arguments[0] == "fplot":
        return read_settings([4096], ceph_grid.CEPH_TECHNIQUES), fplot_points, Fplot
    return read_settings([4096, 1 << 20], (*ceph_grid.CEPH_TECHNIQUES, "cauchy_orig")), list, Table


def fplot_points(points):
    """One packetsize a line, and in Ceph's order: all encodes first."""
    return sorted((point for point in points if point.by_formula), key=lambda point: point.workload == "decode")


def sweep_points(settings, is_ours):
    points = ceph_grid.points(settings.plugins, settings.techniques, settings.sizes, not settings.sets("packetsize"))
    # Ceph's jerasure plugin aborts where w packets are more than a k-th of the object, which Ceph's own packetsize avoids.
    return points if is_ours else [point for point in points if point.by_formula]


class Sweep:
    def __init__(self, points, run, output):
        self.rows = []
        self.broken = 0
        self._points = points
        self._run = run
        self._output = output
        self._progress = Progress(sys.stderr, len(points))
        self._told = collections.Counter()
        self._said = set()

    def measure_all(self):
        """Throws runner.WrongBytes and children.Interrupted; the line of progress is gone in any case. That many rows are refused
        for the same reason, such as a wrong word in PARAMETERS, is told in two lines."""
        try:
            for point in self._points:
                self._progress.show(point)
                self._measure(point)
                self._progress.advance()
        finally:
            self._progress.erase()
            for (trouble, reason), count in self._told.items():
                if count > 1:
                    say(f"{count} rows in all {trouble} so: {reason}")

    def _measure(self, point):
        try:
            row = self._run.measure(point)
        except runner.RowRefused as refusal:
            self._tell(f"{point} is refused: {refusal}", ("were refused", str(refusal)))
            return
        except runner.RowFailed as failure:
            self.broken += 1
            self._tell(f"{point} failed: {failure}", ("failed", str(failure)))
            return
        except runner.WrongBytes as error:
            raise runner.WrongBytes(f"{point} gives back wrong bytes: {error}") from error
        for note in self._run.notes:
            if note not in self._said:
                self._said.add(note)
                self._say(note)
        self._progress.erase()
        self._output.add(row)
        self.rows.append(row)

    def _tell(self, message, trouble):
        self._told[trouble] += 1
        if self._told[trouble] == 1:
            self._say(message)

    def _say(self, message):
        self._progress.erase()
        say(message)


def run_sweep(sweep, output, points, compiler):
    try:
        sweep.measure_all()
    except children.Interrupted as interrupt:
        output.end()
        say(f"interrupted after {len(sweep.rows)} of {len(points)} rows")
        return 128 + interrupt.args[0]
    except runner.WrongBytes as error:
        output.end()
        say(str(error))
        return 2
    output.end()
    if not sweep.rows:
        say("no row could be measured")
        return 1
    doubtful = sum(row.has_warning for row in sweep.rows)
    if doubtful:
        say(f"{doubtful} of {len(sweep.rows)} rows have a warning: the machine is not quiet")
    for line in closing_lines(sweep.rows, compiler):
        print(line, file=sys.stderr)
    return 1 if sweep.broken else 0


def read_arguments(words):
    """Throws Refused for what can be told without the program."""
    read_mode(words)


def bench(child):
    settings, choose, make_output = read_mode(sys.argv[1:])
    settings.program = find_program(settings.program)
    run = runner.Runner(settings, child)
    points = choose(sweep_points(settings, run.is_ours))
    try:
        output = make_output(sys.stdout)
        return run_sweep(Sweep(points, run, output), output, points, run.compiler)
    except OSError as error:
        end_unwritten(f"cannot write to standard output: {error.strerror}")


def main():
    return run_to_the_end(bench, "interrupted before the first row")
