"""Tests what simd_speed.py compares, and how it judges the results. The tests measure nothing."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "studies"))

import simd_speed

LINES = [line for lines in simd_speed.SECTIONS.values() for line in lines]


class Lines(unittest.TestCase):
    def test_measure_plugin_simd_or_codes_with_backend_simd(self):
        for line in LINES:
            with self.subTest(line.what):
                self.assertTrue("-p simd" in line.ours or "backend=simd" in line.ours)
                self.assertTrue("simd" not in line.theirs or "transform=direct" in line.theirs)

    def test_have_different_names(self):
        self.assertEqual(len({line.what for line in LINES}), len(LINES))

    def test_have_both_sides_do_the_same_work(self):
        for line in LINES:
            if line.theirs:
                with self.subTest(line.what):
                    self.assertEqual(*(words.split("-s ")[1] for words in (line.ours, line.theirs)))

    def test_need_the_plugins_of_both_sides(self):
        needed = {plugin for line in LINES for plugin in simd_speed.missing_plugins(line, set())}
        self.assertEqual(needed, {"simd", "isa", "jerasure", "klauspost", "lrc", "shec", "clay"})
        against_limit = next(line for line in LINES if not line.theirs)
        self.assertEqual(simd_speed.missing_plugins(against_limit, {"simd"}), [])

    def test_limit_each_side_only_to_a_dispatch_level_that_it_has(self):
        line = simd_speed.against("isa", "k=6 m=2", "4K", 4.0)
        limited = simd_speed.at_level(line, "avx2-gfni", {"simd": ["avx2-gfni", "native"], "isa": ["avx2", "native"]})
        self.assertEqual((limited.ours, limited.theirs), (line.ours + " --dispatch avx2-gfni", line.theirs))


class Verdict(unittest.TestCase):
    def test_compares_aims_only_with_the_fast_kernel(self):
        line = simd_speed.against("isa", "k=6 m=2", "4K", 4.0)
        self.assertEqual(simd_speed.verdict(3.9, line, "GFNI AVX-512"), "MISSED")
        self.assertEqual(simd_speed.verdict(4.0, line, "GFNI AVX-512"), "reached")
        self.assertEqual(simd_speed.verdict(3.9, line, "AVX2 shuffle"), "not compared")

    def test_compares_fft_lines_also_with_the_avx2_kernel(self):
        line = simd_speed.by_fft("cauchy", "k=16 m=8", None, 2.2)
        self.assertEqual([simd_speed.verdict(ratio, line, "AVX2 shuffle") for ratio in (2.1, 2.2)], ["MISSED", "reached"])
        self.assertEqual(simd_speed.verdict(1.0, line, "GFNI AVX-512"), "not compared")

    def test_shows_shares_of_the_limit_in_percent(self):
        self.assertEqual(simd_speed.shown(0.9, simd_speed.share("k=2 m=1", "128K", 0.9)), "90 %")
        self.assertEqual(simd_speed.shown(2.5, simd_speed.against("isa", "k=6 m=2", "4K", 4.0)), "2.50x")


if __name__ == "__main__":
    unittest.main(verbosity=2)
