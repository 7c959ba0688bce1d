"""The error rates of select(), from simulated rounds. If all candidates are equal, any of them is called slower in at most 5 % of
runs. A candidate that is 10 % slower is found in at least 90 %, also if other programs disturb some measurements."""

import math
import random
import unittest

from ecbench.comparison.figures import Rounds
from ecbench.comparison.select import select
from ecbench.statistics.interval import at_most, normal_quantile, t_quantile, upper_bound

RUNS = 200


def student(draw, freedom):
    return draw.gauss(0, 1) / math.sqrt(draw.gammavariate(freedom / 2, 2) / freedom)


NOISE = {
    "sd 1 %": lambda draw: draw.gauss(0, 0.01),
    "sd 4 %": lambda draw: draw.gauss(0, 0.04),
    "t3, 1 %": lambda draw: 0.01 * student(draw, 3),
    "t3, 4 %": lambda draw: 0.04 * student(draw, 3),
    "two placement modes, 15 % apart": lambda draw: draw.gauss(0, 0.005) - 0.15 * (draw.random() < 0.3),
    "two placement modes, 5 % apart": lambda draw: draw.gauss(0, 0.002) - 0.05 * (draw.random() < 0.5),
}


def disturbed(draw):
    return draw.gauss(0, 0.01) - (draw.uniform(0.05, 0.4) if draw.random() < 0.03 else 0)


def run(draw, noise, truth, rounds):
    """`truth`: the logarithm of each candidate's speed."""
    level = [draw.gauss(0, 0.1) for _ in range(rounds)]  # of the machine
    measured = Rounds([{name: value + level[number] + noise(draw) for name, value in truth.items()} for number in range(rounds)])
    return select(measured)


class Rates(unittest.TestCase):
    def test_equal_candidates_are_rarely_called_slower(self):
        for name, noise in NOISE.items():
            for candidates, rounds in ((19, 12), (6, 12), (9, 8), (2, 6)):
                draw = random.Random(f"{name} {candidates}")
                with self.subTest(noise=name, candidates=candidates, rounds=rounds):
                    alarms = 0
                    for _ in range(RUNS):
                        found = run(draw, noise, dict.fromkeys(range(candidates), 0.0), rounds)
                        alarms += len(found.ties) < candidates - 1
                    # If the rate were 5 %, more alarms than this would occur with a probability below 0.1 %.
                    most = next(count for count in range(RUNS) if at_most(count, RUNS, 0.05) > 0.999)
                    self.assertLessEqual(alarms, most, f"rate at most {upper_bound(alarms, RUNS):.3f}")

    def test_a_candidate_that_is_ten_percent_slower_is_found(self):
        for name, noise in (("sd 1 %", NOISE["sd 1 %"]), ("disturbed", disturbed)):
            draw, found = random.Random(name), 0
            for _ in range(RUNS):
                result = run(draw, noise, {"slow": math.log(0.9), **dict.fromkeys(range(9), 0.0)}, 12)
                found += result.order[-1] == "slow" and "slow" not in result.ties
            self.assertGreaterEqual(found, 0.9 * RUNS, name)


class Quantiles(unittest.TestCase):
    def test_are_those_of_tables(self):
        for tail, freedom, expected in ((0.025, 1, 12.706), (0.025, 7, 2.3646), (0.0005, 10, 4.5869), (0.05, 30, 1.6973)):
            self.assertAlmostEqual(t_quantile(tail, freedom), expected, places=3)
        self.assertAlmostEqual(normal_quantile(0.025), 1.95996, places=5)
