"""A verdict needs figures on both sides. If all measurements of a run fail, each mode ends with exit code 1. If all measurements of
one side fail, the exit code is 1, or the verdict is inconclusive. In both cases, no sentence names a winner."""

import dataclasses
import itertools
import os
import platform
import re
import shlex
import shutil
import unittest

import scene

# How a measurement can fail: a command of the script that replaces ecbench. With the last command, the script cannot be run again.
FAILURES = {"killed": "kill -KILL $$", "refused": "exit 1", "broken": "exit 3", "no row": "echo '{}'; exit 0"}
# A row of 0 GB/s, which ecbench never prints.
ZERO = f"""{shlex.quote(str(scene.ECBENCH))} --erasure-code-dir {shlex.quote(str(scene.PLUGINS))} "$@" |
sed -E 's/"gb_per_s":[0-9.e+]+/"gb_per_s":0.0/'; exit 0"""
NOT_EXECUTABLE = 'case "$*" in *--environment*) chmod a-x "$0" ;; esac'
ROUNDS = ["--rounds", "6", "--min-time", "0.001", "--seed", "1"]
WINNER = re.compile(
    r"(?<!(?:each|hich) library )(?<!which profile )(?<!which technique )\b(is|are)( each)? the fastest"
    r"|fastest of \d+ profiles: (?!inconc)|fastest is |Best profile for 6\+2, |^recommended: |^Take "
    r"|with \w+ (from \d|for no measured)|p99 (reaches|does not reach) .* at |tied for the fastest in [1-9]|no regression"
    r"|^ +(isa|simd) +[1-9]\d* +\d+$|significantly (slower|faster) than the|, [1-9]\d* (faster|slower),"
    r"|REGRESSION|none of \d+ points grew|\b(grown|shrunk|shrank)\b", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Mode:
    words: list[str]
    side: str  # shell pattern for the arguments of the measurements of one side
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    has_verdict: bool = True  # False: the mode prints only a table


SHAPE = ["k=4", "m=2", "size=4K"]
CODES = [*SHAPE, "plugin=isa,simd", "technique=reed_sol_van", "workload=encode"]
MODES = {
    "run": Mode([*CODES, "--repetitions", "6", "--min-time", "0.001"], "--plugin simd"),
    "tune": Mode([*CODES, "--rounds", "6", "--seed", "1"], "--plugin simd"),
    "contenders": Mode(["k=4", "m=2", "size=4K", "cache=warm", "workload=encode", "library=isa,simd", *ROUNDS], "--plugin simd"),
    "contenders, several candidates": Mode(["k=4", "m=2", "size=4K", "cache=warm", "workload=encode", "library=isa,jerasure-xor",
                                            *ROUNDS], "--plugin jerasure"),
    "mixed": Mode(["plugin=isa", *SHAPE, "shares=encode=100", "repair=1M", "pool=1M", "--rounds", "1", "--duration", "0.05"],
                  "--repair-rate 1"),
    "mixed, unlimited": Mode(["plugin=isa", *SHAPE, "shares=encode=100", "pool=1M", "--rounds", "1", "--duration", "0.05"],
                             "--repair-rate unlimited"),
    "plan": Mode(["hosts=8", "drives=4x1T", "k=4", "m=2", "plugin=isa,clay", "object=64K", "--rounds", "1", "--min-time", "0.001"],
                 "--plugin clay"),
    "bench": Mode(["k=6", "m=2"], "--plugin jerasure", {"SIZE": "4096", "ITERATIONS": "1", "PLUGINS": "isa jerasure",
                                            "TECHNIQUES": "reed_sol_van"}),
}
MORE_KINDS = {"run": ("not executable", "zero"), "mixed": ("not executable",),
              "tune": ("zero",), "contenders": ("zero",)}
POINT = "plugin=isa technique=reed_sol_van k=4 m=2 size=1K workload=encode"
GATES = {"ab": ["--launches", "7", "--pairs", "2"], "ir": ["--native=only"]}


class Verdicts(scene.Scene):
    def program(self, failure, side="", name="ecbench"):
        """A script that runs ecbench, except for measurements whose arguments contain `side`."""
        options = f"--erasure-code-dir {shlex.quote(str(scene.PLUGINS))}"
        fails = (f'case "$*" in *--min-time*|*--duration*|*--iterations*|*--serve-slices*)\n'
                 f'  case "$*" in *{shlex.quote(side)}*) {failure} ;; esac ;;\nesac' if failure != NOT_EXECUTABLE else failure)
        soon = 'case "$*" in *--patience*) ;; *--min-time*) set -- "$@" --patience 0.05 ;; esac'  # other programs run
        return self.write_program(name, f'#!/bin/sh\n{fails}\n{soon}\nexec {shlex.quote(str(scene.ECBENCH))} {options} "$@"\n')

    def run_mode(self, name, program):
        one = MODES[name]
        words = name.partition(",")[0].split()
        if name != "bench":
            words += ["--ecbench", program]
        results = self.folder / f"results {len(os.listdir(self.folder))}"
        return scene.run(scene.mode(*words, *one.words), {
            **one.environment, "ECBENCH_RESULTS_DIR": results, "ECBENCH_PLUGIN_DIR": None,
            "CEPH_ERASURE_CODE_BENCHMARK": program if name == "bench" else None}), results

    def assert_no_winner(self, result):
        self.assertIsNone(WINNER.search(result.stdout + result.stderr), result.stdout + result.stderr)

    def test_the_pattern_of_winners_finds_the_verdicts_of_complete_runs(self):
        for name, one in MODES.items():
            with self.subTest(name):
                result, _ = self.run_mode(name, self.program("true", name=f"{name}/ecbench"))
                self.assertEqual(result.returncode, 0, result.stderr)
                if one.has_verdict and "inconclusive" not in result.stdout + result.stderr:
                    self.assertRegex(result.stdout + result.stderr, WINNER)

    def test_without_any_figure_the_exit_code_is_1(self):
        for name in MODES:
            for kind in ("killed", *MORE_KINDS.get(name, ())):
                with self.subTest(mode=name, kind=kind):
                    failure = {**FAILURES, "not executable": NOT_EXECUTABLE, "zero": ZERO}[kind]
                    result, _ = self.run_mode(name, self.program(failure, name=f"{name} {kind}/ecbench"))
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertNotIn("Traceback", result.stderr)
                    self.assert_no_winner(result)

    def test_without_figures_of_one_side_the_verdict_is_inconclusive(self):
        for number, (name, one) in enumerate(MODES.items()):
            kind = list(FAILURES)[number % len(FAILURES)]
            if name == "bench" and kind == "refused":  # as in Ceph, rows that the program refuses are left out
                kind = "killed"
            with self.subTest(mode=name, kind=kind):
                result, _ = self.run_mode(name, self.program(FAILURES[kind], one.side, f"{name} one/ecbench"))
                self.assertIn(result.returncode, (0, 1), result.stderr)
                if one.has_verdict and result.returncode == 0:
                    self.assertIn("inconclusive", result.stdout)
                self.assert_no_winner(result)

    def test_a_gate_without_figures_of_one_side_or_both_ends_with_1(self):
        for number, (gate, kind) in enumerate(itertools.product(GATES, FAILURES)):
            if gate == "ir" and scene.is_sanitized():  # single-stepping takes too long
                continue
            program = self.program(FAILURES[kind], name=f"{number}/ecbench")
            (program.parent / "plugins").symlink_to(scene.PLUGINS)
            for sides in ((scene.BUILD, program.parent), (program.parent, scene.BUILD), (program.parent, program.parent)):
                with self.subTest(gate=gate, kind=kind, sides=sides):
                    result = self.gate(gate, *sides)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertNotIn("Traceback", result.stderr)
                    self.assert_no_winner(result)

    @unittest.skipIf(scene.is_sanitized(), "single-stepping a sanitizer takes too long")
    def test_the_pattern_of_winners_finds_the_verdict_of_gate_ir(self):
        result = self.gate("ir", scene.BUILD, scene.BUILD)
        if "not possible here" in result.stderr:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, WINNER)

    def gate(self, gate, *sides):
        return scene.run(scene.mode("gate", gate, *sides, "--grid", POINT, *GATES[gate]), {"ECBENCH_PLUGIN_DIR": None})

    def test_runs_without_figures_are_not_compared(self):
        """Modes that only read runs: a run in which one side failed, and a run in which everything failed."""
        runs = {}
        for name, side in (("all", ""), ("one", "--plugin simd"), ("none", "no such argument")):
            result, folder = self.run_mode("run", self.program(FAILURES["killed"], side, f"sweep {name}/ecbench"))
            self.assertEqual(result.returncode, int(name == "all"), result.stderr)
            runs[name], = folder.rglob("*.jsonl")
            target = self.folder / f"fleet {name}" / platform.node().partition(".")[0] / "run.jsonl"
            target.parent.mkdir(parents=True)
            shutil.copy(runs[name], target)
        for words, code in ((["compare", runs["all"], runs["none"]], 1), (["compare", runs["all"], runs["all"]], 1),
                            (["fleet", "report", self.folder / "fleet all"], 1),
                            (["fleet", "report", self.folder / "fleet one"], 0)):
            with self.subTest(words=words):
                result = scene.run(scene.mode(*words))
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertTrue(code == 1 or "inconclusive" in result.stdout, result.stdout)
                self.assert_no_winner(result)
        if not scene.HAS_PAGES:
            return
        for name, code in (("all", 1), ("one", 0)):
            result = scene.run(scene.mode("report", runs[name], "--output", self.folder / f"{name}.html"))
            self.assertEqual(result.returncode, code, result.stderr)
            summary = (self.folder / f"{name}.md").read_text()
            self.assertTrue(code == 1 or "inconclusive" in summary, summary)
            self.assertIsNone(WINNER.search(summary), summary)


if __name__ == "__main__":
    scene.main()
