"""The output of mixed --format json, as dataclasses; mixed --schema prints its schema. Keys with repair in their name are about the
background, also if this is deep scrubs."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Annotated

from ecbench.documents.document import Interval, Key, to_json
from ecbench.mixed import result
from ecbench.mixed.request import DEEP_SCRUB, KINDS, REPAIR, Request
from ecbench.mixed.result import P50, P95, P99, CodeResult
from ecbench.mixed.tables import warnings_of
from ecbench.runfile.run_file import Run

FORMAT = "ecbench mixed comparison 1"


@dataclasses.dataclass(frozen=True)
class Latency:
    p50: Annotated[float | None, Key(least=0)]
    p95: Annotated[float | None, Key(least=0)]
    p99: Annotated[float | None, Key(least=0)]


@dataclasses.dataclass(frozen=True)
class Step:
    repair_limit: Annotated[float | None, Key("Limit of the repair rate in rebuilt bytes per second; 0: no repairs; null: "
                                              "unlimited.", least=0)]
    repair_bytes_per_s: Annotated[float, Key("Rebuilt bytes per second: the median of the rounds.", least=0)]
    rounds: Annotated[int, Key("Number of measurements at this repair rate.", least=1)]
    operations: Annotated[int, Key("Number of foreground operations that were due, in all rounds together.", least=0)]
    unfinished: Annotated[int, Key("Number of these operations that did not start. If it is not 0, the percentiles are lower "
                                   "bounds.", least=0)]
    operations_per_s: Annotated[float, Key("Foreground operations per second: the median of the rounds.", least=0)]
    gb_per_s: Annotated[Interval, Key("Throughput of the foreground in 10^9 bytes of objects per second (overwrites: of changed "
                                      "bytes).")]
    latency_ms: Annotated[Latency, Key("Milliseconds between the time when an operation is due and its end, in all rounds; p is "
                                       "null if there are fewer than 10 / (1 - p) operations.")]
    foreground_cpus_used: Annotated[float, Key("CPU seconds that the foreground used per second of the measurement.", least=0)]
    repair_cpus_used: Annotated[float, Key("CPU seconds that the repairs used per second of the measurement.", least=0)]
    repair_cpu_seconds_per_gb: Annotated[float | None, Key("CPU seconds that the repairs used for 10^9 rebuilt bytes; null without "
                                                           "repairs.", least=0)]


@dataclasses.dataclass(frozen=True)
class Doubling:
    repair_bytes_per_s: Annotated[float | None, Key("The repair rate at which p99 is twice the p99 without repairs, interpolated "
                                                    "between two measured rates; null: p99 does not double, or the rate is not "
                                                    "known.", least=0)]
    low: Annotated[float | None, Key("Lower end of its 95 % interval; null: there is none.", least=0)]
    high: Annotated[float | None, Key("Upper end; null: there is none, or it is above the highest measured rate.", least=0)]
    not_reached_up_to: Annotated[float | None, Key("If p99 does not double: the highest measured repair rate.", least=0)]
    why: Annotated[str | None, Key("Why the rate is not known; null if it is known, or if p99 does not double.")]


@dataclasses.dataclass(frozen=True)
class Code:
    name: Annotated[str, Key("As in the tables.")]
    plugin: str
    profile: dict[str, str]
    size: Annotated[int, Key("Bytes of the object.", least=1)]
    stripe_unit: Annotated[int | None, Key("Bytes of a chunk in each stripe; null: the object is encoded as one stripe.", least=1)]
    dispatch: Annotated[str, Key("The CPU instructions that kernels may use.")]
    codec_lib: Annotated[str | None, Key("The directory of the codec libraries; null: the system's.")]
    maximum_operations_per_s: Annotated[float, Key("The highest rate of the foreground without repairs: the median of 3 "
                                                   "measurements.", least=0)]
    load_operations_per_s: Annotated[float, Key("Scheduled foreground operations per second: load_percent of "
                                                "maximum_operations_per_s.", least=0)]
    p99_doubles: Doubling
    steps: Annotated[list[Step], Key("By ascending repair rate; the first is without repairs.", fewest=1)]
    warnings: list[str]


@dataclasses.dataclass(frozen=True)
class Document:
    format: Annotated[str, Key(words=(FORMAT,))]
    run: Annotated[str, Key("The path of the run file.")]
    finished: Annotated[bool, Key("true if the run is complete.")]
    rounds: Annotated[int, Key("Planned number of measurements of each code at each repair rate.", least=1)]
    shares: Annotated[dict[str, int], Key("Share of each kind of foreground operations in percent. Kinds with the share 0 are left "
                                          "out.", words=KINDS)]
    background: Annotated[str, Key("What runs in the background.", words=(REPAIR, DEEP_SCRUB))]
    load_percent: Annotated[int, Key("Rate of the foreground operations, in percent of the maximum rate without repairs.", least=1)]
    foreground_cpus: Annotated[list[int], Key("Numbers of the CPUs on which the foreground runs.", least=0, fewest=1)]
    repair_cpus: Annotated[list[int], Key("Numbers of the CPUs on which the repairs run.", least=0, fewest=1)]
    shared_cpus: Annotated[bool, Key("true if at least one CPU is in both.")]
    foreground_threads: Annotated[int, Key(least=1)]
    repair_threads: Annotated[int, Key(least=1)]
    codes: Annotated[list[Code], Key("The codes that could be measured.")]


def text(request: Request, results: Sequence[CodeResult], run: Run) -> str:
    shares = {kind: int(percent) for kind, _, percent in (item.partition("=") for item in request.shares.split(","))}
    return json.dumps(to_json(Document(
        FORMAT, str(run.path), run.finished, run.header.repetitions, shares, request.background, request.load,
        list(request.foreground_cpus), list(request.repair_cpus), request.shares_cpus, request.foreground_threads,
        request.repair_threads, [code_of(one) for one in results])), indent=1)


def code_of(found: CodeResult) -> Code:
    code, doubling = found.steps[0].setting.code, found.doubling
    reached = doubling.reached if doubling.rate is None and not doubling.why else None
    return Code(found.label, code.plugin, dict(code.profile), code.size, code.stripe_unit, code.dispatch, code.codec_lib,
                found.maximum, found.load, Doubling(doubling.rate, doubling.low, doubling.high, reached, doubling.why or None),
                [step_of(step) for step in found.steps], warnings_of(found))


def step_of(step: result.Step) -> Step:
    gb = step.gb_per_s
    return Step(step.setting.repair_rate, step.repair_rate, len(step.rows), step.operations, step.unfinished,
                step.operations_per_s, Interval(gb.median, gb.low, gb.high), Latency(*map(step.percentile, (P50, P95, P99))),
                step.foreground_cpus, step.repair_cpus, step.repair_cpu_seconds_per_gb)
