"""Writes the result of a run of contenders as Markdown: which codec library is the fastest."""

from collections.abc import Sequence

from ecbench.comparison.comparison import Comparison
from ecbench.comparison.tally import Score, lead
from ecbench.contenders.results import CaseResult, Results, scores
from ecbench.runfile.run_file import Run
from packetsizes import markdown_table

OWN = ("simd", "simd XOR")  # plugins of ecbench; no Ceph release can load them


def section(run: Run, name: str) -> str:
    """`name`: the path of the run file, as the reader sees it."""
    results, cpu = Results(run), run.header.machine.cpu
    others = [title for title in results.libraries if title not in OWN]
    cases = [CaseResult(result.case, Comparison({title: one for title, one in result.libraries.candidates.items()
                                                 if title in others})) for result in results.cases]
    parts = [f"### {cpu}: which library is the fastest?",
             f"**{best(results.cases, results.libraries)}.** [Run]({name}) of {run.header.started[:10]}: {results.rounds} "
             "rounds.",
             table_of(results.cases, results.libraries)]
    if others != results.libraries:
        parts += [f"Without simd, which is a part of ecbench, {best(cases, others)}.", table_of(cases, others)]
    return "\n\n".join(parts)


def best(cases: Sequence[CaseResult], libraries: Sequence[str]) -> str:
    return lead("library", len(cases), scores(cases, libraries))


def table_of(cases: Sequence[CaseResult], libraries: Sequence[str]) -> str:
    """Returns a table with a row for each workload and cache state. A library has a column if it is the fastest or a tie in at
    least one case."""
    by_title: dict[str, list[CaseResult]] = {}
    for result in cases:
        by_title.setdefault(result.case.table, []).append(result)
    by_title["all"] = list(cases)
    shown = [score.name for score in scores(cases, libraries) if score.fastest or score.tied]
    rows = []
    for title, members in by_title.items():
        found = {score.name: score for score in scores(members, libraries)}
        unknown = sum(not result.selection.is_conclusive for result in members)
        rows.append([title, str(len(members)), *(score_text(found[library]) for library in shown), str(unknown)])
    return markdown_table(["fastest (tied)", "cases", *shown, "inconclusive"], rows)


def score_text(score: Score) -> str:
    return f"{score.fastest} ({score.tied})" if score.fastest or score.tied else "-"
