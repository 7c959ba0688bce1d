"""The results of runs: for each CPU and case, the measured codes, ranked by the rule in comparison/select.py."""

import collections
import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ecbench.ceph.releases import PLUGINS
from ecbench.comparison.answer import listed
from ecbench.comparison.comparison import Case, case_of
from ecbench.comparison.figures import CHANGE, INCONCLUSIVE, SLOWER, UNCLEAR, Rounds, figures_of, ratio_text
from ecbench.comparison.select import Selection, select
from ecbench.experiment.experiment import FIGURES, Experiment
from ecbench.experiment.results import Results, experiment_of
from ecbench.point.point import DEFAULT_OPTIONS, Planned, Point, figure_text, number_text
from ecbench.runfile import summary as run_summary
from ecbench.runfile.header import generation
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import GB_PER_S, PointSummary, summarize
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

NO_OPTIONS = ("dispatch", "cache")  # a candidate has the dispatch level
KINDS = IN_CEPH, OTHER, OWN = "in Ceph", "other library", "ecbench's simd"
OWN_PLUGIN = "simd"
FAILED, NOT_MEASURED = "failed", "not measured"
NAMED_TIES = 3
LOPSIDED = 1.0  # percent of the figure
WHAT_TO_DO = "measure again with more --rounds"
USUAL_VALUES = ("", "false", "auto")

Varying = Mapping[tuple[str, str], set[str]]  # plugin and technique → parameters that have several values for the same k and m


@dataclasses.dataclass(frozen=True, eq=False)
class Candidate:
    point: Point
    library: str
    parameters: str  # those that vary within the technique, such as w=16
    summary: PointSummary
    speed: Estimate  # an interval over rounds if there are enough, else over buffer placements
    limit: float | None  # GB/s of the roofline
    percent_of_limit: float | None
    rows: Sequence[Row] = ()
    column: str = GB_PER_S  # the figure that the run compares

    def middle(self, column: str) -> float | None:
        return run_summary.median_of(getattr(row, column) for row in self.rows)

    @property
    def series(self) -> str:
        """The library and the code without its packetsize."""
        technique = self.point.get("technique") or ""
        words = [self.library, "" if technique == self.library else technique, self.parameters]
        return " ".join(word for word in words if word)

    @property
    def packetsize(self) -> int | None:
        return int(self.point.get("packetsize") or 0) or None

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return self.series + (f" packetsize={self.packetsize}" if self.packetsize else "")

    @property
    def interval(self) -> str:
        """±, or the ends if one of them is farther away than ± says."""
        low, high, width = self.speed.low, self.speed.high, self.speed.width_percent
        if low is None or high is None or width is None:
            return ""
        middle = self.speed.median
        farther = 100 * max(high - middle, middle - low) / middle
        return f"±{number_text(width)} %" if farther - width <= LOPSIDED else f"({figure_text(low)} to {figure_text(high)})"

    @property
    def figure(self) -> str:
        if self.column != GB_PER_S:
            return f"{figure_text(self.middle(self.column))}{self.summary.mark} {FIGURES[self.column]}"
        return f"{figure_text(self.speed.median)}{self.summary.mark} GB/s {self.interval}".rstrip()

    @property
    def state(self) -> str:
        """Why it has no figure; "" if it has one."""
        if self.summary.has_wrong_bytes:
            return "WRONG BYTES"
        has_figure = self.summary.gb_per_s and (self.column == GB_PER_S or self.middle(self.column))
        return "" if has_figure else NOT_MEASURED if self.summary.is_unmeasured else FAILED

    @property
    def kind(self) -> str:
        if self.point.plugin in PLUGINS and self.point.codec_lib is None:
            return IN_CEPH
        return OWN if self.point.plugin == OWN_PLUGIN else OTHER


