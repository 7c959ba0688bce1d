"""The report as a JSON object that conforms to report.schema.json."""

from ecbench.fleet.collection import Host
from ecbench.fleet.results import CaseResult, ClassCase, ForAll, Results
from ecbench.point.point import Json
from ecbench.statistics.interval import Estimate

FORMAT = "ecbench fleet report 1"


def document(results: Results) -> Json:
    return {"format": FORMAT, "folder": str(results.collection.folder),
            "classes": [{"name": one.name, **one.key.to_json(), "hosts": [host.name for host in one.hosts],
                         "clean_hosts": [host.name for host in one.clean]} for one in results.classes],
            "cases": [case_json(case) for case in results.cases],
            "outliers": [{"host": slow.host, "class": slow.host_class, "figures": slow.part, "ratio": slow.ratio,
                          "slower": slow.is_slower, "probability": slow.probability,
                          "differences": [difference.to_json() for difference in slow.differences]} for slow in results.slow],
            "hosts": [host_json(host) for host in results.collection.hosts],
            "missing": [{"host": host.name, "why": host.why_missing} for host in results.missing],
            "unclean": [host.name for host in results.unclean],
            "wrong_bytes": [{"host": host.name, "point": point} for host, point in results.wrong_bytes],
            "rejected": [{"path": one.path, "why": one.why} for one in results.collection.all_rejected()]}


def case_json(result: CaseResult) -> Json:
    case = result.case
    return {"k": case.k, "m": case.m, "size": case.size, "workload": case.workload or None, "erasures": case.erasures,
            "options": dict(case.options), "title": case.title, "classes": [class_json(one) for one in result.classes],
            "for_all_classes": for_all_json(result.for_all)}


def class_json(one: ClassCase) -> Json:
    found = one.ranking
    profiles = [{**candidate.to_json(), "gb_per_s": estimate_json(figure.estimate), "spread_percent": figure.spread_percent,
                 "ratio_to_fastest": estimate_json(found.ratios[candidate]) if candidate in found.ratios else None,
                 "tie": candidate in found.ties, "hosts": figure.hosts} for candidate, figure in one.figures.items()]
    return {"class": one.host_class.name, "is_clean": bool(one.host_class.clean), "fastest": one.fastest.to_json(),
            "inconclusive": str(found.inconclusive) if found.inconclusive and len(profiles) > 1 else None, "profiles": profiles,
            "left_out": [candidate.to_json() for candidate in one.left_out]}


def for_all_json(found: ForAll | None) -> Json | None:
    if found is None:
        return None
    return {"profile": found.candidate.to_json(),
            "classes": [{"class": name, "ratio_to_fastest": estimate_json(cost),
                         "cost_percent": (1 - cost.median) * 100} for name, cost in found.costs.items()]}


def host_json(host: Host) -> Json:
    figures = host.figures
    return {"host": host.name, "state": host.state.state if host.state else None,
            "exit_code": host.state.exit_code if host.state else None, "files": figures.files if figures else [],
            "rows": figures.rows if figures else 0, "failures": figures.failures if figures else 0,
            "disturbed_share": figures.disturbed_share if figures else None,
            "clean_sample_share": figures.clean_share if figures else None,
            "cpu_share": figures.cpu_share if figures else None, "is_clean": host.is_clean, "notes": host.notes}


def estimate_json(estimate: Estimate) -> Json:
    return {"median": estimate.median, "low": estimate.low, "high": estimate.high}
