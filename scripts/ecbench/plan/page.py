"""The page of a plan: the profiles as a scatter chart, and all tables."""

import dataclasses
from typing import Annotated

from ecbench.page.block import Block, Chart, Column, Form, Kind, Page, block_of_lines
from ecbench.page.charts import FILLED
from ecbench.plan.outcomes import Outcome
from ecbench.plan.result import Result
from ecbench.plan.tables import lost, tables, time_of


@dataclasses.dataclass(frozen=True)
class PlanRow:
    code: Annotated[str, Column(title="Profile")]
    space: Annotated[float, Column("Bytes stored per byte of the object.", title="stored/byte", form=Form.RATIO)]
    nines: Annotated[float | None, Column("-log10 of the probability that an object is lost in a year.", title="nines/object",
                                          form=Form.FIGURE)]
    network: Annotated[float, Column("Bytes sent per lost byte in a repair.", title="sent/byte", form=Form.RATIO)]
    drive: Annotated[str, Column("Time to rebuild a full drive.", title="drive")]
    survived: Annotated[str, Column("Failure domains and drives that can fail without data loss.", title="can fail")]
    plugin: Annotated[str, Column(title="Plugin", is_filter=True)]
    k: Annotated[int, Column(title="k", form=Form.WHOLE, is_filter=True)]
    m: Annotated[int, Column(title="m", form=Form.WHOLE, is_filter=True)]
    front: Annotated[str, Column("No other profile is better in stored bytes, durability or network traffic, and not worse in the "
                                 "others.", title="Pareto front", is_filter=True)]
    chosen: Annotated[str, Column(title="Recommended")]


def row_of(one: Outcome, result: Result) -> PlanRow:
    profile = one.counted.profile
    return PlanRow(one.name, one.space, one.object_nines, one.counted.repair.network, time_of(one.drive), lost(one), profile.plugin,
                   profile.k, profile.n - profile.k, FILLED if one.name in result.front else "no",
                   FILLED if one.name == result.recommendation.chosen.name else "")


def page_of(result: Result) -> Page:
    cluster, chosen = result.request.cluster, result.recommendation.chosen.name
    charts = [Chart(Kind.SCATTER, "Durability and stored bytes", "nines", x="space", colour="plugin"),
              Chart(Kind.SCATTER, "Network traffic of a repair and stored bytes", "network", x="space", colour="plugin")]
    rows = [row_of(one, result) for one in result.outcomes]
    facts = [*(("Ceph's command", [command]) for command in result.commands),
             *(("What matters most", [change.text(chosen)]) for change in result.sensitivity),
             *(("Assumption", [text + (f" ({words})" if words else "")]) for text, words in result.request.assumptions()),
             *(("Assumption", [note]) for note in result.speed_notes),
             *(("Left out", [f"{one.example}{f' (and {one.count - 1} others)' if one.count > 1 else ''}: {one.why}"])
               for one in result.dropped)]
    return Page("plan", f"Plan for {cluster.hosts} hosts with {cluster.drives} drives each",
                [result.recommendation.sentence, *result.notes, *result.recommendation.changes, *result.details],
                [Block("Comparison of the profiles", "", PlanRow, rows, charts,
                       how="Farther to the left: fewer stored bytes. Filled marks are on the Pareto front."),
                 *(block_of_lines(one.title, [line[1:] for line in one.lines], one.explanation) for one in tables(result))],
                facts=facts)
