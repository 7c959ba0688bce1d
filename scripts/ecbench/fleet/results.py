"""The results of a fleet. A class has hosts with the same CPU model, instruction sets and builds of codec libraries. For each case:
the fastest profile of each class and one for all classes. Hosts whose speed differs from that of their class: in all figures, or
only in those of one workload, cache state, size or number of threads; and what differs in their environment."""

import collections
import dataclasses
import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from ecbench.comparison.comparison import Case
from ecbench.comparison.figures import OUTLIER, SELECT, Rounds, Unpaired
from ecbench.comparison.outlier import FEWEST_FIGURES, Deviations, Part, differing
from ecbench.comparison.select import Selection, select
from ecbench.documents.document import Json, Key
from ecbench.fleet.collection import Collection, Host
from ecbench.fleet.figures import NATIVE, Candidate, Figure, HostFigures
from ecbench.point.point import letters, size_text
from ecbench.runfile.summary import figure_interval
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median
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
QUESTIONS = (SELECT, OUTLIER)
MEASURED_BY_MOST = 0.5  # in a class, a candidate is ranked only if more than this share of the hosts measured the candidate
ByCandidate = dict[Candidate, dict[str, Figure]]  # candidate → host → figure


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


@dataclasses.dataclass(frozen=True)
class Difference:
    """A part of the JSON document."""

    name: str
    here: str
    others: Annotated[str, Key("The value that more than half of the other hosts of the class have.")]

    def __str__(self) -> str:
        return f"{self.name} {self.here} (others: {self.others})"


def facts_of(figures: HostFigures) -> dict[str, str]:
    """The facts about the environment that can affect the speed, as texts."""
    given = figures.environment
    facts: dict[str, object] = {name: given.cpu.json.get(name) for name in OF_CPU}
    facts["caches"] = " ".join(f"L{cache.level}:{cache.size_bytes}" for cache in given.cpu.caches)
    facts |= {name: given.system.json.get(name) for name in OF_SYSTEM}
    facts["numa_nodes"] = len(given.system.numa_nodes)
    facts["quota_cpus"] = (given.cgroup or {}).get("quota_cpus")
    facts |= {f"ecbench {name}": getattr(given.ecbench, name) for name in ("git_revision", "compiler", "compiler_flags")}
    facts |= {one.name: f"{one.version or ''} {(one.build_id or 'unknown')[:12]}".strip() for one in given.shared_objects}
    return {name: "unknown" if value is None else str(value) for name, value in facts.items()}


def differences(figures: HostFigures, others: Sequence[HostFigures]) -> list[Difference]:
    own = facts_of(figures)
    usual = usual_facts([facts_of(other) for other in others])
    found = [Difference(name, own.get(name, "absent"), usual[name]) for name in usual if own.get(name, "absent") != usual[name]]
    shares = [share for other in others if (share := other.clean_share) is not None]
    if figures.clean_share is not None and shares and median(shares) - figures.clean_share > FEWER_CLEAN:
        found.append(Difference("clean samples", f"{figures.clean_share * 100:.0f} %", f"{median(shares) * 100:.0f} %"))
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
    """A host that differs from its class. A part of the JSON document."""

    host: str
    host_class: Annotated[str, Key(name="class")]
    part: Annotated[str, Key("The figures in which the host differs from its class: all figures, or the figures of one "
                                      "workload, cache state, size or number of threads.", name="figures")]
    ratio: Annotated[float, Key("The speed of the host / the mean speed of the hosts of its class that are not outliers.")]
    is_slower: Annotated[bool, Key(name="slower")]
    probability: Annotated[float, Key("If all hosts were equal: the probability that any host of the fleet has such a "
                                               "difference by chance.", least=0, most=1)]
    differences: list[Difference]

    def __str__(self) -> str:
        percent = abs(self.ratio - 1) * 100
        part = "" if self.part == ALL else f" in {self.part}"
        return f"{self.host} is {percent:.1f} % {'slower' if self.is_slower else 'faster'} than class {self.host_class}{part}"


