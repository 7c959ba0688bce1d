"""The page about runs: the speed of each code, the fastest in each case, and the packetsizes."""

import collections
import dataclasses
import functools
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from ecbench.comparison import select
from ecbench.comparison.figures import INCONCLUSIVE
from ecbench.comparison.select import Selection
from ecbench.experiment.running import how_to_measure_more
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page
from ecbench.page.charts import COLOURS
from ecbench.page.results import KINDS, NOT_MEASURED, Candidate, Result, chosen, labelled_results, standing
from ecbench.point.point import figure_text, number_text, size_text, workload_text
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import LATENCIES, Marks, PointSummary, all_rows, codes_of, environment_rows, summarize
from ecbench.statistics.interval import median
from ecbench.terminal.console import number_of

ADVISED = 3072  # this packetsize was the fastest in the benchmark of 2013
FASTEST, A_TIE = "is the fastest", ", a tie"  # of ADVISED
MOST_TROUBLES = 20
USUAL_CASE = ("8+3", "6+2", "4+2")
MANY_LIBRARIES = 5
REFERENCE = "isa"
CASE = ("cpu", "shape", "size", "workload", "cache", "options")


@dataclasses.dataclass(frozen=True)
class CaseColumns:
    """The columns of all rows."""

    cpu: Annotated[str, Column(title="CPU", is_filter=True)]
    shape: Annotated[str, Column("Data and coding chunks.", title="k+m", is_filter=True)]
    size: Annotated[int, Column("Of the object.", title="Object", form=Form.BYTES, is_filter=True)]
    workload: Annotated[str, Column(title="Workload", is_filter=True)]
    cache: Annotated[str, Column("warm: each call uses the same chunks; cold: chunks that are not in the cache.", title="Cache",
                                 is_filter=True)]
    options: Annotated[str, Column(title="Options", is_filter=True)]


@dataclasses.dataclass(frozen=True)
class Speed:
    """The speed of a code. null: not measured."""

    code: Annotated[str, Column("Library, technique and parameters.", title="Code")]
    gb_per_s: Annotated[float | None, Column("10^9 bytes of the object per second on one core; the median.", title="GB/s",
                                             form=Form.FIGURE, is_early=True)]
    mark: Annotated[str, Column("Whether a measurement had warnings.", title="!")]
    interval_percent: Annotated[float | None, Column("Half the width of the 95 % interval.", title="±%", form=Form.PERCENT)]
    p50: Annotated[float | None, Column("Latency that 50 % of the operations do not exceed.", title="p50 µs", form=Form.FIGURE)]
    p95: Annotated[float | None, Column(title="p95 µs", form=Form.FIGURE)]
    p99: Annotated[float | None, Column(title="p99 µs", form=Form.FIGURE)]
    percent_of_limit: Annotated[float | None, Column("Of a loop that reads k chunks, XORs them and writes m.",
                                                     title="% of roofline", form=Form.PERCENT)]
    cores: Annotated[float | None, Column("CPU cores for 100 Gbit/s; encode: with the CRC32C of all chunks, if measured.",
                                          title="cores/100G", form=Form.FIGURE)]
    code_percent: Annotated[float | None, Column("Share of the code in these cores.", title="% code", form=Form.PERCENT)]
    certainty: Annotated[str, Column("By the rule of docs/statistics.md, for the question of the run.", title="Verdict", wraps=True,
                                     is_early=True)]
    low: Annotated[float | None, Column("Ends of the 95 % interval.", title="from", form=Form.FIGURE, is_detail=True)]
    high: Annotated[float | None, Column(title="to", form=Form.FIGURE, is_detail=True)]
    interval: Annotated[str, Column(is_hidden=True)]  # as text
    verdict: Annotated[str, Column(is_hidden=True)]


@dataclasses.dataclass(frozen=True)
class PointRow(CaseColumns, Speed):
    library: Annotated[str, Column(title="Library", is_filter=True)]
    kind: Annotated[str, Column("Whether Ceph can load it.", title="Kind", is_filter=True)]
    packetsize: Annotated[int | None, Column("Bytes.", title="Packetsize", form=Form.WHOLE)]
    padding: Annotated[float | None, Column("In percent of the object.", title="Padding %", form=Form.PERCENT)]
    repetitions: Annotated[int, Column("Measurements of the point.", title="Rounds", form=Form.WHOLE)]
    kernel: Annotated[str, Column(title="Kernel")]
    warnings: Annotated[str, Column(title="Warnings")]
    run: Annotated[str, Column(title="Run")]
    command: Annotated[str, Column("It measures the point again.", title="Command")]
    limit: Annotated[float | None, Column(title="Roofline GB/s", form=Form.FIGURE, is_detail=True)]


