"""The measuring loop. Each measurement is a separate process, whose result is written to disk before the next one begins. A mode
that resumes a run repeats all its steps in the same order; what the run file contains is not measured again.

Planned points are measured in rounds, each in random order, so that a change of the machine affects all points equally. Modes that
choose points by earlier results call take() or take_rounds()."""

import collections
import dataclasses
import random
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from ecbench.files import inputs
from ecbench.installation import places
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import Ecbench, failure
from ecbench.point.point import Planned, Point
from ecbench.process.children import Interrupted
from ecbench.runfile.header import Header
from ecbench.runfile.row import WRONG_BYTES, Failure, RowOrFailure, differences_from
from ecbench.runfile.run_file import Key, Run, RunWriter, now
from ecbench.runfile.summary import shortened
from ecbench.terminal.console import OutOfTime, WrongBytes, say, warn
from ecbench.terminal.progress import Progress


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


class Session:
    """Measures the points of a run in a `with` block, at whose end it closes the writer. After a signal or at the end of the
    budget, the message of Interrupted or OutOfTime contains the command that resumes the run."""

    def __init__(self, run: Run, writer: RunWriter, measure: Measure, unit: str = "", budget: Budget | None = None):
        """`unit`: the word for the measurements in messages, such as "rows". If it is empty, the word is "measurements"."""
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

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        self._progress.close()
        self._writer.close()
        for (kind, why), count in self._failures.items():
            if count > 1:
                say(f"in total, {count} {self._unit or 'measurements'} {KINDS[kind][1]}: {why}")
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
            self._progress.skip()
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
        self._progress.extend()
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
        unit = self._unit or "measurements"
        count = f"{len(self._run.done())} of {total} {unit}" if total else f"{len(self._run.records)} measurements"
        header = self._run.header
        command = " ".join([*inputs.variables_in(header.variables), places.command(header.mode), "--resume",
                            shlex.quote(str(self._writer.path)), *inputs.split_off(header.words)[1]])
        return f"{count}; continue with: {command}"


FAILED = ("failed", "failed for this reason")
# Kind of failure → the words in messages for one measurement, and for several.
KINDS = {"refused": ("is refused", "were refused for this reason"), "failed": FAILED, "signal": FAILED, "timeout": FAILED,
         "wrong_bytes": ("returned WRONG BYTES", "returned WRONG BYTES")}
