"""The interval of a median. src/test/benchmark/sampler_test.cc reads the same test cases, which src/test/data/median_intervals.py
has computed with exact arithmetic."""

import json
import math
import unittest

from ecbench.installation.places import SOURCE
from ecbench.statistics.interval import Estimate, estimate, median, median_interval, normal_quantile, t_quantile, two_sided


class MedianInterval(unittest.TestCase):
    def test_agrees_with_exact_arithmetic(self):
        vectors = json.loads((SOURCE / "src/test/data/median_intervals.json").read_text())
        self.assertGreater(len(vectors), 200)
        for expected in vectors:
            interval = median_interval(expected["values"], expected["wanted_confidence"])
            self.assertAlmostEqual(median(expected["values"]), expected["median"], delta=1e-12 * abs(expected["median"]))
            self.assertEqual((interval.low, interval.high), (expected["low"], expected["high"]))
            self.assertAlmostEqual(interval.confidence, expected["confidence"], delta=1e-12)

    def test_estimates_of_fewer_than_six_values_have_none(self):
        self.assertEqual(estimate([2, 1, 3, 5, 4]), Estimate(3, None, None, 5))
        self.assertEqual(estimate([2, 1, 3, 5, 4, 6]), Estimate(3.5, 1, 6, 6))
        self.assertIsNone(estimate([1, 2]).width_percent)
        self.assertAlmostEqual(estimate([9, 10, 10, 10, 10, 11]).width_percent, 10)
        self.assertTrue(math.isnan(estimate([]).median))

    def test_does_not_lose_the_tails_of_thousands_of_values(self):
        # In the normal approximation, the low end has the rank n/2 - 1.96 sqrt(n)/2. The exact rank may differ by one.
        interval = median_interval(range(10000))
        self.assertAlmostEqual(interval.low, 5000 - 98, delta=1.5)
        self.assertGreaterEqual(interval.confidence, 0.95)
        self.assertLess(interval.confidence, 0.953)


class Quantiles(unittest.TestCase):
    def test_are_those_of_tables(self):
        for tail, freedom, expected in ((0.025, 1, 12.706), (0.025, 7, 2.3646), (0.0005, 10, 4.5869), (0.05, 30, 1.6973)):
            self.assertAlmostEqual(t_quantile(tail, freedom), expected, places=3)
        self.assertAlmostEqual(normal_quantile(0.025), 1.95996, places=5)
        for t, freedom, expected in ((12.7062, 1, 0.05), (4.30265, 2, 0.05), (2.77645, 4, 0.05), (2.22814, 10, 0.05),
                                     (2.09302, 19, 0.05), (3.16927, 10, 0.01), (2.58075, 1000, 0.01), (0, 7, 1)):
            self.assertAlmostEqual(two_sided(t, freedom), expected, places=5)
