"""Tests the figures that `gate self-test` computes from simulated gate runs. Runs of equal builds must raise no false alarm. If one
point is handicapped (made slower), the gate must detect a regression at this point, and at no other point. The self-test must
report a gate that raises a false alarm, misses a loss of speed, or takes too long."""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import synthetic_gate
from ecbench.gate.ab.verdict import NO_REGRESSION, SLOWER, Settings
from ecbench.gate.self_test import account, campaign, kept, resampling, telling
from ecbench.gate.self_test.campaign import HANDICAPPED, SAME, RealRun
from ecbench.gate.self_test.load import PROGRAM
from ecbench.process import children
from ecbench.statistics.proportion import upper_bound
from ecbench.terminal.console import Refused

POINTS, LAUNCHES = 24, 10
SETTINGS = Settings(POINTS)


def real_run(kind, number, loss_percent, scatter=1.0, exit_code=0, seconds=60.0):
    """Simulates a gate run in which NEW is `loss_percent` % slower than OLD at each point. The run has a header, launches and
    verdicts, like a run of `gate ab`."""
    run = synthetic_gate.gate_run([loss_percent] * POINTS, LAUNCHES, scatter, seed=number + (100 if kind == HANDICAPPED else 0))
    header = {"launches": LAUNCHES, "pairs": 32, "threshold": 3.0, "alpha": 0.05, "machine": {"slug": "cpu", "cpu": "A CPU"},
              "environment": {},
              "points": [{"id": identity, "point": entry.point.to_json()} for identity, entry in run.points.items()]}
    launches = [launch for number in range(LAUNCHES) for launch in (records[number] for records in run.launches.values())]
    return RealRun(kind, number, exit_code, seconds, header, launches,
                   {identity: verdict.verdict for identity, verdict in run.verdicts.items()}, None)


def judged(same, handicapped, runs=48):
    ids = [entry["id"] for entry in same[0].header["points"]]
    pools = (resampling.Pool(same), resampling.Pool(handicapped) if handicapped else None)
    equal, slow = resampling.resample(*pools, ids, SETTINGS, LAUNCHES, runs, 1)
    return account.account(same, handicapped, equal, slow, 5.0)


