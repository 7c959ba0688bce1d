"""The line that ends a comparison: what is the fastest, with the confidence word of docs/statistics.md."""

import collections
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ecbench.comparison.figures import INCONCLUSIVE, LEAST_DIFFERENCE, Candidate, Rounds, paired_ratio, ratio_text
from ecbench.comparison.select import Selection
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, t_quantile, t_tail

CLEARLY = 1.5  # larger ratios are written as "2.9 times", smaller ones in percent
NAMED = 2  # of several candidates

# The confidence that the first of a ranking is the fastest: one word for any number of rounds, also for one. docs/statistics.md
# has the error rates of the words, which confidence_test.py simulates. The error of a candidate's speed is estimated from all
# candidates of the case together, because a run that has just begun has one or two rounds: the pooled variance of their speeds
# between the rounds, and a prior variance for the first rounds. The risk that another candidate is faster by more than a margin
# is a tail of Student's t; the risks of all others are added (Bonferroni).

WORDS = SURE, LIKELY, UNSURE = "sure", "likely", "unsure"
PRIOR_NOISE, PRIOR_WEIGHT = 0.04, 2  # the standard deviation of a measurement before it is known, and its degrees of freedom
LATENCY_NOISE = 0.85  # like PRIOR_NOISE: of p99s on a busy virtual machine (confidence_test.py)
SURE_RISK, LIKELY_RISK, CHANGES_RISK = 0.02, 0.25, 0.1  # CHANGES_RISK: of all changes together
LIKELY_MARGIN = 0.05  # a named candidate is `likely` if no other one is faster by more than this share


def confidence(figures: Rounds, order: list[Candidate], prior: float = PRIOR_NOISE) -> str:
    """The word for `order[0]`, the first of at least two of Rounds.ranked(), if no other candidate can be the fastest."""
    noise, freedom = pooled_noise(figures, order, prior)
    differences = [figures.differences(other, order[0]) for other in order[1:]]

    def total_risk(margin: float) -> float:
        return math.fsum(risk(of_other, noise, freedom, margin) for of_other in differences)

    if min(map(len, differences)) >= FEWEST_VALUES and total_risk(LEAST_DIFFERENCE) <= SURE_RISK:
        return SURE
    return LIKELY if total_risk(LIKELY_MARGIN) <= LIKELY_RISK else UNSURE


def direction_risk(figures: Rounds, name: Candidate, reference: Candidate, prior: float) -> float:
    """The probability that the ratio of both is on the other side of 1; if it is close to 1, by more than LIKELY_MARGIN."""
    order = figures.ranked([name, reference])
    differences = figures.differences(order[1], order[0])
    is_close = abs(math.log(paired_ratio(differences).median)) <= math.log1p(LIKELY_MARGIN)
    return risk(differences, *pooled_noise(figures, order, prior), LIKELY_MARGIN if is_close else 0.0)


def pooled_noise(figures: Rounds, candidates: list[Candidate], prior: float = PRIOR_NOISE) -> tuple[float, int]:
    """The standard deviation of a measurement (of the logarithm of its speed) between rounds, and its degrees of freedom."""
    if len(candidates) == 2:  # one value a round: their difference, which has twice the variance
        series = [[value / math.sqrt(2) for value in figures.differences(*candidates)]]
    else:
        series = list(figures.relative(candidates).values())
    squares, freedom = PRIOR_WEIGHT * prior ** 2, PRIOR_WEIGHT
    for values in filter(None, series):
        mean = math.fsum(values) / len(values)
        squares += math.fsum((value - mean) ** 2 for value in values)
        freedom += len(values) - 1
    return math.sqrt(squares / freedom), freedom


def risk(differences: list[float], noise: float, freedom: int, margin: float) -> float:
    """The probability that the other candidate is faster than the first by more than `margin`. `differences`: of the logarithms of
    their speeds, in the rounds that have both."""
    if not differences:
        return 1.0
    error = noise * math.sqrt(2 / len(differences))
    return t_tail((math.log1p(margin) - math.log(paired_ratio(differences).median)) / error, freedom)


