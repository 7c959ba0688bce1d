"""The rounds of two libraries, fed through every mode that ranks, give the same verdicts if the mode compares rounds, or if the
difference is clear."""

import itertools
import math
import pathlib
import random
import re
import tempfile
import types
import unittest

import synthetic_libraries as synthetic
import synthetic_rows
from ecbench.bench import table
from ecbench.comparison.comparison import Comparison, pair_up
from ecbench.comparison.figures import CHANGE, FASTER, FASTEST, INCONCLUSIVE, SLOWER, TIE, UNCLEAR, Settings, judge_point, tail_of
from ecbench.experiment import results as experiment
from ecbench.experiment.experiment import Experiment, Table
from ecbench.fleet.classes import classes_of, rankings_of
from ecbench.fleet.collection import Host
from ecbench.fleet.figures import figures_of
from ecbench.page.points import Runs
from ecbench.page.results import results_of as results_of_run
from ecbench.point.point import Planned
from ecbench.runfile.summary import summarize_point
from ecbench.tune import program as tune

ISA, OTHER = "isa", "jerasure RS"
AGAINST_ISA = Experiment(question=CHANGE, candidate=("plugin",), reference=(("plugin", "isa"),))
RATIOS = Table(("size",), ("plugin",), ("ratio", "verdict"))
WARNING = [{"code": "few_clean_samples", "text": ""}]


def words_of(found, name):
    """The verdicts of a selection, by plugin."""
    return {name(one): found.verdict(one).word for one in found.order}


class Mode:
    """A scenario: the GB/s of both libraries in each round, and the disturbed rounds of each library."""

    def __init__(self, folder, speeds, disturbed):
        self.speeds = speeds
        path = pathlib.Path(folder) / "run.jsonl"
        path.unlink(missing_ok=True)
        self.run = synthetic.write_run(path, {(synthetic.ENCODE, name): of for name, of in speeds.items()}, len(speeds[ISA]), {
            (synthetic.ENCODE, name): [{"plugin": "isa", "warnings": WARNING if number in disturbed[name] else [], "seconds": 0.01,
                                        "threads": 1} for number in range(len(of))] for name, of in speeds.items()})
        self.entries = [Planned(entry.point) for entry in self.run.header.points]

    def libraries(self):
        [(_, found)] = experiment.Results.of_run(self.run).cases
        return words_of(found.selection, str)

    def fleet(self):
        [found] = rankings_of(classes_of([Host("osd-1", run=figures_of([self.run]))]))
        return words_of(found.selection, str)

    def tune(self):
        [(_, found)] = experiment.Results(self.entries, tune.EXPERIMENT, self.run).cases
        return words_of(found.selection, lambda one: ISA if one.startswith("isa") else OTHER)

    def bench(self):
        [(_, found)] = experiment.Results(self.entries, table.EXPERIMENT, self.run).cases
        return words_of(found.selection, lambda one: ISA if one.startswith("isa") else OTHER)

    def report(self):
        [result] = results_of_run(self.run, "CPU", {})
        return words_of(result.ranking, lambda one: ISA if one.library == ISA else OTHER)


PAIRED = ("libraries", "fleet", "tune", "bench")
UNPAIRED = ("report",)


def certain(verdicts):
    """An unclear tie is a tie for modes that print only ties."""
    return {name: TIE if word == UNCLEAR else word for name, word in verdicts.items()}


