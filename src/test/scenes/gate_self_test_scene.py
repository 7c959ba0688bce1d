"""Runs bench.sh gate self-test with one small point. Equal builds have no regression, the handicapped build has a regression, and
the results are stored. A second call continues an interrupted self-test."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import scene

PROGRAM = scene.mode("gate", "self-test")
GRID = "plugin=isa technique=reed_sol_van k=4 m=2 size=4K workload=encode"


@unittest.skipUnless((scene.BUILD / "handicapped" / "plugins").is_dir(), "the handicapped plugins are not built")
class SelfTest(scene.Scene):
    def words(self, *more):
        return [*PROGRAM, "--build", scene.BUILD, "--work", self.folder / "work", "--results", self.folder / "results",
                "--grid", GRID, "--pairs", "6", "--percent", "100", "--threshold", "30", "--runs", "2", "--handicapped-runs", "1",
                *more]

    def self_test(self, *more):
        return scene.run(self.words(*more))

    def results(self, end):
        (path,) = (self.folder / "results").glob(f"gate-self-test*.{end}")
        return path.read_text(encoding="utf-8")

    def test_equal_builds_pass_and_the_handicapped_one_fails(self):
        busy = len(os.sched_getaffinity(0)) > 1  # the memory copier of --busy needs another CPU
        done = self.self_test(*(["--busy"] if busy else []))
        # Exit code 3: an aim is missed. On a slow machine, a run can take longer than the aim for the wall time.
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(self.results("txt"), done.stdout)
        result = json.loads(self.results("json"))
        self.assertEqual(result["same"]["exit_codes"], [0, 0])
        self.assertEqual(result["handicapped"]["exit_codes"], [3])
        drawn = result["drawn"]
        self.assertEqual((drawn["equal_runs"], drawn["equal_alarms"], drawn["slow_runs"], drawn["slow_caught"]), (200, 0, 200, 200))
        self.assertLess(result["per_point"][0]["handicapped_median_percent"], -33)  # a build with half the speed has -50 %
        if busy:
            self.assertGreater(result["copier"][0]["copied_gb_per_s"], 0)
        self.assertEqual(list((self.folder / "work").glob("copy*")), [])

    def test_continues_where_it_was_interrupted(self):
        environment = scene.environment()
        process = subprocess.Popen([str(word) for word in self.words()], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = self.folder / "work" / "same-00.json"
        while not first.exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, told)
        kept = first.read_bytes(), pathlib.Path(f"{first}l").read_bytes()
        done = self.self_test()
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("1 of 3 runs exist already", done.stderr)
        self.assertEqual((first.read_bytes(), pathlib.Path(f"{first}l").read_bytes()), kept)

    def test_bad_input_prints_one_line(self):
        self.assert_refused(self.self_test("--build", self.folder), "ecbench", "make")
        self.assert_refused(self.self_test("--runs", "0"), "--runs")
        self.assert_refused(self.self_test("--runs", "many"), "many")
        self.assert_refused(self.self_test("--percent", "0"), "--percent")
        self.assert_refused(self.self_test("--grid", "no-such-grid"), "no-such-grid")
        plain = self.folder / "plain"
        shutil.copytree(scene.PLUGINS, plain / "plugins")
        (plain / "ecbench").symlink_to(scene.ECBENCH)
        self.assert_refused(self.self_test("--build", plain), "has no handicapped/plugins")


if __name__ == "__main__":
    scene.main()
