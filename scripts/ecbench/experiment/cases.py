"""The cases of an experiment, and their candidates. A case is what is held equal while candidates compete: the properties of points
that are no properties of candidates."""

import dataclasses
import functools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from ecbench.experiment.experiment import Experiment
from ecbench.point.axes import COPIES, LIBRARY, OPTIONS, PARAMETERS, SHAPE
from ecbench.point.point import Planned, Point, size_text

Properties = Mapping[str, str]
Family = tuple[str, str]  # plugin and technique
OF_SIZE = ("size", "stripe-unit")
AXES = {parameter: axis for axis, parameter in PARAMETERS.items()}
NAMES = ("plugin", "technique", "workload")  # properties whose values need no name


def properties_of(point: Point, library: str = "") -> dict[str, str]:
    """The values of all axes of a point, as in words."""
    profile = {AXES.get(key, key): value for key, value in point.profile if value not in ("", "false")}
    found = {"plugin": point.plugin, **({"technique": profile["technique"]} if "technique" in profile else {}), **profile}
    if library:
        found[LIBRARY] = library
    for axis in OPTIONS:
        value = getattr(point, axis.replace("-", "_"))
        found[axis] = "none" if value is None else size_text(value) if axis in OF_SIZE else str(value)
    if "k" in found and "m" in found:
        found[SHAPE] = f"{found['k']}+{found['m']}"
    elif COPIES in found:
        found[SHAPE] = f"{found[COPIES]}x"
    return found


@dataclasses.dataclass(frozen=True)
class Case:
    held: Properties  # what is equal for all candidates, and differs between cases
    points: Mapping[str, Sequence[Point]]  # name of a candidate → its points

    @functools.cached_property
    def ids(self) -> Mapping[str, str]:
        """Name of a candidate → id of its first point."""
        return {name: of[0].id for name, of in self.points.items()}

    def all_ids(self, names: Iterable[str]) -> list[str]:
        return [point.id for name in names for point in self.points[name]]

    @property
    def title(self) -> str:
        return ", ".join(f"{name} {value}" if value[:1].isdigit() and name != SHAPE else value
                         for name, value in self.held.items()) or "all points"


class Points:
    """The points of a run and their cases."""

    def __init__(self, entries: Sequence[Planned], experiment: Experiment):
        self._experiment = experiment
        self.properties = {entry.id: properties_of(entry.point, entry.library) for entry in entries}
        names = dict.fromkeys(name for found in self.properties.values() for name in found)
        varied = [name for name in names if len({found.get(name) for found in self.properties.values()}) > 1]
        self.varied = [name for name in varied if name not in ("k", "m") or SHAPE not in varied]
        self.cases = self._cases({entry.id: entry.point for entry in entries})

    def competes(self, name: str) -> bool:
        """Whether candidates differ in this property. Without `candidate`, they differ in the whole profile. With it, parameters
        that some plugins do not have follow from the candidate."""
        candidate = self._experiment.candidate
        if LIBRARY in candidate:  # its plugin and its profile follow from it
            return name not in (SHAPE, "k", "m") and (name not in OPTIONS or name == "codec-lib")
        if name in (SHAPE, "k", "m") or name in OPTIONS or name in candidate:
            return name in candidate
        return not candidate or any(name not in found for found in self.properties.values())

    def is_reference(self, identity: str) -> bool:
        wanted = self._experiment.reference
        return bool(wanted) and all(self.properties[identity].get(key) == (
            size_text(int(value)) if key in OF_SIZE and value.isdecimal() else value) for key, value in wanted)

    def independent(self, names: Sequence[str], shown: Sequence[str] = ()) -> list[str]:
        """`names` without those whose value follows from the others or from `shown`, such as the erasures of each workload."""
        kept = list(shown)
        for name in names:
            same = grouped(self.properties.values(), lambda found: tuple(found.get(one) for one in kept))
            if any(len({found.get(name) for found in of}) > 1 for of in same):
                kept.append(name)
        return kept[len(shown):]

    def _cases(self, points: Mapping[str, Point]) -> list[Case]:
        together = self._experiment.together
        names = self.independent([name for name in self.varied if not self.competes(name) and name not in together])

        def held(identity: str) -> tuple[tuple[str, str], ...]:
            return tuple((name, value) for name in names if (value := self.properties[identity].get(name)) is not None)

        cases = grouped(self.properties, held)
        named, found = self._named(cases), []
        for identities in cases:
            of_names: dict[str, list[Point]] = {}
            for identity in identities:
                own = self.properties[identity]
                if LIBRARY in self._experiment.candidate and LIBRARY in own:
                    name = own[LIBRARY] if own[LIBRARY] not in of_names else f"{own[LIBRARY]}: {points[identity]}"
                else:
                    name = " ".join(value if key in NAMES else f"{key}={value}" for key, value in own.items()
                                    if key in named[family_of(own)] and value != "none") or str(points[identity])
                of_names[name] = [*(of_names.get(name, ()) if together else ()), points[identity]]
            found.append(Case(dict(held(identities[0])), of_names))
        return found

    def _named(self, cases: Iterable[Sequence[str]]) -> dict[Family, set[str]]:
        """The properties in the name of a candidate: those that the experiment compares, and those that vary among the points of a
        case with the same plugin and technique."""
        competing = [name for name in self.varied if self.competes(name)]
        always = {name for name in competing if name in (*NAMES, *self._experiment.candidate)}
        if self._experiment.together:
            always |= {"plugin", "technique"}
        named: dict[Family, set[str]] = {}
        for case in cases:
            for members in grouped([self.properties[identity] for identity in case], family_of):
                named.setdefault(family_of(members[0]), set(always)).update(
                    name for name in competing if len({found.get(name) for found in members}) > 1)
        return named


def family_of(found: Properties) -> Family:
    return found["plugin"], found.get("technique", "")


def grouped(values: Iterable[Any], key: Callable[[Any], Hashable]) -> list[list[Any]]:
    found: dict[Hashable, list[Any]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return list(found.values())
