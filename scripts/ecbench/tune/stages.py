"""The stages of tune (successive halving). The first stage measures all candidates briefly. Each later stage measures fewer
candidates, but measures them more often and longer. After a stage, a candidate is dropped if it is significantly slower than the
fastest candidate (clearly_below). If too many candidates remain for the next stage, those with the lowest ranks are dropped too.
Whether a candidate is significantly slower depends on the noise of one measurement. The first stage cannot measure this noise,
because it has only one round. Therefore it assumes the largest known noise.

The last stage measures all remaining candidates in interleaved rounds. It does not use measurements of earlier stages, because a
profile may have been the first of an earlier stage by chance. After FEWEST_VALUES rounds, candidates that are significantly slower
than the first are not measured again. The other candidates are measured until the ratios of their speeds to the speed of the first
are precise enough (`aim`), or until the stage has had MOST_ROUNDS rounds."""

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
    room: float  # at most this share of all candidates reaches the next stage, or LEAST_LEFT candidates if this is more


STAGES = (
    Stage(Effort(0.01, 4, limit=False), rounds=1, room=1 / 3),
    Stage(Effort(0.02, 8, limit=False), rounds=2, room=1 / 8),
    Stage(Effort(0.04, 8, limit=False), rounds=3, room=1 / 25),
)
FINAL = Effort(0.1, 8, limit=False)
LEAST_LEFT = 6  # number of candidates that can reach the next stage even if `room` is smaller
MOST_ROUNDS = 15
# Standard deviations of one measurement, as shares of the speed. LOUDEST is the largest known standard deviation. If the object is
# as large as a cache, a measurement may be wrong by a fifth or more: the speed differs by 15 % between buffer placements, and by
# 9 % between launches. noise() returns at least QUIETEST, and at most twice LOUDEST.
LOUDEST = 0.12
QUIETEST = 0.005
# Half the width of a candidate's interval, in standard errors of its median. If the intervals of two candidates do not overlap, the
# difference of their medians is at least three standard errors of this difference. If two candidates A and B are equally fast, and
# the noise has a normal distribution, the probability that A is found to be slower than B is 0.13 %.
STANDARD_ERRORS = 3 / math.sqrt(2)


class Stages:
    """`measure(candidate, effort)` returns the logarithm of the candidate's speed. If it returns None, the candidate is dropped.
    `watch(stage, candidates, rounds)` is called before each stage."""

    def __init__(self, measure: Callable[[Candidate, Effort], float | None], watch: Callable[[str, list, int], None],
                 seed: int | str, aim_percent: float) -> None:
        self._measure = measure
        self._watch = watch
        self._random = random.Random(seed)
        self.aim = aim_percent / 100
        self.by_rank: list = []  # candidates that were dropped because of their rank, not because they were significantly slower
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
        """The candidates to measure again: the first, and all candidates that are not significantly slower than the first. Returns
        only the first if the ratio of each of these candidates to the first is precise enough."""
        ranked = self.final.ranked(running)
        ratios = {other: self.final.ratio(other, ranked[0]) for other in ranked[1:]}
        others = [other for other, ratio in ratios.items() if ratio.high is None or ratio.high >= 1]
        is_open = any((ratios[other].half_width or math.inf) > self.aim for other in others if ratios[other].half_width != 0)
        return [*ranked[:1], *others] if is_open else ranked[:1]


def noise(relative: Relative) -> float:
    """The standard deviation of one measurement. It is estimated from the differences between the rounds of the same candidate. The
    estimate must be robust, because some launches have much larger errors than usual. If there is only one round, returns the
    largest known noise."""
    deviations = sorted(abs(value - median(values)) * math.sqrt(len(values) / (len(values) - 1))
                        for values in relative.values() if len(values) > 1 for value in values)
    if not deviations:
        return LOUDEST
    # A plain median of the deviations would be too small. If a candidate has three values, for example, one of them is the median
    # and has the deviation 0. Therefore the 68 % quantile is used: with a normal distribution, 68 % of the values are within one
    # standard deviation.
    return min(max(deviations[int(len(deviations) * 0.68)], QUIETEST), 2 * LOUDEST)


def clearly_below(relative: Relative[Candidate]) -> set[Candidate]:
    """The candidates that are significantly slower than the fastest."""
    one = noise(relative)
    # The standard error of a median is 25 % larger than the standard error of a mean.
    errors = {candidate: STANDARD_ERRORS * 1.25 * one / math.sqrt(len(values)) for candidate, values in relative.items()}
    # The highest of many measured speeds is usually too high by chance. Therefore the candidates are not compared with this speed,
    # but with the highest of the lower ends of all intervals. At least one candidate is very probably as fast as this lower end.
    floor = max(median(values) - errors[candidate] for candidate, values in relative.items())
    return {candidate for candidate, values in relative.items() if median(values) + errors[candidate] < floor}
