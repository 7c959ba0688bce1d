"""The outcome of a gate ab run for a pull request. The forest plot is named where it was written beside the Markdown; a plot of
letters stands in every row, for GitHub shows no picture that is not on the network."""

from ecbench.gate.ab import wording
from ecbench.gate.ab.verdict import FASTER, FINE
from ecbench.gate.sides.markdown import document, plain

TITLES = ("point", "verdict", "ratio", "interval", "loss", "plot", "launches")
HALF_WIDTH = 10  # letters of the plot on either side of 1
FOLDED = (FINE, FASTER)


def summary(result, picture=None):
    """`picture`: where the forest plot lies, as seen from the Markdown."""
    sides = " → ".join(plain(wording.side(result[side])) for side in ("old", "new"))
    head = [f"### ecbench gate ab: {wording.outcome(result)}", "", f"{sides}; {wording.effort(result)}{machine(result)}"]
    if picture:
        head += ["", f"![time of NEW over time of OLD, point by point](<{picture}>)"]
    reach = reach_percent(result)
    shown = [cells(point, result, reach) for point in result["points"] if point["verdict"] not in FOLDED]
    folded = [cells(point, result, reach) for point in result["points"] if point["verdict"] in FOLDED]
    tail = [f"- {plain(line)}" for line in wording.legend(result)]
    tail.append(f"- plot: {-reach:g} to +{reach:g} % of loss; ┃ no change, ┊ the threshold, ● the median, ─ its interval")
    return document(head, TITLES, shown, folded, tail)


def machine(result):
    cpu = ((result["environment"] or {}).get("cpu") or {}).get("model_name")
    return f"; {plain(cpu)}" if cpu else ""


def cells(point, result, reach):
    return [plain(point["name"]), verdict(point), f"{point['ratio']:.3f}", wording.interval(point), f"{wording.loss(point)} %",
            f"`{plot(point, result['threshold_percent'], reach)}`", str(point["launches"])]


def verdict(point):
    return point["verdict"] if point["verdict"] == FINE else f"**{point['verdict']}**"


def reach_percent(result):
    """What lies farther out is drawn at the edge."""
    return max(2.0 * result["threshold_percent"], 1.0)


def plot(point, threshold, reach):
    letters = ["·"] * (2 * HALF_WIDTH + 1)

    def place(percent):
        return round(max(-1.0, min(1.0, percent / reach)) * HALF_WIDTH) + HALF_WIDTH

    letters[HALF_WIDTH] = "┃"
    letters[place(threshold)] = letters[place(-threshold)] = "┊"
    if point["low"] is not None:
        ends = [place(100 * (point[end] - 1)) for end in ("low", "high")]
        for position in range(ends[0], ends[1] + 1):
            letters[position] = "─"
    letters[place(point["loss_percent"])] = "●"
    return "".join(letters)
