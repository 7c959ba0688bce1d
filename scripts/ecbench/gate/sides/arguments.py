"""The arguments of a gate that name its two sides, and the files that it writes."""

import argparse
import json
import os
from collections.abc import Callable, Iterable

from ecbench.documents.document import to_json
from ecbench.files.written_files import check_apart, check_writable, write
from ecbench.gate.sides import sides
from ecbench.gate.sides.sides import Side
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

FILES = ("json", "markdown", "svg", "output")  # svg and output: only of gate ab
OLD_AND_NEW = """\
OLD and NEW can each be
  build directory   with ecbench and plugins/, such as build/
  plugin directory  with libec_*.so, which the ecbench of the other side or of build/ loads
  git revision      built in build-gate/, unless a directory has this name"""


def add_sides(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sides", nargs="*", metavar="OLD NEW")
    add("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
        help="compare the codec libraries in OLD_DIR with those in NEW_DIR (system: the system's)")
    add("--ecbench", metavar="PATH", help="the program that loads plugin directories")


def check_sides(arguments: argparse.Namespace, libraries: str = "--codec-lib") -> None:
    """`libraries`: the options with which OLD and NEW can be left out. Throws Refused."""
    given = len(arguments.sides)
    if given != 2 and (given or not arguments.codec_lib):
        raise Refused(f"gate {arguments.mode} compares two builds, and {given} {'is' if given == 1 else 'are'} given; name OLD and "
                      f"NEW, or two versions of a library with {libraries}")
    for name, folder in zip(("OLD", "NEW"), arguments.codec_lib or ()):
        sides.check_codec_lib(name, folder)


def resolve_sides(arguments: argparse.Namespace, child: Child) -> tuple[Side, Side]:
    """Throws Refused."""
    if arguments.sides:
        old, new = sides.resolve_pair(arguments.sides[0], arguments.sides[1], child, arguments.ecbench)
    else:
        old, new = (sides.own_side(name, arguments.ecbench) for name in ("OLD", "NEW"))
    return sides.with_codec_libs(old, new, arguments.codec_lib, child) if arguments.codec_lib else (old, new)


def add_files(add: Callable[..., object]) -> None:
    """`add`: of a parser, or of a group of options."""
    add("--json", metavar="FILE", help="also write the outcome to FILE, as JSON")
    add("--markdown", metavar="FILE", help="write a summary to FILE, as Markdown; FILE can be \"$GITHUB_STEP_SUMMARY\"")


def check_files(arguments: argparse.Namespace, inputs: Iterable[tuple[str, str | os.PathLike | None]]) -> None:
    """Throws Refused if an output file cannot be written, or is one of the `inputs` (name for messages, path). The record of
    --output is checked when it is opened."""
    files = {f"--{name}": getattr(arguments, name, None) for name in FILES}
    check_writable({option: path for option, path in files.items() if option != "--output"}, files)
    check_apart(files.items(), inputs)


def as_json(result: object) -> str:
    return json.dumps(to_json(result), indent=1, ensure_ascii=False) + "\n"


def write_files(arguments: argparse.Namespace, result: object, markdown: Callable[[], str]) -> None:
    """Writes the files of --json and --markdown, if they are requested."""
    for name, text in (("json", lambda: as_json(result)), ("markdown", markdown)):
        if (path := getattr(arguments, name)) is not None:
            write(f"--{name}", path, text())
