"""The output of overwrite --format json, as dataclasses; overwrite --schema prints its schema. Case is a case with its results."""

import dataclasses
from typing import Annotated

from ecbench.comparison.questions import INCONCLUSIVE
from ecbench.comparison.text import interval_of
from ecbench.documents.document import Interval, Key, to_json
from ecbench.overwrite.request import WAYS, Request
from ecbench.overwrite.result import Line, Result, Time
from ecbench.point.point import Json

FORMAT = "ecbench overwrite 1"
Count = int | str | None  # a number of changed chunks, INCONCLUSIVE, or none


@dataclasses.dataclass(frozen=True)
class EncodeTime:
    ns: Annotated[float | None, Key("Time for one stripe in nanoseconds; null if it could not be measured.", above=0)]


@dataclasses.dataclass(frozen=True)
class DeltaTime(EncodeTime):
    reencoding_ratio: Annotated[Interval | None, Key("The time by parity delta / the time by re-encoding with the same "
                                                     "plugin. If it is above 1, re-encoding is faster.")]


@dataclasses.dataclass(frozen=True)
class Reencoding:
    isa: EncodeTime
    simd: EncodeTime
    speed_ratio: Annotated[Interval | None, Key("Speed of simd / speed of isa, for the same operation.")]


@dataclasses.dataclass(frozen=True)
class Overwrite:
    changed: Annotated[int, Key("Number of changed data chunks.", least=1)]
    isa: DeltaTime
    simd: DeltaTime
    speed_ratio: Annotated[Interval | None, Key("Speed of simd / speed of isa, for the same operation.")]
    delta_reads: Annotated[int, Key("Number of chunks that a storage system reads for this overwrite by parity delta.", least=1)]
    reencoding_reads: Annotated[int, Key("The same by re-encoding.", least=0)]
    writes: Annotated[int, Key("Number of chunks that a storage system writes for this overwrite. It is the same for parity "
                               "delta and for re-encoding.", least=1)]


@dataclasses.dataclass(frozen=True)
class FasterFrom:
    isa: Annotated[Count, Key("The smallest number of changed chunks for which re-encoding by this plugin is faster than its "
                              "parity delta, and is also faster for all larger measured numbers. null: re-encoding is not "
                              "faster for the largest measured number. inconclusive: too few rounds have the times that "
                              "decide this.", words=(INCONCLUSIVE,))]
    simd: Annotated[Count, Key(words=(INCONCLUSIVE,))]


@dataclasses.dataclass(frozen=True)
class Case:
    k: int
    m: int
    size: Annotated[int, Key("Bytes of a chunk.", least=1)]
    cache: Annotated[str, Key(words=("warm", "cold"))]
    dispatch: str
    reencoding_faster_from: FasterFrom
    reencoding_reads_less_from: Annotated[Count, Key("The smallest number of changed chunks for which re-encoding reads fewer "
                                                     "chunks than the parity delta. null: it does not for the largest "
                                                     "measured number.")]
    reencoding: Reencoding
    overwrites: list[Overwrite]


@dataclasses.dataclass(frozen=True)
class Document:
    format: Annotated[str, Key(words=(FORMAT,))]
    run: Annotated[str, Key("The path of the run file.")]
    technique: Annotated[str, Key(words=("reed_sol_van", "cauchy"))]
    codec_lib: Annotated[str | None, Key("The directory of the libisal that plugin isa uses; null: the system's libisal.")]
    cases: list[Case]


def document(request: Request, results: list[Result], run: str) -> Json:
    return to_json(Document(FORMAT, run, request.technique, request.codec_lib, [case_of(result) for result in results]))


def case_of(result: Result) -> Case:
    case, again = result.case, result.reencoding
    isa, simd = (EncodeTime(time.ns) for time in again.times)
    return Case(case.k, case.m, case.size // case.k, case.cache, case.option("dispatch") or "",
                FasterFrom(*map(result.reencoding_from, WAYS)),
                result.fewer_reads_from, Reencoding(isa, simd, interval_of(again.ratio)), [*map(overwrite_of, result.lines)])


def overwrite_of(line: Line) -> Overwrite:
    isa, simd = map(time_of, line.times)
    return Overwrite(line.changed, isa, simd, interval_of(line.ratio), line.delta_reads, line.reencoding_reads, line.writes)


def time_of(time: Time) -> DeltaTime:
    return DeltaTime(time.ns, interval_of(time.reencoding_ratio))
