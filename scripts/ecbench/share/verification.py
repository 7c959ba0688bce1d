"""Checks a run file: its schema, its arithmetic, its kernels and versions, and that it identifies no host. A forgery that is
consistent passes."""

import argparse
import collections
import datetime
import itertools
import json
import math
import pathlib
import re
import time
from collections.abc import Iterator
from typing import Any

from ecbench.documents.shape import Unlike, fields, list_of, number, or_null, whole
from ecbench.installation.places import version
from ecbench.measure.session import order_of
from ecbench.point.point import Json
from ecbench.point.workloads import WORKLOADS
from ecbench.runfile.answers import LAST_WITH_OLD_LEVELS
from ecbench.runfile.libraries import SYSTEM_LIBRARIES, loaded_objects
from ecbench.runfile.lines import read_lines, stem_of
from ecbench.runfile.machine import machine_of
from ecbench.runfile.modes import OWN_CONTENT
from ecbench.runfile.rooflines import LIMIT, by_round, key_of, percents, rooflines_of
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import WITH_OLD_LEVELS, Run, read_mode, read_run
from ecbench.share import arithmetic, kernels, privacy
from ecbench.statistics.interval import estimate, median
from ecbench.terminal.arguments import listed_cpus
from ecbench.terminal.console import Refused

MOST_OF_LIMIT = 105  # percent
MOST_APART = 1.75  # the highest roofline of a case / the median; 1.44 in the stored runs
A_DAY = 86400
DIGITS = 6  # of a sample's share of the row's time; rows with the same shares are copies
VENDORS = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}
# The columns that only these checks use.
COLUMNS = fields({}, {"schema_version": or_null(whole()), "cpus": or_null(list_of(whole())), "patterns": or_null(number()),
                      "thread_gb_per_s": or_null(list_of(number())), **dict.fromkeys(
                          ("ci_confidence_percent", "limit_age_seconds", "sample_iterations"), or_null(number()))})
SLACK = 2  # seconds by which the times in a run may differ from the durations of its rows


def problems_of(path: pathlib.Path) -> list[str]:
    """One line for each kind of problem, with the number of rows that have it."""
    if read_mode(path) in OWN_CONTENT:
        return [f"runs of {read_mode(path)} have no GB/s and cannot be shared"]
    try:
        run = read_run(path)
    except Refused as refusal:
        return [str(refusal)]
    if not run.header.measures_limit and not any(point.workload == LIMIT for point in run.points.values()):
        return [f"runs of {run.mode} have no roofline"]
    for key, row in run.records.items():
        try:
            COLUMNS(row.json)
        except Unlike as unlike:
            return [f"{run.points[key.id]}: this row cannot be used: {unlike}"]
    found = [*of_place(path, run), *of_run(run), *of_build(run), *of_times(run), *of_conditions(run), *of_limits(run),
             *of_lines(path)]
    by_kind = collections.defaultdict(list)
    chunk_sizes = {entry.id: entry.chunk_size for entry in run.header.points}
    for entry in run.header.points:
        point, size, padding = run.points[entry.id], entry.chunk_size, entry.padding_percent
        stripes = point.size * (1 + padding / 100) / (size * int(point.get("k") or 1)) if size and padding is not None else 1
        if not arithmetic.close(stripes, max(round(stripes), 1) if point.stripe_unit else 1):
            by_kind["padding"].append(f"{point}: has chunk_size {size}, but padding_percent {padding:.6g}")
    for key, row in run.records.items():  # also rows that a second measurement has replaced
        if isinstance(row, Row) and not key.stage:
            point, size = run.points[key.id], chunk_sizes[key.id]
            if (row.chunk_size or size) != size:
                by_kind["chunk size"].append(f"{point}: has chunk_size {row.chunk_size}, its point {size}")
            for problem in arithmetic.problems_of(row.json, point):
                by_kind[re.sub(r"[\d.]+", "N", problem)].append(f"{point}: {problem}")
    return [*found, *of_kernels(run), *(f"{of[0]}{f' (and {len(of) - 1} more rows)' if of[1:] else ''}" for of in by_kind.values())]


def of_place(path: pathlib.Path, run: Run) -> Iterator[str]:
    if not re.fullmatch(r"\w[\w.+-]*", run.name, re.ASCII):
        yield f"the name {run.name!r} is not allowed: only letters, digits and ._+- are"
    folder = path.resolve().parent
    place = (folder.name, stem_of(path))
    if folder.parent.name == "results" and place != (run.header.machine.slug, run.name):
        yield f"its place must be results/{run.header.machine.slug}/{run.name}.jsonl.gz"


