"""The results of a self-test as one JSON object: how often equal builds raise a false alarm, how often the gate detects a loss of
speed, how often the gate is inconclusive, and how long the gate takes."""

from typing import Any

from ecbench.gate.ab.verdict import INCONCLUSIVE, SLOWER
from ecbench.gate.self_test.campaign import RealRun
from ecbench.gate.self_test.resampling import Verdicts, is_alarm
from ecbench.point.point import Point
from ecbench.statistics.interval import median

FORMAT = "ecbench gate self-test 1"
AIM_ALARMS_PERCENT, AIM_CAUGHT_PERCENT, AIM_SECONDS = 1.0, 95.0, 120.0
# Percent. The result contains the number of launches of equal builds whose measured change of speed is larger than this. The more
# launches a run has, the less such a launch changes the ratio of its point. More pairs in a launch do not help, because all pairs
# of a launch have the same bias.
FAR_PERCENT = 4.0


def account(same: list[RealRun], handicapped: list[RealRun], equal: list[Verdicts], slow: list[tuple[str, Verdicts]],
            percent: float) -> dict[str, Any]:
    """`same`, `handicapped`: real runs. `equal`: the verdicts of each simulated run with equal builds. `slow`: a pair for each
    simulated run in which only one point is slow: this point, and the verdicts of the run. `percent`: the part of their work that
    the handicapped plugins repeat."""
    header = same[0].header
    result = {
        "format": FORMAT, "machine": header["machine"], "environment": header["environment"],
        "points": len(header["points"]), "launches": header["launches"], "pairs": header["pairs"],
        "threshold_percent": header["threshold"], "alpha": header["alpha"], "handicap_percent": percent,
        "same": runs_account(same), "handicapped": runs_account(handicapped) if handicapped else None,
        "drawn": drawn_account(equal, slow), "scatter": scatter(same),
        "per_point": [point_account(entry, same, handicapped) for entry in header["points"]],
        "copier": [run.copier for run in same if run.copier] or None}
    result["aims"] = aims(result)
    return result


def runs_account(runs: list[RealRun]) -> dict[str, Any]:
    verdicts = [verdict for run in runs for verdict in run.verdicts.values()]
    return {
        "runs": len(runs), "exit_codes": [run.exit_code for run in runs], "seconds": [run.seconds for run in runs],
        "points_judged": len(verdicts), "points_slower": verdicts.count(SLOWER),
        "points_inconclusive": verdicts.count(INCONCLUSIVE),
        "points_extended": sum(len({launch["id"] for launch in run.launches if launch["look"] == 2}) for run in runs),
        "load_averages": [load for run in runs if (load := load_average(run.header)) is not None]}


def load_average(header: dict[str, Any]) -> float | None:
    """The load average of the minute before the run; None if it is unknown."""
    loads = ((header.get("environment") or {}).get("system") or {}).get("load_average")
    return loads[0] if loads else None


def drawn_account(equal: list[Verdicts], slow: list[tuple[str, Verdicts]]) -> dict[str, Any]:
    return {
        "equal_runs": len(equal), "equal_alarms": sum(map(is_alarm, equal)),
        "equal_with_inconclusive": sum(INCONCLUSIVE in verdicts.values() for verdicts in equal),
        "slow_runs": len(slow), "slow_caught": sum(verdicts[point] == SLOWER for point, verdicts in slow),
        "slow_inconclusive": sum(verdicts[point] == INCONCLUSIVE for point, verdicts in slow),
        "slow_false": sum(any(verdict == SLOWER and identity != point for identity, verdict in verdicts.items())
                          for point, verdicts in slow)}


def scatter(runs: list[RealRun]) -> dict[str, Any]:
    """How much ratios differ from 1 although the builds are equal: the ratios of single launches, and the median ratio of each
    point in each run."""
    off = sorted(abs(change_percent(launch["median_ratio"])) for run in runs for launch in run.launches)
    medians = [abs(change) for run in runs for change in changes_of(run).values()]
    return {"launches": len(off), "median_percent": off[len(off) // 2], "p99_percent": off[int(0.99 * (len(off) - 1))],
            "largest_percent": off[-1], "far_percent": FAR_PERCENT, "far": sum(value > FAR_PERCENT for value in off),
            "largest_of_medians_percent": max(medians)}


def change_percent(time_ratio: float) -> float:
    """The change of speed in percent; negative if NEW is slower."""
    return 100 * (1 / time_ratio - 1)


def changes_of(run: RealRun) -> dict[str, float]:
    """id → the median change of speed over the run's launches, in percent."""
    ratios: dict[str, list[float]] = {}
    for launch in run.launches:
        ratios.setdefault(launch["id"], []).append(launch["median_ratio"])
    return {identity: change_percent(median(values)) for identity, values in ratios.items()}


def point_account(entry: dict[str, Any], same: list[RealRun], handicapped: list[RealRun]) -> dict[str, Any]:
    identity = entry["id"]
    offs = [changes_of(run)[identity] for run in same]
    changes = [changes_of(run)[identity] for run in handicapped]
    return {
        "id": identity, "name": str(Point.from_json(entry["point"])), "same_median_percent": median(offs),
        "same_largest_percent": max(offs, key=abs), "alarms": sum(run.verdicts[identity] == SLOWER for run in same),
        "handicapped_median_percent": median(changes) if changes else None,
        "caught": sum(run.verdicts[identity] == SLOWER for run in handicapped), "handicapped_runs": len(changes)}


def aims(result: dict[str, Any]) -> list[dict[str, Any]]:
    drawn, same = result["drawn"], result["same"]
    alarms = sum(code != 0 for code in same["exit_codes"])
    seconds = [*same["seconds"], *(result["handicapped"] or {"seconds": []})["seconds"]]
    found = [
        aim("simulated runs with a false alarm", share(drawn["equal_alarms"], drawn["equal_runs"]), AIM_ALARMS_PERCENT, "%",
            True),
        aim("real runs with a false alarm", share(alarms, same["runs"]), AIM_ALARMS_PERCENT, "%", True),
        aim("wall time of the longest run", max(seconds), AIM_SECONDS, "s", True)]
    if drawn["slow_runs"]:
        found.append(aim(f"a loss of {result['handicap_percent']:g} % caught", share(drawn["slow_caught"], drawn["slow_runs"]),
                         AIM_CAUGHT_PERCENT, "%", False))
    return found


def aim(what: str, value: float, bound: float, unit: str, at_most: bool) -> dict[str, Any]:
    reached = value <= bound if at_most else value >= bound
    return {"what": what, "value": round(value, 2), "aim": bound, "unit": unit, "at_most": at_most, "reached": reached}


def share(count: int, total: int) -> float:
    return 100 * count / total
