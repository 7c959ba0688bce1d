"""A gate ab run: its settings, its points, its record, and its results."""

import contextlib
import dataclasses
import json
import os
from typing import Annotated, Any, BinaryIO

from ecbench.comparison.figures import FASTER, INCONCLUSIVE, LOOKS, NO_REGRESSION, SLOWER, PointVerdict, Settings
from ecbench.documents.document import Key
from ecbench.gate.sides import both_sides
from ecbench.gate.sides.both_sides import GatePoints
from ecbench.gate.sides.sides import titles
from ecbench.page import charts
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page
from ecbench.runfile.run_file import now
from ecbench.statistics.interval import median
from ecbench.terminal.console import Refused, number_of, refusing

# About 2 of 100 launches have a bias. With at least this many, a biased launch does not change the median of a point much.
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


# The record of a gate ab run: JSON lines, whose key "record" has the type of the line. First "gate" (what is compared, and
# how), then a "launch" for each launch, in the order of measurement, a "look" after each look, and at last "end" with the exit
# code, or "broken_off" with the reason. If the last line has another type, the process was killed.

FORMAT_OF_RECORD = "ecbench gate 1"


class Record:
    """Without a path, it writes nothing. Throws Refused if the file exists or cannot be written."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        if path and os.path.lexists(path):
            raise Refused(f"--output {path} exists, and runs are not overwritten; choose another name")

    def begin(self, **header: Any) -> None:
        if self._path:
            with refusing(f"--output {self._path} cannot be written"):
                self._file = open(self._path, "xb", buffering=0)
            self.append("gate", format=FORMAT_OF_RECORD, **header)

    def append(self, record: str, **values: Any) -> None:
        if self._file is None:
            return
        line = json.dumps({"record": record, **values}, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
        with refusing(f"--output {self._path} cannot be written"):
            self._file.write(line.encode("utf-8", "backslashreplace"))

    def end(self, record: str = "end", **values: Any) -> None:
        """Closes the file after its last line. If that cannot be written, an earlier line could not, either."""
        with contextlib.suppress(Refused):
            self.append(record, at=now(), **values)
        if self._file:
            self._file.close()
        self._file = None


# The outcome of a gate ab run. The dataclasses are the JSON document.

FORMAT = "ecbench gate ab 2"
WORST_FIRST = (SLOWER, INCONCLUSIVE, NO_REGRESSION, FASTER)


@dataclasses.dataclass(frozen=True)
class PointResult:
    verdict: Annotated[str, Column(
        "slower: the whole interval is below 1, and the loss is at least the threshold. faster: the whole interval is above 1, and "
        "the gain is at least the threshold. no regression: the interval contains no loss as large as the threshold. inconclusive: "
        "none of the other verdicts, although the number of launches was doubled.", words=WORST_FIRST, title="verdict")]
    id: Annotated[str, Key("The id of the point, as in run files.")]
    name: Annotated[str, Column("The point as text.", title="point")]
    point: Annotated[dict[str, Any], Key("The full description of the point, as in run files.")]
    ratio: Annotated[float, Column(
        "Speed of NEW / speed of OLD: the median of the launches. That of a launch is the median of its pairs of slices.",
        above=0, title="ratio", form=Form.RATIO)]
    low: Annotated[float | None, Column("Lower end of the exact confidence interval of the ratio, on which the verdict is based; "
                                        "null if there are too few launches for an interval.", title="low", form=Form.RATIO)]
    high: Annotated[float | None, Column("Upper end of the same interval.", title="high", form=Form.RATIO)]
    confidence_percent: Annotated[float, Column(
        "Confidence of the interval. For the verdict no regression, it is 100 (1 - 2 alpha / looks). For the other verdicts, it is "
        "also corrected for the number of points: 100 (1 - 2 alpha / (points x looks)).", title="level %", form=Form.PERCENT)]
    change_percent: Annotated[float, Column("100 (ratio - 1); negative: NEW is slower.", title="change %", form=Form.PERCENT)]
    launches: Annotated[int, Column("Of this point; all its values are theirs.", least=1, title="launches", form=Form.WHOLE)]
    extended: Annotated[bool, Key("true if the point was inconclusive at the first look, and therefore got further launches.")]
    ties: Annotated[int, Key("Launches whose ratio is exactly 1. Such a launch is evidence for neither side.", least=0)]
    old_ns_per_iteration: Annotated[float, Column(
        "The median of the launches. Do not compare it with times of other runs.", above=0, title="ns, OLD", form=Form.FIGURE)]
    new_ns_per_iteration: Annotated[float, Column("old_ns_per_iteration / ratio: the ratio is known better than the times.",
                                                  above=0, title="ns, NEW", form=Form.FIGURE)]
    old_kernel: Annotated[str | None, Key("The kernel that OLD runs at this point; null if it is unknown.")]
    new_kernel: Annotated[str | None, Key("The kernel that NEW runs at this point; null if it is unknown.")]


@dataclasses.dataclass(frozen=True)
class Result:
    format: Annotated[str, Key(words=(FORMAT,))]
    verdict: Annotated[str, Key("slower: at least one point is slower. inconclusive: no point is slower, but at least one is "
                                "inconclusive. no regression: no point is slower or inconclusive.", words=WORST_FIRST[:3])]
    exit_code: Annotated[int, Key("0: no regression was found (but points can be inconclusive). 3: regression. 4: inconclusive "
                                  "(only with --require-conclusive). A gate that fails writes another object.")]
    counts: Annotated[dict[str, int], Key("The number of points with each verdict.")]
    old: Annotated[dict[str, Any], Key(
        "given: the argument. kind: build, installed, plugins, revision, module or crate. revision: the commit hash. versions: "
        "name and version of each library that is compared. codec_lib: the directory of the codec libraries, if not the system's.")]
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
    environment: Annotated[dict[str, Any] | None, Key("The output of ecbench environment for OLD; null if the record of the run "
                                                      "does not contain it.")]
    points: Annotated[list[PointResult], Key("Sorted by verdict (slower, inconclusive, no regression, faster), then by "
                                             "change_percent.")]


def result_of(run: GateRun, require_conclusive: bool = False) -> Result:
    """The outcome of a run whose points have been judged."""
    points = []
    for identity, judged in run.verdicts.items():
        launches, point, ratio = run.launches[identity], run.points[identity].point, judged.ratio
        old = median([launch["old_ns_per_iteration"] for launch in launches])
        points.append(PointResult(
            judged.word, identity, str(point), point.to_json(), ratio.median, ratio.low, ratio.high, judged.confidence_percent,
            100 * (ratio.median - 1), ratio.count, ratio.count > run.plan.launches, judged.ties, old, old / ratio.median,
            launches[0].get("old_kernel"), launches[0].get("new_kernel")))
    points.sort(key=lambda point: (WORST_FIRST.index(point.verdict), point.change_percent, point.name))
    counts = {verdict: sum(point.verdict == verdict for point in points) for verdict in WORST_FIRST}
    verdict = SLOWER if counts[SLOWER] else INCONCLUSIVE if counts[INCONCLUSIVE] else NO_REGRESSION
    exit_code = (both_sides.REGRESSION if verdict == SLOWER else
                 both_sides.INCONCLUSIVE if verdict == INCONCLUSIVE and require_conclusive else both_sides.NO_REGRESSION)
    return Result(FORMAT, verdict, exit_code, counts, run.header["old"], run.header["new"], run.settings.threshold,
                  run.settings.alpha, LOOKS, run.plan.launches, run.plan.pairs, run.plan.seed, round(run.seconds, 3),
                  run.header.get("environment"), points)


# The outcome as a page of one block, and as a forest plot.

WIDTH = 900  # pixels
CHART = Chart(Kind.RATIOS, "Ratios", "ratio", "low", "high", text="verdict", colour="verdict", colours=WORST_FIRST)


def page_of(result: Result) -> Page:
    old, new = titles(result.old, result.new)
    extended = sum(point.extended for point in result.points)
    cpu = ((result.environment or {}).get("cpu") or {}).get("model_name")
    effort = (f"OLD: {old}; NEW: {new}; {number_of(len(result.points), 'point')}, {result.launches} launches each"
              + (f" ({LOOKS * result.launches} at {number_of(extended, 'point')})" if extended else "")
              + f", {result.seconds:.0f} s" + (f"; {cpu}" if cpu else ""))
    block = Block("Points", "", PointResult, result.points, [CHART], label="name")
    return Page("gate ab", "ecbench gate ab", [outcome(result)], [block], [("", [effort, *kernels(result)])], is_list=True)


def forest(result: Result) -> str:
    """The plot as the text of an SVG file. Throws NoPage."""
    block = page_of(result).blocks[0]
    old, new = titles(result.old, result.new)
    title = {"text": outcome(result), "subtitle": f"speed of {new} / speed of {old}; threshold {result.threshold_percent:g} %",
             "anchor": "start", "frame": "bounds"}
    spec = charts.picture(block, CHART, block.rows, WIDTH)
    return charts.svg({**spec, "background": "white", "title": title, "description": outcome(result)})


def kernels(result: Result) -> list[str]:
    """A line that reports that the two sides run different kernels; none if they run the same kernel at every point."""
    differing = [point for point in result.points if point.old_kernel != point.new_kernel]
    return [f"OLD and NEW run different kernels at {len(differing)} of {number_of(len(result.points), 'point')}, such as "
            f"{first.name} (OLD: {first.old_kernel or 'unknown'}, NEW: {first.new_kernel or 'unknown'})" for first in differing[:1]]


def outcome(result: Result) -> str:
    """The outcome in one line."""
    total = number_of(len(result.points), "point")
    slower, unknown, faster = (result.counts[verdict] for verdict in (SLOWER, INCONCLUSIVE, FASTER))
    threshold = f"{result.threshold_percent:g} %"
    if slower:
        text = f"REGRESSION: slower by {threshold} or more in {slower} of {total}"
    elif unknown:
        text = f"no regression was shown, but {unknown} of {total} {'is' if unknown == 1 else 'are'} inconclusive"
    else:
        text = f"no regression of {threshold} or more in {total}"
    more = [f"{faster} faster"] if faster else []
    return ", ".join([text, *more, *([f"{unknown} inconclusive"] if slower and unknown else [])])
