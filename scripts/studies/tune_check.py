#!/usr/bin/python3 -Es
"""tune_check.py shows whether bench.sh tune finds the fastest profile. The arguments KEY=VALUE are the same as for tune.

1. An exhaustive sweep measures all candidates. The sweep has the minimum number of rounds of tune's last stage. Each measurement
   takes as long as a measurement in this stage. The sweep takes hours.
2. Then tune runs TIMES times. The winner of a run is the profile that tune ranks first. After each run of tune, the winner and the
   fastest profile of the sweep are measured again, in interleaved rounds. The speed from the sweep is not used for this comparison,
   because the highest of hundreds of speeds is usually too high by chance.

For each run of tune, the study prints the speed of the winner divided by the speed of the sweep's fastest profile. It also prints
the duration of tune, in percent of the duration of a sweep that has as many rounds as the last stage of this run."""

import argparse
import dataclasses
import math
import random
import sys
import time
from collections.abc import Sequence
from typing import Any

import launch
from ecbench.comparison.figures import Rounds, tail_of
from ecbench.comparison.select import select
from ecbench.experiment.stages import FINAL, Stages
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.machine import machine_lock, quiet_cpus
from ecbench.measure.session import Effort
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.row import RowOrFailure
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.console import Refused
from ecbench.tune.candidates import Candidate, choose, read_requests
from ecbench.tune.result import Measurements

PAIRS = 25  # rounds that compare two profiles; the confidence interval of the ratio of their speeds is then about 1 %
AIM_PERCENT = 3.0
AIM_SHARE = 20
SECONDS_FOR_A_PROCESS = 120


@dataclasses.dataclass(frozen=True)
class Unrecorded:
    """Measures in the same way as the session of tune, but without a run file."""

    ecbench: Ecbench

    def begin_stage(self, _title: str, _count: int, share: float = 1) -> None:
        pass

    def take(self, point: Point, _repetition: int, _stage: str, effort: Effort) -> RowOrFailure:
        cpus = ",".join(map(str, quiet_cpus(point.threads)))
        return self.ecbench.measure([*point.words(), *effort.words(), "--cpu", cpus], SECONDS_FOR_A_PROCESS)


def measure_rounds(ecbench: Ecbench, candidates: Sequence[Candidate], rounds: int, draw: random.Random) -> Rounds:
    """Measures all candidates in rounds, each round in random order. The measuring time and the number of placements are those of
    tune's last stage. A candidate that fails is left out of the later rounds."""
    session: Any = Unrecorded(ecbench)
    measurements, result, left = Measurements(session), Rounds(), list(candidates)
    measurements.watch("", left, rounds)
    for _ in range(rounds):
        draw.shuffle(left)
        measured = ((candidate, measurements.measure(candidate, FINAL)) for candidate in left)
        result.rounds.append({candidate: speed for candidate, speed in measured if speed is not None})
        left = [candidate for candidate in left if candidate in result.rounds[-1]]
    return result


def sweep(ecbench: Ecbench, candidates: Sequence[Candidate], draw: random.Random) -> tuple[Candidate, float]:
    """Measures all candidates. Returns the fastest candidate, and the duration of one round in seconds."""
    start = time.monotonic()
    result = measure_rounds(ecbench, candidates, FEWEST_VALUES, draw)
    seconds = time.monotonic() - start
    present = [candidate for candidate in candidates if result.figure(candidate).count == FEWEST_VALUES]
    if not present:
        raise Refused("no candidate can be measured")
    best = result.ranked(present)[0]
    print(f"exhaustive sweep: {len(candidates)} profiles, {FEWEST_VALUES} rounds, {seconds:.0f} s; fastest {best}", flush=True)
    return best, seconds / FEWEST_VALUES


def tune(ecbench: Ecbench, candidates: Sequence[Candidate], best: Candidate, round_seconds: float, seed: int,
         draw: random.Random) -> tuple[float, float]:
    """Runs tune. The first result is the speed of tune's winner divided by the speed of `best`. The second result is the duration
    of tune, in percent of the duration of a sweep that has as many rounds as tune's last stage."""
    session: Any = Unrecorded(ecbench)
    measurements = Measurements(session)
    stages = Stages(measurements.measure, measurements.watch, seed)
    start = time.monotonic()
    stages.run(candidates)
    seconds = time.monotonic() - start
    if not stages.left:
        raise Refused("all candidates failed")
    winner = select(stages.final, candidates=stages.left).first
    rounds = len(stages.final.rounds)
    share = 100 * seconds / (round_seconds * rounds)
    ratio, ends = 1.0, "the same profile"
    if winner != best:
        found = measure_rounds(ecbench, [winner, best], PAIRS, draw).ratio(winner, best, tail_of(1))
        if math.isnan(found.median):
            raise Refused(f"{winner} and {best} cannot be compared: there is no round in which both were measured")
        ratio, ends = found.median, "" if found.low is None else f"{found.low:.3f} to {found.high:.3f}"
    print(f"seed {seed}: winner {winner}: {ratio:.3f} of the speed of the sweep's fastest profile ({ends}); tune took "
          f"{seconds:.0f} s, which is {share:.0f} % of the time of a sweep with {rounds} rounds", flush=True)
    return ratio, share


def read_arguments() -> argparse.Namespace:
    parser = launch.parser(__doc__)
    parser.add_argument("--times", metavar="TIMES", type=launch.at_least_one, default=10,
                        help="number of runs of tune (default 10)")
    parser.add_argument("words", metavar="KEY=VALUE", nargs="+",
                        help="argument of bench.sh tune, such as k=6 m=2 size=1M plugin=jerasure")
    return parser.parse_args()


def check(child: Child) -> int:
    arguments = read_arguments()
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    request, *others = read_requests(arguments.words, plugins)
    if others:
        raise Refused("these arguments give several combinations of k, m, size and other options; give only one value for each of "
                      "them")
    candidates = choose(request, plugins, ecbench.describe).candidates
    draw = random.Random(1)
    with machine_lock(child):
        best, seconds = sweep(ecbench, candidates, draw)
        results = [tune(ecbench, candidates, best, seconds, seed, draw) for seed in range(1, arguments.times + 1)]
    close = sum(ratio >= 1 - AIM_PERCENT / 100 for ratio, _ in results)
    print(f"{' '.join(arguments.words)}: in {close} of {arguments.times} runs of tune, the winner is at most {AIM_PERCENT:g} % "
          "slower than the sweep's fastest profile (aim: in all runs); each run of tune took at most "
          f"{max(share for _, share in results):.0f} % of the time of a sweep with the same number of rounds (aim: at most "
          f"{AIM_SHARE} %)")
    return 0


if __name__ == "__main__":
    sys.exit(run_to_the_end(check, "interrupted"))
