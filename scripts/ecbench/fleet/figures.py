"""The figures of one host, in a compact form: a thousand hosts fit in memory. A figure belongs to a case and a candidate, a
profile. In runs of tune, one case contains all workloads, and its figures are harmonic means over them, as in the results of tune.
In runs of libraries, the candidates are libraries, because two hosts may have chosen different profiles of one."""

import array
import collections
import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from ecbench.comparison.comparison import Case, by_round, case_of
from ecbench.comparison.outlier import Figure
from ecbench.documents.document import HIDDEN, Key
from ecbench.point.point import NOT_SHOWN, SHOWN_APART, Point
from ecbench.runfile.header import Environment
from ecbench.runfile.row import WRONG_BYTES, Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import WAYS, is_below_best, placement_speeds
from ecbench.statistics.interval import median
from ecbench.terminal.console import plain

NATIVE = "native"
PLUGIN = "libec_"  # the file names of plugins begin with this prefix; all other shared objects are codec libraries
NOT_A_CODE = ("limit", "memcpy")  # workloads that run no erasure code
ALL_WORKLOADS = "all workloads"
MOST_DISTURBED = 1 / 3  # a host with a larger share of disturbed rows is not clean
# CPU time of the samples / their wall clock time; 0.99 if undisturbed. A host below this share is not clean, even if its rows have
# no warning: ecbench measures until enough samples are clean, but caches and clock frequency differ from those of an idle host.
LEAST_CPU_SHARE = 0.9


class Candidate(NamedTuple):
    """What competes on all hosts; comparison.Candidate has the rows of one run."""

    name: str  # without k and m
    code: str  # plugin and technique
    profile: tuple[tuple[str, str], ...]  # without k and m; empty in runs of libraries

    def __str__(self) -> str:
        return self.name


FigureKey = tuple[Case, Candidate]
Facts = tuple[tuple[str, str], ...]  # names and values
INSTRUCTIONS, BUILD = "instruction sets", "build of "


def dispatch_of(run: Run) -> str:
    """The dispatch level of all points; then it is part of the host's class. native if the points have several levels."""
    levels = {point.dispatch for point in run.points.values()}
    return levels.pop() if len(levels) == 1 else NATIVE


def figure_keys(run: Run) -> dict[str, FigureKey]:
    """The case and the candidate of each point that runs a code. What belongs to the class of the host is not part of a case.
    Several points of tune can have the same."""
    is_tune, of_class = run.mode == "tune", ["dispatch"] if dispatch_of(run) != NATIVE else []
    libraries = {entry.id: entry.library for entry in run.header.points}  # points of stages are not planned, so they have none
    return {identity: (case_in(point, is_tune, of_class), candidate_of(point, libraries.get(identity, "")))
            for identity, point in run.points.items()
            if point.workload not in NOT_A_CODE and libraries.get(identity) not in WAYS}


def case_in(point: Point, is_tune: bool, of_class: list[str]) -> Case:
    if not is_tune:
        return case_of(point, others=of_class)
    return case_of(point, others=[*of_class, "changed"])._replace(workload=ALL_WORKLOADS, erasures=0, changed=0)


def candidate_of(point: Point, library: str) -> Candidate:
    if library:
        return Candidate(library, library, ())
    codec_lib = [("codec-lib", point.codec_lib)] if point.codec_lib else []
    code = f"{point.plugin} {point.get('technique', '')}".rstrip()
    words = [f"{key.removeprefix(point.plugin + '-')}={value}" for key, value in [*point.profile, *codec_lib]
             if key not in SHOWN_APART and value not in ("", "false") and (key, value) not in NOT_SHOWN]
    profile = [(key, value) for key, value in point.profile if key not in ("k", "m")]
    return Candidate(" ".join([code, *words]), code, (("plugin", point.plugin), *profile, *codec_lib))


@dataclasses.dataclass(kw_only=True)
class HostFigures:
    """A part of a row of the report. The figures of a clean host are from rows that other programs did not disturb."""

    environment: Annotated[Environment, HIDDEN]
    class_facts: Annotated[Facts, HIDDEN]  # equal in all hosts of a class
    figures: Annotated[dict[FigureKey, Figure], HIDDEN]
    failed: Annotated[set[FigureKey], HIDDEN]  # those without a figure, because they failed
    files: Annotated[list[str], Key("The run files; the newest run is the first.")]
    is_finished: bool
    is_clean: Annotated[bool, Key("Whether other programs disturbed few measurements.")]
    rows: Annotated[int, Key(least=0)]
    failures: Annotated[int, Key(least=0)]
    wrong_bytes: Annotated[list[str], Key("The points that returned wrong bytes.")]
    disturbed_share: Annotated[float, Key("The share of the rows that were disturbed by other programs.")]
    clean_share: Annotated[float | None, Key("The share of the samples that were not disturbed.")]
    # A thread that waits for another one uses no CPU time, though nothing disturbs it.
    cpu_share: Annotated[float | None, Key("CPU time / wall clock time of the samples. Only rows with one thread are used.")]


