"""Tests `bench.sh mixed`: its arguments, the percentiles over several rounds, and the repair rate at which p99 doubles."""

import os
import pathlib
import random
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))

from ecbench.mixed.program import ROUNDS, require_memory
from ecbench.mixed.request import DEFAULT_SHARES, UNLIMITED, read_request
from ecbench.mixed.result import P50, P99, Step, crossing, doubling_of, percentile_of, results_of
from ecbench.mixed.setting import CONTENT, MixedRow, Setting
from ecbench.mixed.tables import doubling_text
from ecbench.point.point import make_point
from ecbench.runfile.run_file import read_run
from ecbench.terminal.console import Refused

CODE = make_point("isa", {"k": 8, "m": 3, "technique": "reed_sol_van"}, "encode", 4 << 20, 0)
MB = 1e6


def setting(rate):
    return Setting(CODE, DEFAULT_SHARES, 100.0, rate, (0,), (1,), 1, 1, None)


def step(rate, *p99_of_rounds, unfinished=0, count=1000):
    """A step with `count` latencies in each round. `p99_of_rounds` has one latency for each round, in milliseconds. 2 % of the
    latencies of the round have this value. All others are 1 ms."""
    slow = count // 50
    foreground = {"operations": count, "unfinished": unfinished, "operations_per_s": 100.0, "gb_per_s": 1.0, "cpu_seconds": 1.0,
                  "latency_ms": dict.fromkeys(("p50", "p95", "p99", "p999", "max"))}
    repair = {"chunks": 1, "bytes_per_s": float(rate), "reads_per_byte": 8.0, "cpu_seconds": 0.5}
    rows = [MixedRow.read({"repetition": number, "duration_seconds": 2.0, "remarks": [], "foreground": foreground, "repair": repair,
                           "histogram": [[1.0, count - slow], [p99, slow]]}) for number, p99 in enumerate(p99_of_rounds)]
    return Step(setting(rate), rows)


class Percentiles(unittest.TestCase):
    def test_histograms_of_rounds_are_added(self):
        one, other = [[1.0, 50], [3.0, 10]], [[2.0, 30], [3.0, 10]]
        self.assertEqual(percentile_of([one, other], 0.50), 1.0)
        self.assertEqual(percentile_of([one, other], 0.51), 2.0)
        self.assertEqual(percentile_of([one, other], 0.80), 2.0)
        self.assertEqual(percentile_of([one, other], 0.81), 3.0)
        self.assertEqual(percentile_of([one], 1.0), 3.0)

    def test_a_percentile_needs_ten_values_above_it(self):
        self.assertIsNone(step(0, *[5.0] * 3, count=300).percentile(P99))  # 900 operations
        self.assertEqual(step(0, *[5.0] * 4, count=300).percentile(P99), 5.0)
        self.assertEqual(step(0, 5.0, count=50).percentile(P50), 1.0)


class Doubling(unittest.TestCase):
    def test_the_rate_is_interpolated_between_two_rates(self):
        self.assertEqual(crossing([(0, 10.0), (100, 15.0), (200, 25.0)]), 150)
        self.assertEqual(crossing([(0, 10.0), (100, 20.0)]), 100)
        self.assertAlmostEqual(crossing([(0, 10.0), (100, 40.0), (200, 10.0)]), 200 / 3)
        self.assertIsNone(crossing([(0, 10.0), (100, 25.0), (200, 11.0), (300, 12.0)]), "one high latency among lower ones")
        self.assertIsNone(crossing([(0, 10.0), (100, 19.9)]))

    def test_equal_rounds_have_an_interval_without_width(self):
        found = doubling_of([step(0, *[10.0] * 6), step(100 * MB, *[15.0] * 6), step(200 * MB, *[25.0] * 6)])
        self.assertEqual((found.rate, found.low, found.high), (150 * MB, 150 * MB, 150 * MB))
        self.assertIn("at 150 MB/s of repairs (95 % interval: 150 to 150)", doubling_text(found))

    def test_rounds_that_differ_widen_the_interval(self):
        # The repair rate at which p99 doubles differs between the rounds: 100, 110 … 150 MB/s.
        found = doubling_of([step(0, *[10.0] * 6), step(200 * MB, *[10 + 2000 / rate for rate in range(100, 151, 10)])])
        self.assertLess(found.low, found.rate)
        self.assertLessEqual(found.rate, found.high)
        self.assertGreaterEqual(found.low, 100 * MB)
        self.assertLessEqual(found.high, 150 * MB + 1)

    def test_without_a_rate_the_reason_is_named(self):
        slow, still = [12.0] * 6, [10.0] * 6
        for first, second, words in (
                (step(0, *still), slow, "^p99 does not reach 2 times .* up to 300 MB/s.$"),
                (step(0, *still), [12.0] * 3 + [50.0] * 3, "inconclusive: the 95 % interval is"),
                (step(0, *[4.0, 20.0] * 3), [100.0] * 6, "inconclusive: without repairs, the p99 is 4 to 20 ms"),
                (step(0, *still, unfinished=1), slow, "inconclusive: .* could not keep its schedule"),
                (step(0, *still, count=100), slow, "inconclusive: too few operations"),
                (step(0, *[10.0] * 5), [40.0] * 5, "inconclusive: it needs 6 rounds")):
            with self.subTest(words):
                found = doubling_of([first, step(300 * MB, *second)])
                self.assertIsNone(found.rate)
                self.assertRegex(doubling_text(found), words)


