"""The page that compares runs with the first of them, point by point."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from ecbench.comparison.comparison import SAME, UNKNOWN, Pair, by_group, mean_ratio, pair_up
from ecbench.comparison.figures import FASTER, SLOWER
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page
from ecbench.point.point import workload_text
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import summarize
from ecbench.terminal.console import Refused

ORDER = (FASTER, SAME, SLOWER)
MANY_ROWS = 60  # the chart shows one object size first


@dataclasses.dataclass(frozen=True)
class RatioRow:
    """A point in a run and in the first run."""

    code: Annotated[str, Column(title="Point")]
    id: Annotated[str, Column(is_hidden=True)]
    run: Annotated[str, Column(title="Run", is_filter=True)]
    first_gb_per_s: Annotated[float, Column(title="GB/s, first run", form=Form.FIGURE)]
    gb_per_s: Annotated[float, Column(title="GB/s", form=Form.FIGURE)]
    mark: Annotated[str, Column("Whether a measurement had warnings.", title="!")]
    ratio: Annotated[float, Column("Speed / speed in the first run.", title="Ratio", form=Form.RATIO,
                                     is_early=True)]
    low: Annotated[float | None, Column("Ends of the 95 % interval, corrected for all points.", title="from", form=Form.RATIO)]
    high: Annotated[float | None, Column(title="to", form=Form.RATIO)]
    verdict: Annotated[str, Column(f"{SAME}: not significantly different; {UNKNOWN}: no interval.", title="Verdict", is_filter=True,
                                   is_early=True, words=(FASTER, SLOWER, SAME, UNKNOWN))]
    interleaved: Annotated[str, Column("no: the machine may have changed between the runs.", title="Interleaved", is_filter=True)]
    plugin: Annotated[str, Column(title="Plugin", is_filter=True, is_detail=True)]
    shape: Annotated[str, Column(title="k+m", is_filter=True, is_detail=True)]
    size: Annotated[int, Column(title="Object", form=Form.BYTES, is_filter=True, is_detail=True)]
    workload: Annotated[str, Column(title="Workload", is_filter=True, is_detail=True)]
    cache: Annotated[str, Column(title="Cache", is_filter=True, is_detail=True)]
    text: Annotated[str, Column(is_hidden=True)]


@dataclasses.dataclass(frozen=True)
class MeanRow:
    """The points of a code with the same workload and object size."""

    code: Annotated[str, Column(title="Code")]
    run: Annotated[str, Column(title="Run", is_filter=True)]
    workload: Annotated[str, Column(title="Workload", is_filter=True)]
    size: Annotated[int, Column(title="Object", form=Form.BYTES, is_filter=True)]
    points: Annotated[int, Column(title="Points", form=Form.WHOLE)]
    ratio: Annotated[float, Column("The geometric mean.", title="Ratio", form=Form.RATIO, is_early=True)]
    faster: Annotated[int, Column(title="Faster", form=Form.WHOLE)]
    slower: Annotated[int, Column(title="Slower", form=Form.WHOLE)]
    same: Annotated[int, Column("Not significantly different.", title=SAME, form=Form.WHOLE)]


RATIOS = Chart(Kind.RATIOS, "Ratios", "ratio", "low", "high", text="text", colour="verdict", colours=ORDER)


def check_speeds(runs: Iterable[Run]) -> None:
    """Throws Refused."""
    for run in runs:
        if any(point.pace for point in run.points.values()):
            raise Refused(f"{run.path} has points whose speed is their pace, so it is not compared; print its latencies with run "
                          f"--resume {run.path}")


def page_of(mode: str, runs: Sequence[Run], labels: Sequence[str]) -> Page:
    """The points of each group are in the order of their ratio, the lowest first. Throws Refused."""
    check_speeds(runs)
    first, name, summaries, pairs = runs[0], labels[0], list(map(summarize, runs)), dict[str, list[Pair]]()
    for run, label, of_run in list(zip(runs, labels, summaries, strict=True))[1:]:
        pairs[label] = pair_up(first, summaries[0], run, of_run)
    groups = [(label, group) for label, of_run in pairs.items() for group in by_group(of_run).values()]
    rows = [ratio_row(label, pair) for label, group in groups for pair in group]
    means = [MeanRow(" ".join(filter(None, code)), label, workload, size, len(group), mean_ratio(group), *counts_of(group).values())
             for label, group in groups for workload, size, *code in [group[0].group]]
    start = {"size": min((row.size for row in rows), key=lambda size: abs(size - (1 << 20)))} if len(rows) > MANY_ROWS else {}
    answers = [f"{label} / {name}: " + (f"{mean_ratio(of_run):.3f} on average of {len(of_run)} points; " + ", ".join(
        f"{count} {word}" for word, count in counts_of(of_run).items()) if of_run else "no common points: no comparison") + "."
               for label, of_run in pairs.items()]
    return Page(
        mode, f"How do the runs differ from {name}?", answers,
        [Block(f"How do the runs differ from {name}?", " ".join(answers), RatioRow, rows, [RATIOS], start=start, cases=("run",)),
         Block("How does each code differ?", "", MeanRow, means, cases=("run", "workload", "size"))],
        [(f"{label} / {name}", found) for run, label in list(zip(runs, labels))[1:]
         if (found := list(doubts(first, name, run, label, pairs[label])))], files=[run.path for run in runs])


def counts_of(pairs: Sequence[Pair]) -> Mapping[str, int]:
    return {word: sum(pair.verdict == of_word for pair in pairs)
            for word, of_word in (("faster", FASTER), ("slower", SLOWER), ("not significantly different", SAME))}


def ratio_row(label: str, pair: Pair) -> RatioRow:
    point, ratio, mark = pair.a.point, pair.ratio, pair.a.mark or pair.b.mark
    interval = "" if ratio.low is None else f" ({ratio.low:.3f} to {ratio.high:.3f})"
    return RatioRow(
        str(point), point.id, label, pair.a.gb_per_s or 0, pair.b.gb_per_s or 0, mark, ratio.median, ratio.low,
        ratio.high, pair.verdict, "yes" if pair.interleaved else "no", point.plugin, f"{point.get('k')}+{point.get('m')}",
        point.size, workload_text(point.workload, point.erasures), point.cache, f"{ratio.median:.3f}{interval}")


def doubts(first: Run, its: str, run: Run, label: str, pairs: Sequence[Pair]) -> Iterator[str]:
    """What can make the ratios misleading, and which points have none."""
    machines = [one.header.machine.slug for one in (first, run)]
    if machines[0] != machines[1]:
        yield (f"TWO MACHINES: {its} was measured on {machines[0]}, {label} on {machines[1]}; the ratios also depend on the "
               "machines, not only on the code")
    if apart := sum(not pair.interleaved for pair in pairs):
        yield (f"{apart} of {len(pairs)} points were not interleaved: changes of the machine between the runs also change their "
               "ratios, but are not in the confidence intervals")
    for only, one, other in ((its, first, run), (label, run, first)):
        if only_here := len(one.points.keys() - other.points.keys()):
            yield f"{only_here} of {len(one.points)} points are only in {only}, and are not compared"
    if without := len(first.points.keys() & run.points.keys()) - len(pairs):
        yield f"{without} points are not compared, because {its} or {label} has no measured speed for them"
