"""The header of a run file, the environment in it, and the lines of run files of all versions."""

import dataclasses
import gzip
import os
import pathlib
import platform
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, BinaryIO, NoReturn, cast

from ecbench.documents.document import NOT_READ, Json, Key, Unlike, Whole, fields, flag, list_of, matching, or_null, read, words
from ecbench.files.files import open_input
from ecbench.point.point import Planned
from ecbench.terminal.console import Refused

# The environment of a run: what `ecbench environment` prints, or another program's part of it. The schema of ecbench's output,
# environment in src/report/row.schema.json, describes all keys.

LIBISAL = "libisal.so"


def measured(value: Any) -> None:
    """False, except in ecbench's tests: they set the variable without which fake_ecbench refuses to run."""
    flag(value)
    if value and "ECBENCH_FAKE" not in os.environ:
        raise Unlike("absent, because fake_ecbench invented the times", value)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cache:
    level: object = None
    type: str | None = None
    size_bytes: Whole = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cpu:
    json: Json = dataclasses.field(default_factory=dict, compare=False)
    model_name: str | None = None
    vendor: str | None = None
    family: Whole | None = None
    model: Whole | None = None
    stepping: Whole | None = None
    flags: Sequence[str] = ()  # the instruction sets
    caches: Sequence[Cache] = ()
    online_cpu_count: object = None
    hypervisor: object = None
    governor: object = None
    turbo: object = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class System:
    json: Json = dataclasses.field(default_factory=dict, compare=False)
    kernel_release: object = None
    libc: object = None
    transparent_hugepages: object = None
    numa_nodes: Sequence[object] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Build:
    """The ecbench program."""

    version: object = None
    git_revision: object = None
    compiler: object = None
    compiler_flags: object = None
    build_type: object = None
    optimised: object = True
    sanitized: object = None
    client_requests: object = None  # whether the program can tell valgrind what to count


@dataclasses.dataclass(frozen=True, kw_only=True)
class SharedObject:
    name: str
    version: str | None = None
    path: str | None = None
    build_id: str | None = None

    @property
    def release(self) -> str | None:
        """The release number. It can differ from the version of the file: the libisal of ISA-L 2.31 has the version 2.0.31."""
        match = re.fullmatch(r"2\.0\.([0-9]+)", self.version or "") if self.name.startswith(LIBISAL) else None
        return f"2.{match[1]}" if match else self.version

    def __str__(self) -> str:
        words = [self.name, self.release, self.path and f"({self.path})",
                 f"build id {self.build_id[:12]}" if self.build_id else "without a build id"]
        return " ".join(word for word in words if word)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cgroup:
    quota_cpus: float | None = None
    memory_limit_bytes: Whole | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Environment:
    """A run file may lack all keys except cpu and unfit."""

    json: Json = dataclasses.field(compare=False)
    cpu: Cpu
    unfit: list[str]  # why the machine is not ready for measurements
    shared_objects: list[SharedObject] = dataclasses.field(default_factory=list)  # plugins and codec libraries
    ecbench: Build = dataclasses.field(default_factory=Build)
    kernels: dict[str, str | None] = dataclasses.field(default_factory=dict)  # plugin → its kernels
    system: System = dataclasses.field(default_factory=System)
    cgroup: Cgroup | None = None
    core_kind: str | None = None  # of the CPUs of the measurement, if the machine has several kinds
    fake: Annotated[bool, Key(check=measured)] = False


# The facts that identify the machine and the codecs of a run. They are in the output of ecbench environment.

# Vendor, family and model → the name under which engineers know the CPU.
GENERATIONS: dict[tuple[str | None, int | None, int | None], str] = {
    ("AuthenticAMD", 23, 49): "Zen 2, EPYC 7002", ("AuthenticAMD", 25, 1): "Zen 3, EPYC 7003",
    ("AuthenticAMD", 25, 17): "Zen 4, EPYC 9004", ("AuthenticAMD", 25, 160): "Zen 4c, EPYC 97x4",
    ("AuthenticAMD", 26, 2): "Zen 5, EPYC 9005", ("GenuineIntel", 6, 106): "Ice Lake", ("GenuineIntel", 6, 143): "Sapphire Rapids",
    ("GenuineIntel", 6, 167): "Rocket Lake", ("GenuineIntel", 6, 173): "Granite Rapids", ("GenuineIntel", 6, 207): "Emerald Rapids"}


