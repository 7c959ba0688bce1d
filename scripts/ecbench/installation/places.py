"""The paths of the parts of this ecbench, and what it installs and builds. In a clone, each part has a fixed path below the root of
the sources. An installed ecbench has a file installed.json, which CMake writes. This file contains the paths of the parts, relative
to the directory of the file."""

import json
import os
import pathlib
import re
import shutil
import subprocess
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


# Contenders and the tools that build them. A contender is a plugin for a library in another language, or for an installed Ceph.
# Its directory has one of three files: go.mod (the build needs go), Cargo.toml (cargo) or needs.txt. Each line of needs.txt names a
# file and the Debian package that contains it.

TOOLS_OF = {"go": "install Go from https://go.dev/dl, or Debian's golang-go if it is new enough",
            "cargo": "install Rust from https://rustup.rs, or Debian's cargo if it is new enough"}


def contender_folders(plugins: pathlib.Path) -> list[pathlib.Path]:
    return sorted({path.parent for name in ("go.mod", "Cargo.toml", "needs.txt") for path in plugins.glob(f"*/{name}")})


def missing_packages(folder: pathlib.Path) -> list[str]:
    """The packages of the files in needs.txt that do not exist. Tests set ECBENCH_SYSROOT to a directory that replaces /."""
    lines = (line.split() for line in (folder / "needs.txt").read_text("utf-8").splitlines() if line.startswith("/"))
    return [package for file, package in lines if not os.path.isfile(os.environ.get("ECBENCH_SYSROOT", "") + file)]


def number_in(text: str) -> str:
    found = re.search(r"[0-9]+(\.[0-9]+)+", text)
    return found[0] if found else ""


def tool_of(folder: pathlib.Path) -> tuple[str, str]:
    """The tool that builds the contender, and its least version."""
    tool, file, word = ("go", "go.mod", "go") if (folder / "go.mod").exists() else ("cargo", "Cargo.toml", "rust-version")
    line = re.search(rf"^{word}\b.*", (folder / file).read_text("utf-8"), re.MULTILINE)
    return tool, number_in(line[0]) if line else ""


def version_of(tool: str, folder: pathlib.Path) -> str:
    """The version that the tool has in this directory: go.mod and a toolchain file of Rust can change it."""
    try:
        printed = subprocess.run(["go", "env", "GOVERSION"] if tool == "go" else ["cargo", "--version"], cwd=folder, text=True,
                                 capture_output=True, check=True, errors="replace", env={**os.environ, "GOTOOLCHAIN": "local"})
    except (OSError, subprocess.CalledProcessError):
        return ""
    return number_in(printed.stdout)


def why_not(folder: pathlib.Path) -> str:
    """Why the contender cannot be built on this machine. Empty if it can be built."""
    if (folder / "needs.txt").exists():
        return "it needs files of Debian packages that are not installed" if missing_packages(folder) else ""
    tool, least = tool_of(folder)
    if not shutil.which(tool):
        return f"it needs {tool} {least} or later, but no {tool} is on PATH"
    found = version_of(tool, folder)
    if not found:
        return f"the {tool} on PATH fails or prints no version"
    is_too_old = [int(part) for part in found.split(".")] < [int(part) for part in least.split(".")]
    return f"it needs {tool} {least} or later, but {found} is installed" if is_too_old else ""


def how_to_build(folder: pathlib.Path) -> str:
    packages = missing_packages(folder) if (folder / "needs.txt").exists() else []
    return f"install {' '.join(packages)}" if packages else TOOLS_OF[tool_of(folder)[0]]
