"""Measures candidates in a session, and keeps the measurements of the current stage of tune (stages.py). Each workload of a
candidate runs in its own process."""

import collections
import dataclasses
import math

from ecbench.measure.session import Effort, Session
from ecbench.runfile.summary import is_disturbed
from ecbench.tune.candidates import Candidate


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The result of one candidate in one round."""
    rates: list[float]  # GB/s for each workload
    kernels: list[str]
    is_disturbed: bool

    @property
    def combined(self) -> float:
        """The harmonic mean of the rates, in GB/s. This is the speed if each workload processes each object once."""
        return len(self.rates) / sum(1 / rate for rate in self.rates)


class Measurements:
    def __init__(self, session: Session):
        self.found: dict[Candidate, list[Measurement]] = {}  # the measurements of the current stage
        self.wrong_bytes = 0
        self._session = session
        self._stage = ""
        self._rounds: collections.Counter[Candidate] = collections.Counter()

    def watch(self, stage: str, candidates: list[Candidate], rounds: int) -> None:
        """Begins a stage."""
        self._stage = stage
        self._rounds.clear()
        self.found = {candidate: [] for candidate in candidates}
        points = sum(len(candidate.points) for candidate in candidates)
        self._session.begin_stage(f"{stage}, {len(candidates)} candidates", points * rounds)

    def measure(self, candidate: Candidate, effort: Effort) -> float | None:
        """Measures the candidate once, and returns the logarithm of its speed. Returns None if a workload failed. Throws
        Interrupted and Refused."""
        rows = []
        for point in candidate.points:
            outcome = self._session.take(point, self._rounds[candidate], self._stage, effort)
            if not outcome.row or outcome.row["gb_per_s"] <= 0:
                self.wrong_bytes += outcome.kind == "wrong_bytes"
                return None
            rows.append(outcome.row)
        self._rounds[candidate] += 1
        measurement = Measurement([row["gb_per_s"] for row in rows], [row.get("kernel", "") for row in rows],
                                  any(map(is_disturbed, rows)))
        self.found[candidate].append(measurement)
        return math.log(measurement.combined)

    def disturbed(self) -> dict[Candidate, float]:
        """For each candidate of the current stage: the share of its measurements that other programs disturbed."""
        return {candidate: sum(one.is_disturbed for one in found) / len(found)
                for candidate, found in self.found.items() if found}