def of_run(run: Run) -> Iterator[str]:
    if not run.finished:
        yield "the run is not finished"
    lacking = [point_id for point_id in planned(run) if len(run.rows.get(point_id, ())) + len(run.failures.get(point_id, ()))
               < run.header.repetitions]
    if lacking and run.finished:
        yield f"{len(lacking)} points have fewer rows than repetitions, such as {run.points[lacking[0]]}"
    if unknown := {point.workload for point in run.points.values()} - {*WORKLOADS, LIMIT}:
        yield f"{min(unknown)!r} is not a workload"
    if not any(run.rows.values()):
        yield "the run has no rows"
    if failed := [(point_id, failure.kind) for point_id, failures in run.failures.items() for failure in failures]:
        yield f"{len(failed)} measurements failed, such as {run.points[failed[0][0]]}: {failed[0][1]}"
    versions = {row.json.get("schema_version") for rows in run.rows.values() for row in rows}
    is_old = run.header.format == WITH_OLD_LEVELS
    if not all(isinstance(one, int) and (one <= LAST_WITH_OLD_LEVELS) == is_old for one in versions) or len(versions) > 1:
        yield f"rows of schema_version {', '.join(map(str, versions))} are not of a run of format {run.header.format!r}"


def of_build(run: Run) -> Iterator[str]:
    environment = run.header.environment
    program, cpu = environment.ecbench, environment.cpu
    if (machine := machine_of(environment)) != run.header.machine:
        key = next(key for key, value in vars(machine).items() if value != vars(run.header.machine)[key])
        yield f"the machine has another {key} than the CPU of its environment"
    for vendor, word in VENDORS.items():
        if vendor != cpu.vendor and re.search(rf"\b{word}\b", str(cpu.model_name).lower()):
            yield f"{cpu.model_name!r} is not a CPU of {cpu.vendor}"
    if re.search(r"[<>&\x00-\x1f]", str(cpu.model_name)):
        yield f"{cpu.model_name!r} is not the name of a CPU"
    if not re.fullmatch(r"\d+\.\d+\.\d+", str(program.version)) or numbers(str(program.version)) > numbers(version()):
        yield f"ecbench {program.version} is not a version up to {version()}"
    if not re.fullmatch(r"(?!0+$)[0-9a-f]{40}(-dirty)?", str(program.git_revision)):
        yield f"{program.git_revision!r} is not a revision of git"
    if program.sanitized or not program.optimised or program.build_type == "Debug":
        yield "ecbench was built with sanitizers or without optimisation"
    if not cpu.flags or not cpu.model_name:
        yield "the environment does not name the CPU and its instruction sets"
    yield from of_libraries(run)
    objects = [one.name for one in environment.shared_objects if one.version and one.build_id]
    for plugin in {point.plugin for point in run.points.values() if point.codec_lib is None} & SYSTEM_LIBRARIES.keys():
        for library in SYSTEM_LIBRARIES[plugin]:
            if not any(name.startswith(library) for name in objects):
                yield f"the environment has no version and build id of {library}"


def of_libraries(run: Run) -> Iterator[str]:
    """Each library has the version that its file name ends in. Rows with a codec_lib name what they loaded."""
    named = list(run.header.environment.shared_objects)
    for point_id, rows in run.rows.items():
        point = run.points[point_id]
        for row in rows if point.codec_lib is not None and point.workload != LIMIT else ():
            libraries = loaded_objects([row])
            if not libraries or not all(one.version and one.build_id for one in libraries):
                yield f"{point} has no version and build id of its codec library"
                return
            named += libraries
    for one in named:
        if one.version and not str(one.path).endswith(f".so.{one.version}"):
            yield f"{one.name} has version {one.version}, but path {one.path}"
            return


def planned(run: Run) -> list[str]:
    return [entry.id for entry in run.header.points]


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def of_times(run: Run) -> Iterator[str]:
    """Rows are in the order that the seed gives. A measurement does not begin before the one above has ended."""
    previous, end = run.header.started, instant(run.header.started)
    taken = instant(str(run.header.environment.date_utc))
    if end is None or taken is None or abs(end - taken) > A_DAY or end > time.time() + A_DAY:
        yield f"it was started at {previous}, its environment was taken at {run.header.environment.date_utc or None}"
        return
    measured = [(key.id, key.repetition) for key in run.records if not key.stage and not key.again]
    if run.finished and measured != order_of(run.header)[:len(measured)]:
        yield "the rows are not in the order that the seed of the run gives"
    seen: dict[tuple[float, ...], str] = {}
    for key, record in run.records.items():
        if not isinstance(record, Row):
            continue
        began = instant(record.at)
        if began is None or end is None:
            yield f"{record.at!r} or {previous!r} is not a time"
            return
        if began + SLACK < end:
            yield f"the row at {record.at} begins before the measurement above it has ended"
            return
        # An "at" is rounded down, so that "end" is never too late.
        previous, end = record.at, max(began, end) + record.seconds
        total = sum(sample["seconds"] for sample in record.samples)
        samples = tuple(sorted(float(f"{sample['seconds'] / total:.{DIGITS}g}") for sample in record.samples))
        if len(record.samples) > 1 and samples in seen:
            yield f"{run.points[key.id]} has the same samples as {run.points[seen[samples]]}, perhaps in other units or order"
            return
        seen[samples] = key.id


