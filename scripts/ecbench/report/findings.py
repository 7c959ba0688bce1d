"""The findings of a page: the fastest profile of each case, the profiles that are in a tie with it, and the fastest packetsize of
each technique."""

from collections.abc import Sequence
from dataclasses import dataclass

from ecbench.comparison.case import Case
from ecbench.comparison.questions import INCONCLUSIVE
from ecbench.comparison.select import Selection
from ecbench.comparison.tally import outcome_of, scores, sentence
from ecbench.report.cases import WHAT_TO_DO, Entry, Series, by_series, highest, ranked
from ecbench.report.machines import Measured

NAMED_TIES = 3
ADVISED = 3072  # this packetsize was the fastest in the benchmark of 2013


@dataclass(frozen=True)
class Finding:
    selection: Selection[Entry]

    @property
    def best(self) -> Entry:
        return self.selection.first

    @property
    def is_conclusive(self) -> bool:
        return self.selection.is_conclusive


@dataclass(frozen=True)
class Answer(Finding):
    """The fastest profile of a case on one machine."""
    others: list[Entry]  # for each other plugin: its entry with the highest GB/s

    @property
    def others_text(self) -> str:
        return "; ".join(f"fastest of {entry.series.plugin}: {entry.code.removeprefix(entry.series.plugin).strip(' ,')} "
                         f"({entry.figure} GB/s)" for entry in self.others)

    @property
    def ties_text(self) -> str:
        found = self.selection
        if found.inconclusive:
            return found.inconclusive.text(WHAT_TO_DO)
        if not found.ratios:
            return "no other profile was measured"
        if not found.ties:
            return "significantly faster than the others"
        named = [f"{entry.code} ({entry.figure} GB/s)" for entry in found.ties[:NAMED_TIES]]
        more = len(found.ties) - len(named)
        return "in a tie with " + "; ".join(named) + (f"; and {more} more" if more else "")

    @property
    def limit_text(self) -> str:
        percent = self.best.summary.percent_of_limit
        return "" if percent is None else f"{percent:.0f} % of the limit"


@dataclass(frozen=True)
class Headline:
    case: Case
    answers: list[Answer | None]  # one for each run; None if the run has no figure for this case


def answer_sentence(measured: Measured, cpu: str) -> str:
    """It does not name other packetsizes of the fastest technique."""
    compared = [found for entries in measured.cases.values() if len(by_series(entries)) > 1 and (found := answer(entries))]
    if not compared:
        return alone_sentence(measured, cpu)
    if len(compared) == 1 and compared[0].is_conclusive:
        best, tied = compared[0].best, tied_with(compared[0])
        ties = f", in a tie with {' and '.join(tied[:NAMED_TIES])}" if tied else ""
        return f"On {cpu}, {best.code} is the fastest{ties}: {best.figure} GB/s {best.interval_text}, {best.case.title}."
    outcomes = [outcome_of(one.selection, lambda entry: entry.series.label, with_unclear=True) for one in compared]
    labels = dict.fromkeys(entry.series.label for entry in measured.entries)
    return sentence(cpu, "technique", outcomes, scores(outcomes, labels))


def alone_sentence(measured: Measured, cpu: str) -> str:
    """For a run that has only one technique in each case."""
    entries = [entry for found in measured.cases.values() for entry in found]
    if not entries:
        return f"No point of this run on {cpu} has a figure."
    low, high = (choose(entries, key=lambda entry: entry.gb_per_s) for choose in (min, max))
    range_text = f"{low.figure} GB/s" if low is high else f"{low.figure} to {high.figure} GB/s"
    names = list(dict.fromkeys(entry.series.label for entry in entries))
    return f"On {cpu}, {' and '.join(names) if len(names) <= NAMED_TIES else f'{len(names)} techniques'}: {range_text}."


