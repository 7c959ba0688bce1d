"""What gate ab and gate ir share: the points, the arguments that name two sides, the checks of the sides, exit codes and output.
A line of the grid may contain `tolerance=`, for gate ir: the allowed increase of the instruction count, in percent."""

import argparse
import contextlib
import dataclasses
import html
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

from ecbench.documents.document import Key, to_json
from ecbench.experiment.expansion import DEFAULT_PLUGINS, Reason, expand
from ecbench.experiment.experiment import file_of, read_experiment
from ecbench.files.files import check_apart, check_writable, write
from ecbench.gate.sides import sides
from ecbench.gate.sides.sides import Side
from ecbench.page.block import Page, markdown, print_page
from ecbench.point.axes import MAX_PADDING, OPTIONS, Axes, Axis, Language
from ecbench.point.point import Describe, Plugins, Point
from ecbench.process.process import Child, Interrupted
from ecbench.runfile.header import Build, shown
from ecbench.terminal.arguments import seconds
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes, say

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


def grid_of(arguments: argparse.Namespace) -> list[str]:
    return [GRID_OF_A_CONTENDER if arguments.wanted else DEFAULT_GRID] if arguments.grid is None else arguments.grid


def lines_of(arguments: argparse.Namespace, plugins: Plugins | None) -> list[Line]:
    """The lines of the grid. If a Go module or Rust crate is compared, each line without plugin= gets the plugin of this library.
    In the default grid, each line without technique= then also gets the plugin's default technique. `plugins`: of
    Ecbench.list_plugins(); None before ecbench is built."""
    lines = [with_tolerance(axes) for axes in read_experiment(grid_of(arguments), Language(plugins, AXES)).points]
    for plugin in [one.plugin for one in arguments.wanted][:1]:
        technique = plugins[plugin].default_technique if plugins and plugin in plugins else ""
        for _, axes in lines:
            axes.setdefault("plugin", (plugin,))
            if technique and arguments.grid is None:
                axes.setdefault("technique", (technique,))
    return lines


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


# The arguments of a gate that name its two sides.

OLD_AND_NEW = """\
OLD and NEW can each be
  build directory   with ecbench and plugins/, such as build/
  plugin directory  with libec_*.so, which the ecbench of the other side or of build/ loads
  git revision      built in build-gate/, unless a directory has this name"""


def add_sides(parser: argparse.ArgumentParser, timeout: float, what: str) -> argparse._MutuallyExclusiveGroup:
    """Adds what both gates have before their output. Returns the group of the options for versions of a library."""
    parser.set_defaults(wanted=())  # versions of a library that a plugin uses
    parser.add_argument("sides", nargs="*", metavar="OLD NEW")
    libraries = parser.add_mutually_exclusive_group()
    libraries.add_argument("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
                           help="compare the codec libraries in OLD_DIR with those in NEW_DIR (system: the system's)")
    parser.add_argument("--ecbench", metavar="PATH", help="the program that loads plugin directories")
    parser.add_argument("--grid", type=str.splitlines, metavar="GRID", help="experiment or axes as in bench.sh run (default: gate)")
    parser.add_argument("--timeout", type=seconds, default=timeout, metavar="S", help=f"end {what} after S s (default {timeout:g})")
    return libraries


def check(arguments: argparse.Namespace, libraries: str = "--codec-lib") -> None:
    """Makes all checks of the arguments that need no build. `libraries`: the options with which OLD and NEW can be left out. Throws
    Refused."""
    given = len(arguments.sides)
    if given != 2 and (given or not (arguments.codec_lib or arguments.wanted)):
        raise Refused(f"gate {arguments.mode} compares two builds, and {given} {'is' if given == 1 else 'are'} given; name OLD and "
                      f"NEW, or two versions of a library with {libraries}")
    for name, folder in zip(("OLD", "NEW"), arguments.codec_lib or ()):
        sides.check_codec_lib(name, folder)
    lines_of(arguments, None)
    check_files(arguments, [("--grid", file_of(grid_of(arguments))), ("--ecbench", arguments.ecbench)])


def resolve_sides(arguments: argparse.Namespace, child: Child) -> tuple[Side, Side]:
    """Throws Refused."""
    if arguments.wanted:
        old, new = sides.contender_sides(arguments.wanted, child, arguments.ecbench)
    elif arguments.sides:
        old, new = sides.resolve_pair(arguments.sides, child, arguments.ecbench)
    else:
        old, new = (sides.own_side(name, arguments.ecbench) for name in ("OLD", "NEW"))
    if arguments.codec_lib:
        old, new = sides.with_codec_libs(old, new, arguments.codec_lib, child)
    check_files(arguments, [*old.inputs(), *new.inputs()])
    return old, new


# The exit codes of a gate with a result.

NO_REGRESSION, REGRESSION = 0, 3
INCONCLUSIVE = 4  # only with --require-conclusive


