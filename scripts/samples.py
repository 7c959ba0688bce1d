#!/usr/bin/env -S /usr/bin/python3 -E -s
"""samples.py [--check] [PAGE...]: updates the samples in README.md and in the pages of docs/. A sample shows a part of a stored
file, or the output of a command.

In a page, a sample is a comment and the block that follows the comment. The comment has one of these forms:

    <!-- sample: results/docs/FILE.txt [FIRST-LAST,…] -->        lines of a stored file, with a line "…" between the ranges
    <!-- sample: results/MACHINE/FILE.tsv rows N,N columns C -->     column titles and rows of a stored table, first C columns
    <!-- sample: results/MACHINE/FILE.tsv rows N,N columns C,C -->   the same, only these columns
    <!-- sample: $ COMMAND [FIRST-LAST] -->                      the output of a command

Between <!-- columns --> and <!-- end -->, a table contains the columns of --format table (ecbench schema); between
<!-- axes --> or <!-- cells --> and <!-- end -->, the declared axes of points, or cells of an experiment's table.

COMMAND runs in the project's directory, and must not measure. With --check, no page is changed, and the exit code is 1 if a sample
is not up to date. build/ecbench must exist."""

import argparse
import json
import pathlib
import re
import subprocess
import sys

from ecbench.experiment.experiment import CELLS
from ecbench.point.axes import OPTIONS, Axis
from ecbench.terminal.console import columns

ROOT = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = re.compile(r"<!-- sample: (?P<source>.+?)(?: (?P<ranges>[0-9]+-[0-9]+(?:,[0-9]+-[0-9]+)*))? -->\n"
                    r"(?:\n?```text\n.*?\n```\n)?", re.DOTALL)

GENERATED = re.compile(r"<!-- (?P<what>columns|axes|cells) -->\n.*?<!-- end -->", re.DOTALL)
TABLE = re.compile(r"(?P<path>\S+) rows (?P<rows>[0-9,]+) columns (?P<columns>[0-9,]+)")


def lines_of(source: str) -> list[str]:
    if found := TABLE.fullmatch(source):
        lines, chosen = (ROOT / found["path"]).read_text().splitlines(), found["columns"]
        numbers = list(map(int, chosen.split(","))) if "," in chosen else range(1, int(chosen) + 1)
        table = [lines[number].split("\t") for number in (0, *(int(row) - 1 for row in found["rows"].split(",")))]  # titles first
        return list(columns([[line[number - 1] for number in numbers] for line in table], [False] * len(numbers)))
    if not source.startswith("$ "):
        return (ROOT / source).read_text().splitlines()
    command = source[2:]
    ran = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if ran.returncode:
        sys.exit(f"ecbench: '{command}' has exit code {ran.returncode}: {ran.stderr.strip()[-500:]}")
    return ran.stdout.splitlines()


def sample(found: re.Match[str]) -> str:
    lines = lines_of(found["source"])
    parts = [lines]
    if found["ranges"]:
        parts = [lines[int(first) - 1:int(last)] for first, last in (of.split("-") for of in found["ranges"].split(","))]
    text = "\n…\n".join("\n".join(line.rstrip() for line in part) for part in parts).strip("\n")
    return f"{found.group().splitlines()[0]}\n```text\n{text}\n```\n"


def column_table() -> list[str]:
    shown = json.loads("\n".join(lines_of("$ build/ecbench --schema")))["x-table"]
    return ["| column | meaning |", "| --- | --- |",
            *(f"| `{column['title']}` | {column['meaning']} |" for column in shown if column["meaning"])]


def axis_table() -> list[str]:
    def values(axis: Axis) -> str:
        return ", ".join([*(["numbers"] if axis.is_number else []), *axis.words, *([axis.allowed] if axis.allowed else [])])

    return ["| axis | values | default |", "| --- | --- | --- |",
            *(f"| `{name}` | {values(axis) or 'text'} | {', '.join(map(str, axis.default))} |" for name, axis in OPTIONS.items())]


def cell_list() -> list[str]:
    return [", ".join(f"`{cell}`" + (f" ({title})" if title not in ("", cell) else "") for cell, title in CELLS.items())]


def generated(found: re.Match[str]) -> str:
    lines = {"columns": column_table, "axes": axis_table, "cells": cell_list}[found["what"]]()
    return "\n".join([f"<!-- {found['what']} -->", *lines, "<!-- end -->"])


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Updates the samples in README.md and docs/ from stored files and from the output of commands.")
    parser.add_argument("--check", action="store_true", help="change no page; the exit code is 1 if a sample is not up to date")
    parser.add_argument("pages", metavar="PAGE", nargs="*", type=pathlib.Path,
                        help="page with samples (default: README.md and docs/*.md)")
    arguments = parser.parse_args()
    stale = []
    for page in arguments.pages or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        before = page.read_text()
        after = GENERATED.sub(generated, SAMPLE.sub(sample, before))
        if after != before:
            stale.append(page)
            if not arguments.check:
                page.write_text(after)
    if arguments.check and stale:
        print(f"ecbench: samples are not up to date in {', '.join(str(page) for page in stale)}; run scripts/samples.py",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
