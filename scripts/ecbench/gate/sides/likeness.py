"""Checks whether two sides can be compared, before anything is measured. Both sides must have the plugins of the grid, and support
the same points with the same chunk sizes. Different compilers and options are reported."""

from collections.abc import Iterable
from typing import Any

from ecbench.gate.sides.points import GatePoints
from ecbench.gate.sides.sides import Side
from ecbench.process.children import Child
from ecbench.runfile.machine import shown
from ecbench.terminal.console import Refused, say


def check_plugins(old: Side, new: Side, needed: set[str]) -> None:
    """Throws Refused if the grid contains points of a plugin that only one side has. If only one side has a plugin that the
    grid does not use, prints its name."""
    sets = {side: side.plugins() for side in (old, new)}
    for side, other in ((old, new), (new, old)):
        lacking = sorted((needed & sets[other]) - sets[side])
        if lacking:
            both = ", ".join(sorted(sets[old] & sets[new])) or "other plugins"
            raise Refused(f"OLD and NEW have different plugins: the grid contains points of {', '.join(lacking)}, but {side} has "
                          f"no such plugin; choose points of {both} with --grid")
    for side, other in ((old, new), (new, old)):
        if lacking := sorted(sets[side] - sets[other]):
            say(f"not compared, because only {side.name} has these plugins: {', '.join(lacking)}")


def check_points(points: GatePoints, old: Side, new: Side, child: Child) -> None:
    """Throws Refused if NEW does not support a point of OLD, or if OLD and NEW have different chunk sizes at a point."""
    if (old.program, old.plugin_directory) == (new.program, new.plugin_directory):
        return
    answers = new.ecbench(child).describe([{"words": gate_point.point.words()} for gate_point in points.values()])
    for gate_point, answer in zip(points.values(), answers, strict=True):
        if "refused" in answer:
            raise Refused(f"OLD supports {gate_point.point}, but NEW does not: {answer['refused']}")
        if answer["chunk_size"] != gate_point.chunk_size:
            raise Refused(f"OLD and NEW have different chunk sizes for {gate_point.point}, {gate_point.chunk_size} and "
                          f"{answer['chunk_size']} bytes; they cannot be compared")


def points_of_codec_libraries(points: GatePoints, sides: Iterable[Side], child: Child) -> GatePoints:
    """All points if no side has its own codec libraries (--codec-lib). Otherwise the points whose plugins can use these libraries.
    The other points are reported and left out: for example, points of jerasure if a directory contains only libisal. Throws Refused
    if no point remains."""
    for side in sides:
        if not side.codec_lib:
            continue
        requests = [{"words": [*gate_point.point.words(), *side.codec_words()]} for gate_point in points.values()]
        answers = dict(zip(points, side.ecbench(child).describe(requests), strict=True))
        refused = {identity: answer["refused"] for identity, answer in answers.items() if "refused" in answer}
        if not refused:
            continue
        identity, why = next(iter(refused.items()))
        if len(refused) == len(points):
            raise Refused(f"{side}: {points[identity].point}: {why}")
        say(f"{len(refused)} of {len(points)} points are left out, such as {points[identity].point}: {why}")
        points = {identity: point for identity, point in points.items() if identity not in refused}
    return points


def tell_builds(old: dict[str, Any], new: dict[str, Any]) -> None:
    """`old` and `new` are environments. Reports different compilers and options, since they change the speed of the same code."""
    for key in ("compiler", "compiler_flags", "build_type"):
        if old["ecbench"].get(key) != new["ecbench"].get(key):
            say(f"OLD and NEW were built differently: their {key} is {shown(old['ecbench'].get(key))} and "
                f"{shown(new['ecbench'].get(key))}")
    for name, environment in (("OLD", old), ("NEW", new)):
        if not environment["ecbench"].get("optimised", True):
            say(f"{name} was built without optimisation: its speed is not meaningful")

