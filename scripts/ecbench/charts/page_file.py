"""The file of a mode's HTML page. The user names this file, or it is next to the run file."""

import os
import pathlib
from collections.abc import Callable

from ecbench.charts import available
from ecbench.files.written_files import check_apart, check_replaceable, write_all
from ecbench.installation.places import FRONT


class PageFile:
    """`path`: the file that the user named. If `path` is None, the page is written next to the run file. If there is no run file
    either, no page is written."""

    def __init__(self, mode: str, path: str | None, run_path: str | os.PathLike[str] | None):
        self._mark = f'<meta name="generator" content="ecbench {mode}">'
        self._program = f"{FRONT} {mode}"
        self._given = pathlib.Path(path) if path else None
        self._run_path = pathlib.Path(run_path) if run_path else None

    def check(self) -> None:
        """Throws Refused if a page that the user named cannot be drawn, or if the page would overwrite a file that is not a page of
        this mode."""
        if self._given:
            available.require("the page", "jinja2")
            check_apart([("--page", self._given)], [("the run", self._run_path)])
        if path := self._path(self._run_path):
            check_replaceable(path, self._mark, self._program, "--page")

    def write(self, run_path: pathlib.Path | None, text: Callable[[], str]) -> pathlib.Path | None:
        """Writes the page and returns its path. Returns None if no page is requested, or if matplotlib or jinja2 is not installed.
        Throws Refused."""
        path = self._path(run_path)
        if path is None or available.missing("jinja2"):
            return None
        check_replaceable(path, self._mark, self._program, "--page")
        write_all({path: text()})
        return path

    def _path(self, run_path: pathlib.Path | None) -> pathlib.Path | None:
        return self._given or (run_path.with_name(f"{run_path.stem}-page.html") if run_path else None)
