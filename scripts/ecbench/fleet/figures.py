"""The figures of one host, in a compact form: a thousand hosts fit in memory. A figure belongs to a case and a candidate, a
profile. In runs of tune, one case contains all workloads, and its figures are harmonic means over them, as in the results of tune.
In runs of libraries, the candidates are libraries, because two hosts may have chosen different profiles of one."""

import array
import collections
import dataclasses
import hashlib
import json
import math
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ecbench.comparison.comparison import Case
from ecbench.comparison.outlier import NORMAL_95
from ecbench.documents.document import Json
from ecbench.point.point import NOT_SHOWN, USUAL, option_text
from ecbench.runfile.environment import Environment, Machine
from ecbench.runfile.row import WRONG_BYTES, Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import WAYS, is_below_best, placement_speeds
from ecbench.statistics.interval import FEWEST_VALUES, median, median_interval

NATIVE = "native"
NOT_A_CODE = ("limit", "memcpy")  # workloads that run no erasure code
ALL_WORKLOADS = "all workloads"
MOST_DISTURBED = 1 / 3  # a host with a larger share of disturbed rows is not clean
# CPU time of the samples / their wall clock time; 0.99 if undisturbed. A host below this share is not clean, even if its rows have
# no warning: ecbench measures until enough samples are clean, but caches and clock frequency differ from those of an idle host.
LEAST_CPU_SHARE = 0.9


class Candidate(NamedTuple):
    """What competes on all hosts; comparison.Candidate has the rows of one run."""

    plugin: str
    profile: tuple[tuple[str, str], ...]  # without k and m
    codec_lib: str = ""
    library: str = ""  # only in runs of libraries; all other fields are then empty

    def __str__(self) -> str:
        if self.library:
            return self.library
        words = [self.plugin, dict(self.profile).get("technique", "")]
        words += [f"{key.removeprefix(self.plugin + '-')}={value}" for key, value in self.profile
                  if key != "technique" and value not in ("", "false") and (key, value) not in NOT_SHOWN]
        words += [f"codec-lib={self.codec_lib}"] if self.codec_lib else []
        return " ".join(word for word in words if word)

    @property
    def code(self) -> str:
        """Plugin and technique, without parameters."""
        return self.library or " ".join(word for word in (self.plugin, dict(self.profile).get("technique", "")) if word)

    def to_json(self) -> Json:
        if self.library:
            return {"name": str(self), "library": self.library}
        return {"name": str(self), "plugin": self.plugin, "profile": dict(self.profile), "codec_lib": self.codec_lib or None}


class RunCases:
    """Converts the points of a run to cases and candidates."""

    def __init__(self, run: Run):
        levels = {point.dispatch for point in run.points.values()}
        self.level = levels.pop() if len(levels) == 1 else NATIVE  # of all points; then the level is part of the host's class
        self._is_tune = run.mode == "tune"
        self._libraries = {entry.id: entry.library for entry in run.header.points}
        # Points of stages are not planned, so they have no library.
        self.points = {identity: point for identity, point in run.points.items()
                       if point.workload not in NOT_A_CODE and self._libraries.get(identity) not in WAYS}

    def case(self, identity: str) -> Case:
        """`options`: those that do not have their usual value."""
        point = self.points[identity]
        options = {name: value for name, value in sorted(point.to_json().items())
                   if name not in ("plugin", "profile", "workload", "size", "erasures", "codec_lib", "changed")
                   and value != USUAL.get(name) and not (name == "dispatch" and value == self.level)}
        if point.changed is not None and not self._is_tune:
            options = {"changed": point.changed, **options}
        workload, lost, changed = ((ALL_WORKLOADS, 0, 0) if self._is_tune else (point.workload, point.erasures, point.changed or 0))
        return Case(workload, lost, point.cache, int(point.get("k") or 0), int(point.get("m") or 0), point.size, changed,
                    tuple((name, str(value)) for name, value in options.items()),
                    tuple((name, option_text(name, value)) for name, value in options.items()))

    def candidate(self, identity: str) -> Candidate:
        library, point = self._libraries.get(identity, ""), self.points[identity]
        if library:
            return Candidate("", (), library=sys.intern(library))
        profile = tuple((sys.intern(key), sys.intern(value)) for key, value in point.profile if key not in ("k", "m"))
        return Candidate(sys.intern(point.plugin), profile, point.codec_lib or "")


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
    environment: Environment
    machine: Machine
    mode: str
    level: str  # the dispatch level of all points; native if the points have several levels
    row_libraries: dict[str, str | None]  # name → build id of each codec library that occurs in rows
    clean: dict[tuple[Case, Candidate], Figure] = dataclasses.field(default_factory=dict)
    all: dict[tuple[Case, Candidate], Figure] = dataclasses.field(default_factory=dict)
    failed: set[tuple[Case, Candidate]] = dataclasses.field(default_factory=set)  # those without a figure, because they failed
    rows: int = 0
    disturbed_rows: int = 0
    samples: int = 0
    clean_samples: int = 0
    # Only samples in rows with one thread count: a thread that waits for another one uses no CPU time, though nothing disturbs it.
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
        return self.clean_samples / self.samples if self.samples else None

    @property
    def cpu_share(self) -> float | None:
        return self.cpu_seconds / self.seconds if self.seconds else None

    @property
    def is_disturbed(self) -> bool:
        share = self.cpu_share
        return self.disturbed_share > MOST_DISTURBED or (share is not None and share < LEAST_CPU_SHARE)


