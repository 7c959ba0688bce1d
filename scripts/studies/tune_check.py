#!/usr/bin/python3 -Es
"""tune_check.py shows whether bench.sh tune finds the fastest profile. The arguments KEY=VALUE are the same as for tune.

1. An exhaustive sweep measures all candidates as long and as often as tune's last stage at least does. It takes hours.
2. Then tune runs TIMES times. After each run, the profile that it ranks first (the winner) and the fastest profile of the sweep are
   measured again, in interleaved rounds, because the highest of hundreds of speeds is usually too high by chance.

For each run, the study prints the speed of the winner / that of the sweep's fastest profile, and the duration of tune, in percent
of a sweep with as many rounds as its last stage."""

import argparse
import dataclasses
import pathlib
import tempfile
import time
from collections.abc import Sequence

import launch
from ecbench.comparison.comparison import Comparison
from ecbench.experiment import running
from ecbench.experiment.results import Case, Results
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.resume import Asked
from ecbench.point.point import Planned
from ecbench.process.process import Child
from ecbench.runfile.header import Options
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused
from ecbench.tune.program import EXPERIMENT, FINAL_ROUNDS, MIN_TIME, SECONDS_FOR_A_PROCESS, choose, read_requests

PAIRS = 25  # rounds that compare two profiles; the confidence interval of the ratio of their speeds is then about 1 %
AIM_PERCENT = 3.0
AIM_SHARE = 20
EXHAUSTIVE = dataclasses.replace(EXPERIMENT, stages=())


def measured(ecbench: Ecbench, entries: Sequence[Planned], rounds: int, seed: int, is_tune: bool) -> tuple[Case, Comparison, float]:
    """The results in a temporary run file, and the seconds."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ecbench tune check ") as folder:
        asked = Asked(argparse.Namespace(seed=seed, output=pathlib.Path(folder, "run.jsonl")), None, [])
        run = running.measure(asked, ecbench, EXPERIMENT if is_tune else EXHAUSTIVE, entries, "run",
                              Options(MIN_TIME, SECONDS_FOR_A_PROCESS, limit=False), rounds)
    results = Results.of_run(run).cases
    if not results:
        raise Refused("no candidate can be measured")
    return *results[0], time.monotonic() - begun


def check(parser: Parser, child: Child) -> int:
    parser.add_argument("ecbench", metavar="ECBENCH", help=launch.ECBENCH)
    parser.add_argument("--times", metavar="TIMES", type=launch.at_least_one, default=10,
                        help="number of runs of tune (default 10)")
    parser.add_argument("words", metavar="KEY=VALUE", nargs="+",
                        help="argument of bench.sh tune, such as k=6 m=2 size=1M plugin=jerasure")
    arguments = parser.parse_args()
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    request, *others = read_requests(arguments.words, plugins)
    if others:
        raise Refused("these arguments give several combinations of k, m, size and other options; give one value for each")
    entries = choose(request, plugins, ecbench.describe).entries
    results = []
    case, found, seconds = measured(ecbench, entries, FEWEST_VALUES, 1, is_tune=False)
    best = case.ids[found.selection.first]
    print(f"exhaustive sweep: {len(case.ids)} profiles, {FEWEST_VALUES} rounds, {seconds:.0f} s; fastest "
          f"{found.selection.first}", flush=True)
    for seed in range(1, arguments.times + 1):
        chosen, tuned, of_tune = measured(ecbench, entries, FINAL_ROUNDS, seed, is_tune=True)
        winner = chosen.ids[tuned.selection.first]
        share = 100 * of_tune / (seconds / FEWEST_VALUES * FINAL_ROUNDS)
        ratio, ends = 1.0, "the same profile"
        if winner != best:
            ids = {*chosen.all_ids([tuned.selection.first]), *case.all_ids([found.selection.first])}
            pair, both, _ = measured(ecbench, [one for one in entries if one.id in ids], PAIRS, seed, is_tune=False)
            names = {identity: name for name, identity in pair.ids.items()}
            of_both = both.ratio(names[winner], names[best])
            if of_both is None:
                raise Refused("the two profiles cannot be compared: there is no round in which both were measured")
            ratio, ends = of_both.median, "" if of_both.low is None else f"{of_both.low:.3f} to {of_both.high:.3f}"
        results.append((ratio, share))
        print(f"seed {seed}: winner {tuned.selection.first}: {ratio:.3f} of the speed of the sweep's fastest profile "
              f"({ends}); tune took {of_tune:.0f} s, which is {share:.0f} % of the time of a sweep with "
              f"{FINAL_ROUNDS} rounds", flush=True)
    close = sum(ratio >= 1 - AIM_PERCENT / 100 for ratio, _ in results)
    print(f"{' '.join(arguments.words)}: in {close} of {arguments.times} runs of tune, the winner is at most {AIM_PERCENT:g} % "
          "slower than the sweep's fastest profile (aim: in all runs); each run of tune took at most "
          f"{max(share for _, share in results):.0f} % of the time of a sweep with the same number of rounds (aim: at most "
          f"{AIM_SHARE} %)")
    return 0


if __name__ == "__main__":
    launch.run(__doc__, check)
