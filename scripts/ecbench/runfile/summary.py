"""The speed of each point of a run: the median over all repetitions, with its confidence interval. Also its rooflines, libraries,
short rows, and the table of its environment."""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from ecbench.documents.document import Json
from ecbench.point.point import Planned, Point, size_text
from ecbench.runfile.header import LIBISAL, SharedObject
from ecbench.runfile.row import ALWAYS, CORE_SHARED, WRONG_BYTES, Failure, Result, Row
from ecbench.runfile.run_file import Run
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, median, median_interval

# Tables print this mark after the figure of a point if a row of the point has warnings.
MARK = "!"
MARKED = f"{MARK}: a measurement for this figure had warnings; other programs or virtual machines may have disturbed it"

# The beginning of the warning CORE_SHARED. Rows whose percentages differ by more than MOST_DIFFERENT have different states.
STATE = re.compile(r"another hardware thread shares the core; figures are about (\d+) % below the best seen here")
MOST_DIFFERENT = 10

# If a row has one of these warnings, other programs disturbed the measurement. All other warnings have other causes.
DISTURBANCES = {"few_clean_samples", "threads_not_parallel", "load_average", "other_measurement", "shared_cpus", "cpu_quota",
                "throttled", "steal"}
LEAST_CPU_SHARE = 0.95  # of the wall-clock time, in rows of old versions, which have no warnings
GB_PER_S = "gb_per_s"  # the column of a row that is compared by default
LATENCIES = ("p50", "p95", "p99")  # columns in which less is better
DRIFT, MUCH_DRIFT_PERCENT = "drift", 3  # a row with more drift has this warning


@dataclasses.dataclass(frozen=True, slots=True)
class PointSummary:
    """The figures of a point are None if the point has no row."""
    id: str
    point: Point
    row: Row | None  # row of the first repetition
    repetitions: int
    gb_per_s: float | None  # median over the repetitions
    low: float | None  # lower end of the 95 % interval; None if there is only one sample
    high: float | None
    limit_gb_per_s: float | None
    percent_of_limit: float | None
    cores: float | None  # see Row.cores
    code_percent: float | None
    chunk_size: int | None
    padding_percent: float | None
    failures: list[Failure]
    mark: str = ""  # MARK if any repetition has warnings, see Marks
    samples: int = 0  # number of values from placement_speeds()
    disturbed: float = 0  # share of rows that other programs disturbed
    speeds: Mapping[int, float] = dataclasses.field(default_factory=dict)  # repetition → GB/s

    @property
    def estimate(self) -> Estimate:
        return Estimate(math.nan if self.gb_per_s is None else self.gb_per_s, self.low, self.high, self.samples)

    @property
    def is_unmeasured(self) -> bool:
        """The run has not reached the point."""
        return self.row is None and not self.failures

    @property
    def has_wrong_bytes(self) -> bool:
        return any(failure.kind == WRONG_BYTES for failure in self.failures)


def codes_of(row: Row) -> list[str]:
    """The codes of its warnings. Rows of old versions have no warnings, only the drift."""
    return [str(one.get("code")) for one in row.warnings or ()] or [DRIFT] * (abs(row.drift_percent or 0) > MUCH_DRIFT_PERCENT)


