"""Checks the JSON that ecbench prints, because the user can choose the measuring program: it may be an older ecbench, or a program
that is not ecbench. Only the keys that modes of bench.sh use are checked; the schemas in src/report describe all keys."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from ecbench.documents.document import (
    Json,
    Unlike,
    anything,
    column,
    fields,
    flag,
    list_of,
    map_of,
    number,
    or_null,
    read,
    required,
    shape_of,
    text,
    values_of,
    whole,
)
from ecbench.point.point import Point
from ecbench.runfile.environment import Environment

LARGEST = 1e12  # largest allowed value in GB/s, seconds or percent
SMALLEST = 1e-12  # smallest allowed value above 0, so that reciprocals and ratios are finite

figure = number(-LARGEST, LARGEST)
not_negative = number(0, LARGEST)


def amount(value: Any) -> None:
    if type(value) is float and SMALLEST <= value <= LARGEST:
        return  # fast path; nearly all values take it
    not_negative(value)
    if 0 < value < SMALLEST:
        raise Unlike(f"0, or a number from {SMALLEST:g} to {LARGEST:g}", value)


SAMPLES = list_of(fields({"placement": whole(), "seconds": amount}, {"clean": flag, "cpu_seconds": or_null(not_negative)}), 1)


def check_samples(value: Any) -> None:
    """As SAMPLES, but faster for valid samples, which are most of the bytes of a run file."""
    try:
        for sample in value:
            placement, seconds = sample["placement"], sample["seconds"]
            if type(placement) is not int or not 0 <= placement < 1 << 64 or type(seconds) is not float or not (
                    SMALLEST <= seconds <= LARGEST) or type(sample.get("clean", True)) is not bool or type(
                        sample.get("cpu_seconds", 0.0)) is not float:
                break
        else:
            if value:
                return
    except (AttributeError, KeyError, TypeError):
        pass
    SAMPLES(value)


def line(value: Any) -> None:
    text(value)
    if "\n" in value:
        raise Unlike("one line", value)


LIBRARIES = map_of(fields({}, {"version": or_null(text), "path": or_null(text), "build_id": or_null(text)}))
REMARKS = list_of(fields({"code": text}, {"text": text}))


def read_own_environment(json: Any) -> Environment:
    """A run file may lack the facts about the program, but the output of `ecbench --environment` must have them."""
    found = read(Environment, json)
    fields({"shared_objects": anything, "ecbench": anything})(json)
    return found


# The results in a run file as dataclasses: rows and failures. A dataclass declares the columns that modes use, each with the
# shape that its value must have; `ecbench --schema` describes all columns of a row.

Keep = Callable[[Json], Json]
CORE_SHARED = "core_shared"  # the warning that another hardware thread used the core all the time: a state of the machine
RowOrFailure = Any  # the result of a measurement: a row of the class that the mode stores, or a Failure


@dataclasses.dataclass(slots=True, kw_only=True)
class Result:
    """The columns of every result in a run file."""

    json: Json  # all columns, as they are stored
    repetition: int = column(anything, 0)  # RunReader checks this column, and the time
    at: str = column(anything, "")  # ISO 8601, in UTC and with a fixed width: the alphabetical order is the order in time
    host: object = column(anything)
    command: str = column(line, "")
    warnings: list[Json] | None = column(REMARKS)  # None: a row of an old version

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
        kept = keep(json)
        return cls(**values_of(cls, kept))


@dataclasses.dataclass(slots=True, kw_only=True)
class Failure(Result):
    kind: str = required(text)  # one of FAILURES
    why: str = required(text)  # in one line
    exit_code: int | None = column(anything)  # -N after signal N; None if the process was not started, or was stopped

    @property
    def failure(self) -> str:
        return self.kind


@dataclasses.dataclass(slots=True, kw_only=True)
class Row(Result):
    """A row of ecbench. A column that is None was not measured, does not apply, or is not stored in short rows."""

    gb_per_s: float = required(amount)
    drift_percent: float | None = required(or_null(figure))
    drift_floor_percent: float | None = required(or_null(amount))
    limit_gb_per_s: float | None = required(or_null(amount))
    limit_percent: float | None = required(or_null(amount))
    cpu_seconds_per_gb: float | None = required(or_null(amount))
    samples: list[Json] = required(check_samples)
    plugin: str = column(text, "")
    profile: dict[str, str] = column(map_of(line))
    workload: str = column(text, "")
    k: int = column(whole(), 0)
    m: int = column(whole(), 0)
    chunk_count: int = column(whole(), 0)
    size: int = column(whole(1), 0)
    chunk_size: int = column(whole(), 0)
    erasures: int = column(whole(), 0)
    patterns: int = column(whole(), 0)
    unrecoverable: int = column(whole(), 0)
    threads: int = column(whole(), 0)
    dispatch: str = column(anything, "native")
    codec_lib: str | None = column(anything)
    codec_libraries: dict[str, Json] | None = column(or_null(LIBRARIES))
    kernel: str = column(text, "")
    iterations: int = column(whole(1), 0)
    seconds: float = column(amount, 0.0)
    kb: int = column(whole(), 0)
    ns_per_op: float = column(amount, 0.0)
    objects_per_s: float = column(amount, 0.0)
    p50: float | None = column(or_null(amount))  # microseconds
    p95: float | None = column(or_null(amount))
    p99: float | None = column(or_null(amount))
    background_gb_per_s: float | None = column(or_null(amount))
    call_overhead_ns: float | None = column(or_null(amount))
    instructions_per_iteration: float | None = column(or_null(amount))
    cpu_seconds: float | None = column(or_null(amount))
    ci_low: float | None = column(or_null(figure))
    ci_high: float | None = column(or_null(figure))
    sample_count: int | None = column(anything)
    clean_samples: int | None = column(anything)
    sampled_seconds: tuple[float, float] = column(anything, (0.0, 0.0))  # see with_sampled_seconds()


ALWAYS = tuple(field.name for field in dataclasses.fields(Row) if field.metadata and field.default is dataclasses.MISSING)
OF_RUN_FILES = ("record", "id", "repetition", "at", "stage", "again")  # a run file adds these to the columns of a row


def differences_from(point: Point, row: Json, keys: Iterable[str]) -> Iterator[str]:
    """How a row differs from its point in `keys`, k and m. The m of an lrc row counts the local chunks too."""
    asked = point.to_json()
    for key in keys:
        if key in row and (key != "erasures" or point.workload == "decode") and row[key] not in (asked[key], None):
            yield f"has {key} {row[key]!r}, its point has {asked[key]!r}"
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
