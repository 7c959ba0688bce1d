"""The points that a gate guards: a grid as the other modes have it, whose lines may also say `tolerance=`, by how many percent the
instruction counts of their points may grow (gate ir)."""

import dataclasses
import math
import os
import pathlib

from ecbench.terminal.console import Refused
from ecbench.point.expansion import DEFAULT_PLUGINS, expand
from ecbench.point.grid import FOLDER, Language, check_together, grid_lines, named_grids, read_axes

DEFAULT_GRID = "gate"
DEFAULT_TOLERANCE = 0.5  # percent
MOST_POINTS = 1000


@dataclasses.dataclass(frozen=True)
class GatePoint:
    point: object  # points.point.Point
    tolerance_percent: float
    chunk_size: int


def read_gate_points(grid, program):
    """id → GatePoint, those of the least tolerance first, and what was dropped as points/expansion.py has it. `grid` is a name, a
    file, or axes in one line; `program` an Ecbench. Throws Refused."""
    plugins = program.list_plugins()
    return expand_lines(read_lines(grid, plugins), plugins, program.describe)


def expand_lines(lines, plugins, describe):
    """The same of lines that were read. A point of several lines has the least of their tolerances."""
    by_tolerance = {}
    for tolerance, axes in lines:
        by_tolerance.setdefault(tolerance, []).append(axes)
    points, dropped = {}, []
    for tolerance, grids in sorted(by_tolerance.items()):
        expansion = expand(grids, plugins, describe)
        dropped += expansion.dropped
        for entry in expansion.entries:
            points.setdefault(entry["id"], GatePoint(entry["point"], tolerance, entry["chunk_size"]))
    if len(points) > MOST_POINTS:
        raise Refused(f"the grid has {len(points)} points, and that of a gate at most {MOST_POINTS}: shorten an axis")
    return points, dropped


def plugins_of(lines):
    """The plugins that the lines name."""
    return {plugin for _, axes in lines for plugin in axes.get("plugin", DEFAULT_PLUGINS)}


def read_lines(grid, plugins):
    """Pairs of a tolerance and the axes of a line; `plugins` as --list has them."""
    language = Language(plugins)
    path = grid_file(grid)
    if path is None:
        return [read_line(grid.split(), language)]
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"--grid {grid} is neither a named grid ({', '.join(named_grids())}) nor a file that can be read: "
                      f"{getattr(error, 'strerror', None) or 'it is no text'}") from error
    lines = []
    for number, words in grid_lines(text):
        try:
            lines.append(read_line(words, language))
        except Refused as refusal:
            raise Refused(f"{path}, line {number}: {refusal}") from refusal
    if not lines:
        raise Refused(f"{path} has no grid in it: give a line of key=values")
    return lines


def grid_file(grid):
    """The file that is read of a grid; None of axes in one line."""
    if "=" in grid and not os.path.exists(grid):
        return None
    return FOLDER / grid if grid in named_grids() else pathlib.Path(grid)


def read_line(words, language):
    tolerances = [word for word in words if word.startswith("tolerance=")]
    if len(tolerances) > 1:
        raise Refused("tolerance is given twice")
    tolerance = read_tolerance(tolerances[0]) if tolerances else DEFAULT_TOLERANCE
    return tolerance, check_together(read_axes([word for word in words if word not in tolerances], language))


def read_tolerance(word):
    try:
        value = float(word.partition("=")[2])
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise Refused(f"{word} is not allowed: 0 to 100 percent are")
    return value