def state_line(rows: Iterable[Result]) -> str:
    """If every row without other warnings has the warning CORE_SHARED, and they are all as much slower: the state of the machine in
    one line, instead of marks; otherwise ""."""
    matches = [STATE.match((row.warnings or [{}])[0].get("text", "")) for row in rows if not row.is_doubtful]
    found = sorted((int(match[1]), match[0]) for match in matches if match)
    if not found or len(found) < len(matches) or found[-1][0] - found[0][0] > MOST_DIFFERENT:
        return ""
    return found[len(found) // 2][1]


def all_rows(run: Run) -> Iterable[Row]:
    return (row for rows in run.rows.values() for row in rows)


class Marks:
    """Which figures of a run are marked, and why."""

    def __init__(self, run: Run):
        self.state = state_line(all_rows(run))

    def of(self, rows: Iterable[Row]) -> str:
        """The mark of the figure of these rows: if any has warnings, other than that of a state of the machine."""
        return MARK * any(row.is_doubtful if self.state else codes_of(row) for row in rows)

    def note(self, is_marked: bool) -> str:
        """The explanation. `is_marked`: whether any figure that is shown has a mark."""
        return ". ".join(filter(None, [self.state, MARKED * is_marked]))


def is_disturbed(row: Row) -> bool:
    """Whether other programs disturbed the measurement."""
    if row.warnings is not None:
        return not DISTURBANCES.isdisjoint(codes_of(row))
    wall = row.seconds * (row.threads or 1)
    return wall > 0 and (row.cpu_seconds or wall) / wall < LEAST_CPU_SHARE


def is_below_best(row: Row) -> bool:
    """Whether the machine can be faster: other programs disturbed the measurement, or share the core all the time."""
    return is_disturbed(row) or CORE_SHARED in codes_of(row)


def disturbed_share(rows: Sequence[Row]) -> float:
    return sum(map(is_disturbed, rows)) / len(rows) if rows else 0


def summarize(run: Run) -> list[PointSummary]:
    """The summaries of the planned points, in the order of the run's header."""
    marks = Marks(run)
    return [summarize_point(entry, rows, run.failures.get(entry.id, []), marks.of(rows))
            for entry in run.header.points for rows in [run.rows.get(entry.id, [])]]


def summarize_point(entry: Planned, rows: list[Row], failures: list[Failure], mark: str = "") -> PointSummary:
    speeds = placement_speeds(rows)
    figures = [row.gb_per_s for row in rows]
    low, high = figure_interval(figures, max((row.drift_floor_percent or 0 for row in rows), default=0), speeds) or (None, None)
    figure = median_of(figures)
    return PointSummary(
        id=entry.id, point=entry.point, row=rows[0] if rows else None, repetitions=len(rows), gb_per_s=figure, low=low, high=high,
        limit_gb_per_s=median_of([row.limit_gb_per_s for row in rows]),
        percent_of_limit=median_of([row.limit_percent for row in rows]),
        cores=median_of([row.cores for row in rows]),
        code_percent=median_of([row.code_percent for row in rows]), chunk_size=entry.chunk_size,
        padding_percent=entry.padding_percent, failures=failures, mark=mark, samples=len(speeds),
        disturbed=disturbed_share(rows), speeds=speeds_of(rows))


def speeds_of(rows: Sequence[Row], figure: str = GB_PER_S) -> dict[int, float]:
    """Repetition → the figure (1 / the latency), without figures of 0, which have no logarithm."""
    found = {row.repetition: getattr(row, figure) or 0 for row in rows}
    return {number: 1 / value if figure in LATENCIES else value for number, value in found.items() if value > 0}


def median_of(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def figure_interval(figures: Sequence[float], floor_percent: float, speeds: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the median of `figures`, the gb_per_s of the repetitions; None with fewer than two `speeds`, those of
    all placements.

    The placements of all repetitions are samples of one distribution, since each repetition is a process with its own buffers.
    Effects on a whole process (clock frequency, other virtual machines) show only between repetitions. Therefore the interval is
    extended: to all repetitions, or, from FEWEST_VALUES of them on, to the interval of their median."""
    if len(speeds) < 2:
        return None
    figure = median(figures)
    floor = floor_percent / 100 * figure
    within, between = median_interval(speeds), median_interval(figures)
    low = min(min(within[0], figure) - floor, between[0])
    high = max(max(within[1], figure) + floor, between[1])
    return max(low, 0), high


def counted_samples(row: Json) -> list[Json]:
    """The samples from which ecbench computed the row's gb_per_s: the clean samples, or all if too few are clean. Rows of schema
    version 1 and 2 do not mark clean samples."""
    clean = [sample for sample in row["samples"] if sample.get("clean", True)]
    few = any(warning["code"] == "few_clean_samples" for warning in row.get("warnings") or ())
    return row["samples"] if few or not clean else clean


def seconds_by_placement(row: Json) -> dict[int, list[float]]:
    """Placement → the seconds of the counted samples."""
    found: dict[int, list[float]] = {}
    for sample in counted_samples(row):
        found.setdefault(sample["placement"], []).append(sample["seconds"])
    return found


def placement_speeds(rows: Sequence[Row]) -> list[float]:
    """The GB/s of each placement of each row; with fewer than FEWEST_VALUES placements, of each sample."""
    placements: list[float] = []
    samples: list[float] = []
    for row in rows:
        times = [[max(seconds, 1e-12) for seconds in found] for found in seconds_by_placement(row.json).values()]
        medians = [median(seconds) for seconds in times]
        # gb_per_s is the speed at the placement with the median time, so this product is the number of GB of one sample, whatever
        # its numbers of iterations, patterns and threads.
        gb_of_sample = row.gb_per_s * median(medians)
        placements += [gb_of_sample / seconds for seconds in medians]
        samples += [gb_of_sample / seconds for found in times for seconds in found]
    return placements if len(placements) >= FEWEST_VALUES else samples


# The roofline in runs that measure it as points of their own: points of the workload limit, next to the codes in each round.

LIMIT = "limit"  # the workload of these points
ByRound = Mapping[int, float]  # repetition → GB/s


def key_of(point: Point, written: int) -> tuple[int, int, int, str]:
    """Operations with this key have the same roofline. `written`: the number of chunks that the operation computes."""
    return int(point.get("k") or 0), written, point.size, point.cache


def rooflines_of(run: Run) -> dict[tuple[int, int, int, str], ByRound]:
    """By the key of the operations. The m of a point of the workload limit is the number of chunks that it writes."""
    return {key_of(point, int(point.get("m") or 0)): speeds_of(run.rows[point_id]) for point_id, point in run.points.items()
            if point.workload == LIMIT and any(row.gb_per_s for row in run.rows.get(point_id, ()))}


def percents(speeds: ByRound, roofline: ByRound) -> list[float]:
    """The share of the roofline in each round that has both."""
    return [100 * speed / roofline[number] for number, speed in speeds.items() if roofline.get(number)]


# The codec libraries in a run: shared objects that rows or the environment name.

# Names of points in old runs that are no libraries: the ways in which plugin simd can encode.
WAYS = "simd direct", "simd FFT", "simd Leopard"


def loaded_objects(rows: Sequence[Row]) -> list[SharedObject]:
    """The libraries that a point with a codec_lib loaded; the first row contains the list."""
    facts = (rows[0].codec_libraries or {}) if rows else {}
    return [SharedObject(name=name, **{key: of.get(key) for key in ("version", "path", "build_id")}) for name, of in facts.items()]


def libisal_release(rows: Sequence[Row]) -> str | None:
    return next((one.release for one in loaded_objects(rows) if one.name.startswith(LIBISAL) and one.version), None)


def with_titles(run: Run, entries: Sequence[Planned]) -> list[Planned]:
    """A libisal from a directory is called "isa VERSION", if this is known and unique."""
    releases = {one.library: release for one in entries if one.library.startswith("isa in ")
                and (release := libisal_release(run.rows.get(one.id, ())))}
    known = list(releases.values())
    titles = {name: f"isa {release}" for name, release in releases.items() if known.count(release) == 1}
    return [dataclasses.replace(one, library=titles.get(one.library, one.library)) for one in entries]


# The short form of a row, for run files with thousands of rows.

# Keys that are left out. A key is in this list for one of three reasons: the point contains the same value, the
# value can be computed from other keys, or no mode that stores short rows needs the key.
NOT_KEPT = {"plugin", "profile", "workload", "k", "m", "chunk_count", "sub_chunk_count", "size", "stripe_unit", "chunk_size",
            "erasures", "erased", "erasures_generation", "want", "timing", "cache", "threads", "dispatch", "codec_lib", "command",
            "kb", "padding_percent", "ci_percent", "date", "objects_per_s", "thread_gb_per_s", "cpu_seconds", "mad_percent",
            "outliers", "sample_iterations"}


def shortened(row: Json) -> Json:
    """The short form of a row. For each placement, it contains only the median sample, because intervals are computed from these
    medians. If there is only one placement, it contains all samples."""
    placements = seconds_by_placement(row)
    kept = {key: value for key, value in row.items() if key not in NOT_KEPT and (value not in (None, []) or key in ALWAYS)}
    return {**kept, "samples": [{"placement": placement, "seconds": seconds} for placement, found in placements.items()
                                for seconds in (found if len(placements) == 1 else [sorted(found)[len(found) // 2]])]}


def with_sampled_seconds(row: Json) -> Json:
    """The short form of a row, for fleet. If the row has one thread, the column `sampled_seconds` is added: wall clock seconds and
    CPU seconds of all its samples. Several threads can wait for each other, so their CPU seconds do not show a shared CPU."""
    taken = [sample.get("cpu_seconds") for sample in row["samples"]]
    if row.get("threads") != 1 or not all(isinstance(one, (int, float)) for one in taken):
        return shortened(row)
    return {**shortened(row), "sampled_seconds": (math.fsum(sample["seconds"] for sample in row["samples"]), math.fsum(taken))}


# The environment table of a run, as on pages.

OF_CACHES = {"Data": "d", "Instruction": "i"}


def min_time_text(run: Run) -> str:
    """The requested durations of samples in seconds: a budget may shorten those in the header."""
    used = sorted({float(match[1]) for row in all_rows(run) if (match := re.search(r"--min-time ([\d.]+)", row.command))}
                  or {run.header.options.min_time})
    return " to ".join(f"{seconds:.2g}" for seconds in dict.fromkeys((used[0], used[-1])))


def environment_rows(run: Run) -> list[tuple[str, str]]:
    """The rows of the environment table: pairs of name and value. The most important rows are first."""
    header, given = run.header, run.header.environment
    cpu, system, build = given.cpu, given.system, given.ecbench
    governor, turbo, pages = ("unknown" if value is None else value
                              for value in (cpu.governor, cpu.turbo, system.transparent_hugepages))
    rows = [
        ("CPU", f"{cpu.model_name}, family {cpu.family}, model {cpu.model}, stepping {cpu.stepping}, {cpu.online_cpu_count} CPUs"
                + (", virtual machine" if cpu.hypervisor else "")),
        ("Kind of cores", given.core_kind or ""),
        ("Caches", ", ".join(f"L{cache.level}{OF_CACHES.get(cache.type or '', '')} {size_text(cache.size_bytes)}"
                             for cache in cpu.caches)),
        ("Instruction sets", " ".join(cpu.flags)),
        ("Governor, turbo", f"{governor}, {turbo}"),
        ("Kernel, libc", f"{system.kernel_release}, {system.libc}"),
        ("Transparent huge pages", str(pages)),
        ("ecbench", f"{build.version}, revision {str(build.git_revision)[:12]}"),
        ("Compiler", f"{build.compiler}, {build.build_type} ({build.compiler_flags})"),
        *((f"Kernels of {plugin}", kernel) for plugin, kernel in given.kernels.items() if kernel),
        *((library.name, f"version {library.version}, " * bool(library.version) + f"build id {library.build_id or 'unknown'}")
          for library in given.shared_objects),
        ("Problems of the machine", "; ".join(given.unfit) or "none found"),
        ("Run", f"{header.run}, started {header.started}"),
        ("Grid", header.grid),
        ("Measured", f"{len(run.points)} points, measurements of each point: {header.repetitions}, order {header.order}, "
                     f"seed {header.seed}"),
        *((name.replace("_", " "), min_time_text(run) if name == "min_time" else str(value))
          for name, value in dataclasses.asdict(header.options).items() if value or value is False)]
    return [(name, value) for name, value in rows if value]
