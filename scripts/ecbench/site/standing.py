"""In how many cases the best library is the fastest, tied, unclear, slower, or inconclusive."""

import collections
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ecbench.comparison.select import Selection
from ecbench.comparison.tally import outcome_of, scores
from ecbench.point.point import bytes_text
from ecbench.site.results import Candidate, Result

Rankings = Sequence[tuple[Result, Selection[Candidate]]]
SURE, LIKELY, MIXED, UNSURE = "sure", "likely", "mixed", "unsure"
CONFIDENCE = ("Sure: in at least 9 of 10 cases, the code is the fastest or tied, and the run was not disturbed. Unsure: most "
              "cases are inconclusive. Mixed: it is slower in over a quarter. Likely: otherwise.")


@dataclass(frozen=True)
class Standing:
    library: str
    codes: list[str]  # of the library: those that are its fastest in a case, the most frequent first
    cases: int
    leads: list[float]  # where it is significantly faster than all others: its speed / that of the next library
    tied: int
    unclear: int  # tied with another library, but the difference may be over 10 %
    slower: list[str]  # where another library is significantly faster
    inconclusive: int

    @property
    def name(self) -> str:
        names = [code for code in self.codes if code not in ("", self.library)]
        return f"{self.library} {' or '.join(names)}" if names else self.library

    def word(self, has_doubts: bool) -> str:
        """As CONFIDENCE says."""
        if 2 * self.inconclusive > self.cases:
            return UNSURE
        if 4 * len(self.slower) > self.cases:
            return MIXED
        exceptions = self.inconclusive + len(self.slower) + self.unclear
        return LIKELY if has_doubts or 10 * exceptions > self.cases else SURE

    @property
    def text(self) -> str:
        if self.inconclusive == self.cases:
            return f"inconclusive in all {self.cases} cases"
        counts = {"tied": self.tied, "unclear": self.unclear, "slower": len(self.slower), "inconclusive": self.inconclusive}
        where = f" ({self.slower[0]})" if len(self.slower) == 1 else ""
        return ", ".join([f"fastest in {len(self.leads)} of {self.cases} cases",
                          *(f"{word} in {count}{where * (word == 'slower')}" for word, count in counts.items() if count)])

    @property
    def lead_text(self) -> str:
        return f"{min(self.leads):.1f} to {max(self.leads):.1f} × the next" if self.leads else ""


def standing(rankings: Rankings, library: Callable[[Candidate], str]) -> Standing:
    """The standing of the library that is the fastest in the most cases, in the cases in which it was measured."""
    names = sorted({library(one) for _, ranking in rankings for one in ranking.order})
    name = scores([outcome_of(ranking, library) for _, ranking in rankings], names)[0].name
    codes, counts = collections.Counter[str](), collections.Counter[str]()
    leads, slower = [], []
    for result, ranking in rankings:
        own = next((one for one in ranking.order if library(one) == name), None)
        following = next((one for one in ranking.order if library(one) != name), None)
        if own is None:
            continue
        counts["cases"] += 1
        tied = {library(one) for one in (ranking.first, *ranking.ties) if one not in ranking.unclear}
        unclear = {library(one) for one in ranking.unclear} - tied
        if ranking.inconclusive:
            counts["inconclusive"] += 1
        elif name not in tied | unclear:
            slower.append(f"{result.table}, {bytes_text(result.case.size)}")
        elif tied | unclear == {name} and following and (lead := ranking.lead(following)):
            leads.append(lead.median)
        else:
            counts["unclear" if name in unclear or (unclear and library(ranking.first) == name) else "tied"] += 1
        if not ranking.inconclusive and name in tied | unclear:
            codes.update([own.code])
    return Standing(name, [code for code, _ in codes.most_common()], counts["cases"], leads, counts["tied"], counts["unclear"],
                    slower, counts["inconclusive"])


def in_ceph(results: Sequence[Result]) -> Standing | None:
    """Among Ceph's plugins; None if no case has two of them."""
    rankings = [(result, result.ceph_ranking) for result in results if result.next_in_ceph]
    return standing(rankings, lambda one: one.point.plugin) if rankings else None


def anywhere(results: Sequence[Result]) -> Standing:
    return standing([(result, result.ranking) for result in results], lambda one: one.library)
