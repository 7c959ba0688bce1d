"""Verdicts of the gate, and their error rates. Simulated launches have the noise of measured ones: a standard deviation of 1 %, and
one launch in fifty is 9 % too fast or too slow."""

import collections
import math
import random
import unittest

from ecbench.comparison.figures import FASTER, INCONCLUSIVE, NO_REGRESSION, SLOWER, Settings, exact_ratio, judge_point

POINTS, LAUNCHES = 24, 10
SETTINGS = Settings(POINTS)


def launches(draw, loss_percent, count=2 * LAUNCHES, scatter=1.0, biased=0.02):
    """Times of NEW divided by those of OLD."""
    return [time_ratio(loss_percent + draw.gauss(0, scatter) + (draw.random() < biased) * draw.choice((-9, 9)))
            for _ in range(count)]


def time_ratio(loss_percent):
    return 1 / (1 - loss_percent / 100)


def percent(ratio):
    return 100 * (ratio - 1)


def verdict_of_two_looks(ratios, settings=SETTINGS):
    """If the first look is inconclusive, there is a second look with twice as many launches."""
    first = judge_point(ratios[:LAUNCHES], settings).word
    return first if first != INCONCLUSIVE else judge_point(ratios, settings).word


def verdicts(trials, loss_percent, **noise):
    draw = random.Random(6)
    return collections.Counter(verdict_of_two_looks(launches(draw, loss_percent, **noise)) for _ in range(trials))


def ends(ascending, tail):
    found = exact_ratio(ascending, tail)
    return None if found.low is None else (found.low, found.high)


class Intervals(unittest.TestCase):
    def test_ends_are_the_outermost_that_the_tail_allows(self):
        # Binomial, p = 1/2: P(0 of 10) = 0.00098, P(at most 2 of 20) = 0.0002, and P(at most 3 of 20) = 0.0013.
        tail = SETTINGS.tail
        self.assertAlmostEqual(tail, 0.05 / 48)
        self.assertEqual(ends(list(range(9)), tail), None)
        self.assertEqual(ends(list(range(10)), tail), (0, 9))
        self.assertEqual(ends(list(range(20)), tail), (2, 17))
        self.assertEqual(ends(list(range(20)), 0.0014), (3, 16))
        self.assertEqual(ends(list(range(10)), 0.025), (1, 8))

    def test_a_regression_needs_enough_launches(self):
        for points in (1, 2, 8, 24, 25, 100, 1000):
            for alpha in (0.01, 0.05, 0.1):
                settings = Settings(points, alpha=alpha)
                needed = settings.launches_needed
                self.assertEqual(judge_point([time_ratio(5)] * needed, settings).word, SLOWER, settings)
                self.assertEqual(judge_point([time_ratio(5)] * (needed - 1), settings).word, INCONCLUSIVE, settings)
        self.assertEqual(SETTINGS.launches_needed, LAUNCHES)

    def test_cover_the_median_of_a_skewed_distribution_as_often_as_they_say(self):
        draw = random.Random(1)
        settings = Settings(1)  # a tail of 2.5 %
        for count in (10, 20):
            above = below = 0
            for _ in range(4000):
                low, high = ends(sorted(draw.lognormvariate(0, 1) for _ in range(count)), settings.tail)
                above += low > 1
                below += high < 1
            for misses in (above, below):
                # The largest expected number of misses is 4000 * tail. 20 is two standard deviations.
                self.assertLess(misses, 4000 * settings.tail + 20, count)
            self.assertGreater(above + below, 0, "intervals that always contain the median are wider than necessary")


