"""bench.sh tune: finds the fastest profiles. Exit codes: 0 if a profile was measured, even if the outcome is inconclusive; 1 for
bad input, or if nothing could be measured; 2 after wrong bytes; 128 + the signal's number."""

import pathlib
import shlex
import sys
from collections.abc import Iterator, Sequence

from ecbench.comparison.answer import answer
from ecbench.comparison.figures import SELECT
from ecbench.comparison.select import select
from ecbench.experiment.stages import FINAL, FINAL_ROUNDS, Stages
from ecbench.measure import resume, start
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.machine import machine_lock, quiet_cpus
from ecbench.measure.mode import Mode
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import PROFILE
from ecbench.point.description import Describe, Plugins
from ecbench.process.children import Child, Interrupted
from ecbench.runfile.header import Options
from ecbench.runfile.run_file import Run, RunWriter
from ecbench.runfile.summary import shortened
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser, seed, whole
from ecbench.terminal.console import OutOfTime, Refused, aligned, plain, say, warn
from ecbench.tune.candidates import AXES, Candidate, Choice, Request, choose, read_requests
from ecbench.tune.result import Measurements, Result

SECONDS_FOR_A_PROCESS = 120  # timeout of a measurement: a hundred times the longest expected duration
MOST_SHOWN = 10  # candidates of a provisional ranking

EXAMPLES = """\
bench.sh tune k=6 m=2 size=1M
bench.sh tune k=8 m=3 size=4M stripe-unit=16K plugin=isa,jerasure
bench.sh tune k=4 m=2 --dry-run"""

DESCRIPTION = """Finds the fastest profiles (plugin, technique, w and packetsize) that recover every loss of m chunks: measures all
briefly, then the fastest longer, in interleaved rounds. Ranks by GB/s, the harmonic mean over the workloads. = marks profiles that
are not significantly different from the first. Disturbed measurements make the outcome inconclusive."""

WORDS = """words:
  k=6,8 m=2,3                 data and coding chunks; must be given
  size=4K,1M                  bytes of the object (default 1M)
  stripe-unit=4K,16K          bytes of a chunk in a stripe (default none: one stripe)
  plugin=A,B technique=A,B    candidates (default: all techniques of the plugins that Ceph can load)
  for=any                     candidates of all plugins (default for=ceph: jerasure, isa, lrc, shec and clay)
  w=4,8 packetsize=1K..16K*2  values to consider (default: sensible values), also of other parameters
  workload=encode             encode, decode, or both (default encode,decode)
  erasures=1                  lost chunks of decode (default m)
  max-padding=25              leave out profiles with more padding, in percent of the object (default 25)
  cache, threads, timing, dispatch, codec-lib   see bench.sh run --help
Each combination of k, m, size and the other axes of the point has its own table.

Exit codes: 0 done, also if inconclusive; 1 bad input, or nothing could be measured; 2 wrong bytes; 130 after Ctrl-C."""


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--rounds", type=whole(FEWEST_VALUES, 1000), default=FINAL_ROUNDS, metavar="N",
        help=f"rounds of the last stage (default {FINAL_ROUNDS})")
    add("--seed", type=seed, metavar="N", help="seed for the order (default: random)")
    add("--dry-run", action="store_true", help="list the candidates, and measure nothing")
    add("--ecbench", metavar="PATH", help="the program to measure with (default: this ecbench)")
    resume.add_arguments(parser)


MODE = Mode("tune", SELECT, EXAMPLES, DESCRIPTION, WORDS, ("plugin", "technique", *PROFILE, *AXES),
            lambda arguments: read_requests(arguments.words, None), of_rounds=add_options)
read_arguments = MODE.check


def choose_all(requests: list[Request], plugins: Plugins, describe: Describe,
               in_detail: bool) -> list[tuple[Request, Choice]]:
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
        for line in left_out(choice, in_detail):
            say(f"{request}: {line}" if len(requests) > 1 else line)
    return choices


def left_out(choice: Choice, in_detail: bool = False) -> Iterator[str]:
    if len(choice.left_out) > 1 and not in_detail:
        yield (f"{sum(reason.count for reason in choice.left_out)} profiles are left out for {len(choice.left_out)} reasons; "
               "--dry-run prints them")
    else:
        for reason in choice.left_out:
            others = f" and {count} similar profile{'s' if count > 1 else ''} are" if (count := reason.count - 1) else " is"
            yield f"{reason.example}{others} left out: {reason.why}"
    if choice.checked:
        checked, patterns = choice.checked
        yield (f"recovery was checked for only {checked} of {patterns or 'more than 10^19'} erasure patterns, which were chosen at "
               "random")


