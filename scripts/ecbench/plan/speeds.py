"""The coding speed of one core: measured, or read from run files."""

import dataclasses
from collections.abc import Mapping, Sequence

from ecbench.comparison.comparison import Comparison
from ecbench.plan.profiles import Counted
from ecbench.plan.request import Request
from ecbench.point.point import Point
from ecbench.runfile.header import paths_of
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import PointSummary, summarize

# The speeds that are measured for each profile. Key: name of the speed. Value: workload and options of the measured point.
POINTS: Mapping[str, tuple[str, dict[str, object]]] = {
    "encode": ("encode", {}), "repair": ("repair", {}), "degraded read": ("decode", {"erased": 0, "want": "data"})}
# Parameters of profiles that do not change the bytes of the chunks.
KERNELS = ("backend", "store")
# If a parameter of clay has one of these values, the parameter is ignored in the comparison of two points.
SCALAR_CODES = {("scalar_mds", "isa"), ("scalar_mds", "jerasure"), ("technique", "reed_sol_van")}


@dataclasses.dataclass(frozen=True)
class Speeds:
    """Speeds: bytes of the object that one core processes per second; None: not known."""

    encode: float | None = None
    repair: float | None = None
    degraded_read: float | None = None
    marked: bool = False  # measured with warnings

    def rebuilt(self, k: int) -> float | None:
        """Bytes of lost chunks that one core rebuilds per second. A chunk has 1/k of the bytes of the object."""
        return self.repair / k if self.repair else None


UNKNOWN = Speeds()


def points_of(counted: Counted, request: Request) -> dict[str, Point]:
    """With the first object size and stripe unit. The keys are such as `isa 8+3 encode`."""
    profile, size, unit = counted.profile, request.objects[0], counted.stripe_units[0]
    return {f"{profile.name} {figure}": profile.point(workload, size, unit, **options)
            for figure, (workload, options) in POINTS.items()}


def measured(counted: Counted, request: Request, figures: Comparison) -> Speeds:
    """Each point has a figure."""
    found = [figures.candidates[name] for name in points_of(counted, request)]
    encode, repair, degraded_read = (one.speed.median * 1e9 for one in found)
    return Speeds(encode, repair, degraded_read, any(one.mark for one in found))


class Stored:
    """The speeds in run files. If several machines measured the same point, the lowest speed is used."""

    def __init__(self, paths: Sequence[str]):
        """Throws Refused."""
        self.runs: list[Run] = [read_run(path) for path in paths_of(paths)]
        self.conditions: set[tuple[int, int | None, str]] = set()  # size, stripe unit and cache state of the speeds that are used
        self._summaries: list[PointSummary] = [one for run in self.runs for one in summarize(run) if one.gb_per_s]

    def speeds(self, counted: Counted, request: Request) -> Speeds:
        if counted.is_replicated:
            return UNKNOWN
        _, to_repair, _ = points = list(points_of(counted, request).values())
        found = [self._slowest(point) for point in points]
        if not found[1] and counted.profile.plugin in ("isa", "jerasure"):
            # For these plugins, repair and decode of one lost chunk are the same computation.
            found[1] = self._slowest(dataclasses.replace(to_repair, workload="decode"))
        encode, repair, degraded_read = (one.gb_per_s * 1e9 if one and one.gb_per_s else None for one in found)
        return Speeds(encode, repair, degraded_read, any(one.mark for one in found if one))

    def _slowest(self, wanted: Point) -> PointSummary | None:
        """The slowest of the points that are alike and nearest: in size, then in stripe unit, then in cache state."""
        alike = [one for one in self._summaries if is_alike(one.point, wanted)]
        if not alike:
            return None
        nearest = min(distance(one.point, wanted) for one in alike)
        chosen = min((one for one in alike if distance(one.point, wanted) == nearest), key=lambda one: one.gb_per_s or 0)
        self.conditions.add((chosen.point.size, chosen.point.stripe_unit, chosen.point.cache))
        return chosen


def is_alike(found: Point, wanted: Point) -> bool:
    """Whether the speed of `found` may be used for `wanted`, which has one thread."""
    same = ("plugin", "workload", "threads", "codec_lib", "timing", "dispatch")
    return (all(getattr(found, name) == getattr(wanted, name) for name in same) and code_of(found) == code_of(wanted)
            and (found.erasures == wanted.erasures or found.erased is not None))


def code_of(point: Point) -> dict[str, str]:
    """The parameters that affect the bytes of the chunks, without parameters that have their default value."""
    ignored = {("w", "8"), *(SCALAR_CODES if point.plugin == "clay" else ())}
    return {key: value for key, value in point.profile
            if value not in ("", "false") and key not in KERNELS and (key, value) not in ignored}


def distance(found: Point, wanted: Point) -> tuple[float, bool, bool]:
    return (max(found.size / wanted.size, wanted.size / found.size), found.stripe_unit != wanted.stripe_unit,
            found.cache != wanted.cache)
