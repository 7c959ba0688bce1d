"""Rows and failures, the results in a run file. What ecbench prints is checked, because the user can choose the measuring program:
it may be an older ecbench, or a program that is not ecbench."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Self

from ecbench.documents.document import Json, Key, Positive, Unlike, Whole, fields, or_null, required_in, shape_of, values_of
from ecbench.point.point import Point
from ecbench.runfile.header import time

LARGEST = 1e12  # largest allowed value in GB/s, seconds or percent
SMALLEST = 1e-12  # smallest allowed value above 0, so that reciprocals and ratios are finite

not_negative = shape_of(float, Key(least=0, most=LARGEST))


def amount(value: Any) -> None:
    if type(value) is float and SMALLEST <= value <= LARGEST:
        return  # fast path; nearly all values take it
    not_negative(value)
    if 0 < value < SMALLEST:
        raise Unlike(f"0, or a number from {SMALLEST:g} to {LARGEST:g}", value)


Amount = Annotated[float, Key(check=amount)]
Figure = Annotated[float, Key(least=-LARGEST, most=LARGEST)]
SAMPLE = fields({"placement": Whole, "seconds": amount}, {"clean": bool, "cpu_seconds": or_null(not_negative)})
Sample = Annotated[Json, Key(check=SAMPLE)]
Library = Annotated[Json, Key(check=fields({}, dict.fromkeys(("version", "path", "build_id"), str | None)))]
Remark = Annotated[Json, Key(check=fields({"code": str}, {"text": str}))]


# The results in a run file as dataclasses: rows and failures. A dataclass declares the columns that modes use, each with the
# shape that its value must have; `ecbench schema` describes all columns of a row.

Keep = Callable[[Json], Json]
CORE_SHARED = "core_shared"  # the warning that another hardware thread used the core all the time: a state of the machine
WRONG_BYTES = "wrong_bytes"
FAILURES = ("refused", "failed", "signal", "timeout", WRONG_BYTES)
RowOrFailure = Any  # the result of a measurement: a row of the class that the mode stores, or a Failure


@dataclasses.dataclass(slots=True, kw_only=True)
class Result:
    """The columns of every result in a run file."""

    json: Json  # all columns, as they are stored
    repetition: int = 0
    at: str = ""  # ISO 8601, in UTC and with a fixed width: the alphabetical order is the order in time
    host: object = None
    command: str = ""
    warnings: list[Remark] | None = None  # None: a row of an old version

    @property
    def failure(self) -> str:
        """One of FAILURES; "" for a row."""
        return ""

    @property
    def is_doubtful(self) -> bool:
        """Whether it has warnings, other than that of a state of the machine."""
        return any(warning.get("code") != CORE_SHARED for warning in self.warnings or ())

    @classmethod
    def read(cls, json: Json, keep: Keep = lambda row: row) -> Self:
        """`keep` returns the part that stays in memory. Throws Unlike."""
        shape_of(cls)(json)
        return cls(**values_of(cls, keep(json)))


@dataclasses.dataclass(slots=True, kw_only=True)
class Failure(Result):
    kind: Annotated[str, Key(words=FAILURES)]
    why: str  # in one line
    exit_code: int | None = None  # -N after signal N; None if the process was not started, or was stopped

    @property
    def failure(self) -> str:
        return self.kind


GB_OF_100_GBIT = 12.5  # per second


@dataclasses.dataclass(slots=True, kw_only=True)
class Row(Result):
    """A row of ecbench. A column that is None was not measured, does not apply, or is not stored in short rows."""

    gb_per_s: Amount
    drift_percent: Figure | None
    drift_floor_percent: Amount | None
    limit_gb_per_s: Amount | None
    limit_percent: Amount | None
    cpu_seconds_per_gb: Amount | None
    samples: Annotated[list[Sample], Key(fewest=1)]
    plugin: str = ""
    profile: dict[str, str] = dataclasses.field(default_factory=dict)
    workload: str = ""
    k: Whole = 0
    m: Whole = 0
    chunk_count: Whole = 0
    size: Positive = 0
    chunk_size: Whole = 0
    erasures: Whole = 0
    patterns: Whole = 0
    unrecoverable: Whole = 0
    threads: Whole = 0
    dispatch: str = "native"
    codec_lib: str | None = None
    codec_libraries: dict[str, Library] | None = None
    kernel: str = ""
    iterations: Positive = 0
    seconds: Amount = 0.0
    kb: Whole = 0
    ns_per_op: Amount = 0.0
    objects_per_s: Amount = 0.0
    p50: Amount | None = None  # microseconds
    p95: Amount | None = None
    p99: Amount | None = None
    background_gb_per_s: Amount | None = None
    call_overhead_ns: Amount | None = None
    instructions_per_iteration: Amount | None = None
    cpu_seconds: Amount | None = None
    crc32c_cpu_seconds_per_gb: Amount | None = None
    ci_low: Figure | None = None
    ci_high: Figure | None = None
    date: Annotated[str, Key(check=time)] = ""
    sample_iterations: Positive = 0
    sample_count: int | None = None
    clean_samples: int | None = None
    sampled_seconds: Annotated[tuple[float, float], Key(check=lambda _: None)] = (0.0, 0.0)  # see with_sampled_seconds()

    @property
    def cores(self) -> float | None:
        """CPU cores for 100 Gbit/s of objects; encode: with the CRC32C of all chunks, which an OSD computes."""
        code = self.cpu_seconds_per_gb
        return None if code is None else GB_OF_100_GBIT * (code + (self.crc32c_cpu_seconds_per_gb or 0))

    @property
    def code_percent(self) -> float | None:
        """The share of the code in these cores. None if they do not include a CRC32C."""
        code, crc32c = self.cpu_seconds_per_gb, self.crc32c_cpu_seconds_per_gb
        return 100 * code / (code + crc32c) if code is not None and crc32c else None


ALWAYS = required_in(Row)
OF_RUN_FILES = ("record", "id", "repetition", "at", "stage", "again")  # a run file adds these to the columns of a row


def differences_from(point: Point, row: Json, keys: Iterable[str]) -> Iterator[str]:
    """How a row differs from its point in `keys`, k and m. The m of an lrc row counts the local chunks too."""
    asked = {**vars(point), "profile": dict(point.profile), "erased": [] if point.erased is None else [point.erased],
             "want": point.want or "all"}
    given = {**row, "profile": row.get("profile", asked["profile"])}
    for one in (given, asked):  # a parameter that is "" has no value
        one["profile"] = {name: value for name, value in one["profile"].items() if value != ""}
    for key in keys:
        if key in given and (key != "erasures" or point.workload == "decode") and given[key] != asked[key]:
            yield f"has {key} {given[key]!r}, its point has {asked[key]!r}"
    for key in ("k", "m"):
        if key in row and point.plugin != "lrc" and str(row[key]) != point.get(key, str(row[key])):
            yield f"has {key}={row[key]}, its point has {key}={point.get(key)}"


def read_printed(json: Any) -> Row:
    """A row that ecbench printed. Throws Unlike."""
    row = Row.read(json)
    for key in OF_RUN_FILES:
        if key in json:
            raise Unlike("missing (only run files have this key)", json[key]).within(key)
    if json.get("verified") is not True:
        raise Unlike("true", json.get("verified")).within("verified")
    if row.gb_per_s == 0:
        raise Unlike("a number above 0", row.gb_per_s).within("gb_per_s")
    return row
