"""A block that compares runs point by point with the first of them."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

from ecbench.comparison.pairs import mean_ratio, pair_up
from ecbench.comparison.questions import FASTER, SLOWER
from ecbench.page.block import Block, Chart, Column, Form, Kind
from ecbench.point.wording import size_text, workload_text
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary

ORDER = (FASTER, "~", SLOWER)


@dataclasses.dataclass(frozen=True)
class RatioRow:
    code: Annotated[str, Column(title="Point")]
    run: Annotated[str, Column(title="Run", is_filter=True)]
    ratio: Annotated[float, Column("Speed / speed in the first run.", title="Ratio", form=Form.RATIO)]
    low: Annotated[float | None, Column("Ends of the 95 % interval, corrected for all points.", title="from", form=Form.RATIO)]
    high: Annotated[float | None, Column(title="to", form=Form.RATIO)]
    verdict: Annotated[str, Column("~: not significantly different; -: no interval.", title="Verdict", is_filter=True)]
    interleaved: Annotated[str, Column("no: the machine may have changed between the runs.", title="Interleaved", is_filter=True)]
    first_gb_per_s: Annotated[float, Column(title="GB/s, first run", form=Form.FIGURE)]
    gb_per_s: Annotated[float, Column(title="GB/s", form=Form.FIGURE)]
    plugin: Annotated[str, Column(title="Plugin", is_filter=True)]
    shape: Annotated[str, Column(title="k+m", is_filter=True)]
    size: Annotated[int, Column(title="Object", form=Form.BYTES, is_filter=True)]
    workload: Annotated[str, Column(title="Workload", is_filter=True)]
    cache: Annotated[str, Column(title="Cache", is_filter=True)]
    text: Annotated[str, Column(is_hidden=True)]


CHART = Chart(Kind.RATIOS, "Ratios", "ratio", "low", "high", text="text", colour="verdict", colours=ORDER)


def block(runs: Sequence[Run], summaries: Sequence[list[PointSummary]], labels: Sequence[str]) -> Block:
    rows: list[RatioRow] = []
    sentences = []
    for run, of_run, label in list(zip(runs, summaries, labels, strict=True))[1:]:
        pairs = pair_up(runs[0], summaries[0], run, of_run)
        for pair in sorted(pairs, key=lambda one: -one.ratio.median):
            point, ratio = pair.point, pair.ratio
            interval = "" if ratio.low is None else f" ({ratio.low:.3f} to {ratio.high:.3f})"
            is_interleaved = "yes" if pair.interleaved else "no"
            rows.append(RatioRow(
                str(point), label, ratio.median, ratio.low, ratio.high, pair.verdict, is_interleaved, pair.a_gb_per_s,
                pair.b_gb_per_s, point.plugin, f"{point.get('k')}+{point.get('m')}", point.size,
                workload_text(point.workload, point.erasures), point.cache, f"{ratio.median:.3f}{interval}"))
        if pairs:
            words = [pair.verdict for pair in pairs]
            sentences.append(f"{label} / {labels[0]}: {mean_ratio(pairs):.3f} on average of {len(pairs)} points; "
                             f"{words.count(FASTER)} faster, {words.count(SLOWER)} slower.")
    start = {"size": size_of(rows)} if len(rows) > 60 else {}
    return Block(f"How do the runs differ from {labels[0]}?", " ".join(sentences), RatioRow, rows, [CHART], start=start,
                 cases=("run",))


def size_of(rows: Sequence[RatioRow]) -> int:
    """The object size that is shown first."""
    sizes = [row.size for row in rows]
    return max(dict.fromkeys(sizes), key=lambda size: (-abs(size - (1 << 20)), size_text(size)))
