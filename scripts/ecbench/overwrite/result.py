"""The result of overwrite: times, ratios, and the smallest number of changed chunks for which re-encoding is faster."""

import dataclasses
from collections.abc import Sequence

from ecbench.overwrite.request import CEPH, FUSED, WAYS, Case, Request, name_of
from ecbench.point.point import Json
from ecbench.runfile.figures import Figures
from ecbench.statistics.interval import Estimate

FORMAT = "ecbench overwrite 1"


@dataclasses.dataclass(frozen=True)
class Time:
    """The time of one overwrite or re-encoding of a stripe with one plugin."""

    ns: float | None  # None: the point has no result
    mark: str
    reencoding_ratio: Estimate | None = None  # `ns` / the plugin's time for re-encoding; above 1: re-encoding is faster


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of a table: the results for one number of changed chunks. In the line of re-encoding, `changed` is 0."""

    changed: int
    times: tuple[Time, ...]  # in the order of WAYS
    ratio: Estimate | None  # speed of simd / speed of isa
    delta_reads: int  # chunks that a store (such as Ceph) reads for the parity delta
    reencoding_reads: int
    writes: int  # chunks that a store writes; parity delta and re-encoding write the same number of chunks


@dataclasses.dataclass(frozen=True)
class Result:
    case: Case
    lines: list[Line]
    reencoding: Line

    def reencoding_from(self, plugin: str) -> int | None:
        """The smallest number of changed chunks for which the plugin's re-encoding is faster than its parity delta, and is also
        faster for all larger measured numbers. None if re-encoding is not faster for the largest measured number."""
        return least(self.lines, [is_above_one(line.times[WAYS.index(plugin)].reencoding_ratio) for line in self.lines])

    @property
    def fewer_reads_from(self) -> int | None:
        """The smallest number of changed chunks for which re-encoding reads fewer chunks than the parity delta. This is then also
        true for all larger numbers. None if re-encoding does not read fewer chunks for the largest measured number."""
        return least(self.lines, [line.reencoding_reads < line.delta_reads for line in self.lines])


def least(lines: Sequence[Line], wins: Sequence[bool]) -> int | None:
    """Finds the first line for which `wins` is true, and is also true for all later lines. Returns the number of changed chunks of
    this line. Returns None if `wins` is false for the last line."""
    found = None
    for line, is_win in reversed(list(zip(lines, wins, strict=True))):
        if not is_win:
            break
        found = line.changed
    return found


def is_above_one(ratio: Estimate | None) -> bool:
    """Whether the ratio is significantly above 1. If there are too few rounds for a confidence interval: whether the median is
    above 1."""
    return ratio is not None and (ratio.median if ratio.low is None else ratio.low) > 1


def results_of(request: Request, figures: Figures) -> list[Result]:
    return [Result(case, [line_of(figures, case, changed) for changed in request.counts(case)], line_of(figures, case, 0))
            for case in request.cases]


def line_of(figures: Figures, case: Case, changed: int) -> Line:
    ratio = figures.ratio(name_of(case, FUSED, changed), name_of(case, CEPH, changed))
    times = tuple(time_of(figures, case, plugin, changed) for plugin in WAYS)
    written = changed + case.m
    return Line(changed, times, ratio, written, case.k - changed, written)


def time_of(figures: Figures, case: Case, plugin: str, changed: int) -> Time:
    name, encode = name_of(case, plugin, changed), name_of(case, plugin, 0)
    ratio = figures.ratio(encode, name) if changed else None
    # `ratio` is a ratio of GB/s. For encode, the bytes of all k data chunks are counted. For the overwrite, only the bytes of the
    # changed data chunks are counted. The factor changed / k converts the ratio of GB/s to a ratio of times.
    return Time(figures.middle(name, "ns_per_op"), figures.mark(name), ratio and scaled(ratio, changed / case.k))


def scaled(estimate: Estimate, factor: float) -> Estimate:
    low, high = (end if end is None else end * factor for end in (estimate.low, estimate.high))
    return Estimate(estimate.median * factor, low, high, estimate.count)


def document(request: Request, results: Sequence[Result], run: str) -> Json:
    """Returns the results as a JSON document. overwrite.schema.json describes its form."""
    return {"format": FORMAT, "run": run, "technique": request.technique, "codec_lib": request.codec_lib,
            "cases": [case_json(result) for result in results]}


def case_json(result: Result) -> Json:
    return {**dataclasses.asdict(result.case),
            "reencoding_faster_from": {plugin: result.reencoding_from(plugin) for plugin in WAYS},
            "reencoding_reads_less_from": result.fewer_reads_from,
            "reencoding": line_json(result.reencoding),
            "overwrites": [{"changed": line.changed, **line_json(line), "delta_reads": line.delta_reads,
                            "reencoding_reads": line.reencoding_reads, "writes": line.writes} for line in result.lines]}


def line_json(line: Line) -> Json:
    times = {plugin: {"ns": time.ns, **({"reencoding_ratio": estimate_json(time.reencoding_ratio)} if line.changed else {})}
             for plugin, time in zip(WAYS, line.times, strict=True)}
    return {**times, "speed_ratio": estimate_json(line.ratio)}


def estimate_json(estimate: Estimate | None) -> Json | None:
    return None if estimate is None else {"median": estimate.median, "low": estimate.low, "high": estimate.high}
