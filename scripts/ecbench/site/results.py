"""The results of stored runs: for each CPU and case, the measured codes, ranked by the rule in comparison/select.py. If several
runs of a CPU have the same case, the run that compares the most libraries counts; among equals, the newest."""

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence

from ecbench.ceph.releases import PLUGINS
from ecbench.comparison import comparison
from ecbench.comparison.case import OF_CANDIDATES, Case, case_of
from ecbench.comparison.figures import Figures, figures_of
from ecbench.comparison.questions import FASTEST, TIE, UNCLEAR, tail_of
from ecbench.comparison.select import Selection, select
from ecbench.comparison.text import ratio_text
from ecbench.point.point import Planned, Point
from ecbench.point.wording import USUAL, figure_text, option_text, workload_text
from ecbench.runfile.libraries import WAYS, libisal_release, loaded_objects
from ecbench.runfile.rooflines import LIMIT, by_round, key_of, percents, rooflines_of
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary, summarize
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, median

ISA = "isa"
OF_CODES = (*OF_CANDIDATES, "codec_lib")
NOT_IN_TITLES = (*OF_CODES, "workload", "size", "erasures", "cache")


@dataclasses.dataclass(frozen=True, eq=False)
class Candidate(comparison.Candidate):
    library: str
    summary: PointSummary
    percent_of_limit: float | None

    @property
    def code(self) -> str:
        """Technique and packetsize."""
        packetsize = self.point.get("packetsize")
        return " ".join(filter(None, [self.point.get("technique"), packetsize and f"packetsize={packetsize}"]))

    @property
    def name(self) -> str:
        return self.library if self.code in ("", self.library) else f"{self.library} {self.code}"

    @property
    def is_in_ceph(self) -> bool:
        return self.point.plugin in PLUGINS and self.point.codec_lib is None

    @functools.cached_property
    def speed(self) -> Estimate:
        """As the tables of libraries and report: an interval over rounds if there are enough, else over buffer placements."""
        rounds = estimate([row.gb_per_s for row in self.rows])
        return rounds if rounds.count >= FEWEST_VALUES else self.summary.estimate


