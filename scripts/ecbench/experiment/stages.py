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

from ecbench.comparison.figures import Candidate, Rounds
from ecbench.measure.session import Effort
from ecbench.statistics.interval import median


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
