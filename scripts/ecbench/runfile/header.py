"""The header of a run file: the conditions of the measurements, and the planned points."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from ecbench.documents.document import Json
from ecbench.documents.shape import (
    Unlike,
    anything,
    column,
    fields,
    list_of,
    map_of,
    matching,
    number,
    or_null,
    part,
    parts,
    read,
    required,
    text,
    whole,
    words,
)
from ecbench.point.point import Planned
from ecbench.runfile.environment import NAMES, Environment
from ecbench.runfile.machine import Machine
from ecbench.runfile.modes import mode_of

MOST_REPETITIONS = 1000
SECONDS = number(0.001, 86400)
ENTRY = fields({"id": text, "point": anything}, {"chunk_size": or_null(whole()), "padding_percent": or_null(number()),
                                                 "group": text, "library": text, "name": text})
TABLE = fields({"rows": NAMES, "columns": NAMES, "cells": NAMES}, {"profiles": NAMES})
EXPERIMENT = fields({}, {"title": text, "question": words("select", "change", "none"), "candidate": NAMES,
                         "reference": map_of(text), "table": or_null(TABLE), "view": words("bars"),
                         "figure": words("gb_per_s", "objects_per_s", "p50", "p95", "p99")})
PLAN = fields({"points": list_of(ENTRY)}, {"mode": text})


def file_name(value: Any) -> None:
    text(value)
    if "/" in value:  # a new file of --from would be in a directory that the run names
        raise Unlike("the name of a file, without /", value)


time = matching(re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "a time, such as 2026-11-21T05:00:00Z")


@dataclasses.dataclass
class Reason:
    """Why combinations of axes are dropped."""

    why: str = required(text)
    count: int = required(whole())
    example: str = required(text)  # the first


@dataclasses.dataclass(frozen=True)
class Options:
    """The options for the measuring processes. Those that an old run lacks are 0, empty or None."""

    min_time: float = column(SECONDS, 0)  # total duration of the samples in each measurement, in seconds
    timeout: float = column(SECONDS, 0)  # seconds after which a process is killed
    cpus: Sequence[int] = column(list_of(whole(0, 1 << 16), 1), ())  # a point with n threads uses the first n
    limit: bool | None = column(anything)  # whether each measurement also measures the roofline


@dataclasses.dataclass(kw_only=True)
class Header:
    json: Json  # as it is stored
    points: list[Planned] = dataclasses.field(default_factory=list)
    mode: str = ""
    format: str = column(text, "")
    run: str = required(file_name)  # the name of the run
    words: list[str] = column(NAMES, list)  # arguments of the mode, for --resume
    grid: str = required(text)
    seed: int = required(whole())
    repetitions: int = required(whole(1, MOST_REPETITIONS))
    order: str = required(text)
    options: Options = part(Options)
    started: str = required(time)
    host: str = column(text, "not recorded")
    machine: Machine = part(Machine)
    environment: Environment = part(Environment)
    dropped: list[Reason] = parts(Reason, dataclasses.MISSING)
    merged: int = column(whole(), 0)
    # Keys that some modes add.
    variables: dict[str, str] = column(map_of(text), dict)
    experiment: Json = column(EXPERIMENT, dict)

    @classmethod
    def read(cls, json: Json) -> "Header":
        """Without its points. Throws Unlike."""
        PLAN(json)
        header = read(cls, json)
        header.mode = mode_of(json)
        return header

    def with_plan(self, points: list[Planned], json: Json) -> "Header":
        """With more points. `json`: the record "plan"."""
        header = Header.read({**self.json, **{key: value for key, value in json.items() if key != "record"}})
        header.points = [*self.points, *points]
        return header
