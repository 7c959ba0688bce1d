#!/usr/bin/python3 -Es
"""tune_check.py ECBENCH [TIMES] KEY=VALUES...: shows what tune's winners are worth, e.g. tune_check.py build/ecbench k=6 m=2
size=1M plugin=jerasure.

1. The exhaustive sweep: all candidates, interleaved, each as often and as long as tune measures its finalists. It takes long.
2. TIMES times (10): tune, then its winner beside the sweep's best, interleaved in one run: the ratio of their speeds, and tune's
   time in percent of the sweep's.

The exhaustive best is the luckiest of hundreds as well as the fastest, and so is measured anew each time."""

import math
import pathlib
import random
import sys
import time

import launch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

# pylint: disable=wrong-import-position
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import MachineLock
from ecbench.process import children
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.statistics.ranking import ranking
from ecbench.statistics.rounds import Rounds
from ecbench.terminal.console import Refused
from ecbench.tune.candidates import choose
from ecbench.tune.measurements import Measurements
from ecbench.tune.request import read_requests
from ecbench.tune.stages import FINAL, Stages

TIMES = 10
PAIRS = 25  # of winner and best: an interval of about 1 %
AIM_PERCENT = 3.0  # as tune's --target-ci
AIM_SHARE = 20
SECONDS_FOR_A_PROCESS = 120


def read_arguments():
    ecbench, *rest = launch.arguments("the path of ecbench, perhaps how many times, and k=6 m=2 ...", most=100)
    times = int(rest.pop(0)) if rest and rest[0].isdigit() else TIMES
    return ecbench, times, rest


class Unrecorded:
    """In place of tune's session: measures, and keeps no run file."""

    def __init__(self, ecbench):
        self._ecbench = ecbench

    def begin_stage(self, _title, _count):
        pass

    def take(self, point, _repetition, _stage, effort):
        cpus = ",".join(map(str, quiet_cpus(point.threads)))
        return self._ecbench.measure([*point.words(), *effort.words(), "--cpu", cpus], SECONDS_FOR_A_PROCESS)


def measure_rounds(measurements, candidates, rounds, draw):
    """Rounds of all candidates in random order, with the effort of the last stage."""
    result = Rounds()
    left = list(candidates)
    measurements.watch("", left, rounds)
    for _ in range(rounds):
        draw.shuffle(left)
        measured = ((candidate, measurements.measure(candidate, FINAL)) for candidate in left)
        result.add({candidate: speed for candidate, speed in measured if speed is not None})
        left = [candidate for candidate in left if candidate in result.rounds[-1]]
    return result


class Check:
    def __init__(self, ecbench, candidates):
        self._ecbench = ecbench
        self._candidates = candidates
        self._seconds = 0  # of one round of the exhaustive sweep
        self._best = None

    def sweep(self, draw):
        rounds = FEWEST_VALUES
        start = time.monotonic()
        result = measure_rounds(self._measurements(), self._candidates, rounds, draw)
        self._seconds = (time.monotonic() - start) / rounds
        present = [candidate for candidate in self._candidates if result.figure(candidate).count == rounds]
        if not present:
            launch.fail("no candidate can be measured")
        self._best = result.ranked(present)[0]
        print(f"exhaustive sweep: {len(self._candidates)} profiles, {rounds} rounds, {self._seconds * rounds:.0f} s; best "
              f"{self._best}", flush=True)

    def tune(self, seed, draw):
        """The ratio of the winner's speed to the best's, and tune's share of the sweep's time at as many rounds."""
        measurements = self._measurements()
        stages = Stages(measurements.measure, measurements.watch, seed, AIM_PERCENT)
        start = time.monotonic()
        stages.run(self._candidates)
        seconds = time.monotonic() - start
        if not stages.left:
            launch.fail("all candidates failed")
        winner = ranking(stages.final, stages.left).first
        rounds = len(stages.final.rounds)
        share = 100 * seconds / (self._seconds * rounds)
        ratio, ends = 1.0, "the best itself"
        if winner != self._best:
            pairs = measure_rounds(self._measurements(), [winner, self._best], PAIRS, draw)
            found = pairs.ratio(winner, self._best)
            ratio, low, high = found.median, found.low, found.high
            if math.isnan(ratio):
                launch.fail(f"{winner} and {self._best} cannot be measured side by side")
            ends = "" if low is None else f"{low:.3f} to {high:.3f}"
        print(f"seed {seed}: {winner}: {ratio:.3f} of the best ({ends}), {seconds:.0f} s, {rounds} final rounds, {share:.0f} % of "
              "the sweep's time", flush=True)
        return ratio, share

    def _measurements(self):
        return Measurements(Unrecorded(self._ecbench))


def main():
    program, times, words = read_arguments()
    ecbench = Ecbench(find_program(program), children.Child())
    plugins = ecbench.list_plugins()
    request, *others = read_requests(words, plugins)
    if others:
        launch.fail("give one k, m, size and stripe unit")
    check = Check(ecbench, choose(request, plugins, ecbench.describe).candidates)
    draw = random.Random(1)
    with MachineLock("check"):
        check.sweep(draw)
        results = [check.tune(seed, draw) for seed in range(1, times + 1)]
    close = sum(ratio >= 1 - AIM_PERCENT / 100 for ratio, _ in results)
    most = max(share for _, share in results)
    print(f"{' '.join(words)}: the winner is within {AIM_PERCENT:g} % of the exhaustive best in {close} of {times} (aim: all), in "
          f"at most {most:.0f} % of the exhaustive sweep's time at the same precision (aim: {AIM_SHARE})")


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        launch.fail(str(refusal))
    except children.Interrupted as interrupt:
        print("ecbench: interrupted", file=sys.stderr)
        sys.exit(128 + interrupt.args[0])
