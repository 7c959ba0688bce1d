"""Which candidate stands for a contestant that has several, case by case: each is measured once, those that come within a tenth of
the fastest twice more. What is measured here chooses, and nothing else: the figures are those of the rounds that follow, so that
the luckiest of many has no advantage."""

from ecbench.contenders.cases import Case
from ecbench.measure import interleaved
from ecbench.terminal.console import say
from ecbench.process.children import Interrupted
from ecbench.terminal.progress import duration
from ecbench.statistics.interval import median

MIN_TIME = 0.02  # seconds
CLOSE = 0.9
MORE_ROUNDS = 2


class Choice:
    """The entries that go into the run, and what was tried for each choice."""

    def __init__(self):
        self.entries = []
        self.tried = {}  # id of the chosen point → [[candidate, GB/s], ...], fastest first
        self.wrong = []  # candidates that gave back wrong bytes


def qualify(ecbench, field, seed):
    """A Choice of one entry for each contestant of each case. Throws children.Interrupted."""
    choice = Choice()
    groups = field.candidates()
    rivals = {str(entry.point): entry for entries in groups.values() if len(entries) > 1 for entry in entries}
    try:
        rates = race(ecbench, rivals, seed, choice) if rivals else {}
    except Interrupted:
        say("no run has begun: what was measured to choose among candidates is lost")
        raise
    for entries in groups.values():
        names = sorted((str(entry.point) for entry in entries if str(entry.point) in rates), key=lambda name: -rates[name])
        if len(entries) == 1:
            choice.entries.append(entries[0])
        elif names:
            best = rivals[names[0]]
            choice.entries.append(best)
            choice.tried[best.point.id] = [[name, round(rates[name], 4)] for name in names]
    return choice


def race(ecbench, rivals, seed, choice):
    """GB/s by the candidate's name, of those that could be measured."""
    say(f"{len(rivals)} candidates of contestants that have several are measured first, about "
        f"{duration(sum(seconds_of(entry.case, MIN_TIME) for entry in rivals.values()) * 1.5)}")
    words = {name: entry.point.words() for name, entry in rivals.items()}
    first = interleaved.measure(ecbench, words, interleaved.Effort(1, MIN_TIME, seed))
    rates = {name: first.middle(name) for name in first.rows}
    again = close_ones(rivals, rates)
    more = interleaved.measure(ecbench, {name: words[name] for name in again}, interleaved.Effort(MORE_ROUNDS, MIN_TIME, seed))
    for figures in (first, more):
        choice.wrong += figures.wrong
    # Those of the first round that were not close lost by it; the others are judged by all that was measured.
    rates |= {name: median([rates[name], *(row["gb_per_s"] for row in more.rows[name])]) for name in more.rows}
    return {name: rate for name, rate in rates.items() if name not in more.failed}


def close_ones(rivals, rates):
    """Those that are near the fastest of their contestant and case, where there are several such."""
    groups = {}
    for name, entry in rivals.items():
        if name in rates:
            groups.setdefault((entry.case, entry.contestant), []).append(name)
    found = []
    for names in groups.values():
        best = max(rates[name] for name in names)
        close = [name for name in names if rates[name] >= CLOSE * best]
        found += close if len(close) > 1 else []
    return found


# Beside its samples a process starts, loads its plugin, makes and checks its objects; cold ones are a pool larger than the caches.
# Seconds on two quiet cores of an AMD EPYC.
SECONDS_OF_A_PROCESS = {"warm": 0.04, "cold": 0.26}
SECONDS_OF_LARGE_OBJECTS = 0.05
LARGE = 4 << 20


def seconds_of(case: Case, min_time):
    return SECONDS_OF_A_PROCESS[case.cache] + 1.05 * min_time + (SECONDS_OF_LARGE_OBJECTS if case.size >= LARGE else 0)
