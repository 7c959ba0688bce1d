"""The outcome of a gate ab run as one JSON object, described by result.schema.json. The JSON object contains everything that the
table, the Markdown and the forest plot show."""

from typing import Any

from ecbench.gate.ab.gate_run import GateRun
from ecbench.gate.ab.verdict import FASTER, INCONCLUSIVE, LOOKS, NO_REGRESSION, SLOWER
from ecbench.gate.sides import exit_codes
from ecbench.statistics.interval import median

FORMAT = "ecbench gate ab 2"
WORST_FIRST = (SLOWER, INCONCLUSIVE, NO_REGRESSION, FASTER)


def result_of(run: GateRun, require_conclusive: bool = False) -> dict[str, Any]:
    """The outcome of a run whose points have been judged."""
    points = sorted((point_result(run, identity) for identity in run.verdicts), key=badness)
    counts = {verdict: sum(point["verdict"] == verdict for point in points) for verdict in WORST_FIRST}
    verdict = SLOWER if counts[SLOWER] else INCONCLUSIVE if counts[INCONCLUSIVE] else NO_REGRESSION
    settings = run.settings
    return {
        "format": FORMAT, "verdict": verdict, "exit_code": exit_code(verdict, require_conclusive), "counts": counts,
        "old": run.header["old"], "new": run.header["new"], "threshold_percent": settings.threshold, "alpha": settings.alpha,
        "looks": LOOKS, "launches": run.plan.launches, "pairs": run.plan.pairs,
        "seed": run.plan.seed, "seconds": round(run.seconds, 3), "environment": run.header.get("environment"), "points": points}


def exit_code(verdict: str, require_conclusive: bool = False) -> int:
    if verdict == SLOWER:
        return exit_codes.REGRESSION
    return exit_codes.INCONCLUSIVE if verdict == INCONCLUSIVE and require_conclusive else exit_codes.NO_REGRESSION


def point_result(run: GateRun, identity: str) -> dict[str, Any]:
    judged, launches = run.verdicts[identity], run.launches[identity]
    old, new = (median([launch[f"{side}_ns_per_iteration"] for launch in launches]) for side in ("old", "new"))
    return {
        "id": identity, "name": str(run.points[identity].point), "point": run.points[identity].point.to_json(),
        "verdict": judged.verdict, "ratio": ratio(judged.change_percent), "low": ratio(judged.low), "high": ratio(judged.high),
        "change_percent": judged.change_percent, "confidence_percent": judged.confidence_percent, "launches": judged.launches,
        "extended": judged.launches > run.plan.launches, "ties": judged.ties, "old_ns_per_iteration": old,
        "new_ns_per_iteration": new, **{key: launches[0].get(key) for key in ("old_kernel", "new_kernel")}}


def ratio(change_percent: float | None) -> float | None:
    return None if change_percent is None else 1 + change_percent / 100


def badness(point: dict[str, Any]) -> tuple[int, float, str]:
    return WORST_FIRST.index(point["verdict"]), point["change_percent"], point["name"]
