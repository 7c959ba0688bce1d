"""The chart of packetsize_profile.py: for each point, a bar for each packetsize, divided into classes of functions."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated

from ecbench.documents.document import Json
from ecbench.page import charts
from ecbench.page.block import Block, Chart, Column, Form, Kind
from ecbench.profile import class_rules
from ecbench.profile.bar import Bar

WIDTH = 560  # pixels


@dataclasses.dataclass(frozen=True)
class ClassRow:
    """The instructions of a class of functions."""

    code: Annotated[str, Column(title="Packetsize")]
    instructions: Annotated[float, Column(title="instructions per byte of the object", form=Form.FIGURE)]
    kind: Annotated[str, Column(title="Class")]
    text: Annotated[str, Column()]


CHART = Chart(Kind.BARS, "", "instructions", text="text", colour="kind")


def spec(panels: Mapping[str, Sequence[Bar]], kinds: Sequence[str]) -> Json:
    """`panels`: title → bars."""
    return {"config": charts.config(is_dark=False), "background": "white",
            "title": "Instructions per byte of the object for each packetsize (callgrind)",
            "vconcat": [{**panel(bars, kinds), "title": title} for title, bars in panels.items()]}


def panel(bars: Sequence[Bar], kinds: Sequence[str]) -> Json:
    rows = [ClassRow(f"packetsize {bar.packetsize}", bar.ir_per_byte * bar.classes.get(name, 0) / 100, class_rules.PHRASES[name],
                     f"{bar.ir_per_byte:.2f}" if name == kinds[0] else "") for bar in bars for name in kinds]
    made = charts.picture(Block("", "", ClassRow, rows, [CHART]), CHART, rows, WIDTH)
    return {key: value for key, value in made.items() if key not in ("config", "autosize", "padding")}
