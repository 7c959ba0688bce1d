"""In how many cases the best library is the fastest, tied, slower, or inconclusive."""

import collections
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ecbench.comparison.select import Selection
from ecbench.comparison.tally import outcome_of, scores
from ecbench.point.point import bytes_text
from ecbench.site.results import Candidate, Result

Rankings = Sequence[tuple[Result, Selection[Candidate]]]


@dataclass(frozen=True)
class Standing:
    library: str
    code: str  # the one of the library that is the first most often
    cases: int
    leads: list[float]  # where it is significantly faster than all others: its speed / that of the next library
    tied: int
    slower: list[str]  # where another library is significantly faster
    inconclusive: int

    @property
    def text(self) -> str:
        if self.inconclusive == self.cases:
            return f"inconclusive in all {self.cases} cases"
        parts = [f"fastest in {len(self.leads)} of {self.cases} cases"]
        if self.leads:
            parts[0] += f" ({min(self.leads):.1f} to {max(self.leads):.1f} × the next)"
        parts += [f"tied in {self.tied}"] if self.tied else []
        parts += [f"slower in {len(self.slower)}"] if self.slower else []
        if len(self.slower) == 1:
            parts[-1] += f" ({self.slower[0]})"
        parts += [f"inconclusive in {self.inconclusive}"] if self.inconclusive else []
        return ", ".join(parts)


def standing(rankings: Rankings, library: Callable[[Candidate], str]) -> Standing:
    """The standing of the library that is the fastest in the most cases."""
    outcomes = [outcome_of(ranking, library, with_unclear=True) for _, ranking in rankings]
    names = sorted({library(one) for _, ranking in rankings for one in ranking.order})
    best = scores(outcomes, names)[0]
    codes = collections.Counter[str]()
    leads, slower = [], []
    for (result, ranking), outcome in zip(rankings, outcomes, strict=True):
        if outcome.first and best.name not in outcome.first:
            slower.append(f"{result.table}, {bytes_text(result.case.size)}")
            continue
        codes.update([one.name for one in ranking.order if library(one) == best.name][:1])
        following = next((one for one in ranking.order if library(one) != best.name), None)
        if outcome.is_alone and (lead := ranking.lead(following)):
            leads.append(lead.median)
    return Standing(best.name, codes.most_common(1)[0][0], len(rankings), leads, best.tied, slower,
                    sum(not outcome.first for outcome in outcomes))


def in_ceph(results: Sequence[Result]) -> Standing | None:
    """Among Ceph's plugins; None if no case has two of them."""
    rankings = [(result, result.ceph_ranking) for result in results if result.next_in_ceph]
    return standing(rankings, lambda one: one.point.plugin) if rankings else None


def anywhere(results: Sequence[Result]) -> Standing:
    return standing([(result, result.ranking) for result in results], lambda one: one.library)
