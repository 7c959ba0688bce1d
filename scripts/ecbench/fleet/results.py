"""The results of a fleet: for each case, the fastest profile of each class and one for all classes; the hosts that differ."""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence

from ecbench.comparison.case import Case
from ecbench.comparison.figures import Rounds, Unpaired
from ecbench.comparison.questions import OUTLIER, SELECT
from ecbench.comparison.select import Selection, select
from ecbench.fleet.cases import Candidate
from ecbench.fleet.classes import HostClass, classes_of, short_names
from ecbench.fleet.collection import Collection, Host
from ecbench.fleet.host_figures import Figure
from ecbench.fleet.slow_hosts import SlowHost, deviations_of, slow_hosts
from ecbench.runfile.summary import figure_interval
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

QUESTIONS = (SELECT, OUTLIER)
MEASURED_BY_MOST = 0.5  # in a class, a candidate is ranked only if more than this share of the hosts measured the candidate


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


ByCandidate = dict[Candidate, dict[str, Figure]]  # candidate → host → figure


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


def for_all(classes: Sequence[ClassCase], allows: Callable[[Candidate], bool] = lambda _: True) -> ForAll | None:
    """The candidate whose largest loss of speed in a class is the smallest."""
    shared = set.intersection(*(set(one.figures) for one in classes)) if classes else set()
    choices = [ForAll(candidate, {one.host_class.name: one.ranking.verdict(candidate).ratio for one in classes})
               for candidate in sorted(shared) if allows(candidate)]
    return max(choices, key=lambda choice: (choice.worst, sum(one.median for one in choice.costs.values())), default=None)
