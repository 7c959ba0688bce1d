"""The result of overwrite: times, ratios, and the smallest number of changed chunks for which re-encoding is faster."""

import dataclasses
from collections.abc import Sequence

from ecbench.comparison.case import Case
from ecbench.comparison.comparison import Comparison
from ecbench.comparison.questions import FASTER, INCONCLUSIVE, direction
from ecbench.overwrite.request import CEPH, FUSED, WAYS, Request, name_of
from ecbench.statistics.interval import Estimate


@dataclasses.dataclass(frozen=True)
class Time:
    """The time of one overwrite or re-encoding of a stripe with one plugin."""

    ns: float | None  # None: the point has no result
    mark: str
    reencoding_ratio: Estimate | None = None  # `ns` / the plugin's time for re-encoding; above 1: re-encoding is faster

    @property
    def reencoding_is_faster(self) -> bool | None:
        """None: not known, because too few rounds have both times."""
        ratio = self.reencoding_ratio
        return None if ratio is None or ratio.low is None else direction(ratio) == FASTER


@dataclasses.dataclass(frozen=True)
class Line:
    """The results for one number of changed chunks. In the line of re-encoding, `changed` is 0."""

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

    def reencoding_from(self, plugin: str) -> int | str | None:
        """The number of changed chunks from which on the plugin's re-encoding is faster than its parity delta."""
        return least(self.lines, [line.times[WAYS.index(plugin)].reencoding_is_faster for line in self.lines])

    @property
    def fewer_reads_from(self) -> int | str | None:
        """The number of changed chunks from which on re-encoding reads fewer chunks than the parity delta."""
        return least(self.lines, [line.reencoding_reads < line.delta_reads for line in self.lines])


def least(lines: Sequence[Line], wins: Sequence[bool | None]) -> int | str | None:
    """The number of changed chunks of the first line for which `wins` is true, and is also true for all later lines. None if it is
    false for the last line, and INCONCLUSIVE if it is not known for the line that decides."""
    found = None
    for line, is_win in reversed(list(zip(lines, wins, strict=True))):
        if is_win is None:
            return INCONCLUSIVE
        if not is_win:
            break
        found = line.changed
    return found


def results_of(request: Request, figures: Comparison) -> list[Result]:
    return [Result(case, [line_of(figures, case, changed, len(request.counts(case))) for changed in request.counts(case)],
                   line_of(figures, case, 0, 1)) for case in request.cases]


def line_of(figures: Comparison, case: Case, changed: int, lines: int) -> Line:
    """`lines`: the number of lines in the table of the case."""
    ratio = figures.ratio(name_of(case, FUSED, changed), name_of(case, CEPH, changed))
    times = tuple(time_of(figures, case, plugin, changed, lines * len(WAYS)) for plugin in WAYS)
    written = changed + case.m
    return Line(changed, times, ratio, written, case.k - changed, written)


def time_of(figures: Comparison, case: Case, plugin: str, changed: int, comparisons: int) -> Time:
    name, encode = name_of(case, plugin, changed), name_of(case, plugin, 0)
    ratio = figures.ratio(encode, name, comparisons) if changed else None
    # The GB/s of an encode count all k data chunks, those of an overwrite only the changed ones. The factor converts the ratio of
    # GB/s to a ratio of times.
    ratio = ratio and scaled(ratio, changed / case.k)
    found = figures.candidates.get(name)
    return Time(found.middle(lambda row: row.ns_per_op), found.mark, ratio) if found else Time(None, "", ratio)


def scaled(estimate: Estimate, factor: float) -> Estimate:
    low, high = (end if end is None else end * factor for end in (estimate.low, estimate.high))
    return Estimate(estimate.median * factor, low, high, estimate.count)
