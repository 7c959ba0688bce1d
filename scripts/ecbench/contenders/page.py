"""The page of a run: one self-contained HTML file with charts, all tables, and the figures as JSON."""

import os
import pathlib

from ecbench.charts import available
from ecbench.contenders import json_lines, tables
from ecbench.contenders.answer import sentence
from ecbench.contenders.results import Results
from ecbench.contenders.versions import version_lines
from ecbench.files.written_files import check_apart, check_replaceable, write_all
from ecbench.installation.places import FRONT

FOLDER = pathlib.Path(__file__).parent
MARK = '<meta name="generator" content="ecbench contenders">'
PROGRAM = f"{FRONT} contenders"


class PageFile:
    """The HTML file of a run. It is in the directory of the run file. Its name differs from the default name of the page that
    bench.sh report writes."""

    def __init__(self, run_path: str | os.PathLike) -> None:
        self._run_path = pathlib.Path(run_path)
        self.path = self._run_path.with_name(f"{self._run_path.stem}-page.html")

    def check(self) -> None:
        """Throws Refused if the page would overwrite the run file, or a file that bench.sh contenders did not write."""
        check_apart([("the page", self.path)], [("the run", self._run_path)])
        check_replaceable(self.path, MARK, PROGRAM)

    def write(self, results: Results) -> pathlib.Path | None:
        """Writes the page and returns its path. Returns None if matplotlib or jinja2 is not installed. This is not an error: a
        missing package must not make a run of an hour fail. Throws Refused."""
        if available.missing("jinja2"):
            return None
        self.check()
        write_all({self.path: text_of(results)})
        return self.path


def text_of(results: Results) -> str:
    from ecbench.charts.drawing import Looks
    from ecbench.charts.page import render, script_data
    from ecbench.contenders.chart import draw
    from markupsafe import Markup

    header, looks = results.run.header, Looks(results.libraries)
    troubles = [*results.wrong_bytes_lines(), *results.run.notes, *header["environment"]["unfit"], *header.get("left_out", [])]
    charts = [(title, Markup(draw(title, cases, looks))) for title, cases in results.by_table().items()]
    data = script_data("[" + ",\n".join(json_lines.lines(results)) + "]")
    return render(FOLDER / "page.html.j2", has_dark_form=True, mode="contenders", title=results.run.name, results=results,
                  answer=sentence(results), is_void=bool(results.wrong_bytes),
                  charts=charts, tables=tables, troubles=[("", troubles)] if troubles else [],
                  environment=environment_rows(results), data=data)


def environment_rows(results: Results) -> list[tuple[str, list[str]]]:
    header = results.run.header
    cpu, system = header["environment"]["cpu"], header["environment"].get("system", {})
    command = (f"{FRONT} {header['grid']} --rounds {results.rounds} --min-time {header['options']['min_time']:g} "
               f"--seed {header['seed']}")
    return [*((title, [text]) for title, text in version_lines(results.run, results.entries)),
            ("CPU", [f"{header['machine']['cpu']}, {' '.join(cpu.get('flags', []))}"]),
            ("Kernel, libc", [f"{system.get('kernel_release')}, {system.get('libc')}"]), ("Command", [command])]
