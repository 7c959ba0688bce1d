"""report --check and --contribute: the kernels that CPUs can run, private names, and the checks of a contributed run."""

import collections
import dataclasses
import getpass
import gzip
import json
import math
import os
import pathlib
import platform
import re
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from ecbench.documents.document import MISSING, Json, shown
from ecbench.files.files import working_folder
from ecbench.point.point import WORKLOADS, Planned, Point
from ecbench.runfile.header import read_lines, stem_of
from ecbench.runfile.row import Row, differences_from
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import LIMIT, NOT_KEPT, ByRound, counted_samples, key_of, rooflines_of, seconds_by_placement
from ecbench.statistics.interval import FEWEST_VALUES, median, median_interval
from ecbench.terminal.console import Refused, plain, refusing

GF_COMPLETE = r"(encode: |decode: )?GF-Complete [\w ,=<>]+"
# Plugin → what its kernels are called. Plugins that compute with kernels of others (lrc, clay, shec, ceph) are not checked.
NAMES = {
    "isa": r"(ec_encode_data|xor_gen)_(base|sse|avx|avx2|avx512|neon|sve|vsx)(_gfni)?",
    "jerasure": GF_COMPLETE + r"|XOR (SSE2|AVX2?|NEON|scalar)",
    "klauspost": r"(galMul|mul)(AvxTwo|AVX2|SSSE3|AvxGFNI|GFNI|NEON)( \(AVX-512\))?|"
                 r"i?fftDIT48?(_avx2|_gfni)?( in Go| by AVX(-512)?( with GFNI)?)?|.*\bGo\b.*",
    "rs-erasure": r"reedsolomon_gal_mul of reed-solomon-erasure|compiled for [\w.-]+",
    "rs-simd": r"engine \w+ of reed-solomon-simd",
    "simd": r"(GFNI AVX-512|GFNI AVX2|(AVX-512|AVX2|SSSE3|NEON) shuffle|scalar|(AVX-512|AVX2|SSE2|NEON|scalar) XOR program).*",
    "replication": r"memcpy of the C library", "example": r"",
}
# A word in the name of a kernel → flags of /proc/cpuinfo; the CPU must have one of them.
NEEDS = {r"avx-?512": ("avx512bw",), r"gfni": ("gfni",), r"avx-?(2|two)": ("avx2",), r"avx(?!-?512)": ("avx", "avx2"),
         r"ssse3": ("ssse3",), r"sse4": ("sse4_1",), r"neon": ("neon", "asimd"), r"_sve|\bsve": ("sve",)}


def kernel_problems(plugin: str, kernel: str, flags: Container[str]) -> Iterator[str]:
    for word, needed in NEEDS.items():
        if re.search(word, kernel, re.IGNORECASE) and not any(flag in flags for flag in needed):
            yield f"kernel {kernel!r} needs {needed[0]}, which the CPU of this run does not have"
            return
    for part in re.split(r"[;,] (?=encode: |decode: |compiled|[a-zA-Z_]+(?:_|DIT|Mul|XOR ))", kernel) if plugin in NAMES else ():
        if kernel and not re.fullmatch(NAMES[plugin], part):
            yield f"{part!r} is not a kernel of plugin {plugin}"


# What identifies a host: its name, the name of the user, and paths. Paths of the system, such as /usr/lib, do not.

PATH = re.compile(r"(?:(?<![\w.:/])(?:~|/(?!usr/|lib|proc/|sys/|dev/))|/(?=(?:home|root|Users)/))[\w.+@~-]*(?:/[\w.+@~-]+)+/?")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|"
                     r"(?<![\w.-])(?:[\w-]+\.)+(?:com|org|net|edu|gov|local|lan|internal|corp|intra)(?![\w.-])")
KEYS = ("host", "hostname", "fqdn", "domain", "user", "username", "login")
PRIVATE = re.compile(rf"^(?:{'|'.join(KEYS)}): .*|{PATH.pattern}|{ADDRESS.pattern}")
PLAIN = ("root", "user", "localhost", "ubuntu", "debian", "admin", "build", "test")


