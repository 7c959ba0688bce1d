"""Counts the chunks that a code reads to rebuild lost chunks. The numbers are from the output of ecbench --show-reads."""

import dataclasses
from collections.abc import Sequence

from ecbench.measure.ecbench import Ecbench
from ecbench.point.description import Reads
from ecbench.recovery.codes import Code
from ecbench.terminal.console import Refused

STRIPE_UNIT = 4096  # Ceph's default; if a code does not allow it, the next larger one is used


@dataclasses.dataclass(frozen=True)
class Losses:
    """The reads for all erasure patterns with the same number of lost chunks. Factors are means over the recoverable patterns."""
    total: int  # number of erasure patterns
    recoverable: int  # number of erasure patterns whose lost chunks can be rebuilt
    chunks_read: float
    drive_factor: float
    network_factor: float
    reads_per_helper: float
    block_factor: float  # as drive_factor, but BlueStore reads whole checksum blocks of 4 KiB; with stripes of STRIPE_UNIT

    @property
    def share(self) -> float:
        return self.recoverable / self.total


class Counter:
    """Runs ecbench --show-reads only once for each code and number of lost chunks. `refusals`: name of a code → why it is
    refused."""

    def __init__(self, ecbench: Ecbench):
        self.refusals: dict[str, str] = {}
        self._ecbench = ecbench
        self._known: dict[tuple[Code, int], Losses] = {}

    def losses(self, code: Code, chunks: int = 1) -> Losses | None:
        """None if ecbench refuses the code."""
        if code.name in self.refusals:
            return None
        if (code, chunks) not in self._known:
            try:
                self._known[code, chunks] = summed_up(self._ecbench.show_reads([*code.words(), "--erasures", str(chunks),
                                                                                *stripe(code)]))
            except Refused as refusal:
                self.refusals[code.name] = str(refusal)
                return None
        return self._known[code, chunks]


def stripe(code: Code) -> list[str]:
    k = dict(code.profile).get("k")
    return ["--size", str(int(k) * STRIPE_UNIT)] if k else []


def summed_up(answers: Sequence[Reads]) -> Losses:
    recovered = [answer for answer in answers if not answer.unrecoverable]

    def mean(key: str) -> float:
        return sum(getattr(answer, key) for answer in recovered) / len(recovered) if recovered else 0.0

    return Losses(len(answers), len(recovered), *map(mean, ("chunks_read", "drive_factor", "network_factor", "reads_per_helper",
                                                                "block_factor")))
