"""Stages (successive halving). Each stage measures fewer candidates, more often and longer. After a stage, candidates are dropped
that are significantly slower than the fastest of their group (clearly_below), and those with the lowest ranks if too many remain.
In tune, all candidates are one group; in experiments, the candidates of a case, or for example the profiles of a library.

The verdicts come only from the rounds that follow, in which the remaining candidates are measured a fixed number of times: a
profile may have been the first of a stage by chance, and looks after each round would find differences by chance. A dropped
candidate is not pursued, which is not a verdict."""

import dataclasses
import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from ecbench.ceph.profile import default_rank
from ecbench.comparison.figures import SELECT, Candidate, Rounds
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.results import Case, Points
from ecbench.measure.budget import MARGIN, PER_SECOND_OF_SAMPLES, SECONDS_PER_PROCESS, Budget, seconds_of
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Planned, Point
from ecbench.process.children import Interrupted
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S
from ecbench.statistics.interval import median
from ecbench.terminal.console import OutOfTime, say


@dataclasses.dataclass(frozen=True)
class Stage:
    """At most `keep` candidates of each group, or this share of all candidates if that is more, reach the next stage."""

    effort: Effort
    rounds: int
    keep: int
    share: float = 0


LEAST_LEFT = 6
STAGES = (
    Stage(Effort(0.01, 4, limit=False), rounds=1, keep=LEAST_LEFT, share=1 / 3),
    Stage(Effort(0.02, 8, limit=False), rounds=2, keep=LEAST_LEFT, share=1 / 8),
    Stage(Effort(0.04, 8, limit=False), rounds=3, keep=LEAST_LEFT, share=1 / 25),
)
FINAL = Effort(0.1, 8, limit=False)
LAST_STAGE = "the last stage"
FINAL_ROUNDS = 12
# Bounds of the standard deviation of one measurement, as shares of the speed. If the object is as large as a cache, a measurement
# may be wrong by a fifth or more: the speed differs by 15 % between buffer placements, and by 9 % between launches.
LOUDEST = 0.12
QUIETEST = 0.005
# Half the width of a candidate's interval, in standard errors of its median. Intervals that do not overlap are at least three
# standard errors of the difference apart: with normal noise, one of two equal candidates is dropped with a probability of 0.13 %.
STANDARD_ERRORS = 3 / math.sqrt(2)


