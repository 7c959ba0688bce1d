"""The output of contenders --format json: a line for each case, as dataclasses; contenders --schema prints the schema of a line."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Annotated

from ecbench.comparison.questions import TIE, UNCLEAR
from ecbench.comparison.text import interval_of
from ecbench.contenders.libraries import ISA
from ecbench.contenders.results import CaseResult, Results
from ecbench.contenders.tables import call_overhead
from ecbench.documents.document import Interval, Key, to_json


@dataclasses.dataclass(frozen=True)
class Library:
    gb_per_s: Annotated[float, Key("10^9 bytes of the object per second: the median of the rounds.", above=0)]
    warnings: Annotated[bool, Key("true if other programs disturbed the figure.")]
    low: Annotated[float | None, Key("Lower end of the 95 % interval; null: too few rounds.")]
    high: float | None
    limit_percent: Annotated[float | None, Key("Percent of the roofline; null: it was not measured.")]
    ratio_of_fastest: Annotated[Interval | None, Key("Speed of the fastest library / speed of this one; null for the fastest, and "
                                                     "in an inconclusive case.")]
    call_overhead_ns: Annotated[float | None, Key("Cost of an empty call; null: not known.")]
    plugin: str
    profile: dict[str, str]
    codec_lib: Annotated[str | None, Key("The directory of the codec libraries; null: the system's.")]


@dataclasses.dataclass(frozen=True)
class Case:
    workload: str
    erasures: Annotated[int, Key("Number of lost chunks of a decode.", least=0)]
    cache: Annotated[str, Key(words=("warm", "cold"))]
    k: Annotated[int, Key(least=1)]
    m: Annotated[int, Key(least=1)]
    size: Annotated[int, Key("Bytes of the object.", least=1)]
    fastest: Annotated[str | None, Key("null if the case is inconclusive, like the ratios.")]
    ties: Annotated[list[str], Key("Libraries that are not significantly slower.")]
    unclear: Annotated[list[str], Key("Ties that may be more than 10 % slower.")]
    inconclusive: Annotated[str | None, Key("Why it is inconclusive, and what to do; null if it is not.")]
    next: Annotated[str | None, Key("The library that is closest to the fastest.")]
    ratio_to_next: Interval | None
    ratio_to_isa: Interval | None
    limit_gb_per_s: Annotated[float | None, Key("The roofline; null: it was not measured.")]
    libraries: Annotated[dict[str, Library], Key("The libraries that have a figure, by the titles of their columns.")]


def lines(results: Results) -> Iterator[str]:
    for result in results.cases:
        case, found = result.case, result.selection
        libraries = {name: library_of(result, name) for name in results.libraries if name in result.libraries.candidates}
        yield json.dumps(to_json(Case(
            case.workload, case.erasures, case.cache, case.k, case.m, case.size, found.fastest, found.having(TIE),
            found.having(UNCLEAR), found.inconclusive.text(results.advice) if found.inconclusive else None, found.next,
            interval_of(found.lead(found.next)), interval_of(found.lead(ISA)),
            result.limit.speed.median if result.limit else None, libraries)), ensure_ascii=False)


def library_of(result: CaseResult, name: str) -> Library:
    candidate, found = result.libraries.candidates[name], result.selection
    return Library(candidate.speed.median, candidate.warned, candidate.speed.low, candidate.speed.high,
                   result.limit_percent(name), None if name == found.fastest else interval_of(found.lead(name)),
                   call_overhead([candidate]), candidate.point.plugin, dict(candidate.point.profile), candidate.point.codec_lib)
