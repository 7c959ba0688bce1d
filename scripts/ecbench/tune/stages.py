"""The stages of tune: successive halving, by intervals.

The first stage measures all candidates shortly, each later one fewer, more often and longer. After a stage the candidates are
dropped that are significantly slower than the fastest (clearly_below), and, if more are left than the next stage has room for, the
last in rank. The error of one short measurement is therefore known when it is used: the first stage, a single round, assumes the
loudest noise known.

The last stage uses no earlier figure, because the profile that ranked first so far was lucky as well as fast. Its rounds hold all
that are
left, interleaved, until each is significantly slower than the first or its ratio to it is known to within the aim; or MOST_ROUNDS
are over."""

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
    room: float  # the share of the candidates of the first stage that the next one takes at most


STAGES = (
    Stage(Effort(0.01, 4, limit=False), rounds=1, room=1 / 3),
    Stage(Effort(0.02, 8, limit=False), rounds=2, room=1 / 8),
    Stage(Effort(0.04, 8, limit=False), rounds=3, room=1 / 25),
)
FINAL = Effort(0.1, 8, limit=False)
LEAST_LEFT = 6  # the next stage has room for so many in any case
MOST_ROUNDS = 15
# One measurement may be wrong by a fifth and more if the object is as large as a cache (placements differ by 15 %, launches by
# 9 %). Nothing is assumed to be quieter than half a percent.
LOUDEST = 0.12
QUIETEST = 0.005
# So many standard errors make a difference between two candidates: one in ten thousand is dropped wrongly.
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
        self.by_rank: list = []  # candidates dropped only for lack of room: they were not shown to be slower
        self.final = Rounds()
        self.left: list = []  # in the last stage; none failed

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Fills self.left, which is empty only if all candidates failed, and self.final, the rounds of the last stage."""
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
        """Returns those that did not fail."""
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
        """The first, and those whose ratio to it must be known better. Only the first if all is settled."""
        ranked = self.final.ranked(running)
        ratios = {other: self.final.ratio(other, ranked[0]) for other in ranked[1:]}
        others = [other for other, ratio in ratios.items() if ratio.high is None or ratio.high >= 1]
        is_open = any((ratios[other].half_width or math.inf) > self.aim for other in others if ratios[other].half_width != 0)
        return [*ranked[:1], *others] if is_open else ranked[:1]


def noise(relative: Relative) -> float:
    """The standard deviation of one measurement, from how much the rounds of all candidates differ. A robust estimate, because
    some launches are wrong by far more than usual. A single round does not show it: then the loudest noise that is known."""
    deviations = sorted(abs(value - median(values)) * math.sqrt(len(values) / (len(values) - 1))
                        for values in relative.values() if len(values) > 1 for value in values)
    if not deviations:
        return LOUDEST
    # Of two values both are as far from the median, of three one equals it. So their median would be wrong; two thirds are right.
    return min(max(deviations[int(len(deviations) * 0.68)], QUIETEST), 2 * LOUDEST)


def clearly_below(relative: Relative[Candidate]) -> set[Candidate]:
    """The candidates that are significantly slower than the fastest."""
    one = noise(relative)
    # The standard error of a median is a quarter larger than that of a mean.
    errors = {candidate: STANDARD_ERRORS * 1.25 * one / math.sqrt(len(values)) for candidate, values in relative.items()}
    # The best of many was lucky. The highest of all lower ends is a speed that one of them really has.
    floor = max(median(values) - errors[candidate] for candidate, values in relative.items())
    return {candidate for candidate, values in relative.items() if median(values) + errors[candidate] < floor}
