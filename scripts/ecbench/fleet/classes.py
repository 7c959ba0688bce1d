"""Classes of hosts, on which the same profile is expected to be the fastest. All hosts of a class have the same CPU model, the same
codec libraries, and the same instruction sets (or, if --dispatch limits all points to one level, the same level)."""

import collections
import dataclasses
from collections.abc import Iterable

from ecbench.fleet.cases import NATIVE
from ecbench.fleet.collection import Host
from ecbench.fleet.host_figures import HostFigures
from ecbench.point.point import Json
from ecbench.point.wording import letters
from ecbench.terminal.console import plain

PLUGIN = "libec_"  # the file names of plugins begin with this prefix; all other shared objects are codec libraries
LEVELS = (("avx512-gfni", {"avx512f", "avx512bw", "avx512vl", "gfni"}), ("avx512", {"avx512f", "avx512bw", "avx512vl"}),
          ("avx2-gfni", {"avx2", "gfni"}), ("avx2", {"avx2"}), ("ssse3", {"ssse3"}), ("neon", {"asimd"}))


@dataclasses.dataclass(frozen=True, order=True)
class ClassKey:
    cpu: str  # name of the CPU model
    slug: str  # name of the CPU model, with family and model number
    level: str  # the dispatch level of all points; native if the points have several levels
    flags: tuple[str, ...]  # the CPU's instruction sets; empty if `level` is not native
    libraries: tuple[tuple[str, str], ...]  # (name, build id), or (name, version) if no build id is known

    @property
    def instructions(self) -> str:
        """The highest dispatch level that the hosts can use."""
        if self.level != NATIVE:
            return self.level
        return next((name for name, needed in LEVELS if needed <= set(self.flags)), "scalar")

    def to_json(self) -> Json:
        return {"cpu": self.cpu, "machine": self.slug, "dispatch": self.level, "instructions": self.instructions,
                "flags": list(self.flags), "libraries": dict(self.libraries)}


@dataclasses.dataclass
class HostClass:
    key: ClassKey
    name: str  # A to Z, AA, AB, ...
    hosts: list[Host]

    @property
    def clean(self) -> list[Host]:
        return [host for host in self.hosts if host.is_clean]

    @property
    def counted(self) -> list[Host]:
        """The hosts whose figures are used."""
        return self.clean or self.hosts


def key_of(figures: HostFigures) -> ClassKey:
    environment = figures.environment
    libraries = {one.name: one.build_id or one.version or "unknown" for one in environment.shared_objects
                 if not one.name.startswith(PLUGIN)}
    libraries |= {name: build_id or "unknown" for name, build_id in figures.row_libraries.items()}
    flags = tuple(sorted(map(plain, environment.cpu.flags))) if figures.level == NATIVE else ()
    return ClassKey(plain(figures.machine.cpu), figures.machine.slug, figures.level, flags,
                    tuple(sorted((plain(name), plain(build_id)) for name, build_id in libraries.items())))


def classes_of(hosts: Iterable[Host]) -> list[HostClass]:
    """The classes of the hosts, the largest class first."""
    found: dict[ClassKey, list[Host]] = collections.defaultdict(list)
    for host in hosts:
        if host.figures:
            found[key_of(host.figures)].append(host)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [HostClass(key, letters(number), members) for number, (key, members) in enumerate(ordered)]


def short_names(classes: list[HostClass]) -> dict[str, str]:
    """Class name → CPU and dispatch level. If other classes have the same, up to three libraries and up to three instruction sets
    in which the class differs from them are added."""
    names = {}
    for one in classes:
        alike = [other.key for other in classes
                 if (other.key.slug, other.key.instructions) == (one.key.slug, one.key.instructions) and other is not one]
        libraries = dict(one.key.libraries)
        differing = sorted({name for key in alike for name in {*libraries, *dict(key.libraries)}
                            if dict(key.libraries).get(name) != libraries.get(name)})
        flags = sorted({flag for key in alike for flag in set(one.key.flags) - set(key.flags)})
        rest = [f"{name} {libraries.get(name, 'absent')[:12]}" for name in differing[:3]] + [f"with {flag}" for flag in flags[:3]]
        names[one.name] = ", ".join([one.key.cpu, one.key.instructions, *rest])
    return names
