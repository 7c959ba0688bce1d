"""Finds the members of a group that differ from the others. The method is Rosner's generalized ESD (Technometrics 25, 1983):
members are removed one after another, each time the member that is farthest from the mean of the others. Each removed member is
tested against the members that are left. Therefore one outlier does not hide another. The variance is moderated (Smyth, Stat.
Appl. Genet. Mol. Biol. 3, 2004): a small group gives only a poor estimate of its variance. Therefore the variance is a weighted
mean of the group's variance and of the known noise between runs, which has the weight of PRIOR_FREEDOM degrees of freedom. If the
members differ by clearly more than this noise, only the group's variance is used. Differences below the noise floor are never
reported.

The p-values are multiplied by the number of tests (Bonferroni): if the noise of equal members is at most the known noise, the
probability that any of them is reported as an outlier is below ERROR. docs/statistics.md has the error rates for larger noise."""

import functools
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ecbench.statistics.interval import median

Member = TypeVar("Member", bound=Hashable)

ERROR = 0.001  # probability of a false alarm, for all tests together
NOISE_FLOOR = 0.015  # 95 of 100 runs of a point differ from their mean by less than this; --drift-floor has the same default
PRIOR_FREEDOM = 19  # the noise floor is from 20 runs, see docs/statistics.md
NORMAL_95 = 1.96
NORMAL_80 = 0.8416  # one-sided


@dataclass(frozen=True)
class Value:
    """The logarithm of a speed, relative to any common base, and the variance of its measurement."""

    logarithm: float
    variance: float = 0.0


@dataclass(frozen=True)
class Outlier(Generic[Member]):
    member: Member
    ratio: float  # its speed / the speed of the others
    probability: float  # the p-value: the probability that one of the tests finds such a difference although all members are equal


class Group(Generic[Member]):
    """The members that are not removed yet. farthest() computes their sums once, so that comparing a member with the others is
    fast."""

    def __init__(self, values: Mapping[Member, Value], between_rounds: float) -> None:
        self._usual = median(value.variance for value in values.values())
        self._prior = max((NOISE_FLOOR / NORMAL_95) ** 2, self._usual, between_rounds)
        self.left = dict(values)

    def farthest(self) -> tuple[Member, float]:
        """The member that is farthest from the others, and the p-value of its distance. If only two members are left, the slower
        one is returned."""
        total = math.fsum(value.logarithm for value in self.left.values())
        squares = math.fsum(value.logarithm ** 2 for value in self.left.values())
        tested = {member: self._test(value, total, squares) for member, value in self.left.items()}
        if len(tested) == 2:
            member = min(self.left, key=lambda one: self.left[one].logarithm)
        else:
            member = max(tested, key=lambda one: abs(tested[one][0]))
        return member, two_sided(*tested[member])

    def _test(self, value: Value, total: float, squares: float) -> tuple[float, int]:
        """The t value of a member, and its degrees of freedom."""
        count = len(self.left) - 1
        mean = (total - value.logarithm) / count
        freedom = count - 1
        own = max(0.0, squares - value.logarithm ** 2 - count * mean ** 2)  # sum of squared differences from the mean
        if freedom and own / freedom > self._prior * largest_ratio(freedom):
            variance = own / freedom  # the members differ by more than the noise that is known
        else:
            variance = (PRIOR_FREEDOM * self._prior + own) / (PRIOR_FREEDOM + freedom)
            freedom += PRIOR_FREEDOM
        error = math.sqrt(variance * (1 + 1 / count) + max(0.0, value.variance - self._usual))
        return (value.logarithm - mean) / error, freedom


def outliers(values: Mapping[Member, Value], tests: float, between_rounds: float = 0.0) -> list[Outlier[Member]]:
    """The outliers, the farthest first. `tests`: the factor for the p-values, usually the number of values in all groups.
    `between_rounds`: the variance of a value according to the differences between the rounds in which the members were
    measured. More than half of the members are assumed to be equal. With only two members, only the slower one can be reported as
    an outlier."""
    if len(values) < 2:
        return []
    group = Group(values, between_rounds)
    removed: list[tuple[Member, float]] = []
    named = 0
    for number in range(1, max(1, (len(values) - 1) // 2) + 1):
        member, probability = group.farthest()
        probability = min(1.0, probability * tests)
        del group.left[member]
        removed.append((member, probability))
        if probability < ERROR:
            named, equals = number, dict(group.left)
    if not named:
        return []
    mean = math.fsum(value.logarithm for value in equals.values()) / len(equals)
    found = [Outlier(member, math.exp(values[member].logarithm - mean), probability) for member, probability in removed[:named]]
    return [one for one in found if abs(math.log(one.ratio)) > NOISE_FLOOR]


@functools.cache
def largest_ratio(freedom: int) -> float:
    """A limit for the ratio of a measured variance to the true variance. For `freedom` + 1 values, this ratio is below the limit
    with a probability of 80 %. The limit is the 80 % quantile of chi-squared divided by `freedom`, as approximated by Wilson and
    Hilferty (PNAS 17, 1931)."""
    spread = 2 / (9 * freedom)
    return (1 - spread + NORMAL_80 * math.sqrt(spread)) ** 3


def two_sided(t: float, freedom: int) -> float:
    """P(|T| > t) for Student's distribution with a whole number of degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    The error is about 1e-15."""
    angle = math.atan(abs(t) / math.sqrt(freedom))
    cosine = math.cos(angle)
    term, total = (cosine, 0.0) if freedom % 2 else (1.0, 0.0)
    for number in range(freedom % 2 + 2, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (number - 1) / number
    inside = math.sin(angle) * total
    return max(0.0, 1 - (2 / math.pi * (angle + inside) if freedom % 2 else inside))
