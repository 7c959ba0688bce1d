"""Measures the candidates of a race by ecbench, one process for each workload, and keeps the rows."""

import collections
import math
import sys

from ecbench.terminal.console import say
from ecbench.measure.cpus import quiet_cpus
from ecbench.terminal.progress import Progress

SECONDS_FOR_A_PROCESS = 120  # a hundred times what the longest should take: whoever is still not done hangs


class Contest:
    def __init__(self, ecbench):
        self.figures = collections.defaultdict(list)  # (candidate, effort) → GB/s of each workload, of each round
        self.failed = {}  # candidate → its Outcome
        self._ecbench = ecbench
        self._progress = None
        self._stage = ""

    def watch(self, stage, runners, rounds):
        """A stage of the race begins."""
        self.erase()
        self._stage = f"{stage}, {len(runners)} profiles"
        self._progress = Progress(sys.stderr, len(runners) * rounds)

    def erase(self):
        if self._progress:
            self._progress.erase()

    def measure(self, candidate, effort):
        """The logarithm of the candidate's speed, None if it is out. Throws children.Interrupted and Refused."""
        self._progress.show(f"{self._stage}: {candidate}")
        rates = []
        for point in candidate.points:
            cpus = ",".join(map(str, quiet_cpus(point.threads)))
            words = [*point.words(), "--cpu", cpus, "--min-time", str(effort.min_time), "--placements", str(effort.placements),
                     "--limit", "no"]
            outcome = self._ecbench.measure(words, SECONDS_FOR_A_PROCESS)
            if outcome.kind != "row" or outcome.row["gb_per_s"] <= 0:
                self._put_out(candidate, point, outcome)
                return None
            rates.append(outcome.row["gb_per_s"])
        self._progress.advance()
        self.figures[candidate, effort].append(rates)
        return math.log(combined(rates))

    def _put_out(self, candidate, point, outcome):
        self.failed[candidate] = outcome
        self.erase()
        what = {"refused": "is refused", "wrong_bytes": "gives back wrong bytes"}.get(outcome.kind, "failed")
        say(f"{point} {what} and leaves the race: {outcome.why or 'its clock saw no time pass'}")


def combined(rates):
    """GB/s of doing each workload once with each object: the harmonic mean."""
    return len(rates) / sum(1 / rate for rate in rates)
