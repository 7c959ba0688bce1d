"""A gate ab run: its settings, its points, and its results."""

import contextlib
import dataclasses
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO, NoReturn

from ecbench.comparison.figures import CHANGE, FASTER, INCONCLUSIVE, NO_REGRESSION, SLOWER
from ecbench.comparison.select import LOOKS, PointVerdict, Settings
from ecbench.documents.document import Key
from ecbench.gate.sides import both_sides
from ecbench.gate.sides.both_sides import GatePoints
from ecbench.gate.sides.sides import CODEC_LIBRARIES, Side, titles
from ecbench.process import temporary
from ecbench.runfile.run_file import now
from ecbench.statistics.interval import median
from ecbench.terminal.console import Refused

# About 2 of 100 launches have a bias. With at least this many launches, a biased launch does not change the median
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

    header: dict[str, Any]  # the first line of the record
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


# The record of a gate ab run: JSON lines, whose key "record" has the type of the line. First "gate" (what is compared, and
# how), then a "launch" for each launch, in the order of measurement, a "look" after each look, and at last "end" with the exit
# code, or "broken_off" with the reason. If the last line has another type, the process was killed.

FORMAT_OF_RECORD = "ecbench gate 1"


class Record:
    """Without a path, it writes nothing."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        if path is None:
            return
        folder = os.path.dirname(path) or "."
        if os.path.lexists(path) or not path:
            self._refuse("exists, and runs are not overwritten; choose another name" if path else "needs a path")
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            self._refuse(f"cannot be written: {folder} is not a writable directory")

    def begin(self, **header: Any) -> None:
        if self._path is None:
            return
        try:
            self._file = open(self._path, "xb")
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")
        self.append("gate", format=FORMAT_OF_RECORD, **header)

    def append(self, record: str, **values: Any) -> None:
        if self._file is None:
            return
        line = json.dumps({"record": record, **values}, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._file.write(line.encode("utf-8", "backslashreplace"))
            self._file.flush()
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")

    def end(self, **values: Any) -> None:
        self.append("end", at=now(), **values)
        self.break_off()

    def break_off(self, **reason: Any) -> None:
        """Closes the file, after a line with the reason if there is one."""
        file, self._file = self._file, None
        if file is None:
            return
        with contextlib.suppress(OSError):  # append() has already written all other lines, or has reported an error
            if reason:
                file.write(json.dumps({"record": "broken_off", "at": now(), **reason}).encode() + b"\n")
            file.close()

    def _refuse(self, why: str) -> NoReturn:
        raise Refused(f"--output {self._path} {why}")


# The outcome of a gate ab run. The dataclasses are the JSON document.

FORMAT = "ecbench gate ab 2"
WORST_FIRST = (SLOWER, INCONCLUSIVE, NO_REGRESSION, FASTER)


@dataclasses.dataclass(frozen=True)
class PointResult:
    id: Annotated[str, Key("The id of the point, as in run files.")]
    name: Annotated[str, Key("The point as text.")]
    point: Annotated[dict[str, Any], Key("The full description of the point, as in run files.")]
    verdict: Annotated[str, Key(
        "slower: the whole interval is below 1, and the loss is at least the threshold. faster: the whole interval is above 1, and "
        "the gain is at least the threshold. no regression: the interval contains no loss as large as the threshold. inconclusive: "
        "none of the other verdicts, although the number of launches was doubled.", words=WORST_FIRST)]
    ratio: Annotated[float, Key("Speed of NEW / speed of OLD. The ratio of a launch is the median of its pairs of slices; that "
                                "of the point is the median of its launches.", above=0)]
    low: Annotated[float | None, Key("Lower end of the exact confidence interval of the ratio, on which the verdict is based; null "
                                     "if there are too few launches for an interval.")]
    high: Annotated[float | None, Key("Upper end of the same interval.")]
    change_percent: Annotated[float, Key("100 (ratio - 1). It is negative if NEW is slower.")]
    confidence_percent: Annotated[float, Key(
        "Confidence of the interval. For the verdict no regression, it is 100 (1 - 2 alpha / looks). For the other verdicts, it is "
        "also corrected for the number of points: 100 (1 - 2 alpha / (points x looks)).")]
    launches: Annotated[int, Key("Number of launches of this point, from which all its values are computed.", least=1)]
    extended: Annotated[bool, Key("true if the point was inconclusive at the first look, and therefore got further launches.")]
    ties: Annotated[int, Key("Launches whose ratio is exactly 1. Such a launch is evidence for neither side.", least=0)]
    old_ns_per_iteration: Annotated[float, Key("Time of one iteration of OLD: the median over the launches. Do not compare it with "
                                               "times of other runs.", above=0)]
    new_ns_per_iteration: Annotated[float, Key("old_ns_per_iteration / ratio: the ratio is known better than the times.", above=0)]
    old_kernel: Annotated[str | None, Key("The kernel that OLD runs at this point; null if it is unknown.")]
    new_kernel: Annotated[str | None, Key("The kernel that NEW runs at this point; null if it is unknown.")]


@dataclasses.dataclass(frozen=True)
class Result:
    format: Annotated[str, Key(words=(FORMAT,))]
    verdict: Annotated[str, Key("slower: at least one point is slower. inconclusive: no point is slower, but at least one is "
                                "inconclusive. no regression: no point is slower or inconclusive.", words=WORST_FIRST[:3])]
    exit_code: Annotated[int, Key("0: no regression was found (but points can be inconclusive). 3: regression. 4: inconclusive "
                                  "(only with --require-conclusive). With the exit codes 1 and 2, this object is not written.")]
    counts: Annotated[dict[str, int], Key("The number of points with each verdict.")]
    old: Annotated[dict[str, Any], Key(
        "One of the two builds. given: the argument of the user. kind: build, installed, plugins, revision, module or crate. "
        "revision: the full commit hash. versions: name and version of each library that is compared. codec_lib: the directory of "
        "the codec libraries that are used instead of the system's.")]
    new: dict[str, Any]
    threshold_percent: Annotated[float, Key("The smallest loss of speed that is a regression.", above=0)]
    alpha: Annotated[float, Key("Upper bound for the probability that a run has a false alarm, for all points and looks together.",
                                above=0, most=1)]
    looks: Annotated[int, Key("The largest number of looks at a point; the second is after the further launches of inconclusive "
                              "points.")]
    launches: Annotated[int, Key("Launches of each point before the first look; inconclusive points get as many again.", least=1)]
    pairs: Annotated[int, Key("Number of pairs of slices in a launch.", least=1)]
    seed: Annotated[int, Key("Seed for the random order of launches and of slices.")]
    seconds: Annotated[float, Key("Wall clock time of the measurements, without building.", least=0)]
    environment: Annotated[dict[str, Any] | None, Key("The output of ecbench --environment for OLD; null if the record of the run "
                                                      "does not contain it.")]
    points: Annotated[list[PointResult], Key("Sorted by verdict (slower, inconclusive, no regression, faster), then by "
                                             "change_percent.")]


def result_of(run: GateRun, require_conclusive: bool = False) -> Result:
    """The outcome of a run whose points have been judged."""
    points = sorted((point_result(run, identity) for identity in run.verdicts),
                    key=lambda point: (WORST_FIRST.index(point.verdict), point.change_percent, point.name))
    counts = {verdict: sum(point.verdict == verdict for point in points) for verdict in WORST_FIRST}
    verdict = SLOWER if counts[SLOWER] else INCONCLUSIVE if counts[INCONCLUSIVE] else NO_REGRESSION
    exit_code = both_sides.REGRESSION if verdict == SLOWER else both_sides.NO_REGRESSION
    if verdict == INCONCLUSIVE and require_conclusive:
        exit_code = both_sides.INCONCLUSIVE
    return Result(FORMAT, verdict, exit_code, counts, run.header["old"], run.header["new"], run.settings.threshold,
                  run.settings.alpha, LOOKS, run.plan.launches, run.plan.pairs, run.plan.seed, round(run.seconds, 3),
                  run.header.get("environment"), points)


def point_result(run: GateRun, identity: str) -> PointResult:
    judged, launches, point = run.verdicts[identity], run.launches[identity], run.points[identity].point
    ratio, old = judged.ratio, median([launch["old_ns_per_iteration"] for launch in launches])
    return PointResult(
        identity, str(point), point.to_json(), judged.word, ratio.median, ratio.low, ratio.high, 100 * (ratio.median - 1),
        judged.confidence_percent, ratio.count, ratio.count > run.plan.launches, judged.ties, old, old / ratio.median,
        launches[0].get("old_kernel"), launches[0].get("new_kernel"))


# Makes both sides load their codec libraries in the same way. A process that loads them from a directory allocates more memory
# at its start, which moves a code's tables (launch.py) and would make it up to 4 % faster or slower at points with many
# chunks.

@contextlib.contextmanager
def loaded_alike(old: Side, new: Side, shared_objects: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[Side, Side]]:
    """If only one side loads its codec libraries from a directory, the other gets a directory with links to its own libraries.
    `shared_objects`: name of a side → the shared objects in ecbench --environment."""
    without = [side for side in (old, new) if side.codec_lib is None]
    if len(without) != 1:
        yield old, new
        return
    named = pathlib.Path(str((new if without[0] is old else old).codec_lib))
    with temporary.new_folder() as folder:
        for thing in shared_objects[without[0].name]:
            if thing["name"] in CODEC_LIBRARIES and (named / thing["name"]).exists():
                (folder / thing["name"]).symlink_to(os.path.expanduser(thing["path"]))
        linked = {without[0].name: dataclasses.replace(without[0], codec_lib=str(folder))} if os.listdir(folder) else {}
        yield linked.get("OLD", old), linked.get("NEW", new)


# The text of a gate's outcome, shared by the table, the Markdown and the forest plot.

def sides(result: Result) -> tuple[str, str]:
    """The texts that name OLD and NEW: versions, revisions or directories."""
    return titles(result.old, result.new)


def kernels(result: Result) -> str | None:
    """A line that reports that the two sides run different kernels; None if they run the same kernel at every point."""
    differing = [point for point in result.points if point.old_kernel != point.new_kernel]
    if not differing:
        return None
    first = differing[0]
    return (f"OLD and NEW run different kernels at {len(differing)} of {points(len(result.points))}, such as {first.name} "
            f"(OLD: {first.old_kernel or 'unknown'}, NEW: {first.new_kernel or 'unknown'})")


def outcome(result: Result) -> str:
    """The outcome in one line."""
    total = len(result.points)
    slower, unknown, faster = (result.counts[verdict] for verdict in (SLOWER, INCONCLUSIVE, FASTER))
    threshold = f"{result.threshold_percent:g} %"
    if slower:
        text = f"REGRESSION: slower by {threshold} or more in {slower} of {points(total)}"
    else:
        text = f"no regression of {threshold} or more in {points(total)}"
        if unknown:
            text = f"no regression was shown, but {unknown} of {points(total)} {'is' if unknown == 1 else 'are'} inconclusive"
    more = [f"{faster} faster"] if faster else []
    if slower and unknown:
        more.append(f"{unknown} inconclusive")
    return ", ".join([text, *more])


def points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"


def effort(result: Result) -> str:
    extended = sum(point.extended for point in result.points)
    more = f" ({LOOKS * result.launches} at {points(extended)})" if extended else ""
    return f"{points(len(result.points))}, {result.launches} launches each{more}, {result.seconds:.0f} s"


def legend(result: Result) -> list[str]:
    """Lines that explain the columns and the verdicts."""
    threshold, alpha = f"{result.threshold_percent:g} %", 100 * result.alpha
    return [
        "ratio: speed of NEW / speed of OLD. The ratio of a launch is the median of its pairs of slices. The ratio of a point is "
        "the median of its launches. change %: negative if NEW is slower",
        "interval: confidence interval of the ratio; level: the confidence of the interval",
        f"slower: the whole interval is below 1, and the loss is {threshold} or more; faster: the whole interval is above 1, and "
        f"the gain is {threshold} or more. The level of these two verdicts is corrected for all points and looks: if OLD and NEW "
        f"are equal, at most {alpha:g} % of runs have a false alarm, {CHANGE.condition}",
        f"no regression: the interval contains no loss of {threshold} or more",
        "inconclusive: none of the other verdicts, although the number of launches was doubled"]


def interval(point: PointResult) -> str:
    return "-" if point.low is None else f"{point.low:.3f} to {point.high:.3f}"


def figures(point: PointResult) -> list[str]:
    """The ratio, its interval, the level of this interval, and the change of the speed in percent."""
    change = f"{round(point.change_percent, 1) + 0.0:+.1f}".replace("-", "\N{MINUS SIGN}")
    return [f"{point.ratio:.3f}", interval(point), f"{point.confidence_percent:.4g} %", change]


def nanoseconds(value: float) -> str:
    unit, factor = next((one for one in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)) if value >= one[1]), ("ns", 1))
    value /= factor
    return f"{f'{value:#.3g}'.rstrip('.') if value < 1000 else f'{value:.0f}'} {unit}"
