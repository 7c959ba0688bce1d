"""The results of a self-test as text for people."""

from collections.abc import Iterator
from typing import Any

from ecbench.gate.ab.wording import signed
from ecbench.gate.self_test.resampling import STRETCH
from ecbench.statistics.interval import median
from ecbench.statistics.proportion import upper_bound


def lines(result: dict[str, Any]) -> Iterator[str]:
    """Yields the text, one line at a time."""
    busy = " while a memory copier runs" if result["copier"] else ""
    yield (f"gate self-test{busy}: {result['points']} points, {result['launches']} launches of {result['pairs']} pairs, threshold "
           f"{result['threshold_percent']:g} %, {result['machine']['cpu']}")
    if result["copier"]:
        yield copier_line(result["copier"])
    yield ""
    yield from run_lines("this build against a copy of itself", result["same"])
    yield from alarm_lines(result)
    yield from scatter_lines(result["scatter"])
    if result["handicapped"]:
        yield from run_lines(f"this build against a handicapped build that repeats {result['handicap_percent']:g} % of its work",
                             result["handicapped"])
    yield from drawn_lines(result)
    yield ""
    yield from point_lines(result)
    yield ""
    for one in result["aims"]:
        sign = "at most" if one["at_most"] else "at least"
        verdict = "reached" if one["reached"] else "MISSED"
        yield f"{one['what']}: {one['value']:g} {one['unit']} (aim: {sign} {one['aim']:g}) {verdict}"


def copier_line(copiers: list[dict[str, Any]]) -> str:
    copied, cached = (median([one[key] for one in copiers]) for key in ("copied_gb_per_s", "in_cache_gb_per_s"))
    return (f"memory copier on CPU {copiers[0]['cpu']}: it copies 256 MiB repeatedly at {copied:.1f} GB/s, and 128 KiB in the "
            f"cache at {cached:.1f} GB/s (medians of the runs)")


def run_lines(what: str, runs: dict[str, Any]) -> Iterator[str]:
    judged = runs["points_judged"]
    codes = " ".join(map(str, runs["exit_codes"]))
    yield f"{what}: {runs['runs']} real run{'s' if runs['runs'] > 1 else ''}, exit codes {codes}"
    yield (f"  {runs['points_slower']} of {judged} points slower, {runs['points_inconclusive']} inconclusive, "
           f"{runs['points_extended']} measured again")
    yield f"  wall time: {median(runs['seconds']):.1f} s at the median, {max(runs['seconds']):.1f} s at most"


def alarm_lines(result: dict[str, Any]) -> Iterator[str]:
    codes, loads = result["same"]["exit_codes"], loads_of(result)
    alarms = sum(code != 0 for code in codes)
    yield (f"  {alarms} false alarms in {len(codes)} runs: their probability is at most {bound_of(alarms, len(codes))}, at 95 % "
           "confidence")
    if len(loads) == 1:
        yield f"  load average at the start of the first run: {loads[0]:.1f}"
    elif loads:
        yield f"  load average at the start of the runs: {median(loads):.1f} at the median, {min(loads):.1f} to {max(loads):.1f}"


def bound_of(alarms: int, runs: int) -> str:
    return f"{100 * upper_bound(alarms, runs):.1f} %"


def loads_of(result: dict[str, Any]) -> list[float]:
    """The load averages at the start of the runs. Results of older versions of ecbench contain only the load average at the
    start of the first run."""
    first = ((result["environment"] or {}).get("system") or {}).get("load_average") or []
    return result["same"].get("load_averages", first[:1])


def scatter_lines(off: dict[str, Any]) -> Iterator[str]:
    yield (f"  the ratios of {off['launches']} launches differ from 1 by {off['median_percent']:.2f} % (median), "
           f"{off['p99_percent']:.1f} % (99th percentile), {off['largest_percent']:.1f} % (largest); {off['far']} of them by more "
           f"than {off['far_percent']:g} %")
    yield f"  the median ratio of a point's launches in a run differs from 1 by at most {off['largest_of_medians_percent']:.2f} %"


def drawn_lines(result: dict[str, Any]) -> Iterator[str]:
    drawn = result["drawn"]
    yield f"whole runs, simulated from parts of these runs: each part has {STRETCH} rounds"
    yield (f"  {drawn['equal_runs']} runs of equal builds: {drawn['equal_alarms']} false alarms; "
           f"{drawn['equal_with_inconclusive']} of the runs had inconclusive points")
    if drawn["slow_runs"]:
        yield (f"  {drawn['slow_runs']} runs with one handicapped point, each point in turn: {drawn['slow_caught']} caught, "
               f"{drawn['slow_inconclusive']} inconclusive, {drawn['slow_false']} with another point judged slower")


def point_lines(result: dict[str, Any]) -> Iterator[str]:
    for point in sorted(result["per_point"], key=lambda one: one["name"]):
        caught = ""
        if point["handicapped_runs"]:
            caught = (f"; handicapped build {signed(point['handicapped_median_percent'], 2)} %, caught in {point['caught']} of "
                      f"{point['handicapped_runs']} runs")
        yield (f"{point['name']}: equal builds {signed(point['same_median_percent'], 2)} % (median), "
               f"{signed(point['same_largest_percent'], 2)} % (largest){caught}")
