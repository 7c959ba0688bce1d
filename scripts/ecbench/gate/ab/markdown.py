"""The outcome of a gate ab run as Markdown for a pull request."""

from ecbench.comparison.questions import FASTER, NO_REGRESSION
from ecbench.gate.ab import wording
from ecbench.gate.ab.result import PointResult, Result
from ecbench.gate.sides.markdown import document, plain

TITLES = ("point", "verdict", "ratio", "interval", "level", "change", "launches")
FOLDED = (NO_REGRESSION, FASTER)


def summary(result: Result) -> str:
    old, new = wording.sides(result)
    cpu = ((result.environment or {}).get("cpu") or {}).get("model_name")
    head = [f"### ecbench gate ab: {wording.outcome(result)}", "",
            f"{plain(old)} → {plain(new)}; {wording.effort(result)}{f'; {plain(cpu)}' if cpu else ''}"]
    if line := wording.kernels(result):
        head += ["", plain(line)]
    shown = [cells(point) for point in result.points if point.verdict not in FOLDED]
    folded = [cells(point) for point in result.points if point.verdict in FOLDED]
    return document(head, TITLES, shown, folded, [f"- {plain(line)}" for line in wording.legend(result)])


def cells(point: PointResult) -> list[str]:
    verdict = point.verdict if point.verdict == NO_REGRESSION else f"**{point.verdict}**"
    *figures, change = wording.figures(point)
    return [plain(point.name), verdict, *figures, f"{change} %", str(point.launches)]
