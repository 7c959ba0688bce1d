"""The results as JSON, a line for each case: who is the fastest, and of each contestant its figure and its place."""

import json

from ecbench.contenders.tables import call_overhead


def lines(results):
    for standing in results.standings:
        case = standing.case
        yield json.dumps({
            "workload": case.workload, "erasures": case.erasures, "cache": case.cache, "k": case.k, "m": case.m, "size": case.size,
            "fastest": standing.fastest, "equal": standing.equals, "unknown": standing.unknown, "runner_up": standing.runner_up,
            "ratio_to_runner_up": ratio_json(standing.of_runner_up()), "ratio_to_isa": ratio_json(standing.of_isa()),
            "limit_gb_per_s": None if standing.limit is None else standing.limit.gb_per_s, "certainty": standing.certainty,
            "contestants": {name: contestant_json(standing, name) for name in standing.ranked}}, ensure_ascii=False)


def contestant_json(standing, name):
    cell = standing.cells[name]
    low, high = cell.interval or (None, None)
    return {"gb_per_s": cell.gb_per_s, "warnings": bool(cell.mark), "low": low, "high": high,
            "limit_percent": standing.percent_of_limit(name),
            "ratio_of_fastest": ratio_json(None if name == standing.fastest else standing.ratio(standing.fastest, name)),
            "call_overhead_ns": call_overhead([cell]), "plugin": cell.point.plugin, "profile": dict(cell.point.profile),
            "codec_lib": cell.point.codec_lib}


def ratio_json(ratio):
    return None if ratio is None else {"median": ratio.middle, "low": ratio.low, "high": ratio.high}
