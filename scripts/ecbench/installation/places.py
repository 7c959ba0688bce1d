"""The paths of the parts of this ecbench. In a clone, each part has a fixed path below the root of the sources. An installed
ecbench has a file installed.json, which CMake writes. This file contains the paths of the parts, relative to the directory of the
file."""

import json
import os
import pathlib
import re
from collections.abc import Sequence
from typing import Any

_ROOT = pathlib.Path(__file__).resolve().parents[3]
_MARK = _ROOT / "installed.json"
_INSTALLED: dict[str, Any] | None = json.loads(_MARK.read_text("utf-8")) if _MARK.exists() else None


def _installed(name: str) -> pathlib.Path | None:
    """The path of a part in installed.json; None in a clone. Uses normpath() instead of resolve(), so that symbolic links
    in the path are not resolved."""
    return pathlib.Path(os.path.normpath(_ROOT / _INSTALLED[name])) if _INSTALLED else None


SOURCE = None if _INSTALLED else _ROOT  # the root of the sources; None if this ecbench is installed and cannot compile anything
SCRIPTS = _ROOT / "scripts"
EXPERIMENTS = SCRIPTS / "experiments"
WORKLOADS = _ROOT / ("workloads.inc" if _INSTALLED else "src/benchmark/workloads/workloads.inc")
PROGRAM = _installed("program") or _ROOT / "build" / "ecbench"
OWN_BUILD = _installed("prefix") or PROGRAM.parent  # directory of this ecbench and its plugins; a gate can use it as a side
PAGE_FOLDER = _ROOT / ("page" if _INSTALLED else "build/page")  # virtual environment with the chart library
IS_BUNDLE = bool(_INSTALLED and _INSTALLED.get("bundle"))  # a bundle contains its own Python without further packages
FRONT = "ecbench" if _INSTALLED else "bench.sh"  # the command whose first argument is a mode
FRONT_PROGRAM = PROGRAM if _INSTALLED else _ROOT / "bench.sh"
HOW_TO_GET = "install ecbench again" if _INSTALLED else "build it with make"  # the advice if the program is missing
# The end of a message that begins with the path of the program.
NOT_A_PROGRAM = f"is not an executable file; {HOW_TO_GET}, or name another program with --ecbench PATH"


def version() -> str:
    """The version of ecbench. In a clone, it is in CMakeLists.txt."""
    if _INSTALLED:
        return str(_INSTALLED["version"])
    found = re.search(r"^project\(ecbench VERSION ([0-9.]+)", (_ROOT / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else "0"


def command(words: str) -> str:
    """The command that a user types to run a mode. `words`: the mode and its arguments."""
    return f"{'./' if SOURCE else ''}{FRONT} {words}"


def as_called(text: str) -> str:
    """Replaces bench.sh in `text` by FRONT, the command that runs modes in this clone or installation. Does not replace ./bench.sh,
    which always means the script in a clone."""
    return re.sub(r"(?<!\./)bench\.sh", FRONT, text)


def how_to_install_charts() -> str:
    if SOURCE:
        return "scripts/install-deps.sh report installs it"
    if IS_BUNDLE:
        return "use an ecbench that is installed as a package, or a clone"
    return f"install it by: python3 -m venv {PAGE_FOLDER} && {PAGE_FOLDER}/bin/pip install vl-convert-python==1.9.0.post1"


# What bench.sh installs and builds before it starts a mode. A mode that needs something else than MEASURING has a function
# needs(words) in its program. It returns steps: `install [PURPOSE]` (scripts/install-deps.sh), `build TARGET` (make), or `try
# TARGET` if the mode can run without what cannot be built. `wait` is the wait for other measurements, which a build would
# disturb.

INSTALL, CHARTS, WAIT, BUILD = "install", "install report", "wait", "build all"
MEASURING = (INSTALL, WAIT, BUILD)
MEASURES_NOTHING = ("--dry-run", "--counts-only", "--runs")  # a mode with one of these options does not wait


def given(words: Sequence[str], *options: str) -> bool:
    """Whether one of the options is among the words before `--`."""
    own = words[:words.index("--")] if "--" in words else words
    return any(word == option or word.startswith(f"{option}=") for word in own for option in options)


def charts() -> list[str]:
    """The step of a mode that writes a page."""
    return [] if os.environ.get("ECBENCH_INSTALL") == "no" else [CHARTS]


def with_charts(words: Sequence[str], option: str) -> list[str]:
    """The needs of a measuring mode that draws charts only with this option."""
    return [INSTALL, *(charts() if given(words, option) else []), WAIT, BUILD]