def private_names(run: Run) -> list[str]:
    """The names of this host and user; without names that say nothing, such as that of the user "clay" in a run of plugin clay."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    names = [platform.node(), platform.node().partition(".")[0], user, os.path.basename(os.path.expanduser("~"))]
    plain = {*PLAIN, *words_of(run)}
    return sorted({name for name in names if len(name) > 3 and name.lower() not in plain}, key=len, reverse=True)


def words_of(run: Run) -> list[str]:
    """The words in the run's points, CPU, format and keys, without those of paths."""
    header, points = run.header, map(Point.to_json, run.points.values())
    values = [run.mode, vars(header.machine), header.environment.cpu.json, header.environment.kernels, *points, header.format,
              *re.findall(r'"(\w+)":', json.dumps(header.json)), *(field.name for field in dataclasses.fields(Row))]
    return re.findall(r"\w+", " ".join(without_names(text, []) for text in texts_in(values)).lower())


def cleaned_record(record: Json, names: list[str], ids: dict[str, str]) -> Json:
    """The record without private names. `ids`: old → new ids of points, whose codec_lib was a path; this function adds to it."""
    found = mapped(record, lambda text: without_names(text, names))
    for old, new in [*zip(record.get("points", ()), found.get("points", ())), *([(record, found)] if "point" in record else ())]:
        if old["point"] != new["point"]:
            new["id"] = ids[old["id"]] = Point.from_json(new["point"]).id
    if found.get("id") in ids:
        found["id"] = ids[found["id"]]
    if isinstance(found.get("tried"), dict):
        found["tried"] = {ids.get(key, key): value for key, value in found["tried"].items()}
    return found


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): one if is_version(key, one) else mapped(one, change) for key, one in value.items() if key not in KEYS}
    return [mapped(one, change) for one in value] if isinstance(value, list) else value


def is_version(key: str, value: Any) -> bool:
    """Whether this is a version in numbers. One with four numbers is no address, such as that of libibverbs 1.14.44.0."""
    return key == "version" and isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)*", value) is not None


def without_names(text: str, names: list[str]) -> str:
    text = PATH.sub(lambda found: os.path.basename(found[0].rstrip("/")), text)
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text)
    return ADDRESS.sub("NAME", text)


def texts_in(value: Any, key: str = "") -> Iterator[str]:
    """The keys and texts in a record. A key of KEYS and its value are one text."""
    if key in KEYS:
        yield f"{key}: {value}"
    elif isinstance(value, str) and not is_version(key, value):
        yield value
    elif isinstance(value, (dict, list)):
        for name, one in value.items() if isinstance(value, dict) else (("", one) for one in value):
            yield from (name, *texts_in(one, name))


# report --check: whether a contributed run can be used: its schema, arithmetic, share of the roofline and kernels, and that it
# identifies no host. It finds damage and careless edits; invented figures that are consistent pass, so a person reviews them.

MOST_OF_LIMIT = 105  # percent
LEAST_CHUNK = 4096  # bytes; in smaller chunks, calls and alignment cost more than memory, so that the roofline is no limit
EXACT = 1e-6  # figures have 15 digits
NEEDED = ("schema_version", "iterations", "seconds", "minimum_ns_per_op", "ci_low", "ci_high", "drift_floor_percent",
          "cpu_seconds_per_gb", "warnings", "notes", "patterns", "unrecoverable", "want", "thread_gb_per_s", "cpus", "seed")
SINCE_1_0 = {"date", "sub_chunk_count", "padding_percent", "codec_lib", "ci_percent", "sample_count", "clean_samples", "warnings",
             "notes", "plan_ns", "call_overhead_ns", "rebuilt_gb_per_s", "limit_age_seconds"}