def of_conditions(run: Run) -> Iterator[str]:
    """Rows were measured on CPUs of the machine, with the options of the run, and with the kernels of the environment."""
    environment, options = run.header.environment, run.header.options
    online = environment.cpu.online_cpus
    try:
        cpus = set(listed_cpus(str(online))) if online else set()
    except argparse.ArgumentTypeError as error:
        yield f"the environment's list of CPUs: {error}"
        return
    kernels_of_isa = (environment.kernels.get("isa") or "").split(", ")
    for point_id, rows in run.rows.items():
        point = run.points[point_id]
        for row in rows:
            json_ = row.json
            if cpus and not cpus.issuperset(json_.get("cpus") or []):
                yield f"{point} ran on CPU {json_['cpus']}; the machine has {online}"
            elif json_.get("fill") is not None:
                yield f"{point} was measured with constant bytes"
            elif point.codec_lib is None and row.codec_libraries:
                yield f"{point} has a codec library, which its point does not have"
            elif "sample_iterations" in json_ and math.fsum(sample["seconds"] for sample in row.samples) < options.min_time / 2:
                yield f"{point} has shorter samples than min_time {options.min_time:g} s"
            elif (json_.get("limit_age_seconds") or 0) > A_DAY:
                yield f"{point} has a roofline that is {json_['limit_age_seconds']:.0f} s old"
            elif (point.plugin == "isa" and point.dispatch == "native" and point.codec_lib is None and kernels_of_isa[0]
                  and row.kernel and not set(row.kernel.split(", ")) <= set(kernels_of_isa)):
                yield f"{point} ran {row.kernel}; the environment has {', '.join(kernels_of_isa)}"
            else:
                continue
            return
    words = dict(itertools.pairwise(run.header.words))
    if words.get("--repetitions", str(run.header.repetitions)) != str(run.header.repetitions):
        yield f"its command has --repetitions {words['--repetitions']}, the run has {run.header.repetitions}"


def instant(text: str) -> float | None:
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def of_limits(run: Run) -> Iterator[str]:
    """Reading k chunks and writing m takes this long at least. A run of contenders measures it as points of their own."""
    rooflines = rooflines_of(run)
    without, above = [], []
    alike: dict[tuple[object, ...], list[float]] = collections.defaultdict(list)
    for point_id, rows in run.rows.items():
        point = run.points[point_id]
        if point.workload not in ("encode", "decode") or not rows:
            continue
        own = [row.limit_percent for row in rows if row.limit_percent]
        for row in rows:
            if row.limit_gb_per_s:
                alike[(point.get("k"), point.get("m"), point.size, point.cache, point.erasures, point.threads, point.stripe_unit,
                       point.timing)].append(row.limit_gb_per_s)
        roofline = rooflines.get(key_of(point, point.erasures or int(point.get("m") or 0)), {})
        if not (found := own or percents(by_round(rows), roofline)):
            without.append(point)
        elif (low := estimate(found).low or median(found)) > MOST_OF_LIMIT:
            above.append(f"{point} has {low:.1f} % of the roofline")
    if above:
        more = f" (and {len(above) - 1} more points)" if above[1:] else ""
        yield f"{above[0]}{more}; at most {MOST_OF_LIMIT} % is possible: measure again when nothing else runs on the machine"
    for (k, m, size, cache, *_), found in alike.items():
        if max(found) > MOST_APART * median(found):
            yield f"rooflines of {k}+{m}, {size} bytes, {cache} differ: {median(found):.3g} and {max(found):.3g} GB/s"
    if without:
        yield f"{len(without)} points have no roofline, such as {without[0]}"


def of_kernels(run: Run) -> Iterator[str]:
    flags = run.header.environment.cpu.flags
    for plugin, kernel in run.header.environment.kernels.items():
        yield from kernels.problems_of(plugin, kernel or "", flags)
    used = {(run.points[point_id].plugin, row.kernel) for point_id, rows in run.rows.items() for row in rows
            if run.points[point_id].workload != LIMIT}
    for plugin, kernel in sorted(used):
        if not kernel and plugin != "example":
            yield f"rows of plugin {plugin} name no kernel"
        yield from kernels.problems_of(plugin, kernel, flags)


def of_lines(path: pathlib.Path) -> list[str]:
    found: dict[str, None] = {}
    twice: dict[str, None] = {}

    def unique(pairs: list[tuple[str, Any]]) -> Json:
        record = dict(pairs)
        if len(record) < len(pairs):
            twice.update((key, None) for key, count in collections.Counter(key for key, _ in pairs).items() if count > 1)
        return record

    for line in read_lines(path):
        found |= dict.fromkeys(privacy.private_texts(json.loads(line, object_pairs_hook=unique)))
    return [*(f"{text!r} identifies a host or user; share removes it" for text in list(found)[:3]),
            *(f"the key {key!r} is twice in an object" for key in list(twice)[:1])]
