"""Computes the speed of each point of a run: the median over all repetitions, with its confidence interval."""

import dataclasses
import math
from collections.abc import Iterable, Sequence

from ecbench.point.point import Json, Point
from ecbench.runfile.run_file import Run
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, median, median_interval

# Tables print this mark after the figure of a point if a row of the point has warnings.
MARK = "!"
MARKED = (f"{MARK}: a measurement for this figure had warnings, and had warnings again when it was repeated; other programs or "
          "virtual machines may have disturbed it")

# If a row has one of these warnings, other programs disturbed the measurement. All other warnings have other causes.
DISTURBANCES = {"few_clean_samples", "threads_not_parallel", "load_average", "shared_cpus", "cpu_quota", "throttled", "steal"}
# Rows of old versions of ecbench have no key "warnings". Such a row was disturbed if CPU time / wall-clock time is below this
# value.
LEAST_CPU_SHARE = 0.95

# If the drift of a row is above this value, the row has the warning "drift".
MUCH_DRIFT_PERCENT = 3


@dataclasses.dataclass(frozen=True, slots=True)
class PointSummary:
    """The figures of a point are None if the point has no row."""
    id: str
    point: Point
    row: Json | None  # row of the first repetition
    repetitions: int
    gb_per_s: float | None  # median over the repetitions
    low: float | None  # lower end of the 95 % interval; None if there is only one sample
    high: float | None
    interval_percent: float | None  # half the width of the interval, in percent of gb_per_s
    drifted: bool  # whether any repetition has a drift above MUCH_DRIFT_PERCENT
    limit_gb_per_s: float | None
    percent_of_limit: float | None
    cpu_seconds_per_gb: float | None
    chunk_size: int | None
    padding_percent: float | None
    failures: list[Json]
    warned: bool = False  # whether any repetition has warnings
    samples: int = 0  # number of values from placement_speeds()
    disturbed: float = 0  # share of rows that other programs disturbed

    @property
    def estimate(self) -> Estimate:
        """gb_per_s with its interval, for comparisons. The median is NaN if the point has no row."""
        return Estimate(math.nan if self.gb_per_s is None else self.gb_per_s, self.low, self.high, self.samples)

    @property
    def mark(self) -> str:
        return MARK if self.warned else ""


def has_warnings(rows: Iterable[Json]) -> bool:
    return any(row.get("warnings") for row in rows)


def is_disturbed(row: Json) -> bool:
    """Whether other programs disturbed the measurement."""
    if "warnings" in row:
        return any(warning.get("code") in DISTURBANCES for warning in row["warnings"])
    wall = (row.get("seconds") or 0) * (row.get("threads") or 1)
    return wall > 0 and (row.get("cpu_seconds") or wall) / wall < LEAST_CPU_SHARE


def summarize(run: Run) -> list[PointSummary]:
    """The summaries of the planned points, in the order of the run's header."""
    return [summarize_point(entry, run.points[entry["id"]], run.rows.get(entry["id"], []), run.failures.get(entry["id"], []))
            for entry in run.header["points"]]


def summarize_point(entry: Json, point: Point, rows: list[Json], failures: list[Json]) -> PointSummary:
    speeds = placement_speeds(rows)
    low, high = figure_interval(rows, speeds) or (None, None)
    figure = median_of(rows, "gb_per_s")
    return PointSummary(
        id=entry["id"], point=point, row=rows[0] if rows else None, repetitions=len(rows), gb_per_s=figure, low=low, high=high,
        interval_percent=None if low is None or high is None or not figure else (high - low) / 2 / figure * 100,
        drifted=any(abs(row["drift_percent"] or 0) > MUCH_DRIFT_PERCENT for row in rows),
        limit_gb_per_s=median_of(rows, "limit_gb_per_s"), percent_of_limit=median_of(rows, "limit_percent"),
        cpu_seconds_per_gb=median_of(rows, "cpu_seconds_per_gb"), chunk_size=entry.get("chunk_size"),
        padding_percent=entry.get("padding_percent"), failures=failures, warned=has_warnings(rows), samples=len(speeds),
        disturbed=sum(map(is_disturbed, rows)) / len(rows) if rows else 0)


def median_of(rows: Sequence[Json], key: str) -> float | None:
    values = [row[key] for row in rows if row[key] is not None]
    return median(values) if values else None


def figure_interval(rows: Sequence[Json], speeds: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the median of the rows' gb_per_s. `speeds`: the result of placement_speeds(). None if there are fewer
    than two speeds.

    Each repetition is a process with its own buffers. Therefore the placements of all repetitions are samples of one distribution.
    The interval of this distribution's median is computed in the same way as for one row, and includes the noise floor.

    Some effects (clock frequency, other virtual machines) change the speed of a whole process. Such an effect is the same for all
    placements of a repetition, so only a comparison of repetitions shows it. Therefore the interval is extended. If there are fewer
    than FEWEST_VALUES repetitions, the extended interval contains the gb_per_s of every repetition. Otherwise, it contains the
    95 % interval that is computed only from the gb_per_s of the repetitions."""
    if len(speeds) < 2:
        return None
    figures = [row["gb_per_s"] for row in rows]
    figure = median(figures)
    floor = max(row["drift_floor_percent"] or 0 for row in rows) / 100 * figure
    within = median_interval(speeds)
    between = median_interval(figures) if len(figures) >= FEWEST_VALUES else (min(figures), max(figures))
    low = min(min(within[0], figure) - floor, between[0])
    high = max(max(within[1], figure) + floor, between[1])
    return max(low, 0), high


def seconds_by_placement(row: Json) -> dict[int, list[float]]:
    """Placement → the seconds of the samples from which ecbench computed the row's gb_per_s. These are the clean samples, or all
    samples if too few samples are clean. In rows of schema version 1 and 2, clean samples are not marked, and all samples are
    used."""
    clean = [sample for sample in row["samples"] if sample.get("clean", True)]
    few = any(warning["code"] == "few_clean_samples" for warning in row.get("warnings", ()))
    found: dict[int, list[float]] = {}
    for sample in row["samples"] if few or not clean else clean:
        found.setdefault(sample["placement"], []).append(sample["seconds"])
    return found


def placement_speeds(rows: Sequence[Json]) -> list[float]:
    """The GB/s of each placement of each row. If there are fewer than FEWEST_VALUES placements, the GB/s of each sample."""
    placements: list[float] = []
    samples: list[float] = []
    for row in rows:
        times = [[max(seconds, 1e-12) for seconds in found] for found in seconds_by_placement(row).values()]
        medians = [median(seconds) for seconds in times]
        # gb_per_s is the speed at the placement with the median time. The product of this speed and this time is the number of
        # GB that one sample processed. Therefore the numbers of iterations, patterns and threads in a sample are not needed.
        gb_of_sample = row["gb_per_s"] * median(medians)
        placements += [gb_of_sample / seconds for seconds in medians]
        samples += [gb_of_sample / seconds for found in times for seconds in found]
    return placements if len(placements) >= FEWEST_VALUES else samples
