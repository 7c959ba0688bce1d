"""The answer of a run: in how many cases each library is the fastest, and one sentence."""

import collections
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ecbench.contenders.results import CaseResult, Results

NAMED = 3  # other libraries in the sentence


@dataclass(frozen=True)
class Score:
    library: str
    fastest: int  # cases in which it is significantly faster than all others
    tied: int  # cases in which it is the fastest or not significantly different from it


def scores(cases: Iterable[CaseResult], libraries: Sequence[str]) -> list[Score]:
    """The best first."""
    fastest, tied = collections.Counter[str](), collections.Counter[str]()
    for result in cases:
        if result.fastest:
            (tied if result.ranking.ties else fastest).update([result.fastest, *result.ties])
    found = [Score(library, fastest[library], tied[library]) for library in libraries]
    return sorted(found, key=lambda score: (-score.fastest, -score.tied))


def sentence(results: Results) -> str:
    """Inconclusive cases have no winner and are counted separately."""
    return answer(results.run.header["machine"]["cpu"], results.cases, scores(results.cases, results.libraries))


def answer(cpu: str, cases: Sequence[CaseResult], ranked: Sequence[Score]) -> str:
    unknown = sum(result.ranking.inconclusive is not None for result in cases)
    count = f"{len(cases)} case{'s' if len(cases) != 1 else ''}"
    if unknown == len(cases):
        return f"On {cpu}, it is inconclusive which library is the fastest: no difference is significant in any of {count}."
    first, *others = ranked
    leaders = [first, *(score for score in others if (score.fastest, score.tied) == (first.fastest, first.tied))]
    names, each = " and ".join(score.library for score in leaders), " each" if len(leaders) > 1 else ""
    ties = f"in a tie in {first.tied}"
    if first.fastest:
        verb = "are" if each else "is"
        text = f"On {cpu}, {names} {verb}{each} the fastest library in {first.fastest} of {count}"
        text += f" and {ties}" if first.tied else ""
    else:
        text = f"On {cpu}, no library is the only fastest one in any of {count}; {names} {'are' if each else 'is'}{each} {ties}"
    rest = [score for score in others[len(leaders) - 1:] if score.fastest or score.tied]
    if rest:
        text += f"; then {', '.join(f'{score.library} in {score.fastest} (tie: {score.tied})' for score in rest[:NAMED])}"
    return f"{text}; {unknown} {'is' if unknown == 1 else 'are'} inconclusive." if unknown else f"{text}."
