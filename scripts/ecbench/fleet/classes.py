"""Classes of hosts: hosts with the same CPU model, instruction sets and builds of codec libraries. Hosts whose speed differs from
that of their class: in all figures, or only in those of one workload, cache state, size or number of threads; and what differs in
their environment. The speeds of each class. HostClass and Difference are rows of the report."""

import collections
import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from ecbench.comparison.comparison import Case
from ecbench.comparison.figures import Figures, Rounds, Unpaired
from ecbench.comparison.outlier import Figure
from ecbench.comparison.select import Selection, select
from ecbench.documents.document import HIDDEN, Key
from ecbench.fleet.collection import Host
from ecbench.fleet.figures import BUILD, INSTRUCTIONS, NATIVE, Candidate, Facts, FigureKey, HostFigures
from ecbench.page.block import Column, Form
from ecbench.point.point import letters, size_text
from ecbench.runfile.summary import figure_interval
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

LEVELS = (("avx512-gfni", {"avx512f", "avx512bw", "avx512vl", "gfni"}), ("avx512", {"avx512f", "avx512bw", "avx512vl"}),
          ("avx2-gfni", {"avx2", "gfni"}), ("avx2", {"avx2"}), ("ssse3", {"ssse3"}), ("neon", {"asimd"}))
MOST_NAMED = 3  # libraries and instruction sets in the description of a class
OF_CPU = ("governor", "turbo", "frequency_min_khz", "frequency_max_khz", "microcode", "stepping", "online_cpu_count", "smt",
          "hypervisor")
OF_SYSTEM = ("kernel_release", "libc", "clocksource", "transparent_hugepages", "aslr")
FEWER_CLEAN = 0.1  # how far the share of clean samples of a host must be below the median of the others to be reported
# A host can be slow only with one value of these.
AXES: Sequence[Callable[[FigureKey], str]] = (
    lambda key: key[0].workload, lambda key: f"objects of {size_text(key[0].size)}", lambda key: key[0].cache,
    lambda key: f"{dict(key[0].options).get('threads', 1)} threads")


@dataclasses.dataclass(frozen=True)
class HostClass:
    name: Annotated[str, Column("A is the largest class.", title="Class")]
    count: Annotated[int, Column(title="Hosts", form=Form.WHOLE)]
    clean_count: Annotated[int, Column("If there are any, only they are used.", title="Clean hosts", form=Form.WHOLE)]
    description: Annotated[str, Column("With the highest usable dispatch level.", title="CPU and instructions", wraps=True)]
    facts: Annotated[dict[str, str], Key("What all hosts of the class have in common, or more than half of those that are used.")]
    hosts: list[str]
    counted: Annotated[dict[str, HostFigures], HIDDEN]  # the hosts whose figures are used


def classes_of(hosts: Iterable[Host]) -> list[HostClass]:
    """The classes of the hosts that have figures, the largest class first."""
    found: dict[Facts, dict[str, HostFigures]] = collections.defaultdict(dict)
    for host in hosts:
        if host.run and host.run.figures:
            found[host.run.class_facts][host.name] = host.run
    classes = list[HostClass]()
    for facts, of_hosts in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        clean = {name: run for name, run in of_hosts.items() if run.is_clean}
        counted = clean or of_hosts
        classes.append(HostClass(
            letters(len(classes)), len(of_hosts), len(clean), description(dict(facts), list(map(dict, found))),
            {**dict(facts), **usual_facts([*map(facts_of, counted.values())])}, list(of_hosts), counted))
    return classes


def description(facts: Mapping[str, str], of_classes: Sequence[Mapping[str, str]]) -> str:
    """CPU and dispatch level. If other classes have the same, also codec libraries and instruction sets in which they differ."""
    level = level_of(facts)
    alike = [other for other in of_classes if (other["machine"], level_of(other)) == (facts["machine"], level)]
    builds = sorted({name for other in alike for name in {*facts, *other} if name.startswith(BUILD) and
                     other.get(name) != facts.get(name)})
    flags = sorted({flag for other in alike for flag in {*facts[INSTRUCTIONS].split()} - {*other[INSTRUCTIONS].split()}})
    return ", ".join([facts["CPU"], level, *(f"{name.removeprefix(BUILD)} {facts.get(name, 'absent')[:12]}"
                                             for name in builds[:MOST_NAMED]), *(f"with {flag}" for flag in flags[:MOST_NAMED])])


def level_of(facts: Mapping[str, str]) -> str:
    """The highest dispatch level that the hosts can use."""
    usable = (level for level, needed in LEVELS if needed <= set(facts[INSTRUCTIONS].split()))
    return facts["dispatch"] if facts["dispatch"] != NATIVE else next(usable, "scalar")


@dataclasses.dataclass(frozen=True)
class Difference:
    """What differs in the environment of a host."""

    code: Annotated[str, Column(title="Host")]
    fact: Annotated[str, Column(title="Fact")]
    here: Annotated[str, Column(title="On this host")]
    others: Annotated[str, Column("What more than half of the other hosts of the class have.", title="Others of its class")]


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


