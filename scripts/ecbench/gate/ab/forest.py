"""The forest plot of a gate ab run: the ratio and the interval of each point."""

import dataclasses
from typing import Annotated

from ecbench.gate.ab import wording
from ecbench.gate.ab.result import WORST_FIRST, Result
from ecbench.page import charts, library
from ecbench.page.block import Block, Chart, Column, Form, Kind

WIDTH = 900  # pixels


@dataclasses.dataclass(frozen=True)
class Row:
    code: Annotated[str, Column(title="Point")]
    ratio: Annotated[float, Column(title="speed of NEW / speed of OLD", form=Form.RATIO)]
    low: Annotated[float | None, Column(form=Form.RATIO)]
    high: Annotated[float | None, Column(form=Form.RATIO)]
    verdict: Annotated[str, Column(title="Verdict")]
    text: Annotated[str, Column()]


def forest(result: Result) -> str:
    """The plot as the text of an SVG file. Throws NoPage."""
    rows = [Row(point.name, point.ratio, point.low, point.high, point.verdict, f"{point.ratio:.3f} ({wording.interval(point)})")
            for point in result.points]
    chart = Chart(Kind.RATIOS, "Ratios", "ratio", "low", "high", text="text", colour="verdict", colours=WORST_FIRST)
    old, new = wording.sides(result)
    title = {"text": wording.outcome(result), "subtitle": f"{old} → {new}; threshold {result.threshold_percent:g} %",
             "anchor": "start", "frame": "bounds"}
    spec = charts.picture(Block("", "", Row, rows, [chart]), chart, rows, WIDTH)
    return library.svg({**spec, "background": "white", "title": title, "description": wording.outcome(result)})
