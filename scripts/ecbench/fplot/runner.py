"""Measures one row of Ceph's table. The measuring program is ecbench, which prints JSON, or another program, which prints a line in
the format of ceph_erasure_code_benchmark."""

import dataclasses
import re
import shlex
import subprocess
import time
from typing import Any

from ecbench.fplot import ceph_grid
from ecbench.fplot.settings import Settings
from ecbench.measure.ecbench import Ecbench, Ended, Outcome, one_line
from ecbench.point.point import Json
from ecbench.runfile.answers import of_now
from ecbench.runfile.run_file import Content
from ecbench.runfile.shape import Unlike, anything, fields, list_of, number, or_null, read_json, text, whole

SECONDS_OF_SAMPLES = 0.1  # for each row, so that a table of 660 rows takes less than 4 minutes
SECONDS_WANTED = 0.3  # wanted duration of a measurement with a program other than ecbench; such a program takes no samples
BYTES_TO_BEGIN = 2 << 20
# No machine encodes this many bytes in SECONDS_WANTED. A program that reports such a speed has a wrong clock.
MOST_BYTES = 1 << 40
MOST_SECONDS = 20
# Messages of ecbench that begin with these words are not printed: warnings are in the row, and notes are the same for all rows.
REMARKS = ("warning: ", "note: ", "! marks ")
ALIGNMENT = "jerasure-per-chunk-alignment=true"
AMOUNT = number(0)


def line(value: Any) -> None:
    text(value)
    if "\n" in value:
        raise Unlike("one line", value)


@dataclasses.dataclass
class Row:
    """The result of measuring a point."""

    point: ceph_grid.Point
    iterations: int
    seconds: float
    kb: int
    gb_per_s: float | None  # None if the elapsed time was zero
    w: str
    packetsize: str
    command: str
    ci_percent: float | None = None  # half the width of the 95 % interval, in percent of gb_per_s; None with a single sample
    limit_percent: float | None = None
    cpu_seconds_per_gb: float | None = None
    warnings: list[Json] = dataclasses.field(default_factory=list)

    def to_json(self) -> Json:
        """The row without its point. The run file has the id of the point in the same record."""
        return {key: getattr(self, key) for key in KEYS}


KEYS = tuple(field.name for field in dataclasses.fields(Row) if field.name != "point")
PRINTED = {"iterations": whole(1), "seconds": AMOUNT, "kb": whole(), "gb_per_s": or_null(AMOUNT), "command": line,
           "limit_percent": or_null(AMOUNT), "cpu_seconds_per_gb": or_null(AMOUNT)}
CONTENT = Content(ceph_grid.Point.from_json, fields(
    {**PRINTED, "w": text, "packetsize": text, "ci_percent": or_null(AMOUNT), "warnings": list_of(anything)}), modes=("fplot",))
OWN_ROW = fields({**PRINTED, "profile": fields({}, {"w": line, "packetsize": line}), "ci_low": or_null(AMOUNT),
                  "ci_high": or_null(AMOUNT)}, {"warnings": list_of(anything)})


def row_of(point: ceph_grid.Point, record: Json) -> Row:
    """Makes a Row from a record of a run file."""
    return Row(point, **{key: record[key] for key in KEYS})


class Broken(Exception):
    """Raised with the Outcome of a row that could not be measured."""