@dataclasses.dataclass(frozen=True)
class CaseRow(Speed, CaseColumns):
    """The fastest code of a case, and the fastest that Ceph can load."""

    in_ceph: Annotated[str, Column("The fastest that Ceph can load.", title="In Ceph")]
    ceph_gb_per_s: Annotated[float | None, Column(title="GB/s in Ceph", form=Form.FIGURE)]
    ceph_mark: Annotated[str, Column(title="! in Ceph")]
    ceph_certainty: Annotated[str, Column("Among the codes that Ceph can load.", title="Verdict in Ceph", wraps=True)]


@dataclasses.dataclass(frozen=True)
class ChangeRow(Speed, CaseColumns):
    """A candidate, compared with the reference."""


@dataclasses.dataclass(frozen=True)
class PacketsizeRow(CaseColumns):
    """The fastest packetsize of a technique in a case."""

    code: Annotated[str, Column(title="Technique", is_filter=True)]
    packetsize: Annotated[int | None, Column("null: inconclusive.", title="Fastest packetsize", form=Form.WHOLE,
                                             is_early=True)]
    gb_per_s: Annotated[float | None, Column(title="GB/s", form=Form.FIGURE, is_early=True)]
    mark: Annotated[str, Column(title="!")]
    interval_percent: Annotated[float | None, Column(title="±%", form=Form.PERCENT)]
    ties: Annotated[str, Column("Packetsizes that are not significantly slower.", title="Ties", wraps=True)]
    advised: Annotated[str, Column("Packetsize 3072, the advice of 2013, compared with the fastest.", title="3072",
                                   is_early=True)]


BARS = Chart(Kind.BARS, "GB/s", "gb_per_s", "low", "high", "limit", "figure", colour="kind", colours=KINDS)
RATIOS = Chart(Kind.RATIOS, "Ratios", "ratio_to_the_reference", "ratio_low", "ratio_high", text="ratio_text", colour="kind",
               colours=KINDS, of="gb_per_s")


def along(axis: str, name: str) -> Chart:
    return Chart(Kind.LINES, f"GB/s along the {name}", "gb_per_s", "low", "high", "limit", "figure", x=axis, most=len(COLOURS))


def heat(x: str, y: str, name: str, inside: str = "") -> Chart:
    return Chart(Kind.HEAT, f"Heat map: {name}", "gb_per_s", text="figure", x=x, y=y, inside=inside)