class OneRule(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench rule "))

    def scenario(self, ratio, noise, rounds, disturbed=0.0):
        draw = random.Random(f"{ratio} {noise} {rounds} {disturbed}")
        levels = [20 * math.exp(draw.gauss(0, noise)) for _ in range(rounds)]  # of the machine
        speeds = {name: [factor * level * math.exp(draw.gauss(0, noise / 2)) for level in levels]
                  for name, factor in ((ISA, 1.0), (OTHER, ratio))}
        return Mode(self.folder, speeds, {name: {number for number in range(rounds) if draw.random() < disturbed}
                                          for name in speeds})

    def test_intervals_are_corrected_for_all_comparisons(self):
        for comparisons, tail in ((0, 0.02), (1, 0.02), (2, 0.01), (10, 0.002), (45, 0.04 / 90)):
            self.assertAlmostEqual(tail_of(comparisons), tail)

    def test_modes_that_compare_rounds_agree(self):
        seen = set()
        for case in [*itertools.product((1.0, 0.99, 1.02, 0.95, 1.3), (0.003, 0.02, 0.15), (5, 6, 8, 12)),
                     *itertools.product((1.0, 0.9), (0.01,), (8,), (0.3, 0.6))]:
            mode = self.scenario(*case)
            expected = certain(mode.libraries())
            for name in PAIRED:
                self.assertEqual(certain(getattr(mode, name)()), expected)
            seen |= set(expected.values())
        self.assertEqual(seen, {FASTEST, TIE, SLOWER, INCONCLUSIVE})

    def test_all_modes_agree_if_the_difference_is_clear(self):
        for ratio, other in ((1.0, TIE), (0.8, SLOWER)):
            mode = self.scenario(ratio, 0.003, 12)
            for name in (*PAIRED, *UNPAIRED):
                self.assertEqual(getattr(mode, name)()[OTHER], other)

    def asked(self, speeds, **experiment):
        """A run of an experiment; if it compares latencies, all speeds are 1."""
        is_speed, keys = "figure" not in experiment, {name: (synthetic.ENCODE, name) for name in speeds}
        run = synthetic.write_run(pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "run.jsonl", {
            keys[name]: of if is_speed else [1] * len(of) for name, of in speeds.items()}, len(speeds[ISA]), {
            keys[name]: [{"plugin": "isa", "p95": 1 / one} for one in of] for name, of in speeds.items()})
        run.header.points = [Planned(entry.point) for entry in run.header.points]
        run.header.experiment = Experiment(candidate=("plugin",), **experiment).to_json()
        return run

    def test_report_states_the_ratios_and_verdicts_of_run(self):
        for case, expected in (((1, 0.003, 8), "no regression"), ((0.9, 0.003, 8), SLOWER), ((1.1, 0.003, 8), FASTER),
                               ((1, 0.1, 8), INCONCLUSIVE), ((1.1, 0.003, 2), INCONCLUSIVE)):
            for more in ({}, {"figure": "p95"}):
                run = self.asked(self.scenario(*case).speeds, question=CHANGE, reference=(("plugin", ISA),), table=RATIOS, **more)
                results, page = experiment.Results.of_run(run), Runs([run]).page("report")
                ratio, verdict = re.fullmatch(r"  128 KiB +1 +([0-9.]+(?: [(].*?[)])?) +(.*)", list(results.tables())[-1]).groups()
                [block] = page.in_text
                self.assertEqual(verdict, expected)
                self.assertRegex(block.rows[1].certainty, f"^{re.escape(f'{verdict}, {ratio} times the ')}")
                self.assertEqual(page.answers, list(results.lines(f"--rounds {2 * case[2]}"))[-1:])

    def test_a_selection_of_latencies_is_one_of_latencies_in_report(self):
        [row] = Runs([self.asked({ISA: [1] * 8, OTHER: [1.5] * 8}, figure="p95")]).page("report").blocks[1].rows
        self.assertRegex(f"{row.code}: {row.certainty}", "^jerasure .*: fastest: 1.50 ")

    def test_changes_are_judged_alike(self):
        """compare with interleaved runs, and experiments with a reference."""
        for ratio, noise in itertools.product((1.0, 0.99, 0.97, 1.1, 0.7), (0.002, 0.02, 0.1)):
            mode = self.scenario(ratio, noise, 8)
            points = {name: synthetic.point_of(synthetic.ENCODE, name) for name in mode.speeds}
            runs, summaries = [], []
            for start, name in enumerate(mode.speeds):
                rows = [synthetic_rows.row(gb_per_s=speed, at=f"2026-11-21T05:{2 * number + start:02}:00Z")
                        for number, speed in enumerate(mode.speeds[name])]
                runs.append(types.SimpleNamespace(rows={points[ISA].id: rows}))
                summaries.append(summarize_point(Planned(points[ISA]), rows, []))
            [pair] = pair_up(runs[0], summaries[:1], runs[1], summaries[1:])
            of_rounds = Comparison.of_run(mode.run, {name: [point] for name, point in points.items()}).ratio(OTHER, ISA)
            self.assertTrue(pair.interleaved)
            for end in ("median", "low", "high"):
                self.assertAlmostEqual(getattr(pair.ratio, end), getattr(of_rounds, end))
            line, last = experiment.Results(mode.entries, AGAINST_ISA, mode.run).lines("")
            self.assertRegex(last, r"^(sure|likely|unsure): jerasure\S* .*has [\d.]+ times the speed of isa")
            word = re.match(r".*: jerasure[^:]*: (slower|faster|no regression|inconclusive), ", line)[1]
            self.assertEqual(word if word in ("slower", "faster") else "~", pair.verdict)
            if abs(ratio - 1) > 0.05 and noise < 0.1:
                times = [isa / other for isa, other in zip(mode.speeds[ISA], mode.speeds[OTHER])]
                found = judge_point(times, Settings(1))
                self.assertEqual(found.word, pair.verdict)
