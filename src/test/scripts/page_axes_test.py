"""Tests the axes of the page. An axis is a property that has several values. axes.grouped() divides points into groups. The points
of one group differ only in the axes that the caller names."""

import unittest

from ecbench.comparison import tally
from ecbench.point.point import make_point
from ecbench.report import axes
from ecbench.report.axes import Axes
from ecbench.report.cases import read_entries
from ecbench.runfile.summary import PointSummary
from ecbench.terminal.console import Refused


def entries_of(*speeds):
    """Makes one entry for each item of `speeds`. An item is a tuple: GB/s, profile, options of the point."""
    points = [(gb_per_s, make_point("jerasure", {"k": "6", "m": "2", "technique": "cauchy_good", **profile}, "encode",
                                    options.pop("size", 4096), 0, **options)) for gb_per_s, profile, options in speeds]
    entries, = read_entries([[PointSummary(point.id, point, None, 2, gb_per_s, gb_per_s, gb_per_s, 1.0, False, None, None, None,
                                           None, None, [], samples=8) for gb_per_s, point in points]])
    return entries


class AxesOfAPage(unittest.TestCase):
    def setUp(self):
        self.entries = entries_of(
            *((size / 4096 + packetsize / 1000, {"packetsize": str(packetsize)}, {"size": size, "stripe_unit": unit})
              for size in (4096, 8192) for unit in (None, 4096) for packetsize in (512, 1024)))

    def test_each_property_with_several_values_is_one(self):
        self.assertEqual(set(axes.swept(self.entries)), {"size", "stripe-unit", "packetsize"})
        varied = entries_of((1, {"m": "2"}, {}), (2, {"m": "3"}, {}), (3, {"jerasure-per-chunk-alignment": "true"}, {}),
                            (4, {"jerasure-per-chunk-alignment": "false"}, {}))
        self.assertIn("m", axes.swept(varied))
        self.assertIn("jerasure-per-chunk-alignment", axes.swept(varied))

    def test_a_group_differs_only_in_its_axes_and_has_the_fastest_packetsize(self):
        groups = axes.grouped(self.entries, ("size", "technique"))
        self.assertEqual(list(groups), ["encode, 6+2, one stripe", "encode, 6+2, stripe unit 4 KiB"])
        for entries in groups.values():
            self.assertEqual([(entry.case.size, entry.packetsize) for entry in entries], [(4096, 1024), (8192, 1024)])
        both = axes.grouped(self.entries, ("stripe-unit", "packetsize"))
        self.assertEqual(list(both), ["encode, 6+2, 4 KiB, jerasure cauchy_good", "encode, 6+2, 8 KiB, jerasure cauchy_good"])
        self.assertEqual([len(entries) for entries in both.values()], [4, 4])

    def test_no_stripe_unit_is_a_value_and_comes_first(self):
        values = axes.ordered(axes.value_of(entry, "stripe-unit") for entry in self.entries[::-1])
        self.assertEqual([axes.value_text("stripe-unit", value) for value in values], ["one stripe", "4 KiB"])

    def test_an_axis_with_one_value_is_refused(self):
        axes.check(Axes("stripe-unit", "size", "size"), self.entries)
        for wrong, option in ((Axes(rows="m"), "--rows m"), (Axes(columns="cache"), "--columns cache"), (Axes(x="colour"), "--x"),
                              (Axes("size", "size"), "--rows size")):
            with self.assertRaisesRegex(Refused, f"^{option}.* is not allowed"):
                axes.check(wrong, self.entries)


class Tally(unittest.TestCase):
    def sentence(self, *outcomes):
        return tally.sentence("CPU", "library", outcomes, tally.scores(outcomes, "abc"))

    def test_the_sentence_counts_winners_ties_and_unknown_cases(self):
        a, tie, unknown = tally.CaseOutcome("a", True), tally.CaseOutcome("bc"), tally.CaseOutcome("")
        for outcomes, text in (
                ((a, a, tie, unknown), "a is the fastest library in 2 of 4 cases; next: b (fastest in 0, tied in 1), "
                                       "c (fastest in 0, tied in 1); 1 case is inconclusive."),
                ((tie,), "no library is faster than all others in any of 1 case; b and c are each tied for the fastest in 1."),
                ((a, tally.CaseOutcome("b", True)), "a and b are each the fastest library in 1 of 2 cases.")):
            self.assertEqual(self.sentence(*outcomes), f"On CPU, {text}")
        self.assertIn("inconclusive which library", self.sentence(unknown, unknown))
