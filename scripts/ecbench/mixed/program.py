"""bench.sh mixed: measures the latency of client operations while lost chunks are repaired. Exit code 0; 1 for bad input, or if no
code could be measured; 2 if a code returned wrong bytes; 130, 143, 129 or 131 after SIGINT, SIGTERM, SIGHUP or SIGQUIT."""

import dataclasses
import math
import pathlib
import re
import sys

from ecbench.charts.page_file import PageFile
from ecbench.documents.document import schema_of
from ecbench.experiment.expansion import expand, report_dropped
from ecbench.installation.needs import BUILD, CHARTS, INSTALL, WAIT
from ecbench.measure import resume, start
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import machine_lock
from ecbench.measure.mode import Mode
from ecbench.measure.session import Session
from ecbench.mixed import document
from ecbench.mixed.request import AXES, STEPS, UNLIMITED, Request, read_request
from ecbench.mixed.result import MAXIMUM, CodeResult, results_of
from ecbench.mixed.setting import CONTENT, Setting, read_result, setting_of
from ecbench.mixed.tables import print_result, print_summary
from ecbench.point.point import Json, Planned, Point
from ecbench.process.children import Child, Interrupted
from ecbench.runfile.header import Options
from ecbench.runfile.run_file import WRONG_BYTES, Run, RunWriter
from ecbench.statistics.interval import median
from ecbench.terminal.arguments import Parser, seed, whole
from ecbench.terminal.arguments import number as number_from
from ecbench.terminal.console import OutOfTime, Refused, say, warn

TOP = "unlimited repairs"  # the stage that measures the unlimited repair rate
ROUNDS, SECONDS = 9, 1.0  # with 9 rounds, a knee is found in at least 80 % of resampled runs (mixed_result_test.py)
REPETITIONS_OF_MAXIMUM = 3
MOST_CODES = 16
FEWEST_OBJECTS = 2  # each thread of the foreground has at least this many objects for each kind of operation
GIB = 1 << 30
SECONDS_TO_PREPARE = 0.7  # estimate of the time that a process needs to make and check its objects
# The timed part of a measurement takes at most DRAIN times --duration. At the end of the duration, some operations may be due but
# not started. They can still start during an additional 10 % of the duration.
DRAIN = 1.1
SECONDS_FOR_A_PROCESS = 300  # a process is killed after this time plus three times --duration
MOST_OPERATIONS = 4_000_000  # of a thread in a measurement; ecbench allows 4,194,304
SIGNIFICANT_DIGITS = 4  # computed rates are rounded to this number of digits

EXAMPLES = """\
bench.sh mixed
bench.sh mixed background=deep-scrub size=4M
bench.sh mixed plugin=isa,clay k=8 m=3 size=1M repair=100M,unlimited"""

DESCRIPTION = """Measures the latency of client operations (foreground) while lost chunks are repaired or objects are deep-scrubbed
(background), for increasing rates: throughput, p50, p95, p99, CPU time, and the rate at which the p99 doubles. The foreground
runs at 80 % of the maximum throughput of its code, which is measured first. By default: 6+2 and three copies, with objects of 4M,
128K and 4K."""

WORDS = """words:
  plugin=isa,clay technique=reed_sol_van k=8 m=3 size=4M   the codes and the object (default: isa reed_sol_van 6+2 with stripe unit
                           4K, and three copies; 4M, 128K, 4K)
  background=deep-scrub    instead of repairs: all chunks of an object are read, and their CRC32C is checked
  shares=KIND=PERCENT,...  kinds of foreground operations; their sum must be 100 (default: read 40,
                           degraded-read 20, encode 40); also overwrite
  load=80                  foreground rate in percent of its maximum (default 80)
  repair=50M,unlimited     rates of the background in rebuilt or scrubbed bytes per second (default: 1/8, 1/4, 1/2,
                           3/4 of the unlimited rate, and unlimited); the rate 0 is always measured
  foreground-cpu=0 repair-cpu=1  CPUs; the same CPU may be given to both (default: the first two permitted CPUs)
  foreground-threads=1 repair-threads=1  threads (default: one for each CPU)
  pool=64M                 memory for the foreground's objects, and as much for the background (default: twice the L3)
  stripe-unit=, dispatch=, codec-lib=  as in run"""