@dataclasses.dataclass(eq=False)
class Result:
    run: Run
    cpu: str
    case: Case
    all: list[Candidate] = dataclasses.field(default_factory=list)
    results: Results | None = None  # of the experiment; old runs have none
    whole: "Result | None" = None  # the case with all its candidates

    @functools.cached_property
    def experiment(self) -> Experiment:
        return experiment_of(self.run)

    @property
    def is_change(self) -> bool:
        """Whether candidates are compared with a reference."""
        return self.experiment.question == CHANGE

    def having(self, state: str) -> list[Candidate]:
        return [one for one in self.all if one.state == state]

    def only(self, kept: Callable[[Candidate], bool]) -> "Result":
        """The case with some of the candidates."""
        return dataclasses.replace(self, all=list(filter(kept, self.all)), whole=self.whole or self)

    @functools.cached_property
    def candidates(self) -> list[Candidate]:
        """Those with a figure."""
        return self.having("")

    @functools.cached_property
    def ranking(self) -> Selection[Candidate]:
        figures = figures_of({one: one.summary for one in self.candidates})
        if self.experiment.figure != GB_PER_S:
            figures = Rounds.of_rows({one: one.rows for one in self.candidates}, self.experiment.figure)
        return select(figures, self.having(FAILED), self.candidates, self.having(NOT_MEASURED), self._compared)

    def _compared(self, one: Candidate, other: Candidate) -> int:
        """How many candidates are compared with both, by the run or else in the case: a pair has one verdict in all tables."""
        if not self.results:
            return len(self.candidates)
        cases = [self.results.of_points[identity] for identity in (one.summary.id, other.summary.id)]
        return len((cases[0] if cases[0] is cases[1] else self.whole or self).candidates)

    @functools.cached_property
    def of_ceph(self) -> "Result":
        return self.only(lambda one: one.kind == IN_CEPH)

    @property
    def first(self) -> Candidate | None:
        return next(iter(self.ranking.order), None)

    @property
    def libraries(self) -> set[str]:
        return {one.library for one in self.candidates}

    @property
    def doubts(self) -> str:
        """What makes the figures less certain than their intervals."""
        once = ["measured once"] if max((one.summary.repetitions for one in self.candidates), default=0) == 1 else []
        return "".join(f"; {doubt}" for doubt in [*once, *(["busy machine"] if self.run.header.environment.unfit else [])])

    def verdict(self, one: Candidate | None) -> str:
        """On the first of all, or of those in Ceph; "" for others. If the question is `change`: on each."""
        if self.results and one and self.is_change:
            return self.results.change_text(one.summary.id)
        if one is self.first:
            return standing(self.ranking, has_advice=True) + self.doubts
        return standing(self.of_ceph.ranking) if one is self.of_ceph.first else ""

    def certainty(self, one: Candidate) -> str:
        """The verdict on a candidate, and the ratio on which it is based."""
        if one is self.first or self.is_change:
            return self.verdict(one)
        texts, found = [], self.ranking.verdict(one)
        if not self.ranking.inconclusive:
            word = "" if found.word == SLOWER else f"{found.word}, "
            texts.append(f"{word}{ratio_text(found.ratio, between=' to ')} × {self.ranking.first.name}")
        if one is self.of_ceph.first:
            texts.append(f"in Ceph {self.verdict(one)}")
        return "; ".join(texts)


def standing(found: Selection[Candidate], has_advice: bool = False) -> str:
    """The verdict on the first of a ranking. `has_advice`: what to do if it is inconclusive."""
    if found.inconclusive:
        return found.inconclusive.text(WHAT_TO_DO) if has_advice else f"{INCONCLUSIVE}: {found.inconclusive}"
    if not found.ratios:
        return "nothing else was measured"
    if found.ties:
        names = list(dict.fromkeys(one.name + f" ({UNCLEAR})" * (one in found.unclear) for one in found.ties))
        return f"tie with {listed(names, NAMED_TIES)}"
    following = max(found.ratios, key=lambda one: found.ratios[one].median)
    return f"fastest: {ratio_text(found.ratios[following].inverse, between=' to ')} × {following.name}"


def varying_parameters(runs: Iterable[Run]) -> Varying:
    profiles: dict[Any, list[set[tuple[str, str]]]] = collections.defaultdict(list)
    for point in (point for run in runs for point in run.points.values()):
        profiles[point.plugin, point.get("technique", ""), point.get("k"), point.get("m")].append(set(point.profile))
    varying: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    for (plugin, technique, _, _), found in profiles.items():
        varying[plugin, technique] |= {key for key, _ in found[0].union(*found) - found[0].intersection(*found)} - {"packetsize"}
    return varying


