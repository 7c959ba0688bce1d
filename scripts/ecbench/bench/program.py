"""bench.sh [fplot]: measures Ceph's grid and prints a table. With fplot, prints JavaScript for Ceph's page instead. Environment
variables select the points; bench.sh help lists these variables.
Exit codes: 0 success; 1 if nothing could be measured or a row failed; 2 as soon as a code returns wrong bytes; 128 + N if signal N
(SIGINT, SIGTERM, SIGHUP or SIGQUIT) ended the command."""

import contextlib
import functools
import hashlib
import math
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence

from ecbench.bench import grid, table
from ecbench.bench.grid import AXES, Settings, given_variables, variables_of
from ecbench.bench.table import Fplot, Table, closing_lines
from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT, PacketTechnique, packetsize_by_formula
from ecbench.ceph.profile import TECHNIQUES as PACKET
from ecbench.documents.document import read
from ecbench.files.files import without_home
from ecbench.installation.places import BUILD, FRONT, INSTALL, PROGRAM, WAIT, given
from ecbench.measure import resume
from ecbench.measure.ecbench import Ecbench, Ended, failure, one_line
from ecbench.measure.machine import machine_lock
from ecbench.measure.resume import Asked, Mode
from ecbench.measure.session import AS_LISTED, Effort, Session
from ecbench.point.point import Planned, Point
from ecbench.process.process import Child, Interrupted, run_to_the_end
from ecbench.runfile.header import Environment, Options
from ecbench.runfile.row import WRONG_BYTES, Failure, Row, RowOrFailure
from ecbench.runfile.run_file import Run, RunWriter
from ecbench.runfile.summary import Marks, all_rows
from ecbench.terminal.console import OutOfTime, Refused, say, tell

SECONDS_OF_SAMPLES = 0.1  # for each row; less if the budget is short
LEAST_OF_SAMPLES = 0.02
SECONDS_WANTED = 0.3  # wanted duration of a measurement with a program other than ecbench; such a program takes no samples
BYTES_TO_BEGIN = 2 << 20
# No machine encodes this many bytes in SECONDS_WANTED. A program that reports such a speed has a wrong clock.
MOST_BYTES = 1 << 40
MOST_CALIBRATION = 20
CEPHS_TOOL = "ceph_erasure_code_benchmark"
NOT_MEASURED = ("drift_percent", "drift_floor_percent", "limit_gb_per_s", "limit_percent", "cpu_seconds_per_gb")