class Verdicts(unittest.TestCase):
    def judge(self, *losses_percent, threshold=3.0):
        return judge_point([time_ratio(loss) for loss in losses_percent], Settings(POINTS, threshold))

    def test_slower_needs_both_the_interval_and_the_threshold(self):
        self.assertEqual(self.judge(*[3] * 10).word, SLOWER)
        self.assertEqual(self.judge(0.1, *[5] * 9).word, SLOWER)
        self.assertEqual(self.judge(-0.1, *[5] * 9).word, INCONCLUSIVE)
        self.assertEqual(self.judge(*[2.9] * 10).word, NO_REGRESSION)
        self.assertEqual(self.judge(*[2.9] * 10, threshold=2).word, SLOWER)

    def test_no_regression_needs_an_interval_that_excludes_the_threshold(self):
        self.assertEqual(self.judge(*[0] * 9, 9).word, NO_REGRESSION)  # one biased launch
        self.assertEqual(self.judge(*[0] * 8, 9, 9).word, INCONCLUSIVE)
        self.assertEqual(self.judge(*[2.5] * 5, *[3.5] * 5).word, SLOWER)
        # Here, the threshold (3 %) is larger than the median of the losses, but the interval contains it.
        self.assertEqual(self.judge(*[2.4] * 6, *[3.5] * 4).word, INCONCLUSIVE)

    def test_faster_is_the_mirror_image_of_slower(self):
        self.assertEqual(self.judge(*[-3] * 10).word, FASTER)
        self.assertEqual(self.judge(0.1, *[-5] * 9).word, NO_REGRESSION)
        self.assertEqual(self.judge(*[-2.9] * 10).word, NO_REGRESSION)

    def test_a_verdict_has_the_interval_that_it_follows_from(self):
        verdict = self.judge(-1, 0, 0, 1, 2, 2, 1, 0.5, 0.5, 2.5)
        self.assertEqual((verdict.word, verdict.ratio.count, verdict.ties), (NO_REGRESSION, 10, 2))
        # The 95 % interval is from rank 2 to rank 9 of the 10 launches.
        for value, expected in ((verdict.ratio.median, -0.75), (verdict.ratio.low, -2), (verdict.ratio.high, 0)):
            self.assertAlmostEqual(percent(value), expected)
        self.assertAlmostEqual(verdict.confidence_percent, 95)
        self.assertAlmostEqual(self.judge(1.5, *[5] * 9).confidence_percent, 100 * (1 - 0.05 / 24))

    def test_no_interval_contradicts_its_verdict(self):
        draw = random.Random(3)
        for _ in range(3000):
            middle = draw.uniform(-6, 6)
            verdict = self.judge(*(middle + draw.gauss(0, 2) for _ in range(10)))
            low, high = percent(verdict.ratio.low), percent(verdict.ratio.high)
            holds = {NO_REGRESSION: low > -3, SLOWER: high < 0, FASTER: low > 0, INCONCLUSIVE: low < -3 + 1e-6}
            self.assertTrue(holds[verdict.word], verdict)

    def test_only_ties_are_neither_slower_nor_faster(self):
        verdict = judge_point([1.0] * 10, Settings(POINTS, threshold=1e-12))
        self.assertEqual((verdict.word, verdict.ties), (INCONCLUSIVE, 10))

    def test_no_ratio_or_an_impossible_one_is_an_error(self):
        for ratios in ([], [1.0, 0.0], [1.0, -1.0], [1.0, float("nan")], [1.0, float("inf")]):
            with self.assertRaises(ValueError):
                judge_point(ratios, SETTINGS)


class WholeRuns(unittest.TestCase):
    def test_the_interval_keeps_its_corrected_level(self):
        """The threshold is almost 0, so only the intervals prevent false alarms, in at most 5 % of runs with 24 points. Without the
        correction for 24 points, half of the runs would have one."""
        draw = random.Random(2)
        settings = Settings(POINTS, threshold=1e-6)
        runs = 400
        alarms = sum(any(verdict_of_two_looks(launches(draw, 0), settings) == SLOWER for _ in range(POINTS)) for _ in range(runs))
        self.assertLess(alarms, runs * 0.05 + 13)  # the expected number plus three standard deviations
        self.assertGreater(alarms, 0)

    def false_alarm_rate(self, losses):
        """`losses`: a function that returns the loss of each launch of a point. Launches are not independent, and builds equal."""
        runs, alarms = 200, 0
        for _ in range(runs):
            alarms += any(verdict_of_two_looks(list(map(time_ratio, losses()))) == SLOWER for _ in range(POINTS))
        return alarms / runs

    def test_the_rates_without_independent_launches_are_those_of_the_docs(self):
        draw = random.Random(4)

        def autocorrelated():
            losses = [draw.gauss(0, 2)]
            while len(losses) < 2 * LAUNCHES:
                losses.append(0.9 * losses[-1] + draw.gauss(0, 2 * math.sqrt(1 - 0.9 ** 2)))
            return losses

        def biased():
            bias = draw.gauss(0, 1.5)
            return [bias + draw.gauss(0, 1) for _ in range(2 * LAUNCHES)]

        for losses, stated in ((autocorrelated, 0.66), (biased, 0.52)):
            self.assertAlmostEqual(self.false_alarm_rate(losses), stated, delta=0.08)

    def test_how_often_a_point_gets_a_verdict(self):
        """Loss in percent, noise, verdict → the least and the largest share of the points."""
        noisy = {"scatter": 8, "biased": 0}
        for loss, noise, word, least, most in ((0, {}, SLOWER, 0, 0), (0, {}, INCONCLUSIVE, 0, 0.01), (5, {}, SLOWER, 0.99, 1),
                                               (3, {}, NO_REGRESSION, 0, 0.05), (1.5, {}, SLOWER, 0, 0.002),
                                               (0, noisy, INCONCLUSIVE, 0.7, 1), (0, noisy, SLOWER, 0, 2 * SETTINGS.tail + 0.0023)):
            share = verdicts(4000, loss, **noise)[word] / 4000
            self.assertTrue(least <= share <= most, share)
