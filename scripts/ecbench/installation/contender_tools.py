"""Finds contenders and the tools that build them. A contender is a plugin for a library in another language, or for an installed
Ceph. Its directory has one of three files: go.mod (the build needs go), Cargo.toml (cargo) or needs.txt. Each line of needs.txt
names a file and the Debian package that contains it."""

import os
import pathlib
import re
import shutil
import subprocess

HOW_TO_GET = {"go": "install Go from https://go.dev/dl, or Debian's golang-go if it is new enough",
              "cargo": "install Rust from https://rustup.rs, or Debian's cargo if it is new enough"}


def contender_folders(plugins: pathlib.Path) -> list[pathlib.Path]:
    return sorted({path.parent for name in ("go.mod", "Cargo.toml", "needs.txt") for path in plugins.glob(f"*/{name}")})


def missing_packages(folder: pathlib.Path) -> list[str]:
    """The packages of the files in needs.txt that do not exist. Tests set ECBENCH_SYSROOT to a directory that replaces /."""
    lines = (line.split() for line in (folder / "needs.txt").read_text("utf-8").splitlines() if line.startswith("/"))
    return [package for file, package in lines if not os.path.isfile(os.environ.get("ECBENCH_SYSROOT", "") + file)]


def version(text: str) -> str:
    found = re.search(r"[0-9]+(\.[0-9]+)+", text)
    return found[0] if found else ""


def tool_of(folder: pathlib.Path) -> tuple[str, str]:
    """The tool that builds the contender, and its least version."""
    tool, file, word = ("go", "go.mod", "go") if (folder / "go.mod").exists() else ("cargo", "Cargo.toml", "rust-version")
    line = re.search(rf"^{word}\b.*", (folder / file).read_text("utf-8"), re.MULTILINE)
    return tool, version(line[0]) if line else ""


def version_of(tool: str, folder: pathlib.Path) -> str:
    """The version that the tool has in this directory: go.mod and a toolchain file of Rust can change it."""
    try:
        printed = subprocess.run(["go", "env", "GOVERSION"] if tool == "go" else ["cargo", "--version"], cwd=folder, text=True,
                                 capture_output=True, check=True, errors="replace", env={**os.environ, "GOTOOLCHAIN": "local"})
    except (OSError, subprocess.CalledProcessError):
        return ""
    return version(printed.stdout)


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


def how_to_get(folder: pathlib.Path) -> str:
    packages = missing_packages(folder) if (folder / "needs.txt").exists() else []
    return f"install {' '.join(packages)}" if packages else HOW_TO_GET[tool_of(folder)[0]]
