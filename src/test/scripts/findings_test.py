"""Tests findings.py, which prints findings about packetsizes. results/README.md must contain the text that findings.py prints."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "scripts" / "studies")]
sys.path.insert(0, str(SOURCE / "src" / "test" / "page"))

import packetsizes
import synthetic_run
from ecbench.point.point import make_point
from ecbench.runfile.summary import PointSummary

README = SOURCE / "results" / "README.md"


def summary(gb_per_s, packetsize=None, padding=0.0, plugin="jerasure", technique="cauchy_good", size=1 << 20, k=6, half=0.1):
    profile = {"k": k, "m": 2, "technique": technique, **({"packetsize": packetsize} if packetsize else {})}
    point = make_point(plugin, profile, "encode", size, 0)
    return PointSummary(point.id, point, None, 2, gb_per_s, gb_per_s - half, gb_per_s + half, 100 * half / gb_per_s, False, None,
                        None, None, None, padding, [], samples=8)


def answer_of(*summaries):
    only, = packetsizes.answers_of(packetsizes.cases_of(list(summaries)))
    return only


class Answers(unittest.TestCase):
    def test_3072_holds_if_it_is_not_significantly_slower_than_the_best(self):
        self.assertTrue(answer_of(summary(10, 8192), summary(9.9, 3072)).advised_holds)
        self.assertTrue(answer_of(summary(9, 8192), summary(10, 3072)).advised_holds)
        self.assertFalse(answer_of(summary(10, 8192), summary(9.7, 3072)).advised_holds)
        self.assertIsNone(answer_of(summary(10, 8192), summary(9.7, 1024)).advised_holds)

    def test_noise_neither_confirms_nor_refutes(self):
        answer = answer_of(summary(10, 8192, half=3), summary(8, 3072, half=3))
        self.assertIsNone(answer.advised_holds)
        self.assertIn("is inconclusive", packetsizes.verdict([answer]))
        self.assertNotRegex(packetsizes.verdict([answer]), "[0-9] %")
        self.assertIn("1 inconclusive", packetsizes.size_table([answer]))

    def test_its_loss_is_relative_to_the_fastest(self):
        self.assertAlmostEqual(answer_of(summary(10, 8192), summary(8, 3072)).advised_loss, 20)
        self.assertEqual(answer_of(summary(9, 8192), summary(10, 3072)).advised_loss, 0)

    def test_another_packetsize_may_be_the_best_if_padding_is_counted(self):
        answer = answer_of(summary(10, 1024), summary(9, 8192, padding=25.0))
        self.assertEqual((answer.best.packetsize, answer.best_by_padded_bytes.packetsize), (1024, 8192))

    def test_other_k_and_single_packetsizes_give_no_answer(self):
        cases = packetsizes.cases_of([summary(10, 512, k=4), summary(9, 3072, k=4), summary(9, 3072)])
        self.assertEqual(packetsizes.answers_of(cases), [])

    def test_codes_without_packets_are_compared_with_the_fastest_packetsize(self):
        table = packetsizes.other_codes_table(packetsizes.cases_of([summary(10, 512), summary(9, 3072), summary(19, plugin="isa")]))
        self.assertIn("isa cauchy_good |", table.splitlines()[0])
        self.assertIn("packetsize 512 | 10.0", table)
        self.assertIn("1.90x", table)

    def test_the_verdict_follows_the_count(self):
        good = answer_of(summary(9, 512), summary(10, 3072))
        bad = answer_of(summary(10, 512, size=4096), summary(5, 3072, size=4096))
        self.assertIn("tied for the fastest in 1 of 1 case.", packetsizes.verdict([good]))
        self.assertIn("in 1 of 2 cases", packetsizes.verdict([good, bad]))
        self.assertIn("tied for the fastest in 0 of 1 case.", packetsizes.verdict([bad]))
        self.assertIn("50.0 % slower", packetsizes.verdict([bad]))


class Program(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.run_file = self.folder / "some.jsonl"
        synthetic_run.write_run(self.run_file, synthetic_run.points(sizes=(131072,), packetsizes=(512, 3072)))
        self.readme = self.folder / "README.md"
        self.readme.write_text("# Before\n\n<!-- findings of -->\n<!-- end of findings -->\n\nAfter.\n")

    def findings(self, *arguments):
        return subprocess.run([sys.executable, "-E", "-s", SOURCE / "scripts" / "studies" / "findings.py", *arguments],
                              capture_output=True, text=True, check=False)

    def assert_refused(self, result, *words):
        self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (1, "", 1), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_what_it_writes_is_what_it_prints_and_passes_the_check(self):
        self.assertEqual(self.findings("--write", self.readme, self.run_file).stderr, "")
        text = self.readme.read_text()
        printed = self.findings(self.run_file).stdout.replace(str(self.run_file), "some.jsonl")
        self.assertEqual(text, f"# Before\n\n<!-- findings of some.jsonl -->\n\n{printed}\n<!-- end of findings -->\n\nAfter.\n")
        self.assertEqual(self.findings("--check", self.readme).returncode, 0)
        self.assertEqual(self.findings("--write", self.readme, self.run_file).returncode, 0)
        self.assertEqual(self.readme.read_text(), text)

    def test_the_check_detects_an_edited_figure_and_another_run(self):
        self.findings("--write", self.readme, self.run_file)
        self.readme.write_text(self.readme.read_text().replace(" GB/s |", " GB/s  |", 1))
        self.assert_refused(self.findings("--check", self.readme), "README.md", "--write")
        self.findings("--write", self.readme, self.run_file)
        synthetic_run.write_run(self.run_file, synthetic_run.points(sizes=(131072,), packetsizes=(512, 3072)), factor=2)
        self.assert_refused(self.findings("--check", self.readme), "--write")

    def test_a_file_without_the_markers_is_not_changed(self):
        self.readme.write_text("# Mine\n")
        self.assert_refused(self.findings("--write", self.readme, self.run_file), "0 places")
        self.assertEqual(self.readme.read_text(), "# Mine\n")

    def test_a_run_of_one_packetsize_is_refused(self):
        synthetic_run.write_run(self.run_file, synthetic_run.points(sizes=(4096,), packetsizes=(3072,)))
        self.assert_refused(self.findings(self.run_file), "several packetsizes")

    def test_arguments_that_do_not_fit_are_refused(self):
        self.assert_refused(self.findings(), "run file")
        self.assert_refused(self.findings("--check", self.readme, self.run_file), "--check")
        self.assert_refused(self.findings("--check", self.readme), "contains no run")
        self.assert_refused(self.findings(self.folder / "none.jsonl"), "none.jsonl")


class Readme(unittest.TestCase):
    def test_has_the_findings_of_the_committed_runs(self):
        if not list((SOURCE / "results").glob("*/packetsize-*.jsonl.gz")):
            self.skipTest("no run of the packetsize grid is kept under results/")
        result = subprocess.run([sys.executable, "-E", "-s", SOURCE / "scripts" / "studies" / "findings.py", "--check", README],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