@dataclasses.dataclass(frozen=True)
class Machine:
    """A part of a run's header."""

    slug: str  # the name of the machine's directory in results/
    cpu: str
    vendor: str | None = None
    family: Whole | None = None
    model: Whole | None = None
    stepping: object = None
    online_cpu_count: object = None
    smt: object = None
    hypervisor: object = None
    caches: object = None


OF_CPU = [field.name for field in dataclasses.fields(Machine) if field.default is None]


def machine_of(environment: Environment) -> Machine:
    cpu = environment.cpu
    name = cpu.model_name or cpu.vendor or platform.machine()
    return Machine(slug_of(name, cpu.family, cpu.model), name, **{key: cpu.json.get(key) for key in OF_CPU})


def generation(machine: Machine) -> str:
    """"" if it is not known."""
    return GENERATIONS.get((machine.vendor, machine.family, machine.model), "")


def slug_of(name: str, family: int | None, model: int | None) -> str:
    """Makes a directory name such as amd-epyc-family25-model1 from the name of a CPU. Trademark signs and clock speeds are left
    out."""
    plain = re.sub(r"\((r|tm|c)\)|@.*|\bcpu\b|\b\d+-core\b|\bprocessor\b", " ", name.lower())
    words = re.findall(r"[a-z0-9]+", plain)
    numbers = [f"{kind}{number}" for kind, number in (("family", family), ("model", model)) if number is not None]
    return "-".join([*words, *numbers])[:100] or "machine"


def codecs_of(environment: Environment) -> dict[str, object]:
    """The facts that identify the program under test: ecbench's revision, compiler, compiler flags and build type, and the build
    id of each plugin and codec library."""
    program = environment.ecbench
    facts = {f"ecbench {key}": getattr(program, key) for key in ("git_revision", "compiler", "compiler_flags", "build_type")}
    return facts | {library.name: library.build_id for library in environment.shared_objects}


def difference(before: Mapping[str, object], now: Mapping[str, object]) -> str:
    """The first difference between two sets of facts; "" if they are equal."""
    for key in [*before, *now]:
        if before.get(key) != now.get(key):
            return f"{key} was {shown(before.get(key))} and is {shown(now.get(key))}"
    return ""


def shown(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# The conditions of the measurements, and the planned points.

RENAMED = ("sweep", "contenders")  # until 1.0, modes of their own for experiments


def mode_of(header: Json) -> str:
    """The header of an old run has no key "mode"."""
    mode = header.get("mode", "run")
    return "run" if mode in RENAMED else mode


MOST_REPETITIONS = 1000
Seconds = Annotated[float, Key(least=0.001, most=86400)]
ENTRY = fields({"id": str, "point": object}, {"chunk_size": Whole | None, "padding_percent": float | None, "group": str,
                                              "library": str, "name": str})
TABLE = fields(dict.fromkeys(("rows", "columns", "cells"), list[str]), {"profiles": list[str]})
EXPERIMENT = fields({}, {"title": str, "question": words("select", "change", "none"), "candidate": list[str],
                         "reference": dict[str, str], "table": or_null(TABLE), "view": words("bars"), "together": list[str],
                         "figure": words("gb_per_s", "objects_per_s", "p50", "p95", "p99")})
PLAN = fields({"points": list_of(ENTRY)}, {"mode": str})


# A new file of --from would otherwise be in a directory that the run names.
file_name = matching(re.compile("[^/]*"), "the name of a file, without /")
time = matching(re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "a time, such as 2026-11-21T05:00:00Z")


@dataclasses.dataclass
class Reason:
    """Why combinations of axes are dropped."""

    why: str
    count: Annotated[int, Key("Number of combinations that are left out for this reason.", least=1)]
    example: str  # the first

    def __str__(self) -> str:
        count = "" if self.count == 1 else f"{self.count} combinations, such as "
        return f"dropped {count}{self.example}: {self.why}"


@dataclasses.dataclass(frozen=True)
class Options:
    """The options for the measuring processes. Those that an old run lacks are 0, empty or None."""

    min_time: Seconds = 0  # total duration of the samples in each measurement, in seconds
    timeout: Seconds = 0  # seconds after which a process is killed
    # A point with n threads uses the first n.
    cpus: Annotated[Sequence[Annotated[int, Key(least=0, most=1 << 16)]], Key(fewest=1)] = ()
    limit: bool | None = None  # whether each measurement also measures the roofline


@dataclasses.dataclass(kw_only=True)
class Header:
    json: Json  # as it is stored
    points: Annotated[list[Planned], NOT_READ] = dataclasses.field(default_factory=list)
    mode: Annotated[str, NOT_READ] = ""
    format: str = ""
    run: Annotated[str, Key(check=file_name)]  # the name of the run
    words: list[str] = dataclasses.field(default_factory=list)  # arguments of the mode, for --resume
    grid: str
    seed: Whole
    repetitions: Annotated[int, Key(least=1, most=MOST_REPETITIONS)]
    order: str
    options: Options
    started: Annotated[str, Key(check=time)]
    host: str = "not recorded"
    machine: Machine
    environment: Environment
    dropped: list[Reason]
    merged: Whole = 0
    # Keys that some modes add.
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    counts: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)  # id → what a repair reads, without a measurement
    experiment: Annotated[Json, Key(check=EXPERIMENT)] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, json: Json) -> "Header":
        """Without its points. Throws Unlike."""
        PLAN(json)
        header = read(cls, json)
        header.mode = mode_of(json)
        return header


