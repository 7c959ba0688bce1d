"""A gate ab run: its settings, its points, and its results."""

import dataclasses
from typing import Any

from ecbench.comparison.launches import PointVerdict, Settings
from ecbench.gate.sides.points import GatePoints

# About 2 of 100 launches have a bias (launches.py). With at least this many launches, a biased launch does not change the median
# of a point much.
FEWEST_LAUNCHES = 10
PAIRS = 32  # pairs of slices in a launch
SLICE_NS = 2_000_000


@dataclasses.dataclass(frozen=True)
class Plan:
    launches: int  # of each point before the first look; inconclusive points get as many again
    pairs: int
    slice_ns: int
    seed: int  # determines the random order of launches, and which side runs first in a pair
    cpu: int  # both sides run on this CPU


@dataclasses.dataclass
class GateRun:
    """A run and its results so far."""

    header: dict[str, Any]  # the first line of the record (record.py)
    settings: Settings
    plan: Plan
    points: GatePoints  # in the order of the grid
    launches: dict[str, list[dict[str, Any]]]  # id of the point → its launches, as in the record
    verdicts: dict[str, PointVerdict] = dataclasses.field(default_factory=dict)  # id of the point → verdict
    seconds: float = 0.0  # duration of the measurements; the time for builds is not included

    def medians(self) -> dict[str, list[float]]:
        """id of the point → the median ratio (time of NEW / time of OLD) of each launch."""
        return {identity: [launch["median_ratio"] for launch in launches] for identity, launches in self.launches.items()}


def launches_for(settings: Settings) -> int:
    """The fewest launches with which the verdict can be "slower", but at least FEWEST_LAUNCHES."""
    return max(FEWEST_LAUNCHES, settings.launches_needed)
