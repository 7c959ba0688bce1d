"""The page of a run: one self-contained HTML file with charts, all tables, and the figures as JSON."""

import os
import pathlib
from typing import TYPE_CHECKING

from ecbench.charts.page_file import PageFile
from ecbench.contenders import document, tables, ways
from ecbench.contenders.results import CaseResult, Results
from ecbench.contenders.versions import version_lines
from ecbench.installation.places import FRONT
from ecbench.point.point import bytes_text

if TYPE_CHECKING:
    from ecbench.charts.speeds_chart import Line

FOLDER = pathlib.Path(__file__).parent
MODE = "contenders"


def file_of(run_path: str | os.PathLike) -> PageFile:
    return PageFile(MODE, None, run_path, "--output")


def text_of(results: Results) -> str:
    from ecbench.charts.drawing import Looks
    from ecbench.charts.page import render, script_data
    from ecbench.charts.speeds_chart import draw
    from markupsafe import Markup

    header, looks = results.run.header, Looks(results.libraries)
    troubles = [*results.wrong_bytes_lines(), *results.run.notes, *header.environment.unfit, *header.left_out]
    charts = [(title, Markup(draw(title, list(map(line_of, cases)), looks))) for title, cases in results.by_table().items()]
    data = script_data("[" + ",\n".join(document.lines(results)) + "]")
    return render(FOLDER / "page.html.j2", mode=MODE, title=results.run.name, results=results,
                  answer=results.answer, is_void=bool(results.wrong_bytes),
                  charts=charts, tables=tables, ways=ways, troubles=[("", troubles)] if troubles else [],
                  environment=environment_rows(results), data=data)


def line_of(result: CaseResult) -> "Line":
    from ecbench.charts.speeds_chart import Line, Mark
    return Line(f"{result.case.shape}  {bytes_text(result.case.size)}", str(result.case),
                [Mark(name, result.libraries.candidates[name].speed.median) for name in result.selection.order],
                result.limit.speed.median if result.limit else None)


def environment_rows(results: Results) -> list[tuple[str, list[str]]]:
    header = results.run.header
    cpu, system = header.environment.cpu, header.environment.system
    command = (f"{FRONT} {header.grid} --rounds {results.rounds} --min-time {header.options.min_time:g} "
               f"--seed {header.seed}")
    return [*((title, [text]) for title, text in version_lines(results.run, results.entries)),
            ("CPU", [f"{header.machine.cpu}, {' '.join(cpu.flags)}"]),
            ("Kernel, libc", [f"{system.kernel_release}, {system.libc}"]), ("Command", [command])]
