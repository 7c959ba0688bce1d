"""Computes the figures of a row again from its samples, as src/benchmark/measurement/summary.cc does."""

import itertools
import math
import shlex
from collections.abc import Iterator

from ecbench.point.point import Json, Point
from ecbench.runfile.row import differences_from
from ecbench.runfile.summary import counted_samples, seconds_by_placement
from ecbench.statistics.interval import FEWEST_VALUES, median, median_interval

EXACT = 1e-6  # figures have 15 digits
NEEDED = ("iterations", "seconds", "ns_per_op", "minimum_ns_per_op", "ci_low", "ci_high")


def problems_of(row: Json, point: Point) -> Iterator[str]:
    """`row`: with today's keys. Yields what contradicts itself."""
    if missing := [key for key in NEEDED if not isinstance(row.get(key), int | float)]:
        yield f"has no {missing[0]}"
        return
    if row.get("verified") is not True:
        yield "is not verified"
    yield from differences_from(point, row, point.to_json())
    if not (row["gb_per_s"] > 0 and row["ns_per_op"] > 0):
        yield f"has gb_per_s {row['gb_per_s']:.6g} and ns_per_op {row['ns_per_op']:.6g}"
        return
    if "command" in row:
        yield from of_command(row, point)
    figure, times = row["gb_per_s"], seconds_by_placement(row)
    per_operation = counted_bytes(point) * point.threads / max(figure, 1e-12)
    if not close(row["ns_per_op"], per_operation):
        yield f"has gb_per_s {figure:.6g}, but ns_per_op {row['ns_per_op']:.6g}"
    medians = [median(seconds) for seconds in times.values()]
    every = [seconds for found in times.values() for seconds in found]
    if len(every) >= FEWEST_VALUES and len(set(every)) == 1:
        yield "has samples that are all equal"
    in_sample = median(medians) * 1e9 / row["ns_per_op"]  # operations in a sample
    has_all = "sample_iterations" in row or len(medians) == 1  # a short row with several placements has one sample of each
    yield from of_iterations(row, point, in_sample, len(every), has_all)
    if has_all:
        yield from of_interval(row, medians, every)
    if not row["ci_low"] <= figure <= row["ci_high"]:
        yield f"has an interval of {row['ci_low']:.6g} to {row['ci_high']:.6g} without gb_per_s {figure:.6g}"
    if "sample_iterations" in row:
        yield from of_sums(row, point, in_sample)
    if row.get("limit_gb_per_s") and not close(figure / row["limit_gb_per_s"] * 100, row.get("limit_percent") or 0):
        yield "has a share of the roofline that is not gb_per_s / limit_gb_per_s"
    if not row.get("warnings") and row.get("cpu_seconds_per_gb") and not 0.25 < row["cpu_seconds_per_gb"] * figure < 4:
        yield f"has gb_per_s {figure:.6g}, but {row['cpu_seconds_per_gb']:.6g} CPU seconds for each GB"


