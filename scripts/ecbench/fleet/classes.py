"""Classes of hosts: hosts with the same CPU model, instruction sets and builds of codec libraries. Hosts whose speed differs from
that of their class: in all figures, or only in those of one workload, cache state, size or number of threads; and what differs in
their environment. The dataclasses are parts of the JSON document."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from ecbench.comparison.comparison import Case
from ecbench.comparison.outlier import FEWEST_FIGURES, Deviations, Part, differing
from ecbench.documents.document import HIDDEN, Key
from ecbench.fleet.collection import Host
from ecbench.fleet.figures import NATIVE, Candidate, HostFigures
from ecbench.point.point import letters, size_text
from ecbench.statistics.interval import median
from ecbench.terminal.console import plain

PLUGIN = "libec_"  # the file names of plugins begin with this prefix; all other shared objects are codec libraries
LEVELS = (("avx512-gfni", {"avx512f", "avx512bw", "avx512vl", "gfni"}), ("avx512", {"avx512f", "avx512bw", "avx512vl"}),
          ("avx2-gfni", {"avx2", "gfni"}), ("avx2", {"avx2"}), ("ssse3", {"ssse3"}), ("neon", {"asimd"}))
OF_CPU = ("governor", "turbo", "frequency_min_khz", "frequency_max_khz", "microcode", "stepping", "online_cpu_count", "smt",
          "hypervisor")
OF_SYSTEM = ("kernel_release", "libc", "clocksource", "transparent_hugepages", "aslr")
FEWER_CLEAN = 0.1  # how far the share of clean samples of a host must be below the median of the others to be reported
ALL = "all figures"
FigureKey = tuple[Case, Candidate]


class ClassKey(NamedTuple):
    cpu: str
    machine: str
    dispatch: str
    flags: tuple[str, ...]  # empty if `dispatch` is not native
    libraries: tuple[tuple[str, str], ...]  # (name, build id), or (name, version) if no build id is known


@dataclasses.dataclass(frozen=True)
class HostClass:
    name: Annotated[str, Key("The name of the class: A for the largest class, then B, C, ...")]
    cpu: Annotated[str, Key("The name of the CPU model.")]
    machine: Annotated[str, Key("The name of the CPU model, with family and model number.")]
    dispatch: Annotated[str, Key("The dispatch level of all points. native: the points may use all instruction sets, or the "
                                 "points have several levels.")]
    instructions: Annotated[str, Key("The highest dispatch level that the hosts can use.")]
    flags: Annotated[list[str], Key("The instruction sets of the CPU; empty if dispatch is not native.")]
    libraries: Annotated[dict[str, str], Key("Name of each codec library and its build id, or its version if the build id is "
                                             "unknown.")]
    hosts: list[str]
    clean_hosts: Annotated[list[str], Key("The clean hosts of the class. If there are any, only their figures are used. If "
                                          "there are none, the figures of all hosts are used.")]
    clean: Annotated[dict[str, HostFigures], HIDDEN]  # of the clean hosts
    counted: Annotated[dict[str, HostFigures], HIDDEN]  # of the hosts whose figures are used


def key_of(of_host: HostFigures) -> ClassKey:
    environment = of_host.environment
    libraries = {one.name: one.build_id or one.version or "unknown" for one in environment.shared_objects
                 if not one.name.startswith(PLUGIN)}
    libraries |= {name: build_id or "unknown" for name, build_id in of_host.row_libraries.items()}
    flags = tuple(sorted(map(plain, environment.cpu.flags))) if of_host.level == NATIVE else ()
    return ClassKey(plain(of_host.machine.cpu), of_host.machine.slug, of_host.level, flags,
                    tuple(sorted((plain(name), plain(build_id)) for name, build_id in libraries.items())))


def classes_of(hosts: Iterable[Host]) -> list[HostClass]:
    """The classes of the hosts, the largest class first."""
    found: dict[ClassKey, list[Host]] = collections.defaultdict(list)
    for host in hosts:
        if host.figures:
            found[key_of(host.figures)].append(host)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    classes = []
    for number, (key, members) in enumerate(ordered):
        instructions = key.dispatch if key.dispatch != NATIVE else next(
            (level for level, needed in LEVELS if needed <= set(key.flags)), "scalar")
        of_hosts = {host.name: host.figures for host in members if host.figures}
        clean = {host.name: host.figures for host in members if host.figures and host.is_clean}
        classes.append(HostClass(letters(number), key.cpu, key.machine, key.dispatch, instructions, list(key.flags),
                                 dict(key.libraries), list(of_hosts), list(clean), clean, clean or of_hosts))
    return classes


def short_names(classes: Sequence[HostClass]) -> dict[str, str]:
    """Class name → CPU and dispatch level. If other classes have the same, up to three libraries and up to three instruction sets
    in which the class differs from them are added."""
    names = {}
    for one in classes:
        alike = [other for other in classes
                 if (other.machine, other.instructions) == (one.machine, one.instructions) and other is not one]
        unlike = sorted({name for other in alike for name in {*one.libraries, *other.libraries}
                         if other.libraries.get(name) != one.libraries.get(name)})
        flags = sorted({flag for other in alike for flag in set(one.flags) - set(other.flags)})
        rest = [f"{name} {one.libraries.get(name, 'absent')[:12]}" for name in unlike[:3]] + [f"with {flag}" for flag in flags[:3]]
        names[one.name] = ", ".join([one.cpu, one.instructions, *rest])
    return names


@dataclasses.dataclass(frozen=True)
class Difference:
    name: str
    here: str
    others: Annotated[str, Key("The value that more than half of the other hosts of the class have.")]

    def __str__(self) -> str:
        return f"{self.name} {self.here} (others: {self.others})"


def facts_of(of_host: HostFigures) -> dict[str, str]:
    """The facts about the environment that can affect the speed, as texts."""
    given = of_host.environment
    facts: dict[str, object] = {name: given.cpu.json.get(name) for name in OF_CPU}
    facts["caches"] = " ".join(f"L{cache.level}:{cache.size_bytes}" for cache in given.cpu.caches)
    facts |= {name: given.system.json.get(name) for name in OF_SYSTEM}
    facts["numa_nodes"] = len(given.system.numa_nodes)
    facts["quota_cpus"] = given.cgroup and given.cgroup.quota_cpus
    facts |= {f"ecbench {name}": getattr(given.ecbench, name) for name in ("git_revision", "compiler", "compiler_flags")}
    facts |= {one.name: f"{one.version or ''} {(one.build_id or 'unknown')[:12]}".strip() for one in given.shared_objects}
    return {name: "unknown" if value is None else str(value) for name, value in facts.items()}


def differences(of_host: HostFigures, others: Sequence[HostFigures]) -> list[Difference]:
    own = facts_of(of_host)
    usual = usual_facts([facts_of(other) for other in others])
    found = [Difference(name, own.get(name, "absent"), usual[name]) for name in usual if own.get(name, "absent") != usual[name]]
    shares = [share for other in others if (share := other.clean_share) is not None]
    if of_host.clean_share is not None and shares and median(shares) - of_host.clean_share > FEWER_CLEAN:
        found.append(Difference("clean samples", f"{of_host.clean_share * 100:.0f} %", f"{median(shares) * 100:.0f} %"))
    return found


def usual_facts(all_facts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The facts that more than half of the hosts share."""
    usual = {}
    for name in dict.fromkeys(name for facts in all_facts for name in facts):
        value, count = collections.Counter(facts.get(name, "absent") for facts in all_facts).most_common(1)[0]
        if count * 2 > len(all_facts):
            usual[name] = value
    return usual


