"""bench.sh tune k=6 m=2 size=1M [KEY=VALUES ...]: finds the fastest profiles for each combination of k, m, size and the other
axes in HEADINGS (request.py). Exit codes: 0 if a profile was measured, even if the outcome is inconclusive; 1 for bad input, or if
no profile could be measured; 2 if a code returned wrong bytes; 128 + the signal's number if a signal ended tune."""

import dataclasses
import sys
from collections.abc import Iterator

from ecbench.measure import resume, start
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import MachineLock
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import PROFILE
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import Run, RunWriter
from ecbench.runfile.short_row import shortened
from ecbench.statistics.ranking import WIDEST, ranking
from ecbench.terminal.arguments import Parser, percent, seed
from ecbench.terminal.console import Refused, say
from ecbench.tune.candidates import Choice, Describe, Plugins, choose
from ecbench.tune.measurements import Measurements
from ecbench.tune.request import AXES, Request, read_requests
from ecbench.tune.result import Result
from ecbench.tune.stages import FINAL, Stages

MODE = "tune"
SECONDS_FOR_A_PROCESS = 120  # timeout of a measurement: a hundred times the longest expected duration
TIMES_THE_AIM = 3  # if an interval is wider than this multiple of --target-ci, the outcome is inconclusive

DESCRIPTION = """Finds the fastest profiles for k data chunks, m coding chunks and an object size. The profiles are combinations
of plugin, technique, w and packetsize. A profile is left out if its code cannot recover every loss of m chunks. First, tune
measures each profile briefly. Then it measures the fastest profiles longer, in interleaved rounds. The table ranks these profiles
by GB/s, which is the harmonic mean of the speeds of the workloads. The sign = marks profiles that are not significantly different
from the first profile. If other programs disturb the measurements, the outcome is inconclusive, and no profile is recommended."""

WORDS = """words:
  k=6,8 m=2,3                 numbers of data and coding chunks; k and m must be given
  size=4K,1M                  bytes of the object (default 1M)
  stripe-unit=4K,16K          bytes of a chunk in a stripe, or none (default none: one stripe)
  plugin=A,B technique=A,B    plugins and techniques to consider (default: all techniques of the plugins that Ceph can load)
  for=any                     consider all plugins (default for=ceph: only jerasure, isa, lrc, shec and clay)
  w=4,8 packetsize=1K..16K*2  values to consider (1K..16K*2 is 1K, 2K, 4K, 8K and 16K). You can also give values of other
                              parameters.
                              Default of w: if the technique allows only 8, 16 and 32, these values; otherwise, all allowed
                              values up to 16 or up to 2 * k, whichever is larger.
                              Default of packetsize: powers of two from 64 to 65536; 3072; sizes for which 1, 2, 4, 8 or 16
                              blocks of w packets fill a chunk with little padding; odd multiples of 64 next to such sizes
  workload=encode             encode, decode, or both (default encode,decode)
  erasures=1                  number of lost chunks for decode (default m)
  max-padding=25              largest padding, in percent of the object; profiles with more padding are left out (default 25)
  cache, threads, timing, dispatch, codec-lib   see bench.sh sweep --help
Each combination of k, m, size, erasures, stripe-unit, cache, threads, timing, dispatch and codec-lib has its own table.

Exit codes: 0 done, also if inconclusive; 1 bad input, or nothing could be measured; 2 wrong bytes; 130 after Ctrl-C."""


def make_parser() -> Parser:
    parser = Parser(mode="tune", description=DESCRIPTION, epilog=WORDS, axes=("plugin", "technique", *PROFILE, *AXES))
    add = parser.add_argument
    add("words", nargs="*", metavar="KEY=VALUES")
    add("--target-ci", type=percent, default=3.0, metavar="PERCENT",
        help="required precision (default 3): tune divides the speed of each profile by the speed of the first profile of the "
             "ranking, and measures until half the width of the confidence interval of this ratio is at most PERCENT. Profiles "
             "that are significantly slower than the first profile do not need this precision")
    add("--seed", type=seed, metavar="N", help="seed for the order of measurements (default: random; it is stored in the run file)")
    add("--dry-run", action="store_true", help="list the candidates, and measure nothing")
    add("--ecbench", metavar="PATH", help="the program to measure with (default: this ecbench)")
    resume.add_arguments(parser)
    return parser


