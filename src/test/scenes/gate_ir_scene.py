"""Counts of instructions: gate ir finds an additional one in the inner loop of a plugin, and names the function."""

import json
import shutil
import unittest

import scene

BEFORE, AFTER = (scene.TEST_PLUGINS / f"counted_{when}" for when in ("before", "after"))
GRID = "plugin=counted size=4K workload=encode"
POINT = ["-p", "example", "-s", "512", "-i", "2"]


class GateIr(scene.Scene):
    def gate(self, *words, old=BEFORE, new=BEFORE, grid=GRID):
        return scene.run([*scene.mode("gate", "ir"), "--ecbench", scene.ECBENCH, old, new, "--grid", grid, *words])

    def assert_finds_the_instruction(self, *words, grid=GRID):
        result = self.gate(*words, "--json", self.folder / "gate.json", "--markdown", self.folder / "gate.md", new=AFTER, grid=grid)
        self.assertEqual(result.returncode, 3, result.stderr)
        point, = json.loads((self.folder / "gate.json").read_text())["points"]
        function = point["functions"][0]
        self.assertEqual((point["outcome"], function["function"], function["object"]),
                         ("grown", "counted_inner_loop", "libec_counted.so"))
        # In a 2+1 code, one iteration of the loop processes two bytes of the object.
        self.assertAlmostEqual(function["new"] - function["old"], 0.5, places=2)
        self.assertIn("| grown |", (self.folder / "gate.md").read_text())
        self.assertEqual(self.gate(*words, old=AFTER, new=BEFORE, grid=grid).returncode, 0)

    def assert_equal_counts(self, *words, grid=GRID):
        self.succeeded(self.gate(*words, "--json", self.folder / "same.json", grid=grid))
        point, = json.loads((self.folder / "same.json").read_text())["points"]
        self.assertEqual(point["old"], point["new"])


class ByCallgrind(GateIr, scene.UnderCallgrind):
    def test_an_added_instruction_is_detected_and_named(self):
        self.assert_finds_the_instruction()
        self.assert_equal_counts()

    def test_the_tolerance_of_the_line(self):
        grid = self.folder / "grid.toml"
        for tolerance, code in ((10, 3), (20, 0)):
            grid.write_text(f'points = ["{GRID} tolerance={tolerance}"]\n')
            self.assertEqual(self.gate(new=AFTER, grid=grid).returncode, code)


@unittest.skipIf(scene.is_sanitized(), "a sanitizer adds many instructions, and single-stepping them takes too long")
class Natively(GateIr):
    def setUp(self):
        super().setUp()
        probe = scene.ecbench("--erasure-code-dir", BEFORE, "-p", "counted", "-s", "64", "-i", "1", "--count-instructions")
        if "not possible here" in probe.stderr:
            self.skipTest(probe.stderr)

    def test_an_added_instruction_is_detected_and_named(self):
        grid = "plugin=counted size=1K workload=encode"
        self.assert_finds_the_instruction("--native=only", grid=grid)
        self.assert_equal_counts("--native=only", grid=grid)


def counted(*args):
    return scene.ecbench(*POINT, "--format", "json", "--count-instructions", *args)


class CountInstructions(scene.Scene):
    def setUp(self):
        super().setUp()
        probe = counted()
        if "not possible here" in probe.stderr:
            self.skipTest(probe.stderr)
        self.assertEqual(probe.returncode, 0, probe.stderr)
        self.row = json.loads(probe.stdout)

    def test_a_row_has_reproducible_counts(self):
        again = json.loads(counted().stdout)
        self.assertGreater(self.row["instructions_per_iteration"], 16)
        for key in ("instructions_per_iteration", "repetitions_per_iteration"):
            self.assertEqual(self.row[key], again[key])
        self.assertTrue(self.row["verified"])
        self.assertTrue(self.row["command"].endswith(" --count-instructions"))
        cells = scene.cells_of(scene.ecbench(*POINT, "--count-instructions").stdout)
        self.assertEqual(float(cells["instr./iter."]), self.row["instructions_per_iteration"])

    def test_what_is_not_allowed(self):
        for words, said in ((["--threads", "2"], "--threads 2"), (["--format", "ceph"], "--format ceph")):
            self.assert_refused(scene.ecbench(*POINT, "--count-instructions", *words), said, "--count-instructions")
        self.assert_refused(scene.ecbench(*POINT, "--instructions-out", "x", cwd=self.folder), "--count-instructions")
        self.assert_refused(counted("--instructions-out", self.folder), "--instructions-out", str(self.folder))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_is_refused_if_the_runtime_of_a_plugin_has_threads(self):
        runtime = ["--erasure-code-dir", scene.TEST_PLUGINS, "-p", "runtime", "-s", "4K"]
        self.assert_refused(scene.ecbench(*runtime, "--count-instructions"), "--count-instructions", "plugin runtime")

    @unittest.skipIf(shutil.which("valgrind") is None, "valgrind is not installed")
    @unittest.skipIf(scene.is_sanitized(), "valgrind runs no program with a sanitizer")
    def test_is_refused_under_valgrind(self):
        result = scene.run(["valgrind", "-q", "--tool=none", scene.ECBENCH, *POINT, "--count-instructions"])
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"(?m)^ecbench: --count-instructions is not allowed under valgrind")
