"""Runs the benchmark for a point and reads what it prints: ours as JSON, any other program of that name as Ceph's line."""

import dataclasses
import json
import math
import re
import shlex
import subprocess
import time

from ecbench.fplot import ceph_grid

# Of timed work; a bare sweep of 660 rows takes 4 to 5 minutes with it.
SECONDS_OF_SAMPLES = 0.2
SECONDS_WANTED = 0.3  # of a program that does not sample
BYTES_TO_BEGIN = 2 << 20
# No machine codes this much in SECONDS_WANTED, nor needs so long to set up half of it: such a program's
# clock is wrong.
MOST_BYTES = 1 << 40
MOST_SECONDS = 20
# What ours says of a figure that may be wrong; a sweep counts these rows instead. Its notes on a figure repeat in every row.
WARNING = "warning: "
REMARKS = (WARNING, "note: ", "! marks ")
ALIGNMENT = "jerasure-per-chunk-alignment=true"


class WrongBytes(Exception):
    """The benchmark found that a code does not give back the object."""


class RowRefused(Exception):
    """The benchmark cannot do this row and said why."""


class RowFailed(Exception):
    """The benchmark broke down in this row."""


@dataclasses.dataclass
class Row:
    point: ceph_grid.Point
    iterations: int
    seconds: float
    kb: int
    gb_per_s: float | None  # None if the clock saw no time pass
    w: str
    packetsize: str
    command: str
    ci_percent: float | None = None  # half the 95 % interval of gb_per_s; None if there is but one interval of time
    percent_of_limit: float | None = None
    cpu_seconds_per_gb: float | None = None
    has_warning: bool = False  # its figure may be wrong


class Runner:
    def __init__(self, settings, child):
        self._settings = settings
        self._child = child
        version = self._version()
        self.is_ours = bool(version) and version[0].startswith("ecbench ")
        compilers = [line.removeprefix("compiler: ") for line in version if line.startswith("compiler: ")]
        self.compiler = compilers[0] if self.is_ours and compilers else "unknown"
        self.notes = []  # what the program said of the last row though it was well

    def measure(self, point):
        """The row of a point; throws RowRefused, RowFailed, WrongBytes and children.Interrupted."""
        iterations = self._settings.iterations_of(point.size)
        if not iterations and not self.is_ours:
            return self._calibrated(point)
        return self._run(point, iterations)

    def command(self, point, iterations):
        """The words; without `iterations` ours takes samples."""
        settings = self._settings
        parameters = {"k": point.k, "m": point.m, "technique": point.technique,
                      "w": ceph_grid.W_TO_ASK.get(point.technique), "packetsize": self._packetsize(point)}
        words = [settings.program, "--plugin", point.plugin, "--workload", point.workload]
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
        return words + ["--format", "json"]

    def _packetsize(self, point):
        # Ceph's bench.sh gives it to every technique.
        return point.packetsize if self.is_ours or point.packetsize else ceph_grid.packetsize_by_formula(point.size, point.k)

    def _more_parameters(self, point):
        # As Ceph's bench.sh: without it jerasure pads an object of 4 KiB to several times its size.
        if self._settings.parameters is not None:
            return self._settings.parameters
        heard = point.plugin in ceph_grid.JERASURE and point.technique in ceph_grid.ALIGNS_PER_CHUNK
        return ["--parameter", ALIGNMENT] if heard or not self.is_ours else []

    def _version(self):
        try:
            code, stdout, _ = self._child.run([self._settings.program, "--version"], timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            return []
        return stdout.splitlines() if code == 0 else []

    def _calibrated(self, point):
        """The row with as many iterations as last SECONDS_WANTED, half of that at least."""
        iterations = max(1, BYTES_TO_BEGIN // point.size)
        while True:
            start = time.monotonic()
            row = self._run(point, iterations)
            if row.seconds >= SECONDS_WANTED / 2:
                return row
            if iterations * point.size > MOST_BYTES or time.monotonic() - start > MOST_SECONDS:
                raise RowFailed(f"its clock cannot be right: {row.seconds:.6f} s for {iterations} iterations")
            iterations = round(iterations * min(max(SECONDS_WANTED / max(row.seconds, 1e-6), 2), 64))

    def _run(self, point, iterations):
        command = self.command(point, iterations)
        try:
            code, stdout, stderr = self._child.run(command)
        except OSError as error:
            raise RowFailed(f"{command[0]} cannot be run: {error.strerror}") from error
        said = [line.removeprefix("ecbench: ") for line in stderr.splitlines() if line.strip()]
        if code < 0:
            raise RowFailed(f"ended by signal {-code}: {shlex.join(command)}")
        if code == 2 and self.is_ours:
            raise WrongBytes(said[-1] if said else shlex.join(command))
        if code != 0:
            raise RowRefused(said[-1] if said else f"exit code {code}: {shlex.join(command)}")
        if not self.is_ours:
            return read_foreign(point, iterations, stdout, command)
        self.notes = [note for note in said if not note.startswith(REMARKS)]
        return dataclasses.replace(read_ours(point, stdout), has_warning=any(note.startswith(WARNING) for note in said))


def read_ours(point, stdout):
    try:
        result = json.loads(stdout)
        profile = dict(result["profile"])
        count, number, figure = (int,), (int, float), (int, float, type(None))
        return Row(point, checked(result, "iterations", count), checked(result, "seconds", number), checked(result, "kb", count),
                   checked(result, "gb_per_s", figure), checked(profile, "w", (str,), "-"),
                   checked(profile, "packetsize", (str,), "-"), checked(result, "command", (str,)), ci_percent(result),
                   checked(result, "limit_percent", figure), checked(result, "cpu_seconds_per_gb", figure))
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RowFailed(f"cannot read what it printed: {one_line(stdout) or 'nothing'}") from error


def checked(values, key, types, default=None):
    """The value of `key`, a finite number or a line of text; throws what read_ours catches. Without `default` it must be there."""
    value = values[key] if default is None else values.get(key, default)
    wrong = "\n" in value if isinstance(value, str) else value is not None and not math.isfinite(value)
    if type(value) not in types or wrong:
        raise TypeError(key)
    return value


def ci_percent(result):
    low, high = (checked(result, key, (int, float, type(None))) for key in ("ci_low", "ci_high"))
    return None if low is None else (high - low) / 2 / result["gb_per_s"] * 100


def one_line(text):
    return " ".join(text.split())[:200]


def read_foreign(point, iterations, stdout, command):
    last = stdout.splitlines()[-1] if stdout.strip() else ""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\t([0-9]+)", last)
    if not match:
        raise RowFailed(f"cannot read what it printed, seconds and KB are wanted: {one_line(last) or 'nothing'}")
    seconds = float(match[1])
    gb_per_s = iterations * point.size / seconds / 1e9 if seconds else None
    return Row(point, iterations, seconds, int(match[2]), gb_per_s, str(point.w or "-"), str(point.packetsize or "-"),
               shlex.join(command))