class Bound(unittest.TestCase):
    def test_is_that_of_the_rule_of_three_and_of_tables(self):
        for count, trials, bound in ((0, 60, 0.0487), (0, 10, 0.2589), (0, 1, 0.95), (1, 60, 0.0766), (3, 3, 1.0)):
            self.assertAlmostEqual(upper_bound(count, trials), bound, places=4)

    def test_is_also_computed_for_all_kept_results_together(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for number, (runs, code) in enumerate(((5, 0), (7, 3))):
                same = [real_run(SAME, each, 0, exit_code=code if each == 6 else 0) for each in range(runs)]
                (folder / f"gate-self-test-{number}.json").write_text(json.dumps(judged(same, [], 2)), "utf-8")
            lines = list(kept.kept_lines(folder))
            self.assertEqual(lines[3].split()[:4], ["all", "24", "12", "1"])
            self.assertIn(f"{100 * upper_bound(1, 12):.1f} %", lines[3])
            (folder / "gate-self-test-9.json").write_text("{}", "utf-8")
            self.assertRaisesRegex(Refused, "gate-self-test-9.json is not a result", list, kept.kept_lines(folder))
            self.assertRaisesRegex(Refused, "has no result", list, kept.kept_lines(folder / "none"))


class Resampling(unittest.TestCase):
    def test_a_round_has_each_point_once_and_extensions_are_left_out(self):
        run = real_run(SAME, 1, 0)
        run.launches.append({**run.launches[0], "look": 2, "launch": 10})
        rounds = resampling.rounds_of(run)
        self.assertEqual(len(rounds), LAUNCHES)
        self.assertTrue(all(len(one) == POINTS for one in rounds))
        self.assertEqual(sum(len(one) for one in rounds), len(run.launches) - 1)

    def test_consecutive_rounds_are_mostly_from_one_run(self):
        runs = [real_run(SAME, number, 0) for number in range(4)]
        rounds = [[tuple(one.values()) for one in resampling.rounds_of(run)] for run in runs]
        followers = {pair for of_run in rounds for pair in itertools.pairwise(of_run)}
        drawn = [tuple(one.values()) for one in resampling.Pool(runs).draw(random.Random(1), 20)]
        self.assertEqual(len(drawn), 20)
        self.assertGreaterEqual(sum(pair in followers for pair in itertools.pairwise(drawn)), 16)

    def test_a_slow_point_is_the_only_one_that_is_slow(self):
        same, slow = (resampling.Pool([real_run(kind, number, loss, 0.3) for number in range(3)])
                      for kind, loss in ((SAME, 0), (HANDICAPPED, 5)))
        point = list(synthetic_gate.points(POINTS))[7].id
        verdicts = resampling.drawn_run(same, slow, point, SETTINGS, LAUNCHES, random.Random(2))
        self.assertEqual(len(verdicts), POINTS)
        self.assertEqual([identity for identity, verdict in verdicts.items() if verdict != NO_REGRESSION], [point])
        self.assertEqual(verdicts[point], SLOWER)

    def test_the_same_seed_draws_the_same_runs(self):
        same = [real_run(SAME, number, 0, 3.0) for number in range(2)]
        self.assertEqual(judged(same, [], 5)["drawn"], judged(same, [], 5)["drawn"])


class Account(unittest.TestCase):
    def test_a_gate_that_works_reaches_its_aims(self):
        result = judged([real_run(SAME, number, 0) for number in range(4)],
                        [real_run(HANDICAPPED, number, 5, exit_code=3) for number in range(3)])
        self.assertTrue(all(aim["reached"] for aim in result["aims"]), result["aims"])
        self.assertEqual(len(result["aims"]), 4)
        self.assertEqual(result["drawn"]["slow_caught"], 48)
        self.assertEqual(result["handicapped"]["exit_codes"], [3, 3, 3])
        text = "\n".join(telling.lines(result))
        self.assertIn("48 runs with one handicapped point, each point in turn: 48 caught", text)
        self.assertNotIn("MISSED", text)
        json.dumps(result, allow_nan=False)

    def test_false_alarms_missed_losses_and_slow_runs_are_reported(self):
        for same, slow, missed in (({"loss_percent": 5, "exit_code": 3}, {"loss_percent": 5}, "real runs with a false alarm"),
                                   ({"loss_percent": 0}, {"loss_percent": 1}, "a loss of 5 % caught"),
                                   ({"loss_percent": 0, "seconds": 121.0}, {"loss_percent": 5}, "wall time")):
            with self.subTest(missed):
                result = judged([real_run(SAME, number, **same) for number in range(2)],
                                [real_run(HANDICAPPED, number, **slow) for number in range(2)])
                self.assertTrue(any(missed in aim["what"] and not aim["reached"] for aim in result["aims"]), result["aims"])
                self.assertIn("MISSED", "\n".join(telling.lines(result)))

    def test_every_point_has_its_own_line(self):
        result = judged([real_run(SAME, number, 0) for number in range(2)], [real_run(HANDICAPPED, 1, 5)])
        text = "\n".join(telling.lines(result))
        for point in synthetic_gate.points(POINTS):
            self.assertIn(f"{point}: equal ", text)
        self.assertAlmostEqual(result["per_point"][0]["handicapped_median_percent"], -5, delta=1.5)


class Campaigns(unittest.TestCase):
    """A campaign consists of all gate runs of one self-test. Finished runs must not be repeated. Another build, other options and
    incomplete records must be refused. In these tests, the build contains text files instead of programs, so the real gate is not
    run."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench self-test ")))
        self.build = self.folder / "build"
        for name in ("ecbench", "plugins/libec_isa.so", "handicapped/plugins/libec_isa.so"):
            (self.build / name).parent.mkdir(parents=True, exist_ok=True)
            (self.build / name).write_text(name)

    def campaign(self, options=()):
        return campaign.Campaign(self.folder / "work", self.build, list(options), 5, False, None)

    def write_run(self, *records):
        record = self.folder / "work" / "same-00.jsonl"
        record.write_text("".join(json.dumps(one) + "\n" for one in records))
        record.with_suffix(".json").write_text('{"exit_code": 0, "seconds": 61.5, "copier": null}')

    def test_continues_only_with_the_same_build_and_options(self):
        self.campaign().begin(True)
        self.campaign().begin(True)
        with self.assertRaisesRegex(Refused, "another build or with other options"):
            self.campaign(["--launches", "5"]).begin(True)
        (self.build / "plugins/libec_isa.so").write_text("another")
        with self.assertRaisesRegex(Refused, "another build"):
            self.campaign().begin(True)

    def test_needs_a_build_with_handicapped_plugins(self):
        (self.build / "handicapped/plugins/libec_isa.so").unlink()
        with self.assertRaisesRegex(Refused, "has no handicapped/plugins"):
            self.campaign().begin(True)
        self.campaign().begin(False)

    def test_a_run_that_exists_is_not_repeated(self):
        self.campaign().begin(True)
        launch = {"record": "launch", "id": "a", "look": 1, "launch": 0, "median_ratio": 1.0}
        self.write_run({"record": "gate", "launches": 10}, launch, {"record": "look", "verdicts": {"a": "no regression"}},
                       {"record": "end"})
        run = self.campaign().run(SAME, 0)  # the campaign has no Child, so it cannot run programs
        self.assertEqual((run.exit_code, run.seconds, run.verdicts, len(run.launches)), (0, 61.5, {"a": "no regression"}, 1))

    def test_a_run_that_failed_after_it_measured_is_not_repeated_silently(self):
        gate = self.folder / "gate.py"
        gate.write_text("import sys\nopen(sys.argv[sys.argv.index('--output') + 1], 'w').close()\nsys.exit('ecbench: wrong')\n")
        self.enterContext(unittest.mock.patch.object(campaign, "GATE", (gate,)))
        whole = campaign.Campaign(self.folder / "work", self.build, [], 5, False, children.Child())
        whole.begin(True)
        with self.assertRaisesRegex(Refused, r"gate ab failed with exit code 1 \(equal builds\): wrong"):
            whole.run(SAME, 0)
        with self.assertRaisesRegex(Refused, "same-00.jsonl is the record of a run that ended with exit code 1"):
            whole.run(SAME, 0)

    def test_a_record_without_an_end_is_refused(self):
        self.campaign().begin(True)
        for records in ([{"record": "gate"}], [{"record": "end"}], [["no record"]]):
            self.write_run(*records)
            with self.assertRaisesRegex(Refused, "same-00.jsonl"):
                self.campaign().run(SAME, 0)


class Copier(unittest.TestCase):
    def test_copies_until_its_input_ends_and_says_how_fast(self):
        process = subprocess.Popen([sys.executable, "-E", "-s", str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        said, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(json.loads(said).keys(), {"copied_gb_per_s", "in_cache_gb_per_s"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
