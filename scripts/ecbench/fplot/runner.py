"""Measures a row of Ceph's table: ecbench prints it as JSON, any other program of that name as Ceph's line."""

import dataclasses
import math
import re
import shlex
import subprocess
import time
from typing import Any

from ecbench.fplot import ceph_grid
from ecbench.fplot.settings import Settings
from ecbench.measure.ecbench import Ecbench, Ended, Outcome, one_line
from ecbench.runfile.answers import of_now
from ecbench.runfile.run_file import Content
from ecbench.runfile.shape import anything, fields, list_of, number, or_null, read_json, text, whole

# Of timed work; a bare sweep of 660 rows takes 4 to 5 minutes with it.
SECONDS_OF_SAMPLES = 0.2
SECONDS_WANTED = 0.3  # of a program that does not sample
BYTES_TO_BEGIN = 2 << 20
# No machine codes this much in SECONDS_WANTED, nor needs so long to set up half of it: such a program's
# clock is wrong.
MOST_BYTES = 1 << 40
MOST_SECONDS = 20
# What ours prints of a row's warnings and notes, which the row has too: rows with warnings are counted, notes repeat in every row.
REMARKS = ("warning: ", "note: ", "! marks ")
ALIGNMENT = "jerasure-per-chunk-alignment=true"


