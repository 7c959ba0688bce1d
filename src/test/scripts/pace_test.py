"""The verdicts of the experiment mixed: longer latencies are slower, and a background that costs nothing is not. Axes of paced
points."""

import math
import random
import unittest

from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.figures import FASTER, NO_REGRESSION, SLOWER
from ecbench.point.point import make_point
from ecbench.runfile.row import Row

POINT = make_point("isa", {"k": 6, "m": 2}, "encode", 4 << 20, 0, pace="50%", background="repair@50M")
BACKGROUNDS, WORKLOADS, ROUNDS, RUNS = ("repair@50M", "repair@200M", "repair"), 2, 8, 200
# p99 in ms of twelve measurements without a background on a busy virtual machine with two CPUs.
RECORDED = (24.12, 100.73, 39.26, 18.8, 45.2, 28.37, 34.1, 31.61, 33.01, 26.3, 25.18, 425.35)


def candidate(p99s):
    return Candidate(POINT, [Row(json={}, repetition=number, gb_per_s=1.0, drift_percent=None, drift_floor_percent=None,
                                 limit_gb_per_s=None, limit_percent=None, cpu_seconds_per_gb=None, samples=[], p99=p99)
                             for number, p99 in enumerate(p99s)])


def verdicts(latency, factor=1.0):
    """The words for the backgrounds of a run. Each p99 is latency(), times `factor` with a background."""
    for _ in range(WORKLOADS):
        found = Comparison({name: candidate([latency() * (1 if name == "none" else factor) for _ in range(ROUNDS)])
                            for name in ("none", *BACKGROUNDS)}, figure="p99")
        for name in BACKGROUNDS:
            yield found.change(name, "none", WORKLOADS * len(BACKGROUNDS)).word


class ErrorRates(unittest.TestCase):
    def distributions(self):
        generator = random.Random(1)
        yield lambda: generator.choice(RECORDED)
        yield lambda: math.exp(generator.gauss(0, 0.1))
        yield lambda: math.exp(generator.gauss(0, 0.02)) * generator.choice((1, 1, 1, 1, 4))

    def test_a_background_that_costs_nothing_is_called_slower_in_at_most_5_percent_of_runs(self):
        for number, latency in enumerate(self.distributions()):
            slower = sum(SLOWER in verdicts(latency) for _ in range(RUNS))
            self.assertLessEqual(slower, 0.05 * RUNS, number)

    def test_a_background_that_doubles_the_p99_is_slower(self):
        latency = list(self.distributions())[1]
        found = [word for _ in range(RUNS) for word in verdicts(latency, 2)]
        self.assertGreaterEqual(found.count(SLOWER), 0.95 * len(found))

    def test_a_shorter_latency_is_faster(self):
        self.assertEqual(set(verdicts(lambda: 10.0, 0.5)), {FASTER})
        self.assertEqual(set(verdicts(lambda: 10.0)), {NO_REGRESSION})

    def test_rounds_without_a_percentile_do_not_count(self):
        found = Comparison({"none": candidate([10.0] * 8), "repair": candidate([None] * 8)}, figure="p99")
        self.assertIsNone(found.ratio("repair", "none"))
        self.assertEqual(found.change("repair", "none").word, "inconclusive")
