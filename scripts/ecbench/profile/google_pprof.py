"""Draws a CPU profile with google-pprof. The options --focus, --ignore, --svg and --gv are passed to google-pprof."""

import argparse
import os
import shutil

from ecbench.process.children import Child
from ecbench.profile.folder import Folder
from ecbench.profilers.subject import Subject, run_checked
from ecbench.terminal.console import Refused


def is_wanted(arguments: argparse.Namespace) -> bool:
    return arguments.gv or any(value is not None for value in (arguments.focus, arguments.ignore, arguments.svg))


def check(arguments: argparse.Namespace) -> None:
    """Checks that google-pprof and the programs that it calls are installed. google-pprof does not always report a missing
    program."""
    if not shutil.which("google-pprof"):
        raise Refused("google-pprof is not installed: install the package google-perftools")
    if (arguments.svg is not None or arguments.gv) and not shutil.which("dot"):
        raise Refused("google-pprof needs the program dot for drawings, and dot is not installed: install the package graphviz")
    if arguments.gv and not shutil.which("gv"):
        raise Refused("google-pprof --gv needs the program gv, which is not installed: install the package gv, or use --svg")


def draw(arguments: argparse.Namespace, subject: Subject, folder: Folder, child: Child) -> list[str]:
    """Draws the profile, and returns lines for stdout."""
    words = ["google-pprof"] + [f"--{name}={value}" for name, value in (("focus", arguments.focus), ("ignore", arguments.ignore))
                                if value is not None]
    profile = [subject.command[0], folder.final("cpu.prof")]
    lines = []
    if arguments.svg is not None:
        path = arguments.svg or folder.added("pprof.svg")
        drawing = run_checked([*words, "--svg", *profile], child, False, "google-pprof")[0]
        if "<svg" not in drawing:
            raise Refused("google-pprof drew nothing, because --focus and --ignore exclude all functions; change these options or "
                          "leave them out")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawing)
        except OSError as error:
            raise Refused(f"cannot write {path}: {error.strerror}") from error
        lines.append(f"call graph, drawn by google-pprof: {os.path.abspath(path)}")
    if arguments.gv:
        run_checked([*words, "--gv", *profile], child, False, "google-pprof")
    if not lines and not arguments.gv:
        text = run_checked([*words, "--text", *profile], child, False, "google-pprof")[0]
        lines += ["output of google-pprof --text (in a stripped library, a function without a symbol is shown under the name of "
                  "the symbol before it):",
                  *text.splitlines()]
    return lines
