"""A gate ab run: how it measures, and what is judged and printed."""

import dataclasses
from typing import Any

from ecbench.gate.ab.verdict import PointVerdict, Settings
from ecbench.gate.sides.points import GatePoints

FEWEST_LAUNCHES = 10  # two in a hundred launches have a bias (verdict.py), which must not move the median
PAIRS = 32  # of slices, in a launch
SLICE_NS = 2_000_000


@dataclasses.dataclass(frozen=True)
class Plan:
    launches: int  # of each point at the first look; as many again at the second, of those that are inconclusive
    pairs: int
    slice_ns: int
    seed: int  # of the order of launches, and of slices within pairs
    cpu: int  # the one on which both sides run


@dataclasses.dataclass
class GateRun:
    """A run as far as it is measured."""

    header: dict[str, Any]  # the first line of the record
    settings: Settings
    plan: Plan
    points: GatePoints  # in the order of the grid
    launches: dict[str, list[dict[str, Any]]]  # id → its launch records, as in the file
    verdicts: dict[str, PointVerdict] = dataclasses.field(default_factory=dict)  # by id
    seconds: float = 0.0  # that measuring took, building excluded

    def medians(self) -> dict[str, list[float]]:
        """id → the launches' median ratios, new over old."""
        return {identity: [launch["median_ratio"] for launch in launches] for identity, launches in self.launches.items()}


def launches_for(settings: Settings) -> int:
    """Of the first look: with fewer no point could be slower; ten for 24 points."""
    return max(FEWEST_LAUNCHES, settings.launches_needed)
