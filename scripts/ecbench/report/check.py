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

from ecbench.documents.document import Json, Unlike, fields, shape_of
from ecbench.files.files import working_folder
from ecbench.point.point import WORKLOADS, Planned, Point
from ecbench.runfile.header import read_lines, stem_of
from ecbench.runfile.row import Row, differences_from
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import LIMIT, ByRound, counted_samples, key_of, rooflines_of, seconds_by_placement
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


# report --check: whether a contributed run can be used: its schema, its arithmetic, its share of the roofline, its kernels, and
# that it identifies no host. It finds damage and careless edits; invented figures that are consistent pass, so a person reviews
# them.

MOST_OF_LIMIT = 105  # percent
LEAST_CHUNK = 4096  # bytes; in smaller chunks, calls and alignment cost more than memory, so that the roofline is no limit
EXACT = 1e-6  # figures have 15 digits
NEEDED = ("iterations", "seconds", "ns_per_op", "minimum_ns_per_op", "ci_low", "ci_high")
# The columns that only these checks use.
COLUMNS = fields({}, dict.fromkeys((*NEEDED, "patterns", "ci_confidence_percent", "sample_iterations"), shape_of(float | None)))
NAMED = 3  # of private texts


def problems_of(path: pathlib.Path) -> list[str]:
    """One line for each kind of problem, with the number of points or rows that have it."""
    try:
        run = read_run(path)
    except Refused as refusal:
        return [str(refusal)]
    by_kind, flags, rooflines = collections.defaultdict(list), run.header.environment.cpu.flags, rooflines_of(run)
    found = [(run.points[entry.id], of_point(run, entry, rooflines)) for entry in run.header.points]
    found += [(point, of_row(record, point, flags)) for key, record in run.records.items() for point in [run.points[key.id]]
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
        limit = max([row.limit_gb_per_s for row in rows if row.limit_gb_per_s] or apart.values(), default=0)
        share = limit and 100 * median(row.gb_per_s for row in rows) / limit
        yield from broken(
            (not limit, "has no roofline"),
            (share > MOST_OF_LIMIT and (entry.chunk_size or 0) >= LEAST_CHUNK,
             f"has {share:.1f} % of the roofline; at most {MOST_OF_LIMIT} % is possible: measure again when nothing else runs on "
             "the machine"))


def of_row(row: Row, point: Point, flags: Container[str]) -> Iterator[str]:
    """What contradicts itself in a row with today's keys, or the CPU. The figures are computed again from the samples, as
    src/benchmark/measurement/measurement.cc does."""
    try:
        COLUMNS(row.json)
    except Unlike as unlike:
        yield f"cannot be used: {unlike}"
        return
    if missing := [key for key in NEEDED if row.json.get(key) is None]:
        yield f"has no {missing[0]}"
        return
    yield from broken((row.json.get("verified") is not True, "is not verified"),
                      (row.json.get("fill") is not None, "was measured with constant bytes"))
    if point.workload != LIMIT:
        named = row.kernel or point.plugin == "example"
        yield from kernel_problems(point.plugin, row.kernel, flags) if named else ["names no kernel"]
    yield from differences_from(point, row.json, point.to_json())
    figure, operation, low, high = row.gb_per_s, row.ns_per_op, row.ci_low or 0, row.ci_high or 0
    if not (figure > 0 and operation > 0):
        yield f"has gb_per_s {figure:.6g} and ns_per_op {operation:.6g}"
        return
    if not all(sample["seconds"] for sample in row.json["samples"]):
        yield "has a sample of 0 s"
        return
    counted = point.size * (point.changed / int(point.get("k")) if point.changed else 1)
    yield from broken(
        (not close(operation, counted * point.threads / figure), f"has gb_per_s {figure:.6g}, but ns_per_op {operation:.6g}"),
        (not low <= figure <= high, f"has an interval of {low:.6g} to {high:.6g} without gb_per_s {figure:.6g}"),
        (row.limit_gb_per_s and not close(figure / row.limit_gb_per_s * 100, row.limit_percent or 0),
         "has a share of the roofline that is not gb_per_s / limit_gb_per_s"))
    medians = [median(seconds) for seconds in seconds_by_placement(row.json).values()]
    # A short row with several placements has only one sample of each.
    if "sample_iterations" in row.json or len(medians) == 1:
        yield from of_samples(row, point, medians)


def of_samples(row: Row, point: Point, medians: list[float]) -> Iterator[str]:
    """An exhaustive decode makes one operation for each pattern, all others one for each iteration."""
    samples, figure = counted_samples(row.json), row.gb_per_s
    each, in_sample = row.iterations / point.threads / len(samples), median(medians) * 1e9 / row.ns_per_op  # operations
    if not any(close(in_sample, each * count) for count in (1, row.patterns or 1)):
        yield (f"has {row.iterations} iterations in {len(samples)} samples, but the times of its samples and ns_per_op give "
               f"{in_sample * len(samples):.6g}")
    seconds = math.fsum(sample["seconds"] for sample in samples)
    if "sample_iterations" in row.json and not close(row.seconds, seconds):
        yield f"has seconds {row.seconds:.6g}, its samples give {seconds:.6g}"
    drawn = medians if len(medians) >= FEWEST_VALUES else [sample["seconds"] for sample in samples]
    low, high, confidence = median_interval(drawn) if len(drawn) > 1 else (drawn[0], drawn[0], 0.0)
    floor = (row.drift_floor_percent or 0) / 100 * figure if confidence else 0
    found = (min(figure * median(medians) / high, figure) - floor, max(figure * median(medians) / low, figure) + floor)
    for name, given, value in zip(("ci_low", "ci_high"), (row.ci_low or 0, row.ci_high or 0), found, strict=True):
        if not math.isclose(given, value, rel_tol=EXACT, abs_tol=EXACT * figure):
            yield f"has {name} {given:.6g}, its samples give {value:.6g}"


def close(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=EXACT)


# report --contribute: prepares a finished run for results/. It removes the names of the host and user and private paths, checks
# the run, and prints the text of a pull request.

def contribute(path: pathlib.Path, results: pathlib.Path) -> str:
    """Writes the run to the directory of its CPU in `results`. Returns the text of a pull request."""
    source = read_run(path)
    folder = results / source.header.machine.slug
    target = folder / f"{source.name}.jsonl.gz"
    with refusing(f"{target} cannot be written"), working_folder(folder, ".contribute-") as temporary:
        if target.exists():
            raise Refused(f"{target} exists, and results are not overwritten; remove it, or give --output DIRECTORY")
        changed = write_cleaned(source, draft := temporary / target.name)
        if problems := problems_of(draft):
            raise Refused(f"{source.path} cannot be shared: {'; '.join(map(plain, problems))}")
        draft.rename(target)
    return request_text(read_run(target), target, changed)


def write_cleaned(source: Run, target: pathlib.Path) -> int:
    """Returns the number of records that were changed."""
    names, changed, ids = private_names(source), 0, dict[str, str]()
    with gzip.GzipFile(target, "wb", mtime=0) as file:
        for line in read_lines(source.path):
            record = json.loads(line)
            cleaned = cleaned_record(record, names, ids)
            changed += cleaned != record
            file.write(json.dumps(cleaned, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    return changed


def request_text(run: Run, target: pathlib.Path, changed: int) -> str:
    """Markdown."""
    header = run.header
    environment = header.environment
    cpu, build = environment.cpu, environment.ecbench
    codes = sorted({f"{one.plugin} {one.get('technique', '')}".strip() for one in run.points.values()})
    lines = [
        f"Results: {header.machine.cpu} (family {cpu.family} model {cpu.model})", "",
        f"- file: `results/{header.machine.slug}/{target.name}`",
        f"- command: `./bench.sh {' '.join([run.mode, *header.words])}`, {header.started}",
        f"- {len(run.points)} points, {header.repetitions} rounds, seed {header.seed}", f"- codes: {', '.join(codes)}",
        f"- ecbench {build.version}, revision {str(build.git_revision)[:12]}, {build.compiler}",
        f"- problems of the machine: {'; '.join(environment.unfit) or 'none found'}",
        f"- the host, the user or private paths were removed from {changed} records; `report --check` found no problem"]
    if header.repetitions < FEWEST_VALUES:
        lines.append(f"- with fewer than {FEWEST_VALUES} rounds, codes are compared by their intervals only")
    return "\n".join(map(plain, lines))