def figures_of(runs: Sequence[Run]) -> HostFigures:
    """`runs`: at least one, of one host; the newest is the first. Each figure is from the newest run that has it."""
    clean, of_all = dict[FigureKey, Figure](), dict[FigureKey, Figure]()
    failed = set[FigureKey]()
    for run in runs:
        keys = figure_keys(run)
        for key, rounds in counted_rounds(run, keys):
            undisturbed = [rows for rows in rounds if not any(map(is_below_best, rows))]
            figure = figure_of(rounds)
            of_all.setdefault(key, figure)
            if undisturbed:
                clean.setdefault(key, figure if len(undisturbed) == len(rounds) else figure_of(undisturbed))
        failed |= {keys[key.id] for key, record in run.records.items()
                   if record.failure not in ("", WRONG_BYTES) and key.id in keys}
    rows = [row for run in runs for of_point in run.rows.values() for row in of_point]
    rows += [record for run in runs for key, record in run.records.items()
             if key.stage and not key.again and isinstance(record, Row)]
    failures = [(run.points[key.id], record.failure) for run in runs for key, record in run.records.items() if record.failure]
    wrong_bytes = [str(point) for point, kind in failures if kind == WRONG_BYTES]
    samples = [(row.clean_samples, row.sample_count) for row in rows if row.sample_count and row.clean_samples is not None]
    disturbed, cpu_share = sum(map(is_below_best, rows)) / max(len(rows), 1), share([row.sampled_seconds[::-1] for row in rows])
    is_clean = bool(clean) and disturbed <= MOST_DISTURBED and (cpu_share is None or cpu_share >= LEAST_CPU_SHARE)
    return HostFigures(
        environment=runs[0].header.environment, class_facts=class_of(runs[0], rows), figures=clean if is_clean else of_all,
        failed=failed - of_all.keys(), files=[run.path.name for run in runs], is_finished=all(run.finished for run in runs),
        is_clean=is_clean, rows=len(rows), failures=len(failures) - len(wrong_bytes), wrong_bytes=wrong_bytes,
        disturbed_share=disturbed, clean_share=share(samples), cpu_share=cpu_share)


def class_of(run: Run, rows: Sequence[Row]) -> Facts:
    environment, machine, level = run.header.environment, run.header.machine, dispatch_of(run)
    builds = {one.name: one.build_id or one.version for one in environment.shared_objects if not one.name.startswith(PLUGIN)}
    builds |= {name: facts.get("build_id") for row in rows for name, facts in (row.codec_libraries or {}).items()}
    facts = {"CPU": machine.cpu, "machine": machine.slug, "dispatch": level,
             INSTRUCTIONS: " ".join(sorted(environment.cpu.flags)) if level == NATIVE else "",
             **{BUILD + name: builds[name] or "unknown" for name in sorted(builds)}}
    return tuple((plain(name), plain(value)) for name, value in facts.items())


def share(parts: Sequence[tuple[float, float]]) -> float | None:
    """`parts`: a part and its whole."""
    whole = sum(whole for _, whole in parts)
    return sum(part for part, _ in parts) / whole if whole else None


def counted_rounds(run: Run, keys: Mapping[str, FigureKey]) -> Iterator[tuple[FigureKey, list[list[Row]]]]:
    """For each round in which all points of the case and the candidate have a row: these rows. Leaves out points with wrong bytes,
    and candidates that have no point in one of the workloads of the case, or no such round."""
    wrong = {key.id for key, record in run.records.items() if record.failure == WRONG_BYTES}
    workloads = {identity: (point.workload, point.erasures) for identity, point in run.points.items()}
    found: dict[FigureKey, dict[str, list[Row]]] = collections.defaultdict(dict)
    of_cases: dict[Case, set[tuple[str, int]]] = collections.defaultdict(set)
    for identity, rows in run.rows.items():
        if rows and identity in keys:
            of_cases[keys[identity][0]].add(workloads[identity])
            if identity not in wrong:
                found[keys[identity]][identity] = rows
    for key, of_points in found.items():
        rounds = by_round(of_points.values())
        if rounds and {workloads[identity] for identity in of_points} == of_cases[key[0]]:
            yield key, rounds


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
