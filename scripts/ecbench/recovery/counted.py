"""Counts the chunks that a code reads to rebuild lost chunks. The numbers are from the output of ecbench --show-reads."""

import dataclasses
from collections.abc import Sequence

from ecbench.measure.ecbench import Ecbench
from ecbench.point.point import Json
from ecbench.recovery.codes import Code
from ecbench.terminal.console import Refused


@dataclasses.dataclass(frozen=True)
class Losses:
    """The reads for all erasure patterns with the same number of lost chunks, for example for all patterns with two lost chunks.
    The values of type float are means over the recoverable patterns."""
    total: int  # number of erasure patterns
    recoverable: int  # number of erasure patterns whose lost chunks can be rebuilt
    chunks_read: float
    drive_factor: float
    network_factor: float
    reads_per_helper: float

    @property
    def share(self) -> float:
        return self.recoverable / self.total


class Counter:
    """Runs ecbench --show-reads only once for each code and number of lost chunks, and keeps the result. `refusals`: name of a code
    that ecbench refuses → reason."""

    def __init__(self, ecbench: Ecbench):
        self.refusals: dict[str, str] = {}
        self._ecbench = ecbench
        self._known: dict[tuple[Code, int], Losses] = {}

    def losses(self, code: Code, chunks: int = 1) -> Losses | None:
        """The reads of the code. `chunks` is the number of lost chunks. Returns None if ecbench refuses the code."""
        if code.name in self.refusals:
            return None
        if (code, chunks) not in self._known:
            try:
                self._known[code, chunks] = summed_up(self._ecbench.show_reads([*code.words(), "--erasures", str(chunks)]))
            except Refused as refusal:
                self.refusals[code.name] = str(refusal)
                return None
        return self._known[code, chunks]


def summed_up(answers: Sequence[Json]) -> Losses:
    recovered = [answer for answer in answers if "reads" in answer]

    def mean(key: str) -> float:
        return sum(answer[key] for answer in recovered) / len(recovered) if recovered else 0.0

    return Losses(len(answers), len(recovered), *map(mean, ("chunks_read", "drive_factor", "network_factor", "reads_per_helper")))
