"""Tests bench.sh gate ab in real time: it finds a build that is slower, and a build that computes wrong bytes."""

import scene
from gate_ab_scene import SHORT, GateScene

HANDICAPPED = scene.BUILD / "handicapped" / "plugins"
WRONG = scene.BUILD / "wrong_bytes" / "plugins"


class Handicapped(GateScene):
    def test_a_build_that_is_slower_is_a_regression(self):
        result = self.gate(scene.BUILD, HANDICAPPED, *SHORT, "--threshold", "10", env={"ECBENCH_HANDICAP_PERCENT": "100"})
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("REGRESSION", result.stdout)
        self.assert_verdict("slower", result.stdout)

    def test_a_build_that_is_faster_is_no_regression(self):
        result = self.gate(HANDICAPPED, scene.BUILD, *SHORT, "--threshold", "10", env={"ECBENCH_HANDICAP_PERCENT": "100"})
        self.assertEqual(result.returncode, 0, result.stderr)
        # If other programs disturb one of the two points, its verdict may be "no regression".
        self.assert_verdict("faster", result.stdout, "no")

    def assert_verdict(self, verdict, table, *others):
        """Checks that at least one of the two points has this verdict. Other programs may disturb the other point. Its verdict may
        therefore be inconclusive, or begin with one of `others`."""
        verdicts = [line.split()[0] for line in table.splitlines()[1:3]]
        self.assertIn(verdict, verdicts, table)
        self.assertLessEqual(set(verdicts), {verdict, "inconclusive", *others}, table)


class WrongBytes(GateScene):
    def assert_wrong(self, kind, *words):
        run = self.folder / f"{kind}.jsonl"
        result = self.gate(scene.BUILD, WRONG, *SHORT, "--output", run, env={"ECBENCH_WRONG_BYTES": kind})
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for word in ("WRONG BYTES: isa reed_sol_van 4+2 encode", "NEW", *words):
            self.assertIn(word, result.stderr.splitlines()[-1])
        last = self.records(run.name)[-1]
        self.assertEqual((last["record"], last["exit_code"]), ("broken_off", 2))
        self.assert_nothing_runs()

    def test_a_build_that_encodes_wrong(self):
        self.assert_wrong("at-once", "wrong bytes")

    def test_a_build_that_encodes_wrong_after_the_check(self):
        self.assert_wrong("late", "wrong bytes")

    def test_a_build_that_agrees_with_itself_but_not_with_the_old_one(self):
        self.assert_wrong("consistent", "to different chunks")
