"""Finds the fastest of several candidates, or reports why the measurements are inconclusive.

    measured = Rounds(...)                       # or IndependentFigures({candidate: Estimate})
    result = ranking(measured, candidates)
    if result.inconclusive:
        print(result.inconclusive.text("repeat with --rounds 11"))
    else:
        print(result.first, result.ties)"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol

from ecbench.statistics.interval import FEWEST_VALUES, Estimate, independent_ratio
from ecbench.statistics.rounds import Candidate

WIDEST = 0.1  # default of `widest`, see ranking(): 0.1 is plus or minus 10 %
MOST_DISTURBED = 1 / 3  # largest allowed share of disturbed measurements of the first candidate and of each tie


class Measured(Protocol[Candidate]):
    def figure(self, candidate: Candidate) -> Estimate: ...
    def ratio(self, candidate: Candidate, base: Candidate) -> Estimate: ...
    def ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]: ...


class IndependentFigures(Generic[Candidate]):
    """The figures of candidates that were not measured in the same rounds. Each candidate has one figure."""

    def __init__(self, figures: Mapping[Candidate, Estimate]) -> None:
        self._figures = figures

    def figure(self, candidate: Candidate) -> Estimate:
        return self._figures[candidate]

    def ratio(self, candidate: Candidate, base: Candidate) -> Estimate:
        return independent_ratio(self._figures[candidate], self._figures[base])

    def ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return sorted(candidates, key=lambda candidate: -self._figures[candidate].median)


@dataclass(frozen=True)
class Inconclusive:
    why: str
    is_noise: bool  # True: the measurements are too noisy; False: there are too few measurements

    def what_to_do(self, more: str) -> str:
        """Returns advice for the user. `more`: how the user can make more measurements, such as "repeat with --rounds 11"."""
        return f"{'end other programs on this machine or use other CPUs, and ' if self.is_noise else ''}{more}"

    def text(self, more: str) -> str:
        """The reason and the advice in one line."""
        return f"inconclusive: {self.why}; {self.what_to_do(more)}"

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True)
class Ranking(Generic[Candidate]):
    order: list[Candidate]  # fastest first
    ratios: dict[Candidate, Estimate]  # each other candidate → its speed / the speed of the first
    ties: list[Candidate]  # the others that are not significantly different from the first
    unclear: list[Candidate]  # ties that may be slower than the first by more than `widest` of ranking()
    inconclusive: Inconclusive | None  # why the first may not be the fastest; None if it is the fastest or ties with the fastest

    @property
    def first(self) -> Candidate:
        return self.order[0]


def ranking(measured: Measured[Candidate], candidates: Sequence[Candidate], widest: float = WIDEST,
            disturbed: Mapping[Candidate, float] | None = None, name: Callable[[Candidate], str] = str,
            only_ratios: bool = False) -> Ranking[Candidate]:
    """Ranks the candidates. `disturbed`: candidate → the share of its measurements that were disturbed by other programs. The
    outcome is inconclusive in these cases:
    - The first candidate or a tie has too few measurements, or too many disturbed measurements.
    - Another candidate has only disturbed measurements.
    - The interval of the first candidate is wider than plus or minus `widest`. If `only_ratios` is true, this is not checked: if a
      candidate is the fastest in every round, it does not matter how much the speed of the machine varies between rounds.
    - A tie was measured in too few rounds together with the first candidate, or the interval of a tie reaches 0.
    - A tie may be faster than the first candidate by more than `widest`."""
    order = measured.ranked(candidates)
    ratios = {other: measured.ratio(other, order[0]) for other in order[1:]}
    ties = [other for other, ratio in ratios.items() if ratio.high is None or ratio.high >= 1]
    unclear = [tie for tie in ties if (ratios[tie].low or 0) < 1 - widest]
    doubt = find_doubt(measured, order[0], ratios, {tie: ratios[tie] for tie in ties}, widest, disturbed or {}, name, only_ratios)
    return Ranking(order, ratios, ties, unclear, doubt)


def find_doubt(measured: Measured[Candidate], first: Candidate, ratios: Mapping[Candidate, Estimate],
               ties: Mapping[Candidate, Estimate], widest: float,
               disturbed: Mapping[Candidate, float], name: Callable[[Candidate], str], only_ratios: bool) -> Inconclusive | None:
    for candidate in (first, *ratios):
        share = disturbed.get(candidate, 0)
        # If all measurements of a slower candidate were disturbed, it may be slower only because other programs disturbed it.
        if share > MOST_DISTURBED and (candidate == first or candidate in ties or share >= 1):
            return Inconclusive(f"other programs disturbed {share * 100:.0f} % of the measurements of {name(candidate)}", True)
    for candidate in (first, *ties):
        count = measured.figure(candidate).count
        if count < FEWEST_VALUES:
            values = "1 measurement" if count == 1 else f"{count} measurements"
            return Inconclusive(f"{name(candidate)} has {values}, but a 95 % interval needs {FEWEST_VALUES}", False)
    width = measured.figure(first).width_percent
    if not only_ratios and (width is None or width > widest * 100):
        known = "unknown" if width is None else f"±{width:.0f} %"
        return Inconclusive(f"the 95 % interval of {name(first)} is {known}; it must be ±{widest * 100:.0f} % or narrower", True)
    for tie, ratio in ties.items():
        if ratio.low is None or ratio.high is None:
            is_short = ratio.count < FEWEST_VALUES
            why = (f"was measured together with {name(first)} in {ratio.count} rounds" if is_short
                   else "has an interval that reaches 0")
            return Inconclusive(f"{name(tie)} {why}{f', but a 95 % interval needs {FEWEST_VALUES}' if is_short else ''}",
                                not is_short)
        if ratio.high > 1 + widest:
            return Inconclusive(f"{name(tie)} has {ratio.low * 100:.0f} to {ratio.high * 100:.0f} % of the speed of "
                                f"{name(first)}, so "
                                "either may be faster", True)
    return None
