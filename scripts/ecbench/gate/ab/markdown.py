"""Writes the outcome of a gate ab run as Markdown for a pull request. The Markdown needs no image file, because the plot in each
row consists of text characters. The plot looks the same on GitHub and GitLab."""

import math
from collections.abc import Sequence
from typing import Any

from ecbench.gate.ab import wording
from ecbench.gate.ab.verdict import FASTER, NO_REGRESSION
from ecbench.gate.sides.markdown import Rows, document, plain

Ends = tuple[float, float]  # the lowest and the highest ratio that the plot shows

TITLES = ("point", "verdict", "ratio", "interval", "level", "change", "plot", "launches")
WIDTH = 25  # width of the plot in characters
FOLDED = (NO_REGRESSION, FASTER)


def summary(result: dict[str, Any], heading: str = "gate ab") -> str:
    return document([f"### ecbench {heading}: {wording.outcome(result)}", "", *facts(result)], *rows(result), notes(result))


def facts(result: dict[str, Any]) -> list[str]:
    """The lines below the heading. They report what was compared, and on which machine."""
    old, new = wording.sides(result)
    lines = [f"{plain(old)} → {plain(new)}; {wording.effort(result)}{machine(result)}"]
    if line := wording.kernels(result):
        lines += ["", plain(line)]
    return lines


def rows(result: dict[str, Any]) -> tuple[Sequence[str], Rows, Rows]:
    """The column titles, the rows of the points that are slower or inconclusive, and the rows of the other points."""
    ends = ends_of(result)
    shown = [cells(point, result, ends) for point in result["points"] if point["verdict"] not in FOLDED]
    folded = [cells(point, result, ends) for point in result["points"] if point["verdict"] in FOLDED]
    return TITLES, shown, folded


def notes(result: dict[str, Any]) -> list[str]:
    """The legend."""
    least, most = ends_of(result)
    return [*(f"- {plain(line)}" for line in wording.legend(result)),
            f"- plot: the axis shows changes of the speed from {percent(least)} to {percent(most)}, and is logarithmic; ┃ no "
            "change, ┊ the threshold, ● the median, ─ its interval"]


def machine(result: dict[str, Any]) -> str:
    cpu = ((result["environment"] or {}).get("cpu") or {}).get("model_name")
    return f"; {plain(cpu)}" if cpu else ""


def cells(point: dict[str, Any], result: dict[str, Any], ends: Ends) -> list[str]:
    return [plain(point["name"]), verdict(point), f"{point['ratio']:.3f}", wording.interval(point), wording.level(point),
            f"{wording.change(point)} %", f"`{plot(point, result['threshold_percent'], ends)}`", str(point["launches"])]


def verdict(point: dict[str, Any]) -> str:
    return point["verdict"] if point["verdict"] == NO_REGRESSION else f"**{point['verdict']}**"


def ends_of(result: dict[str, Any]) -> Ends:
    """The limits of the axis, as ratios. The axis contains all values. On each side of 1, it extends to changes of at
    least twice the threshold."""
    far = 1 + max(2 * result["threshold_percent"], 1) / 100
    values = [value for point in result["points"] for value in (point["ratio"], point["low"], point["high"]) if value is not None]
    return min([1 / far, *values]), max([far, *values])


def percent(ratio: float) -> str:
    change = 100 * (ratio - 1)
    return f"{wording.signed(change, 1 if abs(change) < 10 else 0)} %"


def plot(point: dict[str, Any], threshold: float, ends: Ends) -> str:
    least, most = (math.log(end) for end in ends)
    letters = ["·"] * WIDTH

    def place(ratio: float) -> int:
        return max(0, min(WIDTH - 1, round((math.log(ratio) - least) / (most - least) * (WIDTH - 1))))

    for mark in (1 + threshold / 100, 1 - threshold / 100):
        letters[place(max(mark, ends[0]))] = "┊"
    letters[place(1)] = "┃"
    if point["low"] is not None:
        for position in range(place(point["low"]), place(point["high"]) + 1):
            letters[position] = "─"
    letters[place(point["ratio"])] = "●"
    return "".join(letters)
