"""For each library, counts the cases of a run in which it is the fastest. Writes the result as one sentence."""

from collections.abc import Iterable, Sequence

from ecbench.contenders.results import CaseResult, Results
from ecbench.statistics import tally


def outcome_of(result: CaseResult) -> tally.Outcome:
    return tally.Outcome([result.fastest, *result.ties], not result.ranking.ties) if result.fastest else tally.Outcome(())


def scores(cases: Iterable[CaseResult], libraries: Sequence[str]) -> list[tally.Score]:
    """The scores of the libraries. The library with the best score is first."""
    return tally.scores(map(outcome_of, cases), libraries)


def answer(cpu: str, cases: Sequence[CaseResult], libraries: Sequence[str]) -> str:
    return tally.sentence(cpu, "library", list(map(outcome_of, cases)), scores(cases, libraries))


def sentence(results: Results) -> str:
    return answer(results.run.header["machine"]["cpu"], results.cases, results.libraries)