def slow_hosts(classes: Sequence[HostClass], deviations: Mapping[str, Deviations[str, FigureKey]]) -> list[SlowHost]:
    """The hosts that differ from their class, the slowest first. `deviations`: the result of deviations_of()."""
    found = differing([(deviations[one.name], list(parts_of(deviations[one.name].keys))) for one in classes])
    slow = [SlowHost(host, one.name, part, outlier.ratio, outlier.ratio < 1, outlier.probability,
                     environment_differences(one, host))
            for one, named in zip(classes, found) for host, (part, outlier) in named.items()]
    return sorted(slow, key=lambda host: host.ratio)


def deviations_of(classes: Sequence[HostClass]) -> dict[str, Deviations[str, FigureKey]]:
    """The deviations of the clean hosts of each class."""
    return {one.name: Deviations.of({host.name: host.figures.clean for host in one.clean if host.figures}) for one in classes}


def environment_differences(host_class: HostClass, host: str) -> list[Difference]:
    clean = {one.name: one.figures for one in host_class.clean if one.figures}
    return differences(clean.pop(host), list(clean.values()))


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


@dataclasses.dataclass(frozen=True)
class ClassFigure:
    estimate: Estimate  # the median of the speeds of the hosts
    hosts: dict[str, float]  # GB/s by host

    @property
    def spread_percent(self) -> float | None:
        """How much faster the fastest host is than the slowest."""
        values = self.hosts.values()
        return (max(values) / min(values) - 1) * 100 if len(values) > 1 else None


@dataclasses.dataclass(frozen=True)
class ClassCase:
    host_class: HostClass
    figures: dict[Candidate, ClassFigure]  # the fastest candidate is the first
    ranking: Selection[Candidate]
    left_out: list[Candidate]  # candidates that were measured by at most half of the hosts

    @property
    def fastest(self) -> Candidate:
        return self.ranking.first


@dataclasses.dataclass(frozen=True)
class ForAll:
    """One candidate of a case, compared with the fastest candidate of each class."""

    candidate: Candidate
    costs: dict[str, Estimate]  # class → speed of the candidate / speed of the fastest candidate of the class

    @property
    def worst(self) -> float:
        return min(cost.median for cost in self.costs.values())


@dataclasses.dataclass(frozen=True)
class CaseResult:
    case: Case
    classes: list[ClassCase]
    for_all: ForAll | None  # None: no candidate was measured in all classes

    @functools.cached_property
    def candidates(self) -> list[Candidate]:
        return list(dict.fromkeys(candidate for one in self.classes for candidate in one.figures))


@dataclasses.dataclass(frozen=True)
class Results:
    collection: Collection
    classes: list[HostClass]
    cases: list[CaseResult]
    slow: list[SlowHost]
    ratios: dict[str, float]  # clean host → the median of its ratios; a ratio is a figure of the host / the median of the class

    @functools.cached_property
    def class_names(self) -> dict[str, str]:
        return short_names(self.classes)

    @property
    def all_clean(self) -> bool:
        """Whether every class has a clean host."""
        return all(one.clean for one in self.classes)

    @property
    def wrong_bytes(self) -> list[tuple[Host, str]]:
        return [(host, point) for host in self.collection.hosts if host.figures for point in host.figures.wrong_bytes]

    @property
    def unclean(self) -> list[Host]:
        return [host for host in self.collection.measured if not host.is_clean]

    @property
    def missing(self) -> list[Host]:
        return [host for host in self.collection.hosts if host.why_missing]


def results_of(collection: Collection) -> Results:
    classes = classes_of(collection.measured)
    by_class = [(one, figures_by_case(one)) for one in classes]
    cases = sorted({case for _, by_case in by_class for case in by_case},  # k and m as texts: 10+4 is before 2+1
                   key=lambda case: (str(case.k), str(case.m), case.size, case.workload, case.erasures, case.options))
    deviations = deviations_of(classes)
    return Results(collection, classes, [case_result(case, by_class) for case in cases], slow_hosts(classes, deviations),
                   {host: math.exp(median(values.values())) for of_class in deviations.values()
                    for host, values in of_class.relative.items() if values})


