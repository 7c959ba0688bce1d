"""bench.sh tune: finds the fastest profiles. Exit codes: 0 if a profile was measured, even if the outcome is inconclusive; 1 for
bad input, or if nothing could be measured; 2 after wrong bytes; 128 + the signal's number."""

from collections.abc import Iterator

from ecbench.comparison.figures import SELECT
from ecbench.experiment import running
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.stages import Stage
from ecbench.measure import resume, start
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.machine import machine_lock
from ecbench.measure.mode import Mode
from ecbench.measure.session import Effort
from ecbench.point.axes import PROFILE
from ecbench.point.description import Describe, Plugins
from ecbench.process.children import Child
from ecbench.runfile.header import Options
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser, seed, whole
from ecbench.terminal.console import Refused, say
from ecbench.tune.candidates import AXES, Choice, Request, choose, read_requests, short

SECONDS_FOR_A_PROCESS = 120  # timeout of a measurement: a hundred times the longest expected duration
FINAL_ROUNDS = 12
MIN_TIME = 0.1  # seconds of samples in these rounds
LEAST_LEFT = 6
STAGES = (
    Stage(Effort(0.01, 4, limit=False), rounds=1, keep=LEAST_LEFT, share=1 / 3),
    Stage(Effort(0.02, 8, limit=False), rounds=2, keep=LEAST_LEFT, share=1 / 8),
    Stage(Effort(0.04, 8, limit=False), rounds=3, keep=LEAST_LEFT, share=1 / 25),
)
EXPERIMENT = Experiment(title="Which profile is the fastest?", together=("workload", "erasures"), stages=STAGES)

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


def choose_all(requests: list[Request], plugins: Plugins, describe: Describe, in_detail: bool) -> list[Choice]:
    """Throws Refused if no request has candidates."""
    choices: list[tuple[Request, Choice]] = []
    refusals = []
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
    return [choice for _, choice in choices]


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


def tune(child: Child) -> int:
    asked = MODE.ask(child)
    arguments = asked.arguments
    if asked.run and asked.run.finished:
        return running.close(asked.run)
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    choices = choose_all(read_requests(arguments.words, plugins), plugins, ecbench.describe, arguments.dry_run)
    entries = [entry for choice in choices for entry in choice.entries]
    if arguments.dry_run:
        print(*dict.fromkeys(short(entry.point) for entry in entries), sep="\n")
        return 0
    with machine_lock(child, asked.budget):
        if asked.run:
            writer, run = start.go_on(asked.run.path, ecbench.environment())
        else:
            writer, run = running.begin(asked, ecbench, EXPERIMENT, entries, MODE.name,
                                        Options(MIN_TIME, SECONDS_FOR_A_PROCESS, limit=False), arguments.rounds, {})
        return running.measure(writer, run, EXPERIMENT, entries, ecbench, asked.budget)


def main() -> int:
    return MODE.run(tune)
