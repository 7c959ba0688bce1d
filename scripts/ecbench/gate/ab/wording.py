"""The text of a gate's outcome, shared by the table, the Markdown and the forest plot."""

from ecbench.comparison.launches import LOOKS
from ecbench.comparison.questions import CHANGE, FASTER, INCONCLUSIVE, SLOWER
from ecbench.gate.ab.result import PointResult, Result
from ecbench.gate.sides.sides import titles


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