def tied_with(answer: Answer) -> list[str]:
    labels = dict.fromkeys(entry.series.label for entry in answer.selection.ties)
    return [label for label in labels if label != answer.best.series.label]


def case_order(all_measured: Sequence[Measured]) -> list[Case]:
    return list(dict.fromkeys(case for measured in all_measured for case in measured.cases))


def headlines(all_measured: Sequence[Measured]) -> list[Headline]:
    return [Headline(case, [answer(measured.cases.get(case)) for measured in all_measured]) for case in case_order(all_measured)]


def answer(entries: list[Entry] | None) -> Answer | None:
    if not entries:
        return None
    found = ranked(entries)
    plugins = dict.fromkeys(entry.series.plugin for entry in entries if entry.series.plugin != found.first.series.plugin)
    return Answer(found, [highest(entry for entry in entries if entry.series.plugin == plugin) for plugin in plugins])


@dataclass(frozen=True)
class PacketsizeFinding(Finding):
    """The fastest packetsize of a technique in a case, and a comparison with packetsize 3072, which has been advised since 2013."""
    case: Case
    series: Series
    machine: str
    advised: Entry | None  # the entry with packetsize 3072; None if 3072 was not measured

    @property
    def ties_text(self) -> str:
        if self.selection.inconclusive:
            return str(self.selection.inconclusive)
        return ", ".join(str(size) for size in sorted(entry.packetsize or 0 for entry in self.selection.ties)) or "none"

    @property
    def advised_holds(self) -> bool | None:
        """None if the comparison is inconclusive, or if the advised packetsize was not measured."""
        if self.advised is None:
            return None
        if self.advised is not self.best and self.advised not in self.selection.ties:
            return False  # significantly slower than the fastest
        return None if self.selection.inconclusive or self.advised in self.selection.unclear else True

    @property
    def advised_text(self) -> str:
        if self.advised is None:
            return "not measured"
        if self.advised_holds is None:
            return INCONCLUSIVE
        if self.advised is self.best:
            return "is the fastest"
        words = f"{100 * (self.advised.gb_per_s / self.best.gb_per_s - 1):+.1f} %".replace("-", "−")
        return words + (", a tie" if self.advised_holds else "")


def packetsize_findings(all_measured: Sequence[Measured]) -> list[PacketsizeFinding]:
    return [PacketsizeFinding(ranked(members, series), case, series, measured.label,
                              next((entry for entry in members if entry.packetsize == ADVISED), None))
            for case in case_order(all_measured) for measured in all_measured
            for series, members in by_series(measured.cases.get(case, [])).items()
            if len({entry.packetsize for entry in members}) > 1]


def advised_verdict(findings: Sequence[PacketsizeFinding]) -> str:
    """In how many cases packetsize 3072 is the fastest or a tie. Empty if 3072 was not measured."""
    measured = [finding for finding in findings if finding.advised is not None]
    judged = [finding for finding in measured if finding.advised_holds is not None]
    if not measured:
        return ""
    holds = sum(finding.advised_holds or False for finding in judged)
    unknown, absent = len(measured) - len(judged), len(findings) - len(measured)
    notes = [f"{unknown} more {'case is' if unknown == 1 else 'cases are'} {INCONCLUSIVE}"] if unknown and judged else []
    notes += [f"in {absent} more {'case' if absent == 1 else 'cases'}, {ADVISED} was not measured"] if absent else []
    subject = f"packetsize {ADVISED} (the advice of 2013)"
    if not judged:
        answer = (f"It is {INCONCLUSIVE} whether {subject} is the fastest: the intervals are too wide, or other programs disturbed "
                  "the measurements")
        notes += [f"{WHAT_TO_DO}, and without other programs on the machine"]
    else:
        answer = (f"{subject.capitalize()} is the fastest or tied for the fastest in {holds} of {len(judged)} "
                  f"case{'s' if len(judged) != 1 else ''}")
    return "; ".join([answer, *notes]) + "."
