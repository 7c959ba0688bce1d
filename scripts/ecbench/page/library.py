"""The chart library: vl-convert-python, which contains Vega and Vega-Lite. Only pages and pictures need it.
scripts/install-deps.sh report installs it; without it, modes print text and JSON."""

import contextlib
import gzip
import json
import os
import re
import sys
from types import ModuleType

from ecbench.documents.document import Json
from ecbench.installation.places import PAGE_FOLDER, how_to_install_charts
from ecbench.terminal.console import Refused

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
