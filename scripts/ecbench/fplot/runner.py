"""Measures one row of Ceph's table. The measuring program is ecbench, which prints JSON, or another program, which prints a line in
the format of ceph_erasure_code_benchmark."""

import dataclasses
import re
import shlex
import subprocess
import time
from typing import Any

from ecbench.ceph.packets import PER_CHUNK_ALIGNMENT, packetsize_by_formula
from ecbench.documents.shape import Unlike, fields, number, or_null, read_json, required, text, whole
from ecbench.fplot import ceph_grid
from ecbench.fplot.settings import Settings
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import Ecbench, Ended, failure, one_line
from ecbench.measure.session import Effort
from ecbench.runfile.answers import of_now
from ecbench.runfile.row import Failure, Result
from ecbench.runfile.run_file import Content

SECONDS_OF_SAMPLES = 0.1  # for each row; less if the budget is short
LEAST_OF_SAMPLES = 0.02
SECONDS_WANTED = 0.3  # wanted duration of a measurement with a program other than ecbench; such a program takes no samples
BYTES_TO_BEGIN = 2 << 20
# No machine encodes this many bytes in SECONDS_WANTED. A program that reports such a speed has a wrong clock.
MOST_BYTES = 1 << 40
MOST_SECONDS = 20
# Messages of ecbench that begin with these words are not printed: warnings are in the row, and notes are the same for all rows.
REMARKS = ("warning: ", "note: ", "! marks ")
ALIGNMENT = f"{PER_CHUNK_ALIGNMENT}=true"
AMOUNT = number(0)


def line(value: Any) -> None:
    text(value)
    if "\n" in value:
        raise Unlike("one line", value)


@dataclasses.dataclass(slots=True, kw_only=True)
class Row(Result):
    """The result of measuring a point."""

    command: str = required(line)
    iterations: int = required(whole(1))
    seconds: float = required(AMOUNT)
    kb: int = required(whole())
    gb_per_s: float | None = required(or_null(AMOUNT))  # None if the elapsed time was zero
    limit_percent: float | None = required(or_null(AMOUNT))
    cpu_seconds_per_gb: float | None = required(or_null(AMOUNT))
    w: str = required(text)
    packetsize: str = required(text)
    ci_percent: float | None = required(or_null(AMOUNT))  # half the width of the 95 % interval; None with a single sample
    notes: tuple[str, ...] = ()  # lines that the program printed to standard error
    point: Any = None  # a ceph_grid.Point, set when the row is printed


CONTENT = Content(ceph_grid.Point.from_json, Row, modes=("fplot",))
PRINTED = ("iterations", "seconds", "kb", "gb_per_s", "command", "limit_percent", "cpu_seconds_per_gb")
OWN_ROW = fields({"profile": fields({}, {"w": line, "packetsize": line}), "ci_low": or_null(AMOUNT), "ci_high": or_null(AMOUNT)})


class Broken(Exception):
    """Raised with the Failure of a row that could not be measured."""


class Runner:
    """Runs the measuring program: ecbench, or the program that the user named. A session calls measure() for each point."""

    def __init__(self, settings: Settings, program: Ecbench, budget: Budget):
        self._settings = settings
        self._budget = budget
        self._program = program
        version = self._version()
        self.is_ours = bool(version) and version[0].startswith("ecbench ")
        compilers = [line.removeprefix("compiler: ") for line in version if line.startswith("compiler: ")]
        self.compiler = compilers[0] if self.is_ours and compilers else "unknown"

    def measure(self, point: ceph_grid.Point, effort: Effort | None = None) -> Row | Failure:
        """Throws children.Interrupted."""
        iterations = self._settings.iterations_of(point.size)
        try:
            if self.is_ours:
                ended, command = self._run(point, iterations, effort)
                row = read_ours(ended.stdout, command)
                row.notes = tuple(note for note in ended.said if not note.startswith(REMARKS))
                return row
            return self._foreign(point, iterations) if iterations else self._calibrated(point)
        except Broken as broken:
            return broken.args[0]

    def words(self, point: ceph_grid.Point, iterations: int | None, effort: Effort | None = None) -> list[str]:
        """The arguments of the command. If `iterations` is None, ecbench takes samples."""
        settings = self._settings
        # Other programs get a packetsize for every technique, as in Ceph's bench.sh.
        packetsize = None if self.is_ours else packetsize_by_formula(point.size, point.k)
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
        return words + (self._own_options(iterations, effort) if self.is_ours else [])

    def _own_options(self, iterations: int | None, effort: Effort | None) -> list[str]:
        """Options for ecbench that ceph_erasure_code_benchmark does not have. Options in the user's PARAMETERS are left out."""
        options = {"--timing": "kernel"}
        if not iterations:
            min_time = self._budget.samples(LEAST_OF_SAMPLES, SECONDS_OF_SAMPLES)
            session = self._program.session_words(self._budget.patience(min_time))
            options |= {"--min-time": f"{min_time:.2g}", **dict(zip(session[::2], session[1::2], strict=True))}
            options |= {} if effort is None or effort.limit else {"--limit": "no"}
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
        return Row.read({"iterations": iterations, "seconds": seconds, "kb": int(match[2]), "gb_per_s": gb_per_s,
                         "w": str(point.w or "-"), "packetsize": str(point.packetsize or "-"), "command": command,
                         "ci_percent": None, "limit_percent": None, "cpu_seconds_per_gb": None, "warnings": []})

    def _run(self, point: ceph_grid.Point, iterations: int | None, effort: Effort | None = None) -> tuple[Ended, str]:
        """Runs the program until it ends. Returns its result and its command. Throws Broken if the exit code is not 0."""
        words = self.words(point, iterations, effort)
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
    return Broken(failure(kind, command, why, exit_code))


def read_ours(stdout: str, command: str) -> Row:
    """Throws Broken."""
    try:
        result = of_now(read_json(stdout))
        OWN_ROW(result)
        low, high, profile = result["ci_low"], result["ci_high"], result["profile"]
        return Row.read({**{key: result[key] for key in PRINTED}, "w": profile.get("w", "-"),
                         "packetsize": profile.get("packetsize", "-"), "warnings": result.get("warnings", []),
                         "ci_percent": None if low is None else (high - low) / 2 / result["gb_per_s"] * 100})
    except (ArithmeticError, AttributeError, KeyError, ValueError, TypeError) as error:
        raise failed(command, f"its output cannot be read: '{one_line(stdout)[:200]}'") from error
