"""Stages (successive halving). Each stage measures fewer candidates, more often and longer. After a stage, candidates are dropped
that are significantly slower than the fastest of their group (clearly_below), and those with the lowest ranks if too many remain.
A group are the candidates of a case, or for example the profiles of a library.

The verdicts come only from the rounds that follow (measuring.py): a profile may have been the first of a stage by chance. A dropped
candidate is not pursued, which is not a verdict."""

import dataclasses
import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from ecbench.comparison.figures import Candidate, Rounds
from ecbench.measure.budget import PER_SECOND_OF_SAMPLES, SECONDS_PER_PROCESS, seconds_of
from ecbench.measure.session import Effort
from ecbench.statistics.interval import median


@dataclasses.dataclass(frozen=True)
class Stage:
    """At most `keep` candidates of each group, or this share of all candidates if that is more, reach the next stage."""

    effort: Effort
    rounds: int
    keep: int
    share: float = 0
    of: str = ""  # candidates with the same value of this property are a group; "": all

    def fitting(self, count: int, seconds: float) -> "Stage":
        """The stage for `count` points in this time: fewer rounds, or a single short one."""
        rounds = int(seconds / seconds_of(count, self.effort.min_time)) if math.isfinite(seconds) else self.rounds
        if rounds:
            return dataclasses.replace(self, rounds=min(rounds, self.rounds))
        samples = max(LEAST_SAMPLES, (seconds / count - SECONDS_PER_PROCESS) / PER_SECOND_OF_SAMPLES)
        return dataclasses.replace(self, rounds=1, effort=dataclasses.replace(self.effort, min_time=samples))


LEAST_SAMPLES = 0.002  # seconds of samples of a measurement
# Bounds of the standard deviation of one measurement, as shares of the speed. If the object is as large as a cache, a measurement
# may be wrong by a fifth or more: the speed differs by 15 % between buffer placements, and by 9 % between launches.
LOUDEST = 0.12
QUIETEST = 0.005
# Half the width of a candidate's interval, in standard errors of its median. Intervals that do not overlap are at least three
# standard errors of the difference apart: with normal noise, one of two equal candidates is dropped with a probability of 0.13 %.
STANDARD_ERRORS = 3 / math.sqrt(2)


class Stages:
    """`measure`: the logarithm of the candidate's speed; None: it is dropped. `watch(name, stage, candidates)` is called before
    each stage, and returns the stage and the candidates that fit into the time left. `keep`: whether it passes all stages."""

    def __init__(self, measure: Callable[[Candidate, Effort], float | None],
                 watch: Callable[[str, Stage, list], tuple[Stage, list]], seed: int | str,
                 keep: Callable[[Any], bool] = lambda _: False) -> None:
        self._measure = measure
        self._watch = watch
        self._random = random.Random(seed)
        self._keep = keep
        self._has_begun = False

    def choose(self, stages: Sequence[Stage], candidates: Sequence[Candidate],
               group: Callable[[str], Callable[[Any], Hashable]] = lambda _: lambda _: None) -> list:
        """The candidates that the stages leave; none if all fail."""
        left = list(candidates)
        failed: set = set()
        for number, stage in enumerate(stages, 1):
            left = self._run_stage(f"stage {number}", stage, left, failed, len(candidates), group(stage.of))
        return [*left, *(one for one in candidates if self._keep(one) and one not in left and one not in failed)]

    def _run_stage(self, name: str, stage: Stage, left: list, failed: set, count: int, group: Callable[[Any], Hashable]) -> list:
        """The candidates that reach the next stage. Groups with few candidates are not measured. `count`: all candidates."""
        room = max(stage.keep, math.ceil(count * stage.share))
        contested = [candidate for found in grouped(left, group) if len(found) > stage.keep for candidate in found]
        if not contested:
            return left
        stage, able = self._watch(name, stage, contested)
        rounds = Rounds()
        for _ in range(stage.rounds):
            order = self._random.sample(able, len(able))
            if not self._has_begun:  # if the budget ends in this round, the user knows Ceph's defaults
                order.sort(key=lambda candidate: not self._keep(candidate))
            self._has_begun = True
            speeds = {candidate: self._measure(candidate, stage.effort) for candidate in order}
            failed |= {candidate for candidate, speed in speeds.items() if speed is None}
            able = [candidate for candidate in able if candidate not in failed]
            rounds.rounds.append({candidate: speed for candidate, speed in speeds.items() if speed is not None})
        chosen: list = []
        for found in grouped(able, group):
            relative = rounds.relative(found)
            slower = clearly_below(relative)
            chosen += sorted((one for one in found if one not in slower), key=lambda one: -median(relative[one]))[:room]
        return [*(candidate for candidate in left if candidate not in contested), *chosen]


def grouped(candidates: Sequence[Any], group: Callable[[Any], Hashable]) -> list[list[Any]]:
    found: dict[Hashable, list[Any]] = {}
    for candidate in candidates:
        found.setdefault(group(candidate), []).append(candidate)
    return list(found.values())


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
