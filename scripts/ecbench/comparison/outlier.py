"""Which members of a class differ from the others? The members, such as hosts, were measured independently. A figure is the speed
of one benchmark point.

The method is Rosner's generalized ESD (Technometrics 25, 1983): the member that is farthest from the mean of the others is removed
and tested against those that are left, so that outliers do not hide each other. The variance of a small class is moderated (Smyth,
Stat. Appl. Genet. Mol. Biol. 3, 2004): it is the weighted mean of the members' variance and a prior variance with PRIOR_FREEDOM
degrees of freedom, or the members' variance if it is larger. P-values are multiplied by the number of tests (Bonferroni)."""

import collections
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ecbench.comparison.figures import NOISE_FLOOR
from ecbench.statistics.interval import FEWEST_VALUES, median, median_interval, two_sided

Member = TypeVar("Member", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)

ERROR = 0.0007  # largest allowed probability of a false alarm, for all tests together, if the noise is the noise floor
PRIOR_FREEDOM = 19  # of the noise floor, which was estimated from 20 runs; see docs/statistics.md
NORMAL_95 = 1.96  # 95 % of normally distributed values are within this many standard deviations of the mean
MAD = 1.4826  # the standard deviation of normally distributed values / their median absolute deviation
ALWAYS_NAMED = 1.5  # a member that needs this many times the duration of the median of the others needs no test
FOR_ALL = 0.8  # share of ERROR for the tests with all figures of a member; those with a part of the figures get the rest
FEWEST_FIGURES = 6  # a part with fewer figures is not tested
ALL = "all figures"


@dataclass(frozen=True)
class Value:
    """The logarithm of a member's speed, relative to a common base, and the variance of this logarithm by measurement noise."""
    logarithm: float
    variance: float = 0.0


@dataclass(frozen=True)
class Outlier(Generic[Member]):
    member: Member
    ratio: float  # its speed / the geometric mean of the speeds of all members that are not outliers
    probability: float  # the p-value of any of the tests; 1 if it was not tested


def farthest(values: Mapping[Member, Value], usual: float, prior: float) -> tuple[Member, float]:
    """The member that is farthest from the mean of the others, of two the slower one, and the p-value of its distance. `usual`: the
    variance of a value by measurement noise; `prior`: between equal members."""
    total = math.fsum(value.logarithm for value in values.values())  # computed once for all members
    squares = math.fsum(value.logarithm ** 2 for value in values.values())
    count, freedom = len(values) - 1, len(values) - 2

    def t_of(value: Value) -> float:
        mean = (total - value.logarithm) / count
        own = max(0.0, squares - value.logarithm ** 2 - count * mean ** 2)  # sum of (logarithm of another member - mean)^2
        variance = (PRIOR_FREEDOM * prior + own) / (PRIOR_FREEDOM + freedom)
        if freedom:
            variance = max(variance, own / freedom)
        return (value.logarithm - mean) / math.sqrt(variance * (1 + 1 / count) + max(0.0, value.variance - usual))

    tested = {member: t_of(value) for member, value in values.items()}
    member = max(tested, key=lambda one: -values[one].logarithm if count == 1 else abs(tested[one]))
    return member, two_sided(tested[member], freedom + PRIOR_FREEDOM)