@dataclasses.dataclass(frozen=True)
class SlowHost:
    """A host that differs from its class."""

    host: str
    host_class: Annotated[str, Key(name="class")]
    part: Annotated[str, Key("The figures in which the host differs from its class: all figures, or the figures of one "
                                      "workload, cache state, size or number of threads.", name="figures")]
    ratio: Annotated[float, Key("The speed of the host / the mean speed of the hosts of its class that are not outliers.")]
    is_slower: Annotated[bool, Key(name="slower")]
    probability: Annotated[float, Key("If all hosts were equal: the probability that any host of the fleet has such a "
                                               "difference by chance.", least=0, most=1)]
    differences: list[Difference]

    @property
    def difference_text(self) -> str:
        return "; ".join(map(str, self.differences))

    def __str__(self) -> str:
        percent = abs(self.ratio - 1) * 100
        part = "" if self.part == ALL else f" in {self.part}"
        return f"{self.host} is {percent:.1f} % {'slower' if self.is_slower else 'faster'} than class {self.host_class}{part}"


def slow_hosts(classes: Sequence[HostClass], deviations: Mapping[str, Deviations[str, FigureKey]]) -> list[SlowHost]:
    """The hosts that differ from their class, the slowest first. `deviations`: the result of deviations_of()."""
    found = differing([(deviations[one.name], list(parts_of(deviations[one.name].keys))) for one in classes])
    slow = [SlowHost(host, one.name, part, outlier.ratio, outlier.ratio < 1, outlier.probability,
                     differences(one.clean[host], [other for name, other in one.clean.items() if name != host]))
            for one, named in zip(classes, found) for host, (part, outlier) in named.items()]
    return sorted(slow, key=lambda host: host.ratio)


def deviations_of(classes: Sequence[HostClass]) -> dict[str, Deviations[str, FigureKey]]:
    """The deviations of the clean hosts of each class."""
    return {one.name: Deviations.of({host: of_host.clean for host, of_host in one.clean.items()}) for one in classes}


def parts_of(keys: Sequence[FigureKey]) -> Iterator[Part[FigureKey]]:
    """The parts that are tested: all figures, and each value of an axis that has several values, unless it has too few figures."""
    if not keys:
        return
    yield Part(ALL, set(keys), is_all=True)
    by_value: dict[str, dict[str, set[FigureKey]]] = collections.defaultdict(lambda: collections.defaultdict(set))
    for key in keys:
        case, _ = key
        options = dict(case.options)
        values = {"workload": case.workload, "size": f"objects of {size_text(case.size)}", "cache": case.cache,
                  "threads": f"{options.get('threads', '1')} threads"}
        for axis, value in values.items():
            by_value[axis][value].add(key)
    for of_axis in by_value.values():
        if len(of_axis) > 1:
            yield from (Part(value, of_value) for value, of_value in of_axis.items() if len(of_value) >= FEWEST_FIGURES)
