"""The page of a plan: one HTML file without references to others."""

import os
import pathlib

from ecbench.charts import available
from ecbench.files.written_files import check_apart, check_replaceable, write_all
from ecbench.installation.places import FRONT
from ecbench.plan import json_document
from ecbench.plan.result import Result
from ecbench.plan.tables import tables
from ecbench.runfile.run_file import Run

FOLDER = pathlib.Path(__file__).parent
MARK = '<meta name="generator" content="ecbench plan">'
PROGRAM = f"{FRONT} plan"


class PageFile:
    """`path`: the one that was given, or None. Then the page is next to the run, if there is one."""

    def __init__(self, path: str | None, run_path: str | os.PathLike[str] | None):
        self._given = pathlib.Path(path) if path else None
        self._run_path = pathlib.Path(run_path) if run_path else None

    def check(self) -> None:
        """Throws Refused if the page cannot be drawn or written."""
        if self._given:
            available.require("the page", "jinja2")
            check_apart([("--page", self._given)], [("the run", self._run_path)])
        if path := self._path(self._run_path):
            check_replaceable(path, MARK, PROGRAM)

    def write(self, result: Result, run: Run | None) -> pathlib.Path | None:
        """Its path; None if none is asked for, or without matplotlib and jinja2. Throws Refused."""
        path = self._path(run.path if run else None)
        if path is None or available.missing("jinja2"):
            return None
        check_replaceable(path, MARK, PROGRAM)
        write_all({path: text_of(result)})
        return path

    def _path(self, run_path: pathlib.Path | None) -> pathlib.Path | None:
        return self._given or (run_path.with_name(f"{run_path.stem}-page.html") if run_path else None)


def text_of(result: Result) -> str:
    from ecbench.charts.page import render
    from ecbench.plan.chart import draw
    from markupsafe import Markup

    cluster = result.request.cluster
    data = json_document.text(result).replace("<", "\\u003c")
    return render(FOLDER / "page.html.j2", has_dark_form=True, mode="plan", result=result, tables=tables(result),
                  troubles=[], is_void=False,
                  title=f"Plan for {cluster.hosts} hosts with {cluster.drives} drives each",
                  charts=[(title, Markup(svg)) for title, svg in draw(result)], data=Markup(data))
