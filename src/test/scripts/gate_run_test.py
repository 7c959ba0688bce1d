"""Tests a run of `gate ab`: its two looks (statistical tests), the number and the order of its launches, and its record."""

import collections
import json
import pathlib
import tempfile
import unittest

from ecbench.comparison.select import Settings
from ecbench.gate.ab.launch import measure
from ecbench.gate.ab.verdicts import FEWEST_LAUNCHES, GateRun, Plan, Record, launches_for
from ecbench.gate.sides.both_sides import GatePoint
from ecbench.measure.budget import Budget
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes
from synthetic_gate import points


class Launches:
    """Replaces the Launcher. The function `ratios` gets a point and a launch number. It returns the ratio of this launch, which is
    the time of NEW divided by the time of OLD."""

    def __init__(self, ratios):
        self.seen = []
        self._ratios = ratios

    def launch(self, point, number, seed):
        self.seen.append((point.id, number, seed))
        ratio = self._ratios(point, number)
        return {"order_seed": seed, "median_ratio": ratio, "ratios": [ratio], "old_ns_per_iteration": 100.0,
                "new_ns_per_iteration": 100.0 * ratio}


class RunTest(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench run "))) / "run.jsonl"

    def measure(self, ratios, count=4, seed=7, budget=None):
        chosen = {point.id: GatePoint(point, 0.5, 1024) for point in points(count)}
        settings = Settings(count)
        plan = Plan(launches_for(settings), 2, 1000, seed, 0)
        run = GateRun({}, settings, plan, chosen, {identity: [] for identity in chosen})
        launcher = Launches(ratios)
        record = Record(str(self.path))
        record.begin()
        try:
            measure(run, launcher, record, budget or Budget())
        finally:
            record.end()
        return run, launcher.seen

    def records(self, kind):
        lines = map(json.loads, self.path.read_text(encoding="utf-8").splitlines())
        return [line for line in lines if line["record"] == kind]


class Looks(RunTest):
    def test_points_that_are_clear_at_the_first_look_have_no_second(self):
        run, seen = self.measure(lambda point, number: 1.0 + number % 3 / 1000)
        self.assertEqual({verdict.word for verdict in run.verdicts.values()}, {"no regression"})
        self.assertEqual(len(seen), 4 * FEWEST_LAUNCHES)
        self.assertEqual(len(self.records("look")), 1)

    def test_only_what_is_inconclusive_is_extended_and_only_once(self):
        unclear = points(4)[2].id

        def ratio(point, number):
            return (0.9, 1.2)[number % 2] if point.id == unclear else 1.2 if point == points(4)[0] else 1.001

        run, seen = self.measure(ratio)
        counts = collections.Counter(identity for identity, _, _ in seen)
        self.assertEqual(counts.pop(unclear), 2 * FEWEST_LAUNCHES)
        self.assertEqual(set(counts.values()), {FEWEST_LAUNCHES})
        self.assertEqual(run.verdicts[unclear].word, "inconclusive")
        self.assertEqual(run.verdicts[points(4)[0].id].word, "slower")
        self.assertEqual([record["look"] for record in self.records("look")], [1, 2])

    def test_the_second_look_can_find_a_regression(self):
        run, _ = self.measure(lambda point, number: 0.99 if number == 0 else 1.05)
        self.assertEqual({verdict.word for verdict in run.verdicts.values()}, {"slower"})
        self.assertEqual({verdict.ratio.count for verdict in run.verdicts.values()}, {2 * FEWEST_LAUNCHES})


class OutOfBudget(RunTest):
    """Each launch takes one second of a fake clock."""

    def measure_for(self, seconds):
        now = [0.0]

        def ratio(_point, number):
            now[0] += 1
            return (0.9, 1.2)[number % 2]
        try:
            return self.measure(ratio, budget=Budget(seconds, lambda: now[0])), now[0]
        except OutOfTime:
            return None, now[0]

    def test_the_launches_so_far_are_judged(self):
        (run, seen), ended = self.measure_for(10)
        self.assertEqual((len(seen), ended), (10, 10))
        self.assertEqual({verdict.word for verdict in run.verdicts.values()}, {"inconclusive"})
        self.assertEqual(len(self.records("look")), 1)

    def test_no_verdict_if_a_point_has_no_launch(self):
        self.assertEqual(self.measure_for(3), (None, 3))


class Order(RunTest):
    def test_each_round_has_every_point_once_in_an_order_of_its_own(self):
        _, seen = self.measure(lambda point, number: 1.0, count=6)
        order = [identity for identity, _, _ in seen]
        rounds = [tuple(order[begin:begin + 6]) for begin in range(0, len(order), 6)]
        self.assertTrue(all(len(set(a_round)) == 6 for a_round in rounds))
        self.assertGreater(len(set(rounds)), 3)

    def test_a_seed_repeats_everything(self):
        first = self.measure(lambda point, number: 1.0)[1]
        self.path.unlink()
        again = self.measure(lambda point, number: 1.0)[1]
        self.path.unlink()
        self.assertEqual(first, again)
        self.assertNotEqual(first, self.measure(lambda point, number: 1.0, seed=8)[1])


class Recorded(RunTest):
    def test_every_launch_is_a_line(self):
        run, seen = self.measure(lambda point, number: 1.0 + number / 10000)
        lines = self.records("launch")
        self.assertEqual([(line["id"], line["launch"], line["order_seed"]) for line in lines], seen)
        for identity, launches in run.launches.items():
            self.assertEqual([line["median_ratio"] for line in lines if line["id"] == identity],
                             [launch["median_ratio"] for launch in launches])

    def test_what_goes_wrong_names_the_point(self):
        for error in (Refused("it died"), WrongBytes("chunk 3 differs")):
            def ratio(_point, number, error=error):
                if number == 1:
                    raise error
                return 1.0

            with self.assertRaises(type(error)) as caught:
                self.measure(ratio)
            self.assertRegex(str(caught.exception), f"^jerasure .* of .*: {error}$")
            self.assertEqual(len(self.records("launch")), 4)
            self.path.unlink()
