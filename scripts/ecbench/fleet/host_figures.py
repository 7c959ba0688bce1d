"""The figures of one host, which are read from its run files. They are stored in a compact form, so that the figures of a thousand
hosts fit in memory."""

import array
import collections
import dataclasses
import hashlib
import json
import math
import pathlib
from collections.abc import Iterable, Iterator, Sequence

from ecbench.fleet.cases import NATIVE, NOT_A_CODE, Candidate, Case, Question
from ecbench.point.point import Json
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.short_row import shortened
from ecbench.runfile.summary import is_disturbed, placement_speeds
from ecbench.statistics.interval import FEWEST_VALUES, median, median_interval
from ecbench.statistics.outliers import NORMAL_95

MISSING = math.nan
MOST_DISTURBED = 1 / 3  # a host with a larger share of disturbed rows is not clean
# The CPU share of a host is the CPU time of its samples divided by their wall clock time. It is 0.99 for undisturbed samples.
# A host with a CPU share below LEAST_CPU_SHARE is not clean. The rows of such a host may have no warning, because ecbench measures
# until enough samples are clean. However, the content of the caches and the clock frequency differ from those of an idle host.
LEAST_CPU_SHARE = 0.9


@dataclasses.dataclass(frozen=True, slots=True)
class Figure:
    """The speed of a candidate in a case on a host."""

    rounds: array.array  # GB/s of each round; NaN if the figure uses no row of the round
    speeds: array.array  # GB/s of each placement in each round
    floor_percent: float
    gb_per_s: float  # the median of the rounds

    @property
    def variance(self) -> float:
        """The variance of the logarithm of `gb_per_s`, without the noise floor."""
        ends = median_interval(self.speeds) if len(self.speeds) >= FEWEST_VALUES else (min(self.speeds), max(self.speeds))
        return (math.log(ends[1] / ends[0]) / 2 / NORMAL_95) ** 2


@dataclasses.dataclass
class HostFigures:
    """`clean` has figures from rows that other programs did not disturb. `all` has figures from all rows."""

    host: str
    environment: Json
    machine: Json
    mode: str
    level: str  # the dispatch level of all points; native if the points have several levels
    row_libraries: dict[str, str | None]  # name → build id of each codec library that occurs in rows
    clean: dict[tuple[Case, Candidate], Figure] = dataclasses.field(default_factory=dict)
    all: dict[tuple[Case, Candidate], Figure] = dataclasses.field(default_factory=dict)
    rows: int = 0
    disturbed_rows: int = 0
    samples: int = 0
    clean_samples: int = 0
    # Wall clock time and CPU time of the samples in rows with one thread. Rows with several threads are not counted: a thread that
    # waits for another thread uses no CPU time, although no other program disturbs it.
    seconds: float = 0
    cpu_seconds: float = 0
    failures: int = 0
    wrong_bytes: list[str] = dataclasses.field(default_factory=list)  # the points that returned wrong bytes
    files: list[str] = dataclasses.field(default_factory=list)
    is_finished: bool = True

    @property
    def disturbed_share(self) -> float:
        return self.disturbed_rows / self.rows if self.rows else 0.0

    @property
    def clean_share(self) -> float | None:
        """The share of clean samples; None if the rows do not contain the numbers of samples."""
        return self.clean_samples / self.samples if self.samples else None

    @property
    def cpu_share(self) -> float | None:
        """CPU time / wall clock time of the samples; None if the rows do not contain these times."""
        return self.cpu_seconds / self.seconds if self.seconds else None

    @property
    def is_disturbed(self) -> bool:
        share = self.cpu_share
        return self.disturbed_share > MOST_DISTURBED or (share is not None and share < LEAST_CPU_SHARE)


def read_short(path: pathlib.Path) -> Run:
    """Reads a run, and keeps only the short form of its rows. Throws Refused if the file is cut off or is not a valid run."""
    return read_run(path, keep=short_row)


def short_row(row: Json) -> Json:
    """The short form of a row. If the row has one thread, the key `sampled_seconds` is added. It has two sums over all
    samples of the row: wall clock seconds and CPU seconds."""
    taken = [sample.get("cpu_seconds") for sample in row["samples"]]
    if row.get("threads") != 1 or not all(isinstance(one, (int, float)) for one in taken):
        return shortened(row)
    return {**shortened(row), "sampled_seconds": (math.fsum(sample["seconds"] for sample in row["samples"]), math.fsum(taken))}


def hosts_in(run: Run) -> set[str]:
    return {record["host"] for record in run.records.values() if isinstance(record.get("host"), str)}


def fingerprint(run: Run) -> str:
    """A digest of the first and the last row. Two files have the same digest only if they are copies of one run, because two runs
    never measure exactly the same times."""
    rows = [record for record in run.records.values() if record["record"] == "row"]
    return hashlib.sha256(json.dumps([rows[0], rows[-1]], sort_keys=True).encode()).hexdigest() if rows else ""


def question_of(run: Run) -> Question:
    levels = {point.dispatch for point in run.points.values()}
    return Question(run.mode, len(levels) == 1)


def level_of(run: Run) -> str:
    levels = {point.dispatch for point in run.points.values()}
    return levels.pop() if len(levels) == 1 else NATIVE


