"""Reads and writes run files. A run file consists of JSON lines. The key "record" of a line is the kind of the line:

- "run": the header, which is the first line. It contains the mode, the arguments of the mode, and the planned points.
- "plan": planned points that a stage chose; a run has one for each case, and its header contains no points.
- "point": a point that was not planned. This line is written before the first result of the point.
- "row" and "failure": the result of a measurement. Results are in the order of measurement.
- "resumed": the run was resumed here.
- "end": the last line of a finished run.

Every line is on disk before the next measurement begins. Therefore, if bench.sh is killed, at most the last line is lost.

Some modes choose points by the results of earlier measurements. Such a mode measures in stages, and each result of a stage contains
the name of the stage. The results of planned points have no stage. Tables and pages show only results without a stage. If a row
without a stage has warnings, its point is measured once more. The result of the second measurement has the key "again". If this
result is a row without warnings, it replaces the first row."""

import collections
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar

from ecbench.documents.document import Json, Unlike, fields, read, read_json
from ecbench.installation import places
from ecbench.point.point import Planned, Point
from ecbench.runfile.environment import Environment, machine_of
from ecbench.runfile.header import ENTRY, MOST_BYTES_OF_LINE, PLAN, Header, has_gzip_name, mode_of, read_lines, time
from ecbench.runfile.row import Failure, Keep, Result, Row
from ecbench.terminal.console import Refused, refusing

FORMAT = "ecbench run 2"
WRONG_BYTES = "wrong_bytes"
FAILURES = ("refused", "failed", "signal", "timeout", WRONG_BYTES)
Value = TypeVar("Value")
# Records other than results.
SHAPES = {"point": ENTRY, "plan": PLAN, "resumed": fields({"environment": Environment})}
RESULT = fields({}, {"stage": str, "again": bool})
ROW = fields({"at": time})  # a row also has the columns of Content.result
CUT_OFF = ("this last line is cut off, perhaps because the program was killed or the disk was full; to drop the line and continue "
           "the run, give --resume FILE")


class Key(NamedTuple):
    """Identifies one result."""

    id: str  # id of the point
    repetition: int
    stage: str = ""
    again: bool = False


@dataclasses.dataclass
class Run:
    """The content of a run file."""

    path: pathlib.Path
    header: Header
    points: dict[str, Point]  # id → point: planned points in the order of the header, then points of stages
    # Id of a planned point → its rows in the order of measurement; without replaced rows.
    rows: dict[str, list[Row]] = dataclasses.field(default_factory=lambda: collections.defaultdict(list))
    failures: dict[str, list[Failure]] = dataclasses.field(default_factory=lambda: collections.defaultdict(list))
    records: dict[Key, Result] = dataclasses.field(default_factory=dict)  # every row and failure
    finished: bool = False

    @property
    def name(self) -> str:
        return self.header.run

    @property
    def mode(self) -> str:
        return self.header.mode

    @property
    def notes(self) -> list[str]:
        """Messages for the user, one line each."""
        notes = []
        if not self.finished:
            planned = f"{len(self.done())} of {self.total()}" if self.total() else str(len(self.records))
            notes.append(f"not finished: {planned} measurements are done")
        if failed := sum(map(len, self.failures.values())):
            notes.append(f"{failed} of {self.total()} measurements failed")
        return notes

    def done(self) -> set[tuple[str, int]]:
        """The id and repetition of each planned measurement that has a result."""
        return {(key.id, key.repetition) for key in self.records if not key.stage and not key.again}

    def total(self) -> int:
        return len(self.header.points) * self.header.repetitions

    def wrong_bytes(self) -> int:
        """The number of results with wrong bytes, those of stages included."""
        return sum(record.failure == WRONG_BYTES for record in self.records.values())

    def plan(self, points: list[Planned]) -> None:
        """Plans more points."""
        self.header.points = [*self.header.points, *points]
        self.points = {**points_of(self.header.points), **self.points}

    def add(self, key: Key, record: Result) -> None:
        """Adds a row or failure. The row of a second measurement (key.again) replaces the first row only if the new row has no
        warnings. A failed second measurement counts only if it returned wrong bytes."""
        self.records[key] = record
        if key.stage:
            return
        if isinstance(record, Failure):
            if not key.again or record.kind == WRONG_BYTES:
                self.failures[key.id].append(record)
        elif isinstance(record, Row):
            if not key.again:
                self.rows[key.id].append(record)
            elif not record.is_doubtful:
                self.rows[key.id] = [record if row.repetition == key.repetition else row for row in self.rows[key.id]]


