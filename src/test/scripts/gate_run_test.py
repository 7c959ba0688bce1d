"""A run of gate ab: its looks, launches, record and result."""

import collections
import dataclasses
import html
import io
import json
import pathlib
import random
import re
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock
from xml.etree import ElementTree

import jsonschema
from ecbench.comparison.figures import Settings, judge_point
from ecbench.documents.document import schema_of
from ecbench.gate.ab import program, verdicts
from ecbench.gate.ab.launch import measure
from ecbench.gate.ab.verdicts import FEWEST_LAUNCHES, GateRun, Plan, Record, Result, outcome, page_of, result_of
from ecbench.gate.sides.both_sides import GatePoint, as_json, as_markdown, failing, print_page
from ecbench.installation.places import PAGE_FOLDER
from ecbench.measure.session import Budget
from ecbench.page import charts
from ecbench.point.point import make_point
from ecbench.process.process import Interrupted
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes


def points(count):
    """Makes `count` different points: encode and decode, two techniques, small warm objects and large cold objects."""
    made = []
    for number in range(count):
        workload, erasures = (("encode", 0), ("decode", 1), ("decode", 2))[number % 3]
        profile = {"k": 4 + number // 6, "m": 2, "technique": ("reed_sol_van", "cauchy_good")[number % 2], "w": 8}
        if number % 2:
            profile["packetsize"] = 2048
        made.append(make_point("jerasure", profile, workload, 4096 if number % 5 else 4 << 20, erasures,
                               cache="warm" if number % 5 else "cold"))
    return made


def gate_run(losses, launches=10, extended=()):
    """One point for each loss in `losses` (percent); those in `extended` have twice as many launches."""
    draw = random.Random(1)
    chosen = points(len(losses))
    records = {point.id: [launch(point, loss, draw, number) for number in range(launches * (1 + (index in extended)))]
               for index, (point, loss) in enumerate(zip(chosen, losses))}
    header = {"record": "gate", "format": "ecbench gate 1", "environment": {"cpu": {"model_name": "AMD EPYC"}},
              "old": {"name": "OLD", "given": "main", "kind": "revision", "revision": "0123456789abcdef0123", "codec_lib": None},
              "new": {"name": "NEW", "given": "build", "kind": "build", "revision": None, "codec_lib": None}}
    run = GateRun(header, Settings(len(losses)), Plan(launches, 32, 2_000_000, 1, 1),
                  {point.id: GatePoint(point, 0.5, 1024) for point in chosen}, records, seconds=61.5)
    run.verdicts = {identity: judge_point(ratios, run.settings) for identity, ratios in run.medians().items()}
    return run


def launch(point, loss_percent, draw, number):
    ratio = 1 / (1 - (loss_percent + draw.gauss(0, 1)) / 100)
    return {"record": "launch", "id": point.id, "point": point.to_json(), "look": 1, "launch": number, "ratios": [ratio],
            "median_ratio": ratio, "old_ns_per_iteration": 5000.0, "new_ns_per_iteration": 5000 * ratio, "pairs": 32,
            "cpu_ratio": ratio}


class Launches:
    """Replaces the Launcher. ratios(point, number) is the time of NEW divided by that of OLD."""

    def __init__(self, ratios):
        self.seen = []
        self._ratios = ratios

    def launch(self, point, number, seed):
        self.seen.append((point.id, number, seed))
        ratio = self._ratios(point, number)
        return {"order_seed": seed, "median_ratio": ratio, "ratios": [ratio], "old_ns_per_iteration": 100.0,
                "new_ns_per_iteration": 100.0 * ratio}


class Run(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench run "))) / "run.jsonl"

    def measure(self, ratios, count=4, seed=7, budget=None):
        chosen = {point.id: GatePoint(point, 0.5, 1024) for point in points(count)}
        settings = Settings(count)
        plan = Plan(max(FEWEST_LAUNCHES, settings.launches_needed), 2, 1000, seed, 0)
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

    def test_only_what_is_inconclusive_is_extended_and_only_once(self):
        slower, _, unclear, clear = points(4)

        def ratio(point, number):
            return (0.9, 1.2)[number % 2] if point == unclear else 1.2 if point == slower else 1.001

        run, seen = self.measure(ratio)
        counts = collections.Counter(identity for identity, _, _ in seen)
        self.assertEqual(counts.pop(unclear.id), 2 * FEWEST_LAUNCHES)
        self.assertEqual(set(counts.values()), {FEWEST_LAUNCHES})
        self.assertEqual([run.verdicts[one.id].word for one in (slower, unclear, clear)],
                         ["slower", "inconclusive", "no regression"])
        self.assertEqual([record["look"] for record in self.records("look")], [1, 2])

    def test_the_second_look_can_find_a_regression(self):
        run, _ = self.measure(lambda point, number: 0.99 if number == 0 else 1.05)
        self.assertEqual({verdict.word for verdict in run.verdicts.values()}, {"slower"})
        self.assertEqual({verdict.ratio.count for verdict in run.verdicts.values()}, {2 * FEWEST_LAUNCHES})

    def measure_for(self, seconds):
        """Each launch takes one second of a fake clock."""
        now = [0.0]

        def ratio(_point, number):
            now[0] += 1
            return (0.9, 1.2)[number % 2]
        try:
            return self.measure(ratio, budget=Budget(seconds, lambda: now[0])), now[0]
        except OutOfTime:
            return None, now[0]

    def test_when_the_budget_is_spent_the_launches_so_far_are_judged(self):
        (run, seen), ended = self.measure_for(10)
        self.assertEqual((len(seen), ended), (10, 10))
        self.assertEqual({verdict.word for verdict in run.verdicts.values()}, {"inconclusive"})
        self.assertEqual(len(self.records("look")), 1)

    def test_when_the_budget_is_spent_and_a_point_has_no_launch_there_is_no_verdict(self):
        self.assertEqual(self.measure_for(3), (None, 3))

    def test_each_round_has_every_point_once_in_an_order_of_the_seed(self):
        first = self.measure(lambda point, number: 1.0, count=6)[1]
        order = [identity for identity, _, _ in first]
        rounds = [tuple(order[begin:begin + 6]) for begin in range(0, len(order), 6)]
        self.assertTrue(all(len(set(a_round)) == 6 for a_round in rounds))
        self.assertGreater(len(set(rounds)), 3)
        for seed, same in ((7, True), (8, False)):
            self.path.unlink()
            self.assertEqual(self.measure(lambda point, number: 1.0, count=6, seed=seed)[1] == first, same)

    def test_every_launch_is_a_line(self):
        run, seen = self.measure(lambda point, number: 1.0 + number / 10000)
        lines = self.records("launch")
        self.assertEqual([(line["id"], line["launch"], line["order_seed"]) for line in lines], seen)
        for identity, launches in run.launches.items():
            self.assertEqual([line["median_ratio"] for line in lines if line["id"] == identity],
                             [launch["median_ratio"] for launch in launches])

    def test_a_failure_keeps_the_launches_before_it(self):
        def ratio(_point, number):
            if number == 1:
                raise Refused("it died")
            return 1.0

        self.assertRaises(Refused, self.measure, ratio)
        self.assertEqual(len(self.records("launch")), 4)

    def test_the_requested_files_say_why_there_is_no_result(self):
        files = {name: self.path.with_name(name) for name in ("json", "markdown", "svg")}
        for error, required, code in ((OutOfTime("x"), False, 0), (OutOfTime("x"), True, 4), (Interrupted(15), False, 143),
                                      (Refused("a <reason>"), True, 1), (WrongBytes("x"), True, 2)):
            for path in files.values():
                path.write_text("no regression in an earlier run")
            arguments = SimpleNamespace(mode="ab", require_conclusive=required, **files)
            with self.assertRaises(type(error)) as caught, failing(arguments, record := mock.Mock()):
                raise error
            document = json.loads(files["json"].read_text())
            self.assertEqual((caught.exception.exit_code, document["exit_code"]), (code, code))
            record.assert_called_once_with("broken_off", why=document["why"], exit_code=code)
            self.assertIn(html.escape(document["why"]), files["markdown"].read_text())
            self.assertEqual([text.text for text in ElementTree.parse(files["svg"]).iter(f"{SVG}text")], [document["why"]])

    def test_a_plot_that_cannot_be_drawn_is_refused_before_anything_is_measured(self):
        with mock.patch.object(charts, "PAGE_FOLDER", self.path), mock.patch.dict(sys.modules, vl_convert=None), \
                self.assertRaisesRegex(Refused, "--svg plot.svg .*: vl-convert-python is not installed; "):
            program.main(SimpleNamespace(svg="plot.svg", output=None, budget=None), None)


SCHEMA = schema_of(Result, "", "")
SVG = "{http://www.w3.org/2000/svg}"
HAS_LIBRARY = any(PAGE_FOLDER.glob("lib/python3*/site-packages/vl_convert"))
# The loss of speed of each point, in percent. The fifth point is inconclusive, also after its additional launches.
MIXED = [0, 5.2, 0, -6, 2.8, 12]


def table(result):
    print_page(page_of(result), out := io.StringIO())
    return out.getvalue()


def summary(result):
    return as_markdown(page_of(result))


class Output(unittest.TestCase):
    def setUp(self):
        self.mixed = result_of(gate_run(MIXED, extended=(4,)))

    def test_json_follows_its_schema(self):
        for result in (self.mixed, result_of(gate_run([0])), result_of(gate_run([0, 0], launches=4))):
            jsonschema.validate(json.loads(as_json(result)), SCHEMA)

    def test_a_regression_has_precedence_in_the_exit_code(self):
        for losses, launches, required, expected in (([0], 10, False, 0), ([0, 9], 10, True, 3), ([0, 9], 4, True, 4),
                                                     ([0, 9], 4, False, 0), ([-9], 10, True, 0)):
            self.assertEqual(result_of(gate_run(losses, launches), required).exit_code, expected)

    def test_the_outcome_is_one_line(self):
        self.assertEqual(outcome(result_of(gate_run([0, 0]))), "no regression of 3 % or more in 2 points")
        self.assertIn("REGRESSION: slower by 3 % or more in 2 of 6 points", outcome(self.mixed))
        self.assertIn("2 of 2 points are inconclusive", outcome(result_of(gate_run([0, 9], 4))))

    def test_a_loss_is_negative_and_each_row_has_the_level_of_its_interval(self):
        titles, *rows = [re.split("  +", line) for line in table(self.mixed).split("\n\n")[0].splitlines()]
        self.assertEqual(len(rows), len(MIXED))
        for verdict, level in (("slower", "99.2"), ("faster", "99.2"), ("no regression", "95.0")):
            cells = dict(zip(titles, next(row for row in rows if row[0] == verdict), strict=True))
            self.assertEqual(cells["level %"], level)
            self.assertEqual(float(cells["change %"]) > 0, float(cells["ratio"]) > 1)
            self.assertLessEqual(float(cells["low"]), float(cells["ratio"]))

    def test_markdown_begins_with_the_outcome_and_shows_the_worst_first(self):
        head, _, rows = summary(self.mixed).partition("## Points")
        self.assertIn("\nREGRESSION: slower by 3 %", head)
        self.assertEqual(re.findall(r"^\| (slower|inconclusive|no regression|faster) ", rows, re.MULTILINE),
                         ["slower", "slower", "inconclusive", "no regression", "no regression", "faster"])

    def test_markdown_fits_into_a_comment_however_many_points_there_are(self):
        text = summary(result_of(gate_run([9] * 900)))
        self.assertLess(len(text), 65536)
        self.assertEqual(int(re.search(r"Rows that are left out: (\d+)", text)[1]) + text.count(" | jerasure"), 900)

    def test_says_where_the_sides_run_different_kernels(self):
        self.assertNotIn("different kernels", summary(self.mixed))
        self.mixed.points[0] = first = dataclasses.replace(self.mixed.points[0], old_kernel="mul_avx2", new_kernel="mul_gfni")
        for text in (summary(self.mixed).replace("\\", ""), table(self.mixed)):
            self.assertIn(f"different kernels at 1 of 6 points, such as {first.name} (OLD: mul_avx2, NEW: mul_gfni)", text)

    @unittest.skipUnless(HAS_LIBRARY, "scripts/install-deps.sh report installs vl-convert-python")
    def test_the_forest_plot_has_a_row_for_each_point(self):
        texts = [element.text for element in ElementTree.fromstring(verdicts.forest(self.mixed)).iter(f"{SVG}text")]
        self.assertLessEqual({outcome(self.mixed), *(point.name for point in self.mixed.points)}, set(texts))
