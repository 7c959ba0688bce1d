"""The counts of --count-instructions are exact and reproducible. --instructions-out writes the count of each address. If
the counts would be meaningless, ecbench refuses --count-instructions."""

import json
import shutil
import unittest

import scene

POINT = ["-p", "example", "-s", "512", "-i", "2"]


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
        table = scene.ecbench(*POINT, "--count-instructions").stdout
        header, values = (line.split("\t") for line in table.splitlines())
        self.assertEqual(float(dict(zip(header, values))["instr./iter."]), self.row["instructions_per_iteration"])

    def test_what_is_not_allowed(self):
        for words, said in ((["--threads", "2"], "--threads 2"), (["--format", "ceph"], "--format ceph")):
            self.assert_refused(scene.ecbench(*POINT, "--count-instructions", *words), said, "--count-instructions")
        self.assert_refused(scene.ecbench(*POINT, "--instructions-out", "x", cwd=self.folder), "--count-instructions")
        self.assert_refused(counted("--instructions-out", self.folder), "--instructions-out", str(self.folder))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_is_refused_if_the_runtime_of_a_plugin_has_threads(self):
        runtime = ["--erasure-code-dir", scene.BUILD / "test_plugins", "-p", "runtime", "-s", "4K"]
        self.assert_refused(scene.ecbench(*runtime, "--count-instructions"), "--count-instructions", "plugin runtime")

    @unittest.skipIf(shutil.which("valgrind") is None, "valgrind is not installed")
    @unittest.skipIf(scene.is_sanitized(), "valgrind runs no program with a sanitizer")
    def test_is_refused_under_valgrind(self):
        result = scene.run(["valgrind", "-q", "--tool=none", scene.ECBENCH, *POINT, "--count-instructions"])
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"(?m)^ecbench: --count-instructions is not allowed under valgrind")
