"""Is a packetsize of 3072 still the best for 6+2, as the benchmark of 2013 found? What a run says of it, technique by technique."""

import dataclasses

from ecbench.report.cases import by_case, by_series, fastest, ranked, read_entries
from ecbench.report.findings import ADVISED
from ecbench.statistics.interval import independent_ratio, median

SHAPE = (6, 2)


@dataclasses.dataclass(frozen=True)
class Answer:
    """One technique on one case: its best packetsize, those that cannot be told from it, and the advised one."""
    case: object
    series: object
    members: list
    best: object
    as_good: list
    advised: object  # None where the run has no figure of it

    @property
    def advised_holds(self):
        """None where it was not measured."""
        return None if self.advised is None else self.advised is self.best or self.advised in self.as_good

    @property
    def advised_loss(self):
        """Percent by which the advised packetsize is slower than the best, with the ends of its interval."""
        if self.advised is None:
            return None
        if self.advised is self.best:
            return 0.0, None, None
        loss = loss_percent(self.advised.gb_per_s / self.best.gb_per_s)
        ratio = independent_ratio(self.advised.summary.estimate, self.best.summary.estimate)
        return loss, *(None if end is None else loss_percent(end) for end in (ratio.high, ratio.low))

    @property
    def best_by_padded_bytes(self):
        """The best packetsize if padding were credited."""
        return max(self.members, key=padded_gb_per_s)


@dataclasses.dataclass(frozen=True)
class Beside:
    """The best of a case among techniques that have packets, and the others that it is held against."""
    case: object
    best: object
    others: dict  # series label → entry


def loss_percent(ratio):
    return 100 * (1 - ratio)


def padding(entry):
    return entry.summary.padding_percent or 0


def padded_gb_per_s(entry):
    """10^9 bytes of padded object a second: what the code does, as against what the user gets."""
    return entry.gb_per_s * (1 + padding(entry) / 100)


def cases_of(summaries):
    entries, = read_entries([summaries])
    return {case: members for case, members in by_case(entries).items() if (case.k, case.m) == SHAPE}


def answers_of(cases):
    """An Answer for each technique of each case that was measured at several packetsizes, in the order of size and workload."""
    found = []
    for case, entries in sorted(cases.items(), key=case_order):
        for series, members in by_series(entries).items():
            if len({entry.packetsize for entry in members}) > 1:
                order = ranked(members)
                advised = next((entry for entry in members if entry.packetsize == ADVISED), None)
                found.append(Answer(case, series, members, order.first, order.ties, advised))
    return found


def case_order(item):
    case, _ = item
    return case.size, case.workload != "encode", case.workload, case.erasures, case.options


def besides_of(cases):
    found = []
    for case, entries in sorted(cases.items(), key=case_order):
        with_packets = [entry for entry in entries if entry.packetsize is not None]
        others = {series.label: fastest(members) for series, members in
                  by_series([entry for entry in entries if entry.packetsize is None]).items()}
        if with_packets and others:
            found.append(Beside(case, fastest(with_packets), others))
    return found


def by_size(answers):
    sizes = {}
    for answer in answers:
        sizes.setdefault(answer.case.size, []).append(answer)
    return sizes


def median_loss(answers, speed=lambda entry: entry.gb_per_s):
    """Where the advised packetsize was measured, percent by which it is slower than the fastest by `speed`; None of none."""
    losses = [loss_percent(speed(answer.advised) / max(map(speed, answer.members))) for answer in answers if answer.advised]
    return median(losses) if losses else None