# p99 without repairs in ms, of the rounds of `mixed plugin=isa k=6 m=2 size=4M repair=50M --rounds 12` on a busy two-core VM.
RECORDED = (24.12, 100.73, 39.26, 18.8, 45.2, 28.37, 34.1, 31.61, 33.01, 26.3, 25.18, 425.35)


class ErrorRates(unittest.TestCase):
    """Draws recorded rounds at random for every repair rate."""

    RUNS, RATES = 200, (0, 60, 120, 240, 360, 480)

    def rates(self, rounds, p99s, slower):
        """The printed rates of RUNS runs. slower(rate, knee): the factor of the latencies. yields pairs of rate and knee."""
        generator = random.Random(1)
        for _ in range(self.RUNS):
            knee = generator.uniform(80, 300)
            steps = [step(rate * MB, *(slower(rate, knee) * generator.choice(p99s) for _ in range(rounds))) for rate in self.RATES]
            yield doubling_of(steps, resamples=200).rate, knee

    def test_without_an_effect_hardly_any_rate_is_printed(self):
        path, = (SOURCE / "results").glob("amd-*/mixed-*.jsonl.gz")
        stored = [[percentile_of([row.histogram], P99) for row in result.steps[0].rows]
                  for result in results_of(read_run(path, content=CONTENT))]
        for p99s in (RECORDED, *stored):
            for rounds in (6, ROUNDS, 12):
                printed = [rate for rate, _ in self.rates(rounds, p99s, lambda rate, knee: 1.0) if rate is not None]
                self.assertLessEqual(len(printed), 0.05 * self.RUNS, (p99s, rounds))

    def test_a_knee_is_found(self):
        """Beyond the knee, which is between two measured rates, the latency is four times as high."""
        found = [rate is not None and knee / 2 <= rate / MB <= 2 * knee
                 for rate, knee in self.rates(ROUNDS, RECORDED, lambda rate, knee: 4.0 if rate > knee else 1.0)]
        self.assertGreaterEqual(sum(found), 0.8 * self.RUNS)


class Settings(unittest.TestCase):
    def test_json_is_reversible(self):
        for rate in (0.0, 1e8, None):
            self.assertEqual(Setting.from_json(setting(rate).to_json()), setting(rate))
            self.assertEqual(Setting.from_json(setting(rate).to_json()).id, setting(rate).id)
        for key, value in (("repair_rate", "x"), ("foreground_cpus", []), ("shares", 1), ("code", {}), ("other", 1)):
            with self.assertRaises(ValueError, msg=key):
                Setting.from_json({**setting(0.0).to_json(), key: value})

    def test_words_of_the_program(self):
        words = setting(None).words(2.5)
        self.assertNotIn("--workload", words)
        self.assertEqual(words[words.index("--repair-rate") + 1], "unlimited")
        self.assertEqual(words[words.index("--foreground-rate") + 1], "100")


class Words(unittest.TestCase):
    def test_rates_are_ascending_and_begin_with_none(self):
        self.assertEqual(read_request(["repair=unlimited,2M,1M"], None).repair, (0, 1 << 20, 2 << 20, UNLIMITED))
        self.assertEqual(read_request([], None).repair, ())

    def test_codes(self):
        rs, copies = read_request(["size=4M"], None).grids
        self.assertEqual((rs["plugin"], rs["k"], rs["m"], rs["size"], rs["stripe-unit"]),
                         (("isa",), (6,), (2,), (4 << 20,), (4096,)))
        self.assertEqual((copies["plugin"], copies["size"], "stripe-unit" in copies), (("replication",), (4 << 20,), False))
        clay, = read_request(["plugin=clay", "k=8", "m=3"], None).grids
        self.assertEqual((clay["plugin"], clay["k"], clay["technique"], "stripe-unit" in clay), (("clay",), (8,), ("reed_sol_van",),
                                                                                                False))

    def test_the_limit_of_the_control_group_counts(self):
        small = make_point("isa", {"k": 8, "m": 3, "technique": "reed_sol_van"}, "encode", 4096, 0)
        require_memory(read_request(["pool=1M"], None), [small], None)
        require_memory(read_request(["pool=1M"], None), [small], 1 << 20)
        for words, code, limit in ((["pool=2M"], small, 1 << 20), (["pool=1M"], CODE, 8 << 20), ([], CODE, 1 << 20)):
            with self.assertRaises(Refused):
                require_memory(read_request(words, None), [code], limit)

    def test_bad_words_are_refused(self):
        allowed = min(os.sched_getaffinity(0))
        for words, message in ((["shares=read=50,encode=49"], "sum to 99"), (["shares=write=100"], "is not a kind"),
                               (["shares=read=x"], "whole percentage"), (["shares=read=60,read=40"], "each kind once"),
                               (["foreground-threads=0"], "at least 1"), (["repair-threads=5000"], "1 to 1024"),
                               (["repair-cpu=9999"], "cannot be used"), (["foreground-cpu=a"], "CPUs such as"),
                               ([f"foreground-cpu={allowed}", "load=0"], "at least 1"), (["repair=0"], "at least one rate"),
                               (["background=scrub"], "deep-scrub"), (["load=80,90"], "give one value"),
                               (["workload=decode"], "not an axis"),
                               (["pool=0"], "at least 1")):
            with self.assertRaisesRegex(Refused, message):
                read_request(words, {})
