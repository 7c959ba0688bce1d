"""The measuring loop. Each measurement is a separate process, whose result is written to disk before the next one begins. A mode
that resumes a run repeats all its steps in the same order; what the run file contains is not measured again.

Planned points are measured in rounds, each in random order, so that a change of the machine affects all points equally. Modes that
choose points by earlier results call take() or take_rounds().

If the budget of time is spent, no further measurement begins: Budget.check() throws OutOfTime, and the run can be resumed. A
command that announced a duration keeps to it on a disturbed machine too: repeats and the wait for clean samples only use time that
the measurements still to come do not need."""

import argparse
import collections
import contextlib
import dataclasses
import math
import os
import random
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from ecbench.files import files
from ecbench.installation import places
from ecbench.measure.ecbench import Ecbench, failure
from ecbench.measure.machine import WAITED
from ecbench.point.point import Planned, Point
from ecbench.process.process import Interrupted
from ecbench.runfile.header import Header
from ecbench.runfile.row import WRONG_BYTES, Failure, RowOrFailure, differences_from
from ecbench.runfile.run_file import Key, Run, RunWriter, now
from ecbench.runfile.summary import shortened
from ecbench.terminal.arguments import budget_seconds
from ecbench.terminal.console import OutOfTime, Progress, WrongBytes, duration, say, warn

MARGIN = 1.1  # longest duration of a disturbed run, as a multiple of the announced duration
SLACK = 0.5  # seconds that a short run may take in addition
# The share of the time, and the seconds at most, that stay free at the end: the last measurements may take longer than planned.
RESERVE, MOST_RESERVED = 0.02, 2.0
# A measurement takes SECONDS_PER_PROCESS, plus PER_SECOND_OF_SAMPLES seconds for each second of samples: the process also loads its
# plugin, makes and checks its objects, and probes the CPU between the samples.
SECONDS_PER_PROCESS = 0.1
PER_SECOND_OF_SAMPLES = 1.4
LEAST_SAMPLES = 0.002  # seconds of samples of a measurement


def seconds_of(measurements: int, min_time: float) -> float:
    """The estimated duration of measurements on a quiet machine, in seconds."""
    return measurements * (SECONDS_PER_PROCESS + PER_SECOND_OF_SAMPLES * min_time)


def samples_in(seconds: float) -> float:
    """The duration of the samples of a measurement that takes so long; below 0 if there is no time for any."""
    return (seconds - SECONDS_PER_PROCESS) / PER_SECOND_OF_SAMPLES


def add_budget(parser: argparse.ArgumentParser, default: str = "no limit", on: str = "--resume continues") -> None:
    parser.add_argument("--budget", type=budget_seconds, metavar="SECONDS",
                        help=f"end after this time (90, 2m); {on} (default: {default})")


