"""Tests the grid of a gate. The user gives a grid as a name, a file or one line. Its lines can have a tolerance. Invalid grids must
be refused."""

import tempfile
import unittest

from ecbench.gate.sides.both_sides import DEFAULT_GRID, expand_lines, grid_words, read_lines
from ecbench.installation.places import EXPERIMENTS
from ecbench.point.description import Description, Parameter, Plugin, Technique
from ecbench.terminal.console import Refused

NUMBERS = [Parameter(name, "count") for name in ("k", "m", "packetsize", "w")]
PARAMETERS = [*NUMBERS, Parameter("jerasure-per-chunk-alignment", "flag")]
PLUGINS = {name: Plugin(name, [Technique(technique, PARAMETERS) for technique in techniques])
           for name, techniques in {"isa": ("reed_sol_van", "cauchy"),
                                    "jerasure": ("reed_sol_van", "reed_sol_r6_op", "cauchy_good", "liberation", "liber8tion",
                                                 "blaum_roth")}.items()}


def describe(requests):
    """Simulates ecbench --describe. All requests must have valid arguments."""
    answers = []
    for request in requests:
        words = request["words"]
        profile = dict(word.split("=", 1) for word in words if "=" in word)
        erasures = int(words[words.index("--erasures") + 1]) if "--erasures" in words else 0
        answers.append(Description(profile=profile, erasures=erasures, chunk_size=512, m=2))
    return answers


def read(grid):
    return expand_lines(read_lines(grid.splitlines(), PLUGINS), PLUGINS, describe)[0]


class Tolerance(unittest.TestCase):
    def test_is_half_a_percent_unless_a_line_says_otherwise(self):
        points = read("plugin=isa technique=cauchy k=4 m=2 size=4K workload=encode")
        self.assertEqual([point.tolerance_percent for point in points.values()], [0.5])
        points = read("plugin=isa technique=cauchy k=4 m=2 size=4K workload=encode,decode tolerance=2.5")
        self.assertEqual([point.tolerance_percent for point in points.values()], [2.5, 2.5])

    def test_is_no_part_of_the_point(self):
        self.assertEqual(list(read("plugin=isa technique=cauchy k=4 m=2 tolerance=2")),
                         list(read("plugin=isa technique=cauchy k=4 m=2")))

    def test_the_smallest_of_duplicate_points_is_used(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('points = ["plugin=isa technique=cauchy k=4 m=2 workload=encode tolerance=3",'
                       '"plugin=isa technique=cauchy k=4,6 m=2 workload=encode tolerance=1"]')
            file.flush()
            points = read(file.name)
        self.assertEqual({point.point.get("k"): point.tolerance_percent for point in points.values()}, {"4": 1, "6": 1})

    def test_bad_ones_are_refused(self):
        for text in ("tolerance=", "tolerance=x", "tolerance=-1", "tolerance=101", "tolerance=nan", "tolerance=1 tolerance=2",
                     "tolerance=1,2"):
            with self.subTest(text), self.assertRaisesRegex(Refused, "tolerance"):
                read(f"plugin=isa k=4 m=2 {text}")


class Words(unittest.TestCase):
    def test_are_those_of_the_other_modes(self):
        apart = read("plugin=isa\ntechnique=cauchy\nk=4,6 m=2")
        self.assertEqual(list(apart), list(read("plugin=isa technique=cauchy k=4,6 m=2")))

    def test_axes_replace_those_of_a_named_grid(self):
        for grid in (f"{DEFAULT_GRID}\nsize=8k\ntolerance=2", f"{DEFAULT_GRID} size=8K tolerance=2"):
            points = read(grid).values()
            self.assertEqual({(point.point.size, point.tolerance_percent) for point in points}, {(8192, 2.0)})

    def test_after_the_option_end_at_the_first_argument_that_is_no_grid_word(self):
        self.assertEqual(grid_words(["ab", "--grid", "quick", "k=4", "m=2", "old", "x=1", "--grid=k=4", "m=1", "--seed", "1"]),
                         ["ab", "--grid", "quick\nk=4\nm=2", "old", "x=1", "--grid=k=4\nm=1", "--seed", "1"])


class Source(unittest.TestCase):
    def test_the_default_grid_has_24_points_of_both_plugins(self):
        points = read(DEFAULT_GRID)
        self.assertEqual(len(points), 24)
        self.assertEqual({point.point.plugin for point in points.values()}, {"isa", "jerasure"})
        self.assertEqual({point.point.workload for point in points.values()}, {"encode", "decode"})
        self.assertTrue((EXPERIMENTS / f"{DEFAULT_GRID}.toml").is_file())

    def test_warm_points_have_at_most_128_kib(self):
        for point in read(DEFAULT_GRID).values():
            self.assertFalse(point.point.cache == "warm" and point.point.size > 128 << 10, point.point)
