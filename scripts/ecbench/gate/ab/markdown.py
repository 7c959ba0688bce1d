"""The outcome of a gate ab run for a pull request. The Markdown shows the forest plot if it was drawn. Each row also has a plot
made of letters, because GitHub only shows pictures from the network."""

from typing import Any

from ecbench.gate.ab import wording
from ecbench.gate.ab.verdict import FASTER, NO_REGRESSION
from ecbench.gate.sides.markdown import document, plain

TITLES = ("point", "verdict", "ratio", "interval", "level", "change", "plot", "launches")
HALF_WIDTH = 10  # width of the plot in letters on each side of 1
FOLDED = (NO_REGRESSION, FASTER)


def summary(result: dict[str, Any], picture: str | None = None) -> str:
    """`picture`: the path of the forest plot, relative to the Markdown."""
    sides = " → ".join(plain(wording.side(result[side])) for side in ("old", "new"))
    head = [f"### ecbench gate ab: {wording.outcome(result)}", "", f"{sides}; {wording.effort(result)}{machine(result)}"]
    if picture:
        head += ["", f"![speed of NEW over speed of OLD, point by point](<{picture}>)"]
    reach = reach_percent(result)
    shown = [cells(point, result, reach) for point in result["points"] if point["verdict"] not in FOLDED]
    folded = [cells(point, result, reach) for point in result["points"] if point["verdict"] in FOLDED]
    tail = [f"- {plain(line)}" for line in wording.legend(result)]
    tail.append(f"- plot: {-reach:g} to +{reach:g} % of speed; ┃ no change, ┊ the threshold, ● the median, ─ its interval")
    return document(head, TITLES, shown, folded, tail)


def machine(result: dict[str, Any]) -> str:
    cpu = ((result["environment"] or {}).get("cpu") or {}).get("model_name")
    return f"; {plain(cpu)}" if cpu else ""


def cells(point: dict[str, Any], result: dict[str, Any], reach: float) -> list[str]:
    return [plain(point["name"]), verdict(point), f"{point['ratio']:.3f}", wording.interval(point), wording.level(point),
            f"{wording.change(point)} %", f"`{plot(point, result['threshold_percent'], reach)}`", str(point["launches"])]


def verdict(point: dict[str, Any]) -> str:
    return point["verdict"] if point["verdict"] == NO_REGRESSION else f"**{point['verdict']}**"


def reach_percent(result: dict[str, Any]) -> float:
    """The largest change that the plot shows. Larger changes are drawn at the edge."""
    return max(2.0 * result["threshold_percent"], 1.0)


def plot(point: dict[str, Any], threshold: float, reach: float) -> str:
    letters = ["·"] * (2 * HALF_WIDTH + 1)

    def place(percent: float) -> int:
        return round(max(-1.0, min(1.0, percent / reach)) * HALF_WIDTH) + HALF_WIDTH

    letters[HALF_WIDTH] = "┃"
    letters[place(threshold)] = letters[place(-threshold)] = "┊"
    if point["low"] is not None:
        ends = [place(100 * (point[end] - 1)) for end in ("low", "high")]
        for position in range(ends[0], ends[1] + 1):
            letters[position] = "─"
    letters[place(point["change_percent"])] = "●"
    return "".join(letters)