# Until 1.0, the mode contenders stored short rows: without these columns, and with one sample of a placement if there are several.
SHORT_UNTIL, NOT_IN_SHORT = "2026-11-27", NOT_KEPT | SINCE_1_0 | {"fill", "pool_bytes", "placement_spread_percent"}
OF_SEVERAL = {"gb_per_s", "ns_per_op", "placements", "ci_confidence_percent", "limit_percent"}  # what such samples give
NAMED = 3  # of private texts


def problems_of(path: pathlib.Path) -> list[str]:
    """One line for each kind of problem, with the number of points or rows that have it."""
    try:
        run = read_run(path)
    except Refused as refusal:
        return [str(refusal)]
    by_kind, rooflines = collections.defaultdict(list), rooflines_of(run)
    found = [(run.points[entry.id], of_point(run, entry, rooflines)) for entry in run.header.points]
    found += [(point, of_row(run, record, point)) for key, record in run.records.items() for point in [run.points[key.id]]
              if isinstance(record, Row) and not key.stage]  # also rows that a second measurement has replaced
    for point, problems in found:
        for problem in problems:
            by_kind[re.sub(r"[\d.]+", "N", problem)].append(f"{point}: {problem}")
    return [*of_run(path, run), *(f"{of[0]}{f' (and {len(of) - 1} more)' if of[1:] else ''}" for of in by_kind.values())]


def of_run(path: pathlib.Path, run: Run) -> Iterator[str]:
    folder, slug, environment = path.resolve().parent, run.header.machine.slug, run.header.environment
    build, cpu = environment.ecbench, environment.cpu
    private = dict.fromkeys(found[0] for line in read_lines(path) for text in texts_in(json.loads(line))
                            for found in PRIVATE.finditer(text))
    return broken(
        (not re.fullmatch(r"\w[\w.+-]*", run.name, re.ASCII),
         f"the name {run.name!r} is not allowed: only letters, digits and ._+- are"),
        (folder.parent.name == "results" and (folder.name, stem_of(path)) != (slug, run.name),
         f"its place must be results/{slug}/{run.name}.jsonl.gz"),
        (not run.finished, "the run is not finished"),
        (not any(run.rows.values()), "the run has no rows"),
        (build.sanitized or not build.optimised or build.build_type == "Debug",
         "ecbench was built with sanitizers or without optimisation"),
        (not cpu.flags or not cpu.model_name, "the environment does not name the CPU and its instruction sets"),
        *((True, problem) for plugin, kernel in environment.kernels.items()
          for problem in kernel_problems(plugin, kernel or "", cpu.flags)),
        *((True, f"{text!r} identifies a host or user; report --contribute removes it") for text in list(private)[:NAMED]))


def broken(*rules: tuple[object, str]) -> Iterator[str]:
    """`rules`: whether each is broken, and the problem."""
    return (problem for is_broken, problem in rules if is_broken)


def of_point(run: Run, entry: Planned, rooflines: Mapping[Any, ByRound]) -> Iterator[str]:
    """Reading k chunks and writing m takes this long at least. Other programs only lower a roofline, so the highest counts."""
    point, rows, failures = run.points[entry.id], run.rows.get(entry.id, ()), run.failures.get(entry.id, ())
    yield from broken(
        (run.finished and len(rows) + len(failures) < run.header.repetitions, "has fewer rows than repetitions"),
        *((True, f"a measurement failed ({failure.kind})") for failure in failures),
        (point.workload not in (*WORKLOADS, LIMIT), f"{point.workload!r} is not a workload"))
    if point.workload in ("encode", "decode") and rows:
        apart = rooflines.get(key_of(point, point.erasures or int(point.get("m") or 0)), {})
        bytes_of_chunk = point.stripe_unit or point.size / (int(point.get("k") or 0) or 1)  # without padding
        chunk_size = max(bytes_of_chunk, entry.chunk_size or 0, *(row.chunk_size for row in rows))
        limit = max([row.limit_gb_per_s for row in rows if row.limit_gb_per_s] or apart.values(), default=0)
        share = limit and 100 * median(row.gb_per_s for row in rows) / limit
        yield from broken(
            (not limit, "has no roofline"),
            (share > MOST_OF_LIMIT and chunk_size >= LEAST_CHUNK,
             f"has {share:.1f} % of the roofline; at most {MOST_OF_LIMIT} % is possible: measure again when nothing else runs on "
             "the machine"))