@dataclasses.dataclass
class Row:
    """What the program said of a point."""

    point: ceph_grid.Point
    iterations: int
    seconds: float
    kb: int
    gb_per_s: float | None  # None if the clock saw no time pass
    w: str
    packetsize: str
    command: str
    ci_percent: float | None = None  # half the 95 % interval of gb_per_s; None if there is but one interval of time
    limit_percent: float | None = None
    cpu_seconds_per_gb: float | None = None
    warnings: list = dataclasses.field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Without the point, which a run file names by its id."""
        return {key: getattr(self, key) for key in KEYS}


KEYS = tuple(field.name for field in dataclasses.fields(Row) if field.name != "point")
AMOUNT = number(0)
CONTENT = Content(ceph_grid.Point.from_json, fields(
    {"iterations": whole(1), "seconds": AMOUNT, "kb": whole(), "gb_per_s": or_null(AMOUNT), "w": text, "packetsize": text,
     "command": text, "ci_percent": or_null(AMOUNT), "limit_percent": or_null(AMOUNT), "cpu_seconds_per_gb": or_null(AMOUNT),
     "warnings": list_of(anything)}), modes=("fplot",))


def row_of(point: ceph_grid.Point, record: dict[str, Any]) -> Row:
    """The Row that a run file has."""
    return Row(point, **{key: record[key] for key in KEYS})


class Broken(Exception):
    """Carries the Outcome of a row that could not be measured."""


class Runner:
    """`measure` is what a session calls."""

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
                row, notes = self._own(point, iterations)
            else:
                row, notes = self._foreign(point, iterations) if iterations else self._calibrated(point), []
        except Broken as broken:
            return broken.args[0]
        return Outcome("row", row.command, row=row.to_json(), exit_code=0, notes=tuple(notes))

    def words(self, point: ceph_grid.Point, iterations: int | None) -> list[str]:
        """Without `iterations` ours takes samples."""
        settings = self._settings
        parameters = {"k": point.k, "m": point.m, "technique": point.technique,
                      "w": ceph_grid.W_TO_ASK.get(point.technique), "packetsize": self._packetsize(point)}
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

    def _own_options(self, iterations):
        """What Ceph's tool does not know. The user's PARAMETERS may say otherwise of how to measure."""
        options = {"--timing": "kernel"} if iterations else {"--timing": "kernel", "--min-time": str(SECONDS_OF_SAMPLES)}
        words = [word for name, value in options.items() if not self._settings.names_option(name) for word in (name, value)]
        return [*words, "--format", "json"]

    def _packetsize(self, point):
        # Ceph's bench.sh gives it to every technique.
        return point.packetsize if self.is_ours or point.packetsize else ceph_grid.packetsize_by_formula(point.size, point.k)

    def _more_parameters(self, point):
        # As Ceph's bench.sh: without it jerasure pads an object of 4 KiB to several times its size.
        if self._settings.parameters is not None:
            return self._settings.parameters
        heard = point.plugin == "jerasure" and point.technique in ceph_grid.ALIGNS_PER_CHUNK
        return ["--parameter", ALIGNMENT] if heard or not self.is_ours else []

    def _version(self) -> list[str]:
        try:
            ended = self._program.run(["--version"], 10)
        except (OSError, subprocess.TimeoutExpired):
            return []
        return ended.stdout.splitlines() if ended.exit_code == 0 else []

    def _calibrated(self, point: ceph_grid.Point) -> Row:
        """The row with as many iterations as last SECONDS_WANTED, half of that at least."""
        iterations = max(1, BYTES_TO_BEGIN // point.size)
        while True:
            start = time.monotonic()
            row = self._foreign(point, iterations)
            if row.seconds >= SECONDS_WANTED / 2:
                return row
            if iterations * point.size > MOST_BYTES or time.monotonic() - start > MOST_SECONDS:
                raise failed(row.command, f"its clock cannot be right: {row.seconds:.6f} s for {iterations} iterations")
            iterations = round(iterations * min(max(SECONDS_WANTED / max(row.seconds, 1e-6), 2), 64))

    def _foreign(self, point: ceph_grid.Point, iterations: int) -> Row:
        """Throws Broken."""
        words = self.words(point, iterations)
        command = shlex.join(self._program.command(words))
        return read_foreign(point, iterations, self._run(words, command).stdout, command)

    def _own(self, point: ceph_grid.Point, iterations: int | None) -> tuple[Row, list[str]]:
        """The row, and what the program said of it. Throws Broken."""
        words = self.words(point, iterations)
        command = shlex.join(self._program.command(words))
        return read_ours(point, self._run(words, command), command)

    def _run(self, words: list[str], command: str) -> Ended:
        """Throws Broken unless it ended well."""
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
        return ended


def failed(command: str, why: str, kind: str = "failed", exit_code: int | None = None) -> Broken:
    return Broken(Outcome(kind, command, why=why, exit_code=exit_code))


def read_ours(point: ceph_grid.Point, ended: Ended, command: str) -> tuple[Row, list[str]]:
    """The row, and what the program said of it though it is well. Throws Broken."""
    try:
        result = of_now(read_json(ended.stdout))
        profile = dict(result["profile"])
        count, measured, figure = (int,), (int, float), (int, float, type(None))
        warnings = checked(result, "warnings", (list,), [])
        notes = [note for note in ended.said if not note.startswith(REMARKS)]
        row = Row(point, checked(result, "iterations", count), checked(result, "seconds", measured), checked(result, "kb", count),
                  checked(result, "gb_per_s", figure), checked(profile, "w", (str,), "-"),
                  checked(profile, "packetsize", (str,), "-"),
                  checked(result, "command", (str,)), ci_percent(result), checked(result, "limit_percent", figure),
                  checked(result, "cpu_seconds_per_gb", figure), warnings)
        CONTENT.row(row.to_json())
        return row, notes
    except (ArithmeticError, AttributeError, ValueError, KeyError, TypeError) as error:
        raise failed(command, f"cannot read what it printed: {one_line(ended.stdout)[:200] or 'nothing'}") from error


def checked(values: dict[str, Any], key: str, types: tuple[type, ...], default: Any = None) -> Any:
    """The value of `key`, a finite number or a line of text; throws what read_ours catches. Without `default` it must be there."""
    value = values[key] if default is None else values.get(key, default)
    wrong = "\n" in value if isinstance(value, str) else isinstance(value, (int, float)) and not math.isfinite(value)
    if type(value) not in types or wrong:
        raise TypeError(key)
    return value


def ci_percent(result: dict[str, Any]) -> float | None:
    low, high = (checked(result, key, (int, float, type(None))) for key in ("ci_low", "ci_high"))
    return None if low is None else (high - low) / 2 / result["gb_per_s"] * 100


def read_foreign(point: ceph_grid.Point, iterations: int, stdout: str, command: str) -> Row:
    """Throws Broken."""
    last = stdout.splitlines()[-1] if stdout.strip() else ""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\t([0-9]+)", last)
    if not match:
        raise failed(command, f"cannot read what it printed, seconds and KB are wanted: {one_line(last)[:200] or 'nothing'}")
    seconds = float(match[1])
    gb_per_s = iterations * point.size / seconds / 1e9 if seconds else None
    return Row(point, iterations, seconds, int(match[2]), gb_per_s, str(point.w or "-"), str(point.packetsize or "-"), command)