@dataclasses.dataclass(eq=False)
class Result:
    run: Run
    case: Case
    candidates: list[Candidate]  # without those that failed
    failed: list[Candidate] = dataclasses.field(default_factory=list)
    unmeasured: list[Candidate] = dataclasses.field(default_factory=list)

    @functools.cached_property
    def _measured(self) -> Figures[Candidate]:
        return figures_of({one: one.summary for one in self.candidates})

    @functools.cached_property
    def ranking(self) -> Selection[Candidate]:
        return select(self._measured, self.failed, name=lambda one: one.name, candidates=self.candidates,
                      unmeasured=self.unmeasured)

    @property
    def table(self) -> str:
        """The title of its table: workload, cache state and unusual options, such as "encode, warm"."""
        return ", ".join([workload_text(self.case.workload, self.case.erasures), self.case.cache, *self.case.extras])

    @property
    def libraries(self) -> set[str]:
        return {one.library for one in self.candidates}

    @property
    def is_comparison(self) -> bool:
        return len(self.libraries) > 1

    @property
    def first(self) -> Candidate:
        return self.ranking.first

    def best_of(self, library: str) -> Candidate | None:
        return next((one for one in self.ranking.order if one.library == library), None)

    def ratio_to_isa(self, candidate: Candidate) -> Estimate | None:
        """The speed of the candidate / the speed of the fastest code of ISA-L."""
        isa = self.best_of(ISA)
        if isa is None or isa is candidate:
            return None
        count = len(self.candidates)
        return self._measured.ratio(candidate, isa, tail_of(count * (count - 1) // 2))

    @functools.cached_property
    def ceph_ranking(self) -> Selection[Candidate]:
        """The codes that Ceph can load, ranked by the same rule."""
        loadable, failed, unmeasured = ([one for one in group if one.is_in_ceph]
                                        for group in (self.candidates, self.failed, self.unmeasured))
        return select(self._measured, failed, name=lambda one: one.name, candidates=loadable, unmeasured=unmeasured)

    @property
    def next_in_ceph(self) -> Candidate | None:
        """The fastest code of Ceph's other plugins."""
        order = self.ceph_ranking.order
        return next((one for one in order if one.point.plugin != order[0].point.plugin), None)

    @property
    def doubts(self) -> list[str]:
        """What makes the figures less certain than their intervals."""
        once = ["measured once"] if max(len(one.rows) for one in self.candidates) == 1 else []
        return [*once, *(["busy machine"] if self.run.header.environment.unfit else [])]

    @property
    def remarks(self) -> str:
        return "; ".join([self.certainty, *self.doubts])

    def verdict(self, candidate: Candidate) -> str:
        if self.ranking.is_conclusive and not self.is_comparison:
            return "not compared"
        if self.ranking.is_conclusive and candidate is self.first:
            return TIE if self.tied() else UNCLEAR if self.tied(unclear=True) else FASTEST
        return self.ranking.verdict(candidate).word

    def tied(self, unclear: bool = False) -> list[str]:
        """The other libraries that tie with the first, or that may be slower."""
        ties = dict.fromkeys(one.library for one in self.ranking.ties if (one in self.ranking.unclear) == unclear)
        return [name for name in ties if name != self.first.library]

    @property
    def certainty(self) -> str:
        """Why the first is called the fastest, and how much faster it is than the next library."""
        if self.ranking.inconclusive:
            return f"inconclusive: {self.ranking.inconclusive}"
        others = {one: ratio.inverse for one, ratio in self.ranking.ratios.items() if one.library != self.first.library}
        if not others:
            return "no other library was measured"
        if self.tied() or self.tied(unclear=True):
            texts = (f"tie with {', '.join(self.tied())}" if self.tied() else "",
                     f"unclear against {', '.join(self.tied(unclear=True))}" if self.tied(unclear=True) else "")
            return "; ".join(filter(None, texts))
        following = min(others, key=lambda one: others[one].median)
        return f"fastest of {len(self.libraries)}: {ratio_text(others[following], between=' to ')} × {following.library}"


def speed_text(candidate: Candidate) -> str:
    width = candidate.speed.width_percent
    return figure_text(candidate.speed.median) + candidate.mark + ("" if width is None else f"\u00a0±{width:.0f}\u00a0%")


def results_of(run: Run) -> Iterator[Result]:
    summaries, entries = summarize(run), run.header.points
    limits = rooflines_of(run)
    found: dict[Case, Result] = {}
    for entry, summary in zip(entries, summaries, strict=True):
        point = summary.point
        is_library = point.workload != LIMIT and entry.library not in WAYS
        if not is_library or summary.has_wrong_bytes:
            continue
        case = case_of(summary, titles_of(point), OF_CODES)
        result = found.setdefault(case, Result(run, case, []))
        rows = run.rows.get(summary.id, [])
        limit = {} if point.changed else limits.get(key_of(point, point.erasures or case.m), {})
        shares = percents(by_round(rows), limit)
        candidate = Candidate(point, rows, library_of(entry, run, point), summary,
                              median(shares) if shares else summary.percent_of_limit, shows_mark=summary.shows_mark)
        group = result.candidates if summary.gb_per_s else result.unmeasured if summary.is_unmeasured else result.failed
        group.append(candidate)
    yield from (result for result in found.values() if result.candidates)


def titles_of(point: Point) -> tuple[tuple[str, str], ...]:
    """The options that the title of a table contains."""
    return tuple((name, option_text(name, value)) for name, value in point.to_json().items()
                 if name not in NOT_IN_TITLES and value != USUAL.get(name))


def library_of(entry: Planned, run: Run, point: Point) -> str:
    """As the titles of libraries: a libisal from a directory is called "isa VERSION"."""
    if point.codec_lib is None:
        return entry.library or point.plugin
    return f"{point.plugin} {libisal_release(loaded_objects(run.rows.get(entry.id, ()))) or 'of another build'}"


def chosen(runs: Iterable[Run]) -> dict[str, list[Result]]:
    """Machine → its results, one for each case."""
    found: dict[str, dict[Case, Result]] = {}
    for run in sorted(runs, key=lambda run: run.header.started):
        of_machine = found.setdefault(run.header.machine.slug, {})
        for result in results_of(run):
            known = of_machine.get(result.case)
            if known is None or len(result.libraries) >= len(known.libraries):
                of_machine[result.case] = result
    return {slug: sorted(results.values(), key=order) for slug, results in sorted(found.items()) if results}


def by_table(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Encode is first, and warm is before cold."""
    found: dict[str, list[Result]] = {}
    for result in sorted(results, key=order):
        found.setdefault(result.table, []).append(result)
    return found


def order(result: Result) -> tuple[bool, str, bool, Case]:
    title = result.table
    return not title.startswith("encode"), title.replace("warm", "").replace("cold", ""), "cold" in title, result.case


def widest_run(results: Sequence[Result]) -> list[Result]:
    """The comparisons of the run that compares the most libraries in the most cases. A count of wins mixes no runs with different
    libraries."""
    by_run: dict[str, list[Result]] = {}
    for result in results:
        if result.is_comparison:
            by_run.setdefault(result.run.name, []).append(result)
    return max(by_run.values(), key=lambda of_run: sum(len(one.libraries) for one in of_run), default=[])
