"""A setting of mixed: the code, the rates of the foreground and of the repairs, and the CPUs of the foreground and of the repairs.
Each process of mixed measures one setting."""

import dataclasses
import functools
import hashlib
import json
from typing import Any

from ecbench.documents.shape import (
    Unlike,
    column,
    fields,
    list_of,
    number,
    or_null,
    part,
    read_json,
    required,
    shape_of,
    text,
    whole,
)
from ecbench.measure.ecbench import failure, one_line
from ecbench.mixed.request import DEEP_SCRUB, REPAIR, Request
from ecbench.point.point import Json, Point
from ecbench.runfile.row import Failure, Result
from ecbench.runfile.run_file import Content

AMOUNT = number(0)
REMARKS = list_of(fields({"code": text, "text": text}))


def histogram(value: Any) -> None:
    """Checks that the value is a list of pairs. Each pair is a latency in milliseconds and the number of operations with this
    latency. Throws Unlike."""
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise Unlike("a list of pairs", value)
    for milliseconds, count in value:
        number(1e-9)(milliseconds)
        whole(1)(count)


def deep_scrub(value: Any) -> None:
    if value != DEEP_SCRUB:  # with REPAIR, to_json() leaves the key out
        raise Unlike(DEEP_SCRUB, value)


@dataclasses.dataclass(frozen=True)
class Setting:
    code: Point = required(fields({}))  # a point with workload encode
    shares: str = required(text)
    foreground_rate: float | None = required(or_null(number(1e-9)))  # operations per second; None: as many as possible
    repair_rate: float | None = required(or_null(number(0)))  # rebuilt bytes per second; None: unlimited
    foreground_cpus: tuple[int, ...] = required(list_of(whole(), 1))
    repair_cpus: tuple[int, ...] = required(list_of(whole(), 1))
    foreground_threads: int = required(whole(1))
    repair_threads: int = required(whole(1))
    pool: int | None = required(or_null(whole(1)))
    background: str = column(deep_scrub, REPAIR)

    @functools.cached_property
    def id(self) -> str:
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:12]

    @property
    def codec_lib(self) -> str | None:
        return self.code.codec_lib

    @property
    def threads(self) -> int:
        return self.foreground_threads + self.repair_threads

    def to_json(self) -> Json:
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if self.background == REPAIR:  # run files from before deep scrubs do not have it, and it would change the ids
            del values["background"]
        return {**values, "code": self.code.to_json(), "foreground_cpus": list(self.foreground_cpus),
                "repair_cpus": list(self.repair_cpus)}

    @classmethod
    def from_json(cls, values: Any) -> "Setting":
        """The inverse of to_json(). Throws ValueError."""
        shape_of(cls)(values)
        if unknown := values.keys() - {field.name for field in dataclasses.fields(cls)}:
            raise ValueError(f"{min(unknown)} is not a key of a point of mixed")
        return cls(**{**values, "code": Point.from_json(values["code"]), "foreground_cpus": tuple(values["foreground_cpus"]),
                      "repair_cpus": tuple(values["repair_cpus"])})

    def words(self, duration: float) -> list[str]:
        """The arguments with which ecbench measures this setting."""
        repair = "unlimited" if self.repair_rate is None else str(round(self.repair_rate))
        words = ["--mixed", *code_words(self.code), "--shares", self.shares, "--repair-rate", repair,
                 "--foreground-rate", "max" if self.foreground_rate is None else f"{self.foreground_rate:g}",
                 "--foreground-cpu", listed(self.foreground_cpus), "--repair-cpu", listed(self.repair_cpus),
                 "--foreground-threads", str(self.foreground_threads), "--repair-threads", str(self.repair_threads),
                 "--background", self.background, "--duration", f"{duration:g}"]
        return words if self.pool is None else [*words, "--pool", str(self.pool)]

    def __str__(self) -> str:
        rate = "unlimited" if self.repair_rate is None else f"{self.repair_rate / 1e6:.0f} MB/s"
        return f"{label_of(self.code)}: {self.background} {'none' if self.repair_rate == 0 else rate}"


@dataclasses.dataclass(frozen=True)
class Foreground:
    operations: int = required(whole())
    unfinished: int = required(whole())
    operations_per_s: float = required(AMOUNT)
    gb_per_s: float = required(AMOUNT)
    cpu_seconds: float = required(AMOUNT)


@dataclasses.dataclass(frozen=True)
class Repair:
    bytes_per_s: float = required(AMOUNT)
    cpu_seconds: float = required(AMOUNT)


@dataclasses.dataclass(slots=True, kw_only=True)
class MixedRow(Result):
    foreground: Foreground = part(Foreground)
    repair: Repair = part(Repair)
    duration_seconds: float = required(number(1e-9))
    remarks: list[Json] = required(REMARKS)
    histogram: list[tuple[float, int]] = required(histogram)


CONTENT = Content(Setting.from_json, MixedRow, modes=("mixed",))


def code_words(code: Point) -> list[str]:
    """The arguments of ecbench for the code. They do not contain --workload, because --mixed does not allow this option."""
    words = code.words()
    place = words.index("--workload")
    return words[:place] + words[place + 2:]


def label_of(code: Point) -> str:
    return str(code).replace(" encode of ", ", ")


def listed(cpus: tuple[int, ...]) -> str:
    return ",".join(map(str, cpus))


def setting_of(request: Request, code: Point, foreground_rate: float | None, repair_rate: float | None) -> Setting:
    return Setting(code, request.shares, foreground_rate, repair_rate, tuple(request.foreground_cpus), tuple(request.repair_cpus),
                   request.foreground_threads, request.repair_threads, request.pool, request.background)


def read_result(stdout: str, shown: str) -> MixedRow | Failure:
    """Reads the output of ecbench. Returns the part that is stored. Warnings of ecbench are stored with the key
    `remarks`, because a session repeats each measurement that has the key `warnings`. mixed must not repeat such a measurement:
    the warning can be a result, for example that the foreground could not keep its schedule."""
    try:
        printed = read_json(stdout)
        if not isinstance(printed, dict) or printed.get("verified") is not True:
            raise ValueError("the results are not verified")
        foreground = dict(printed["foreground"])
        row = {"foreground": foreground, "histogram": foreground.pop("histogram"), "remarks": printed["warnings"],
               **{key: printed[key] for key in ("repair", "duration_seconds", "command")}}
        return MixedRow.read(row)
    except (KeyError, TypeError, ValueError) as error:
        return failure("failed", shown, f"cannot read the output ({error}): {one_line(stdout)[:200] or 'it is empty'}", 0)
