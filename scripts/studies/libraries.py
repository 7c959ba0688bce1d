"""Writes the result of a run of contenders as Markdown: which codec library is the fastest."""

from collections.abc import Sequence

from ecbench.contenders.answer import answer, scores, sentence
from ecbench.contenders.results import CaseResult, Results
from ecbench.runfile.run_file import Run
from ecbench.statistics.tally import Score
from packetsizes import markdown_table

OWN = ("simd", "simd XOR")  # plugins of ecbench; no Ceph release can load them


def section(run: Run, name: str) -> str:
    """`name`: the path of the run file, as the reader sees it."""
    results, cpu = Results(run), run.header["machine"]["cpu"]
    others = [title for title in results.libraries if title not in OWN]
    cases = [CaseResult(result.case, {title: cell for title, cell in result.cells.items() if title in others}, result.limit)
             for result in results.cases]
    parts = [f"### {cpu}: which library is the fastest?",
             f"The run [{name}]({name}) was started at {run.header['started']}. It has {len(results.cases)} cases and "
             f"{results.rounds} rounds. A case is a combination of k+m, object size, workload and cache state. In each "
             "conclusive case, each library has one of four results: fastest, tied with the fastest, slower, or unclear (either "
             "tied or slower). The probability that the truly fastest library is reported as slower is at most "
             f"{100 * (1 - min(result.confidence or 1 for result in results.cases)):.1f} % in each case. In the tables, `11 (3)` "
             "means: the library is significantly faster than all others in 11 cases. In 3 more cases, it is tied for the fastest, "
             "or it is the fastest but another library is unclear.",
             f"**{sentence(results)}**",
             table_of(results.cases, results.libraries)]
    if others != results.libraries:
        parts += [f"Library simd is a part of ecbench. This is the result without simd: {answer(cpu, cases, others)}",
                  table_of(cases, others)]
    return "\n\n".join(parts)


def table_of(cases: Sequence[CaseResult], libraries: Sequence[str]) -> str:
    """Returns a table with a row for each workload and cache state. A library has a column if it is the fastest or a tie in at
    least one case."""
    by_title: dict[str, list[CaseResult]] = {}
    for result in cases:
        by_title.setdefault(result.case.table, []).append(result)
    shown = [score.name for score in scores(cases, libraries) if score.fastest or score.tied]
    rows = []
    for title, members in by_title.items():
        found = {score.name: score for score in scores(members, libraries)}
        unknown = sum(result.ranking.inconclusive is not None for result in members)
        rows.append([title, str(len(members)), *(score_text(found[library]) for library in shown), str(unknown)])
    return markdown_table(["fastest (tied)", "cases", *shown, "inconclusive"], rows)


def score_text(score: Score) -> str:
    return f"{score.fastest} ({score.tied})" if score.fastest or score.tied else "-"
