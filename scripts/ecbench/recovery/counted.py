"""Counts the chunks that a code reads if chunks are lost. ecbench --show-reads prints the chunks that a code requests."""

import dataclasses
from collections.abc import Sequence

from ecbench.measure.ecbench import Ecbench
from ecbench.point.point import Json
from ecbench.recovery.codes import Code
from ecbench.terminal.console import Refused


@dataclasses.dataclass(frozen=True)
class Losses:
    """All erasure patterns with a given number of lost chunks, such as all pairs of chunks. The figures are means over the patterns
    that can be recovered."""
    total: int
    recoverable: int
    chunks_read: float
    drive_factor: float
    network_factor: float
    reads_per_helper: float

    @property
    def share(self) -> float:
        return self.recoverable / self.total


class Counter:
    """Gets the losses of each code from ecbench only once. `refusals`: code name → reason, for codes that ecbench refuses."""

    def __init__(self, ecbench: Ecbench):
        self.refusals: dict[str, str] = {}
        self._ecbench = ecbench
        self._known: dict[tuple[Code, int], Losses] = {}

    def losses(self, code: Code, chunks: int = 1) -> Losses | None:
        """The figures for `chunks` lost chunks; None if ecbench refuses the code."""
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
