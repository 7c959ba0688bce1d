"""Makes the HTML page and its Markdown summary. For this, it fills the templates with the findings, the charts and the tables."""

import functools
import html
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jinja2
from ecbench.charts.page import render, templates_of
from ecbench.report import findings, machines, points_table
from ecbench.report.axes import Axes
from ecbench.report.machines import Measured
from ecbench.report.sections import plan_sections
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary
from markupsafe import Markup

FOLDER = pathlib.Path(__file__).parent
SHOWN_HEADLINES, MOST_FINDINGS, MOST_TROUBLES = 24, 200, 20
SUMMARY_LENGTH = 65000  # maximum number of characters; GitHub limits the length of comments on pull requests


class Report:
    """page() draws the charts, which takes seconds, and calls advance() after each of the `panels` panels."""

    def __init__(self, runs: Sequence[Run], summaries_of_runs: Sequence[list[PointSummary]], axes: Axes | None = None) -> None:
        """Throws Refused for an axis that cannot be used; see axes.check()."""
        self._measured = machines.measured_runs(runs, summaries_of_runs)
        self._works = plan_sections(self._measured, axes or Axes())
        self._words = self._gather()

    @property
    def panels(self) -> int:
        return sum(work.panels for work in self._works)

    def page(self, data_name: str, advance: Callable[[], None]) -> str:
        sections = [work.draw(advance) for work in self._works]
        for section in sections:
            section.groups[:] = [[replace(panel, svg=Markup(panel.svg)) for panel in group] for group in section.groups]
        several = len(self._measured) > 1
        return render(
            FOLDER / "page.html.j2", mode="report", **self._words,
            sections=sections, shown=SHOWN_HEADLINES, data_name=data_name,
            most_findings=MOST_FINDINGS, columns=points_table.columns(several), table_rows=points_table.html_rows(self._measured),
            points=sum(len(measured.entries) for measured in self._measured), data=points_table.raw_data(self._measured),
            files=[measured.run.path for measured in self._measured], script=Markup((FOLDER / "page.js").read_text("utf-8")))

    def summary(self) -> str:
        """The Markdown summary. If it is too long, its tables get fewer rows."""
        template = summary_template()
        most = 200
        while True:
            text = template.render(**self._words, most=most)
            if len(text) < SUMMARY_LENGTH or most == 0:
                return text[:SUMMARY_LENGTH - 1]
            most //= 2

    def _verdict(self, found: Sequence[findings.PacketsizeFinding]) -> str:
        """The verdict on packetsize 3072, for each machine."""
        if len(self._measured) == 1:
            return findings.advised_verdict(found)
        verdicts = ((measured.label, findings.advised_verdict([one for one in found if one.machine == measured.label]))
                    for measured in self._measured)
        return " ".join(f"{label}: {verdict}" for label, verdict in verdicts if verdict)

    def _gather(self) -> dict[str, Any]:
        found = findings.packetsize_findings(self._measured)
        headers = [measured.run.header for measured in self._measured]
        return {
            "several": len(self._measured) > 1, "names": [measured.name for measured in self._measured],
            "title": " and ".join(dict.fromkeys(header.run for header in headers)),
            "lead": "; ".join(lead(measured) for measured in self._measured) + ".",
            "answer": " ".join(findings.answer_sentence(measured, measured.name) for measured in self._measured),
            "is_void": any(measured.run.wrong_bytes() for measured in self._measured),
            "troubles": [(measured.label, cut(lines)) for measured in self._measured if (lines := machines.troubles(measured))],
            "headlines": findings.headlines(self._measured), "findings": found, "verdict": self._verdict(found),
            "environment": machines.environment_table(self._measured)}


def lead(measured: Measured) -> str:
    header = measured.run.header
    return (f"{len(measured.entries)} points on {measured.name}, measurements of each point: {header.repetitions}, started "
            f"{header.started[:16].replace('T', ' ')} UTC, host {header.host}")


def cut(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_TROUBLES
    return lines if more <= 0 else [*lines[:MOST_TROUBLES], f"And {more} more."]


@functools.cache
def summary_template() -> jinja2.Template:
    templates = templates_of(FOLDER, autoescape=False)
    templates.filters["cell"] = markdown_text
    return templates.get_template("summary.md.j2")


def markdown_text(value: object) -> str:
    return html.escape(str(value), quote=False).replace("|", "\\|").replace("\n", " ")
