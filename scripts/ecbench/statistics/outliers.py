"""Finds the members of a group that differ from the others.

The method is Rosner's generalized ESD (Technometrics 25, 1983), which removes one member in each step. This is the member that is
farthest from the mean of the others. The removed member is tested against the members that are left. Therefore an outlier cannot
hide a second outlier.

The variance cannot be estimated well from the members of a small group. Therefore it is moderated (Smyth, Stat. Appl. Genet. Mol.
Biol. 3, 2004): it is a weighted mean of the variance of the members and a prior variance. The prior variance is the known noise
between runs, and its weight is PRIOR_FREEDOM degrees of freedom. If the variance of the members is clearly larger than the prior
variance, only the variance of the members is used. Differences below the noise floor are never reported.

The p-values are multiplied by the number of tests (Bonferroni). Assume that all members are equal, and that their noise is at most
the known noise. Then the probability that any member is reported as an outlier is below ERROR. docs/statistics.md has the error
rates for larger noise."""

import functools
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ecbench.statistics.interval import median

Member = TypeVar("Member", bound=Hashable)

ERROR = 0.001  # largest allowed probability of a false alarm, for all tests together
NOISE_FLOOR = 0.015  # 95 % of the runs of a point differ by less than this from their mean; also the default of --drift-floor
PRIOR_FREEDOM = 19  # degrees of freedom of the noise floor, which was estimated from 20 runs; see docs/statistics.md
NORMAL_95 = 1.96  # 95 % of normally distributed values are within this many standard deviations of the mean
NORMAL_80 = 0.8416  # 80 % quantile of the standard normal distribution


@dataclass(frozen=True)
class Value:
    """The logarithm of a member's speed, and the variance of this logarithm. The variance is caused by measurement noise. The
    speeds of a group may be relative to a common base."""

    logarithm: float
    variance: float = 0.0


@dataclass(frozen=True)
class Outlier(Generic[Member]):
    member: Member
    ratio: float  # its speed / the geometric mean of the speeds of all members that are not outliers
    probability: float  # the p-value: if all members are equal, the probability that any of the tests finds such a difference


class Group(Generic[Member]):
    """The members of a group that are not removed yet. farthest() compares each member with the others. To be fast, it computes
    the sums over all members only once, and uses them for every comparison."""

    def __init__(self, values: Mapping[Member, Value], between_rounds: float) -> None:
        self._usual = median(value.variance for value in values.values())
        self._prior = max((NOISE_FLOOR / NORMAL_95) ** 2, self._usual, between_rounds)
        self.left = dict(values)

    def farthest(self) -> tuple[Member, float]:
        """Returns the member that is farthest from the mean of the others, and the p-value of this distance. If only two members
        are left, returns the slower member."""
        total = math.fsum(value.logarithm for value in self.left.values())
        squares = math.fsum(value.logarithm ** 2 for value in self.left.values())
        tested = {member: self._test(value, total, squares) for member, value in self.left.items()}
        if len(tested) == 2:
            member = min(self.left, key=lambda one: self.left[one].logarithm)
        else:
            member = max(tested, key=lambda one: abs(tested[one][0]))
        return member, two_sided(*tested[member])

    def _test(self, value: Value, total: float, squares: float) -> tuple[float, int]:
        """Returns the t value of a member, and the degrees of freedom of its t-test."""
        count = len(self.left) - 1
        mean = (total - value.logarithm) / count
        freedom = count - 1
        own = max(0.0, squares - value.logarithm ** 2 - count * mean ** 2)  # sum of (logarithm of another member - mean)^2
        if freedom and own / freedom > self._prior * largest_ratio(freedom):
            variance = own / freedom  # the other members differ by more than the known noise
        else:
            variance = (PRIOR_FREEDOM * self._prior + own) / (PRIOR_FREEDOM + freedom)
            freedom += PRIOR_FREEDOM
        error = math.sqrt(variance * (1 + 1 / count) + max(0.0, value.variance - self._usual))
        return (value.logarithm - mean) / error, freedom


def outliers(values: Mapping[Member, Value], tests: float, between_rounds: float = 0.0) -> list[Outlier[Member]]:
    """Returns the outliers, the farthest first. `tests`: the p-values are multiplied by this number. It is usually the number of
    values in all groups. `between_rounds`: the variance of a value, estimated from the differences between rounds. The method
    assumes that more than half of the members are equal. With only two members, only the slower member can be an outlier."""
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
    """Returns a limit for measured variance / true variance. If the variance is measured with `freedom` + 1 values, this ratio is
    below the limit with a probability of 80 %. The limit is q / `freedom`. q is the 80 % quantile of the chi-squared distribution,
    in the approximation by Wilson and Hilferty (PNAS 17, 1931)."""
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