@dataclass(frozen=True)
class Answer:
    word: str
    first: str  # the candidate that is the fastest, or ahead; "" without figures
    text: str
    only: float | None = None  # the figure if it is the only candidate

    def __str__(self) -> str:
        return f"{self.word}: {self.text}"


def answer(figures: Rounds, found: Selection[Candidate], more: str, unit: str = "GB/s", of: str = "") -> Answer:
    """`more`: the options that continue or repeat the run, such as "--resume FILE". `of`: such as " to encode"."""
    if not found.order:
        why = f"nothing is measured yet; continue with {more}" if found.unmeasured else "all measurements failed"
        return Answer(UNSURE, "", f"no candidate has a figure: {why}")
    first, others = found.order[0], found.order[1:]
    missing = _missing(found.failed, len(found.unmeasured), more)
    if not others:
        speed = figures.figure(first)
        width = f" (95 %: {speed.low:.2f} to {speed.high:.2f})" if speed.low is not None else ""
        text = f"{speed.median:.2f} {unit}{width}"
        if missing:
            return Answer(UNSURE, str(first), f"{first} has {text}; {missing}")
        return Answer(SURE, str(first), f"{first} is the only candidate: {text}", speed.median)
    prior = LATENCY_NOISE if figures.power < 0 and len(figures.rounds) < FEWEST_VALUES else PRIOR_NOISE
    word = UNSURE if missing else confidence(figures, found.order, prior)  # one without a figure may be the fastest
    if found.inconclusive and found.inconclusive.is_noise:  # one disturbed round shows nothing
        word = LIKELY if len(figures.rounds) > 1 and word != UNSURE else UNSURE
    if word == UNSURE:
        lead, low, high = _lead(figures, found.order, others[0])
        by = f" of {others[0]} by {max(0.0, lead - 1) * 100:.0f} % (95 %: {low * 100 - 100:.0f} to {high * 100 - 100:.0f})"
        return Answer(word, str(first), f"{first} is ahead{of}{by * bool(figures.differences(first, others[0]))}; "
                      + (missing or f"more rounds decide it: {more}"))
    ties = found.leaders[1:]
    if found.inconclusive:  # without verdicts, the noise of all rounds decides
        unclear = [other for other in others if other not in ties and _lead(figures, found.order, other)[1] < 1]
    else:
        unclear = found.unclear
        word = LIKELY if unclear else word
    parts = []
    slower = [other for other in others if other not in ties and other not in unclear]
    if slower:
        parts.append(f"{times(1 / found.ratios[slower[0]].median)} {slower[0]}")
    if ties:
        parts.append(f"{listed(ties)} {'tie' if len(ties) > 1 else 'ties'}")
    if unclear:
        parts.append(f"{listed(unclear)} may tie")
    return Answer(word, str(first), f"{first} is the fastest{of}" + (f" ({'; '.join(parts)})" if parts else ""))


def _missing(failed: Sequence[object], unmeasured: int, more: str) -> str:
    """Why a candidate without a figure may be the fastest; "" if each has one."""
    if failed:
        return f"{listed(failed)} failed: remove the cause, or leave out what fails"
    return f"{unmeasured} {'candidate is' if unmeasured == 1 else 'candidates are'} not measured: {more}" if unmeasured else ""


def _lead(figures: Rounds, order: list[Candidate], other: Candidate) -> tuple[float, float, float]:
    """How many times as fast as `other` the first is, and the ends of the 95 % interval. The interval is that of the pooled noise,
    so that one round has one too."""
    lead = 1 / figures.ratio(other, order[0], 0.025).median
    noise, freedom = pooled_noise(figures, order)
    width = math.exp(t_quantile(0.025, freedom) * noise * math.sqrt(2 / max(1, len(figures.differences(order[0], other)))))
    return lead, lead / width, lead * width


def times(ratio: float) -> str:
    """Such as "2.9 times" or "4 % faster than"."""
    return f"{ratio:.1f} times" if ratio >= CLEARLY else f"{(ratio - 1) * 100:.0f} % faster than"


