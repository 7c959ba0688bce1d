"""The results of a run as JSON, with one line for each case. An inconclusive case has no fastest library, ties and ratios."""

import json
from collections.abc import Iterator
from typing import Any

from ecbench.comparison.questions import TIE, UNCLEAR
from ecbench.comparison.text import interval_of
from ecbench.contenders.libraries import ISA
from ecbench.contenders.results import CaseResult, Results
from ecbench.contenders.tables import call_overhead
from ecbench.documents.document import to_json
from ecbench.statistics.interval import Estimate


def lines(results: Results) -> Iterator[str]:
    for result in results.cases:
        case, found = result.case, result.selection
        yield json.dumps({
            "workload": case.workload, "erasures": case.erasures, "cache": case.cache, "k": case.k, "m": case.m, "size": case.size,
            "fastest": found.fastest, "ties": found.having(TIE), "unclear": found.having(UNCLEAR),
            "inconclusive": found.inconclusive and found.inconclusive.text(results.advice), "next": found.next,
            "ratio_to_next": ratio_json(found.lead(found.next)), "ratio_to_isa": ratio_json(found.lead(ISA)),
            "limit_gb_per_s": result.limit and result.limit.speed.median,
            "libraries": {name: library_json(result, name) for name in results.libraries if name in result.libraries.candidates}},
            ensure_ascii=False)


def library_json(result: CaseResult, name: str) -> dict[str, Any]:
    candidate, found = result.libraries.candidates[name], result.selection
    return {"gb_per_s": candidate.speed.median, "warnings": bool(candidate.mark), "low": candidate.speed.low,
            "high": candidate.speed.high, "limit_percent": result.limit_percent(name),
            "ratio_of_fastest": None if name == found.fastest else ratio_json(found.lead(name)),
            "call_overhead_ns": call_overhead([candidate]), "plugin": candidate.point.plugin,
            "profile": dict(candidate.point.profile), "codec_lib": candidate.point.codec_lib}


def ratio_json(ratio: Estimate | None) -> Any:
    return to_json(interval_of(ratio))