# Reads the lines of run files, which are uncompressed (.jsonl) or compressed with gzip (.jsonl.gz). ecbench writes only
# uncompressed run files, because each line must be on disk before the next measurement begins.

MOST_BYTES = 256 << 20  # the largest size of a run file, after decompression
MOST_BYTES_OF_LINE = 32 << 20  # a header has about 350 bytes per point, so 90,000 points fit
MOST_VALUES = 16_000_000  # of a run file: [] has 2 bytes, but needs 64 bytes of memory; stored runs have 8 bytes per value or more
MAGIC = b"\x1f\x8b"  # first two bytes of a gzip file (RFC 1952, section 2.3.1); no JSON begins with these bytes


def read_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yields the lines of a file or pipe; there is at least one. If the content begins with MAGIC, it is decompressed. Throws
    Refused. A file with more than MOST_BYTES after decompression is refused when so many bytes have been read."""
    total = values = 0
    try:
        with open_input(path) as file:
            first = file.peek(len(MAGIC))[:len(MAGIC)]
            content = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if first == MAGIC else file
            while line := content.readline(MOST_BYTES_OF_LINE + 1):
                total += len(line)
                if total > MOST_BYTES:
                    raise Refused(f"{path} is larger than {MOST_BYTES >> 20} MiB, the limit for a run file")
                if len(line) > MOST_BYTES_OF_LINE:
                    raise Refused(f"{path} has a line with more than {MOST_BYTES_OF_LINE >> 20} MiB, the limit for a line of a run "
                                  "file")
                values += sum(map(line.count, b"[{,"))
                if values > MOST_VALUES:
                    raise Refused(f"{path} has more than {MOST_VALUES} JSON values, the limit for a run file")
                yield line
    except EOFError as error:
        raise Refused(f"{path} cannot be decompressed: the file is cut off; copy it again") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Refused(f"{path} cannot be decompressed: {error}; copy it again") from error
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    if not total:
        raise Refused(f"{path} is empty; a run file must begin with a header")


def stem_of(path: str | os.PathLike[str]) -> str:
    """The file's name without .jsonl or .jsonl.gz."""
    return pathlib.Path(str(path).removesuffix(".gz")).stem


def paths_of(given: Iterable[str | os.PathLike[str]]) -> list[pathlib.Path]:
    """The given run files, and those of the given directories and their subdirectories. If a directory contains NAME.jsonl and
    NAME.jsonl.gz, only NAME.jsonl is returned. Throws Refused if a directory has no run file, or cannot be read."""
    def refuse(error: OSError) -> NoReturn:
        raise Refused(f"{error.filename} cannot be read: {error.strerror}; give readable directories")
    found = []
    for path in map(pathlib.Path, given):
        files = {pathlib.Path(folder, name) for folder, _, names in os.walk(path, onerror=refuse) for name in names
                 if name.endswith((".jsonl", ".jsonl.gz"))} if path.is_dir() else {path}
        inside = sorted(each for each in files if each.suffix != ".gz" or each.with_suffix("") not in files)
        if not inside:
            raise Refused(f"{path} has no run file, NAME.jsonl or NAME.jsonl.gz: give a directory that has one")
        found += inside
    return found
