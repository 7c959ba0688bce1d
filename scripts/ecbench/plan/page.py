"""The page of a plan: one HTML file that needs no other file."""

import pathlib

from ecbench.plan import document
from ecbench.plan.result import Result
from ecbench.plan.tables import tables

FOLDER = pathlib.Path(__file__).parent


def text_of(result: Result) -> str:
    from ecbench.charts.page import render, script_data
    from ecbench.plan.chart import draw
    from markupsafe import Markup

    cluster = result.request.cluster
    return render(FOLDER / "page.html.j2", mode="plan", result=result, tables=tables(result),
                  troubles=[], is_void=False,
                  title=f"Plan for {cluster.hosts} hosts with {cluster.drives} drives each",
                  charts=[(title, Markup(svg)) for title, svg in draw(result)],
                  data=script_data(document.text(result)))