class Budget:
    """`seconds`: None if there is no limit. The budget begins when the object is made, the first of a process with the wait of
    front.py. `clock` returns seconds."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic):
        self.seconds = seconds
        self._clock = clock
        self._begin = clock() - float(os.environ.pop(WAITED, 0))
        self._end = math.inf if seconds is None else seconds
        self._announced_end = self._end
        self._stage_end = math.inf
        self._samples = 0.0  # requested duration of the samples of the next measurement
        self._overhead = SECONDS_PER_PROCESS
        self._count = 0  # measurements of this stage that are still to come
        self._last = 0.0  # duration of the last measurement
        self.has_measured = False

    def announce(self, seconds: float) -> float:
        """`seconds`: the estimated duration of the rest of the run. Returns the duration to announce, which the budget limits."""
        self._announced_end = min(self._end, self.elapsed() + max(MARGIN * seconds, seconds + SLACK))
        return min(seconds, self._end - self.elapsed())

    def elapsed(self) -> float:
        return self._clock() - self._begin

    def left(self, in_all: bool = False) -> float:
        """The time left for the stage."""
        return (self._announced_end if in_all else min(self._announced_end, self._stage_end)) - self.elapsed()

    def _to_plan(self) -> float:
        """left() without the reserve."""
        end = min(self._announced_end, self._stage_end)
        return self.left() - min(MOST_RESERVED, RESERVE * end)

    def is_spent(self) -> bool:
        return self.elapsed() >= self._end

    def check(self) -> float:
        """Throws OutOfTime. Returns the value for end_measurement()."""
        if self.is_spent():
            self.end()
        return self._clock()

    def end(self) -> None:
        """For a run whose next round does not fit into the time left. Throws OutOfTime, but only after a measurement: a run
        that is continued repeatedly must come to its end."""
        if self.has_measured:
            raise OutOfTime(self.spent_text())

    def spent_text(self) -> str:
        return f"the budget of {duration(self.seconds or 0)} is spent"

    def begin_stage(self, count: int, seconds: float | None = None) -> None:
        """`seconds`: None if no other stages follow."""
        self._count = count
        self._stage_end = math.inf if seconds is None else self.elapsed() + seconds

    def end_measurement(self, begun: float, is_repeat: bool = False) -> None:
        self._last, self.has_measured = self._clock() - begun, True
        if self._samples:
            self._overhead += (self._last - self._samples - self._overhead) / 8
        if not is_repeat:
            self.skip()

    def skip(self) -> None:
        self._count = max(0, self._count - 1)

    def share(self) -> float | None:
        """The seconds that the next measurement may take, so that the others have as many. None: any number of seconds."""
        return None if math.isinf(self.left()) else max(0.0, self._to_plan() / max(1, self._count))

    def samples(self, least: float, most: float) -> float:
        """The duration of the samples of the next measurement in seconds, so that the measurements still to come end in time."""
        share = self.share()
        self._samples = most if share is None else min(max(least, share - self._overhead), most)
        return self._samples

    def patience(self, least: float) -> float | None:
        """The seconds that ecbench may wait for clean samples in the next measurement, but at least `least`."""
        share = self.share()
        return None if share is None else max(least, share - SECONDS_PER_PROCESS)

    def allows_repeat(self) -> bool:
        """Whether there is time to repeat the last measurement, in addition to the measurements that are still to come."""
        return self._to_plan() >= self._last * (1 + self._count)


@dataclasses.dataclass(frozen=True)
class Effort:
    """Options of ecbench that determine how long a measurement takes."""

    min_time: float  # total duration of the samples, in seconds
    placements: int | None = None  # None: ecbench's default
    limit: bool = True  # whether the roofline is also measured

    def words(self) -> list[str]:
        placements = [] if self.placements is None else ["--placements", str(self.placements)]
        return ["--min-time", f"{self.min_time:g}", *placements, *([] if self.limit else ["--limit", "no"])]


AS_LISTED, BY_CASE = "as listed", "random, case by case"
PRINTED = ("plugin", "workload", "size", "threads", "erasures")  # each row has these columns of its point
Measure = Callable[[Point, Effort | None], RowOrFailure]


def by_ecbench(program: Ecbench, run: Run, budget: Budget | None = None) -> Measure:
    """Returns a function that measures a point with the options in the run's header, or with the effort of a stage."""
    options = run.header.options
    planned = Effort(options.min_time, limit=bool(options.limit))

    def measure(point: Point, effort: Effort | None) -> RowOrFailure:
        cpus = ",".join(map(str, options.cpus[:point.threads]))
        chosen = effort or planned
        words = program.session_words(budget.patience(chosen.min_time) if budget else None)
        outcome = program.measure([*point.words(), *chosen.words(), *words, "--cpu", cpus], options.timeout)
        difference = "" if outcome.failure else next(differences_from(point, outcome.json, PRINTED), "")
        return failure("failed", outcome.command, f"the row that the program printed {difference}", 0) if difference else outcome
    return measure