def outliers(values: Mapping[Member, Value], tests: float, between_rounds: float = 0.0) -> list[Outlier[Member]]:
    """The outliers, the farthest first, if more than half of the members are equal. `tests`: the p-values are multiplied by this
    number. `between_rounds`: the variance of a value, estimated from the differences between rounds."""
    if len(values) < 2:
        return []
    usual, left = median(value.variance for value in values.values()), dict(values)
    prior = max((NOISE_FLOOR / NORMAL_95) ** 2, usual, between_rounds)
    removed: list[tuple[Member, float]] = []
    named = 0
    for number in range(1, max(1, (len(values) - 1) // 2) + 1):
        member, probability = farthest(left, usual, prior)
        probability = min(1.0, probability * tests)
        del left[member]
        removed.append((member, probability))
        if probability < ERROR:
            named = number
    found = dict(removed[:named])
    highest, least = max(value.logarithm for value in values.values()), math.log(ALWAYS_NAMED)
    found |= {member: dict(removed).get(member, 1.0) for member, value in values.items()
              if member not in found and value.logarithm < highest - least and value.logarithm < -least +
              median(other.logarithm for name, other in values.items() if name != member)}
    equal = [value.logarithm for member, value in values.items() if member not in found]
    mean = math.fsum(equal) / len(equal)
    result = [Outlier(member, math.exp(values[member].logarithm - mean), probability) for member, probability in found.items()]
    return [one for one in result if abs(math.log(one.ratio)) > NOISE_FLOOR]


@dataclass(frozen=True, slots=True)
class Figure:
    """The speed of a benchmark point that a member measured."""

    rounds: Sequence[float]  # GB/s of each round; NaN if the figure has none
    speeds: Sequence[float]  # GB/s of each placement in each round
    floor_percent: float
    gb_per_s: float  # the median of the rounds

    @property
    def variance(self) -> float:
        """The variance of the logarithm of `gb_per_s`, without the noise floor."""
        ends = median_interval(self.speeds)
        return (math.log(ends[1] / ends[0]) / 2 / NORMAL_95) ** 2


Figures = Mapping[Member, Mapping[Key, Figure]]  # of a class


class Deviations(Generic[Member, Key]):
    """The figures of a class. `relative`: the logarithms of each member's figures, relative to the median of the class. A figure
    that only one member has is left out."""

    def __init__(self, figures: Figures[Member, Key]) -> None:
        self._figures = figures
        by_key: dict[Key, dict[Member, float]] = collections.defaultdict(dict)
        for member, of_member in figures.items():
            for key, figure in of_member.items():
                by_key[key][member] = math.log(figure.gb_per_s)
        self.relative: dict[Member, dict[Key, float]] = {member: {} for member in figures}
        for key, of_members in by_key.items():
            level = median(of_members.values())
            for member, value in of_members.items() if len(of_members) > 1 else ():
                self.relative[member][key] = value - level
        self.keys = list(dict.fromkeys(key for of_member in self.relative.values() for key in of_member))

    def values(self, keys: set[Key]) -> dict[Member, Value]:
        """The median of each member's figures with these keys. A member with too few of these figures is left out."""
        return {member: value for member in self.relative if (value := self._value(member, keys))}

    def _value(self, member: Member, keys: set[Key]) -> Value | None:
        found = {key: value for key, value in self.relative[member].items() if key in keys}
        if not found or len(found) < min(len(keys), FEWEST_FIGURES):
            return None
        middle, count = median(found.values()), len(found)
        if count >= FEWEST_VALUES:
            scatter = (MAD * median(abs(value - middle) for value in found.values())) ** 2
        else:
            scatter = math.fsum(self._figures[member][key].variance for key in found) / count
        # The variance of the median of many values is pi / 2 times that of their mean. The median of one or two is the mean.
        return Value(middle, scatter * (math.pi / 2 if count > 2 else 1) / count)

    def between_rounds(self, keys: set[Key]) -> float:
        """The contribution of differences between rounds to the variance of a member's value, computed from all members. For
        example, if a host is slow for a minute, all its figures in one round are low. It is 0 if there is only one round."""
        squares, freedom, rounds = 0.0, 0, 1.0
        for member, of_member in self._figures.items():
            chosen = [(of_member[key].rounds, math.log(of_member[key].gb_per_s)) for key in self.relative[member] if key in keys]
            of_rounds = [median(values) for number in range(max((len(speeds) for speeds, _ in chosen), default=0))
                         if (values := [math.log(speeds[number]) - level for speeds, level in chosen
                                        if number < len(speeds) and speeds[number] == speeds[number]])]
            if len(of_rounds) > 1:
                mean = math.fsum(of_rounds) / len(of_rounds)
                squares += math.fsum((value - mean) ** 2 for value in of_rounds)
                freedom += len(of_rounds) - 1
                rounds = max(rounds, len(of_rounds))
        return squares / freedom / rounds if freedom else 0.0


@dataclass(frozen=True)
class Standing:
    """The speed of a member of a class, compared with the others."""
    ratio: float | None  # to the median of the class; of an outlier: to the mean of the members that are none, in `part`
    part: str = ""  # of an outlier: the figures in which it differs
    probability: float | None = None  # see Outlier


def standings(classes: Iterable[Figures[Member, Key]], axes: Sequence[Callable[[Key], str]]) -> dict[Member, Standing]:
    """The standing of each member that can be compared. The figures of a class are tested together, and for each value of an axis
    (the part). An outlier differs in all its figures, otherwise in the part with the smallest p-value."""
    tested = [(one, parts_of(one.keys, axes)) for one in map(Deviations, classes)]
    members = sum(len(one.relative) for one, _ in tested)
    of_parts = sum(len(one.relative) * len(parts) for one, parts in tested)
    found = dict[Member, Standing]()
    for one, parts in tested:
        found |= {member: Standing(math.exp(median(values.values()))) for member, values in one.relative.items() if values}
        named = [(part, outlier) for part, keys in parts.items()
                 for outlier in outliers(one.values(keys), of_parts / (1 - FOR_ALL), one.between_rounds(keys))]
        named.sort(key=lambda each: each[1].probability)
        keys = set(one.keys)
        named = [(ALL, outlier) for outlier in outliers(one.values(keys), members / FOR_ALL, one.between_rounds(keys))] + named
        found |= {outlier.member: Standing(outlier.ratio, part, outlier.probability) for part, outlier in reversed(named)}
    return found


def parts_of(keys: Sequence[Key], axes: Sequence[Callable[[Key], str]]) -> dict[str, set[Key]]:
    """The keys with each value of an axis that has several values, unless there are too few."""
    parts = dict[str, set[Key]]()
    for axis in axes:
        by_value: dict[str, set[Key]] = collections.defaultdict(set)
        for key in keys:
            by_value[axis(key)].add(key)
        parts |= by_value if len(by_value) > 1 else {}
    return {value: found for value, found in parts.items() if len(found) >= FEWEST_FIGURES}
