"""Expands grids into points: every combination of the axes that there is, each point once, with what was dropped and why. ecbench
itself says what each combination would be (--describe), so that nothing is known here of any plugin's rules."""

import collections
import dataclasses
import itertools
import re

from ecbench.point.grid import DEFAULTS
from ecbench.point.point import WITH_ERASURES, Point, make_point
from ecbench.terminal.console import Refused

DEFAULT_PLUGINS = ("isa", "jerasure")  # as far as they have the techniques that are named


@dataclasses.dataclass
class Expansion:
    entries: list = dataclasses.field(default_factory=list)  # dicts with id, point (a Point), chunk_size and padding_percent
    dropped: list = dataclasses.field(default_factory=list)  # dicts with why, count, example
    merged: int = 0  # combinations that are the same point as another
    merged_for: tuple = ()  # what they said that their technique lacks, such as packetsize


@dataclasses.dataclass(frozen=True)
class Combination:
    plugin: str
    profile: tuple  # of (key, text), without what the technique lacks
    options: tuple  # of (key, value)
    workload: str
    size: int
    erasures: object  # a number, or "all"
    most_padding: int | None

    def point(self, erasures=None):
        """The point as far as the grid says it: its profile is not completed."""
        lost = erasures or (1 if self.erasures == "all" else self.erasures)
        return make_point(self.plugin, dict(self.profile), self.workload, self.size, lost, **dict(self.options))


class Dropped:
    """Counts reasons: those that differ in numbers alone are one."""

    def __init__(self):
        self._reasons = {}

    def add(self, why, point):
        pattern = re.sub(r"\d+(\.\d+)?", "N", why)
        reason = self._reasons.setdefault(pattern, {"why": why, "count": 0, "example": str(point)})
        reason["count"] += 1

    def all(self):
        return list(self._reasons.values())


def expand(grids, plugins, describe):
    """`plugins` is what --list says, by name; `describe` answers as Ecbench.describe does. Throws Refused if no point is left."""
    dropped, lacking, merged = Dropped(), collections.Counter(), 0
    unique = {}
    for axes in grids:
        for combination in combinations(axes, plugins, dropped, lacking):
            merged += combination in unique
            unique[combination] = None
    points = {}
    wanted = [(combination, combination.point()) for combination in unique]
    while wanted:
        more = []
        for (combination, asked), answer in zip(wanted, describe([{"words": point.words()} for _, point in wanted]), strict=True):
            if "refused" in answer:
                dropped.add(answer["refused"], asked)
                continue
            merged += not add_entry(points, combination, asked, answer, dropped)
            if combination.erasures == "all" and asked.erasures == 1:
                more += [(combination, combination.point(lost)) for lost in range(2, answer["m"] + 1)]
        wanted = more
    expansion = Expansion(list(points.values()), dropped.all(), merged, tuple(lacking))
    check_not_empty(expansion)
    return expansion


def combinations(axes, plugins, dropped, lacking):
    """The combinations of one grid; `lacking` counts the parameters that were left out where a technique has them not."""
    fixed = {**DEFAULTS, **axes}
    for plugin in axes.get("plugin", [name for name in DEFAULT_PLUGINS if name in plugins]):
        techniques = {technique["name"]: technique for technique in plugins[plugin]["techniques"]}
        for name in axes.get("technique", techniques):
            if name in techniques:
                yield from combinations_of(plugin, techniques[name], fixed, lacking)
            elif "plugin" in axes:
                dropped.add(f"{plugin} has no technique {name}", f"{plugin} {name}")


def combinations_of(plugin, technique, axes, lacking):
    has = {parameter["name"] for parameter in technique["parameters"]}
    keys = [key for key in axes if key not in DEFAULTS and key not in ("plugin", "technique", "max-padding")]
    lacking.update(key for key in keys if key not in has)
    named = (("technique", technique["name"]),) if technique["name"] else ()
    profiles = itertools.product(*([(key, str(value)) for value in axes[key]] for key in keys))
    options = list(itertools.product(*options_of(axes)))
    most_padding = axes.get("max-padding", (None,))[0]
    for given in profiles:
        profile = tuple(sorted((*named, *(pair for pair in given if pair[0] in has))))
        for option, size, workload in itertools.product(options, axes["size"], axes["workload"]):
            for lost in axes["erasures"] if workload in WITH_ERASURES else (0,):
                yield Combination(plugin, profile, option, workload, size, lost, most_padding)


def options_of(axes):
    for key in ("stripe-unit", "cache", "threads", "timing", "dispatch", "erased", "codec-lib"):
        yield [(key.replace("-", "_"), None if value == "none" else value) for value in axes[key]]


def add_entry(points, combination, asked, answer, dropped):
    """False if the point is there already."""
    point = completed(asked, answer)
    padding = answer["padding_percent"]
    if combination.most_padding is not None and padding > combination.most_padding:
        dropped.add(f"pads the object by more than max-padding={combination.most_padding} percent", point)
        return True
    if point.id in points:
        return False
    points[point.id] = {"id": point.id, "point": point, "chunk_size": answer["chunk_size"],
                        "padding_percent": round(padding, 4)}
    return True


def completed(point, answer):
    profile = tuple(sorted(answer["profile"].items()))
    return Point.from_json({**point.to_json(), "profile": dict(profile), "erasures": answer["erasures"]})


def repeat(points, describe):
    """The expansion of points that another run measured: the same points, described by the program that is here."""
    dropped, entries = Dropped(), []
    for point, answer in zip(points, describe([{"words": point.words()} for point in points]), strict=True):
        if "refused" in answer:
            dropped.add(answer["refused"], point)
        else:
            entries.append({"id": point.id, "point": point, "chunk_size": answer["chunk_size"],
                            "padding_percent": round(answer["padding_percent"], 4)})
    expansion = Expansion(entries, dropped.all())
    check_not_empty(expansion)
    return expansion


def check_not_empty(expansion):
    if expansion.entries:
        return
    reasons = "; ".join(f"{reason['count']} dropped: {reason['why']}" for reason in expansion.dropped[:3])
    raise Refused(f"the grid is empty: {reasons or 'no plugin has what is named'}")
