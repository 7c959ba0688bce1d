"""The stages of tune: successive halving, based on intervals. The first stage measures all candidates briefly; each later stage
measures fewer candidates, more often and longer. After a stage, candidates are dropped if they are significantly slower than the
fastest (clearly_below). If more remain than the next stage allows, the last in rank are dropped too. Whether a candidate is
significantly slower depends on the noise of one measurement. The first stage cannot measure this noise, because it has a single
round. Therefore it assumes the largest known noise.

The last stage measures all remaining candidates in interleaved rounds. It does not use figures of earlier stages, because a profile
may have been the first of an earlier stage by chance. After FEWEST_VALUES rounds, candidates that are significantly slower than the
first are left out of further rounds. The stage ends when the ratio of each other candidate to the first is as precise as the aim
requires, or after MOST_ROUNDS."""

import dataclasses
import math
import random
from collections.abc import Callable, Sequence

from ecbench.measure.session import Effort
from ecbench.statistics.interval import FEWEST_VALUES, median
from ecbench.statistics.rounds import Candidate, Relative, Rounds


@dataclasses.dataclass(frozen=True)
class Stage:
    effort: Effort
    rounds: int
    room: float  # the largest share of the first stage's candidates that the next stage takes


STAGES = (
    Stage(Effort(0.01, 4, limit=False), rounds=1, room=1 / 3),
    Stage(Effort(0.02, 8, limit=False), rounds=2, room=1 / 8),
    Stage(Effort(0.04, 8, limit=False), rounds=3, room=1 / 25),
)
FINAL = Effort(0.1, 8, limit=False)
LEAST_LEFT = 6  # the next stage takes at least this number of candidates, if so many remain
MOST_ROUNDS = 15
# Standard deviations of one measurement. LOUDEST is the largest known: if the object is as large as a cache, a measurement may be
# wrong by a fifth or more (placements differ by 15 %, launches by 9 %). noise() returns at least QUIETEST, and at most
# twice LOUDEST.
LOUDEST = 0.12
QUIETEST = 0.005
# Half the width of a candidate's interval, in standard errors. If the intervals of two candidates do not overlap, their difference
# is at least three times its standard error. If two candidates are equal and the noise is normal, a given one of them is found to
# be slower with a probability of 0.13 %.
STANDARD_ERRORS = 3 / math.sqrt(2)


class Stages:
    """`measure(candidate, effort)` returns the logarithm of a candidate's speed, or None if it failed and must be dropped.
    `watch(stage, candidates, rounds)` is called before each stage."""

    def __init__(self, measure: Callable[[Candidate, Effort], float | None], watch: Callable[[str, list, int], None],
                 seed: int | str, aim_percent: float) -> None:
        self._measure = measure
        self._watch = watch
        self._random = random.Random(seed)
        self.aim = aim_percent / 100
        self.by_rank: list = []  # candidates that were dropped only by rank: they were not shown to be slower
        self.final = Rounds()
        self.left: list = []  # candidates of the last stage that did not fail

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Fills self.final (the rounds of the last stage) and self.left. self.left is empty only if all candidates of the last
        stage failed."""
        left = list(candidates)
        for number, stage in enumerate(STAGES, 1):
            if len(left) <= LEAST_LEFT:
                break
            self._watch(f"stage {number} of {len(STAGES) + 1}", left, stage.rounds)
            left = self._run_stage(left, stage, max(LEAST_LEFT, math.ceil(len(candidates) * stage.room)))
        self._run_last(left)

    def _run_stage(self, left: list, stage: Stage, room: int) -> list:
        rounds = Rounds()
        for _ in range(stage.rounds):
            left = self._round(rounds, left, stage.effort)
        relative = rounds.relative(left)
        slower = clearly_below(relative) if left else set()
        ranked = sorted((candidate for candidate in left if candidate not in slower), key=lambda one: -median(relative[one]))
        self.by_rank += ranked[room:]
        return ranked[:room]

    def _round(self, rounds: Rounds, left: list, effort: Effort) -> list:
        """Measures one round and returns the candidates that did not fail."""
        speeds = {candidate: self._measure(candidate, effort) for candidate in self._random.sample(left, len(left))}
        rounds.add({candidate: speed for candidate, speed in speeds.items() if speed is not None})
        return [candidate for candidate in left if speeds[candidate] is not None]

    def _run_last(self, left: list) -> None:
        running, failed = list(left), set()
        self._watch("the last stage", running, MOST_ROUNDS)
        for number in range(1, MOST_ROUNDS + 1):
            present = self._round(self.final, running, FINAL)
            failed |= set(running) - set(present)
            running = self._still_open(present) if number >= FEWEST_VALUES else present
            if not running or (number >= FEWEST_VALUES and len(running) == 1):
                break
        self.left = [candidate for candidate in left if candidate not in failed]

    def _still_open(self, running: list) -> list:
        """The candidates to measure again: the first, and all candidates that are not significantly slower than the first. If the
        ratios of all these candidates to the first are known precisely enough, only the first is returned."""
        ranked = self.final.ranked(running)
        ratios = {other: self.final.ratio(other, ranked[0]) for other in ranked[1:]}
        others = [other for other, ratio in ratios.items() if ratio.high is None or ratio.high >= 1]
        is_open = any((ratios[other].half_width or math.inf) > self.aim for other in others if ratios[other].half_width != 0)
        return [*ranked[:1], *others] if is_open else ranked[:1]


def noise(relative: Relative) -> float:
    """The standard deviation of one measurement. It is estimated from the differences between rounds; each candidate is compared
    with itself. The estimate is robust, since some launches have much larger errors than usual. For a single round, the largest
    known noise is returned."""
    deviations = sorted(abs(value - median(values)) * math.sqrt(len(values) / (len(values) - 1))
                        for values in relative.values() if len(values) > 1 for value in values)
    if not deviations:
        return LOUDEST
    # A plain median of the deviations would be too small: with two values both are equally far from their median, and with three
    # values one has the deviation 0. Therefore the 68 % quantile is used: 68 % of normal values are within one standard deviation.
    return min(max(deviations[int(len(deviations) * 0.68)], QUIETEST), 2 * LOUDEST)


def clearly_below(relative: Relative[Candidate]) -> set[Candidate]:
    """The candidates that are significantly slower than the fastest."""
    one = noise(relative)
    # The standard error of a median is a quarter larger than that of a mean.
    errors = {candidate: STANDARD_ERRORS * 1.25 * one / math.sqrt(len(values)) for candidate, values in relative.items()}
    # The highest of many measured speeds is usually too high by chance. Therefore the candidates are compared with the highest
    # lower end of all intervals: the candidate with this interval is very probably at least as fast as this end.
    floor = max(median(values) - errors[candidate] for candidate, values in relative.items())
    return {candidate for candidate, values in relative.items() if median(values) + errors[candidate] < floor}