def add_options(parser: Parser) -> None:
    parser.add_argument("--rounds", type=whole(1, 1000), default=ROUNDS, metavar="N",
                        help="measurements of each code at each repair rate (default %(default)s)")
    parser.add_argument("--duration", type=number_from(0.05, 3600, "seconds"), default=SECONDS, metavar="SECONDS",
                        help="of each measurement (default %(default)s)")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed for the order of measurements (default: random, printed)")
    parser.add_argument("--ecbench", metavar="PATH", help="the program to measure with (default: this ecbench)")
    resume.add_arguments(parser)


MODE = Mode("mixed", None, EXAMPLES, DESCRIPTION, WORDS, AXES, lambda arguments: read_request(arguments.words, None),
            "a document; --schema prints its schema", of_rounds=add_options, content=CONTENT,
            page="next to the run file, if matplotlib is installed", interrupted="interrupted before the first measurement")
read_arguments = MODE.check


def schema() -> Json:
    return schema_of(document.Document, "Latencies of client operations during repairs, for each code and repair rate",
                     "The output of bench.sh mixed --format json. The page of mixed contains the same data.")


def needs(_words: list[str]) -> list[str]:
    return [INSTALL, CHARTS, WAIT, BUILD]


def codes_of(request: Request, ecbench: Ecbench) -> list[Point]:
    """Throws Refused if no code can be measured."""
    expansion = expand(request.grids, ecbench.list_plugins(), ecbench.describe)
    report_dropped(expansion.dropped)
    codes = [entry.point for entry in expansion.entries]
    if len(codes) > MOST_CODES:
        raise Refused(f"the words make {len(codes)} codes; at most {MOST_CODES} are allowed: give fewer values")
    return codes


def require_memory(request: Request, codes: list[Point], limit: int | None) -> None:
    """Throws Refused before the run file is made, if not even a lower bound of the foreground's memory is available. `limit`: of
    the control group. build/ecbench later refuses objects that do not fit."""
    match = re.search(r"^MemAvailable: +([0-9]+) kB$", pathlib.Path("/proc/meminfo").read_text("ascii"), re.MULTILINE)
    available = min(int(match[1]) << 10 if match else math.inf, limit or math.inf)
    objects = FEWEST_OBJECTS * request.foreground_threads * (request.shares.count(",") + 1)
    size = min(code.size for code in codes)
    for what, advice, needed in ((f"size={size}", "a smaller size=, or fewer foreground-threads=", objects * size),
                                 (f"pool={request.pool}", "a smaller pool=", request.pool or 0)):
        if needed > available:
            raise Refused(f"{what} is not allowed: the foreground's objects need at least {needed / GIB:.1f} GiB, but only "
                          f"{available / GIB:.1f} GiB are available; give {advice}")


