"""Counts in how many cases each candidate is the fastest, and writes the result as one sentence."""

import collections
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NAMED = 3  # the sentence names at most this many other candidates


@dataclass(frozen=True)
class Outcome:
    """The outcome of one case; `first` is empty if the case is inconclusive."""

    first: Sequence[str]  # the fastest, and those that are not significantly different from it
    is_alone: bool = False  # the fastest is significantly faster than all others


@dataclass(frozen=True)
class Score:
    name: str
    fastest: int  # cases in which it is significantly faster than all others
    tied: int  # cases in which it is tied for the fastest with others


def scores(outcomes: Iterable[Outcome], names: Iterable[str]) -> list[Score]:
    """The best first; equal ones in the order of `names`."""
    fastest, tied = collections.Counter[str](), collections.Counter[str]()
    for outcome in outcomes:
        (fastest if outcome.is_alone else tied).update(outcome.first)
    return sorted((Score(name, fastest[name], tied[name]) for name in names), key=lambda score: (-score.fastest, -score.tied))


def sentence(where: str, kind: str, outcomes: Sequence[Outcome], ranked: Sequence[Score]) -> str:
    """`kind`: what is compared, such as library. Inconclusive cases have no fastest candidate and are counted separately."""
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
