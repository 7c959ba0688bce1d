"""The tables that bench.sh contenders prints: the speeds, the fastest library of each case, and the cost of an empty call. The HTML
page has the same tables."""

import dataclasses
from collections.abc import Iterable, Iterator

from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.questions import INCONCLUSIVE, SELECT, TIE, UNCLEAR
from ecbench.comparison.text import NONE, interval_text
from ecbench.contenders.libraries import ISA, short_code
from ecbench.contenders.results import CaseResult, Results, scores
from ecbench.point.point import bytes_text
from ecbench.point.wording import figure_text, number_text
from ecbench.runfile.summary import mark_note, median_of
from ecbench.statistics.interval import Estimate
from ecbench.terminal.columns import columns

FASTEST, MARKS = "*", {TIE: "=", UNCLEAR: "?"}
XOR = ("jerasure XOR", "simd XOR")  # libraries with a second column, which shows the picked technique and packetsize
SIMD, USUAL_CODE = "simd", "reed_sol_van"  # simd has this column if it picked another technique than the usual one
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
    yield from (*provisional(results, results.rounds), "")
    for table in fastest_tables(results):
        yield from (*table.lines(), "")
    yield from summary_table(results).lines()
    yield from verdict_lines(results)
    if calls := call_table(results):
        yield from ("", *calls.lines())


def provisional(results: Results, rounds: int) -> Iterator[str]:
    for table in speed_tables(results):
        yield from (*table.lines(), "")
    yield legend(results, rounds)


def speed_tables(results: Results) -> Iterator[Table]:
    for title, cases in results.by_table().items():
        names = [name for name in results.libraries if any(name in result.libraries.candidates for result in cases)]
        with_code = [name for name in names if name in XOR or (name == SIMD and picks_another(cases))]
        rows = [["k+m", "object", *names, "limit", *(f"{name} is" for name in with_code)]]
        rows += [[*result.case.cells, *(speed_cell(result.libraries, name) for name in names), figure_cell(result.limit),
                  *(code_cell(result, name) for name in with_code)] for result in cases]
        yield Table(f"{title}: GB/s", rows, (0, 1))


def picks_another(cases: list[CaseResult]) -> bool:
    return any(code_cell(result, SIMD) not in (NONE, USUAL_CODE) for result in cases)


def speed_cell(found: Comparison, name: str) -> str:
    selection = found.selection
    mark = FASTEST if name == selection.fastest else MARKS.get(selection.verdict(name).word, "")
    return mark + figure_cell(found.candidates.get(name))


def figure_cell(candidate: Candidate | None) -> str:
    return NONE if candidate is None else figure_text(candidate.speed.median) + candidate.mark


def code_cell(result: CaseResult, name: str) -> str:
    candidate = result.libraries.candidates.get(name)
    return NONE if candidate is None else short_code(candidate.point)


def fastest_tables(results: Results) -> Iterator[Table]:
    for title, cases in results.by_table().items():
        titles = ["k+m", "object", "fastest", "next", "ratio", "interval", "ratio to isa", "% of limit",
                  "ties, or why inconclusive"]
        yield Table(f"fastest, {title}", [titles, *map(fastest_row, cases)], (0, 1, 2, 3, 8))


def fastest_row(result: CaseResult) -> list[str]:
    found = result.selection
    if found.inconclusive:
        return [*result.case.cells, INCONCLUSIVE, *[NONE] * 5, str(found.inconclusive)]
    ratio, to_isa, percent = found.lead(found.next), found.lead(ISA), result.limit_percent(found.fastest)
    ties = (", ".join(found.having(TIE)), f"unclear: {', '.join(unclear)}" if (unclear := found.having(UNCLEAR)) else "")
    return [*result.case.cells, found.first, found.next or NONE, middle_text(ratio), interval_text(ratio),
            middle_text(to_isa), number_text(percent, 0), "; ".join(filter(None, ties)) or NONE]


def middle_text(ratio: Estimate | None) -> str:
    return NONE if ratio is None else f"{ratio.median:.2f}"


def legend(results: Results, rounds: int) -> str:
    return ("GB/s: 10^9 bytes of object (overwrite: of new bytes) per second on one core, without "
            f"padding; median of {rounds} rounds. "
            f"{FASTEST} fastest; {MARKS[TIE]} tie: not significantly different from the fastest; {MARKS[UNCLEAR]} unclear: may be "
            "equal to the fastest, but may also be more than 10 % slower. An inconclusive case has no marks. "
            "limit: the roofline. This is the speed of a loop that reads k chunks, and writes as many chunks as one call of "
            "the library computes."
            f"{f' {note}.' if (note := mark_note(results.run, results.has_marks)) else ''}")


def summary_table(results: Results) -> Table:
    return Table(f"in how many of {len(results.cases)} cases each library is the fastest",
                 [["", "fastest", "in a tie"], *([score.name, str(score.fastest), str(score.tied)]
                                                 for score in scores(results.cases, results.libraries))])


def verdict_lines(results: Results) -> Iterator[str]:
    """Yields the condition of the verdicts, the number of inconclusive cases, and advice for these cases."""
    if any(result.selection.fastest for result in results.cases):
        yield SELECT.condition.format("all libraries of a case") + "."
    doubts = [result.selection.inconclusive for result in results.cases if result.selection.inconclusive]
    if doubts:
        noise = next((doubt for doubt in doubts if doubt.is_noise), doubts[0])
        yield f"{len(doubts)} of {len(results.cases)} cases are inconclusive: {noise.what_to_do(results.advice)}."


def call_table(results: Results) -> Table | None:
    """The cost of an empty call: in nanoseconds, and in percent of the time of a warm encode of a small object."""
    small = [result for result in results.cases
             if (result.case.size, result.case.workload, result.case.cache) == (SMALL, "encode", "warm")]
    rows = [["", "ns", *(result.case.shape for result in small)]]
    for name in results.libraries:
        found = [one for result in results.cases if (one := result.libraries.candidates.get(name))]
        if (nanoseconds := call_overhead(found)) is not None:
            rows.append([name, f"{nanoseconds:.1f}",
                         *(share_text(nanoseconds, result.libraries.candidates.get(name)) for result in small)])
    share = (f" in ns, and in percent of the time of a warm encode of {bytes_text(SMALL)} (this time includes the cost)" if small
             else "")
    return Table(f"cost of an empty call{share}", rows) if len(rows) > 1 else None


def call_overhead(candidates: Iterable[Candidate]) -> float | None:
    return median_of(row.call_overhead_ns for one in candidates for row in one.rows)


def share_text(nanoseconds: float, candidate: Candidate | None) -> str:
    return NONE if candidate is None else f"{100 * nanoseconds / (candidate.middle(lambda row: row.ns_per_op) or 1):.0f} %"
