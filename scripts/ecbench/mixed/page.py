"""The page of a run of mixed: one HTML file without references to other files."""

import pathlib
from collections.abc import Sequence

from ecbench.mixed.request import Request
from ecbench.mixed.result import CodeResult
from ecbench.mixed.tables import NAMES, document_text, doubling_text, table, warnings_of
from ecbench.runfile.run_file import Run

FOLDER = pathlib.Path(__file__).parent


def text_of(request: Request, results: Sequence[CodeResult], run: Run) -> str:
    from ecbench.charts.page import render, script_data
    from ecbench.mixed.chart import draw
    from markupsafe import Markup

    data = script_data(document_text(request, list(results), run))
    is_void = any(result.doubling.why for result in results)
    troubles = [(result.label, lines) for result in results if (lines := warnings_of(result))]
    return render(FOLDER / "page.html.j2", mode="mixed",
                  title=f"Client operations during {NAMES[request.background][1]}", names=NAMES[request.background],
                  request=request, run=run, troubles=troubles, is_void=is_void, data=data,
                  charts=[(title, Markup(svg)) for title, svg in draw(results)],
                  tables=[(result, table(result), doubling_text(result.doubling, result.background)) for result in results])
