"""Two counts of bench.sh gate ir must be equal if the build is the same. gate ir must detect an additional instruction in the inner
loop of a plugin, and print the name of the function that contains the loop."""

import json
import shutil
import sys
import unittest

import scene

sys.path.insert(0, str(scene.SOURCE / "scripts"))

from ecbench.gate.ir.baseline import as_text
from ecbench.gate.ir.fingerprint import key_of

BEFORE, AFTER = (scene.BUILD / "test_plugins" / f"counted_{when}" for when in ("before", "after"))
GRID = "plugin=counted size=4K workload=encode"


class GateIr(scene.Scene):
    def setUp(self):
        super().setUp()
        self.baseline = self.folder / "baseline.json"

    def gate(self, *words, plugins=BEFORE, grid=GRID):
        return scene.run([*scene.mode("gate", "ir"), "--ecbench",
                          scene.ECBENCH,
                          "--build", plugins, "--grid", grid, *words])

    def held(self, *words, **sides):
        return self.gate("--baseline", self.baseline, *words, **sides)

    def make_baseline(self, *words):
        result = self.held("--update", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.baseline.read_bytes()


@unittest.skipIf(shutil.which("valgrind") is None, "valgrind is not installed")
@unittest.skipIf(scene.is_sanitized(), "valgrind runs no program with a sanitizer")
class ByCallgrind(GateIr):
    def setUp(self):
        super().setUp()
        environment = scene.run([scene.ECBENCH, "--environment", "--erasure-code-dir", BEFORE, "-p", "counted"])
        if not json.loads(environment.stdout)["ecbench"]["client_requests"]:
            self.skipTest("ecbench was built without valgrind/callgrind.h")

    def test_an_added_instruction_is_detected_and_named(self):
        first = self.make_baseline()
        self.assertEqual(self.make_baseline(), first, "a second count or its text differs from the first")
        result = self.held("--json", self.folder / "gate.json", "--markdown", self.folder / "gate.md", plugins=AFTER)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^  counted_inner_loop in libec_counted\.so: \d\.\d+ before, \d\.\d+ now$")
        self.assertIn("REGRESSION: 1 of 1 points grew", result.stdout)
        point, = json.loads((self.folder / "gate.json").read_text())["points"]
        self.assertEqual(point["functions"][0]["function"], "counted_inner_loop")
        # In a 2+1 code, one iteration of the loop processes two bytes of the object. One additional instruction in the loop
        # therefore increases the count per byte by 0.5.
        self.assertAlmostEqual(point["functions"][0]["now"] - point["functions"][0]["before"], 0.5, places=2)
        self.assertIn("**grown**", (self.folder / "gate.md").read_text())
        # After --update, the baseline contains the accepted counts. Fewer instructions are not a regression.
        self.assertEqual(self.held("--update", plugins=AFTER).returncode, 0)
        result = self.held(plugins=BEFORE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--update writes them to the baseline", result.stdout)

    def test_another_build_needs_no_baseline(self):
        grid = self.folder / "grid"
        for tolerance, code in ((10, 3), (20, 0)):
            grid.write_text(f"{GRID} tolerance={tolerance}\n")
            result = self.gate("--against", BEFORE, plugins=AFTER, grid=grid)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual("counted_inner_loop in libec_counted.so" in result.stdout, code == 3, result.stdout)

    def test_an_unknown_fingerprint_is_no_regression(self):
        entries = json.loads(self.make_baseline())["entries"]
        entry, = entries.values()
        entry["fingerprint"]["valgrind"] = "2.0.0"
        self.baseline.write_text(as_text({key_of(entry["fingerprint"]): entry}))
        before = self.baseline.read_bytes()
        result = self.held(plugins=AFTER)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"no baseline .*valgrind: 2\.0\.0 before, \d+\.\d+\S* now")
        self.assertEqual(self.held("--require-baseline", plugins=AFTER).returncode, 4)
        self.assertEqual(self.baseline.read_bytes(), before, "the baseline was written without --update")

    def test_wrong_bytes(self):
        shutil.copy(scene.BUILD / "test_plugins" / "libec_wrong_encode.so", self.folder)
        result = self.held("--update", plugins=self.folder, grid="plugin=wrong_encode size=4K workload=encode")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"\Aecbench: WRONG BYTES: .*wrong_encode.*\n\Z")
        self.assertFalse(self.baseline.exists())


@unittest.skipIf(scene.is_sanitized(), "a sanitizer adds many instructions, and single-stepping them takes too long")
class Natively(GateIr):
    def setUp(self):
        super().setUp()
        probe = scene.run([scene.ECBENCH, "--erasure-code-dir", BEFORE, "-p", "counted", "-s", "64", "-i", "1",
                           "--count-instructions"])
        if "not possible here" in probe.stderr:
            self.skipTest(probe.stderr)

    def test_an_added_instruction_is_detected_and_named(self):
        grid = "plugin=counted size=1K workload=encode"
        first = self.make_baseline("--native=only", "--grid", grid)
        self.assertEqual(self.make_baseline("--native=only", "--grid", grid), first)
        result = self.held("--native=only", "--grid", grid, plugins=AFTER)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("counted_inner_loop in libec_counted.so", result.stdout)


class Refusals(GateIr):
    def test_a_corrupt_baseline_prints_one_line(self):
        for text in ("", "{", "[]", '{"format": "ecbench gate ir baseline 1"}', "\udcff",
                     '{"format": "ecbench gate ir baseline 1", "entries": {"0": {"fingerprint": {}, "points": {}}}}'):
            self.baseline.write_text(text, errors="surrogateescape")
            for words in ((), ("--update",)):
                self.assert_refused(self.held("--native=only", *words), "baseline.json")
            self.assertEqual(self.baseline.read_text(errors="surrogateescape"), text, "the baseline was changed")

    def test_a_missing_build_or_baseline_prints_one_line(self):
        self.assert_refused(self.gate("--native=only", "--against", self.folder / "nowhere"), "nowhere", "OLD")
        self.assert_refused(self.gate("--native=only", plugins=self.folder / "nowhere"), "nowhere", "NEW")
        self.assert_refused(self.gate("--native=only", plugins=self.folder), str(self.folder))
        self.assert_refused(self.held("--native=only"), "baseline.json", "--update")

    def test_contradictory_options_print_one_line(self):
        self.assert_refused(self.gate("--against", BEFORE, "--update"), "--update", "--against")
        self.assert_refused(self.gate("--json", self.folder / "no" / "such"), "--json")
        self.assert_refused(self.gate("--native=maybe"), "maybe")
        self.assert_refused(self.gate("--native=only", "no such point"), "no such point", "counted")


if __name__ == "__main__":
    scene.main()
