"""A run's file: JSON lines, each with its kind under "record". The first says what the run is of ("run"); then come rows and
failures in the order in which they were measured, "resumed" where a sweep was taken up again, and "end" when all is done.

Every line is on the disk before the next measurement begins, so that a run that is killed loses the line of the moment alone."""

import collections
import dataclasses
import datetime
import json
import math
import os
import pathlib

from ecbench.terminal.console import Refused
from ecbench.point.point import Point
from ecbench.runfile.machine import machine_of

FORMAT = "ecbench run 1"
FAILURES = ("refused", "failed", "signal", "timeout", "wrong_bytes")
# What every row has as a number, or as null where it was not measured.
FIGURES = ("drift_percent", "drift_floor_percent", "limit_gb_per_s", "limit_percent", "cpu_seconds_per_gb")
# What rows of schema_version 1 and 2 call otherwise: the key of now, and how many of its unit one of theirs is.
OLD_KEYS = {"drift": ("drift_percent", 100), "placement_spread": ("placement_spread_percent", 100),
            "ci_confidence": ("ci_confidence_percent", 100), "percent_of_limit": ("limit_percent", 1)}
CUT_OFF = "its last line is cut off, as after a kill or a full disk: --resume FILE drops it and goes on"


@dataclasses.dataclass
class Run:
    """A run as it was read."""

    path: pathlib.Path
    header: dict
    points: dict  # id → Point, in the header's order
    rows: dict  # id → list of its rows, by repetition as measured
    failures: dict  # the same of its failures
    finished: bool = False
    notes: list = dataclasses.field(default_factory=list)  # what a reader should know of it, each one line

    @property
    def name(self):
        return self.header["run"]

    def done(self):
        """The pairs of id and repetition that need no measuring any more."""
        records = [*self.rows.values(), *self.failures.values()]
        return {(record["id"], record["repetition"]) for of_point in records for record in of_point}

    def total(self):
        return len(self.points) * self.header["repetitions"]


def read_run(path, drop_cut_off=False):
    """The run in a file; throws Refused, with the file and the line, for whatever is no run. A cut-off last line is an error too
    unless it is to be dropped."""
    path = pathlib.Path(path)
    lines = read_lines(path)
    records = []
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number > 1 and number == len(lines) and not line.endswith(b"\n"):
                if drop_cut_off:
                    break
                raise Refused(f"{path}, line {number}: {CUT_OFF.replace('FILE', str(path))}") from error
            raise Refused(f"{path}, line {number}: this is no JSON, as every line of a run is ({error})") from error
        records.append(record)
    return RunReader(path).read(records)


def read_lines(path):
    try:
        with open(path, "rb") as file:
            lines = file.readlines()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    if not lines:
        raise Refused(f"{path} is empty: a run begins with a line that says what it is of")
    return lines


