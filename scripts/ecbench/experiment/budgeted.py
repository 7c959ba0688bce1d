"""Measures planned points within a budget that does not suffice for all rounds. The first round is complete and short, with what is
likely to lead first: Ceph's defaults, then the ends and the middle of each case. Later rounds measure the leaders of each case, and
none begins that does not fit into the time left. Then the rounds of the other points follow, also in a run that is resumed."""

import random
from collections.abc import Sequence

from ecbench.ceph.profile import default_rank
from ecbench.comparison.figures import Rounds
from ecbench.comparison.questions import SELECT
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.results import Points
from ecbench.experiment.stages import clearly_below
from ecbench.measure.budget import PER_SECOND_OF_SAMPLES, SECONDS_PER_PROCESS, Budget, seconds_of
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Point
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S

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
