"""The points of a gate are given by a grid. A line may contain `tolerance=`, for gate ir: the allowed increase of the instruction
count, in percent."""

import dataclasses
import math
import os

from ecbench.experiment.expansion import DEFAULT_PLUGINS, Reason, expand
from ecbench.experiment.experiment import read_experiment
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import MAX_PADDING, OPTIONS, Axes, Axis, Language
from ecbench.point.description import Describe, Plugins
from ecbench.point.point import Point
from ecbench.terminal.console import Refused

DEFAULT_GRID = "gate"
GRID_OF_A_CONTENDER = "k=4,8 m=2,4 size=4K,128K workload=encode,decode erasures=1"  # default grid of --go-module and --crate
DEFAULT_TOLERANCE = 0.5  # percent
AXES = {**OPTIONS, **MAX_PADDING, "tolerance": Axis()}
MOST_POINTS = 1000

Line = tuple[float, Axes]  # the tolerance and the axes of one line of the grid


@dataclasses.dataclass(frozen=True)
class GatePoint:
    point: Point
    tolerance_percent: float
    chunk_size: int


GatePoints = dict[str, GatePoint]  # id → point


def read_gate_points(words: list[str], program: Ecbench) -> tuple[GatePoints, list[Reason]]:
    """The points, sorted by tolerance, and why others were dropped. `words`: as in read_lines()."""
    plugins = program.list_plugins()
    return expand_lines(read_lines(words, plugins), plugins, program.describe)


def expand_lines(lines: list[Line], plugins: Plugins, describe: Describe) -> tuple[GatePoints, list[Reason]]:
    """If several lines contain a point, it gets their lowest tolerance."""
    points: GatePoints = {}
    dropped: list[Reason] = []
    for tolerance in sorted({tolerance for tolerance, _ in lines}):
        expansion = expand([axes for one, axes in lines if one == tolerance], plugins, describe)
        dropped += expansion.dropped
        for entry in expansion.entries:
            points.setdefault(entry.id, GatePoint(entry.point, tolerance, entry.chunk_size or 0))
    if len(points) > MOST_POINTS:
        raise Refused(f"the grid has {len(points)} points; a gate measures at most {MOST_POINTS}: give fewer values")
    return points, dropped


def plugins_of(lines: list[Line]) -> set[str]:
    return {str(plugin) for _, axes in lines for plugin in axes.get("plugin", DEFAULT_PLUGINS)}


def read_lines(words: list[str], plugins: Plugins | None) -> list[Line]:
    """`words`: as of read_experiment(). `plugins`: of Ecbench.list_plugins(); None before ecbench is built."""
    return [with_tolerance(axes) for axes in read_experiment(words, Language(plugins, AXES)).points]


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
    """For argparse: appends the axes that follow `--grid WORD` to WORD, with a newline before each."""
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