class RunReader:
    """Checks the records one by one."""

    def __init__(self, path):
        self._path = path
        self._line = 1
        self._seen = set()

    def read(self, records):
        header = records[0]
        if not isinstance(header, dict) or header.get("record") != "run":
            self._refuse("this is no run of ecbench: it does not begin with a record \"run\"")
        if header.get("format") != FORMAT:
            self._refuse(f"this run has the format {header.get('format')!r}, and {FORMAT!r} alone is known here")
        run = self._begin(header)
        for self._line, record in enumerate(records[1:], 2):
            self._add(run, record)
        if not run.finished:
            run.notes.append(f"not finished: {len(run.done())} of {run.total()} measurements are done")
        if failed := sum(len(failures) for failures in run.failures.values()):
            run.notes.append(f"{failed} of {run.total()} measurements failed")
        return run

    def _begin(self, header):
        try:
            points = {entry["id"]: Point.from_json(entry["point"]) for entry in header["points"]}
            if [point.id for point in points.values()] != [entry["id"] for entry in header["points"]]:
                self._refuse("the id of a point is not that of its description, or a point is there twice")
            types = {"repetitions": int, "run": str, "seed": int, "options": dict, "grid": str, "order": str, "started": str,
                     "dropped": list}
            known = (all(isinstance(header[key], kind) for key, kind in types.items())
                     and isinstance(header["environment"]["unfit"], list))
            if not known or header["machine"]["slug"] != machine_of(header["environment"])["slug"]:
                self._refuse("its header contradicts itself or lacks what a run needs")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._refuse(f"its header lacks what a run needs ({type(error).__name__}: {error})")
        return Run(self._path, header, points, collections.defaultdict(list), collections.defaultdict(list))

    def _add(self, run, record):
        kind = record.get("record") if isinstance(record, dict) else None
        if kind == "row" or kind == "failure":
            self._add_result(run, record, kind)
        elif kind == "resumed":
            self._check_machine(run, record)
            run.finished = False
        elif kind == "end":
            run.finished = True
        elif kind == "run":
            self._refuse("a second run begins here: give each run a file of its own")
        else:
            self._refuse(f"a record {kind!r} has no place in a run")

    def _add_result(self, run, record, kind):
        identity, repetition = record.get("id"), record.get("repetition")
        if identity not in run.points:
            self._refuse(f"the point {identity!r} is not one of this run's: rows of another run, or another machine's, are not "
                         "mixed")
        if not isinstance(repetition, int) or not 0 <= repetition < run.header["repetitions"]:
            self._refuse(f"repetition {repetition!r} is none of this run's {run.header['repetitions']}")
        if (identity, repetition) in self._seen:
            self._refuse(f"repetition {repetition} of the point {identity} is there twice")
        self._seen.add((identity, repetition))
        if kind == "row":
            record = of_now(record)
            if trouble := trouble_of(record):
                self._refuse(f"this row has {trouble}")
            run.rows[identity].append(record)
        else:
            if record.get("kind") not in FAILURES:
                self._refuse(f"a failure of kind {record.get('kind')!r} is not known")
            run.failures[identity].append(record)

    def _check_machine(self, run, record):
        try:
            slug = machine_of(record["environment"])["slug"]
        except (KeyError, TypeError, AttributeError) as error:
            self._refuse(f"what is said of the machine cannot be read ({type(error).__name__}: {error})")
        if slug != run.header["machine"]["slug"]:
            self._refuse(f"two machines in one run: it began on {run.header['machine']['slug']} and goes on on {slug}")

    def _refuse(self, why):
        raise Refused(f"{self._path}, line {self._line}: {why}")


def of_now(row):
    """A row with the keys and units of now. What is no number stays as it is, for trouble_of()."""
    translated = {}
    for key, value in row.items():
        if key in OLD_KEYS:
            key, factor = OLD_KEYS[key]
            value = value * factor if is_number(value) else value
        translated[key] = value
    return translated


def trouble_of(row):
    """What a row lacks of what all that read it take for granted; "" if nothing."""
    if not is_amount(row.get("gb_per_s")):
        return "no gb_per_s"
    if not isinstance(row.get("at"), str):
        return "no time at which it was measured"
    for key in FIGURES:
        if key not in row or not (row[key] is None or is_number(row[key])):
            return f"no {key}"
    samples = row.get("samples")
    whole = isinstance(samples, list) and samples and all(
        isinstance(sample, dict) and isinstance(sample.get("placement"), int) and is_amount(sample.get("seconds"))
        for sample in samples)
    return "" if whole else "no samples"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_amount(value):
    return is_number(value) and value >= 0


class RunWriter:
    """Appends records to a run's file. All methods throw Refused if the disk does not take them."""

    def __init__(self, path, file):
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path, header):
        """Begins a file that must not be there yet."""
        path = pathlib.Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"{path} cannot be written: {path.parent}: {error.strerror}") from error
        try:
            writer = cls(path, open(path, "xb"))
        except FileExistsError as error:
            raise Refused(f"{path} is there already, and no run is overwritten: take another name, or go on with it by --resume "
                          f"{path}") from error
        except OSError as error:
            raise Refused(f"{path} cannot be written: {error.strerror}") from error
        writer.append("run", format=FORMAT, **header)
        return writer

    @classmethod
    def resume(cls, path):
        """Goes on with a file that read_run(path, drop_cut_off=True) took: what is cut off at its end is dropped."""
        path = pathlib.Path(path)
        try:
            file = open(path, "r+b")
            lines = file.readlines()
            if not lines[-1].endswith(b"\n"):
                mend_end(file, lines)
            file.seek(0, os.SEEK_END)
        except OSError as error:
            raise Refused(f"{path} cannot be written: {error.strerror}") from error
        return cls(path, file)

    def append(self, record, **values):
        line = json.dumps({"record": record, **values}, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._file.write(line.encode("utf-8", "backslashreplace"))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise Refused(f"{self.path} cannot be written: {error.strerror}; go on with --resume {self.path}") from error

    def close(self):
        try:
            self._file.close()
        except OSError:  # what counts was synchronised, or refused, before
            pass


def mend_end(file, lines):
    """A last line without an end is dropped if it is cut off, and ended if it is whole."""
    try:
        json.loads(lines[-1])
    except ValueError:
        file.truncate(sum(len(line) for line in lines[:-1]))
    else:
        file.write(b"\n")


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