class Runs:
    """`merges`: of several runs of a CPU with the same case, only one is shown; see chosen(). Otherwise, all are shown."""

    def __init__(self, runs: Sequence[Run], merges: bool = False) -> None:
        self.runs, self.merges = runs, merges
        self.labels, self.all = labelled_results(runs, merges)
        self.results = list(chosen(self.all)) if merges else self.all

    @functools.cached_property
    def start(self) -> Result | None:
        """The case that is shown first: that of most libraries; among equals, a usual one."""
        def order(result: Result) -> tuple[Any, ...]:
            case = result.case
            return (not case_columns(result)["options"], case.workload == "encode", case.cache == "warm",
                    len(result.libraries) >= MANY_LIBRARIES, -[*USUAL_CASE, case.shape].index(case.shape),
                    -abs(case.size / (1 << 20) - 1), len(result.libraries), len(result.candidates))
        return max((one for one in self.results if one.candidates), key=order, default=None)

    def page(self, mode: str, more: Page | None = None) -> Page:
        """`more`: what comes first."""
        before = more or Page(mode, "", [], [])
        names = self.labels if len(self.runs) > 1 else []
        title = " and ".join(dict.fromkeys(run.name for run in self.runs)) if len(self.runs) < 4 else f"{len(self.runs)} runs"
        own = self.runs[0].header.experiment.get("title") if len(self.runs) == 1 else ""
        facts = [dict(environment_rows(run)) for run in self.runs]
        rows = dict.fromkeys(name for of_run in facts for name in of_run)
        heads = [f"{label}, {run.name}" for label, run in zip(names, self.runs)] if self.merges else names
        of_runs = [(label, lines) for label, run in zip(heads or [""], self.runs, strict=True) if (lines := troubles(run))]
        blocks = [*before.blocks, self.points(), self.cases(), self.changes(), self.sweep(), self.packetsizes()]
        return Page(mode, own or title, [*before.answers, *self.answers()], blocks, [*before.troubles, *of_runs], heads,
                    [(name, [of_run.get(name, "-") for of_run in facts]) for name in rows],
                    [run.path for run in self.runs], any(run.wrong_bytes() for run in self.runs), self.noise())

    def noise(self) -> str:
        """How noisy the figures of each CPU are."""
        found = [(result.cpu, one) for result in self.results for one in result.candidates]
        widths = collections.defaultdict[str, list[float]](list)
        for cpu, one in found:
            widths[cpu] += [one.speed.width_percent] if one.speed.width_percent and not one.point.pace else []
        texts = [f"±{number_text(median(of_cpu))} %" + f" on {cpu}" * (len(widths) > 1) for cpu, of_cpu in widths.items() if of_cpu]
        warned = with_warnings([one for run in self.runs for one in summarize(run)])
        return f"Noise (median): {', '.join(texts) or 'unknown'}. {warned}." if found else ""

    def answers(self) -> list[str]:
        """One for each CPU, and that of the experiment of a run."""
        if not (start := self.start):
            return ["No point has a figure."]
        others = [one for one in self.results if one.cpu != start.cpu and one.case == start.case and one.candidates]
        asked = [run.header.experiment.get("candidate", run.header.grid.split()[:1]) for run in self.runs]  # old runs: only a grid
        fastest = self.fastest_packetsizes(start) if asked == [["packetsize"]] else []
        fastest += [headline(one) for one in (start, *others) if not one.is_change]
        return fastest + [line for one in (start, *others) if one.results and (one.is_change or len(self.runs) == 1)
                          for line in list(one.results.lines(how_to_measure_more(one.run)))[-1:]]  # the last one is the answer

    def tallies(self) -> Iterator[str]:
        """In how many cases each code is the fastest, for each CPU."""
        for cpu in dict.fromkeys(result.cpu for result in self.results):
            found = [result for result in self.results if result.cpu == cpu and not result.is_change
                     and len({one.series for one in result.candidates}) > 1]
            if len(found) > 1:
                yield select.tally(cpu, "code", [one.ranking for one in found], lambda one: one.series)

    def points(self) -> Block:
        """Each code with its fastest packetsize only."""
        rows = []
        for result in self.results:
            best: dict[str, Candidate] = {}
            for one in result.ranking.order:
                best.setdefault(one.series, one)
            rows += [point_row(result, one) for one in (*best.values(), *(one for one in result.all if one.state))]
        of_sizes = [along("size", "object size"), heat("size", "code", "code × object size")]
        charts = [BARS, RATIOS, *(of_sizes if several(row.size for row in rows) else []),
                  *([heat("shape", "code", "code × k+m")] if several(row.shape for row in rows) else [])]
        names = [one.name for one in self.start.ranking.order] if self.start else [""]
        reference = next((name for name in names if name.startswith(REFERENCE)), names[0])
        return Block("How fast is each code?", "", PointRow, rows, charts, start=self._start(), cases=CASE, reference=reference,
                     in_text=False)

    def _start(self) -> dict[str, Any]:
        return case_columns(self.start) if self.start else {}

    def cases(self) -> Block:
        rows = [case_row(result) for result in self.results if result.candidates and not result.is_change]
        is_plane = several(row.size for row in rows) and several(row.shape for row in rows)
        charts = [heat("size", "shape", "k+m × object size", inside="code")] if is_plane else []
        start = {key: value for key, value in self._start().items() if key not in ("shape", "size")} if charts else {}
        return Block("Which is the fastest?", " ".join(self.tallies()), CaseRow, rows, charts, start=start, cases=CASE)

    def changes(self) -> Block:
        rows = [ChangeRow(**speed(result, one)) for result in self.results if result.is_change for one in result.candidates]
        return Block("How does each candidate differ from the reference?", "", ChangeRow, rows, cases=CASE)

    @functools.cached_property
    def swept(self) -> list[tuple[Result, str]]:
        """The codes that were measured with several packetsizes. Of several such runs, one is shown for each CPU and case."""
        series: dict[Result, list[str]] = {}
        for result in self.all:
            sizes = dict.fromkeys((one.series, one.packetsize) for one in result.candidates if one.packetsize)
            if found := [name for name, count in collections.Counter(name for name, _ in sizes).items() if count > 1]:
                series[result] = found
        return [(result, name) for result in (chosen(series) if self.merges else series) for name in series[result]]

    def sweep(self) -> Block:
        """All packetsizes, and the other codes of these cases."""
        results = list(dict.fromkeys(result for result, _ in self.swept))
        rows = [dataclasses.replace(point_row(result, one), code=one.series) for result in results for one in result.candidates]
        cases = [case_columns(result) for result in results]
        start = cases[0] if cases and self._start() not in cases else self._start()
        charts = [along("packetsize", "packetsize"), heat("code", "packetsize", "packetsize × code")]
        title = "How does the packetsize change the speed?"
        return Block(title, "", PointRow, rows, charts, start=start, cases=CASE, in_text=False)

    def fastest_packetsizes(self, start: Result) -> list[str]:
        """The fastest packetsize for each technique in a case; and whether the advice holds."""
        rows = sorted((packetsize_row(result, name) for result, name in self.swept if result is start and not result.is_change),
                      key=lambda row: -(row.gb_per_s or 0))
        found = [f"{one.packetsize} with {one.code} ({figure_text(one.gb_per_s)} GB/s)" for one in rows if one.gb_per_s]
        found += [f"{INCONCLUSIVE} with {', '.join(one.code for one in rows[len(found):])}"] * bool(rows[len(found):])
        texts = [f"The fastest packetsize is {', '.join(found)}. {title_of(start)}.", self.packetsizes().answer]
        return list(filter(None, texts)) if rows else []

    def packetsizes(self) -> Block:
        rows = [packetsize_row(result, name) for result, name in self.swept if not result.is_change]
        return Block("Which packetsize is the fastest?", advised_verdict(rows), PacketsizeRow, rows, cases=CASE)


