"""Which candidate stands for a contestant that has several, case by case: each is measured once, those that come within a tenth of
the fastest twice more. What is measured here chooses, and nothing else: the figures are those of the rounds that follow, so that
the luckiest of many has no advantage."""

from ecbench.contenders.cases import Case
from ecbench.measure.session import Effort, Session
from ecbench.statistics.interval import median
from ecbench.terminal.console import say
from ecbench.terminal.progress import duration

MIN_TIME = 0.02  # seconds
EFFORT = Effort(MIN_TIME, limit=False)
CLOSE = 0.9
MORE_ROUNDS = 2


class Choice:
    """The entries that go into the run, and what was tried for each choice."""

    def __init__(self):
        self.entries = []
        self.tried = {}  # id of the chosen point → [[candidate, GB/s], ...], fastest first
        self.wrong = []  # candidates that gave back wrong bytes


def qualify(session: Session, field, seed):
    """A Choice of one entry for each contestant of each case. Throws children.Interrupted."""
    choice = Choice()
    groups = field.candidates()
    rivals = [entry for entries in groups.values() if len(entries) > 1 for entry in entries]
    rates = measure(session, rivals, seed, choice) if rivals else {}
    for entries in groups.values():
        ranked = sorted((entry for entry in entries if entry.point.id in rates), key=lambda entry: -rates[entry.point.id])
        if len(entries) == 1:
            choice.entries.append(entries[0])
        elif ranked:
            choice.entries.append(ranked[0])
            choice.tried[ranked[0].point.id] = [[str(entry.point), round(rates[entry.point.id], 4)] for entry in ranked]
    return choice


def measure(session, rivals, seed, choice):
    """GB/s by the id of the point, of those that could be measured each time."""
    say(f"{len(rivals)} candidates of contestants that have several are measured first, about "
        f"{duration(sum(seconds_of(entry.case, MIN_TIME) for entry in rivals) * 1.5)}")
    found = session.take_rounds([entry.point for entry in rivals], 1, "qualifying", EFFORT, seed)
    rates = {identity: outcomes[0].row["gb_per_s"] for identity, outcomes in found.items() if outcomes[0].row}
    again = session.take_rounds(close_ones(rivals, rates), MORE_ROUNDS, "qualifying, close", EFFORT, seed)
    # Those of the first round that were not close lost by it; the others are judged by all that was measured.
    for identity, outcomes in again.items():
        found[identity] += outcomes
    choice.wrong += [str(entry.point) for entry in rivals
                     if any(outcome.kind == "wrong_bytes" for outcome in found[entry.point.id])]
    return {identity: median([outcome.row["gb_per_s"] for outcome in outcomes]) for identity, outcomes in found.items()
            if all(outcome.row for outcome in outcomes)}


def close_ones(rivals, rates):
    """The points that are near the fastest of their contestant and case, where there are several such."""
    groups = {}
    for entry in rivals:
        if entry.point.id in rates:
            groups.setdefault((entry.case, entry.contestant), []).append(entry.point)
    found = []
    for points in groups.values():
        best = max(rates[point.id] for point in points)
        close = [point for point in points if rates[point.id] >= CLOSE * best]
        found += close if len(close) > 1 else []
    return found


# Beside its samples a process starts, loads its plugin, makes and checks its objects; cold ones are a pool larger than the caches.
# Seconds on two quiet cores of an AMD EPYC.
SECONDS_OF_A_PROCESS = {"warm": 0.04, "cold": 0.26}
SECONDS_OF_LARGE_OBJECTS = 0.05
LARGE = 4 << 20


def seconds_of(case: Case, min_time):
    return SECONDS_OF_A_PROCESS[case.cache] + 1.05 * min_time + (SECONDS_OF_LARGE_OBJECTS if case.size >= LARGE else 0)