def find_fastest(request: Request, choice: Choice, session: Session, ecbench: Ecbench, order: str, rounds: int,
                 path: pathlib.Path) -> int:
    """Returns the exit code. If the budget is spent or a signal arrives, prints the ranking so far."""
    measurements = Measurements(session)
    stages = Stages(measurements.measure, measurements.watch, order, rounds, lambda candidate: candidate.is_default)
    try:
        stages.run(choice.candidates)
    except (Interrupted, OutOfTime):
        print_provisional(request, stages, measurements, choice.candidates, f"--resume {plain(shlex.quote(str(path)))}")
        raise
    if stages.left:
        found = select(measurements.with_disturbances(stages.final), list(measurements.failed), candidates=stages.left)
        last = answer(stages.final, found, f"--rounds {2 * rounds}", failed=list(measurements.failed))
        for line in [*Result(request, found, stages.final, measurements, stages.dropped, last).lines(ecbench)]:
            print(line)
        sys.stdout.flush()
    else:
        say(f"{request}: all candidates failed")
    return 2 if measurements.wrong_bytes else 0 if stages.left else 1


def print_provisional(request: Request, stages: Stages, measurements: Measurements, candidates: Sequence[Candidate],
                      more: str) -> None:
    """The ranking of the newest stage that measured a round, and its answer."""
    figures, failed = stages.latest, measurements.failed
    ranked = figures.ranked(figures.candidates)
    open_ones = [one for one in candidates if one not in figures.candidates and one not in stages.dropped and one not in failed]
    known = (f"{len(figures.rounds)} of the last stage's rounds" if stages.final.rounds
             else "a short stage, in which a figure may be wrong by a fifth")
    if open_ones:
        known += f"; {len(open_ones)} of {len(candidates)} profiles are not measured"
    if ranked:
        print(f"{request}: provisional, from {known}")
        shown = [*ranked[:MOST_SHOWN], *(one for one in ranked[MOST_SHOWN:] if one.is_default)]
        for line in aligned([["profile", "GB/s", "% of the first"],
                             *([str(one), f"{figures.figure(one).median:.2f}", f"{stages.standing[one] * 100:.0f}"]
                               for one in shown)], left=1):
            print(line)
        if ranked[len(shown):]:
            print(f"and {len(ranked) - len(shown)} more")
    print(answer(figures, select(figures, candidates=ranked), more, unmeasured=open_ones))
    sys.stdout.flush()


def tune(child: Child) -> int:
    asked = MODE.ask(child)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    choices = choose_all(read_requests(arguments.words, plugins), plugins, ecbench.describe, arguments.dry_run)
    if arguments.dry_run:
        for candidate in (candidate for _, choice in choices for candidate in choice.candidates):
            print(candidate)
        return 0
    with machine_lock(child, asked.budget):
        writer, run = begin(asked, choices, ecbench)
        say(f"{sum(len(choice.candidates) for _, choice in choices)} candidates; seed {run.header.seed}; run: {writer.path}")
        with Session(run, writer, by_ecbench(ecbench, run, shortened, asked.budget), budget=asked.budget) as session:
            codes = [find_fastest(request, choice, session, ecbench, f"{run.header.seed} {number}", arguments.rounds, writer.path)
                     for number, (request, choice) in enumerate(choices)]
            session.end()
    return 2 if 2 in codes else min(codes)


def begin(asked: resume.Asked, choices: list[tuple[Request, Choice]], ecbench: Ecbench) -> tuple[RunWriter, Run]:
    if asked.run:
        return start.go_on(asked.run.path, ecbench.environment())
    threads = max(int(request.options["threads"] or 1) for request, _ in choices)
    cpus = quiet_cpus(threads)
    environment = ecbench.environment(["--cpu", ",".join(map(str, cpus)), "--threads", str(threads)])
    for trouble in environment.unfit:
        warn(trouble)
    options = Options(FINAL.min_time, SECONDS_FOR_A_PROCESS, cpus, limit=False)
    return start.begin(start.Start(MODE.name, asked.words, 1, options, seed=asked.arguments.seed, output=asked.arguments.output),
                       environment)


def main() -> int:
    return MODE.run(tune)