def advised_verdict(rows: Sequence[PacketsizeRow]) -> str:
    """The answer of the table of packetsizes: in how many cases 3072 is the fastest or a tie, for each CPU."""
    texts, cpus = [], dict.fromkeys(row.cpu for row in rows)
    for cpu in cpus:
        found = [row.advised for row in rows if row.cpu == cpu and row.advised != NOT_MEASURED]
        known = [text for text in found if text != INCONCLUSIVE]
        if found:
            texts.append(f"in {sum(text.endswith((FASTEST, A_TIE)) for text in known)} of {number_of(len(known), 'case')}"
                         + (f" on {cpu}" if len(cpus) > 1 else "")
                         + (f"; {len(found) - len(known)} more are {INCONCLUSIVE}" if found != known else ""))
    what = f"Packetsize {ADVISED} (the advice of 2013) is the fastest or tied for the fastest"
    return f"{what} {'; '.join(texts)}." if texts else ""


def several(values: Iterable[object]) -> bool:
    return len(set(values) - {None}) > 1


def headline(result: Result) -> str:
    """The fastest code, and the fastest in Ceph, with GB/s and the verdict."""
    named = dict.fromkeys((result.first, result.of_ceph.first))
    texts = [f"{one.name}, {one.figure}; {result.verdict(one)}." for one in named if one]
    return " In Ceph: ".join([f"{texts[0]} {title_of(result)}.", *texts[1:]])


def title_of(result: Result) -> str:
    case, columns = result.case, case_columns(result)
    return f"{case.shape}, {columns['workload']} of {size_text(case.size)}, {', '.join(case.extras) or case.cache}, on {result.cpu}"


def case_columns(result: Result) -> dict[str, Any]:
    case = result.case
    return {"cpu": result.cpu, "shape": case.shape, "size": case.size, "workload": workload_text(case.workload, case.erasures),
            "cache": case.cache, "options": ", ".join(case.extras)}