class Runner:
    """Runs the measuring program: ecbench, or the program that the user named. A session calls measure() for each point."""

    def __init__(self, settings: Settings, program: Ecbench, asked: Asked):
        self._settings = settings
        self._asked = asked
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
        """Throws Interrupted."""
        total = self._settings.total_size
        iterations = total // point.size if total else self._settings.iterations
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
        words += parameters(profile, [key for key in ("k", "m", "technique", "w", "packetsize") if key not in settings.given])
        if settings.plugin_directory:
            words += ["--erasure-code-dir", settings.plugin_directory]
        words += parameters(profile, [PER_CHUNK_ALIGNMENT]) if settings.parameters is None else settings.parameters
        return words + (self._own_options(iterations, effort) if self.is_ours else [])

    def _own_options(self, iterations: int | None, effort: Effort | None) -> list[str]:
        """Options that ceph_erasure_code_benchmark does not have, without those in the user's PARAMETERS."""
        options = {"--timing": "kernel"}
        if not iterations:
            min_time = self._asked.budget.samples(LEAST_OF_SAMPLES, SECONDS_OF_SAMPLES)
            session = self._program.session_words(self._asked.budget.patience(min_time))
            options |= {"--min-time": f"{min_time:.2g}", **dict(zip(session[::2], session[1::2], strict=True))}
            options |= {} if effort is None or effort.limit else {"--limit": "no"}
        given = {word.partition("=")[0] for word in self._settings.parameters or []}
        return [word for name, value in options.items() if name not in given for word in (name, value)]

    def _calibrated(self, point: Point) -> RowOrFailure:
        """The first row of at least half of SECONDS_WANTED, with more iterations each time."""
        iterations = max(1, BYTES_TO_BEGIN // point.size)
        while True:
            start = time.monotonic()
            row = self._run(point, iterations)
            if row.failure or row.seconds >= SECONDS_WANTED / 2:
                return row
            if iterations * point.size > MOST_BYTES or time.monotonic() - start > MOST_CALIBRATION:
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


MOST_SECONDS = 86400  # practically no time limit for a row
BUDGET = 165  # seconds: 15 for the answer, 150 for the grid

EXAMPLES = """\
bench.sh
bench.sh k=8 m=3
bench.sh plugin=isa k=8 m=3 size=4M --budget 30
bench.sh fplot >bench.js"""

DESCRIPTION = """bench measures jerasure and isa for many k, m, techniques and packetsizes, and prints a row for each point. fplot
measures the points of Ceph's page bench.html, and prints JavaScript (bench.js) for this page."""

EPILOG = """Environment variables (SIZE, ITERATIONS, PLUGINS and others) select the points. bench.sh help lists these variables."""


# Also the mode of the runs of fplot.
MODE = Mode("bench", EXAMPLES, DESCRIPTION, EPILOG, AXES, lambda arguments: Settings(arguments.words, given_variables()),
            word_help="words without = are ignored, as in Ceph's bench.sh", usage="%(prog)s|fplot [KEY=VALUES ...] [options]",
            budget=f"{BUDGET:g} without ITERATIONS and TOTAL_SIZE; fplot: no limit")


def environment_of(program: Ecbench, is_ours: bool) -> Environment:
    """If the program is not ecbench, or cannot print its environment: the CPU model, and the program's name, path and digest."""
    if is_ours:
        with contextlib.suppress(Refused):
            return program.environment()
    cpu = re.search(r"^model name\s*:\s*(\S.*?)\s*$", pathlib.Path("/proc/cpuinfo").read_text(errors="replace"), re.MULTILINE)
    digest = hashlib.sha256(pathlib.Path(program.program).read_bytes()).hexdigest()
    return read(Environment, {
        "cpu": {"model_name": cpu[1] if cpu else platform.machine()}, "unfit": [], "ecbench": {},
        "shared_objects": [{"name": os.path.basename(program.program), "path": without_home(program.program),
                            "build_id": digest[:40]}]})


def open_run(asked: Asked, variables: dict[str, str], points: Sequence[Point],
             environment: Environment) -> tuple[RunWriter, Run]:
    """Begins or resumes the run file; in a temporary directory if the default one cannot be written."""
    if asked.run:
        return resume.go_on(asked.run.path, environment)
    options = Options(SECONDS_OF_SAMPLES, MOST_SECONDS, sorted(os.sched_getaffinity(0)), limit=True)
    more = {"variables": {name: without_home(value).replace("\n", " ") for name, value in variables.items()}}
    begin = functools.partial(resume.begin, environment, MODE.name, asked.words, 1, options, 0, list(map(Planned, points)),
                              order=AS_LISTED, more=more)
    try:
        return begin(output=asked.arguments.output)
    except Refused:
        if asked.arguments.output:
            raise
        return begin(output=pathlib.Path(tempfile.mkdtemp(prefix="ecbench-")) / f"{MODE.name}.jsonl")


def print_end(run: Run, compiler: str) -> int:
    """Prints the last lines and returns the exit code."""
    rows = list(all_rows(run))
    if not rows:
        say("no row could be measured")
        return 1
    if state := Marks(run).state:
        say(state)
    if warned := sum(row.is_doubtful for row in rows):
        say(f"{warned} of {len(rows)} rows have a warning; stop other programs on this machine")
    for line in closing_lines(run, compiler):
        tell(line)
    return int(any(failure.kind != "refused" for failures in run.failures.values() for failure in failures))


def given_words(words: list[str]) -> list[str]:
    """Without the name of the mode if a run is resumed; the run knows its mode."""
    return words[1:] if words[:1] == ["fplot"] and given(words, "--resume") else words


def needs(words: list[str]) -> list[str]:
    """Nothing if another program measures, or if a run is resumed: its first part has built ecbench. In a new clone, only the
    program and the plugins of the table are built; the next call builds the others. So it is with the build of another user."""
    program = os.environ.get("CEPH_ERASURE_CODE_BENCHMARK")
    is_other = program and (os.path.exists(program) or PROGRAM.parent not in pathlib.Path(program).resolve().parents)
    if is_other or given(words, "--resume"):
        return []
    return [INSTALL, WAIT, BUILD if PROGRAM.exists() and os.access(PROGRAM.parent, os.W_OK) else "build bench-product"]


def read_arguments(words: list[str]) -> None:
    """Checks the arguments without ecbench. Throws Refused."""
    MODE.check(given_words(words))


def take(session: Session, run: Run, output: Fplot | Table, compiler: str) -> bool:
    """Prints each row at once. If a code returns wrong bytes, stops and returns False."""
    try:
        for point, outcome in session.planned():
            if outcome.failure == WRONG_BYTES:
                return False
            if not outcome.failure:
                output.add(point, outcome)
    except (Interrupted, OutOfTime):
        print_end(run, compiler)
        raise
    finally:
        output.end()
    session.end()
    return True


def bench(child: Child) -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # so that no file is left behind if the reader of the table ends
    asked = MODE.ask(given_words(sys.argv[1:]), child)
    words = asked.arguments.words
    for_page = words[:1] == ["fplot"]
    if asked.run and sys.argv[1:2] == ["fplot"] and not for_page:
        raise Refused(f"{asked.run.path} is a run of {FRONT}: continue it with {FRONT} --resume {asked.run.path}")
    variables = variables_of(asked.run.header.variables) if asked.run else given_variables()
    settings = Settings(words, variables)
    if (path := shutil.which(settings.program)) is None:
        raise Refused(f"CEPH_ERASURE_CODE_BENCHMARK: {settings.program} is not an executable file; give the path of a program, or "
                      "unset the variable")
    settings.program = path
    program = Ecbench(settings.program, child)
    runner = Runner(settings, program, asked)
    # Articles about Ceph's script set PLUGIN_DIRECTORY to a directory of Ceph's build.
    if (missing := settings.plugin_directory) and not os.path.isdir(missing):
        if not runner.is_ours:
            raise Refused(f"PLUGIN_DIRECTORY={missing} does not exist; give the directory of the plugins of {settings.program}")
        say(f"note: PLUGIN_DIRECTORY={missing} does not exist; ecbench's own plugins are measured")
        settings.plugin_directory = ""
    points = settings.points(runner.is_ours)

    with machine_lock(child, asked.budget.left()):
        # Runs that Ceph's variables define completely have no budget.
        if not for_page and not variables.keys() & {"ITERATIONS", "TOTAL_SIZE", "CEPH_ERASURE_CODE_BENCHMARK"}:
            asked.limit(BUDGET)
        writer, run = open_run(asked, variables, points, environment_of(program, runner.is_ours))
        is_ended = False
        try:
            with Session(run, writer, runner.measure, "rows", asked.budget) as session:
                is_bare = not variables and all(word[:2] in ("k=", "m=") for word in words if "=" in word)
                if runner.is_ours and is_bare and not for_page:
                    seconds = min(table.SECONDS, (asked.budget.seconds or math.inf) / 4)
                    for line in table.lines(session, run, table.asked(points), seconds):
                        tell(line)  # to standard error, so that standard output has only the grid
                right = take(session, run, (Fplot if for_page else Table)(sys.stdout), runner.compiler)
            is_ended = True
        except OSError as error:
            is_ended = isinstance(error, BrokenPipeError)  # the reader wants no more
            raise OSError(error.errno, error.strerror, "cannot write to standard output") from error
        finally:
            if is_ended and not (asked.arguments.output or asked.run):  # the user did not request the run file
                writer.path.unlink()
                with contextlib.suppress(OSError):  # not empty
                    writer.path.parent.rmdir()
    return print_end(run, runner.compiler) if right else 2


def main() -> int:
    return run_to_the_end(bench, "interrupted before the first row")