def of_row(run: Run, row: Row, point: Point) -> Iterator[str]:
    """What contradicts itself in a row, or contradicts its point, the CPU or the start of the run."""
    environment, json = run.header.environment, row.json
    is_short = run.header.json.get("mode") == "contenders" and run.header.started < SHORT_UNTIL and not NOT_KEPT & json.keys()
    may_lack = NOT_IN_SHORT if is_short else SINCE_1_0 if str(environment.ecbench.version).startswith("0.") else set[str]()
    if missing := [*(key for key in NEEDED if json.get(key) is None and key not in may_lack),
                   *sorted(NOT_IN_SHORT - may_lack - json.keys()),
                   *("time in a sample" for sample in json["samples"] if not sample["seconds"])]:
        yield f"has no {missing[0]}"
        return
    yield from broken((json["schema_version"] != 4, "is not of schema version 4"),
                      (json.get("verified") is not True, "is not verified"),
                      (json.get("fill") is not None, "was measured with constant bytes"),
                      (not (row.ci_low or 0) <= row.gb_per_s <= (row.ci_high or 0), "has an interval without gb_per_s"),
                      (not row.kernel and point.workload != LIMIT and point.plugin != "example", "names no kernel"),
                      (min(row.at, row.date or row.at) < run.header.started, "is from a time before the run was started"))
    yield from kernel_problems(point.plugin, row.kernel, environment.cpu.flags)
    yield from differences_from(point, json, vars(point))
    for column, value in derived(row, point, is_short).items():
        given: Any = json.get(column, value if column in may_lack else MISSING)
        off = EXACT * max(abs(value or 0), EXACT)
        if given != value and (value is None or type(given) not in (int, float) or not value - off <= given <= value + off):
            yield f"has {column} {shown(given)}, its other figures give {'null' if value is None else f'{value:.6g}'}"