def figures_by_case(host_class: HostClass) -> dict[Case, ByCandidate]:
    """The clean figures of a class; all figures if the class has no clean host."""
    found: dict[Case, ByCandidate] = {}
    for host in host_class.counted:
        assert host.figures
        for (case, candidate), figure in (host.figures.clean if host_class.clean else host.figures.all).items():
            found.setdefault(case, {}).setdefault(candidate, {})[host.name] = figure
    return found


def case_result(case: Case, by_class: Sequence[tuple[HostClass, dict[Case, ByCandidate]]]) -> CaseResult:
    found = [one for host_class, by_case in by_class if case in by_case and (one := class_case(case, host_class, by_case[case]))]
    return CaseResult(case, found, for_all(found))


def class_case(case: Case, host_class: HostClass, by_candidate: ByCandidate) -> ClassCase | None:
    """None if no candidate was measured by more than half of the hosts."""
    hosts = len({name for of_hosts in by_candidate.values() for name in of_hosts})
    ranked = {candidate: of_hosts for candidate, of_hosts in by_candidate.items() if len(of_hosts) > MEASURED_BY_MOST * hosts}
    if not ranked:
        return None
    figures = {candidate: class_figure(of_hosts) for candidate, of_hosts in ranked.items()}
    measured = measured_by(ranked, figures)
    measured.disturbed = {} if host_class.clean else dict.fromkeys(figures, 1.0)
    failed = {candidate for host in host_class.counted if host.figures for of_case, candidate in host.figures.failed
              if of_case == case and candidate not in by_candidate}
    found = select(measured, sorted(failed), candidates=list(figures))
    left_out = [candidate for candidate in by_candidate if candidate not in ranked]
    return ClassCase(host_class, {candidate: figures[candidate] for candidate in found.order}, found, left_out)


def class_figure(of_hosts: Mapping[str, Figure]) -> ClassFigure:
    """With fewer than FEWEST_VALUES hosts, the interval is that of the speeds of all placements and rounds on all hosts."""
    hosts = {name: figure.gb_per_s for name, figure in of_hosts.items()}
    if len(hosts) >= FEWEST_VALUES:
        return ClassFigure(estimate(list(hosts.values())), hosts)
    rounds = [speed for figure in of_hosts.values() for speed in figure.rounds if speed == speed]
    speeds = [speed for figure in of_hosts.values() for speed in figure.speeds]
    low, high = figure_interval(rounds, max(figure.floor_percent for figure in of_hosts.values()), speeds) or (None, None)
    return ClassFigure(Estimate(median(hosts.values()), low, high, len(speeds)), hosts)


def measured_by(ranked: Mapping[Candidate, Mapping[str, Figure]],
                figures: Mapping[Candidate, ClassFigure]) -> Rounds | Unpaired[Candidate]:
    """The values that select() compares: those of each host; with fewer than FEWEST_VALUES hosts, those of each round of each
    host; with fewer rounds, the independent `figures`."""
    names = list(dict.fromkeys(name for of_hosts in ranked.values() for name in of_hosts))
    by_host = [{candidate: math.log(of_hosts[name].gb_per_s) for candidate, of_hosts in ranked.items() if name in of_hosts}
               for name in names]
    if len(by_host) >= FEWEST_VALUES:
        return Rounds(by_host)
    by_round = []
    for name in names:
        present = {candidate: of_hosts[name].rounds for candidate, of_hosts in ranked.items() if name in of_hosts}
        for number in range(max(map(len, present.values()))):
            speeds = {candidate: math.log(rounds[number]) for candidate, rounds in present.items()
                      if number < len(rounds) and rounds[number] == rounds[number]}
            by_round += [speeds] if speeds else []
    if len(by_round) >= FEWEST_VALUES:
        return Rounds(by_round)
    return Unpaired({candidate: figure.estimate for candidate, figure in figures.items()})


def for_all(classes: Sequence[ClassCase]) -> ForAll | None:
    """The candidate whose largest loss of speed in a class is the smallest."""
    shared = set.intersection(*(set(one.figures) for one in classes)) if classes else set()
    choices = [ForAll(candidate, {one.host_class.name: one.ranking.verdict(candidate).ratio for one in classes})
               for candidate in sorted(shared)]
    return max(choices, key=lambda choice: (choice.worst, sum(one.median for one in choice.costs.values())), default=None)