def read_arguments(words: list[str]) -> None:
    """Throws Refused for errors in the arguments that can be found without the ecbench program."""
    if arguments := resume.check(MODE, words, make_parser()):
        read_requests(arguments.words, None)


def choose_all(requests: list[Request], plugins: Plugins, describe: Describe) -> list[tuple[Request, Choice]]:
    """Throws Refused if no request has candidates."""
    choices, refusals = [], []
    for request in requests:
        try:
            choices.append((request, choose(request, plugins, describe)))
        except Refused as refusal:
            refusals.append(refusal)
    if not choices:
        raise refusals[0]
    for refused in refusals:
        say(refused)
    for request, choice in choices:
        for line in left_out(choice):
            say(f"{request}: {line}" if len(requests) > 1 else line)
    return choices


def left_out(choice: Choice) -> Iterator[str]:
    for reason in choice.left_out:
        count = f"{reason['count']} profiles are" if reason["count"] > 1 else "1 profile is"
        yield f"{count} left out: {reason['why']} ({reason['example']})"
    if choice.checked:
        checked, patterns = choice.checked
        yield (f"recovery was checked for only {checked} of {patterns or 'more than 10^19'} erasure patterns, which were chosen at "
               "random")


@dataclasses.dataclass(frozen=True)
class Outcome:
    is_measured: bool
    has_wrong_bytes: bool


def find_fastest(request: Request, choice: Choice, session: Session, ecbench: Ecbench, order: str, aim: float) -> Outcome:
    """Measures the candidates of a request, and prints the result."""
    measurements = Measurements(session)
    stages = Stages(measurements.measure, measurements.watch, order, aim)
    stages.run(choice.candidates)
    if stages.left:
        ranked = ranking(stages.final, stages.left, min(WIDEST, TIMES_THE_AIM * stages.aim), measurements.disturbed())
        for line in [*Result(request, ranked, stages.final, measurements).lines(ecbench), ""]:
            print(line)
        sys.stdout.flush()
    else:
        say(f"{request}: all candidates failed")
    if stages.by_rank:
        say(f"{request}: {len(stages.by_rank)} candidates were dropped because of their low rank, although they were not "
            "significantly slower than the fastest")
    return Outcome(bool(stages.left), measurements.wrong_bytes > 0)


def tune(child: Child) -> int:
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    choices = choose_all(read_requests(arguments.words, plugins), plugins, ecbench.describe)
    if arguments.dry_run:
        for candidate in (candidate for _, choice in choices for candidate in choice.candidates):
            print(candidate)
        return 0
    with MachineLock():
        writer, run = begin(asked, choices, ecbench)
        say(f"{sum(len(choice.candidates) for _, choice in choices)} candidates; seed {run.header['seed']}; run: {writer.path}")
        with Session(run, writer, by_ecbench(ecbench, run, shortened)) as session:
            outcomes = [find_fastest(request, choice, session, ecbench, f"{run.header['seed']} {number}", arguments.target_ci)
                        for number, (request, choice) in enumerate(choices)]
            session.end()
    if any(outcome.has_wrong_bytes for outcome in outcomes):
        return 2
    return 0 if any(outcome.is_measured for outcome in outcomes) else 1


def begin(asked: resume.Asked, choices: list[tuple[Request, Choice]], ecbench: Ecbench) -> tuple[RunWriter, Run]:
    if asked.run:
        return start.go_on(asked.run.path, ecbench.environment())
    threads = max(int(request.options["threads"] or 1) for request, _ in choices)
    cpus = quiet_cpus(threads)
    environment = ecbench.environment(["--cpu", ",".join(map(str, cpus)), "--threads", str(threads)])
    for trouble in environment["unfit"]:
        say(trouble)
    options = start.Options(FINAL.min_time, SECONDS_FOR_A_PROCESS, cpus, limit=False)
    return start.begin(start.Start(MODE, asked.words, 1, options, seed=asked.arguments.seed, output=asked.arguments.output),
                       environment)


def main() -> int:
    return run_to_the_end(tune, "interrupted before the first measurement")