def figures_of(host: str, runs: Sequence[Run]) -> HostFigures:
    """The figures of a host. `runs` has at least one run of the host; the newest run is the first. Each figure is taken from
    the newest run that has this figure."""
    newest = runs[0]
    figures = HostFigures(host, newest.header["environment"], newest.header["machine"], newest.mode, level_of(newest), {})
    for run in runs:
        figures.files.append(run.path.name)
        figures.is_finished &= run.finished
        count(figures, run)
        for key, rows in counted_rows(run):
            clean = [row for row in rows if not row["disturbed"]]
            figure = figure_of(rows) if rows and key not in figures.all else None
            if figure:
                figures.all[key] = figure
            if clean and key not in figures.clean:
                figures.clean[key] = figure if figure and len(clean) == len(rows) else figure_of(clean)
    return figures


def count(figures: HostFigures, run: Run) -> None:
    replaced = {(key.id, key.repetition) for key, record in run.records.items()
                if key.again and record["record"] == "row" and not record.get("warnings")}
    for key, record in run.records.items():
        if record["record"] == "row":
            if key.again != ((key.id, key.repetition) in replaced and not key.stage):
                continue  # the point was measured twice in this round, and the other row is used
            figures.rows += 1
            figures.disturbed_rows += is_disturbed(record)
            if isinstance(record.get("sample_count"), int) and isinstance(record.get("clean_samples"), int):
                figures.samples += record["sample_count"]
                figures.clean_samples += record["clean_samples"]
            seconds, cpu_seconds = record.get("sampled_seconds", (0, 0))
            figures.seconds += seconds
            figures.cpu_seconds += cpu_seconds
            for name, facts in (record.get("codec_libraries") or {}).items():
                figures.row_libraries[name] = facts.get("build_id")
        elif record.get("kind") == "wrong_bytes":
            figures.wrong_bytes.append(str(run.points[key.id]))
        else:
            figures.failures += 1


def counted_rows(run: Run) -> Iterator[tuple[tuple[Case, Candidate], list[Json]]]:
    """Yields the rows of each candidate in each case: one row per round, with the keys that figure_of() needs. Points with
    wrong bytes are left out. A candidate is left out if it has no point in one of the workloads of the case."""
    question = question_of(run)
    entries = {entry["id"]: entry for entry in run.header["points"]}
    wrong = {key.id for key, record in run.records.items() if record.get("kind") == "wrong_bytes"}
    found: dict[tuple[Case, Candidate], dict[str, list[Json]]] = collections.defaultdict(dict)
    workloads: dict[Case, set[tuple[str, int]]] = collections.defaultdict(set)
    for identity, case, rows in rows_by_point(run, question):
        point = run.points[identity]
        workloads[case].add((point.workload, point.erasures))
        if identity not in wrong:
            found[case, question.candidate(point, entries.get(identity, {}))][identity] = rows
    for (case, candidate), of_points in found.items():
        if len({(run.points[one].workload, run.points[one].erasures) for one in of_points}) == len(workloads[case]):
            yield (case, candidate), combined(list(of_points.values()))


def rows_by_point(run: Run, question: Question) -> Iterator[tuple[str, Case, list[Json]]]:
    """Yields the id and the case of each point, and the rows of the point that are used. If the header of the run lists no points,
    only the rows of the last stage of each case are used."""
    cases = {identity: question.case(point) for identity, point in run.points.items() if point.workload not in NOT_A_CODE}
    if run.header["points"]:
        yield from ((identity, cases[identity], rows) for identity, rows in run.rows.items() if rows and identity in cases)
        return
    rows = {key: record for key, record in run.records.items() if record["record"] == "row" and key.id in cases}
    last = {cases[key.id]: key.stage for key in rows}
    found: dict[str, list[Json]] = collections.defaultdict(list)
    for key, record in rows.items():
        if key.stage == last[cases[key.id]]:
            found[key.id].append(record)
    yield from ((identity, cases[identity], of_point) for identity, of_point in found.items())


def combined(of_points: list[list[Json]]) -> list[Json]:
    """Returns one row for each round. The speed in this row is the harmonic mean of the speeds of the points. A round is left
    out if one of the points has no row in this round."""
    by_round = [{row["repetition"]: row for row in rows if row["gb_per_s"] > 0} for rows in of_points]
    shared = set.intersection(*(set(rounds) for rounds in by_round)) if by_round else set()
    result = []
    for number in sorted(shared):
        rows = [rounds[number] for rounds in by_round]
        result.append({"round": number, **(of_one(rows[0]) if len(rows) == 1 else of_several(rows)),
                       "disturbed": any(map(is_disturbed, rows)), "floor": max(row["drift_floor_percent"] or 0 for row in rows)})
    return result


def of_one(row: Json) -> Json:
    return {"gb_per_s": row["gb_per_s"], "speeds": placement_speeds([row])}


def of_several(rows: list[Json]) -> Json:
    speed = len(rows) / math.fsum(1 / row["gb_per_s"] for row in rows)
    relative = [[each / row["gb_per_s"] for each in sorted(placement_speeds([row]))] for row in rows]
    width = min(map(len, relative))
    # The rows are from different processes, and the placements of two processes are independent. Placement i of one row therefore
    # does not correspond to placement i of another row. Equal quantiles of the relative speeds are combined instead.
    return {"gb_per_s": speed, "speeds": [speed * math.fsum(part[number * len(part) // width] for part in relative) / len(relative)
                                          for number in range(width)]}


def figure_of(rows: Iterable[Json]) -> Figure:
    rows = list(rows)
    rounds = array.array("d", [MISSING] * (max(row["round"] for row in rows) + 1))
    for row in rows:
        rounds[row["round"]] = row["gb_per_s"]
    return Figure(rounds, array.array("d", [speed for row in rows for speed in row["speeds"]]), max(row["floor"] for row in rows),
                  median([speed for speed in rounds if speed == speed]))

