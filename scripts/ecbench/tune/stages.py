"""The stages of tune: successive halving, by intervals.

The first stage measures all candidates shortly, each later one fewer, more often and longer. After a stage the candidates are
dropped that are significantly slower than the fastest (standing.clearly_below), and, if more are left than the next stage has room
for, the last in rank. The error of one short measurement is therefore known when it is used: the first stage, a single round,
assumes the loudest noise known.

The last stage uses no earlier figure, because the profile that ranked first so far was lucky as well as fast. Its rounds hold all that are
left, interleaved, until each is significantly slower than the first or its ratio to it is known to within the aim; or MOST_ROUNDS
are over."""

import dataclasses
import math
import random

from ecbench.measure.session import Effort
from ecbench.statistics import standing
from ecbench.statistics.ranking import LEAST_ROUNDS


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


class Stages:
    """`measure(candidate, effort)` returns the logarithm of a candidate's speed, or None if it failed and must be dropped.
    `watch(stage, candidates, rounds)` is called before each stage."""

    def __init__(self, measure, watch, seed, aim_percent):
        self._measure = measure
        self._watch = watch
        self._random = random.Random(seed)
        self.aim = aim_percent / 100
        self.by_rank = []  # candidates dropped only for lack of room: they were not shown to be slower
        self.final = standing.Rounds()
        self.left = []  # in the last stage, none of which failed

    def run(self, candidates):
        """Fills self.left, which is empty only if all candidates failed, and self.final, the rounds of the last stage."""
        left = list(candidates)
        for number, stage in enumerate(STAGES, 1):
            if len(left) <= LEAST_LEFT:
                break
            self._watch(f"stage {number} of {len(STAGES) + 1}", left, stage.rounds)
            left = self._run_stage(left, stage, max(LEAST_LEFT, math.ceil(len(candidates) * stage.room)))
        self._run_last(left)

    def _run_stage(self, left, stage, room):
        rounds = standing.Rounds()
        for _ in range(stage.rounds):
            left = self._round(rounds, left, stage.effort)
        if not left:
            return []
        relative = rounds.relative(left)
        slower = standing.clearly_below(relative)
        ranked = [candidate for candidate in standing.ranked(relative) if candidate not in slower]
        self.by_rank += ranked[room:]
        return ranked[:room]

    def _round(self, rounds, left, effort):
        """Returns those that did not fail."""
        order = list(left)
        self._random.shuffle(order)
        speeds = {}
        for candidate in order:
            speed = self._measure(candidate, effort)
            if speed is not None:
                speeds[candidate] = speed
        rounds.add(speeds)
        return [candidate for candidate in left if candidate in speeds]

    def _run_last(self, left):
        running = list(left)
        failed = set()
        self._watch("the last stage", running, MOST_ROUNDS)
        for number in range(1, MOST_ROUNDS + 1):
            if not running:
                break
            present = self._round(self.final, running, FINAL)
            failed |= set(running) - set(present)
            running = present
            if number >= LEAST_ROUNDS and running:
                running = self._still_open(running)
                if len(running) <= 1:
                    break
        self.left = [candidate for candidate in left if candidate not in failed]

    def _still_open(self, running):
        """The first, and those whose ratio to it must be known better. Only the first if all is settled."""
        best = standing.ranked_by_pairs(self.final, running)[0]
        others, unsure = [], False
        for candidate in running:
            if candidate == best:
                continue
            _, low, high = standing.ratio_interval(self.final, candidate, best)
            if high is None or high >= 1:
                others.append(candidate)
                unsure = unsure or high is None or (high - low) / 2 > self.aim
        return [best, *others] if unsure else [best]
