"""The chart library: vl-convert-python, which contains Vega and Vega-Lite. Only pages and pictures need it.
scripts/install-deps.sh report installs it; without it, modes print text and JSON."""

import contextlib
import gzip
import json
import os
import pathlib
import re
import sys
from collections.abc import Callable
from types import ModuleType

from ecbench.documents.document import Json
from ecbench.files.written_files import check_apart, check_replaceable, write_all
from ecbench.installation.places import FRONT, PAGE_FOLDER, how_to_install_charts
from ecbench.page import html
from ecbench.page.block import Page
from ecbench.terminal.console import Refused, say

SNIPPET = "window.vegaEmbed = vegaEmbed;"
BUNDLE = "vega.js.gz"  # made once, because that takes seconds


class NoPage(Refused):
    """A page cannot be made on this machine."""


def library() -> ModuleType:
    """Throws NoPage."""
    for folder in PAGE_FOLDER.glob("lib/python3*/site-packages"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    try:
        import vl_convert
    except (ImportError, OSError, SyntaxError) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "vl_convert"
        why = "vl-convert-python is not installed" if missing else f"vl-convert-python cannot be loaded ({first_line(error)})"
        raise NoPage(f"the page cannot be made: {why}; {how_to_install_charts()}") from error
    return vl_convert


def javascript() -> bytes:
    """Vega, Vega-Lite and vega-embed, compressed with gzip."""
    found = PAGE_FOLDER / BUNDLE
    with contextlib.suppress(OSError):
        return found.read_bytes()
    content = gzip.compress(str(called("javascript_bundle", SNIPPET)).encode(), mtime=0)
    with contextlib.suppress(OSError):
        if PAGE_FOLDER.is_dir():
            temporary = found.with_name(f".{BUNDLE}.{os.getpid()}")
            temporary.write_bytes(content)
            temporary.replace(found)
    return content


def svg(spec: Json) -> str:
    return re.sub(r'\s(xmlns:xlink="[^"]*"|version="1.1")', "", str(called("vegalite_to_svg", json.dumps(spec))))


def png(spec: Json, scale: float = 1) -> bytes:
    made = called("vegalite_to_png", json.dumps(spec), scale=scale)
    assert isinstance(made, bytes)
    return made


def called(name: str, *arguments: object, **options: object) -> object:
    """Throws NoPage."""
    module = library()
    try:
        return getattr(module, name)(*arguments, **options)
    except (ValueError, RuntimeError, OSError, AttributeError) as error:
        why = f"vl-convert-python fails ({first_line(error)})"
        raise NoPage(f"the page cannot be made: {why}; {how_to_install_charts()}") from error


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


# The page that a mode writes in addition to its text. The user can give its path; otherwise, it is next to the run file.

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
