"""The time that a command may take. If the budget is spent, no further measurement begins: check() throws OutOfTime, and the run
can be resumed. A command that announced a duration keeps to it on a disturbed machine too: repeats and the wait for clean samples
only use time that the measurements still to come do not need."""

import argparse
import math
import time
from collections.abc import Callable
from typing import NoReturn

from ecbench.terminal.arguments import number
from ecbench.terminal.console import OutOfTime
from ecbench.terminal.progress import duration

MARGIN = 1.1  # longest duration of a disturbed run, as a multiple of the announced duration
SLACK = 0.5  # seconds that a short run may take in addition
# The share of the time, and the seconds at most, that stay free at the end: the last measurements may take longer than planned.
RESERVE, MOST_RESERVED = 0.02, 2.0
# A measurement takes SECONDS_PER_PROCESS, plus PER_SECOND_OF_SAMPLES seconds for each second of samples: the process also loads its
# plugin, makes and checks its objects, and probes the CPU between the samples.
SECONDS_PER_PROCESS = 0.1
PER_SECOND_OF_SAMPLES = 1.4
LEAST_SAMPLES = 0.002  # seconds of samples of a measurement


def seconds_of(measurements: int, min_time: float) -> float:
    """The estimated duration of measurements on a quiet machine, in seconds."""
    return measurements * (SECONDS_PER_PROCESS + PER_SECOND_OF_SAMPLES * min_time)


def add_budget(parser: argparse.ArgumentParser, default: str = "no limit", on: str = "--resume continues") -> None:
    parser.add_argument("--budget", type=number(0.001, 30 * 86400, "seconds"), metavar="SECONDS",
                        help=f"end after this time (90, 2m); {on} (default: {default})")


class Budget:
    """`seconds`: None if there is no limit. The budget begins when the object is made. `clock` returns seconds."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic):
        self.seconds = seconds
        self._clock = clock
        self._begin = clock()
        self._end = math.inf if seconds is None else seconds
        self._announced_end = self._end
        self._stage_end = math.inf
        self._samples = 0.0  # requested duration of the samples of the next measurement
        self._overhead = SECONDS_PER_PROCESS
        self._count = 0  # measurements of this stage that are still to come
        self._last = 0.0  # duration of the last measurement

    def announce(self, seconds: float) -> float:
        """`seconds`: the estimated duration of the rest of the run. Returns the duration to announce, which the budget limits."""
        self._announced_end = min(self._end, self.elapsed() + max(MARGIN * seconds, seconds + SLACK))
        return min(seconds, self._end - self.elapsed())

    def leave_out(self, seconds: float) -> None:
        """The time that has just passed does not count."""
        self._begin += seconds

    def elapsed(self) -> float:
        return self._clock() - self._begin

    def left(self, in_all: bool = False) -> float:
        """The time left for the stage."""
        return (self._announced_end if in_all else min(self._announced_end, self._stage_end)) - self.elapsed()

    def _to_plan(self) -> float:
        """left() without the reserve."""
        end = min(self._announced_end, self._stage_end)
        return self.left() - min(MOST_RESERVED, RESERVE * end)

    def is_spent(self) -> bool:
        return self.elapsed() >= self._end

    def check(self) -> float:
        """Throws OutOfTime. Returns the value for end_measurement()."""
        if self.is_spent():
            self.end()
        return self._clock()

    def end(self) -> NoReturn:
        """For a run whose next round does not fit into the time left. Throws OutOfTime."""
        raise OutOfTime(self.spent_text())

    def spent_text(self) -> str:
        return f"the budget of {duration(self.seconds or 0)} is spent"

    def begin_stage(self, count: int, seconds: float | None = None) -> None:
        """`seconds`: None if no other stages follow."""
        self._count = count
        self._stage_end = math.inf if seconds is None else self.elapsed() + seconds

    def end_measurement(self, begun: float, is_repeat: bool = False) -> None:
        self._last = self._clock() - begun
        if self._samples:
            self._overhead += (self._last - self._samples - self._overhead) / 8
        if not is_repeat:
            self.skip()

    def skip(self) -> None:
        self._count = max(0, self._count - 1)

    def share(self) -> float | None:
        """The seconds that the next measurement may take, so that the others have as many. None: any number of seconds."""
        return None if math.isinf(self.left()) else max(0.0, self._to_plan() / max(1, self._count))

    def samples(self, least: float, most: float) -> float:
        """The duration of the samples of the next measurement in seconds, so that the measurements still to come end in time."""
        share = self.share()
        self._samples = most if share is None else min(max(least, share - self._overhead), most)
        return self._samples

    def patience(self, least: float) -> float | None:
        """The seconds that ecbench may wait for clean samples in the next measurement, but at least `least`."""
        share = self.share()
        return None if share is None else max(least, share - SECONDS_PER_PROCESS)

    def allows_repeat(self) -> bool:
        """Whether there is time to repeat the last measurement, in addition to the measurements that are still to come."""
        return self._to_plan() >= self._last * (1 + self._count)
