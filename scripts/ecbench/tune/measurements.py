"""Measures candidates in a session, and keeps the rows of the current stage (experiment/stages.py). Each workload of a candidate
has its own process."""

import collections
import math
import statistics

from ecbench.comparison.figures import Rounds
from ecbench.experiment.stages import LAST_STAGE
from ecbench.measure.session import Effort, Session
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import WRONG_BYTES
from ecbench.runfile.summary import is_disturbed
from ecbench.tune.candidates import Candidate

SHARE_OF_A_STAGE = 0.25  # of the time left, for each stage before the last


class Measurements:
    def __init__(self, session: Session):
        self.found: dict[Candidate, list[list[Row]]] = {}  # for each round of the current stage, a row of each workload
        self.wrong_bytes = 0
        self.failed: dict[Candidate, None] = {}  # candidates of all stages that failed, except those that returned wrong bytes
        self._session = session
        self._stage = ""
        self._rounds: collections.Counter[Candidate] = collections.Counter()

    def watch(self, stage: str, candidates: list[Candidate], rounds: int) -> None:
        self._stage = stage
        self._rounds.clear()
        self.found = {candidate: [] for candidate in candidates}
        points = sum(len(candidate.points) for candidate in candidates)
        self._session.begin_stage(f"{stage}, {len(candidates)} candidates", points * rounds,
                                  share=1 if stage == LAST_STAGE else SHARE_OF_A_STAGE)

    def measure(self, candidate: Candidate, effort: Effort) -> float | None:
        """The logarithm of the harmonic mean of the candidate's GB/s: the speed if each workload processes each object once. None
        if a workload failed. Throws Interrupted and Refused."""
        rows = []
        for point in candidate.points:
            outcome = self._session.take(point, self._rounds[candidate], self._stage, effort)
            if outcome.failure or outcome.gb_per_s <= 0:
                if outcome.failure == WRONG_BYTES:
                    self.wrong_bytes += 1
                else:
                    self.failed[candidate] = None
                return None
            rows.append(outcome)
        self._rounds[candidate] += 1
        self.found[candidate].append(rows)
        return math.log(statistics.harmonic_mean([row.gb_per_s for row in rows]))

    def with_disturbances(self, rounds: Rounds) -> Rounds:
        """The rounds of the current stage. A round of a candidate is disturbed if one of its workloads is."""
        return Rounds(rounds.rounds, {candidate: sum(any(map(is_disturbed, rows)) for rows in found) / len(found)
                                      for candidate, found in self.found.items() if found})
