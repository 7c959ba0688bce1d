"""The page that a mode writes in addition to its text. The user can give its path; otherwise, it is next to the run file."""

import os
import pathlib
from collections.abc import Callable

from ecbench.files.written_files import check_apart, check_replaceable, write_all
from ecbench.installation.places import FRONT
from ecbench.page import html
from ecbench.page.block import Page
from ecbench.page.library import NoPage
from ecbench.terminal.console import Refused, say


class PageFile:
    """`path`: that the user gave; without it and without a run file, no page is written."""

    def __init__(self, mode: str, path: str | None, run_path: str | os.PathLike[str] | None):
        self._mark = f'<meta name="generator" content="ecbench {mode}">'
        self._program = f"{FRONT} {mode}"
        self._given = pathlib.Path(path) if path else None
        self._run_path = pathlib.Path(run_path) if run_path else None

    def check(self) -> None:
        """Throws Refused if the given path does not end in .html, or if the page would overwrite the run file, or a file that is
        not a page of this mode."""
        if self._given:
            if self._given.suffix != ".html":
                raise Refused(f"--page {self._given} is not allowed; give a name that ends in .html")
            check_apart([("--page", self._given)], [("the run", self._run_path)])
        if path := self.path_of(self._run_path):
            check_replaceable(path, self._mark, self._program, "--page")

    def write(self, run_path: pathlib.Path | None, make: Callable[[], Page]) -> pathlib.Path | None:
        """Writes the page and returns its path; None if it has no path or, after one line, if it cannot be made. Throws Refused if
        it cannot be written."""
        path = self.path_of(run_path)
        if path is None:
            return None
        check_replaceable(path, self._mark, self._program, "--page")
        try:
            content = html.text_of(make(), path)
        except NoPage as no_page:
            say(no_page)
            return None
        write_all({path: content})
        return path

    def path_of(self, run_path: pathlib.Path | None) -> pathlib.Path | None:
        return self._given or (run_path.with_name(f"{run_path.stem}-page.html") if run_path else None)
