"""Counts the cases in which each candidate is the fastest, and describes the result in one sentence."""

import collections
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ecbench.comparison.figures import Candidate
from ecbench.comparison.questions import TIE
from ecbench.comparison.select import Selection

NAMED = 3  # maximum number of candidates after "next:" in the sentence


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of one case; `first` is empty if the case is inconclusive."""

    first: Sequence[str]  # the fastest candidate and its ties
    is_alone: bool = False  # whether one candidate is significantly faster than all others


@dataclass(frozen=True)
class Score:
    name: str
    fastest: int  # number of cases in which this candidate is significantly faster than all others
    tied: int  # number of cases in which this candidate and others are tied for the fastest


def outcome_of(found: Selection[Candidate], name: Callable[[Candidate], str] = str, with_unclear: bool = False) -> CaseOutcome:
    """`name`: of what is counted; several candidates may have the same. A candidate that is unclear does not count as a tie, unless
    `with_unclear` is true, but the first has not won."""
    if found.inconclusive:
        return CaseOutcome(())
    ties = found.ties if with_unclear else found.having(TIE)
    first = name(found.first)
    return CaseOutcome(list(dict.fromkeys([first, *map(name, ties)])), all(name(tie) == first for tie in found.ties))


def scores(outcomes: Iterable[CaseOutcome], names: Iterable[str]) -> list[Score]:
    """Sorted by `fastest` and then by `tied`, the highest first. Equal scores are in the order of `names`."""
    fastest, tied = collections.Counter[str](), collections.Counter[str]()
    for outcome in outcomes:
        (fastest if outcome.is_alone else tied).update(outcome.first)
    return sorted((Score(name, fastest[name], tied[name]) for name in names), key=lambda score: (-score.fastest, -score.tied))


def sentence(where: str, kind: str, outcomes: Sequence[CaseOutcome], ranked: Sequence[Score]) -> str:
    """`where`: the name of the CPU. `kind`: the word for a candidate, such as "library". `ranked`: the result of scores()."""
    unknown = sum(not outcome.first for outcome in outcomes)
    count = f"{len(outcomes)} case{'s' if len(outcomes) != 1 else ''}"
    if unknown == len(outcomes):
        return f"On {where}, it is inconclusive which {kind} is the fastest ({count})."
    first, *others = ranked
    leaders = [first, *(score for score in others if (score.fastest, score.tied) == (first.fastest, first.tied))]
    names, each = " and ".join(score.name for score in leaders), " each" if len(leaders) > 1 else ""
    verb = "are" if each else "is"
    if first.fastest:
        text = f"On {where}, {names} {verb}{each} the fastest {kind} in {first.fastest} of {count}"
        text += f" and tied for the fastest in {first.tied} more case{'s' if first.tied != 1 else ''}" if first.tied else ""
    else:
        text = (f"On {where}, no {kind} is faster than all others in any of {count}; {names} {verb}{each} tied for the fastest in "
                f"{first.tied}")
    rest = [score for score in others[len(leaders) - 1:] if score.fastest or score.tied]
    if rest:
        text += f"; next: {', '.join(f'{score.name} (fastest in {score.fastest}, tied in {score.tied})' for score in rest[:NAMED])}"
    return f"{text}; {unknown} {'case is' if unknown == 1 else 'cases are'} inconclusive." if unknown else f"{text}."
