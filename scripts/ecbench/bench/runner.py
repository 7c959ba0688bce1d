"""Measures one row of Ceph's table. The measuring program is ecbench, which prints JSON, or another program, which prints a line in
the format of ceph_erasure_code_benchmark."""

import dataclasses
import functools
import os
import re
import shlex
import subprocess
import time
from typing import Any

from ecbench.bench import grid
from ecbench.bench.grid import Settings
from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT, packetsize_by_formula
from ecbench.documents.document import Unlike, fields, number, or_null, read, read_json, required, text, whole
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import Ecbench, Ended, failure, one_line
from ecbench.measure.session import Effort
from ecbench.runfile.row import Failure, Result, RowOrFailure
from ecbench.runfile.run_file import Content

SECONDS_OF_SAMPLES = 0.1  # for each row; less if the budget is short
LEAST_OF_SAMPLES = 0.02
SECONDS_WANTED = 0.3  # wanted duration of a measurement with a program other than ecbench; such a program takes no samples
BYTES_TO_BEGIN = 2 << 20
# No machine encodes this many bytes in SECONDS_WANTED. A program that reports such a speed has a wrong clock.
MOST_BYTES = 1 << 40
MOST_SECONDS = 20
# Messages of ecbench that begin like this are not printed: warnings are in the row, and notes are the same for all rows.
REMARKS = re.compile(r"\d+ (warning|note)s?: ")
CEPHS_TOOL = "ceph_erasure_code_benchmark"
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
    point: Any = None  # a grid.Point, set when the row is printed


CONTENT = Content(functools.partial(read, grid.Point), Row)
PRINTED = ("iterations", "seconds", "kb", "gb_per_s", "command", "limit_percent", "cpu_seconds_per_gb")
OWN_ROW = fields({"profile": fields({}, {"w": line, "packetsize": line}), "ci_low": or_null(AMOUNT), "ci_high": or_null(AMOUNT)})


class Runner:
    """Runs the measuring program: ecbench, or the program that the user named. A session calls measure() for each point."""

    def __init__(self, settings: Settings, program: Ecbench, budget: Budget):
        self._settings = settings
        self._budget = budget
        self._program = program
        try:
            ended = program.run(["--version"], 10)
        except (OSError, subprocess.TimeoutExpired):
            ended = Ended(1, "", [])
        # Under the name of Ceph's tool, ecbench is measured as this tool.
        self.is_ours = (ended.exit_code == 0 and ended.stdout.startswith("ecbench ")
                        and os.path.basename(program.program) != CEPHS_TOOL)
        compiler = re.search(r"^compiler: (.*)$", ended.stdout, re.MULTILINE)
        self.compiler = compiler[1] if self.is_ours and compiler else "unknown"

    def measure(self, point: grid.Point, effort: Effort | None = None) -> Row | Failure:
        """Throws children.Interrupted."""
        iterations = self._settings.iterations_of(point.size)
        return self._run(point, iterations, effort) if self.is_ours or iterations else self._calibrated(point)

    def words(self, point: grid.Point, iterations: int | None, effort: Effort | None = None) -> list[str]:
        """The arguments of the command. If `iterations` is None, ecbench takes samples."""
        settings = self._settings
        # Other programs get a packetsize for every technique, as in Ceph's bench.sh.
        packetsize = None if self.is_ours else packetsize_by_formula(point.size, point.k)
        parameters = {"k": point.k, "m": point.m, "technique": point.technique,
                      "w": grid.W_TO_ASK.get(point.technique), "packetsize": point.packetsize or packetsize}
        words = ["--plugin", point.plugin, "--workload", point.workload]
        if iterations:
            words += ["--iterations", str(iterations)]
        words += ["--size", str(point.size), "--erasures", str(point.erasures)]
        for key, value in parameters.items():
            if value and not settings.sets(key):
                words += ["--parameter", f"{key}={value}"]
        if settings.plugin_directory:
            words += ["--erasure-code-dir", settings.plugin_directory]
        # ALIGNMENT is set as in Ceph's bench.sh. Without this parameter, jerasure pads a 4 KiB object to several times its size.
        aligns = point.plugin == "jerasure" and point.technique in grid.ALIGNS_PER_CHUNK
        default = ["--parameter", ALIGNMENT] if aligns or not self.is_ours else []
        words += default if settings.parameters is None else settings.parameters
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

    def _calibrated(self, point: grid.Point) -> Row | Failure:
        """The first row of at least half of SECONDS_WANTED, with more iterations each time."""
        iterations = max(1, BYTES_TO_BEGIN // point.size)
        while True:
            start = time.monotonic()
            row = self._run(point, iterations)
            if row.failure or row.seconds >= SECONDS_WANTED / 2:
                return row
            if iterations * point.size > MOST_BYTES or time.monotonic() - start > MOST_SECONDS:
                return failure("failed", row.command, f"the time that the program printed cannot be right: {row.seconds:.6f} s for "
                                                      f"{iterations} iterations")
            iterations = round(iterations * min(max(SECONDS_WANTED / max(row.seconds, 1e-6), 2), 64))

    def _run(self, point: grid.Point, iterations: int | None, effort: Effort | None = None) -> RowOrFailure:
        words = self.words(point, iterations, effort)
        command = shlex.join(self._program.command(words))
        try:
            ended = self._program.run(words)
        except OSError as error:
            return failure("failed", command, f"{self._program.program} cannot be run: {error.strerror}")
        code = ended.exit_code
        if code < 0:
            said = self._program.ended_by(-code) if self.is_ours else f"ended by signal {-code}"
            return failure("signal", command, f"{said}: {command}", code)
        if code:
            kind = "wrong_bytes" if code == 2 and self.is_ours else "refused"
            return failure(kind, command, ended.last_word or f"exit code {code}: {command}", code)
        return read_ours(ended, command) if self.is_ours else read_foreign(ended.stdout, command, point, iterations or 1)


def read_ours(ended: Ended, command: str) -> Row | Failure:
    try:
        result = read_json(ended.stdout)
        OWN_ROW(result)
        low, high, profile = result["ci_low"], result["ci_high"], result["profile"]
        row = Row.read({**{key: result[key] for key in PRINTED}, "w": profile.get("w", "-"),
                        "packetsize": profile.get("packetsize", "-"), "warnings": result.get("warnings", []),
                        "ci_percent": None if low is None else (high - low) / 2 / result["gb_per_s"] * 100})
    except (ArithmeticError, AttributeError, KeyError, ValueError, TypeError):
        return failure("failed", command, f"its output cannot be read: '{one_line(ended.stdout)[:200]}'")
    row.notes = tuple(note for note in ended.said if not REMARKS.match(note))
    return row


def read_foreign(stdout: str, command: str, point: grid.Point, iterations: int) -> Row | Failure:
    last = stdout.splitlines()[-1] if stdout.strip() else ""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\t([0-9]+)", last)
    if not match:
        return failure("failed", command, f"its output cannot be read: '{one_line(last)[:200]}'; the last line must be seconds, a "
                                          "tab and KB")
    seconds = float(match[1])
    return Row.read({"iterations": iterations, "seconds": seconds, "kb": int(match[2]),
                     "gb_per_s": iterations * point.size / seconds / 1e9 if seconds else None, "w": str(point.w or "-"),
                     "packetsize": str(point.packetsize or "-"), "command": command, "ci_percent": None, "limit_percent": None,
                     "cpu_seconds_per_gb": None, "warnings": []})
