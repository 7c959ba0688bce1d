"""The candidates of a run: one point for each profile that a library can use in a case. qualification.py chooses one of them."""

import collections
import dataclasses
import pathlib
import re
from collections.abc import Iterable, Iterator

from ecbench.ceph.profile import isa_technique
from ecbench.comparison.case import Case
from ecbench.contenders.libraries import LIMIT, NOT_IN_DEFAULT_BUILD, Library, located
from ecbench.experiment.expansion import completed
from ecbench.measure.ecbench import Ecbench
from ecbench.point.description import Description, Plugins
from ecbench.point.point import Planned, Point, make_point
from ecbench.terminal.console import Refused


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A profile of a library in a case, before it is measured."""
    case: Case
    library: str
    point: Point
    chunk_size: int
    padding_percent: float

    def planned(self) -> Planned:
        return Planned(self.point, self.chunk_size, round(self.padding_percent, 4), str(self.case), self.library)


@dataclasses.dataclass
class Candidates:
    all: list[Candidate] = dataclasses.field(default_factory=list)  # in the order of the cases
    left_out: list[str] = dataclasses.field(default_factory=list)  # messages about libraries and profiles that are left out
    plugins: Plugins = dataclasses.field(default_factory=dict)

    def groups(self) -> list[list[Candidate]]:
        """A group contains all candidates of one library in one case."""
        found: dict[tuple[Case, str], list[Candidate]] = {}
        for candidate in self.all:
            found.setdefault((candidate.case, candidate.library), []).append(candidate)
        return list(found.values())


# Points that ecbench refuses. Points of a library are grouped if their messages differ only in numbers. Key: the library and the
# message, with N instead of each number. Value: each point of the group, with its own message.
Refusals = dict[tuple[Library, str], list[tuple[Point, str]]]


def gather(ecbench: Ecbench, libraries: list[Library], cases: list[Case]) -> Candidates:
    """Throws Refused if no candidate remains, or if the libisal in a directory cannot be used."""
    plugins = ecbench.list_plugins()
    libraries, not_built = located(libraries, pathlib.Path(ecbench.program).parent)
    present = [library for library in libraries if library.plugin in plugins]
    found = Candidates(plugins={library.plugin: plugins[library.plugin] for library in present})
    asked = [(library, case, point) for case in cases for library in present for point in points_of(library, plugins, case)]
    refusals: Refusals = collections.defaultdict(list)
    unique: dict[str, Candidate] = {}
    for (library, case, point), answer in zip(asked, describe(ecbench, [point for _, _, point in asked]), strict=True):
        if answer.refused:
            refusals[library, re.sub(r"\d+", "N", answer.refused)].append((point, answer.refused))
        else:
            candidate = candidate_of(case, library.name, point, answer)
            unique[candidate.point.id] = candidate
    found.all = list(unique.values())
    check_folders(ecbench, refusals, {candidate.library for candidate in found.all})
    missing = dict.fromkeys(library.plugin for library in libraries if library.plugin not in plugins)
    not_built += [name for name in missing if name in NOT_IN_DEFAULT_BUILD]
    found.left_out = [*([f"not built and left out: {', '.join(not_built)}; run make contenders, which needs go, cargo and Ceph's "
                         "packages"] if not_built else []), *refusal_lines(refusals),
                      *(f"{name} is left out: the plugin does not exist" for name in missing if name not in NOT_IN_DEFAULT_BUILD)]
    if not found.all:
        raise Refused(f"nothing is left to compare: {'; '.join(found.left_out[:3])}")
    return found


def points_of(library: Library, plugins: Plugins, case: Case) -> Iterator[Point]:
    for profile in library.profiles(case, [technique.name for technique in plugins[library.plugin].techniques]):
        yield make_point(library.plugin, {**profile, "k": case.k, "m": case.m}, case.workload, case.size, case.erasures,
                         cache=case.cache, codec_lib=library.codec_lib, changed=case.changed or None)


def describe(ecbench: Ecbench, points: Iterable[Point]) -> list[Description]:
    return ecbench.describe([{"words": point.words()} for point in points])


def candidate_of(case: Case, library: str, point: Point, answer: Description) -> Candidate:
    return Candidate(case, library, completed(point, answer), answer.chunk_size, answer.padding_percent)


def refusal_lines(refusals: Refusals) -> Iterator[str]:
    for (library, _), refused in refusals.items():
        point, why = refused[0]
        others = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        yield f"{library.name}: {point}{others} is left out: {why}"


def check_folders(ecbench: Ecbench, refusals: Refusals, measured: set[str]) -> None:
    """Throws Refused if ecbench refuses all points of a directory with a libisal, but not without this directory."""
    for (library, _), refused in refusals.items():
        if library.codec_lib is not None and library.name not in measured:
            usual = describe(ecbench, [dataclasses.replace(point, codec_lib=None) for point, _ in refused])
            if all(answer.refused for answer in usual):
                continue
            advice = "; build it again with make contenders, or select other libraries with library=" if library.built_in else ""
            raise Refused(f"{'' if library.built_in else '--isal '}{library.codec_lib} is not allowed: {refused[0][1]}{advice}")


def limits(ecbench: Ecbench, cases: Iterable[Case]) -> list[Candidate]:
    """The points that measure the roofline of the cases, except overwrites. Empty if plugin isa is missing."""
    points = {point.id: (case, point) for case in cases if not case.changed for point in [limit_point(case)]}.values()
    found = [candidate_of(case, LIMIT, point, answer)
             for (case, point), answer in zip(points, describe(ecbench, [point for _, point in points]), strict=True)
             if not answer.refused]
    return list({candidate.point.id: candidate for candidate in found}.values())


def limit_point(case: Case) -> Point:
    """The roofline has the same memory traffic with every code. isa has at most 32 coding chunks."""
    m = case.computed_chunks
    plugin, technique = ("isa", isa_technique(case.k, m)) if m <= 32 else ("simd", "vandermonde")
    return make_point(plugin, {"technique": technique, "k": case.k, "m": m}, LIMIT, case.size, 0, cache=case.cache)