def derived(row: Row, point: Point, is_short: bool) -> dict[str, float | None]:
    """Column → its value, from the samples and other columns, as src/benchmark/measurement/measurement.cc computes it."""
    samples, threads, found = counted_samples(row.json), point.threads, seconds_by_placement(row.json)
    medians, times = {placement: median(each) for placement, each in found.items()}, [sample["seconds"] for sample in samples]
    middle, center, stripe = median(medians.values()), median(times), row.k * row.chunk_size or 1
    iterations = (middle * 1e9 / (row.ns_per_op or 1) if is_short and len(medians) > 1 else
                  row.sample_iterations or row.iterations / threads / len(samples))  # of a thread in a sample
    operations = iterations * ((row.patterns or 1) if row.json.get("erasures_generation") == "exhaustive" else 1)
    counted = point.size * (point.changed / (row.k or 1) if point.changed else 1)
    gb = counted * threads * operations / 1e9  # of a sample
    speed, cpu = gb / middle, math.fsum(sample.get("cpu_seconds") or 0 for sample in samples)
    low, high, confidence = median_interval(medians.values() if len(medians) >= FEWEST_VALUES else times)
    floor = (row.drift_floor_percent or 0) / 100 * speed
    deviations = [abs(seconds - center) for seconds in times]
    relative, third = [sample["seconds"] / medians[sample["placement"]] for sample in samples], max(len(samples) // 3, 1)
    values = {
        "iterations": iterations * len(samples) * threads, "kb": iterations * len(samples) * threads * (int(counted) // 1024),
        "seconds": math.fsum(times), "gb_per_s": speed, "ns_per_op": middle / operations * 1e9,
        "minimum_ns_per_op": min(times) / operations * 1e9, "objects_per_s": threads * operations / middle,
        "rebuilt_gb_per_s": speed * -(-point.size // stripe) * row.chunk_size / point.size if point.workload == "repair" else None,
        "cpu_seconds": cpu, "cpu_seconds_per_gb": cpu / gb / len(samples),
        "ci_low": min(gb / high, speed) - floor, "ci_high": max(gb / low, speed) + floor,
        "ci_percent": ((row.ci_high or 0) - (row.ci_low or 0)) / 2 / speed * 100, "ci_confidence_percent": confidence * 100,
        "drift_percent": (median(relative[:third]) / median(relative[-third:]) - 1) * 100,
        "mad_percent": median(deviations) / center * 100, "outliers": sum(one > 14.826 * median(deviations) for one in deviations),
        "sample_count": len(row.json["samples"]), "clean_samples": sum(one.get("clean", True) for one in row.json["samples"]),
        "placements": len(medians),
        "placement_spread_percent": (max(medians.values()) / min(medians.values()) - 1) * 100 if len(medians) > 1 else None,
        "limit_percent": speed / row.limit_gb_per_s * 100 if row.limit_gb_per_s else None,
        "chunk_count": row.k + row.m, "padding_percent": -point.size % stripe / point.size * 100}
    return {column: value for column, value in values.items() if not is_short or column in OF_SEVERAL
            or (len(medians) == 1 and column not in NOT_IN_SHORT and column != "cpu_seconds_per_gb")}


# report --contribute: prepares a finished run for results/. It removes the names of the host and user and private paths, checks
# the run, and prints the text of a pull request.

def contribute(path: pathlib.Path, results: pathlib.Path) -> str:
    """Writes the run to the directory of its CPU in `results`. Returns the text of a pull request."""
    source = read_run(path)
    names, changed, ids = private_names(source), 0, dict[str, str]()
    folder = results / source.header.machine.slug
    target = folder / f"{source.name}.jsonl.gz"
    with refusing(f"{target} cannot be written"), working_folder(folder, ".contribute-") as temporary:
        if target.exists():
            raise Refused(f"{target} exists, and results are not overwritten; remove it, or give --output DIRECTORY")
        draft = temporary / target.name
        with gzip.GzipFile(draft, "wb", mtime=0) as file:
            for line in read_lines(source.path):
                cleaned = cleaned_record(record := json.loads(line), names, ids)
                changed += cleaned != record
                text = json.dumps(cleaned, separators=(",", ":"), ensure_ascii=False)
                file.write(text.encode("utf-8", "backslashreplace") + b"\n")
        if problems := problems_of(draft):
            raise Refused(f"{source.path} cannot be shared: {'; '.join(map(plain, problems))}")
        draft.rename(target)
    return request_text(read_run(target), target, changed)


def request_text(run: Run, target: pathlib.Path, changed: int) -> str:
    """Markdown."""
    header = run.header
    environment = header.environment
    cpu, build = environment.cpu, environment.ecbench
    codes = sorted({f"{one.plugin} {one.get('technique', '')}".strip() for one in run.points.values()})
    lines = [
        f"Results: {header.machine.cpu} (family {cpu.family} model {cpu.model})", "",
        f"- file: `results/{header.machine.slug}/{target.name}`",
        f"- command: `./bench.sh {' '.join([run.mode, *header.words]).replace('--repetitions', '--rounds')}`, {header.started}",
        f"- {len(run.points)} points, {header.repetitions} rounds, seed {header.seed}", f"- codes: {', '.join(codes)}",
        f"- ecbench {build.version}, revision {str(build.git_revision)[:12]}, {build.compiler}",
        f"- problems of the machine: {'; '.join(environment.unfit) or 'none found'}",
        f"- the host, the user or private paths were removed from {changed} records; `report --check` found no problem"]
    if header.repetitions < FEWEST_VALUES:
        lines.append(f"- with fewer than {FEWEST_VALUES} rounds, codes are compared by their intervals only")
    return "\n".join(map(plain, lines))
