"""Computes the durability of one placement group with a continuous-time Markov chain. A state of the chain is the number of lost
chunks.

In state i, i chunks are lost and the object can still be recovered. One more chunk is lost at the rate (n - i) a, where a is the
failure rate of one drive. Only some of the patterns of i + 1 losses can be recovered; the others are data loss. Lost chunks are
repaired at the rate i/T (in parallel) or 1/T (one after another). The states are eliminated from the last to the first. Only
1 - survival() subtracts, so the relative error stays near that of one floating-point operation, even at 1e-30 losses per year.

The chain is exact for codes that recover every loss of up to m chunks. For other codes it assumes that all recoverable patterns of
i losses are equally probable. This is exact in the limit T = 0; see docs/plan.md."""

import dataclasses
import math
from collections.abc import Sequence

HOURS_PER_YEAR = 365 * 24
MOST_NINES = 300.0  # must be below 308, because the smallest floating-point numbers are near 1e-308


@dataclasses.dataclass(frozen=True)
class Chain:
    """`recoverable[i]`: the share of the patterns of i lost chunks that the code can recover. recoverable[0] is 1."""

    n: int
    recoverable: Sequence[float]
    failures_per_year: float  # failure rate of one drive
    repair_years: float  # mean time of one repair
    is_parallel: bool = True

    def survival(self, lost: int) -> float:
        """The probability that an object that has lost `lost` chunks can still be recovered after one more loss. R(i) patterns of i
        losses can be recovered, and there are (n-i) R(i) ways to lose one more chunk. Every subset of a recoverable pattern is
        recoverable, so each of the R(i+1) patterns results from i+1 of these ways."""
        if lost + 1 >= len(self.recoverable):
            return 0.0
        # Shares can be estimates from a sample. Then recoverable[lost + 1] may by chance be larger than recoverable[lost].
        return min(1.0, self.recoverable[lost + 1] / self.recoverable[lost])

    def years_to_loss(self) -> float:
        """The mean time from the state without losses to data loss."""
        last = max(lost for lost, share in enumerate(self.recoverable) if share > 0)
        # After a group has entered state `lost + 1`, it either loses data or returns to state `lost`. `died`: the probability that
        # it loses data first. `time`: the mean number of years until one of these two events.
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
        return (1 + up * time) / ends if ends else math.inf  # `ends` is 0 if it is too small for a floating-point number

    def sector_losses_per_year(self, unreadable: Sequence[float]) -> float:
        """The rate at which data is lost because a sector cannot be read during a repair. unreadable[i]: the probability of such a
        sector in the chunks that are read if i chunks are lost. Uses the stationary probabilities of the states."""
        rate, stays, losses = 0.0, 1.0, 0.0  # of the state `lost`: times per year that it is entered, and share of time
        for lost in range(1, len(self.recoverable)):
            rate = stays * (self.n - lost + 1) * self.failures_per_year * self.survival(lost - 1)
            repaired = (lost if self.is_parallel else 1) / self.repair_years
            stays = rate / (repaired + (self.n - lost) * self.failures_per_year)
            losses += rate * (1 - self.survival(lost)) * unreadable[lost]
        return losses

    def losses_per_year(self) -> float:
        """The rate at which a group loses data. The mean time between two losses is much longer than a repair, so the losses are
        approximately a Poisson process."""
        return 1 / self.years_to_loss()


def probability(losses_per_year: float, years: float = 1) -> float:
    """The probability of at least one data loss within `years`."""
    return -math.expm1(-losses_per_year * years)


def nines(probability_of_loss: float) -> float:
    """The nines of the durability: -log10 of the probability of loss, at most MOST_NINES."""
    return min(max(-math.log10(probability_of_loss), 0.0), MOST_NINES) if probability_of_loss > 0 else MOST_NINES