class Runner:
    """Runs the measuring program: ecbench, or the program that the user named. A session calls measure() for each point."""

    def __init__(self, settings: Settings, program: Ecbench):
        self._settings = settings
        self._program = program
        version = self._version()
        self.is_ours = bool(version) and version[0].startswith("ecbench ")
        compilers = [line.removeprefix("compiler: ") for line in version if line.startswith("compiler: ")]
        self.compiler = compilers[0] if self.is_ours and compilers else "unknown"

    def measure(self, point: ceph_grid.Point, _effort: Any = None) -> Outcome:
        """Throws children.Interrupted."""
        iterations = self._settings.iterations_of(point.size)
        try:
            if self.is_ours:
                ended, command = self._run(point, iterations)
                row = read_ours(point, ended.stdout, command)
                notes = tuple(note for note in ended.said if not note.startswith(REMARKS))
                return Outcome("row", command, row=row.to_json(), exit_code=0, notes=notes)
            row = self._foreign(point, iterations) if iterations else self._calibrated(point)
            return Outcome("row", row.command, row=row.to_json(), exit_code=0)
        except Broken as broken:
            return broken.args[0]

    def words(self, point: ceph_grid.Point, iterations: int | None) -> list[str]:
        """The arguments of the command. If `iterations` is None, ecbench takes samples."""
        settings = self._settings
        # Other programs get a packetsize for every technique, as in Ceph's bench.sh.
        packetsize = None if self.is_ours else ceph_grid.packetsize_by_formula(point.size, point.k)
        parameters = {"k": point.k, "m": point.m, "technique": point.technique,
                      "w": ceph_grid.W_TO_ASK.get(point.technique), "packetsize": point.packetsize or packetsize}
        words = ["--plugin", point.plugin, "--workload", point.workload]
        if iterations:
            words += ["--iterations", str(iterations)]
        words += ["--size", str(point.size), "--erasures", str(point.erasures)]
        for key, value in parameters.items():
            if value and not settings.sets(key):
                words += ["--parameter", f"{key}={value}"]
        if settings.plugin_directory:
            words += ["--erasure-code-dir", settings.plugin_directory]
        words += self._more_parameters(point)
        return words + (self._own_options(iterations) if self.is_ours else [])

    def _own_options(self, iterations: int | None) -> list[str]:
        """Options for ecbench that ceph_erasure_code_benchmark does not have. --timing and --min-time are left out
        if the user's PARAMETERS contain them."""
        options = {"--timing": "kernel"} if iterations else {"--timing": "kernel", "--min-time": str(SECONDS_OF_SAMPLES)}
        words = [word for name, value in options.items() if not self._settings.names_option(name) for word in (name, value)]
        return [*words, "--format", "json"]

    def _more_parameters(self, point: ceph_grid.Point) -> list[str]:
        # ALIGNMENT is set as in Ceph's bench.sh. Without this parameter, jerasure pads a 4 KiB object to several times its size.
        if self._settings.parameters is not None:
            return self._settings.parameters
        has_it = point.plugin == "jerasure" and point.technique in ceph_grid.ALIGNS_PER_CHUNK
        return ["--parameter", ALIGNMENT] if has_it or not self.is_ours else []

    def _version(self) -> list[str]:
        try:
            ended = self._program.run(["--version"], 10)
        except (OSError, subprocess.TimeoutExpired):
            return []
        return ended.stdout.splitlines() if ended.exit_code == 0 else []

    def _calibrated(self, point: ceph_grid.Point) -> Row:
        """Repeats the measurement with more iterations until one measurement takes at least half of SECONDS_WANTED. Returns the
        last row."""
        iterations = max(1, BYTES_TO_BEGIN // point.size)
        while True:
            start = time.monotonic()
            row = self._foreign(point, iterations)
            if row.seconds >= SECONDS_WANTED / 2:
                return row
            if iterations * point.size > MOST_BYTES or time.monotonic() - start > MOST_SECONDS:
                raise failed(row.command, f"the time that the program printed cannot be right: {row.seconds:.6f} s for "
                                          f"{iterations} iterations")
            iterations = round(iterations * min(max(SECONDS_WANTED / max(row.seconds, 1e-6), 2), 64))

    def _foreign(self, point: ceph_grid.Point, iterations: int) -> Row:
        """Throws Broken."""
        ended, command = self._run(point, iterations)
        last = ended.stdout.splitlines()[-1] if ended.stdout.strip() else ""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\t([0-9]+)", last)
        if not match:
            raise failed(command, f"its output cannot be read: '{one_line(last)[:200]}'; the last line must be seconds, a tab and "
                                  "KB")
        seconds = float(match[1])
        gb_per_s = iterations * point.size / seconds / 1e9 if seconds else None
        return Row(point, iterations, seconds, int(match[2]), gb_per_s, str(point.w or "-"), str(point.packetsize or "-"), command)

    def _run(self, point: ceph_grid.Point, iterations: int | None) -> tuple[Ended, str]:
        """Runs the program until it ends. Returns its result and its command. Throws Broken if the exit code is not 0."""
        words = self.words(point, iterations)
        command = shlex.join(self._program.command(words))
        try:
            ended = self._program.run(words)
        except OSError as error:
            raise failed(command, f"{self._program.program} cannot be run: {error.strerror}") from error
        if ended.exit_code < 0:
            raise failed(command, f"ended by signal {-ended.exit_code}: {command}", "signal", ended.exit_code)
        if ended.exit_code == 2 and self.is_ours:
            raise failed(command, ended.last_word or command, "wrong_bytes", 2)
        if ended.exit_code != 0:
            raise failed(command, ended.last_word or f"exit code {ended.exit_code}: {command}", "refused", ended.exit_code)
        return ended, command


def failed(command: str, why: str, kind: str = "failed", exit_code: int | None = None) -> Broken:
    return Broken(Outcome(kind, command, why=why, exit_code=exit_code))


def read_ours(point: ceph_grid.Point, stdout: str, command: str) -> Row:
    """Throws Broken."""
    try:
        result = of_now(read_json(stdout))
        OWN_ROW(result)
        low, high, profile = result["ci_low"], result["ci_high"], result["profile"]
        row = Row(point, w=profile.get("w", "-"), packetsize=profile.get("packetsize", "-"), warnings=result.get("warnings", []),
                  ci_percent=None if low is None else (high - low) / 2 / result["gb_per_s"] * 100,
                  **{key: result[key] for key in PRINTED})
        CONTENT.row(row.to_json())
        return row
    except (ArithmeticError, AttributeError, ValueError, TypeError) as error:
        raise failed(command, f"its output cannot be read: '{one_line(stdout)[:200]}'") from error
