"""The comparison of two runs."""

import math
import random
import types
import unittest

import synthetic_rows
from ecbench.comparison.comparison import by_group, interleaved_pairs, mean_ratio, pair_up
from ecbench.comparison.figures import tail_of
from ecbench.point.point import make_point
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.interval import normal_quantile

POINT = make_point("isa", {"k": "4", "m": "2", "technique": "cauchy"}, "encode", 4096, 0)


def rows(start, speeds, step=2):
    """A row for each repetition, which begin at second `start`, `step` seconds apart."""
    return [synthetic_rows.row(at=f"2026-11-21T05:{second // 60:02}:{second % 60:02}Z", gb_per_s=speed)
            for second, speed in zip(range(start, 3600, step), speeds)]


def summary(gb_per_s, low=None, high=None, point=POINT):
    return PointSummary(point.id, point, None, 2, gb_per_s, low, high, None, None, None, None, None, None, [], samples=8)


def near(gb_per_s, half=0.2, point=POINT):
    return summary(gb_per_s, gb_per_s - half, gb_per_s + half, point)


def run(of_rows, point=POINT):
    return types.SimpleNamespace(rows={point.id: list(of_rows)})


def pair_of(a, b, a_rows=(), b_rows=()):
    only, = pair_up(run(a_rows), [a], run(b_rows), [b])
    return only


class InterleavedPairs(unittest.TestCase):
    def test_alternate_in_time_whichever_run_comes_first(self):
        a, b = rows(0, [1, 2, 3], step=4), rows(2, [4, 5, 6], step=4)
        self.assertEqual([(x.gb_per_s, y.gb_per_s) for x, y in interleaved_pairs(a, b)], [(1, 4), (2, 5), (3, 6)])
        b[1].at = "2026-11-21T05:00:04Z"  # the same time as a[1], so it is unknown which of the two was first
        self.assertEqual(len(interleaved_pairs(a, b)), 3)
        for why, a, b in (("one run follows the other", rows(0, [1, 2]), rows(100, [1, 2])),
                          ("two of one run follow each other", rows(0, [1, 2, 3], step=2), rows(1, [4, 5, 6], step=8)),
                          ("one repetition", rows(0, [1]), rows(1, [1])), ("unequal", rows(0, [1, 2]), rows(1, [1, 2, 3]))):
            self.assertEqual(interleaved_pairs(a, b), [], why)


class Ratio(unittest.TestCase):
    def test_of_independent_figures_adds_their_intervals_as_squares(self):
        one = pair_of(near(10, 0.3), near(20, 0.8))
        wide = normal_quantile(tail_of(1)) / normal_quantile(0.025)
        for value, expected in zip((one.ratio.median, one.ratio.low, one.ratio.high), (
                2, 2 * math.exp(-wide * math.hypot(math.log(20 / 19.2), math.log(10.3 / 10))),
                2 * math.exp(wide * math.hypot(math.log(20.8 / 20), math.log(10 / 9.7))))):
            self.assertAlmostEqual(value, expected)
        self.assertFalse(one.interleaved)

    def test_of_six_interleaved_pairs_excludes_changes_of_both_runs(self):
        moved = [1, 2, 1, 2, 1.5, 3]
        one = pair_of(near(1.5, 1), near(1.65, 1), rows(0, moved, 4), rows(2, [1.1 * speed for speed in moved], 4))
        for value in (one.ratio.median, one.ratio.low, one.ratio.high):
            self.assertAlmostEqual(value, 1.1)
        self.assertEqual((one.interleaved, one.verdict), (True, "faster"))

    def test_of_few_pairs_is_not_narrower_than_of_independent_figures_and_contains_all(self):
        a, b, apart = near(10), near(10), pair_of(near(10), near(10)).ratio
        for speeds, low, high in (([8, 12], 0.8, 1.2), ([10, 10], apart.low, apart.high)):
            one = pair_of(a, b, rows(0, [10, 10], 4), rows(2, speeds, 4))
            self.assertEqual((one.ratio.low, one.ratio.high), (low, high))

    def test_contains_the_true_ratio_as_often_as_the_confidence_says(self):
        draw, held, sigma = random.Random(4), 0, 0.02
        for _ in range(4000):
            speeds = [truth * math.exp(draw.gauss(0, sigma)) for truth in (10, 13)]
            one = pair_of(*(summary(speed, *(speed * math.exp(sign * 1.96 * sigma) for sign in (-1, 1))) for speed in speeds))
            held += one.ratio.low <= 1.3 <= one.ratio.high
        self.assertAlmostEqual(held / 4000, 0.95, delta=0.014)  # four standard deviations; the seed is fixed

    def test_the_verdict_depends_on_whether_the_interval_contains_1(self):
        for a, b, verdict in ((near(10), near(11), "faster"), (near(11), near(10), "slower"), (near(10), near(10.1), "~"),
                              (summary(10), near(20), "-")):
            self.assertEqual(pair_of(a, b).verdict, verdict)

    def test_of_a_group_the_worst_comes_first_and_the_mean_is_geometric(self):
        points = [make_point("isa", {"k": k, "m": "2", "technique": "cauchy"}, "encode", 4096, 0) for k in "234"]
        pairs = [pair_up(run([], p), [near(10, point=p)], run([], p), [near(b, point=p)])[0] for p, b in zip(points, (10, 40, 2.5))]
        group, = by_group(pairs).values()
        self.assertEqual([(pair.ratio.median, pair.verdict) for pair in group], [(0.25, "slower"), (1, "~"), (4, "faster")])
        self.assertAlmostEqual(mean_ratio(group), 1)
