"""Writes the results of a run as JSON, with one line for each case."""

import json
from collections.abc import Iterator
from typing import Any

from ecbench.contenders.results import CaseResult, Results
from ecbench.contenders.tables import call_overhead
from ecbench.statistics.interval import Estimate


def lines(results: Results) -> Iterator[str]:
    """Yields one line for each case. The line of an inconclusive case names no fastest library and no ties, and has no ratios. Its
    key `inconclusive` contains the reason and advice."""
    for result in results.cases:
        case = result.case
        yield json.dumps({
            "workload": case.workload, "erasures": case.erasures, "cache": case.cache, "k": case.k, "m": case.m, "size": case.size,
            "fastest": result.fastest, "ties": result.ties, "unclear": result.unclear,
            "inconclusive": results.inconclusive_text(result), "next": result.next,
            "ratio_to_next": ratio_json(result.ratio_to(result.next)), "ratio_to_isa": ratio_json(result.ratio_to_isa),
            "limit_gb_per_s": result.limit and result.limit.speed.median,
            "confidence_percent": result.confidence and 100 * result.confidence,
            "libraries": {name: library_json(result, name) for name in results.libraries if name in result.cells}},
            ensure_ascii=False)


def library_json(result: CaseResult, name: str) -> dict[str, Any]:
    cell = result.cells[name]
    return {"gb_per_s": cell.speed.median, "warnings": bool(cell.mark), "low": cell.speed.low, "high": cell.speed.high,
            "limit_percent": result.limit_percent(name),
            "ratio_of_fastest": None if name == result.fastest else ratio_json(result.ratio_to(name)),
            "call_overhead_ns": call_overhead([cell]), "plugin": cell.point.plugin, "profile": dict(cell.point.profile),
            "codec_lib": cell.point.codec_lib}


def ratio_json(ratio: Estimate | None) -> dict[str, float | None] | None:
    return None if ratio is None else {"median": ratio.median, "low": ratio.low, "high": ratio.high}
