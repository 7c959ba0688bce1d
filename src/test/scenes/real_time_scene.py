"""bench.sh gate ab and the first answer of bench.sh in real time."""

import unittest

import scene
from bench_scene import rows_of
from gate_ab_scene import SHORT, GateScene

WRONG = scene.TEST_PLUGINS / "libec_wrong_later.so"
RIGHT = scene.TEST_PLUGINS / "right"  # the same plugin without its faults


class Gate(GateScene):
    def test_a_build_that_is_slower_is_a_regression_and_one_that_is_faster_is_none(self):
        """Other programs may disturb one of the two points. Its verdict may then be inconclusive, or no regression."""
        for code, verdict, *sides in ((3, "slower", scene.BUILD, scene.HANDICAPPED), (0, "faster", scene.HANDICAPPED, scene.BUILD)):
            result = self.gate(*sides, *SHORT, "--threshold", "10", env={"ECBENCH_HANDICAP_PERCENT": "100"})
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual("REGRESSION" in result.stdout, code == 3)
            verdicts = [line.split()[0] for line in result.stdout.splitlines()[1:3]]
            self.assertIn(verdict, verdicts, result.stdout)
            self.assertLessEqual(set(verdicts), {verdict, "inconclusive", *(["no"] if code == 0 else [])}, result.stdout)

    def test_wrong_bytes_at_once_after_the_check_or_only_unlike_the_old_build(self):
        wrong = self.plugins_of(WRONG)
        for technique, call, said in (("encode", 1, "wrong bytes"), ("encode", 500, "wrong bytes"),
                                      ("other_code", 1, "to different chunks")):
            run = self.folder / f"{technique} {call}.jsonl"
            grid = f"plugin=wrong_later technique={technique} from={call} size=4K,128K workload=encode"
            result = self.gate(RIGHT, wrong, *SHORT, "--grid", grid, "--output", run)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            for word in (f"WRONG BYTES: wrong_later {technique} ", f" from={call} ", "NEW", said):
                self.assertIn(word, result.stderr.splitlines()[-1])
            last = scene.records_of(run)[-1]
            self.assertEqual((last["record"], last["exit_code"]), ("broken_off", 2))
            self.assert_nothing_runs()


class FirstAnswer(scene.Scene):
    @unittest.skipUnless(scene.BUILD == scene.SOURCE / "build", "without variables, bench.sh measures with build/ecbench")
    def test_one_shape(self):
        result = self.succeeded(scene.ask("bench", "k=2", "m=1"))
        self.assertRegex(result.stderr, r"\n(sure|likely|unsure): ")
        rows = rows_of(result.stdout)
        self.assertEqual({row["plugin"] for row in rows}, {"isa", "jerasure"})
        for row in rows:
            for column in ("iter.", "±%", "%limit", "CPU s/GB"):
                self.assertGreater(float(row[column]), 0)
