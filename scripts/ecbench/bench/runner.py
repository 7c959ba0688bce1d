"""Measures one row of Ceph's table. The measuring program is ecbench, which prints JSON, or another program, which prints a line in
the format of ceph_erasure_code_benchmark."""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterable, Mapping

from ecbench.bench import grid
from ecbench.bench.grid import Settings
from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT, PacketTechnique, packetsize_by_formula
from ecbench.ceph.profile import TECHNIQUES as PACKET
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import Ecbench, Ended, failure, one_line
from ecbench.measure.session import Effort
from ecbench.point.point import Point
from ecbench.runfile.row import Failure, Row, RowOrFailure

SECONDS_OF_SAMPLES = 0.1  # for each row; less if the budget is short
LEAST_OF_SAMPLES = 0.02
SECONDS_WANTED = 0.3  # wanted duration of a measurement with a program other than ecbench; such a program takes no samples
BYTES_TO_BEGIN = 2 << 20
# No machine encodes this many bytes in SECONDS_WANTED. A program that reports such a speed has a wrong clock.
MOST_BYTES = 1 << 40
MOST_SECONDS = 20
CEPHS_TOOL = "ceph_erasure_code_benchmark"
NOT_MEASURED = ("drift_percent", "drift_floor_percent", "limit_gb_per_s", "limit_percent", "cpu_seconds_per_gb")


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

    def measure(self, point: Point, effort: Effort | None = None) -> RowOrFailure:
        """Throws children.Interrupted."""
        iterations = self._settings.iterations_of(point.size)
        if self.is_ours:
            return self._program.measure(self.words(point, iterations, effort))
        return self._run(point, iterations) if iterations else self._calibrated(point)

    def words(self, point: Point, iterations: int | None, effort: Effort | None = None) -> list[str]:
        """The arguments of the command. If `iterations` is None, ecbench takes samples."""
        settings, profile = self._settings, dict(point.profile)
        if not self.is_ours:  # every technique gets a packetsize, as in Ceph's bench.sh
            profile.setdefault("packetsize", str(packetsize_by_formula(point.size, int(profile["k"]))))
        words = ["--plugin", point.plugin, "--workload", point.workload]
        if iterations:
            words += ["--iterations", str(iterations)]
        words += ["--size", str(point.size), "--erasures", str(point.erasures)]
        words += parameters(profile, [key for key in ("k", "m", "technique", "w", "packetsize") if not settings.sets(key)])
        if settings.plugin_directory:
            words += ["--erasure-code-dir", settings.plugin_directory]
        words += parameters(profile, [PER_CHUNK_ALIGNMENT]) if settings.parameters is None else settings.parameters
        return words + (self._own_options(iterations, effort) if self.is_ours else [])

    def _own_options(self, iterations: int | None, effort: Effort | None) -> list[str]:
        """Options for ecbench that ceph_erasure_code_benchmark does not have. Options in the user's PARAMETERS are left out."""
        options = {"--timing": "kernel"}
        if not iterations:
            min_time = self._budget.samples(LEAST_OF_SAMPLES, SECONDS_OF_SAMPLES)
            session = self._program.session_words(self._budget.patience(min_time))
            options |= {"--min-time": f"{min_time:.2g}", **dict(zip(session[::2], session[1::2], strict=True))}
            options |= {} if effort is None or effort.limit else {"--limit": "no"}
        return [word for name, value in options.items() if not self._settings.names_option(name) for word in (name, value)]

    def _calibrated(self, point: Point) -> RowOrFailure:
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

    def _run(self, point: Point, iterations: int) -> RowOrFailure:
        """With another program."""
        words = self.words(point, iterations)
        command = shlex.join(self._program.command(words))
        try:
            ended = self._program.run(words)
        except OSError as error:
            return failure("failed", command, f"{self._program.program} cannot be run: {error.strerror}")
        code = ended.exit_code
        if code < 0:
            return failure("signal", command, f"ended by signal {-code}: {command}", code)
        if code:
            return failure("refused", command, ended.last_word or f"exit code {code}: {command}", code)
        return read_foreign(ended.stdout, command, point, iterations)


def parameters(profile: Mapping[str, str], keys: Iterable[str]) -> list[str]:
    return [word for key in keys if key in profile for word in ("--parameter", f"{key}={profile[key]}")]


def read_foreign(stdout: str, command: str, point: Point, iterations: int) -> Row | Failure:
    """A row with one sample, the whole time, and without what such a program does not measure."""
    last = stdout.splitlines()[-1] if stdout.strip() else ""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\t([0-9]+)", last)
    if not match:
        return failure("failed", command, f"its output cannot be read: '{one_line(last)[:200]}'; the last line must be seconds, a "
                                          "tab and KB")
    seconds = float(match[1])
    w = {"w": str(PACKET.get(point.get("technique"), PacketTechnique()).w)} if point.plugin in grid.JERASURE else {}
    profile = {**w, **dict(point.profile)}
    return Row.read({"plugin": point.plugin, "profile": profile, "workload": point.workload, "k": int(profile["k"]),
                     "m": int(profile["m"]), "size": point.size, "erasures": point.erasures, "iterations": iterations,
                     "seconds": seconds, "kb": int(match[2]),
                     "gb_per_s": iterations * point.size / seconds / 1e9 if seconds else 0.0,
                     **dict.fromkeys(NOT_MEASURED), "samples": [{"placement": 0, "seconds": seconds}],
                     "warnings": [], "command": command})
