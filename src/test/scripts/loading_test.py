"""Each option of each mode, each key of a run file and each axis is either in the table of words that name a program, a library or
a directory to load from (files/files.py), or in the lists below, of those that do not."""

import ast
import dataclasses
import unittest

from ecbench.bench.grid import VARIABLES
from ecbench.files import files
from ecbench.installation.places import SCRIPTS
from ecbench.point.axes import MAX_PADDING, OPTIONS, PROFILE
from ecbench.point.point import Point, make_point
from ecbench.runfile.header import Header
from ecbench.terminal.console import Refused

OTHER_OPTIONS = [
    "--budget", "--bundle", "--check", "--chunk-size", "--contribute", "--counts-only", "--cpu", "--dry-run",
    "--force", "--format", "--from", "--grid", "--inventory", "--json", "--launches", "--limit", "--markdown", "--min-time",
    "--native", "--output", "--page", "--pairs", "--parameter", "--plugin", "--print", "--remove", "--require-conclusive",
    "--resume", "--rounds", "--runs", "--seed", "--stripe-width", "--svg", "--threshold", "--timeout", "--verbose"]
OTHER_KEYS = [
    "counts", "dropped", "environment", "experiment", "format", "grid", "host", "json", "machine", "merged",
    "mode", "options", "order", "points", "repetitions", "run", "seed", "started", "variables",
    "words"]  # variables, words: checked by the word
OTHER_OF_POINTS = [
    "background", "cache", "changed", "dispatch", "erased", "erasures", "pace", "plugin", "profile", "size", "stripe_unit",
    "threads", "timing", "want", "workload"]
OTHER_AXES = [
    "background", "cache", "changed", "dispatch", "erased", "erasures", "k", "m", "max-padding", "pace", "packetsize", "size",
    "stripe-unit", "threads", "timing", "w", "want", "workload"]
OTHER_VARIABLES = ["SIZE", "ITERATIONS", "TOTAL_SIZE", "PLUGINS", "TECHNIQUES"]


def options():
    for path in (SCRIPTS / "ecbench").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and {"help", "metavar", "action"} & {keyword.arg for keyword in call.keywords}:
                yield from (word.value for word in call.args if isinstance(word, ast.Constant) and str(word.value).startswith("--"))


def names(kind):
    return {field.name for field in dataclasses.fields(kind)}


class Table(unittest.TestCase):
    def test_everything_is_in_the_table_or_known_to_load_nothing(self):
        for found, table, others in ((options(), files.OPTIONS, OTHER_OPTIONS), (names(Header), (), OTHER_KEYS),
                                     (names(Point), files.KEYS, OTHER_OF_POINTS), (VARIABLES, files.VARIABLES, OTHER_VARIABLES),
                                     ({**OPTIONS, **PROFILE, **MAX_PADDING}, files.AXES, OTHER_AXES)):
            self.assertEqual(set(found), {*table, *others})
            self.assertFalse({*table} & {*others})

    def test_words_are_split_however_they_are_written(self):
        words = ["k=4 codec-lib=/a", "--ecbench=/b", "--isal", "/c d", "--isal=/e", "codec-lib=none", "--rounds", "3"]
        kept, found = files.split_off(words)
        self.assertEqual(kept, ["k=4 codec-lib=/a", "codec-lib=none", "--rounds", "3"])
        self.assertEqual(found, ["codec-lib=/a", "--ecbench /b", "--isal '/c d'", "--isal /e"])
        self.assertEqual(files.lacking(found, ["--ecbench /other", "--isal /e"]), ["codec-lib=/a", "--isal '/c d'"])
        self.assertEqual(files.lacking(found, found), [])

    def test_points_load_only_what_was_given_or_is_next_to_the_program(self):
        def point(folder):
            return make_point("isa", {"k": 4, "m": 2}, "encode", 4096, 0, codec_lib=folder)

        files.check_points("run", [point(None), point("/x/b"), point("/opt/ecbench/isal")], ["codec-lib=/x/a,/x/b"],
                           "/opt/ecbench/ecbench")
        for folder in ("/x/c", "/opt/ecbench/../isal", "/opt/ecbench2"):
            self.assertRaises(Refused, files.check_points, "run", [point(folder)], ["codec-lib=/x/a", "--isal /x/b"],
                              "/opt/ecbench/ecbench")
