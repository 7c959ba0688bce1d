"""Measures an experiment with stages. The cases are measured one after another, in the order of the file, so that the first ones
have a complete answer if the budget ends. In a case, the stages choose the candidates whose rounds are measured; their own
measurements are not results."""

import dataclasses
import math
import random
from collections.abc import Callable, Sequence

from ecbench.ceph.profile import default_rank
from ecbench.comparison.figures import SELECT, Rounds
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.results import Case, Points
from ecbench.experiment.stages import Stages, clearly_below, grouped
from ecbench.measure.budget import MARGIN, PER_SECOND_OF_SAMPLES, SECONDS_PER_PROCESS, Budget, seconds_of
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Planned, Point
from ecbench.process.children import Interrupted
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S
from ecbench.terminal.console import OutOfTime, say


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