def differences(host: str, of_class: Mapping[str, HostFigures]) -> Iterator[Difference]:
    own, others = of_class[host], [figures for name, figures in of_class.items() if name != host]
    facts = facts_of(own)
    for name, usual in usual_facts([*map(facts_of, others)]).items():
        if (here := facts.get(name, "absent")) != usual:
            yield Difference(host, name, here, usual)
    shares = [share for other in others if (share := other.clean_share) is not None]
    if own.clean_share is not None and shares and median(shares) - own.clean_share > FEWER_CLEAN:
        yield Difference(host, "clean samples", f"{own.clean_share * 100:.0f} %", f"{median(shares) * 100:.0f} %")


def usual_facts(all_facts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The facts that more than half of the hosts share."""
    usual = {}
    for name in dict.fromkeys(name for facts in all_facts for name in facts):
        value, count = collections.Counter(facts.get(name, "absent") for facts in all_facts).most_common(1)[0]
        if count * 2 > len(all_facts):
            usual[name] = value
    return usual


# The speeds of each class: in each case, the candidates by the rule in comparison/select.py, and one for all classes.

MEASURED_BY_MOST = 0.5  # in a class, a candidate is ranked only if more than this share of the hosts measured the candidate
ByHost = Mapping[str, Figure]


@dataclasses.dataclass(frozen=True)
class Ranking:
    case: Case
    host_class: HostClass
    figures: Mapping[Candidate, ByHost]  # of the candidates that are compared
    speeds: Mapping[Candidate, Estimate]
    selection: Selection[Candidate]
    left_out: Sequence[Candidate]  # measured by too few hosts


def rankings_of(classes: Iterable[HostClass]) -> list[Ranking]:
    """By case, then by class."""
    found = list[Ranking | None]()
    for one in classes:
        by_case: dict[Case, dict[Candidate, dict[str, Figure]]] = {}
        for host, run in one.counted.items():
            for (case, candidate), figure in run.figures.items():
                by_case.setdefault(case, {}).setdefault(candidate, {})[host] = figure
        found += [rank(case, one, figures) for case, figures in by_case.items()]
    return sorted(filter(None, found), key=lambda one: (one.case.k, one.case.m, one.case.size, one.case))


def rank(case: Case, host_class: HostClass, figures: Mapping[Candidate, ByHost]) -> Ranking | None:
    """None if no candidate was measured by more than half of the hosts."""
    hosts = len({name for of_hosts in figures.values() for name in of_hosts})
    ranked = {candidate: of_hosts for candidate, of_hosts in figures.items() if len(of_hosts) > MEASURED_BY_MOST * hosts}
    if not ranked:
        return None
    speeds = {candidate: speed_of(of_hosts.values()) for candidate, of_hosts in ranked.items()}
    compared = compared_figures(ranked, speeds, {} if host_class.clean_count else dict.fromkeys(speeds, 1.0))
    failed = {candidate for run in host_class.counted.values() for of_case, candidate in run.failed
              if of_case == case and candidate not in figures}
    return Ranking(case, host_class, ranked, speeds, select(compared, sorted(failed), candidates=list(speeds)),
                   [candidate for candidate in figures if candidate not in ranked])


def speed_of(figures: Iterable[Figure]) -> Estimate:
    """The median of the hosts. With fewer than FEWEST_VALUES, the interval is that of the speeds of all their placements and
    rounds."""
    figures = list(figures)
    hosts = [figure.gb_per_s for figure in figures]
    if len(hosts) >= FEWEST_VALUES:
        return estimate(hosts)
    rounds = [speed for figure in figures for speed in figure.rounds if speed == speed]
    speeds = [speed for figure in figures for speed in figure.speeds]
    low, high = figure_interval(rounds, max(figure.floor_percent for figure in figures), speeds) or (None, None)
    return Estimate(median(hosts), low, high, len(speeds))


def compared_figures(ranked: Mapping[Candidate, ByHost], speeds: Mapping[Candidate, Estimate],
                     disturbed: Mapping[Candidate, float]) -> Figures[Candidate]:
    """The values of each host; with fewer than FEWEST_VALUES hosts, those of each round of each host; with fewer rounds, the
    independent `speeds`."""
    for of_figure in (lambda figure: [figure.gb_per_s], lambda figure: figure.rounds):
        values: dict[Candidate, dict[Any, float]] = {
            candidate: {(name, number): speed for name, figure in of_hosts.items()
                        for number, speed in enumerate(of_figure(figure)) if speed == speed}
            for candidate, of_hosts in ranked.items()}
        rounds = Rounds.of_speeds(values, disturbed)
        if len(rounds.rounds) >= FEWEST_VALUES:
            return rounds
    return Unpaired(speeds, disturbed)


def for_all_classes(rankings: Iterable[Ranking]) -> Iterator[tuple[Ranking, Candidate]]:
    """For each case, the candidate whose largest loss of speed in a class is the smallest."""
    for _, group in itertools.groupby(rankings, lambda one: one.case):
        of_case = list(group)
        ratios = {candidate: [one.selection.verdict(candidate).ratio.median for one in of_case]
                  for candidate in sorted(set.intersection(*(set(one.selection.order) for one in of_case)))}
        losses = {candidate: (min(values), sum(values)) for candidate, values in ratios.items()}
        if losses:
            yield from ((one, max(losses, key=losses.__getitem__)) for one in of_case)