def speed(result: Result, one: Candidate) -> dict[str, Any]:
    summary = one.summary
    figures = {"gb_per_s": summary.gb_per_s, "interval_percent": one.speed.width_percent, "low": one.speed.low,
               "high": one.speed.high, "percent_of_limit": one.percent_of_limit, "cores": summary.cores,
               "code_percent": summary.code_percent, **{name: one.middle(name) for name in LATENCIES}}
    return {**case_columns(result), "code": one.name, **(dict.fromkeys(figures) if one.state else figures),
            "certainty": one.state or result.certainty(one), "verdict": one.state or result.verdict(one),
            "interval": "" if one.state else one.interval, "mark": summary.mark}


def point_row(result: Result, one: Candidate) -> PointRow:
    summary = one.summary
    return PointRow(
        **speed(result, one), library=one.library, kind=one.kind, packetsize=one.packetsize,
        padding=summary.padding_percent, repetitions=summary.repetitions, kernel=summary.row.kernel if summary.row else "",
        warnings=", ".join(dict.fromkeys(code for row in one.rows for code in codes_of(row))),
        run=result.run.name, command=shlex.join(["ecbench", *map(str, one.point.words())]), limit=one.limit)


def case_row(result: Result) -> CaseRow:
    ceph = result.of_ceph.first
    return CaseRow(**speed(result, result.ranking.first), in_ceph=ceph.name if ceph else "",
                   ceph_gb_per_s=ceph.summary.gb_per_s if ceph else None, ceph_mark=ceph.summary.mark if ceph else "",
                   ceph_certainty=standing(result.of_ceph.ranking) if ceph else "")


def packetsize_row(result: Result, series: str) -> PacketsizeRow:
    found = result.only(lambda one: one.series == series).ranking
    best, is_known = found.first, not found.inconclusive
    ties = ", ".join(str(size) for size in sorted(one.packetsize or 0 for one in found.ties)) or "none"
    return PacketsizeRow(**case_columns(result), code=series, packetsize=best.packetsize if is_known else None,
                         gb_per_s=best.summary.gb_per_s if is_known else None, mark=best.summary.mark * is_known,
                         interval_percent=best.speed.width_percent if is_known else None,
                         ties=ties if is_known else str(found.inconclusive), advised=advised(found))


def advised(found: Selection[Candidate]) -> str:
    """How packetsize 3072 compares with the fastest. It can be significantly slower even if the fastest is inconclusive."""
    one = next((one for one in found.order if one.packetsize == ADVISED), None)
    if one is None:
        return NOT_MEASURED
    is_tie = one in found.ties
    if (one is found.first or is_tie) and (found.inconclusive or one in found.unclear):
        return INCONCLUSIVE
    if one is found.first:
        return FASTEST
    change = f"{100 * ((one.summary.gb_per_s or 0) / (found.first.summary.gb_per_s or 1) - 1):+.1f} %".replace("-", "−")
    return change + A_TIE * is_tie


def with_warnings(summaries: Iterable[PointSummary]) -> str:
    """How many figures have warnings."""
    of_figures = [one for one in summaries if one.gb_per_s]
    return f"{sum(bool(one.mark) for one in of_figures)} of {len(of_figures)} figures have warnings"


def troubles(run: Run) -> list[str]:
    """One line for each fact that the reader of the page must know, and for all failures of the same kind and reason."""
    summaries, failed = summarize(run), collections.defaultdict(list)
    for point_id, failures in run.failures.items():
        for failure in failures:
            failed[f"{failure.kind.replace('_', ' ')}: {failure.why}"].append(run.points[point_id])
    lines = [*run.notes, *(f"{number_of(len(of), 'measurement')} failed ({why}), such as {of[0]}" for why, of in failed.items())]
    if any(one.mark for one in summaries):
        codes = collections.Counter(code for row in all_rows(run) for code in codes_of(row))
        lines.append(f"{with_warnings(summaries)} ({', '.join(code for code, _ in codes.most_common())})")
    lines += filter(None, [Marks(run).note(any(one.mark for one in summaries))])
    lines += [f"{number_of(one.count, 'point')} dropped before the run ({one.why}), such as {one.example}"
              for one in run.header.dropped]
    lines += [f"the machine was not ready for measurements: {line}" for line in run.header.environment.unfit]
    more = [f"and {len(lines) - MOST_TROUBLES} more"] if lines[MOST_TROUBLES:] else []
    return [f"{line[:1].upper()}{line[1:]}." for line in [*lines[:MOST_TROUBLES], *more]]