def order_of(header: Header, points: Iterable[Planned] | None = None) -> list[tuple[str, int]]:
    """All pairs (id, repetition) of the planned points, or of some, in the order of measurement. The points of a group are measured
    one after another, so that a slow change of the machine affects them equally."""
    generator = random.Random(header.seed)
    groups: dict[str, list[str]] = {}
    for entry in header.points if points is None else points:
        groups.setdefault(entry.group or entry.id, []).append(entry.id)
    if header.order == BY_CASE:
        draws = {group: random.Random(f"{header.seed} {group}") for group in groups}
        return [(identity, repetition) for group, names in groups.items() for repetition in range(header.repetitions)
                for identity in draws[group].sample(names, len(names))]

    def ordered(names: Iterable[str]) -> list[str]:
        order = list(names)
        if header.order != AS_LISTED:
            generator.shuffle(order)
        return order

    return [(identity, repetition) for repetition in range(header.repetitions)
            for group in ordered(groups) for identity in ordered(groups[group])]


MOST_FAILURES = 2
SECONDS_BETWEEN_LINES = 10.0  # time between two lines of progress if standard error is not a terminal


class Session(contextlib.AbstractContextManager["Session"]):
    """Measures the points of a run in a `with` block, at whose end it closes the writer. After a signal or at the end of the
    budget, the message of Interrupted or OutOfTime contains the command that resumes the run."""

    def __init__(self, run: Run, writer: RunWriter, measure: Measure, unit: str = "measurements", budget: Budget | None = None):
        """`unit`: the word for the measurements in messages, such as "rows"."""
        self._budget = budget or Budget()
        self._run = run
        self._writer = writer
        self._measure = measure
        self._names = {entry.id: entry.name for entry in run.header.points}
        self._stage = ""
        self._progress = Progress(sys.stderr, 0)
        self._unit = unit
        self._repeated = self._warned = 0  # measurements that were repeated because of warnings; those that had warnings again
        self._failures: collections.Counter[tuple[str, str]] = collections.Counter()

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        self._progress.close()
        self._writer.close()
        for (kind, why), count in self._failures.items():
            if count > 1:
                say(f"in total, {count} {self._unit} {KINDS[kind][1]}: {why}")
        if isinstance(error, Interrupted):
            raise Interrupted(error.signal, f"interrupted after {self._how_to_resume()}") from error
        if isinstance(error, OutOfTime):
            raise (WrongBytes if self._run.wrong_bytes() else OutOfTime)(f"{error} after {self._how_to_resume()}") from error

    def begin_stage(self, title: str, count: int, seconds: float | None = None) -> None:
        """Begins a progress line with this title for about `count` calls of take(), which share `seconds`, or the time left."""
        self._progress.close()
        self._stage = f"{title}: " if title else ""
        self._budget.begin_stage(count, seconds)
        self._progress = Progress(sys.stderr, count, SECONDS_BETWEEN_LINES, self._budget.left)

    def take(self, point: Point, repetition: int, stage: str = "", effort: Effort | None = None,
             again: bool = False) -> RowOrFailure:
        """The recorded result for this point, repetition and stage, or a new one. Throws Interrupted, OutOfTime and Refused."""
        key = Key(point.id, repetition, stage, again)
        if key in self._run.records:
            self._budget.skip()
            self._progress.advance(is_recorded=True)
            return self._run.records[key]
        begun = self._budget.check()
        name = self._names.get(point.id) or str(point)
        self._progress.show(f"{self._stage}{name}")
        if point.id not in self._run.points:
            self._writer.append("point", id=point.id, point=point.to_json())
            self._run.points[point.id] = point
        at = now()
        outcome = self._measure(point, effort)
        of_stage = {name: value for name, value in (("stage", stage), ("again", again)) if value}
        json = {"id": point.id, "repetition": repetition, **of_stage, "at": at,
                **(shortened(outcome.json) if stage and not outcome.failure else outcome.json)}
        self._writer.append("failure" if outcome.failure else "row", **json)
        self._run.add(key, dataclasses.replace(outcome, json=json, repetition=repetition, at=at))
        self._budget.end_measurement(begun, again)
        if isinstance(outcome, Failure):  # the first one for each reason is printed, and others are counted
            self._failures[outcome.kind, outcome.why] += 1
            if self._failures[outcome.kind, outcome.why] == 1:
                say(f"{name} {KINDS[outcome.kind][0]}: {outcome.why}")
        self._progress.advance()
        return outcome

    def take_clean(self, point: Point, repetition: int) -> RowOrFailure:
        """Like take(). A result with warnings is measured again if the budget allows it; the second result counts if it has no
        warnings, or if it has wrong bytes. A run that continues does not repeat what its earlier part measured, except the
        last measurement: its repeat may have been interrupted."""
        key, records = Key(point.id, repetition), self._run.records
        is_new = key not in records or key == next(reversed(records))
        outcome = self.take(point, repetition)
        repeats = (is_new and self._budget.allows_repeat()) or Key(point.id, repetition, again=True) in records
        if not outcome.is_doubtful or not repeats:
            return outcome
        self._progress.total += 1
        again = self.take(point, repetition, again=True)
        self._repeated += 1
        self._warned += again.is_doubtful
        return again if again.failure == WRONG_BYTES or not (again.failure or again.is_doubtful) else outcome

    def take_rounds(self, points: Iterable[Point], count: int, stage: str, effort: Effort, seconds: float) -> None:
        """Measures all points in `count` rounds, in random order. A point that fails is left out of later rounds. No round begins
        after `seconds`."""
        left = list(points)
        self.begin_stage(stage, len(left) * count, seconds)
        for repetition in range(count):
            if self._budget.left() > 0:
                order = random.Random(repetition).sample(left, len(left))
                left = [point for point in order if not self.take(point, repetition, stage, effort).failure]

    def plan(self, points: list[Planned]) -> None:
        """Plans more points."""
        self._writer.append("plan", points=[one.to_json() for one in points])
        self._run.plan(points)

    def measure_planned(self, drop_failed: bool = False, points: Sequence[Planned] | None = None,
                        seconds: float | None = None) -> None:
        """Like planned(), without the results."""
        for _ in self.planned(drop_failed, points, seconds):
            pass

    def planned(self, drop_failed: bool = False, points: Sequence[Planned] | None = None,
                seconds: float | None = None) -> Iterator[tuple[Point, RowOrFailure]]:
        """Measures every planned point, or these, in all repetitions. A measurement with warnings is repeated at once, if the
        budget, or `seconds`, allows it. With `drop_failed`, a point that has failed MOST_FAILURES times is left out of later
        rounds."""
        order = order_of(self._run.header, points)
        self.begin_stage("", len(order), seconds)
        failures: collections.Counter[str] = collections.Counter()
        for identity, repetition in order:
            if not drop_failed or failures[identity] < MOST_FAILURES:
                outcome = self.take_clean(self._run.points[identity], repetition)
                failures[identity] += bool(outcome.failure)
                yield self._run.points[identity], outcome
        self._progress.close()
        if self._warned:
            warn(f"{self._warned} of {self._repeated} measurements that were repeated because of warnings have warnings again: "
                 "other programs may disturb this machine")

    def end(self) -> None:
        """Marks the run as finished. Call this after all points have been measured."""
        self._progress.close()
        self._writer.append("end", at=now())
        self._run.finished = True

    def _how_to_resume(self) -> str:
        total = self._run.total()
        count = f"{len(self._run.done())} of {total} {self._unit}" if total else f"{len(self._run.records)} measurements"
        header = self._run.header
        variables = (f"{name}={shlex.quote(files.with_home(header.variables[name]))}" for name in files.VARIABLES
                     if name in header.variables)
        command = " ".join([*variables, places.command(header.mode), "--resume",
                            shlex.quote(str(self._writer.path)), *files.split_off(header.words)[1]])
        return f"{count}; continue with: {command}"


FAILED = ("failed", "failed for this reason")
# Kind of failure → the words in messages for one measurement, and for several.
KINDS = {"refused": ("is refused", "were refused for this reason"), "failed": FAILED, "signal": FAILED, "timeout": FAILED,
         WRONG_BYTES: ("returned WRONG BYTES", "returned WRONG BYTES")}
