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
from collections.abc import Container, Iterable
from typing import Any, BinaryIO, NamedTuple

from ecbench.documents.document import Json, Unlike, Whole, fields, read, read_json
from ecbench.installation import places
from ecbench.point.point import Planned, Point
from ecbench.runfile.header import ENTRY, MOST_BYTES_OF_LINE, PLAN, Environment, Header, machine_of, mode_of, read_lines, time
from ecbench.runfile.row import WRONG_BYTES, Failure, Keep, Result, Row
from ecbench.terminal.console import Refused, refusing

FORMAT = "ecbench run 2"
RESUMED = fields({"environment": Environment})
RESULT = fields({"id": str, "repetition": Whole}, {"stage": str, "again": bool, "at": time})  # a result also has other columns
ROW = fields({"at": time})
OF_PLAN = [field.name for field in dataclasses.fields(Planned) if field.name != "point"]
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
        mode = mode_of(read_json(next(read_lines(path))))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return mode if isinstance(mode, str) else None


def read_run(path: str | os.PathLike[str], drop_cut_off: bool = False, keep: Keep = lambda row: row) -> Run:
    """Reads a run file. Throws Refused, with the file and the line, if the file is not valid. If `drop_cut_off` is false, an
    incomplete last line is an error; otherwise a last line without a line break is dropped. `keep` receives the columns of a
    checked row, and returns those that stay in memory."""
    path = pathlib.Path(path)
    run: Run | None = None
    for number, line in enumerate(read_lines(path), 1):
        is_cut_off = number > 1 and not line.endswith(b"\n")  # only the last line can be without a line break
        if is_cut_off and drop_cut_off:
            break
        try:
            record = read_json(line)
        except Unlike as unlike:
            raise Refused(f"{path}, line {number}: {unlike}") from unlike
        except ValueError as error:
            why = f": {CUT_OFF.replace('FILE', str(path))}" if is_cut_off else \
                f" is not JSON ({error}); every line of a run file must be JSON"
            raise Refused(f"{path}, line {number}{why}") from error
        try:
            run = begun(path, record) if run is None else add_record(run, record, keep)
        except (Refused, ValueError) as error:
            raise Refused(f"{path}, line {number}: {error}") from error
    assert run  # read_lines() yields at least one line
    return run


def read_planned_run(path: str | os.PathLike[str]) -> Run:
    """Throws Refused also if no point of the run is planned: the results of stages are not figures of the run."""
    run = read_run(path)
    if not run.header.points:
        command = places.command(run.mode)
        raise Refused(f"{run.path} has no planned points, so it has no figures; " +
                      (f"{command} has printed its results" if run.finished else f"{command} --resume {run.path} continues it"))
    return run


# The records of a file. The functions throw Refused or ValueError; read_run() adds the file and the line.

def begun(path: pathlib.Path, json: Any) -> Run:
    """The run that begins with this header."""
    if not isinstance(json, dict) or json.get("record") != "run":
        raise Refused("this is not a run of ecbench: it does not begin with a record \"run\"")
    if json.get("format") != FORMAT:
        raise Refused(f"the format {json.get('format')!r} of this run is not allowed; give a run of format {FORMAT!r}, which "
                      "ecbench 1.0 and newer write")
    header = Header.read(json)
    if header.machine.slug != machine_of(header.environment).slug:
        raise Refused("the header contradicts itself: the keys 'machine' and 'environment' describe different machines")
    header.points = planned_in(json["points"])
    return Run(path, header, points_of(header.points))


def add_record(run: Run, record: Any, keep: Keep) -> Run:
    kind = record.get("record") if isinstance(record, dict) else None
    if kind in ("row", "failure"):
        if run.finished:
            raise Refused("a result after the record 'end' is not allowed, unless the run was resumed")
        RESULT(record)
        if kind == "row":
            ROW(record)
        key = Key(record["id"], record["repetition"], record.get("stage", ""), record.get("again", False))
        if key.id not in run.points:
            raise Refused(f"the point {key.id!r} is not a point of this run: rows of several runs or machines must not be mixed")
        if not key.stage and key.repetition >= run.header.repetitions:
            raise Refused(f"repetition {key.repetition} is out of range; this run has {run.header.repetitions} repetitions of each "
                          "planned point, and the first is repetition 0")
        if key in run.records:
            raise Refused(f"repetition {key.repetition} of the point {key.id} is given twice")
        run.add(key, Row.read(record, keep) if kind == "row" else Failure.read(record))
    elif kind == "point":
        ENTRY(record)
        run.points |= points_of(planned_in([record], run.points))
    elif kind == "plan":
        PLAN(record)
        run.plan(planned_in(record["points"], {one.id for one in run.header.points}))
    elif kind == "resumed":
        RESUMED(record)
        slug = machine_of(read(Environment, record["environment"])).slug
        if slug != run.header.machine.slug:
            raise Refused(f"a run on two machines is not allowed; this run began on {run.header.machine.slug} and was resumed on "
                          f"{slug}")
        run.finished = False
    elif kind == "end" and not run.finished:
        run.finished = True
    else:
        raise Refused({"end": "a second record 'end' is not allowed; remove this line",
                       "run": "a second run begins here: write each run to a separate file"}.get(
                           str(kind), f"a record {kind!r} is not allowed in a run"))
    return run


def planned_in(entries: list[Json], known: Container[str] = ()) -> list[Planned]:
    points: dict[str, Planned] = {}
    for entry in entries:
        point = Point.from_json(entry["point"])
        if point.id != entry["id"] or point.id in points or point.id in known:
            raise Refused("the id of a point does not match its description, or a point is given twice")
        points[point.id] = Planned(point, **{key: entry[key] for key in OF_PLAN if key in entry})
    return list(points.values())


def check_new(path: str | os.PathLike[str]) -> None:
    """Throws Refused if a new run cannot have this path."""
    if os.path.isdir(path):
        raise Refused(f"{path} is not allowed: it is a directory; give a file, such as {os.path.join(path, 'run.jsonl')}")
    if not str(path).endswith(".jsonl"):
        raise Refused(f"{path} is not allowed: the name of a new run file ends in .jsonl; give "
                      f"{str(path).removesuffix('.gz').removesuffix('.jsonl')}.jsonl")
    if os.path.lexists(path):
        raise Refused(f"{path} exists, and runs are not overwritten; give another name, or resume this run with --resume {path}")
    parent = next(folder for folder in pathlib.Path(path).absolute().parents if os.path.lexists(folder))
    if not parent.is_dir():
        raise Refused(f"{path} cannot be written: {parent} is not a directory; give a file in a directory")


class RunWriter:
    """Appends records to a run file. All methods except close() throw Refused if the file cannot be written."""

    def __init__(self, path: pathlib.Path, file: BinaryIO):
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Json) -> "RunWriter":
        """Creates the file. Throws Refused if the file already exists."""
        path = pathlib.Path(path)
        check_new(path)
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
        """Opens a run file to append records. Removes a last line without a line break, as read_run(path, drop_cut_off=True)."""
        path = pathlib.Path(path)
        with refusing(f"{path} cannot be written"):
            file = open(path, "r+b")
            content = file.read()
            file.seek(file.truncate(content.rfind(b"\n") + 1 or len(content)))
            if b"\n" not in content:  # the header
                file.write(b"\n")
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


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
