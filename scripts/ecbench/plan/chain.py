"""The durability of one placement group: a continuous-time Markov chain over the number of its lost chunks.

In state i, i chunks are lost and the object can still be recovered. One more chunk is lost at the rate (n - i) a, where a is the
failure rate of one drive. Only some of the patterns of i + 1 losses can be recovered; the other patterns are data loss. Lost chunks
are repaired at the rate i/T (in parallel) or 1/T (one after another), where T is the mean time of a repair. The mean time to data
loss is computed by eliminating the states from the last to the first. Except for 1 - survival(), no step subtracts floating-point
numbers: each step only adds, multiplies and divides positive numbers. Therefore the relative error stays close to the error of one
floating-point operation, even if the rate is 1e-30.

The chain is exact for codes that recover every loss of up to m chunks. For other codes it assumes that all recoverable patterns of
i losses are equally probable. This is exact in the limit T = 0; see docs/plan.md."""

import dataclasses
import math
from collections.abc import Sequence

HOURS_PER_YEAR = 365 * 24
MOST_NINES = 300.0  # the smallest floating-point numbers are near 1e-308


@dataclasses.dataclass(frozen=True)
class Chain:
    """`recoverable[i]`: the share of the patterns of i lost chunks that the code can recover. recoverable[0] is 1."""

    n: int
    recoverable: Sequence[float]
    failures_per_year: float  # failures of one chunk's drive
    repair_years: float  # mean time of one repair
    is_parallel: bool = True

    def survival(self, lost: int) -> float:
        """For an object that has lost `lost` chunks and can be recovered: the probability that it can still be recovered after it
        has lost one more chunk.

        Let R(i) be the number of patterns of i losses that can be recovered. There are (n-i) R(i) ways to lose one more chunk.
        Every subset of a recoverable pattern is recoverable, so each of the R(i+1) patterns is the result of i+1 of these ways.
        The probability (i+1) R(i+1) / ((n-i) R(i)) equals recoverable[i+1] / recoverable[i]."""
        if lost + 1 >= len(self.recoverable):
            return 0.0
        # A share that was estimated from a sample may be larger than the share of fewer losses.
        return min(1.0, self.recoverable[lost + 1] / self.recoverable[lost])

    def years_to_loss(self) -> float:
        """The mean time from the state without losses to data loss."""
        last = max(lost for lost, share in enumerate(self.recoverable) if share > 0)
        # After a group has entered state `lost + 1`, it either loses data or returns to state `lost`. `died`: the probability that
        # it loses data first. `time`: the mean years until the first of these two events.
        died, time = 0.0, 0.0
        for lost in range(last, 0, -1):
            loss = (self.n - lost) * self.failures_per_year
            up = loss * self.survival(lost) if lost < last else 0.0
            ends = loss * (1 - self.survival(lost)) if lost < last else loss
            ends += up * died
            repaired = (lost if self.is_parallel else 1) / self.repair_years
            time = (1 + up * time) / (ends + repaired)
            died = ends / (ends + repaired)
        up = self.n * self.failures_per_year * self.survival(0)
        ends = self.n * self.failures_per_year * (1 - self.survival(0)) + up * died
        return (1 + up * time) / ends if ends else math.inf  # `ends` is 0 if it is below the smallest floating-point number

    def losses_per_year(self) -> float:
        """The rate at which a group loses data. 1 / rate is much longer than a repair, so losses are a Poisson process."""
        return 1 / self.years_to_loss()


def probability(losses_per_year: float, years: float = 1) -> float:
    """The probability of at least one data loss within `years`."""
    return -math.expm1(-losses_per_year * years)


def nines(probability_of_loss: float) -> float:
    """The nines of the durability: -log10 of the probability of loss, at most MOST_NINES."""
    return min(max(-math.log10(probability_of_loss), 0.0), MOST_NINES) if probability_of_loss > 0 else MOST_NINES


def mds(n: int, k: int) -> list[float]:
    """Chain.recoverable for a code that recovers every loss of up to n-k chunks."""
    return [1.0] * (n - k + 1)


def window_probability(n: int, k: int, afr: float, days: float) -> float:
    """Backblaze's formula: the year is divided into windows as long as a repair. More than n-k failures in a window lose data."""
    share = afr * days / 365
    one = sum(math.comb(n, lost) * share**lost * (1 - share)**(n - lost) for lost in range(n - k + 1, n + 1))
    return -math.expm1(365 / days * math.log1p(-one))
