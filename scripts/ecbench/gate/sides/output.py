"""Prints and writes the outcome of a gate: its page of blocks as tables or as Markdown for a pull request, its result as JSON."""

import argparse
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO

from ecbench.documents.document import to_json
from ecbench.files.written_files import check_apart, check_writable, write
from ecbench.page.block import Page, markdown
from ecbench.terminal.console import plain, print_columns

FILES = ("json", "markdown", "svg", "output")  # svg and output: only of gate ab


def add_files(add: Callable[..., object]) -> None:
    """`add`: of a parser, or of a group of options."""
    add("--json", metavar="FILE", help="also write the outcome to FILE, as JSON")
    add("--markdown", metavar="FILE", help="write a summary to FILE, as Markdown; FILE can be \"$GITHUB_STEP_SUMMARY\"")


def check_files(arguments: argparse.Namespace, inputs: Iterable[tuple[str, str | os.PathLike | None]]) -> None:
    """Throws Refused if an output file cannot be written, or is one of the `inputs` (name for messages, path)."""
    files = {f"--{name}": getattr(arguments, name, None) for name in FILES}
    check_writable(files)
    check_apart(files.items(), inputs)


def as_json(result: object) -> str:
    return json.dumps(to_json(result), indent=1, ensure_ascii=False) + "\n"


def as_markdown(page: Page) -> str:
    return markdown(page, f"<!-- ecbench {page.mode} -->")


def print_tables(page: Page, out: TextIO, colours: Mapping[str, str]) -> None:
    """The blocks, and below them what the Markdown begins with. `colours`: of the first cell of a row."""
    for block in filter(lambda one: one.rows, page.blocks):
        print_columns(block.titles, block.cells(), out, block.numbers, lambda row: colours.get(row[0]))
        out.write("\n")
    out.writelines(f"{plain(line)}\n" for line in [*(line for _, lines in page.troubles for line in lines), *page.answers])


def show(page: Page, result: object, arguments: argparse.Namespace, out: TextIO, colours: Mapping[str, str]) -> None:
    """Prints the outcome to `out`, and writes the requested files."""
    wanted = getattr(arguments, "format", "table")
    if wanted == "table":
        print_tables(page, out, colours)
    else:
        out.write(as_json(result) if wanted == "json" else as_markdown(page))
    out.flush()
    for name, text in (("json", lambda: as_json(result)), ("markdown", lambda: as_markdown(page))):
        if (path := getattr(arguments, name)) is not None:
            write(f"--{name}", path, text())
