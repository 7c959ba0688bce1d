"""Reads grids. A grid is given as words (see axes.py), or as the name of a file in scripts/grids/. Each line of such a file is a
grid. If a name and words are given together, the axes in the words replace the same axes in the file."""

import math
import os

from ecbench.files.input_file import read_text
from ecbench.installation.places import GRIDS
from ecbench.point.axes import OPTIONS, Axes, Language, read_axes, split
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import did_you_mean

MOST_COMBINATIONS = 1_000_000
DEFAULTS: Axes = {key: axis.default for key, axis in OPTIONS.items() if axis.default}


def read_grids(words: list[str], language: Language) -> tuple[list[Axes], str]:
    """Returns the grids, and the names of the grid files, joined by "-" ("" if no file is named). Throws Refused."""
    words = split(words)
    if not words:
        raise Refused(f"no grid is given; give the name of a grid ({', '.join(named_grids())}), or words such as plugin=isa k=4,6 "
                      "m=2")
    names = list(dict.fromkeys(word for word in words if "=" not in word))
    own = read_axes([word for word in words if "=" in word], language)
    for name in names:
        if name not in named_grids():
            raise Refused(f"'{name}' is neither KEY=VALUES nor the name of a grid; choose {', '.join(named_grids())}"
                          f"{did_you_mean(name, named_grids())}")
    named = [axes for name in names for axes in read_file(GRIDS / name, language)]
    grids = [{**axes, **own, **techniques} for axes, techniques in with_techniques(named or [{}], own)]
    count = sum(math.prod(len(values) for key, values in {**DEFAULTS, **axes}.items() if key != "max-padding") for axes in grids)
    if count > MOST_COMBINATIONS:
        raise Refused(f"the grid has {count} combinations; at most {MOST_COMBINATIONS} are allowed: give fewer values")
    return grids, "-".join(names)


def with_techniques(named: list[Axes], own: Axes) -> list[tuple[Axes, Axes]]:
    """The lines of the named grids, each with its value of technique=. If all the user's techniques are in the named grids, only
    the lines with one of them remain, because the other axes of a line suit its techniques."""
    wanted = own.get("technique", ())
    if not wanted or not set(wanted) <= {name for axes in named for name in axes.get("technique", ())}:
        return [(axes, {}) for axes in named]
    found = [(axes, tuple(name for name in wanted if name in axes.get("technique", ()))) for axes in named]
    return [(axes, {"technique": names}) for axes, names in found if names]


def named_grids() -> list[str]:
    return sorted(path.name for path in GRIDS.iterdir() if path.is_file() and not path.name.startswith("."))


def read_file(path: str | os.PathLike[str], language: Language) -> list[Axes]:
    """Throws Refused and OSError."""
    grids = []
    for number, words in grid_lines(read_text(path)):
        try:
            grids.append(read_axes(words, language))
        except Refused as refusal:
            raise Refused(f"{path}, line {number}: {refusal}") from refusal
    if not grids:
        raise Refused(f"{path} contains no grid; write at least one line of KEY=VALUES into this file")
    return grids


def grid_lines(text: str) -> list[tuple[int, list[str]]]:
    """The line number and the words of each grid. An indented line continues the grid of the previous line."""
    grids: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words and line[0].isspace() and grids:
            grids[-1][1].extend(words)
        elif words:
            grids.append((number, words))
    return grids
