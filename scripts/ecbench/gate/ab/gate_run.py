"""How a gate ab run measures, and what it hands to those who judge and print it."""

import dataclasses

FEWEST_LAUNCHES = 10  # two in a hundred launches have a bias of their own (verdict.py): their median must drown it
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

    header: dict  # the first line of the record
    settings: object  # verdict.Settings
    plan: Plan
    points: dict  # id → gating.points.GatePoint, in the grid's order
    launches: dict  # id → its launch records, as in the file
    verdicts: dict = dataclasses.field(default_factory=dict)  # id → verdict.PointVerdict
    seconds: float = 0.0  # that measuring took, building excluded

    def medians(self):
        """id → the launches' median ratios, new over old."""
        return {identity: [launch["median_ratio"] for launch in launches] for identity, launches in self.launches.items()}


def launches_for(settings):
    """Of the first look: as many as can condemn a point at all, ten for 24 points."""
    return max(FEWEST_LAUNCHES, settings.launches_needed)
