"""Figures in the formats of tools that watch them over time; report_scene.py tests that --format writes no page."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import synthetic_run
from ecbench.report import program
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import summarize

LONGEST_NAME = 1024  # characters; Bencher
ENTRY = {"name": str, "unit": str, "value": float, "range": str, "extra": str}  # github-action-benchmark; the last two are optional


class Adapters(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench adapters "))
        self.runs = [pathlib.Path(folder, name) for name in ("a.jsonl", "b.jsonl")]
        points = list(synthetic_run.points(sizes=(4096,), packetsizes=(512, 3072)))
        synthetic_run.write_run(self.runs[0], points, failed=(2,))
        synthetic_run.write_run(self.runs[1], points, cpu="Intel(R) Xeon(R) Gold 6336Y", factor=1.4)
        self.measured = [one for one in summarize(read_run(self.runs[0])) if one.gb_per_s]

    def print(self, form, *runs):
        with (mock.patch.object(sys, "argv", ["report", *map(str, runs), "--format", form]),
              contextlib.redirect_stdout(io.StringIO()) as said):
            self.assertEqual(program.report(mock.Mock()), 0)
        return json.loads(said.getvalue())

    def test_each_format_has_the_figures_of_the_summaries(self):
        found = self.print("bmf", self.runs[0])
        self.assertTrue(all(0 < len(name) <= LONGEST_NAME for name in found))
        expected = [{"value": one.gb_per_s, "lower_value": one.low, "upper_value": one.high} for one in self.measured]
        self.assertEqual(list(found.values()), [{"gb-per-s": each} for each in expected])
        for tool, unit in (("customBiggerIsBetter", "GB/s"), ("customSmallerIsBetter", "ns/object")):
            for one, entry in zip(self.measured, self.print(tool, self.runs[0]), strict=True):
                self.assertEqual(({key: type(value) for key, value in entry.items()}, entry["unit"]), (ENTRY, unit))
                expected = one.gb_per_s if unit == "GB/s" else one.point.size / one.gb_per_s
                self.assertAlmostEqual(entry["value"], expected)
                self.assertAlmostEqual(float(entry["range"].strip("± ")) / expected, one.estimate.width_percent / 100, places=4)
        names = {entry["name"] for entry in self.print("customBiggerIsBetter", *self.runs)}
        self.assertEqual(len(names), 2 * len(self.measured) + 1)
