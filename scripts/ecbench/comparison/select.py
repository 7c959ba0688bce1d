"""Which candidate is the fastest? The first of the ranking, unless the figures are inconclusive. A candidate is slower than the
first if the whole interval of its ratio is below 1 and the difference is at least LEAST_DIFFERENCE.

The first is chosen from the same figures, so each of two equal candidates can be the first by chance. Therefore the intervals are
corrected for all ordered pairs of candidates. Whether a tie is close enough is a question about one pair, so that interval is not
corrected."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from ecbench.comparison.figures import FASTEST, INCONCLUSIVE, SLOWER, TIE, UNCLEAR, Candidate, Figures, Verdict, direction, tail_of
from ecbench.statistics.interval import FEWEST_VALUES, Estimate
from ecbench.terminal.console import number_of

CLOSE = 0.05  # without verdicts, candidates this close to the first are named as ties
WIDEST = 0.1  # a tie may be faster than the first by at most this share; largest width of an unpaired first without a clear lead
MOST_DISTURBED = 1 / 3  # largest allowed share of disturbed measurements of the first and of each tie, unless its lead is clear
# A lead that other programs cannot cause. In 28 pairs of codes (Intel Emerald Rapids, two CPUs in use), a disturbance of one of the
# two codes changed their ratio by at most a factor of 1.45.
CLEAR_LEAD = 1.5
REPAIR, CONTINUE = "remove the cause of the failures, or leave out what fails", "continue the run with --resume"


@dataclass(frozen=True)
class Doubt:
    """Why a selection is inconclusive."""
    why: str
    is_noise: bool = False  # True: the measurements are too noisy; False: there are too few
    remedy: str = ""  # "": more measurements

    def text(self, more: str) -> str:
        """`more`: how the user makes more measurements, such as "repeat with --rounds 11"."""
        quiet = "end other programs on this machine or use other CPUs, and " if self.is_noise else ""
        return f"{INCONCLUSIVE}: {self.why}; {self.remedy or quiet + more}"

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True)
class Selection(Generic[Candidate]):
    order: list[Candidate]  # fastest first
    ratios: dict[Candidate, Estimate]  # each other candidate → its speed / the speed of the first
    ties: list[Candidate]  # the others that are not significantly slower than the first
    unclear: list[Candidate]  # ties that may be slower than the first by more than WIDEST
    inconclusive: Doubt | None  # None: the first is the fastest, or ties with the fastest
    # Candidates without figures: their measurements failed, or the run has not reached them.
    failed: Sequence[Candidate] = ()
    unmeasured: Sequence[Candidate] = ()

    @property
    def first(self) -> Candidate:
        return self.order[0]

    @property
    def leaders(self) -> list[Candidate]:
        """The first and its ties; without verdicts, those that are close to it."""
        close = [one for one, ratio in self.ratios.items() if ratio.median > 1 - CLOSE]
        return [self.first, *(close if self.inconclusive else self.having(TIE))]

    def having(self, word: str) -> list[Candidate]:
        """The others with this verdict."""
        return [other for other in self.ratios if self.verdict(other).word == word]

    def verdict(self, candidate: Candidate) -> Verdict:
        if self.inconclusive:
            word = INCONCLUSIVE
        elif candidate == self.first:
            word = TIE if self.ties else FASTEST
        else:
            word = UNCLEAR if candidate in self.unclear else TIE if candidate in self.ties else SLOWER
        return Verdict(word, self.ratios.get(candidate, Estimate(1.0, 1.0, 1.0)))


def select(figures: Figures[Candidate], failed: Sequence[Candidate] = (), candidates: Sequence[Candidate] | None = None,
           unmeasured: Sequence[Candidate] = (), compared: Callable[[Candidate, Candidate], int] | None = None
           ) -> Selection[Candidate]:
    """Ranks the candidates that have figures; one without may be the fastest. A single candidate is the fastest whatever its
    noise. `compared`: with how many candidates two of them are compared (default: all)."""
    order = figures.ranked([one for one in candidates or figures.candidates if one not in failed])
    if not order:
        remedy = CONTINUE if unmeasured and not failed else REPAIR
        return Selection([], {}, [], [], Doubt("no candidate has a figure", remedy=remedy), failed, unmeasured)
    counts = {other: compared(other, order[0]) if compared else len(order) for other in order[1:]}
    ratios = {other: figures.ratio(other, order[0], tail_of(count * (count - 1) // 2)) for other, count in counts.items()}
    ties = [other for other, ratio in ratios.items() if direction(ratio) != SLOWER]
    pairs = {tie: figures.ratio(tie, order[0], tail_of(1)) for tie in ties}
    unclear = [tie for tie, ratio in pairs.items() if (ratio.low or 0) < 1 - WIDEST]
    doubt: Doubt | None
    if failed:
        doubt = Doubt(f"{with_more(failed)} has no figure", remedy=REPAIR)
    elif unmeasured:
        doubt = Doubt(f"{with_more(unmeasured)} was not measured", remedy=CONTINUE)
    else:
        has_clear_lead = all(ratio.high is not None and ratio.high * CLEAR_LEAD < 1 for ratio in ratios.values())
        doubt = find_doubt(figures, order[0], pairs, has_clear_lead) if ratios else None
    return Selection(order, ratios, ties, unclear, doubt, failed, unmeasured)


def with_more(candidates: Sequence[Candidate]) -> str:
    return str(candidates[0]) + (f" (and {len(candidates) - 1} more)" if candidates[1:] else "")


def find_doubt(figures: Figures[Candidate], first: Candidate, ties: Mapping[Candidate, Estimate],
               has_clear_lead: bool) -> Doubt | None:
    for candidate in () if has_clear_lead else (first, *ties):
        share = figures.disturbed.get(candidate, 0)
        if share > MOST_DISTURBED:
            return Doubt(f"other programs disturbed {share * 100:.0f} % of the measurements of {candidate}", is_noise=True)
    for candidate in (first, *ties):
        count = figures.figure(candidate).count
        if count < FEWEST_VALUES:
            return Doubt(f"{candidate} has {number_of(count, 'measurement')}, but a 95 % interval needs {FEWEST_VALUES}")
    width = figures.figure(first).width_percent
    # Without pairs, the speed of the machine may change between the rounds of two candidates.
    if not has_clear_lead and not figures.is_paired and (width is None or width > WIDEST * 100):
        known = "unknown" if width is None else f"±{width:.0f} %"
        return Doubt(f"the 95 % interval of {first} is {known}; it must be ±{WIDEST * 100:.0f} % or narrower", is_noise=True)
    for tie, ratio in ties.items():
        if ratio.count < FEWEST_VALUES:
            return Doubt(f"{tie} was measured together with {first} in {ratio.count} rounds, but a 95 % interval needs "
                         f"{FEWEST_VALUES}")
        if ratio.low is None or ratio.high is None:
            return Doubt(f"{tie} has an interval that reaches 0", is_noise=True)
        if ratio.high > 1 + WIDEST:
            return Doubt(f"{tie} has {ratio.low * 100:.0f} to {ratio.high * 100:.0f} % of the speed of {first}, so "
                         "either may be faster", is_noise=True)
    return None


# Counts the cases in which each candidate is the fastest.

NAMED = 3  # maximum number of candidates after "next:" in the sentence


def tally(where: str, kind: str, found: Sequence[Selection[Candidate]], name: Callable[[Candidate], str]) -> str:
    """One sentence. `where`: the name of the CPU. `kind`: the word for what is counted, such as "library". `name`: of a candidate;
    several candidates of a case may have the same. If others are unclear, the first has not won."""
    counts: dict[str, list[int]] = {}  # in how many cases it is the fastest, tied with others for the fastest, and unclear
    unknown, count = sum(bool(one.inconclusive) for one in found), number_of(len(found), "case")
    for one in filter(lambda one: not one.inconclusive, found):
        first = dict.fromkeys(map(name, one.leaders))
        unclear = [other for other in dict.fromkeys(map(name, one.unclear)) if other not in first]
        for place, names in ((int(len(first) > 1 or bool(unclear)), first), (2, unclear)):
            for each in names:
                counts.setdefault(each, [0, 0, 0])[place] += 1
    if not counts:
        return f"On {where}, it is inconclusive which {kind} is the fastest ({count})."
    ranked = sorted(counts, key=lambda one: counts[one], reverse=True)
    fastest, tied, unsure = counts[ranked[0]]
    leaders = [one for one in ranked if counts[one] == counts[ranked[0]]]
    words, verb = " and ".join(leaders), "are each" if leaders[1:] else "is"
    if fastest:
        text = f"{words} {verb} the fastest {kind} in {fastest} of {count}" + f", tied in {tied}" * bool(tied)
    else:
        text = f"no {kind} is faster than all others in any of {count}; {words} {verb} tied for the fastest in {tied}"
    text += f", unclear in {unsure}" * bool(unsure)
    rest = [f"{one} (fastest in {of[0]}, tied in {of[1]}{f', unclear in {of[2]}' * bool(of[2])})"
            for one in ranked[len(leaders):][:NAMED] for of in [counts[one]]]
    return (f"On {where}, {text}" + (f"; next: {', '.join(rest)}" if rest else "")
            + (f"; {unknown} {'case is' if unknown == 1 else 'cases are'} inconclusive." if unknown else "."))
