"""fake_ecbench, which invents its times (src/test/fake), verifies real bytes, and its runs are refused outside of tests."""

import itertools
import json
import statistics

import scene

RUN = ["plugin=isa", "k=4", "m=2", "size=4K", "workload=encode", "technique=reed_sol_van", "--min-time", "0.001", "--seed", "1"]
POINT = ["-p", "isa", "-P", "k=4", "-P", "m=2", "-s", "4K", "--format", "json"]
OUTSIDE = {"ECBENCH_FAKE": None}


class Fake(scene.Scene):
    def row(self, *rules, seconds="0.01"):
        return json.loads(self.succeeded(scene.run([self.invent(*rules), *POINT, "--min-time", seconds])).stdout)

    def test_without_its_file_it_measures_nothing(self):
        for words in (POINT, ["--help"], ["--environment"], ["--version"]):
            self.assert_refused(scene.run([scene.FAKE, *words], OUTSIDE), "ECBENCH_FAKE")

    def test_rows_and_environment_say_that_it_is_fake(self):
        self.assertIn("fake", {note["code"] for note in self.row()["notes"]})
        for program, is_fake in ((scene.FAKE, True), (scene.ECBENCH, None)):
            self.assertEqual(json.loads(scene.run([program, "--environment"]).stdout).get("fake"), is_fake)

    def test_its_runs_are_refused_outside_of_tests(self):
        folder = self.folder / "results" / "host"
        folder.mkdir(parents=True)
        runs = [folder / "a.jsonl", folder / "b.jsonl"]
        for run in runs:
            self.assertEqual(scene.ask("run", *RUN, "--ecbench", scene.FAKE, "--output", run).returncode, 0)
        before = sorted(self.folder.rglob("*"))
        for words in (["compare", *runs], ["report", runs[0]], ["report", "--check", runs[0]], ["report", "--contribute", runs[0]],
                      ["fleet", "report", self.folder / "results"], ["report", self.folder / "results"]):
            result = scene.ask(*words, env=OUTSIDE, cwd=self.folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("fake_ecbench invented the times", result.stdout + result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_rules_of_samples(self):
        self.assertAlmostEqual(self.row({"drift": 0.5}, seconds="0.1")["drift_percent"], -20, delta=8)
        self.assertGreater(self.row({"noise": 0.1})["mad_percent"], 3)
        self.assertGreater(self.row({"tails": 0.2})["outliers"], 0)
        self.assertGreater(self.row({"disturbed": 0.5})["clean_samples"], 7)
        times = [sample["seconds"] for sample in self.row({"noise": 0.05, "correlation": 0.95})["samples"]]
        steps = [abs(one - other) for one, other in itertools.pairwise(times)]
        self.assertLess(statistics.mean(steps), statistics.pstdev(times))
