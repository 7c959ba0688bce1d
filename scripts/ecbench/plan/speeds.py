"""The coding speed of one core: measured, or read from run files."""

import dataclasses
import pathlib
from collections.abc import Iterable, Mapping, Sequence

from ecbench.plan.profiles import Counted, Profile
from ecbench.plan.request import Request
from ecbench.point.point import Point
from ecbench.runfile.figures import Figures
from ecbench.runfile.lines import runs_in
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import PointSummary, summarize
from ecbench.terminal.console import Refused

# The measured figures of each profile: name → workload and options of the point.
ENCODE, REPAIR, DEGRADED_READ = "encode", "repair", "degraded read"
POINTS: Mapping[str, tuple[str, dict[str, object]]] = {
    ENCODE: ("encode", {}), REPAIR: ("repair", {}), DEGRADED_READ: ("decode", {"erased": 0, "want": "data"})}
# Parameters of profiles that do not change the bytes of the chunks.
KERNELS = ("backend", "store")
# Parameters of clay that are ignored when two points are compared.
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


def points(counted: Iterable[Counted], request: Request) -> dict[str, Point]:
    """The points that are measured, by name."""
    return {f"{one.profile.name} {figure}": point for one in counted for figure, point in points_of(one, request).items()}


def points_of(counted: Counted, request: Request) -> dict[str, Point]:
    """The points with the first object size and the first stripe unit, by the names of the figures."""
    return {figure: counted.profile.point(workload, request.objects[0], counted.stripe_units[0], **options)
            for figure, (workload, options) in POINTS.items()}


def measured(profile: Profile, figures: Figures) -> Speeds:
    names = [f"{profile.name} {figure}" for figure in POINTS]
    values = [figures.middle(name) for name in names]
    encode, repair, degraded_read = (value * 1e9 if value else None for value in values)
    return Speeds(encode, repair, degraded_read, any(figures.mark(name) for name in names))


class Stored:
    """The figures of run files. If several machines measured a figure, the lowest value is used."""

    def __init__(self, paths: Sequence[str]):
        """Throws Refused."""
        self.runs: list[Run] = [read_run(file) for path in paths for file in files_of(path)]
        self.conditions: set[tuple[int, int | None, str]] = set()  # size, stripe unit and cache state of the figures that were used
        self._summaries: list[PointSummary] = [one for run in self.runs for one in summarize(run) if one.gb_per_s]

    def speeds(self, counted: Counted, request: Request) -> Speeds:
        wanted = points_of(counted, request)
        found = {figure: self._slowest(point) for figure, point in wanted.items()}
        if not found[REPAIR] and counted.profile.plugin in ("isa", "jerasure"):
            # For these plugins, the repair of one lost chunk is the same computation as its decode.
            found[REPAIR] = self._slowest(dataclasses.replace(wanted[REPAIR], workload="decode"))
        encode, repair, degraded_read = (one.gb_per_s * 1e9 if one and one.gb_per_s else None for one in found.values())
        return Speeds(encode, repair, degraded_read, any(one.warned for one in found.values() if one))

    def _slowest(self, wanted: Point) -> PointSummary | None:
        """Selects the points with this profile and workload, then those with the nearest size. Of these, prefers points with
        the same stripe unit, then points with the same cache state. Returns the slowest of the selected points."""
        alike = [one for one in self._summaries if is_alike(one.point, wanted)]
        if not alike:
            return None
        nearest = min(distance(one.point, wanted) for one in alike)
        chosen = min((one for one in alike if distance(one.point, wanted) == nearest), key=lambda one: one.gb_per_s or 0)
        self.conditions.add((chosen.point.size, chosen.point.stripe_unit, chosen.point.cache))
        return chosen


def files_of(path: str) -> list[pathlib.Path]:
    """The run files of a directory and its subdirectories, or the file itself. Throws Refused."""
    if not (folder := pathlib.Path(path)).is_dir():
        return [folder]
    if found := runs_in(folder):
        return found
    raise Refused(f"--runs {path} is not allowed: the directory has no run file (*.jsonl, *.jsonl.gz); name another one")


def is_alike(found: Point, wanted: Point) -> bool:
    """Whether both points measure the same code and workload with the same library, timing and dispatch level, and `found` uses
    one thread. The number of lost chunks must be equal, unless `found` has a fixed lost chunk (`erased`)."""
    return (found.plugin == wanted.plugin and found.workload == wanted.workload and found.threads == 1
            and found.codec_lib == wanted.codec_lib and found.timing == wanted.timing
            and (found.erasures == wanted.erasures or found.erased is not None) and found.dispatch == wanted.dispatch
            and code_of(found) == code_of(wanted))


def code_of(point: Point) -> dict[str, str]:
    """The parameters that affect the bytes of the chunks and do not have their default value."""
    ignored = {("w", "8"), *(SCALAR_CODES if point.plugin == "clay" else ())}
    return {key: value for key, value in point.profile
            if value not in ("", "false") and key not in KERNELS and (key, value) not in ignored}


def distance(found: Point, wanted: Point) -> tuple[float, bool, bool]:
    return (max(found.size / wanted.size, wanted.size / found.size), found.stripe_unit != wanted.stripe_unit,
            found.cache != wanted.cache)