def fingerprint(run: Run) -> str:
    """A digest of the first row: two runs never measure exactly the same times. "" if there is no row."""
    first = next((record.json for record in run.records.values() if isinstance(record, Row)), None)
    return hashlib.sha256(json.dumps(first, sort_keys=True).encode()).hexdigest() if first else ""


def figures_of(host: str, runs: Sequence[Run]) -> HostFigures:
    """`runs`: at least one; the newest is the first. Each figure is from the newest run that has it."""
    newest = runs[0]
    figures = HostFigures(host, newest.header.environment, newest.header.machine, newest.mode, RunCases(newest).level, {})
    for run in runs:
        figures.files.append(run.path.name)
        figures.is_finished &= run.finished
        run_cases = RunCases(run)
        count(figures, run)
        for key, rounds in counted_rounds(run, run_cases):
            clean = [rows for rows in rounds if not any(map(is_below_best, rows))]
            figure = figure_of(rounds) if rounds and key not in figures.all else None
            if figure:
                figures.all[key] = figure
            if clean and key not in figures.clean:
                figures.clean[key] = figure if figure and len(clean) == len(rounds) else figure_of(clean)
        figures.failed |= {(run_cases.case(key.id), run_cases.candidate(key.id)) for key, record in run.records.items()
                           if record.failure not in ("", WRONG_BYTES) and key.id in run_cases.points}
    figures.failed -= figures.all.keys()
    return figures


def count(figures: HostFigures, run: Run) -> None:
    replaced = {(key.id, key.repetition) for key, record in run.records.items()
                if key.again and isinstance(record, Row) and not record.is_doubtful}
    for key, record in run.records.items():
        if isinstance(record, Row):
            if key.again != ((key.id, key.repetition) in replaced and not key.stage):
                continue  # the point was measured twice in this round, and the other row is used
            figures.rows += 1
            figures.disturbed_rows += is_below_best(record)
            if isinstance(record.sample_count, int) and isinstance(record.clean_samples, int):
                figures.samples += record.sample_count
                figures.clean_samples += record.clean_samples
            seconds, cpu_seconds = record.sampled_seconds
            figures.seconds += seconds
            figures.cpu_seconds += cpu_seconds
            for name, facts in (record.codec_libraries or {}).items():
                figures.row_libraries[name] = facts.get("build_id")
        elif record.failure == WRONG_BYTES:
            figures.wrong_bytes.append(str(run.points[key.id]))
        else:
            figures.failures += 1


def counted_rounds(run: Run, run_cases: RunCases) -> Iterator[tuple[tuple[Case, Candidate], list[list[Row]]]]:
    """For each round in which all points of the case and the candidate have a row: these rows. Leaves out points with wrong bytes,
    and candidates that have no point in one of the workloads of the case."""
    wrong = {key.id for key, record in run.records.items() if record.failure == WRONG_BYTES}
    found: dict[tuple[Case, Candidate], dict[str, list[Row]]] = collections.defaultdict(dict)
    workloads: dict[Case, set[tuple[str, int]]] = collections.defaultdict(set)
    for identity, case, rows in rows_by_point(run, run_cases):
        point = run.points[identity]
        workloads[case].add((point.workload, point.erasures))
        if identity not in wrong:
            found[case, run_cases.candidate(identity)][identity] = rows
    for (case, candidate), of_points in found.items():
        if len({(run.points[one].workload, run.points[one].erasures) for one in of_points}) == len(workloads[case]):
            by_round = [{row.repetition: row for row in rows if row.gb_per_s > 0} for rows in of_points.values()]
            yield (case, candidate), [[rounds[number] for rounds in by_round]
                                      for number in sorted(set.intersection(*(set(rounds) for rounds in by_round)))]


def rows_by_point(run: Run, run_cases: RunCases) -> Iterator[tuple[str, Case, list[Row]]]:
    """The rows of each point that are used. If the header lists no points, these are the rows of the last stage of each case."""
    cases = {identity: run_cases.case(identity) for identity in run_cases.points}
    if run.header.points:
        yield from ((identity, cases[identity], rows) for identity, rows in run.rows.items() if rows and identity in cases)
        return
    rows = {key: record for key, record in run.records.items() if isinstance(record, Row) and key.id in cases}
    last = {cases[key.id]: key.stage for key in rows}
    found: dict[str, list[Row]] = collections.defaultdict(list)
    for key, record in rows.items():
        if key.stage == last[cases[key.id]]:
            found[key.id].append(record)
    yield from ((identity, cases[identity], of_point) for identity, of_point in found.items())


def of_several(rows: Sequence[Row]) -> tuple[float, list[float]]:
    speed = len(rows) / math.fsum(1 / row.gb_per_s for row in rows)
    relative = [[each / row.gb_per_s for each in sorted(placement_speeds([row]))] for row in rows]
    width = min(map(len, relative))
    # The rows are from different processes, whose placements are independent: placement i of one row does not correspond to
    # placement i of another. Equal quantiles of the relative speeds are combined instead.
    return speed, [speed * math.fsum(part[number * len(part) // width] for part in relative) / len(relative)
                   for number in range(width)]


def figure_of(rounds: Sequence[Sequence[Row]]) -> Figure:
    """The speed of a round with several rows is the harmonic mean of theirs."""
    medians = array.array("d", [math.nan] * (max(rows[0].repetition for rows in rounds) + 1))
    speeds = array.array("d")
    for rows in rounds:
        medians[rows[0].repetition], of_round = (rows[0].gb_per_s, placement_speeds(rows)) if len(rows) == 1 else of_several(rows)
        speeds.extend(of_round)
    floor = max(row.drift_floor_percent or 0 for rows in rounds for row in rows)
    return Figure(medians, speeds, floor, median([speed for speed in medians if speed == speed]))
