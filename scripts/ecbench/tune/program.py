"""bench.sh tune k=6 m=2 size=1M [KEY=VALUES ...]: a race of profiles that finds the fastest.

Exit code 0; 1 if nothing can be raced or nobody arrives; 2 if a code gave back wrong bytes; 130, 143, 129 or 131 if SIGINT,
SIGTERM, SIGHUP or SIGQUIT ends it."""

import argparse
import random
import sys

from ecbench.process.end import run_to_the_end
from ecbench.terminal.console import Refused, say
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.grid import Language
from ecbench.tune import race
from ecbench.tune.candidates import enter
from ecbench.tune.contest import Contest
from ecbench.tune.request import read_request
from ecbench.tune.verdict import Verdict
from ecbench.measure.lock import MachineLock

DESCRIPTION = """Finds the fastest profiles for k data and m coding chunks and an object size: a race over plugin, technique, w and
packetsize, among those that recover every loss of m chunks. The table on standard output ranks the finalists by GB/s of doing each
workload once with each object (the harmonic mean), measured in interleaved rounds, and marks with = those that are not told apart
from the best."""

WORDS = """k=6 m=2                     the shape; both must be given
size=1M                     bytes of the object (default 1M)
plugin=A,B technique=A,B    who takes part (default: all that --list has)
w=4,8  packetsize=1K..16K*2 values to race, as of any other parameter of a profile (default: w up to 16 or 2k; packetsize 64 to
                            65536 by powers of two, 3072, and those that divide a chunk)
workload=encode             or decode (default encode,decode)
erasures=1                  chunks that decode has lost (default m)
max-padding=25              leave out who pads the object by more percent
cache, stripe-unit, threads, timing, dispatch, codec-lib   as of sweep"""


def read_arguments():
    parser = argparse.ArgumentParser(prog="bench.sh tune", description=DESCRIPTION, epilog=f"words:\n{WORDS}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("words", nargs="*", metavar="KEY=VALUES")
    parser.add_argument("--target-ci", type=percent, default=3.0, metavar="PERCENT",
                        help="end once the ratios to the best are known to plus or minus so much (default 3)")
    parser.add_argument("--seed", type=int, help="of the order of measurements (default: drawn, and said)")
    parser.add_argument("--dry-run", action="store_true", help="list who would take part, and measure nothing")
    parser.add_argument("--ecbench", metavar="PATH", help="the program to measure with (default build/ecbench)")
    parser.error = refuse
    return parser.parse_intermixed_args()


def refuse(message):
    raise Refused(f"{message}: bench.sh tune --help tells what there is")


def percent(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0.1 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text or 'nothing'} is not allowed, 0.1 to 100 percent are")
    return value


def tell_field(field):
    for reason in field.left_out:
        count = f"{reason['count']} profiles are" if reason["count"] > 1 else "1 profile is"
        say(f"{count} left out: {reason['why']} ({reason['example']})")
    if field.checked:
        say(f"that every loss can be recovered was checked for {field.checked[0]} of {field.checked[1]} losses, drawn at random")


def has_defaults(plugins):
    """Whether a candidate is what its plugin makes of k, m and technique alone."""
    def defaults(candidate):
        techniques = {technique["name"]: technique for technique in plugins[candidate.plugin]["techniques"]}
        profile = candidate.profile()
        parameters = techniques[profile.get("technique", "")]["parameters"]
        return all(profile.get(parameter["name"], "") == (parameter["default"] or "") for parameter in parameters
                   if parameter["name"] not in ("k", "m"))
    return defaults


def hold(arguments, request, field, plugins, ecbench):
    """Races, prints, and returns the exit code."""
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 32)
    contest = Contest(ecbench)
    contestants = race.Race(contest.measure, contest.watch, seed, arguments.target_ci)
    say(f"{len(field.candidates)} profiles race; --seed {seed} repeats their order")
    try:
        contestants.run(field.candidates)
    finally:
        contest.erase()
    if not contestants.finalists:
        say("no profile arrived: all of them failed")
    else:
        verdict = Verdict(contestants, contest, request, race.FINAL)
        for line in verdict.lines(ecbench, has_defaults(plugins)):
            print(line)
        if verdict.is_noisy():
            say("the machine was not quiet: figures this far apart from round to round may name a wrong winner; race again")
        if contestants.by_rank:
            say(f"{len(contestants.by_rank)} profiles were sent home by rank before they were shown to be slower")
        sys.stdout.flush()
    if any(outcome.kind == "wrong_bytes" for outcome in contest.failed.values()):
        return 2
    return 0 if contestants.finalists else 1


def tune(child):
    arguments = read_arguments()
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    request = read_request(arguments.words, Language(plugins))
    field = enter(request, plugins, ecbench.describe)
    tell_field(field)
    if arguments.dry_run:
        for candidate in field.candidates:
            print(candidate)
        return 0
    with MachineLock("tune"):
        return hold(arguments, request, field, plugins, ecbench)


def main():
    return run_to_the_end(tune, "interrupted: a race that is not over has no winner")
