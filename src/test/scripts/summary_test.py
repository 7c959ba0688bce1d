"""The summary of a point in a run."""

import types
import unittest

import synthetic_rows
from ecbench.runfile.summary import is_below_best, is_disturbed, state_line, summarize
from ecbench.statistics.interval import median, median_interval

POINT = object()


def row(speeds, floor=1.5, drift=0.0, samples_each=1, **others):
    """Makes a row. `speeds` has the speed of each placement in GB/s. Each sample processes 1 GB."""
    samples = [{"placement": place, "seconds": 1 / speed} for place, speed in enumerate(speeds) for _ in range(samples_each)]
    return synthetic_rows.row(gb_per_s=1 / median([1 / speed for speed in speeds]), samples=samples, drift_floor_percent=floor,
                              drift_percent=drift, cpu_seconds_per_gb=0.1, **others)


def summary_of(*rows, failures=()):
    planned = types.SimpleNamespace(id="p", point=POINT, chunk_size=64, padding_percent=2.5)
    run = types.SimpleNamespace(header=types.SimpleNamespace(points=[planned]),
                                rows={"p": list(rows)} if rows else {}, failures={"p": list(failures)})
    only, = summarize(run)
    return only


class Summary(unittest.TestCase):
    def test_one_row_has_the_interval_that_ecbench_gives_it(self):
        speeds = [10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7]
        one = summary_of(row(speeds))
        expected = median_interval(speeds)
        self.assertAlmostEqual(one.low, expected.low - 0.015 * one.gb_per_s)
        self.assertAlmostEqual(one.high, expected.high + 0.015 * one.gb_per_s)

    def test_the_figure_is_the_median_of_the_repetitions(self):
        self.assertAlmostEqual(summary_of(row([9.0] * 8), row([12.0] * 8), row([10.0] * 8)).gb_per_s, 10)

    def test_the_interval_of_many_repetitions_excludes_the_extremes(self):
        rows = [row([10.0 + i / 10] * 8, floor=0) for i in range(9)]
        many = summary_of(*rows)
        # The interval of 9 repetitions is from rank 2 to rank 8. An interval of all 72 placements would be narrower.
        self.assertAlmostEqual(many.low, 10.1)
        self.assertAlmostEqual(many.high, 10.7)

    def test_cold_rows_have_the_interval_of_their_samples(self):
        times = [1 / (10 + i / 10) for i in range(9)]
        cold = row([10.4], floor=0)
        cold.json["samples"] = [{"placement": 0, "seconds": seconds} for seconds in times]
        self.assertAlmostEqual(summary_of(cold).low, 10.1)
        self.assertAlmostEqual(summary_of(cold).high, 10.7)

    def test_with_too_few_placements_the_interval_is_that_of_the_samples(self):
        few = row([10.0] * 5, floor=0, samples_each=4)
        slow = few.json["samples"]
        slow[0]["seconds"] = slow[1]["seconds"] = 1 / 9  # the median of this placement is between 9 and 10
        self.assertAlmostEqual(summary_of(few).low, 10)  # rank 6 of the 20 samples, not the speed of the slowest placement
        self.assertAlmostEqual(summary_of(few, few, few).low, 10)

    def test_only_clean_samples_count_unless_they_are_too_few(self):
        disturbed = row([10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7], floor=0, samples_each=3)
        expected = summary_of(disturbed)
        for place in range(8):
            disturbed.json["samples"] += [{"placement": place, "seconds": 3.0, "clean": False} for _ in range(4)]
        for sample in disturbed.json["samples"]:
            sample.setdefault("clean", True)
        drifted = synthetic_rows.changed(disturbed, warnings=[{"code": "drift", "text": "it drifted"}])
        self.assertEqual(summary_of(drifted).low, expected.low)
        few = synthetic_rows.changed(disturbed, warnings=[{"code": "few_clean_samples", "text": "too few"}])
        self.assertNotEqual(summary_of(few).low, expected.low)

    def test_a_single_sample_has_no_interval(self):
        single = summary_of(row([10.0], floor=None, drift=None))
        self.assertAlmostEqual(single.gb_per_s, 10)
        self.assertEqual((single.low, single.high, single.estimate.width_percent), (None, None, None))

    def test_in_rows_without_warnings_drift_is_one(self):
        self.assertEqual(summary_of(row([10.0] * 8, drift=2.9)).mark, "")
        self.assertEqual(summary_of(row([10.0] * 8), row([10.0] * 8, drift=-3.1)).mark, "!")

    def test_a_core_that_is_shared_all_the_time_is_one_line_and_no_mark(self):
        def shared(percent):
            text = f"another hardware thread shares the core; figures are about {percent} % below the best seen here; the speed"
            return row([1.0] * 8, warnings=[{"code": "core_shared", "text": text}])

        few = row([1.0] * 8, warnings=[{"code": "few_clean_samples", "text": "too few"}])
        clean = row([1.0] * 8)
        line = "another hardware thread shares the core; figures are about 25 % below the best seen here"
        for rows, found, marked in (([shared(25)], line, False), ([shared(24), shared(25), shared(26)], line, False),
                                    ([shared(25), few], line, True), ([few, few], "", True), ([few, clean], "", True),
                                    ([few], "", True), ([clean, few], "", True),
                                    ([shared(25), clean], "", True), ([shared(25), shared(25), shared(40)], "", True),
                                    ([clean], "", False), ([], "", False)):
            self.assertEqual(state_line(rows), found)
            if rows:
                self.assertEqual(bool(summary_of(*rows).mark), marked)
        self.assertEqual([(one.is_doubtful, is_disturbed(one), is_below_best(one)) for one in (shared(25), few, clean)],
                         [(False, False, True), (True, True, True), (False, False, False)])

    def test_a_limit_that_one_repetition_lacks_is_that_of_the_others(self):
        both = summary_of(row([10.0] * 8), row([10.0] * 8, limit_gb_per_s=40.0, limit_percent=25.0))
        self.assertEqual((both.limit_gb_per_s, both.percent_of_limit), (40, 25))

    def test_a_point_that_failed_has_no_figure(self):
        failed = summary_of(failures=[{"kind": "signal"}])
        self.assertEqual((failed.row, failed.repetitions, failed.gb_per_s, failed.low), (None, 0, None, None))
        self.assertEqual(failed.failures, [{"kind": "signal"}])
        self.assertEqual((failed.chunk_size, failed.padding_percent), (64, 2.5))
