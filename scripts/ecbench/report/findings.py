"""What the figures say: the fastest profile of each case and what cannot be told from it, and which packetsize is best."""

import dataclasses

from ecbench.report.cases import as_fast, by_series, fastest
from ecbench.point.wording import figure_text

NAMED_RIVALS = 3
ADVISED = 3072  # the packetsize that the benchmark of 2013 found best


@dataclasses.dataclass(frozen=True)
class Answer:
    """The fastest of one case on one machine."""
    best: object
    rivals: list
    others: list  # the best of each other plugin

    @property
    def others_text(self):
        return "; ".join(f"best of {entry.series.plugin}: {entry.code.removeprefix(entry.series.plugin).strip(' ,')} "
                         f"({figure_text(entry.gb_per_s)})" for entry in self.others)

    @property
    def rivals_text(self):
        """Those that cannot be told from the best, in words."""
        if not self.rivals:
            return "clearly the fastest" if self.best.summary.low is not None else "no interval, hence no comparison"
        named = [f"{entry.code} ({figure_text(entry.gb_per_s)})" for entry in self.rivals[:NAMED_RIVALS]]
        more = len(self.rivals) - len(named)
        return "not to be told from " + "; ".join(named) + (f"; and {more} more" if more else "")

    @property
    def limit_text(self):
        percent = self.best.summary.percent_of_limit
        return "" if percent is None else f"{percent:.0f} % of the limit"


@dataclasses.dataclass(frozen=True)
class Headline:
    case: object
    answers: list  # one per run; None where the run has no figure


def case_order(all_measured):
    return list(dict.fromkeys(case for measured in all_measured for case in measured.cases))


def headlines(all_measured):
    return [Headline(case, [answer(measured.cases.get(case)) for measured in all_measured]) for case in case_order(all_measured)]


def answer(entries):
    if not entries:
        return None
    best = fastest(entries)
    plugins = dict.fromkeys(entry.series.plugin for entry in entries if entry.series.plugin != best.series.plugin)
    others = [fastest([entry for entry in entries if entry.series.plugin == plugin]) for plugin in plugins]
    return Answer(best, as_fast(entries, best), others)


@dataclasses.dataclass(frozen=True)
class PacketsizeFinding:
    """The best packetsize of a technique in a case, and how the one that is advised since 2013 does there."""
    case: object
    series: object
    machine: str
    best: object
    rivals: list
    advised: object

    @property
    def rivals_text(self):
        return ", ".join(str(packetsize) for packetsize in sorted(entry.packetsize for entry in self.rivals)) or "none"

    @property
    def advised_text(self):
        if self.advised is None:
            return "not measured"
        if self.advised is self.best:
            return "is the best"
        words = f"{100 * (self.advised.gb_per_s / self.best.gb_per_s - 1):+.1f} %".replace("-", "−")
        return words + (", not to be told" if self.advised in self.rivals else "")


def packetsize_findings(all_measured):
    found = []
    for case in case_order(all_measured):
        for measured in all_measured:
            for series, members in by_series(measured.cases.get(case, [])).items():
                if len({entry.packetsize for entry in members}) > 1:
                    best = fastest(members)
                    advised = next((entry for entry in members if entry.packetsize == ADVISED), None)
                    found.append(PacketsizeFinding(case, series, measured.label, best, as_fast(members, best), advised))
    return found


def advised_verdict(findings):
    """One sentence on 3072: in how many cases it is the best, or cannot be told from it."""
    judged = [finding for finding in findings if finding.advised is not None]
    if not judged:
        return ""
    unjudged = f"; in {len(findings) - len(judged)} more it was not measured" if len(findings) > len(judged) else ""
    good = sum(finding.advised is finding.best or finding.advised in finding.rivals for finding in judged)
    return (f"A packetsize of {ADVISED}, the advice of 2013, is the best or cannot be told from the best in {good} of "
            f"{len(judged)} cases{unjudged}.")