def results_of(run: Run, cpu: str, varying: Varying) -> list[Result]:
    """One for each case, in the order of the run."""
    limits, found = run_summary.rooflines_of(run), dict[Case, Result]()
    of_run = Results.of_run(run) if run.header.experiment else None
    for entry, summary in zip(run.header.points, summarize(run), strict=True):
        if summary.point.workload != run_summary.LIMIT and entry.library not in run_summary.WAYS:
            case = case_of(summary.point, summary.row, NO_OPTIONS)
            result = found.setdefault(case, Result(run, cpu, case, [], of_run))
            key = run_summary.key_of(summary.point, summary.point.erasures or case.m)
            roofline = {} if summary.point.changed else limits.get(key, {})
            result.all.append(candidate_of(entry, summary, run, roofline, varying))
    return list(found.values())


def candidate_of(entry: Planned, summary: PointSummary, run: Run, roofline: Mapping[int, float], varying: Varying) -> Candidate:
    point, rows = summary.point, run.rows.get(summary.id, [])
    shares = run_summary.percents(summary.speeds, roofline)
    over_rounds = estimate([row.gb_per_s for row in rows])
    shown = varying.get((point.plugin, point.get("technique", "")), ())
    parameters = [f"{key}={value}" for key, value in point.profile if key in shown and value not in USUAL_VALUES]
    parameters += [f"dispatch={point.dispatch}"] if point.dispatch != DEFAULT_OPTIONS["dispatch"] else []
    return Candidate(point, library_of(entry, run, point), " ".join(parameters), summary,
                     over_rounds if over_rounds.count >= FEWEST_VALUES else summary.estimate,
                     median(roofline.values()) if roofline else summary.limit_gb_per_s,
                     median(shares) if shares else summary.percent_of_limit, rows, experiment_of(run).figure)


def library_of(entry: Planned, run: Run, point: Point) -> str:
    """A libisal from a directory is called "isa VERSION"."""
    if point.codec_lib is None:
        return entry.library or point.plugin
    release = run_summary.libisal_release(run.rows.get(entry.id, ()))
    return f"{point.plugin} {release or 'of another build'}"


def distinct(ways: Sequence[Sequence[str]], count: int) -> Sequence[str]:
    """The first of the ways to name something that has so many names; else the last."""
    return next((names for names in ways if len(set(names)) == count), ways[-1])


def cpu_labels(runs: Sequence[Run]) -> Sequence[str]:
    """A name for the CPU of each run. Runs of one CPU have the same."""
    of_slug = {run.header.machine.slug: run.header.machine for run in runs}
    machines = [of_slug[run.header.machine.slug] for run in runs]
    return distinct([[generation(one) or one.cpu for one in machines], [one.cpu for one in machines],
                     [f"{one.cpu} ({one.slug})" for one in machines]], len(of_slug))


def run_labels(runs: Sequence[Run]) -> Sequence[str]:
    """The name of the CPU, with details if several runs have the same CPU."""
    ways = [cpus := cpu_labels(runs), [f"{cpu}, {run.name}" for cpu, run in zip(cpus, runs)],
            [f"{cpu}, {run.name}, {run.header.started}" for cpu, run in zip(cpus, runs)]]
    return distinct([*ways, [f"{label}, {number}" for number, label in enumerate(ways[-1], 1)]], len(runs))


def labelled_results(runs: Sequence[Run], merges: bool) -> tuple[Sequence[str], list[Result]]:
    """The labels of the runs, and their results. `merges`: runs of one CPU have the same label."""
    labels = cpu_labels(runs) if merges else run_labels(runs)
    return labels, [result for run, label in zip(runs, labels, strict=True)
                    for result in results_of(run, label, varying_parameters([run] if merges else runs))]


def chosen(results: Iterable[Result]) -> Iterator[Result]:
    """One for each CPU and case: that of the run that compares the most libraries; among equals, the newest."""
    found: dict[tuple[str, Case], Result] = {}
    for result in sorted(results, key=lambda one: one.run.header.started):
        known = found.get((result.cpu, result.case))
        if known is None or len(result.libraries) >= len(known.libraries):
            found[result.cpu, result.case] = result
    yield from sorted(found.values(), key=lambda one: (one.cpu, one.case))
