"""What a run says of each of its points: the figure of all repetitions together, and how sure it is."""

import dataclasses
import math

from ecbench.point.point import Point
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, median, median_interval

# Stands next to a figure that has a row with warnings, and is explained in one line.
MARK = "!"
MARKED = (f"{MARK} means: measured with warnings, also a second time; other programs or virtual machines may have disturbed "
          "the figure")

# Warnings of ecbench that mean that other programs disturbed the measurement. Other warnings apply to all points alike.
DISTURBANCES = {"few_clean_samples", "threads_not_parallel", "load_average", "shared_cpus", "cpu_quota", "throttled", "steal"}
LEAST_CPU_SHARE = 0.95  # of rows without warnings, which older programs write

# From here on ecbench warns that the speed drifted within a row.
MUCH_DRIFT_PERCENT = 3


@dataclasses.dataclass(frozen=True, slots=True)
class PointSummary:
    """A point that has no row has failures at most, and None for every figure that a row would give."""
    id: str
    point: Point
    row: dict | None  # of the first repetition
    repetitions: int
    gb_per_s: float | None  # median of the repetitions' figures
    low: float | None  # ends of the 95 % interval; None where there is one sample
    high: float | None
    interval_percent: float | None  # half of its width, in percent of gb_per_s
    drifted: bool  # in any repetition
    limit_gb_per_s: float | None
    percent_of_limit: float | None
    cpu_seconds_per_gb: float | None
    chunk_size: int | None
    padding_percent: float | None
    failures: list
    warned: bool = False  # in any repetition
    samples: int = 0  # of which the interval was made
    disturbed: float = 0  # the share of its rows that other programs disturbed

    @property
    def estimate(self) -> Estimate:
        """Its figure, to compare with others; NaN if it has none."""
        return Estimate(math.nan if self.gb_per_s is None else self.gb_per_s, self.low, self.high, self.samples)

    @property
    def mark(self) -> str:
        """What stands next to its figure."""
        return MARK if self.warned else ""


def has_warnings(rows) -> bool:
    """Whether the figure of these rows is marked."""
    return any(row.get("warnings") for row in rows)


def is_disturbed(row: dict) -> bool:
    """Whether other programs disturbed the measurement."""
    if "warnings" in row:
        return any(warning.get("code") in DISTURBANCES for warning in row["warnings"])
    wall = (row.get("seconds") or 0) * (row.get("threads") or 1)
    return wall > 0 and (row.get("cpu_seconds") or wall) / wall < LEAST_CPU_SHARE


def summarize(run):
    """A PointSummary for each point, in the order of the run's header."""
    return [summarize_point(entry, run.points[entry["id"]], run.rows.get(entry["id"], []), run.failures.get(entry["id"], []))
            for entry in run.header["points"]]


def summarize_point(entry, point, rows, failures):
    speeds = drawn_speeds(rows)
    low, high = figure_interval(rows, speeds) or (None, None)
    figure = median_of(rows, "gb_per_s")
    return PointSummary(
        id=entry["id"], point=point, row=rows[0] if rows else None, repetitions=len(rows), gb_per_s=figure, low=low, high=high,
        interval_percent=None if low is None or not figure else (high - low) / 2 / figure * 100,
        drifted=any(abs(row["drift_percent"] or 0) > MUCH_DRIFT_PERCENT for row in rows),
                        limit_gb_per_s=median_of(rows, "limit_gb_per_s"),
        percent_of_limit=median_of(rows, "limit_percent"), cpu_seconds_per_gb=median_of(rows, "cpu_seconds_per_gb"),
        chunk_size=entry.get("chunk_size"), padding_percent=entry.get("padding_percent"), failures=failures,
        warned=has_warnings(rows), samples=len(speeds), disturbed=sum(map(is_disturbed, rows)) / len(rows) if rows else 0)


def median_of(rows, key):
    values = [row[key] for row in rows if row[key] is not None]
    return median(values) if values else None


def figure_interval(rows, speeds):
    """The ends of the 95 % interval of the median of the rows' gb_per_s, None where there are not two samples.

    Each process puts its buffers elsewhere, so that the placements of all repetitions are draws of one kind, and their interval is
    that of one row, of more draws. What the machine does to a whole process (its clock, its neighbours) is the same for all
    placements of a repetition: it is seen between repetitions alone, and the interval reaches at least as far as these do."""
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


def counted_samples(row):
    """The samples that the row's figure comes from: the clean ones, or all if these are too few. Rows of schema version 2 and older
    do not tell which are clean."""
    clean = [sample for sample in row["samples"] if sample.get("clean", True)]
    few = any(warning["code"] == "few_clean_samples" for warning in row.get("warnings", ()))
    return row["samples"] if few or not clean else clean


def drawn_speeds(rows):
    """The GB/s of each placement of each row, or, where there are too few for an interval, of each sample."""
    placements, samples = [], []
    for row in rows:
        times = {}
        for sample in counted_samples(row):
            times.setdefault(sample["placement"], []).append(max(sample["seconds"], 1e-12))
        medians = [median(seconds) for seconds in times.values()]
        # Whatever one sample holds (iterations, patterns, threads), the row's figure belongs to the median of its placements.
        gb_of_sample = row["gb_per_s"] * median(medians)
        placements += [gb_of_sample / seconds for seconds in medians]
        samples.append((gb_of_sample, times.values()))
    if len(placements) >= FEWEST_VALUES:
        return placements
    return [gb / seconds for gb, places in samples for place in places for seconds in place]
