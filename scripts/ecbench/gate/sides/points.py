"""The points of a gate are given by a grid, as in the other modes. A line of the grid may also contain `tolerance=`. In gate
ir, the tolerance is the allowed increase of the instruction count of a point, in percent."""

import dataclasses
import math
import os
import pathlib
from typing import Any

from ecbench.installation.places import GRIDS
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import MAX_PADDING, OPTIONS, Axes, Axis, Language, Plugins, read_axes, split
from ecbench.point.expansion import DEFAULT_PLUGINS, Describe, expand
from ecbench.point.grid import named_grids, read_file
from ecbench.point.point import Point
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import did_you_mean

DEFAULT_GRID = "gate"
GRID_HELP = ("the points to measure: axes as in bench.sh sweep, the name of a grid, or a file. Axes that follow the name or the "
             "file replace the axes with the same keys in the grid")
GRID_OF_A_CONTENDER = "k=4,8 m=2,4 size=4K,128K workload=encode,decode erasures=1"  # default grid of --go-module and --crate
DEFAULT_TOLERANCE = 0.5  # percent
AXES = {**OPTIONS, **MAX_PADDING, "tolerance": Axis()}
MOST_POINTS = 1000

Line = tuple[float, Axes]  # the tolerance and the axes of one line of the grid
Reason = dict[str, Any]  # keys: why, count, example


@dataclasses.dataclass(frozen=True)
class GatePoint:
    point: Point
    tolerance_percent: float
    chunk_size: int


GatePoints = dict[str, GatePoint]  # id → point


def read_gate_points(words: list[str], program: Ecbench) -> tuple[GatePoints, list[Reason]]:
    """Returns the points, sorted by tolerance, and the reasons why other points were dropped. `words`: as in read_lines(). Throws
    Refused."""
    plugins = program.list_plugins()
    return expand_lines(read_lines(words, plugins), plugins, program.describe)


def expand_lines(lines: list[Line], plugins: Plugins, describe: Describe) -> tuple[GatePoints, list[Reason]]:
    """Expands the lines of a grid to points. If several lines contain a point, the point gets the lowest tolerance of these lines.
    Also returns the reasons why points were dropped."""
    by_tolerance: dict[float, list[Axes]] = {}
    for tolerance, axes in lines:
        by_tolerance.setdefault(tolerance, []).append(axes)
    points: GatePoints = {}
    dropped: list[Reason] = []
    for tolerance, grids in sorted(by_tolerance.items()):
        expansion = expand(grids, plugins, describe)
        dropped += expansion.dropped
        for entry in expansion.entries:
            points.setdefault(entry["id"], GatePoint(entry["point"], tolerance, entry["chunk_size"]))
    if len(points) > MOST_POINTS:
        raise Refused(f"the grid has {len(points)} points; a gate measures at most {MOST_POINTS}: give fewer values")
    return points, dropped


def plugins_of(lines: list[Line]) -> set[str]:
    """The plugins that the lines use. A line without plugin= uses the default plugins."""
    return {str(plugin) for _, axes in lines for plugin in axes.get("plugin", DEFAULT_PLUGINS)}


def read_lines(words: list[str], plugins: Plugins | None) -> list[Line]:
    """Returns the lines of the grid. Either all `words` are axes, or the first word is a named grid or the path of a file. In the
    second case, the other words are axes, which replace the axes of the same name in each line of the file. `plugins`: the result
    of Ecbench.list_plugins(); None if the arguments are checked before ecbench is built or run. Throws Refused."""
    language = Language(plugins, AXES)
    path = grid_file(words)
    if path is None:
        return [with_tolerance(read_axes(split(words), language))]
    first, *rest = parts(words)
    own = read_axes(rest, language)
    try:
        lines = read_file(path, language)
    except (OSError, ValueError) as error:
        raise Refused(f"--grid {first} is neither a named grid ({', '.join(named_grids())}) nor a file that can be read: "
                      f"{getattr(error, 'strerror', None) or 'it is not text'}{did_you_mean(first, named_grids())}") from error
    return [with_tolerance({**axes, **own}) for axes in lines]


def parts(words: list[str]) -> list[str]:
    """Splits arguments into words. Returns at least one word, which may be empty. If the first argument is the path of
    an existing file, this argument is not split, since file names may contain spaces."""
    first = words[:1] if words and os.path.exists(words[0]) else split(words[:1])
    return [*first, *split(words[1:])] or [""]


def grid_file(words: list[str]) -> pathlib.Path | None:
    """The path of the file that contains the grid; None if all words are axes."""
    first = parts(words)[0]
    if "=" in first and not os.path.exists(first):
        return None
    return GRIDS / first if first in named_grids() else pathlib.Path(first)


def with_tolerance(axes: Axes) -> Line:
    texts = axes.pop("tolerance", (DEFAULT_TOLERANCE,))
    try:
        value = float(texts[0])
    except ValueError:
        value = math.nan
    if len(texts) > 1 or not 0 <= value <= 100:
        raise Refused(f"tolerance={','.join(map(str, texts))} is not allowed; give one number from 0 to 100 (percent)")
    return value, axes


def grid_words(words: list[str]) -> list[str]:
    """Returns the command line for argparse. The axes that follow `--grid WORD` are appended to WORD, with a newline before each
    axis. The first word that is not an axis ends the grid."""
    joined: list[str] = []
    grid = None  # index in `joined` of the value of --grid; None if `word` cannot belong to a grid
    for word in words:
        if grid is not None and "=" in word and not word.startswith("-") and not os.path.exists(word):
            joined[grid] += f"\n{word}"
            continue
        joined.append(word)
        is_value = len(joined) > 1 and joined[-2] == "--grid"
        grid = len(joined) - 1 if is_value or word.startswith("--grid=") else None
    return joined