def rounded(value: float) -> float:
    """The id of a setting is computed from its rates, and must not depend on their last digits."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


class Measurement:
    """Measures the maximum rate of the foreground of each code, chooses the repair rates, and measures all codes at these rates in
    rounds."""

    def __init__(self, request: Request, codes: list[Point], duration: float):
        self._request = request
        self._duration = duration
        self._codes = codes

    def run(self, session: Session, run: Run) -> None:
        settings = self._settings(session)
        if not settings:
            return
        if not run.header.points:
            session.plan([Planned(setting, name=str(setting)) for setting in settings])
        session.measure_planned()

    def count(self, rounds: int) -> int:
        """The number of measurements. Each measurement is a process."""
        steps = len(self._request.repair) or len(STEPS) + 1
        return len(self._codes) * (REPETITIONS_OF_MAXIMUM + (0 if self._request.repair else 1) + rounds * steps)

    def _settings(self, session: Session) -> list[Setting]:
        """The settings of all codes that can be measured."""
        loads = self._loads(session)
        session.begin_stage(TOP, 0 if self._request.repair else len(loads))
        settings = [setting_of(self._request, code, load, rate)
                    for code, load in loads.items() for rate in self._rates(session, code, load)]
        return list({setting.id: setting for setting in settings}.values())

    def _loads(self, session: Session) -> dict[Point, float]:
        """The load of each code in operations per second. Codes that failed are left out."""
        session.begin_stage("maximum of the foreground", len(self._codes) * REPETITIONS_OF_MAXIMUM)
        maxima: dict[Point, list[float]] = {code: [] for code in self._codes}
        for repetition in range(REPETITIONS_OF_MAXIMUM):
            for code, found in maxima.items():
                if len(found) == repetition:
                    outcome = session.take(setting_of(self._request, code, None, 0), repetition, MAXIMUM)
                    found += [] if outcome.failure else [outcome.foreground.operations_per_s]
        most = MOST_OPERATIONS * self._request.foreground_threads / self._duration
        return {code: rounded(min(most, median(found) * self._request.load / 100)) for code, found in maxima.items()
                if len(found) == REPETITIONS_OF_MAXIMUM and median(found)}

    def _rates(self, session: Session, code: Point, load: float) -> list[float | None]:
        """Returns the repair rates for a code. If the user did not give repair=, measures the unlimited rate, multiplies it by each
        number in STEPS, and adds None (unlimited). If this measurement fails, returns an empty list."""
        if self._request.repair:
            return [None if rate == UNLIMITED else float(rate) for rate in self._request.repair]
        outcome = session.take(setting_of(self._request, code, load, None), 0, TOP)
        if outcome.failure:
            return []
        unlimited = outcome.repair.bytes_per_s
        return [*(float(round(rounded(unlimited * step))) for step in STEPS), None]


def mixed(child: Child) -> int:
    asked = MODE.ask(child)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    request = read_request(arguments.words, ecbench.list_plugins())
    file = PageFile(MODE.name, arguments.page, asked.run.path if asked.run else None)
    file.check()
    if asked.run:  # the default CPUs may have changed since the run began
        header = asked.run.header
        request = dataclasses.replace(request, foreground_cpus=header.foreground_cpus or request.foreground_cpus,
                                      repair_cpus=header.repair_cpus or request.repair_cpus)
    run = asked.run if asked.run and asked.run.finished else measure(asked, request, ecbench)
    results = show(request, run, arguments.format)
    if written := file.write(run.path, lambda: page_text(request, results, run)):
        say(f"page: {written}")
    if any(record.failure == WRONG_BYTES for record in run.records.values()):
        return 2
    return 0 if results else 1


def page_text(request: Request, results: list[CodeResult], run: Run) -> str:
    from ecbench.mixed.page import text_of  # needs matplotlib, which may be missing

    return text_of(request, results, run)


def measure(asked: resume.Asked, request: Request, ecbench: Ecbench) -> Run:
    """Measures all codes, and returns the finished run. After a signal, prints the results so far."""
    codes = codes_of(request, ecbench)
    if not asked.run:
        require_memory(request, codes, ecbench.memory_limit())
    duration = asked.arguments.duration
    measurement = Measurement(request, codes, duration)
    with machine_lock(ecbench.child, asked.budget):
        writer, run = begin(asked, request, measurement, ecbench)
        try:
            timeout = SECONDS_FOR_A_PROCESS + 3 * duration
            with Session(run, writer, lambda setting, _: ecbench.measure(setting.words(duration), timeout, read_result),
                         budget=asked.budget) as session:
                measurement.run(session, run)
                session.end()
        except (Interrupted, OutOfTime):
            show(request, run, asked.arguments.format)
            raise
    return run


def show(request: Request, run: Run, form: str) -> list[CodeResult]:
    """Prints and returns the results of all codes that were measured so far."""
    results = results_of(run)
    if form == "json":
        print(document.text(request, results, run))
    else:
        for result in results:
            print_result(result)
        print_summary(results)
        print(f"run: {run.path}")
    sys.stdout.flush()
    return results


def begin(asked: resume.Asked, request: Request, measurement: Measurement, ecbench: Ecbench) -> tuple[RunWriter, Run]:
    cpus = [*request.foreground_cpus, *request.repair_cpus]
    if asked.run:
        return start.go_on(asked.run.path, ecbench.environment(), content=CONTENT)
    arguments = asked.arguments
    if request.shares_cpus:
        say("foreground and background share a CPU")
    environment = ecbench.environment(["--cpu", ",".join(map(str, cpus)), "--threads", str(len(set(cpus)))])
    for trouble in environment.unfit:
        warn(trouble)
    count = measurement.count(arguments.rounds)
    options = Options(arguments.duration, SECONDS_FOR_A_PROCESS, cpus, limit=False)
    more = {"foreground_cpus": request.foreground_cpus, "repair_cpus": request.repair_cpus}
    writer, run = start.begin(start.Start(MODE.name, asked.words, arguments.rounds, options, arguments.seed,
                                          output=arguments.output, more=more), environment)
    seconds = asked.budget.announce(count * (arguments.duration * DRAIN + SECONDS_TO_PREPARE))
    say(f"{count} measurements of {arguments.duration:g} s, at most about {seconds / 60:.1f} minutes; "
        f"--seed {run.header.seed} repeats the order of measurements; run: {writer.path}")
    return writer, run


def main() -> int:
    return MODE.run(mixed)
