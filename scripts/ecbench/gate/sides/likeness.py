"""Checks before the measurements whether two sides can be compared."""

from collections.abc import Iterable

from ecbench.gate.sides.points import GatePoints
from ecbench.gate.sides.sides import Side
from ecbench.process.children import Child
from ecbench.runfile.environment import Build
from ecbench.runfile.machine import shown
from ecbench.terminal.console import Refused, say


def check_plugins(old: Side, new: Side, needed: set[str]) -> None:
    """`needed`: the plugins of the grid; both sides must have them."""
    sets = {side: side.plugins() for side in (old, new)}
    for side, other in ((old, new), (new, old)):
        lacking = sorted((needed & sets[other]) - sets[side])
        if lacking:
            both = ", ".join(sorted(sets[old] & sets[new])) or "other plugins"
            raise Refused(f"OLD and NEW have different plugins: the grid contains points of {', '.join(lacking)} (missing in "
                          f"{side}); choose points of {both} with --grid")
    for side, other in ((old, new), (new, old)):
        if lacking := sorted(sets[side] - sets[other]):
            say(f"these plugins are not compared, because only {side.name} has them: {', '.join(lacking)}")


def check_points(points: GatePoints, old: Side, new: Side, child: Child) -> None:
    """NEW must support all points, with the chunk sizes of OLD."""
    if (old.program, old.plugin_directory) == (new.program, new.plugin_directory):
        return
    answers = new.ecbench(child).describe([{"words": gate_point.point.words()} for gate_point in points.values()])
    for gate_point, answer in zip(points.values(), answers, strict=True):
        if answer.refused:
            raise Refused(f"OLD supports {gate_point.point}, but NEW does not: {answer.refused}")
        if answer.chunk_size != gate_point.chunk_size:
            raise Refused(f"{gate_point.point} cannot be compared, because OLD and NEW have different chunk sizes: "
                          f"{gate_point.chunk_size} bytes in OLD, {answer.chunk_size} bytes in NEW")


def points_of_codec_libraries(points: GatePoints, sides: Iterable[Side], child: Child) -> GatePoints:
    """The points that all sides can measure with the codec libraries of --codec-lib; if a directory has only libisal, those of
    jerasure are left out."""
    for side in sides:
        if not side.codec_lib:
            continue
        requests = [{"words": [*gate_point.point.words(), *side.codec_words()]} for gate_point in points.values()]
        answers = dict(zip(points, side.ecbench(child).describe(requests), strict=True))
        refused = {identity: answer.refused for identity, answer in answers.items() if answer.refused}
        if not refused:
            continue
        identity, why = next(iter(refused.items()))
        if len(refused) == len(points):
            raise Refused(f"{side}: {points[identity].point}: {why}")
        say(f"{len(refused)} of {len(points)} points are left out, such as {points[identity].point}: {why}")
        points = {identity: point for identity, point in points.items() if identity not in refused}
    return points


def tell_builds(old: Build, new: Build) -> None:
    """Warns if the builds differ in what changes the speed of the same code."""
    for key in ("compiler", "compiler_flags", "build_type"):
        before, after = getattr(old, key), getattr(new, key)
        if before != after:
            say(f"OLD and NEW were built differently: {key} is {shown(before)} in OLD and {shown(after)} in NEW")
    for name, build in (("OLD", old), ("NEW", new)):
        if not build.optimised:
            say(f"{name} was built without optimisation: its speed is not meaningful")