def points_of(planned: Iterable[Planned]) -> dict[str, Point]:
    return {one.id: one.point for one in planned}


def read_mode(path: str | os.PathLike[str]) -> str | None:
    """The mode of the run in a file. None if the first line is not a header; read_run() then refuses the file."""
    try:
        header = read_json(next(read_lines(path)))
        mode = mode_of(header)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return mode if isinstance(mode, str) else None


def read_run(path: str | os.PathLike[str], drop_cut_off: bool = False, keep: Keep = lambda row: row) -> Run:
    """Reads a run file. Throws Refused, with the file and the line, if the file is not valid. If `drop_cut_off` is false, an
    incomplete last line is an error; otherwise the line is dropped. `keep` receives the columns of a checked row, and returns those
    that stay in memory."""
    path = pathlib.Path(path)
    return RunReader(path, keep).read(records_in(path, read_lines(path), drop_cut_off))


def read_planned_run(path: str | os.PathLike[str]) -> Run:
    """Throws Refused also if no point of the run is planned: the results of stages are not figures of the run."""
    run = read_run(path)
    if not run.header.points:
        command = places.command(run.mode)
        raise Refused(f"{run.path} has no planned points, so it has no figures; " +
                      (f"{command} has printed its results" if run.finished else f"{command} --resume {run.path} continues it"))
    return run


def records_in(path: pathlib.Path, lines: Iterator[bytes], drop_cut_off: bool) -> Iterator[Any]:
    for number_, line in enumerate(lines, 1):
        try:
            yield read_json(line)
        except Unlike as unlike:
            raise Refused(f"{path}, line {number_}: {unlike}") from unlike
        except ValueError as error:
            if number_ > 1 and not line.endswith(b"\n"):  # only the last line can be without a line break
                if drop_cut_off:
                    return
                raise Refused(f"{path}, line {number_}: {CUT_OFF.replace('FILE', str(path))}") from error
            raise Refused(f"{path}, line {number_} is not JSON ({error}); every line of a run file must be JSON") from error


class RunReader:
    """Checks the records of a run file, and makes a Run from them."""

    def __init__(self, path: pathlib.Path, keep: Keep):
        self._path = path
        self._keep = keep
        self._line = 1

    def read(self, records: Iterator[Any]) -> Run:
        json = next(records)
        if not isinstance(json, dict) or json.get("record") != "run":
            self._refuse("this is not a run of ecbench: it does not begin with a record \"run\"")
        if json.get("format") != FORMAT:
            self._refuse(f"the format {json.get('format')!r} of this run is not allowed; give a run of format {FORMAT!r}, which "
                         "ecbench 1.0 and newer write")
        header = self._taken("the header", Header.read, json)
        if header.machine.slug != machine_of(header.environment).slug:
            self._refuse("the header contradicts itself: the keys 'machine' and 'environment' describe different machines")
        header.points = self._points(json["points"])
        run = Run(self._path, header, points_of(header.points))
        for self._line, record in enumerate(records, 2):
            self._add(run, record)
        return run

    def _add(self, run: Run, record: Any) -> None:
        kind = record.get("record") if isinstance(record, dict) else None
        if isinstance(kind, str) and kind in SHAPES:
            self._taken("this record", SHAPES[kind], record)
        if kind in ("row", "failure"):
            if run.finished:
                self._refuse("a result after the record 'end' is not allowed, unless the run was resumed")
            self._add_result(run, record, kind)
        elif kind == "point":
            run.points |= points_of(self._points([record], run.points))
        elif kind == "plan":
            run.plan(self._points(record["points"], {one.id for one in run.header.points}))
        elif kind == "resumed":
            slug = machine_of(read(Environment, record["environment"])).slug
            if slug != run.header.machine.slug:
                self._refuse(f"a run on two machines is not allowed; this run began on {run.header.machine.slug} and was "
                             f"resumed on {slug}")
            run.finished = False
        elif kind == "end" and run.finished:
            self._refuse("a second record 'end' is not allowed; remove this line")
        elif kind == "end":
            run.finished = True
        elif kind == "run":
            self._refuse("a second run begins here: write each run to a separate file")
        else:
            self._refuse(f"a record {kind!r} is not allowed in a run")

    def _points(self, entries: list[Json], known: Container[str] = ()) -> list[Planned]:
        points: dict[str, Planned] = {}
        for entry in entries:
            try:
                point = Point.from_json(entry["point"])
            except ValueError as error:
                self._refuse(f"a point cannot be used: {error}")
            if point.id != entry["id"] or point.id in points or point.id in known:
                self._refuse("the id of a point does not match its description, or a point is given twice")
            points[point.id] = Planned(point, entry.get("chunk_size"), entry.get("padding_percent"), entry.get("group", ""),
                                       entry.get("library", ""), entry.get("name", ""))
        return list(points.values())

    def _add_result(self, run: Run, record: Json, kind: str) -> None:
        identity, repetition, stage = record.get("id"), record.get("repetition"), record.get("stage", "")
        again = record.get("again", False)
        if not isinstance(identity, str) or identity not in run.points:
            self._refuse(f"the point {identity!r} is not a point of this run: rows of several runs or machines must not be mixed")
        if type(repetition) is not int or repetition < 0 or (not stage and repetition >= run.header.repetitions):
            self._refuse(f"repetition {repetition!r} is out of range; this run has "
                         f"{run.header.repetitions} repetitions of each planned point, and the first is repetition 0")
        self._taken("this result", RESULT, record)
        key = Key(identity, repetition, stage, again)
        if key in run.records:
            self._refuse(f"repetition {repetition} of the point {identity} is given twice")
        if kind == "row":
            self._taken("this row", ROW, record)
            run.add(key, self._taken("this row", Row.read, record, self._keep))
        elif record.get("kind") in FAILURES:
            run.add(key, self._taken("this failure", Failure.read, record))
        else:
            self._refuse(f"{record.get('kind')!r} is not a kind of failure; allowed: {', '.join(FAILURES)}")

    def _taken(self, what: str, take: Callable[..., Value], *values: Any) -> Value:
        """`take`: a shape, or another function that throws Unlike."""
        try:
            return take(*values)
        except Unlike as unlike:
            self._refuse(f"{what} cannot be used: {unlike}")

    def _refuse(self, why: str) -> NoReturn:
        raise Refused(f"{self._path}, line {self._line}: {why}")