def listed(names: Sequence[object], most: int = NAMED) -> str:
    return ", ".join(map(str, names[:most])) + (f" and {len(names) - most} more" if names[most:] else "")


def over_cases(answers: Sequence[Answer], kind: str, more: str, unit: str) -> Answer:
    """One answer for several cases: the strongest word that holds in at least half of them, and the candidate that is ahead in most
    of those. Cases with one candidate count only if there are no others."""
    several = [one for one in answers if one.only is None]
    answers = several if any(one.first for one in several) else answers
    known = [one for one in answers if one.first]
    if not known:
        return answers[0]
    only = [one.only for one in answers if one.only is not None]
    if only and len(only) == len(answers):
        return Answer(SURE, "", f"each of {len(only)} cases has one candidate: {min(only):.2f} to {max(only):.2f} {unit}")
    held = {word: [one.first for one in known if WORDS.index(one.word) <= WORDS.index(word)] for word in WORDS}
    word = next((word for word in WORDS if 2 * len(held[word]) >= len(answers)), UNSURE)
    leaders = collections.Counter(one.first for one in known)
    first, count = collections.Counter(held[word]).most_common(1)[0]
    what = f"the fastest {kind}" if word != UNSURE else "ahead"
    text = f"{first} is {what} in {count} of {len(answers)} cases"
    if more_ahead := leaders.pop(first) - count:
        text += f", and ahead in {more_ahead} more"
    if leaders:
        text += "; " + listed([f"{name} in {of_name}" for name, of_name in leaders.most_common()])
    if waiting := len(answers) - len(known):
        text += f"; {waiting} {'has' if waiting == 1 else 'have'} no figure"
    return Answer(word, first, text if word != UNSURE else f"{text}; more rounds decide it: {more}")


@dataclass(frozen=True)
class Change:
    """A candidate against the reference, in one case."""

    name: str
    reference: str
    figure: str  # that is compared
    verdict: str
    ratio: Estimate  # of the figures
    risk: float  # see direction_risk()

    def __str__(self) -> str:
        return f"{self.verdict}, {ratio_text(self.ratio)} times the {self.of_what}"

    @property
    def of_what(self) -> str:
        return f"{self.figure} of {self.reference}"


def over_changes(changes: Sequence[Change], unmeasured: int, failed: Sequence[str], more: str) -> Answer:
    """The answer to the question `change`: each candidate's figure against that of the reference, over all cases."""
    missing = _missing(failed, unmeasured, more)
    if not changes:
        return Answer(UNSURE, "", f"nothing is compared yet; {missing or 'the reference has no figure'}")
    by_name: dict[str, list[Change]] = {}
    for one in changes:
        by_name.setdefault(one.name, []).append(one)
    middle = {name: math.exp(math.fsum(math.log(one.ratio.median) for one in of) / len(of)) for name, of in by_name.items()}
    open_risks = [one.risk for one in changes if one.verdict == INCONCLUSIVE]
    word = UNSURE if missing or math.fsum(open_risks) > CHANGES_RISK else LIKELY if open_risks else SURE
    order = sorted(by_name, key=lambda name: -middle[name])
    shown = order if len(order) <= NAMED + 1 else [order[0], order[-1]]
    ends = {name: [f"{end(one.ratio.median for one in by_name[name]):.2f}" for end in (min, max)] for name in shown}
    text = ", ".join(f"{name} has {' to '.join(dict.fromkeys(of))}" for name, of in ends.items())
    left_out = f" ({len(order) - len(shown)} others between them)" if shown is not order else ""
    of_what = {one.of_what for one in changes}
    by_case = ", depending on the case" if any(len(set(of)) > 1 for of in ends.values()) else ""
    text += f" times the {of_what.pop() if len(of_what) == 1 else f'{changes[0].figure} of the reference'}{by_case}{left_out}"
    return Answer(word, "", f"{text}; {missing or f'more rounds decide it: {more}'}" if word == UNSURE else text)