def of_sums(row: Json, point: Point, in_sample: float) -> Iterator[str]:
    """Figures that a full row has in addition."""
    samples, thread_speeds = counted_samples(row), row.get("thread_gb_per_s") or []
    operations = in_sample * len(samples)
    medians = {placement: median(seconds) for placement, seconds in seconds_by_placement(row).items()}
    shares, third = [sample["seconds"] / medians[sample["placement"]] for sample in samples], max(len(samples) // 3, 1)
    drift = median(shares[-third:]) / median(shares[:third])
    cpu_seconds = math.fsum(sample.get("cpu_seconds") or 0 for sample in samples)
    seconds = [sample["seconds"] for sample in samples]
    deviations = [abs(one - median(seconds)) for one in seconds]
    gb_of_a_thread = operations * counted_bytes(point) / 1e9
    expected = {
        "seconds": math.fsum(seconds), "cpu_seconds": cpu_seconds, "minimum_ns_per_op": min(seconds) / in_sample * 1e9,
        "cpu_seconds_per_gb": cpu_seconds / (gb_of_a_thread * point.threads),
        "objects_per_s": point.threads * 1e9 / row["ns_per_op"], "placements": len(medians),
        "placement_spread_percent": 100 * (max(medians.values()) / min(medians.values()) - 1),
        "drift_percent": 100 * (1 / drift - 1), "mad_percent": 100 * median(deviations) / median(seconds),
        "ci_percent": 50 * (row["ci_high"] - row["ci_low"]) / row["gb_per_s"], "sample_count": len(row["samples"]),
        "clean_samples": sum(sample.get("clean", True) for sample in row["samples"]),
        "kb": row["iterations"] * (int(counted_bytes(point)) // 1024)}
    for key, value in expected.items():
        if isinstance(row.get(key), int | float) and not math.isclose(row[key], value, rel_tol=EXACT, abs_tol=EXACT * 1e-3):
            yield f"has {key} {row[key]:.6g}, its samples give {value:.6g}"
    has_numbers = all(isinstance(speed, int | float) for speed in thread_speeds)
    is_wrong = point.threads == 1 and has_numbers and not close(sum(thread_speeds), gb_of_a_thread / sum(seconds))
    if not has_numbers or len(thread_speeds) != point.threads or is_wrong:
        yield f"has thread_gb_per_s {thread_speeds}, its samples give {gb_of_a_thread / sum(seconds):.6g} for each thread"


def of_command(row: Json, point: Point) -> Iterator[str]:
    """The command has the point's words; defaults can be missing in it."""
    words = shlex.split(str(row["command"]))
    pairs = list(itertools.pairwise(words))
    wrong = [value for option, value in pairs if option in ("--parameter", "-P") and value.partition("=")[::2] not in point.profile]
    expected = {"--plugin": point.plugin, "--workload": point.workload, "--size": str(point.size), "--cache": point.cache}
    wrong += [value for option, value in pairs if option in expected and value != expected[option]]
    if wrong:
        yield f"has a command with {wrong[0]}, which its point does not have"


def of_iterations(row: Json, point: Point, in_sample: float, samples: int, has_all: bool) -> Iterator[str]:
    """An exhaustive decode makes one operation for each pattern, all others one for each iteration."""
    patterns = row.get("patterns") or 1
    iterations = row["iterations"] / point.threads
    if has_all:
        each = iterations / samples
        if not any(close(in_sample, each * count) for count in (1, patterns)):
            yield (f"has {row['iterations']} iterations in {samples} samples, but the times of its samples and ns_per_op give "
                   f"{in_sample * samples:.6g}")
        if row.get("sample_iterations", each) != each:
            yield f"has sample_iterations {row['sample_iterations']}, but {row['iterations']} iterations in {samples} samples"
    total = row["seconds"] * 1e9
    if not any(row["minimum_ns_per_op"] * (1 - EXACT) <= total / (iterations * count) and row["ns_per_op"] <= 4 * total /
               (iterations * count) for count in (1, patterns)) or row["minimum_ns_per_op"] > row["ns_per_op"] * (1 + EXACT):
        yield f"has {row['iterations']} iterations in {row['seconds']:.6g} s, but ns_per_op {row['ns_per_op']:.6g}"


def of_interval(row: Json, medians: list[float], every: list[float]) -> Iterator[str]:
    drawn = medians if len(medians) >= FEWEST_VALUES else every
    low, high, confidence = median_interval(drawn) if len(drawn) > 1 else (drawn[0], drawn[0], 0.0)
    figure = row["gb_per_s"]
    floor = (row.get("drift_floor_percent") or 0) / 100 * figure if confidence else 0
    found = (min(figure * median(medians) / high, figure) - floor, max(figure * median(medians) / low, figure) + floor)
    if len(drawn) > 1 and not close(row.get("ci_confidence_percent") or 100 * confidence, 100 * confidence):
        yield f"has ci_confidence_percent {row['ci_confidence_percent']:.6g}, its samples give {100 * confidence:.6g}"
    for name, value in zip(("ci_low", "ci_high"), found):
        if not math.isclose(row[name], value, rel_tol=EXACT, abs_tol=EXACT * figure):
            yield f"has {name} {row[name]:.6g}, its samples give {value:.6g}"


def counted_bytes(point: Point) -> float:
    return point.size * (point.changed / int(point.get("k")) if point.changed else 1)


def close(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=EXACT)
