"""The questions that a comparison answers. A mode declares which one it asks, and adds no rule; docs/statistics.md documents the
rules and their error rates."""

from dataclasses import dataclass

from ecbench.statistics.interval import Estimate

NOISE_FLOOR = 0.015  # 95 % of the runs of a point differ by less than this from their mean; also the default of --drift-floor
LEAST_DIFFERENCE = NOISE_FLOOR  # smaller differences are never called significant
# The allowed error of a table. The trimmed interval (figures.py) is slightly too narrow, so that simulated error rates are up to a
# quarter higher: with 0.04, they are at most 5 %.
ALPHA = 0.04
INCONCLUSIVE = "inconclusive"
FASTEST, TIE, UNCLEAR = "fastest", "tie", "unclear"
FASTER, SLOWER, NO_REGRESSION = "faster", "slower", "no regression"


@dataclass(frozen=True)
class Question:
    name: str
    verdicts: tuple[str, ...]
    condition: str  # under which the error rates hold; legends of tables contain it


SELECT = Question("select", (FASTEST, TIE, UNCLEAR, SLOWER, INCONCLUSIVE),
                  "If {} are equally fast and the rounds are independent, any of them is called slower in at most 5 % of runs")
CHANGE = Question("change", (SLOWER, NO_REGRESSION, FASTER, INCONCLUSIVE),
                  "if the measurements are independent (a bias of the whole run looks like a change)")
OUTLIER = Question("outlier", (SLOWER, FASTER),
                   "Equal hosts are named in at most 1 % of fleets, if the noise between them is not above the noise floor")


def tail_of(comparisons: int) -> float:
    """The tail probability of each interval if a table makes `comparisons` comparisons with two possible verdicts (Bonferroni)."""
    return ALPHA / (2 * max(comparisons, 1))


@dataclass(frozen=True)
class Verdict:
    word: str
    ratio: Estimate  # of speeds, with the interval that decided


def change(corrected: Estimate, of_one: Estimate, margin: float = LEAST_DIFFERENCE) -> Verdict:
    """Whether the speed changed by at least the margin, relative to one reference. `corrected`, `of_one`: the ratio of speeds, with
    the interval that is corrected for all comparisons and looks, and with that of one. A missed loss does not depend on the number
    of other comparisons, so `no regression` needs only the latter, which must contain no loss of the margin."""
    margin -= 1e-11  # tolerates rounding errors, such as in 1.03 - 1
    if corrected.high is not None and corrected.high < 1 and corrected.median <= 1 - margin:
        return Verdict(SLOWER, corrected)
    if corrected.low is not None and corrected.low > 1 and corrected.median >= 1 + margin:
        return Verdict(FASTER, corrected)
    if of_one.low is not None and of_one.low > 1 - margin:
        return Verdict(NO_REGRESSION, of_one)
    return Verdict(INCONCLUSIVE, corrected)


def direction(ratio: Estimate) -> str:
    """SLOWER, FASTER, or another word if the difference is not significant."""
    return change(ratio, ratio).word
