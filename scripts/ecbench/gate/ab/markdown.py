"""The outcome of a gate ab run as Markdown for a pull request."""

from ecbench.comparison.figures import FASTER, NO_REGRESSION
from ecbench.gate.ab import verdicts
from ecbench.gate.ab.verdicts import PointResult, Result
from ecbench.gate.sides.markdown import document, plain

MARKDOWN_TITLES = ("point", "verdict", "ratio", "interval", "level", "change", "launches")
FOLDED = (NO_REGRESSION, FASTER)


def summary(result: Result) -> str:
    old, new = verdicts.sides(result)
    cpu = ((result.environment or {}).get("cpu") or {}).get("model_name")
    head = [f"### ecbench gate ab: {verdicts.outcome(result)}", "",
            f"{plain(old)} → {plain(new)}; {verdicts.effort(result)}{f'; {plain(cpu)}' if cpu else ''}"]
    if line := verdicts.kernels(result):
        head += ["", plain(line)]
    shown = [markdown_cells(point) for point in result.points if point.verdict not in FOLDED]
    folded = [markdown_cells(point) for point in result.points if point.verdict in FOLDED]
    return document(head, MARKDOWN_TITLES, shown, folded, [f"- {plain(line)}" for line in verdicts.legend(result)])


def markdown_cells(point: PointResult) -> list[str]:
    verdict = point.verdict if point.verdict == NO_REGRESSION else f"**{point.verdict}**"
    *figures, change = verdicts.figures(point)
    return [plain(point.name), verdict, *figures, f"{change} %", str(point.launches)]
