"""The outcome of a gate ab run as Markdown for a pull request. The plot in each row is text, which needs no image file."""

import math

from ecbench.comparison.questions import FASTER, NO_REGRESSION
from ecbench.gate.ab import wording
from ecbench.gate.ab.result import PointResult, Result
from ecbench.gate.sides.markdown import document, plain

Ends = tuple[float, float]  # the lowest and the highest ratio that the plot shows

TITLES = ("point", "verdict", "ratio", "interval", "level", "change", "plot", "launches")
WIDTH = 25  # width of the plot in characters
FOLDED = (NO_REGRESSION, FASTER)


def summary(result: Result, heading: str = "gate ab") -> str:
    ends = ends_of(result)
    old, new = wording.sides(result)
    head = [f"### ecbench {heading}: {wording.outcome(result)}", "",
            f"{plain(old)} → {plain(new)}; {wording.effort(result)}{machine(result)}"]
    if line := wording.kernels(result):
        head += ["", plain(line)]
    shown = [cells(point, result, ends) for point in result.points if point.verdict not in FOLDED]
    folded = [cells(point, result, ends) for point in result.points if point.verdict in FOLDED]
    legend = [*(f"- {plain(line)}" for line in wording.legend(result)),
              f"- plot: the axis shows changes of the speed from {percent(ends[0])} to {percent(ends[1])}, and is logarithmic; "
              "┃ no change, ┊ the threshold, ● the median, ─ its interval"]
    return document(head, TITLES, shown, folded, legend)


def machine(result: Result) -> str:
    cpu = ((result.environment or {}).get("cpu") or {}).get("model_name")
    return f"; {plain(cpu)}" if cpu else ""


def cells(point: PointResult, result: Result, ends: Ends) -> list[str]:
    return [plain(point.name), verdict(point), f"{point.ratio:.3f}", wording.interval(point), wording.level(point),
            f"{wording.change(point)} %", f"`{plot(point, result.threshold_percent, ends)}`", str(point.launches)]


def verdict(point: PointResult) -> str:
    return point.verdict if point.verdict == NO_REGRESSION else f"**{point.verdict}**"


def ends_of(result: Result) -> Ends:
    """The limits of the axis, as ratios: all values, and changes of twice the threshold."""
    far = 1 + max(2 * result.threshold_percent, 1) / 100
    values = [value for point in result.points for value in (point.ratio, point.low, point.high) if value is not None]
    return min([1 / far, *values]), max([far, *values])


def percent(ratio: float) -> str:
    change = 100 * (ratio - 1)
    return f"{wording.signed(change, 1 if abs(change) < 10 else 0)} %"


def plot(point: PointResult, threshold: float, ends: Ends) -> str:
    least, most = (math.log(end) for end in ends)
    letters = ["·"] * WIDTH

    def place(ratio: float) -> int:
        return max(0, min(WIDTH - 1, round((math.log(ratio) - least) / (most - least) * (WIDTH - 1))))

    for mark in (1 + threshold / 100, 1 - threshold / 100):
        letters[place(max(mark, ends[0]))] = "┊"
    letters[place(1)] = "┃"
    if point.low is not None and point.high is not None:
        for position in range(place(point.low), place(point.high) + 1):
            letters[position] = "─"
    letters[place(point.ratio)] = "●"
    return "".join(letters)
