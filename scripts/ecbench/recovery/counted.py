"""What a code reads after losses, counted from the read sets that it asks for: ecbench --show-reads."""

import dataclasses

from ecbench.terminal.console import Refused


@dataclasses.dataclass(frozen=True)
class Losses:
    """All losses of one number of chunks."""
    total: int
    recoverable: int
    chunks_read: float  # means over those that can be recovered
    drive_factor: float
    network_factor: float
    reads_per_helper: float

    @property
    def share(self):
        return self.recoverable / self.total


class Counter:
    """Asks each question once. `refusals` has what could not be asked, by the code's name, and why."""

    def __init__(self, ecbench):
        self.refusals = {}
        self._ecbench = ecbench
        self._known = {}

    def losses(self, code, chunks=1):
        """The Losses of `chunks` chunks; None if ecbench refuses the code."""
        if code.name in self.refusals:
            return None
        if (code, chunks) not in self._known:
            try:
                answers = self._ecbench.show_reads([*code.words(), "--erasures", str(chunks)])
            except Refused as refusal:
                self.refusals[code.name] = str(refusal)
                return None
            self._known[code, chunks] = summed_up(answers)
        return self._known[code, chunks]


def summed_up(answers):
    recovered = [answer for answer in answers if "reads" in answer]

    def mean(key):
        return sum(answer[key] for answer in recovered) / len(recovered) if recovered else 0.0

    return Losses(len(answers), len(recovered), *map(mean, ("chunks_read", "drive_factor", "network_factor", "reads_per_helper")))
