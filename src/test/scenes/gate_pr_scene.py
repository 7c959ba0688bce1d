"""Tests bench.sh gate pr with real builds. gate pr runs gate ir and gate ab, and prints one verdict and one summary of both. It
refuses bad input with one line."""

import json
import shutil
import unittest

import scene

GATE = scene.mode("gate", "pr")
HANDICAPPED = scene.BUILD / "handicapped" / "plugins"
WRONG = scene.BUILD / "wrong_bytes" / "plugins"
GRID = "plugin=isa technique=reed_sol_van k=4 m=2 size=4K workload=encode"


class PrScene(scene.Scene):
    def gate(self, *arguments, env=None):
        return scene.run([*GATE, *arguments], env=env)


@unittest.skipIf(shutil.which("valgrind") is None, "valgrind is not installed")
@unittest.skipIf(scene.is_sanitized(), "valgrind runs no program with a sanitizer")
class Checks(PrScene):
    def check(self, build, threshold, **env):
        """Compares scene.BUILD (OLD) with `build` (NEW). Returns the finished process, the JSON result and the Markdown summary."""
        words = ["--build", build, "--grid", GRID, "--launches", "6", "--pairs", "2", "--threshold", threshold,
                 "--json", self.folder / "pr.json", "--markdown", self.folder / "pr.md"]
        result = self.gate(scene.BUILD, *words, env=env)
        if "valgrind/callgrind.h" in result.stderr:
            self.skipTest("ecbench was built without valgrind/callgrind.h")
        self.assertIn(result.returncode, (0, 2, 3), result.stderr)
        outcome = json.loads((self.folder / "pr.json").read_text("utf-8"))
        self.assertEqual(outcome["exit_code"], result.returncode)
        return result, outcome, (self.folder / "pr.md").read_text("utf-8")

    def test_a_build_has_no_regression_against_itself(self):
        result, outcome, markdown = self.check(scene.BUILD, "90")
        self.assertEqual((result.returncode, outcome["ir"]["exit_code"], outcome["ab"]["exit_code"]), (0, 0, 0), result.stdout)
        self.assertEqual([point["outcome"] for point in outcome["ir"]["points"]], ["same"])
        self.assertEqual(markdown.splitlines()[0], f"### ecbench {result.stdout.splitlines()[-1]}")
        for part in ("instructions (gate ir): none of 1 points grew", "#### Instructions per byte", "#### Speed"):
            self.assertIn(part, markdown)

    def test_a_build_that_repeats_its_work_is_a_regression(self):
        result, outcome, markdown = self.check(HANDICAPPED, "10", ECBENCH_HANDICAP_PERCENT="100")
        self.assertEqual((result.returncode, outcome["verdict"]), (3, "regression"), result.stdout)
        self.assertEqual([point["outcome"] for point in outcome["ir"]["points"]], ["grown"])
        self.assertTrue(markdown.startswith("### ecbench gate pr: REGRESSION\n"), markdown)

    def test_wrong_bytes_have_a_summary_too(self):
        for kind, checks in (("at-once", [False, False]), ("consistent", [True, False])):
            result, outcome, markdown = self.check(WRONG, "90", ECBENCH_WRONG_BYTES=kind)
            self.assertEqual((result.returncode, outcome["verdict"]), (2, "wrong bytes"), result.stdout)
            self.assertEqual([outcome[check] is not None for check in ("ir", "ab")], checks)
            self.assertIn("WRONG BYTES: isa", markdown)


class BadInput(PrScene):
    def test_prints_one_line(self):
        can_count = shutil.which("valgrind") and (scene.SOURCE / "build" / "ecbench").exists()
        for words, said in (*([(["/nonexistent/build"], "neither a directory nor a git revision")] if can_count else []),
                            ([""], "BASE '' is not allowed"),
                            ([scene.BUILD, scene.BUILD], "one argument too many"),
                            ([scene.BUILD, "--codec-lib", "system", "system"], "leave one out"),
                            (["--codec-lib", "system", "/nonexistent"], "/nonexistent"),
                            ([scene.BUILD, "--grid", "nosuch"], "nosuch"), ([scene.BUILD, "--threshold", "0"], "--threshold"),
                            ([scene.BUILD, "--json", self.folder], "--json"),
                            ([scene.BUILD, "--json", self.folder / "x", "--markdown", self.folder / "x"], "already uses this")):
            with self.subTest(words):
                self.assert_refused(self.gate(*words), said)


if __name__ == "__main__":
    scene.main()
