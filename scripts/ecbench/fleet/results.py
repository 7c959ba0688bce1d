"""The report on a fleet, as dataclasses: fleet report --format json prints it, and fleet --schema its schema. For each case: the
fastest profile of each class and one for all classes."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from ecbench.comparison.comparison import Case
from ecbench.comparison.figures import Rounds, Unpaired, interval_of
from ecbench.comparison.select import Selection, select
from ecbench.documents.document import ABSENT, HIDDEN, Interval, Key
from ecbench.fleet import figures
from ecbench.fleet.classes import HostClass, SlowHost, classes_of, deviations_of, slow_hosts
from ecbench.fleet.collection import Collection, Host, Rejected
from ecbench.fleet.figures import ALL_WORKLOADS, Figure
from ecbench.runfile.summary import figure_interval
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

FORMAT = "ecbench fleet report 1"
MEASURED_BY_MOST = 0.5  # in a class, a candidate is ranked only if more than this share of the hosts measured the candidate
ByCandidate = dict[figures.Candidate, dict[str, Figure]]  # candidate → host → figure


@dataclasses.dataclass(frozen=True, kw_only=True)
class Candidate:
    name: str
    library: Annotated[str, Key("The name of the library; only in runs of libraries.")] = ABSENT
    plugin: str = ABSENT
    profile: dict[str, str] = ABSENT
    codec_lib: str | None = ABSENT


@dataclasses.dataclass(frozen=True, kw_only=True)
class Profile(Candidate):
    gb_per_s: Annotated[Interval, Key("The median of the speeds of the hosts.")]
    spread_percent: Annotated[float | None, Key("By how many percent the fastest host is faster than the slowest host; null "
                                                "if there is only one host.")]
    ratio_to_fastest: Annotated[Interval | None, Key("The speed of this profile / the speed of the fastest profile, compared "
                                                     "on the same hosts; null for the fastest profile.")]
    tie: Annotated[bool, Key("true if the profile is not significantly different from the fastest profile.")]
    hosts: Annotated[dict[str, float], Key("Name of each host and its GB/s.")]


@dataclasses.dataclass(frozen=True)
class ClassResult:
    host_class: Annotated[str, Key(name="class")]
    is_clean: Annotated[bool, Key("false if no host of the class has clean figures.")]
    fastest: Candidate
    inconclusive: Annotated[str | None, Key("Why it is not known which profile is the fastest; null if this is known.")]
    profiles: Annotated[list[Profile], Key("The profiles that were compared. The fastest profile is the first.")]
    left_out: Annotated[list[Candidate], Key("Profiles that were measured by at most half of the hosts. They are not compared.")]
    ranking: Annotated[Selection[figures.Candidate], HIDDEN]


@dataclasses.dataclass(frozen=True)
class Cost:
    host_class: Annotated[str, Key(name="class")]
    ratio_to_fastest: Interval
    cost_percent: Annotated[float, Key("By how many percent the profile is slower than the fastest profile of the class.")]


@dataclasses.dataclass(frozen=True)
class ForAll:
    profile: Candidate
    classes: list[Cost]


@dataclasses.dataclass(frozen=True)
class CaseResult:
    k: str
    m: str
    size: Annotated[int, Key("Bytes of the object.", least=0)]
    workload: Annotated[str | None, Key("null in runs of tune: each figure is the harmonic mean over all workloads of the run.")]
    erasures: Annotated[int, Key(least=0)]
    options: Annotated[dict[str, str], Key("Options that do not have their default value, such as cache.")]
    title: str
    classes: list[ClassResult]
    for_all_classes: Annotated[ForAll | None, Key("One profile for all classes: the profile whose largest cost_percent in a "
                                                  "class is the smallest. null if no profile was measured in all classes.")]


@dataclasses.dataclass(frozen=True)
class HostResult:
    host: str
    state: Annotated[str | None, Key("The state in host.json; null if this file does not exist.")]
    exit_code: int | None
    files: Annotated[list[str], Key("The run files of this host that were read.")]
    rows: Annotated[int, Key(least=0)]
    failures: Annotated[int, Key(least=0)]
    disturbed_share: Annotated[float | None, Key("The share of the rows that were disturbed by other programs.")]
    clean_sample_share: float | None
    cpu_share: Annotated[float | None, Key("CPU time / wall clock time of the samples. Only rows with one thread are used.")]
    is_clean: bool
    notes: list[str]


@dataclasses.dataclass(frozen=True)
class Missing:
    host: str
    why: str


@dataclasses.dataclass(frozen=True)
class WrongBytes:
    host: str
    point: str


@dataclasses.dataclass(frozen=True)
class Results:
    format: Annotated[str, Key(words=(FORMAT,))]
    folder: Annotated[str, Key("The path of the results directory.")]
    classes: Annotated[list[HostClass], Key("The classes of hosts. The class with the most hosts is the first.")]
    cases: list[CaseResult]
    outliers: Annotated[list[SlowHost], Key("Hosts that differ from their class. The slowest host is the first.")]
    hosts: list[HostResult]
    missing: Annotated[list[Missing], Key("Hosts for which all or some figures are missing.")]
    unclean: Annotated[list[str], Key("Hosts that have figures, but whose measurements were disturbed too much by other programs.")]
    wrong_bytes: list[WrongBytes]
    rejected: list[Rejected]
    ratios: Annotated[dict[str, float], HIDDEN]  # clean host → the median of its figures / those of its class


def results_of(collection: Collection) -> Results:
    hosts = collection.hosts
    measured = [host for host in hosts if host.figures and host.figures.all]
    classes = classes_of(measured)
    by_class = [(one, figures_by_case(one)) for one in classes]
    cases = sorted({case for _, by_case in by_class for case in by_case},  # k and m as texts: 10+4 is before 2+1
                   key=lambda case: (str(case.k), str(case.m), case.size, case.workload, case.erasures, case.options))
    deviations = deviations_of(classes)
    return Results(
        FORMAT, str(collection.folder), classes, [case_result(case, by_class) for case in cases], slow_hosts(classes, deviations),
        [*map(host_result, hosts)], [Missing(host.name, host.why_missing) for host in hosts if host.why_missing],
        [host.name for host in measured if not host.is_clean],
        [WrongBytes(host.name, point) for host in hosts if host.figures for point in host.figures.wrong_bytes],
        [*collection.rejected, *(one for host in hosts for one in host.rejected)],
        {host: math.exp(median(values.values())) for of_class in deviations.values()
         for host, values in of_class.relative.items() if values})


def host_result(host: Host) -> HostResult:
    found = host.figures
    state, code = (host.state.state, host.state.exit_code) if host.state else (None, None)
    if not found:
        return HostResult(host.name, state, code, [], 0, 0, None, None, None, host.is_clean, host.notes)
    return HostResult(host.name, state, code, found.files, found.rows, found.failures, found.disturbed_share, found.clean_share,
                      found.cpu_share, host.is_clean, host.notes)


def figures_by_case(host_class: HostClass) -> dict[Case, ByCandidate]:
    """The clean figures of a class; all figures if the class has no clean host."""
    found: dict[Case, ByCandidate] = {}
    for host, of_host in host_class.counted.items():
        for (case, candidate), figure in (of_host.clean if host_class.clean else of_host.all).items():
            found.setdefault(case, {}).setdefault(candidate, {})[host] = figure
    return found


def case_result(case: Case, by_class: Sequence[tuple[HostClass, dict[Case, ByCandidate]]]) -> CaseResult:
    found = [one for host_class, by_case in by_class if case in by_case and (one := class_result(case, host_class, by_case[case]))]
    workload = None if case.workload == ALL_WORKLOADS else case.workload
    return CaseResult(str(case.k), str(case.m), case.size, workload, case.erasures, dict(case.options), case.title, found,
                      for_all(found))


def class_result(case: Case, host_class: HostClass, by_candidate: ByCandidate) -> ClassResult | None:
    """None if no candidate was measured by more than half of the hosts."""
    hosts = len({name for of_hosts in by_candidate.values() for name in of_hosts})
    ranked = {candidate: of_hosts for candidate, of_hosts in by_candidate.items() if len(of_hosts) > MEASURED_BY_MOST * hosts}
    if not ranked:
        return None
    estimates = {candidate: class_estimate(of_hosts) for candidate, of_hosts in ranked.items()}
    measured = measured_by(ranked, estimates)
    measured.disturbed = {} if host_class.clean else dict.fromkeys(estimates, 1.0)
    failed = {candidate for of_host in host_class.counted.values() for of_case, candidate in of_host.failed
              if of_case == case and candidate not in by_candidate}
    found = select(measured, sorted(failed), candidates=list(estimates))
    profiles = []
    for candidate in found.order:
        speeds = {host: figure.gb_per_s for host, figure in ranked[candidate].items()}
        spread = (max(speeds.values()) / min(speeds.values()) - 1) * 100 if len(speeds) > 1 else None
        profiles.append(Profile(**candidate.to_json(), gb_per_s=interval_of(estimates[candidate]), spread_percent=spread,
                                ratio_to_fastest=interval_of(found.ratios.get(candidate)), tie=candidate in found.ties,
                                hosts=speeds))
    return ClassResult(host_class.name, bool(host_class.clean), Candidate(**found.first.to_json()),
                       str(found.inconclusive) if found.inconclusive else None, profiles,
                       [Candidate(**candidate.to_json()) for candidate in by_candidate if candidate not in ranked], found)


def class_estimate(of_hosts: Mapping[str, Figure]) -> Estimate:
    """The median of the hosts. With fewer than FEWEST_VALUES, the interval is that of the speeds of all their placements and
    rounds."""
    hosts = [figure.gb_per_s for figure in of_hosts.values()]
    if len(hosts) >= FEWEST_VALUES:
        return estimate(hosts)
    rounds = [speed for figure in of_hosts.values() for speed in figure.rounds if speed == speed]
    speeds = [speed for figure in of_hosts.values() for speed in figure.speeds]
    low, high = figure_interval(rounds, max(figure.floor_percent for figure in of_hosts.values()), speeds) or (None, None)
    return Estimate(median(hosts), low, high, len(speeds))


def measured_by(ranked: Mapping[figures.Candidate, Mapping[str, Figure]],
                estimates: Mapping[figures.Candidate, Estimate]) -> Rounds | Unpaired[figures.Candidate]:
    """The values that select() compares: those of each host; with fewer than FEWEST_VALUES hosts, those of each round of each
    host; with fewer rounds, the independent `estimates`."""
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
    return Unpaired(estimates)


def for_all(classes: Sequence[ClassResult]) -> ForAll | None:
    """The candidate whose largest loss of speed in a class is the smallest."""
    shared = set.intersection(*(set(one.ranking.order) for one in classes)) if classes else set()
    choices = [(candidate, {one.host_class: one.ranking.verdict(candidate).ratio for one in classes})
               for candidate in sorted(shared)]
    if not choices:
        return None
    best, costs = max(choices, key=lambda choice: (min(cost.median for cost in choice[1].values()),
                                                   sum(cost.median for cost in choice[1].values())))
    return ForAll(Candidate(**best.to_json()),
                  [Cost(name, interval_of(cost), (1 - cost.median) * 100) for name, cost in costs.items()])