class RunWriter:
    """Appends records to a run file. All methods except close() throw Refused if the file cannot be written."""

    def __init__(self, path: pathlib.Path, file: BinaryIO):
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Json) -> "RunWriter":
        """Creates the file. Throws Refused if the file already exists."""
        path = pathlib.Path(path)
        if has_gzip_name(path):
            raise Refused(f"{path} is not allowed: a new run file is always uncompressed; give a name without .gz")
        if os.path.lexists(path):
            raise Refused(f"{path} exists, and runs are not overwritten; give another name, or resume this run with --resume "
                          f"{path}")
        with refusing(f"{path} cannot be written: {path.parent}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        with refusing(f"{path} cannot be written"):
            writer = cls(path, open(path, "xb"))
        try:
            writer.append("run", format=FORMAT, **header)
        except Refused as refusal:
            writer.close()
            path.unlink(missing_ok=True)
            raise Refused(str(refusal).partition("; to continue")[0]) from refusal
        return writer

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> "RunWriter":
        """Opens a run file to append records. Removes an incomplete last line. The caller must have read the file with
        read_run(path, drop_cut_off=True)."""
        path = pathlib.Path(path)
        with refusing(f"{path} cannot be written"):
            file = open(path, "r+b")
            lines = file.readlines()
            if not lines[-1].endswith(b"\n"):
                mend_end(file, lines)
            file.seek(0, os.SEEK_END)
        return cls(path, file)

    def append(self, record: str, **values: Any) -> None:
        content = json.dumps({"record": record, **values}, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        line = f"{content}\n".encode("utf-8", "backslashreplace")
        if len(line) > MOST_BYTES_OF_LINE:
            raise Refused(f"{self.path} has a line with more than {MOST_BYTES_OF_LINE >> 20} MiB, the limit for a line of a run "
                          "file")
        with refusing(f"{self.path} cannot be written", f"; to continue the run, give --resume {self.path}"):
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with contextlib.suppress(OSError):  # append() has written all records to disk, or has thrown Refused
            self._file.close()


def mend_end(file: BinaryIO, lines: list[bytes]) -> None:
    """Removes the last line if it is not complete. If the line lacks only the newline, adds the newline."""
    try:
        read_json(lines[-1])
    except ValueError:
        file.truncate(sum(len(line) for line in lines[:-1]))
    else:
        file.write(b"\n")


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
