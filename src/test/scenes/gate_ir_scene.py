"""gate ir must detect an additional instruction in the inner loop of a plugin, and print the name of the function that contains the
loop. Two counts of the same build must be equal."""

import json
import unittest

import scene

BEFORE, AFTER = (scene.BUILD / "test_plugins" / f"counted_{when}" for when in ("before", "after"))
GRID = "plugin=counted size=4K workload=encode"


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
        # In a 2+1 code, one iteration of the loop processes two bytes of the object. One additional instruction in the loop
        # therefore increases the count per byte by 0.5.
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
