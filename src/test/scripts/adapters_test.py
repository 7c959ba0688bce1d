"""The output of `report --format` fits the documented schemas of Bencher and github-action-benchmark, and has the figures of the
run."""

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
from ecbench.terminal.console import Refused

LONGEST_NAME = 1024  # characters; Bencher
ENTRY = {"name": str, "unit": str, "value": float, "range": str, "extra": str}  # github-action-benchmark; the last two are optional


class Adapters(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="ecbench adapters ")
        self.addCleanup(temporary.cleanup)
        self.runs = [pathlib.Path(temporary.name, name) for name in ("a.jsonl", "b.jsonl")]
        points = list(synthetic_run.points(sizes=(4096,), packetsizes=(512, 3072)))
        synthetic_run.write_run(self.runs[0], points, failed=(2,))
        synthetic_run.write_run(self.runs[1], points, cpu="Intel(R) Xeon(R) Gold 6336Y", factor=1.4)
        self.summaries = summarize(read_run(self.runs[0]))
        self.measured = [one for one in self.summaries if one.gb_per_s]

    def print(self, *words):
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["report", *map(str, words)]), contextlib.redirect_stdout(said):
            self.assertEqual(program.report(mock.Mock()), 0)
        return json.loads(said.getvalue())

    def test_bmf(self):
        found = self.print(self.runs[0], "--format", "bmf")
        self.assertEqual(len(found), len(self.measured))
        self.assertLess(len(self.measured), len(self.summaries))
        for one, (name, measures) in zip(self.measured, found.items(), strict=True):
            self.assertTrue(0 < len(name) <= LONGEST_NAME)
            self.assertEqual(list(measures), ["gb-per-s"])
            metric = measures["gb-per-s"]
            self.assertEqual(metric, {"value": one.gb_per_s, "lower_value": one.low, "upper_value": one.high})
            self.assertTrue(metric["lower_value"] <= metric["value"] <= metric["upper_value"])

    def test_custom(self):
        for tool, unit in (("customBiggerIsBetter", "GB/s"), ("customSmallerIsBetter", "ns/object")):
            found = self.print(self.runs[0], "--format", tool)
            self.assertEqual(len(found), len(self.measured))
            for one, entry in zip(self.measured, found, strict=True):
                self.assertEqual({key: type(value) for key, value in entry.items()}, ENTRY)
                self.assertEqual(entry["unit"], unit)
                expected = one.gb_per_s if unit == "GB/s" else one.point.size / one.gb_per_s
                self.assertAlmostEqual(entry["value"], expected)
                self.assertAlmostEqual(float(entry["range"].removeprefix("± ")) / expected, one.interval_percent / 100, places=4)

    def test_names_of_several_runs_are_unique(self):
        found = self.print(*self.runs, "--format", "customBiggerIsBetter")
        self.assertEqual(len({entry["name"] for entry in found}), len(found))
        self.assertEqual(len(found), len(self.measured) + len(self.summaries))

    def test_no_page_is_written(self):
        before = sorted(self.runs[0].parent.iterdir())
        self.print(self.runs[0], "--format", "bmf")
        self.assertEqual(sorted(self.runs[0].parent.iterdir()), before)
        for words in (["--format", "bmf", "--output", "a.html"], ["--format", "influx"]):
            self.assertRaises(Refused, program.read_arguments, [str(self.runs[0]), *words])
