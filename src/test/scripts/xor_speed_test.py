"""Tests what xor_speed.py measures, and how it judges the results. The tests measure nothing."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "studies"))

import xor_speed


class Lines(unittest.TestCase):
    def test_have_different_names(self):
        self.assertEqual(len({(line.level, line.what) for line in xor_speed.LINES}), len(xor_speed.LINES))

    def test_have_packets_of_an_odd_number_of_cache_lines_where_chunks_are_large(self):
        for line in xor_speed.LINES:
            packetsize = next(int(word.split("=")[1]) for word in line.words.split() if word.startswith("packetsize="))
            with self.subTest(line.what):
                self.assertTrue(packetsize % 128 == 64 or packetsize in (96, 2048))

    def test_have_both_sides_do_the_same_work(self):
        for line in xor_speed.LINES:
            ours, theirs = (xor_speed.words_of(plugin, line.level, line) for plugin in ("simd", "jerasure"))
            self.assertEqual(ours.replace("-p simd", "-p jerasure"), theirs)

    def test_decode_loses_two_data_chunks(self):
        self.assertIn("-w decode --erased 0 --erased 1", xor_speed.decode("6+2", 960, "128K", "avx2", 1, 2).words)


class Verdict(unittest.TestCase):
    def test_compares_with_both_aims(self):
        line = xor_speed.encode("6+2", 960, "128K", "avx512", 5, 6)
        self.assertEqual([xor_speed.verdict(factor, line) for factor in (4.9, 5.0, 6.0)], ["MISSED", "enough", "aim reached"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
