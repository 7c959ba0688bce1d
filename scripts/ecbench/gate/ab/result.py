"""The outcome of a gate ab run. The dataclasses are the JSON document."""

import dataclasses
from typing import Annotated, Any

from ecbench.comparison.launches import LOOKS
from ecbench.comparison.questions import FASTER, INCONCLUSIVE, NO_REGRESSION, SLOWER
from ecbench.documents.document import Key
from ecbench.gate.ab.gate_run import GateRun
from ecbench.gate.sides import exit_codes
from ecbench.statistics.interval import median

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
    exit_code = exit_codes.REGRESSION if verdict == SLOWER else exit_codes.NO_REGRESSION
    if verdict == INCONCLUSIVE and require_conclusive:
        exit_code = exit_codes.INCONCLUSIVE
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
