"""The tables that bench.sh contenders prints: the speeds, the fastest library of each case, and the cost of an empty call. The HTML
page has the same tables."""

import dataclasses
from collections.abc import Iterable, Iterator

from ecbench.contenders.answer import scores
from ecbench.contenders.cases import Case
from ecbench.contenders.libraries import short_code
from ecbench.contenders.results import CaseResult, Cell, Results
from ecbench.point.point import bytes_text
from ecbench.point.wording import figure_text
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import Estimate, median
from ecbench.terminal.columns import columns

NONE = "-"
FASTEST, TIE, UNCLEAR = "*", "=", "?"
INCONCLUSIVE = "inconclusive"
XOR = ("jerasure XOR", "simd XOR")  # libraries with a second column, which shows the picked technique and packetsize
SMALL = 4096  # bytes; for objects of this size, the cost of an empty call matters


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    rows: list[list[str]]  # the first row has the titles of the columns
    left: tuple[int, ...] = (0,)  # numbers of the columns that are aligned left

    def lines(self) -> Iterator[str]:
        yield self.title
        yield from (f"  {line}" for line in columns(self.rows, [number not in self.left for number in range(len(self.rows[0]))]))


def lines(results: Results) -> Iterator[str]:
    for table in speed_tables(results):
        yield from (*table.lines(), "")
    yield from (legend(results), "")
    for table in fastest_tables(results):
        yield from (*table.lines(), "")
    yield from summary_table(results).lines()
    yield from verdict_lines(results)
    if calls := call_table(results):
        yield from ("", *calls.lines())


def speed_tables(results: Results) -> Iterator[Table]:
    for title, cases in results.by_table().items():
        names = [name for name in results.libraries if any(name in result.cells for result in cases)]
        with_code = [name for name in XOR if name in names]
        rows = [["k+m", "object", *names, "limit", *(f"{name} is" for name in with_code)]]
        rows += [[*case_cells(result.case), *(speed_cell(result, name) for name in names), figure_cell(result.limit),
                  *(code_cell(result.cells.get(name)) for name in with_code)] for result in cases]
        yield Table(f"{title}: GB/s", rows, (0, 1))


def case_cells(case: Case) -> tuple[str, str]:
    return case.shape, bytes_text(case.size)


def speed_cell(result: CaseResult, name: str) -> str:
    mark = FASTEST if name == result.fastest else TIE if name in result.ties else UNCLEAR if name in result.unclear else ""
    return mark + figure_cell(result.cells.get(name))


def figure_cell(cell: Cell | None) -> str:
    return NONE if cell is None else figure_text(cell.speed.median) + cell.mark


def code_cell(cell: Cell | None) -> str:
    return NONE if cell is None else short_code(cell.point)


def fastest_tables(results: Results) -> Iterator[Table]:
    for title, cases in results.by_table().items():
        titles = ["k+m", "object", "fastest", "next", "ratio", "interval", "ratio to isa", "% of limit",
                  "ties, or why inconclusive"]
        yield Table(f"fastest, {title}", [titles, *map(fastest_row, cases)], (0, 1, 2, 3, 8))


def fastest_row(result: CaseResult) -> list[str]:
    if result.ranking.inconclusive:
        return [*case_cells(result.case), INCONCLUSIVE, *[NONE] * 5, str(result.ranking.inconclusive)]
    ratio, to_isa, percent = result.ratio_to(result.next), result.ratio_to_isa, result.limit_percent(result.fastest)
    return [*case_cells(result.case), result.fastest or NONE, result.next or NONE, ratio_text(ratio), interval_text(ratio),
            ratio_text(to_isa), NONE if percent is None else f"{percent:.0f}", ties_text(result)]


def ties_text(result: CaseResult) -> str:
    groups = (", ".join(result.ties), f"unclear: {', '.join(result.unclear)}" if result.unclear else "")
    return "; ".join(filter(None, groups)) or NONE


def ratio_text(ratio: Estimate | None) -> str:
    return NONE if ratio is None else f"{ratio.median:.2f}"


def interval_text(ratio: Estimate | None) -> str:
    return NONE if ratio is None or ratio.low is None else f"{ratio.low:.2f}..{ratio.high:.2f}"


def legend(results: Results) -> str:
    return ("GB/s: 10^9 bytes of object (overwrite: of new bytes) per second on one core, without "
            f"padding; median of {results.rounds} rounds. "
            f"{FASTEST} fastest; {TIE} tie: not significantly different from the fastest; {UNCLEAR} unclear: may be equal to the "
            "fastest, but may also be more than 10 % slower. An inconclusive case has no marks. "
            "limit: the memory limit. This is the speed of a loop that reads k chunks, and writes as many chunks as one call of "
            "the library computes."
            f"{f' {MARKED}.' if results.has_marks else ''}")


def summary_table(results: Results) -> Table:
    """The table with the number of cases in which each library is the fastest. Libraries are in descending order of this number."""
    return Table(f"in how many of {len(results.cases)} cases each library is the fastest",
                 [["", "fastest", "in a tie"], *([score.name, str(score.fastest), str(score.tied)]
                                                 for score in scores(results.cases, results.libraries))])


def verdict_lines(results: Results) -> Iterator[str]:
    """Yields the confidence of the verdicts, the number of inconclusive cases, and advice for these cases."""
    confidences = [result.confidence for result in results.cases if result.confidence is not None]
    if confidences:
        least = min(confidences)
        yield (f"Confidence: at least {100 * least:.1f} % in each case. This is the probability that the library that is really "
               f"the fastest has one of the marks {FASTEST} {TIE} {UNCLEAR}. The expected number of cases in which this library "
               f"has no mark is at most {(1 - least) * len(confidences):.1f} (of {len(confidences)} cases).")
    doubts = [result.ranking.inconclusive for result in results.cases if result.ranking.inconclusive]
    if doubts:
        noise = next((doubt for doubt in doubts if doubt.is_noise), doubts[0])
        yield f"{len(doubts)} of {len(results.cases)} cases are inconclusive: {noise.what_to_do(results.advice)}."


def call_table(results: Results) -> Table | None:
    """The table with the cost of an empty call: in nanoseconds, and in percent of the time of a warm encode of a small object. None
    if no row contains the cost of an empty call."""
    small = [result for result in results.cases
             if (result.case.size, result.case.workload, result.case.cache) == (SMALL, "encode", "warm")]
    rows = [["", "ns", *(result.case.shape for result in small)]]
    for name in results.libraries:
        cells = [result.cells[name] for result in results.cases if name in result.cells]
        if (nanoseconds := call_overhead(cells)) is not None:
            rows.append([name, f"{nanoseconds:.1f}", *(share_text(nanoseconds, result.cells.get(name)) for result in small)])
    share = (f" in ns, and in percent of the time of a warm encode of {bytes_text(SMALL)} (this time includes the cost)" if small
             else "")
    return Table(f"cost of an empty call{share}", rows) if len(rows) > 1 else None


def call_overhead(cells: Iterable[Cell]) -> float | None:
    """The median cost of an empty call in nanoseconds; None if no row contains this cost."""
    found = [row["call_overhead_ns"] for cell in cells for row in cell.rows if row.get("call_overhead_ns") is not None]
    return median(found) if found else None


def share_text(nanoseconds: float, cell: Cell | None) -> str:
    return NONE if cell is None else f"{100 * nanoseconds / median([row['ns_per_op'] for row in cell.rows]):.0f} %"