def common_points(arguments: argparse.Namespace, old: Side, new: Side, child: Child) -> GatePoints:
    """The points that both sides support; reports the others. Throws Refused."""
    plugins = {**new.ecbench(child).list_plugins(), **old.ecbench(child).list_plugins()}
    lines = lines_of(arguments, plugins)
    needed = {str(plugin) for _, axes in lines for plugin in axes.get("plugin", DEFAULT_PLUGINS)}
    sets = {side: side.plugins() for side in (old, new)}
    for side, other in ((old, new), (new, old)):
        if lacking := sorted((needed & sets[other]) - sets[side]):
            both = ", ".join(sorted(sets[old] & sets[new])) or "other plugins"
            raise Refused(f"OLD and NEW have different plugins: the grid contains points of {', '.join(lacking)} (missing in "
                          f"{side}); choose points of {both} with --grid")
    for side, other in ((old, new), (new, old)):
        if lacking := sorted(sets[side] - sets[other]):
            say(f"these plugins are not compared, because only {side.name} has them: {', '.join(lacking)}")
    points, dropped = expand_lines(lines, plugins, old.ecbench(child).describe)
    for reason in dropped:
        say(reason)
    for side in (old, new):
        points = supported(points, side, child)
    return points


def supported(points: GatePoints, side: Side, child: Child) -> GatePoints:
    """A side must support all points of OLD, with the same chunk sizes. With --codec-lib, points that it does not support are left
    out: if the directory has only libisal, those of jerasure."""
    refused: dict[str, str] = {}
    answers = side.ecbench(child).describe([{"words": [*gate_point.point.words(), *side.codec_words()]}
                                            for gate_point in points.values()])
    for (identity, gate_point), answer in zip(points.items(), answers, strict=True):
        point = gate_point.point
        if side.codec_lib and point.codec_lib:
            raise Refused("--codec-lib is not allowed with a grid that has codec-lib=: both set the codec libraries; leave one out")
        if answer.refused and not side.codec_lib:
            raise Refused(f"OLD supports {point}, but {side.name} does not: {answer.refused}")
        if answer.refused:
            refused[identity] = f"{point}: {answer.refused}"
        elif answer.chunk_size != gate_point.chunk_size:
            raise Refused(f"{point} cannot be compared, because OLD and {side.name} have different chunk sizes: "
                          f"{gate_point.chunk_size} bytes in OLD, {answer.chunk_size} bytes in {side.name}")
    for why in list(refused.values())[:1]:
        if len(refused) == len(points):
            raise Refused(f"{side}: {why}")
        say(f"{len(refused)} of {len(points)} points are left out, such as {why}")
    return {identity: point for identity, point in points.items() if identity not in refused}


def tell_builds(old: Build, new: Build) -> None:
    """Warns if the builds differ in what changes the speed of the same code."""
    for key in ("compiler", "compiler_flags", "build_type"):
        before, after = getattr(old, key), getattr(new, key)
        if before != after:
            say(f"OLD and NEW were built differently: {key} is {shown(before)} in OLD and {shown(after)} in NEW")
    for name, build in (("OLD", old), ("NEW", new)):
        if not build.optimised:
            say(f"{name} was built without optimisation: its speed is not meaningful")


# Prints and writes the outcome of a gate: its page of blocks as tables or as Markdown for a pull request, its result as JSON.

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


def show(page: Page, result: object, arguments: argparse.Namespace, colours: dict[str, str], svg: Callable[[], str] = str) -> None:
    """Prints the outcome, and writes the requested files."""
    wanted = getattr(arguments, "format", "table")
    if wanted == "table":
        print_page(page, sys.stdout, colours=colours)
    else:
        sys.stdout.write(as_json(result) if wanted == "json" else as_markdown(page))
    sys.stdout.flush()
    write_files(arguments, page, result, svg)


def write_files(arguments: argparse.Namespace, page: Page, result: object, svg: Callable[[], str]) -> None:
    for name, text in (("json", lambda: as_json(result)), ("markdown", lambda: as_markdown(page)), ("svg", svg)):
        if (path := getattr(arguments, name, None)) is not None:
            write(f"--{name}", path, text())


FAILURE = "ecbench gate failure 1"


@dataclasses.dataclass(frozen=True)
class Failure:
    """The JSON document of a gate without a result."""
    format: Annotated[str, Key(words=(FAILURE,))]
    exit_code: Annotated[int, Key("That of the command. 0 or 4: the budget was spent before there was a verdict.")]
    why: str


@contextlib.contextmanager
def failing(arguments: argparse.Namespace, record: Callable[..., None] = lambda *_, **__: None) -> Iterator[None]:
    """Writes why there is no result to the record, and to the requested files, which may have the result of an earlier run."""
    try:
        yield
    except (WrongBytes, Refused, OutOfTime, Interrupted) as error:
        if isinstance(error, OutOfTime) and arguments.require_conclusive:
            error.exit_code = INCONCLUSIVE
        if isinstance(error, WrongBytes):
            error.args = (f"WRONG BYTES: {error}",)
        why = "interrupted" if isinstance(error, Interrupted) else str(error)
        record("broken_off", why=why, exit_code=error.exit_code)
        page = Page(f"gate {arguments.mode}", f"ecbench gate {arguments.mode}", [f"no result: {why}"], [])
        picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40"><text y="20">{html.escape(why)}</text></svg>\n'
        with contextlib.suppress(Refused):  # the first error is printed
            write_files(arguments, page, Failure(FAILURE, error.exit_code, why), lambda: picture)
        raise