class Stages:
    """`measure(candidate, effort)`: the logarithm of the candidate's speed; None: it is dropped. `watch(stage, candidates, rounds)`
    is called before each stage. `keep`: whether a candidate reaches the last stage whatever its speed."""

    def __init__(self, measure: Callable[[Candidate, Effort], float | None], watch: Callable[[str, list, int], None],
                 seed: int | str, rounds: int = FINAL_ROUNDS, keep: Callable[[Any], bool] = lambda _: False) -> None:
        self._measure = measure
        self._watch = watch
        self._random = random.Random(seed)
        self._rounds = rounds
        self._keep = keep
        self.dropped: dict = {}  # candidates of earlier stages → speed / speed of the fastest in their last stage
        # Candidates of the newest complete round, or of the first one if it was interrupted → speed / speed of the fastest in this
        # stage.
        self.standing: dict = {}
        self.latest = Rounds()  # those of self.standing
        self.final = Rounds()
        self.left: list = []  # candidates of the last stage that did not fail

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Fills self.final and self.left, which is empty only if all candidates of the last stage failed."""
        left = list(candidates)
        kept = [candidate for candidate in candidates if self._keep(candidate)]
        for number, stage in enumerate(STAGES, 1):
            left = self.run_stage(f"stage {number} of {len(STAGES) + 1}", stage, left, len(candidates))
        self.dropped = {candidate: ratio for candidate, ratio in self.dropped.items() if candidate not in kept}
        self._run_last([*left, *(candidate for candidate in kept if candidate not in left)])

    def run_stage(self, name: str, stage: Stage, left: list, count: int = 0,
                  group: Callable[[Any], Hashable] = lambda _: None) -> list:
        """The candidates that reach the next stage. Groups with few candidates are not measured. `count`: all candidates."""
        room = max(stage.keep, math.ceil(count * stage.share))
        groups = [found for found in grouped(left, group) if len(found) > stage.keep]
        contested = [candidate for found in groups for candidate in found]
        if not contested:
            return left
        self._watch(name, contested, stage.rounds)
        rounds, able = Rounds(), contested
        for _ in range(stage.rounds):
            able = self._round(rounds, able, stage.effort)
        chosen: list = []
        for found in grouped(able, group):
            relative = rounds.relative(found)
            slower = clearly_below(relative)
            chosen += sorted((one for one in found if one not in slower), key=lambda one: -median(relative[one]))[:room]
        self.dropped |= {candidate: self.standing[candidate] for candidate in able if candidate not in chosen}
        return [*(candidate for candidate in left if candidate not in contested), *chosen]

    def _round(self, rounds: Rounds, left: list, effort: Effort) -> list:
        """Returns the candidates that did not fail."""
        speeds: dict = {}
        order = self._random.sample(left, len(left))
        if not self.standing and rounds is not self.final:  # if the budget ends in this round, the user knows Ceph's defaults
            order.sort(key=lambda candidate: not self._keep(candidate))
        try:
            for candidate in order:
                speeds[candidate] = self._measure(candidate, effort)
        finally:
            if not self.standing:
                found = {candidate: speed for candidate, speed in speeds.items() if speed is not None}
                self.standing, self.latest = shares(found), Rounds([found] if found else [])
        rounds.rounds.append({candidate: speed for candidate, speed in speeds.items() if speed is not None})
        left = [candidate for candidate in left if speeds[candidate] is not None]
        self.standing = shares({candidate: median(values) for candidate, values in rounds.relative(left).items()})
        self.latest = Rounds([{one: speeds[one] for one in left if one in speeds} for speeds in rounds.rounds])
        return left

    def _run_last(self, left: list) -> None:
        self._watch(LAST_STAGE, left, self._rounds)
        for _ in range(self._rounds):
            left = self._round(self.final, left, FINAL)
        self.left = left


def grouped(candidates: Sequence[Any], group: Callable[[Any], Hashable]) -> list[list[Any]]:
    found: dict[Hashable, list[Any]] = {}
    for candidate in candidates:
        found.setdefault(group(candidate), []).append(candidate)
    return list(found.values())


def shares(logarithms: Mapping[Any, float]) -> dict:
    """Candidate → speed / speed of the fastest."""
    return {candidate: math.exp(value - max(logarithms.values())) for candidate, value in logarithms.items()}


def noise(relative: Mapping[Any, Sequence[float]]) -> float:
    """The standard deviation of one measurement, from the differences between the rounds of the same candidate. It must be robust,
    because some launches have much larger errors than usual. With one round, the largest known noise."""
    deviations = sorted(abs(value - median(values)) * math.sqrt(len(values) / (len(values) - 1))
                        for values in relative.values() if len(values) > 1 for value in values)
    if not deviations:
        return LOUDEST
    # 68 % of normally distributed values are within one standard deviation. A median would be too small: of three values, one is
    # the median and has the deviation 0.
    return min(max(deviations[int(len(deviations) * 0.68)], QUIETEST), 2 * LOUDEST)


def clearly_below(relative: Mapping[Candidate, Sequence[float]]) -> set[Candidate]:
    one = noise(relative)
    # The standard error of a median is 25 % larger than the standard error of a mean.
    errors = {candidate: STANDARD_ERRORS * 1.25 * one / math.sqrt(len(values)) for candidate, values in relative.items()}
    # The highest of many measured speeds is too high by chance, so candidates are compared with the highest lower end.
    floor = max(median(values) - errors[candidate] for candidate, values in relative.items())
    return {candidate for candidate, values in relative.items() if median(values) + errors[candidate] < floor}


# Measures an experiment with stages. The cases are measured one after another, in the order of the file, so that the first ones
# have a complete answer if the budget ends. In a case, the stages choose the candidates whose rounds are measured; their own
# measurements are not results.

class Cases:
    """The cases of an experiment; `entries`: all candidates."""

    def __init__(self, experiment: Experiment, entries: Sequence[Planned]):
        self._experiment = experiment
        self._entries = {entry.id: entry for entry in entries}
        self._points = Points({entry.id: entry.point for entry in entries}, experiment,
                              {entry.id: entry.library for entry in entries})
        self.all = self._points.cases

    def _groups(self, case: Case, of: str) -> list[list[str]]:
        return grouped(list(case.ids.values()), self._group(of))

    def _group(self, of: str) -> Callable[[str], str]:
        return lambda identity: self._points.properties[identity].get(of, "") if of else ""

    def seconds(self, rounds: int, min_time: float) -> float:
        """The estimated duration."""
        return sum(self._seconds(case, rounds, min_time) for case in self.all)

    def _seconds(self, case: Case, rounds: int, min_time: float) -> float:
        left, seconds = len(case.ids), 0.0
        for choice in self._experiment.stages:
            sizes = [len(found) for found in self._groups(case, choice.of)]
            contested = min(left, sum(size for size in sizes if size > choice.stage.keep))
            seconds += seconds_of(contested * choice.stage.rounds, choice.stage.effort.min_time)
            left = min(left, sum(min(size, choice.stage.keep) for size in sizes))
        return seconds + seconds_of(left * rounds, min_time)

    def measure(self, session: Session, run: Run) -> None:
        """Throws Refused, Interrupted and OutOfTime."""
        header = run.header
        for number, case in enumerate(self.all):
            try:
                chosen = [dataclasses.replace(self._entries[identity], group=case.title)
                          for identity in self._choose(session, case, header.seed)]
                if new := [one for one in chosen if one.id not in {planned.id for planned in run.header.points}]:
                    session.plan(new)
                rounds = header.repetitions * len(chosen)
                session.measure_planned(points=chosen, seconds=MARGIN * seconds_of(rounds, header.options.min_time))
            except (Interrupted, OutOfTime):
                say(f"{number} of {len(self.all)} cases are complete")
                raise

    def provisional(self, run: Run) -> Run:
        """For a run that has ended in the first stages: its case, with the rows of the newest stage of each candidate as figures.
        Other runs are returned unchanged."""
        if run.rows:
            return run
        ids = {key.id for key in run.records}
        case = next((case for case in self.all if ids & set(case.ids.values())), self.all[0])
        entries = [self._entries[identity] for identity in case.ids.values()]
        found = Run(run.path, dataclasses.replace(run.header, points=entries), {one.id: one.point for one in entries})
        newest = {key.id: key.stage for key in run.records}
        for key, record in run.records.items():
            if key.stage == newest[key.id]:
                found.add(key._replace(stage=""), record)
        return found

    def _choose(self, session: Session, case: Case, seed: int) -> list[str]:
        """The ids of the points that the stages leave. Of a group in which all fail, the first: the run must show the failure."""
        chosen = list(case.ids.values())
        taken: dict[tuple[str, str], int] = {}

        def measure(identity: str, effort: Effort) -> float | None:
            number = taken[name, identity] = taken.get((name, identity), -1) + 1
            outcome = session.take(self._entries[identity].point, number, name, effort)
            return None if outcome.failure or outcome.gb_per_s <= 0 else math.log(outcome.gb_per_s)

        def watch(_: str, candidates: Sequence[str], rounds: int) -> None:
            count = len(candidates) * rounds
            session.begin_stage(f"{case.title}, {name}", count, MARGIN * seconds_of(count, choice.stage.effort.min_time))

        stages = Stages(measure, watch, f"{seed} {case.title}")
        for number, choice in enumerate(self._experiment.stages, 1):
            name = f"stage {number}"
            left = stages.run_stage(name, choice.stage, chosen, group=self._group(choice.of))
            chosen = [identity for found in grouped(chosen, self._group(choice.of))
                      for identity in [one for one in found if one in left] or found[:1]]
        return chosen


# Measures planned points within a budget that does not suffice for all rounds. The first round is complete and short, with what
# is likely to lead first: Ceph's defaults, then the ends and the middle of each case. Later rounds measure the leaders of each
# case, and none begins that does not fit into the time left. Then the rounds of the other points follow, also in a run that is
# resumed.

FIRST_SHARE = 0.1  # of the budget, for the first round
LEAST_SAMPLES = 0.002  # seconds
LEAST_ROUNDS = 3  # so many further rounds of the leaders must fit
FEWEST_LEADERS = 2


def measure_within(session: Session, run: Run, experiment: Experiment, budget: Budget) -> None:
    """Throws Refused, Interrupted and OutOfTime."""
    header = run.header
    entries = {entry.id: run.points[entry.id] for entry in header.points}
    names = {entry.id: entry.library for entry in header.points}
    groups = [list(case.ids.values()) for case in Points(entries, experiment, names).cases]
    draw = random.Random(header.seed)
    for repetition in range(header.repetitions):
        if repetition and experiment.question is SELECT and experiment.figure == GB_PER_S:
            most = int(budget.left_in_all() / (LEAST_ROUNDS * SECONDS_PER_PROCESS)) // len(groups)
            groups = [leaders(run, group, max(FEWEST_LEADERS, most)) for group in groups]
        order = coarse(groups, entries) if repetition == 0 else [identity for group in groups for identity in group]
        if repetition:
            draw.shuffle(order)
        seconds = budget.left_in_all() * (FIRST_SHARE if repetition == 0 else 1 / (header.repetitions - repetition))
        fitting = (seconds / len(order) - SECONDS_PER_PROCESS) / PER_SECOND_OF_SAMPLES
        min_time = min(max(LEAST_SAMPLES, fitting), header.options.min_time)
        if repetition and seconds_of(len(order), min_time) > budget.left_in_all():
            budget.end()
        session.measure_round(order, repetition, Effort(min_time, limit=bool(header.options.limit) and repetition > 0),
                              max(seconds, seconds_of(len(order), min_time)))
    session.measure_planned()  # the others, in the time that is left


def leaders(run: Run, group: Sequence[str], most: int) -> list[str]:
    """The points of a case that may be its fastest, at most `most`. Points without a row have failed."""
    rounds = Rounds.of_rows({identity: run.rows[identity] for identity in group if run.rows.get(identity)})
    if len(rounds.candidates) < FEWEST_LEADERS:
        return rounds.candidates or list(group)
    below = clearly_below(rounds.relative(rounds.candidates))
    return [identity for identity in rounds.ranked(rounds.candidates) if identity not in below][:most]


def coarse(groups: Sequence[Sequence[str]], points: dict[str, Point]) -> list[str]:
    """All points: of each case Ceph's default, then its ends, its middle, the middles between them and so on, a point of each case
    in turn."""
    ordered = []
    for group in groups:
        first = [min(group, key=lambda identity: default_rank(points[identity].plugin, dict(points[identity].profile)))]
        rest = [identity for identity in group if identity not in first]
        ordered.append([*first, *(rest[number] for number in bisected(len(rest)))])
    longest = max(map(len, ordered))
    return [group[number] for number in range(longest) for group in ordered if number < len(group)]


def bisected(count: int) -> list[int]:
    """0 to count - 1: the ends, the middle, the middles of the halves and so on."""
    found = dict.fromkeys(number for number in (0, count - 1) if 0 <= number < count)
    spans = [(0, count - 1)]
    while spans:
        low, high = spans.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            found[middle] = None
            spans += [(low, middle), (middle, high)]
    return list(found)
