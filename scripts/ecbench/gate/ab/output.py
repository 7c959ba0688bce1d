"""Writes the outcome of a gate ab run to standard output in one format, and to the requested files."""

import argparse
import json
import os
from collections.abc import Iterable
from typing import Any, TextIO

from ecbench.charts.available import require
from ecbench.files.written_files import check_apart, check_writable, write
from ecbench.gate.ab.markdown import summary
from ecbench.gate.ab.table import print_table

Inputs = Iterable[tuple[str, str | os.PathLike | None]]  # pairs of a name and a path, for the files that the gate reads

FILES = ("json", "markdown", "svg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("table", "json", "markdown"), default="table",
                       help="format of standard output: table (default), json (scripts/ecbench/gate/ab/result.schema.json), "
                            "markdown")
    group.add_argument("--json", metavar="FILE", help="also write the outcome to FILE, as JSON")
    group.add_argument("--markdown", metavar="FILE", help="write a summary to FILE, as Markdown; FILE can be "
                                                          "\"$GITHUB_STEP_SUMMARY\"")
    group.add_argument("--svg", metavar="FILE", help="write the forest plot to FILE")


def check(arguments: argparse.Namespace, others: dict[str, str | os.PathLike | None] | None = None,
          inputs: Inputs = ()) -> None:
    """Throws Refused if an output file cannot be written, or if it is one of the `inputs`. `others`: the other output files of the
    gate, as option → path."""
    files = {f"--{name}": getattr(arguments, name) for name in FILES}
    check_writable(files, others)
    check_apart([*files.items(), *(others or {}).items()], inputs)
    if arguments.svg is not None:
        require("the forest plot of --svg")


def show(result: dict[str, Any], arguments: argparse.Namespace, out: TextIO) -> None:
    """Prints the outcome to `out`, and writes the requested files. Throws OSError if `out` cannot be written, and Refused if a
    file cannot be written."""
    if arguments.format == "json":
        out.write(as_json(result))
    elif arguments.format == "markdown":
        out.write(summary(result))
    else:
        print_table(result, out)
    out.flush()
    if arguments.svg is not None:
        from ecbench.gate.ab.forest import forest
        write("--svg", arguments.svg, forest(result))
    if arguments.json is not None:
        write("--json", arguments.json, as_json(result))
    if arguments.markdown is not None:
        write("--markdown", arguments.markdown, summary(result))


def as_json(result: dict[str, Any]) -> str:
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"
