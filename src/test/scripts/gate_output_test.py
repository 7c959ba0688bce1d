"""Tests the table, JSON, Markdown and forest plot of a gate ab run. They must be complete, and must not contradict each other. The
Markdown must fit into a comment on GitHub. The appearance of the forest plot is not tested."""

import dataclasses
import io
import json
import re
import unittest
from unittest import mock
from xml.etree import ElementTree

import jsonschema
import synthetic_gate  # finds the package ecbench
from ecbench.documents.document import schema_of
from ecbench.gate.ab import verdicts
from ecbench.gate.ab.verdicts import Result, outcome, page_of, result_of
from ecbench.gate.sides.both_sides import as_json, as_markdown, print_tables
from ecbench.installation.places import PAGE_FOLDER
from ecbench.page.charts import NoPage

gate_run = synthetic_gate.gate_run
SCHEMA = schema_of(Result, "", "")
SVG = "{http://www.w3.org/2000/svg}"
HAS_LIBRARY = any(PAGE_FOLDER.glob("lib/python3*/site-packages/vl_convert"))
# The loss of speed of each point, in percent. The fifth point is inconclusive, also after its additional launches.
MIXED = [0, 5.2, 0, -6, 2.8, 12]


def mixed():
    return gate_run(MIXED, extended=(4,))


def table(result):
    print_tables(page_of(result), out := io.StringIO(), {})
    return out.getvalue()


def summary(result):
    return as_markdown(page_of(result))


class Result(unittest.TestCase):
    def test_follows_its_schema(self):
        for run in (mixed(), gate_run([0]), gate_run([0, 0], launches=4)):
            jsonschema.validate(json.loads(as_json(result_of(run))), SCHEMA)

    def test_a_regression_has_precedence_in_the_exit_code(self):
        for losses, launches, required, expected in (([0], 10, False, 0), ([0, 9], 10, True, 3), ([0, 9], 4, True, 4),
                                                     ([0, 9], 4, False, 0), ([-9], 10, True, 0)):
            with self.subTest(losses=losses, launches=launches, required=required):
                self.assertEqual(result_of(gate_run(losses, launches), required).exit_code, expected)

    def test_outcome_is_one_line_that_says_what_happened(self):
        self.assertEqual(outcome(result_of(gate_run([0, 0]))), "no regression of 3 % or more in 2 points")
        self.assertIn("REGRESSION: slower by 3 % or more in 2 of 6 points", outcome(result_of(mixed())))
        self.assertIn("2 of 2 points are inconclusive", outcome(result_of(gate_run([0, 9], 4))))


class Table(unittest.TestCase):
    def test_is_aligned_and_has_a_line_for_each_point(self):
        lines = table(result_of(mixed())).split("\n\n")[0].splitlines()
        self.assertEqual(len(lines), 1 + len(MIXED))
        column = lines[0].index("ratio")
        self.assertTrue(all(line[column - 2:column] == "  " for line in lines))
        self.assertTrue(all(re.match(r"\d\.\d{3}  \d\.\d{3}  \d\.\d{3} ", line[column:]) for line in lines[1:]), lines)

    def test_a_loss_is_negative_and_each_row_has_the_level_of_its_interval(self):
        rows = [re.split("  +", line) for line in table(result_of(mixed())).split("\n\n")[0].splitlines()]
        titles, verdicts = rows[0], {row[0]: row for row in rows[1:]}
        for verdict, level in (("slower", "99.2"), ("faster", "99.2"), ("no regression", "95.0")):
            cells = dict(zip(titles, verdicts[verdict], strict=True))
            self.assertEqual(cells["level %"], level)
            self.assertEqual(float(cells["change %"]) > 0, float(cells["ratio"]) > 1)
            self.assertLessEqual(float(cells["low"]), float(cells["ratio"]))


class Markdown(unittest.TestCase):
    def test_begins_with_the_outcome_and_shows_the_worst_first(self):
        head, _, rows = summary(result_of(mixed())).partition("## Points")
        self.assertIn("\nREGRESSION: slower by 3 %", head)
        self.assertEqual(re.findall(r"^\| (slower|inconclusive|no regression|faster) ", rows, re.MULTILINE),
                         ["slower", "slower", "inconclusive", "no regression", "no regression", "faster"])

    def test_fits_into_a_comment_however_many_points_there_are(self):
        for losses in ([0] * 900, [9] * 900):
            text = summary(result_of(gate_run(losses)))
            self.assertLess(len(text), 65536)
            left_out = int(re.search(r"Rows that are left out: (\d+)", text)[1])
            self.assertEqual(left_out + text.count(" | jerasure"), 900)

    def test_names_versions_instead_of_folders(self):
        result = result_of(mixed())
        result = dataclasses.replace(
            result, old={"given": "build", "codec_lib": None, "versions": ["ISA-L 2.30"]},
            new={"given": "build", "codec_lib": "/home/me/isa-l/.libs", "versions": ["ISA-L 2.32"]})
        for text in (summary(result), table(result)):
            self.assertIn("ISA-L 2.32", text)
            self.assertNotIn("/home/me", text)
        self.assertIn("OLD: ISA-L 2.30; NEW: ISA-L 2.32;", summary(result))

    def test_says_where_the_sides_run_different_kernels(self):
        result = result_of(mixed())
        self.assertNotIn("different kernels", summary(result))
        result.points[0] = dataclasses.replace(result.points[0], old_kernel="mul_avx2", new_kernel="mul_gfni")
        for text in (summary(result).replace("\\", ""), table(result)):
            self.assertIn(f"different kernels at 1 of 6 points, such as {result.points[0].name} (OLD: mul_avx2, NEW: "
                          "mul_gfni)", text)


class WithoutTheLibrary(unittest.TestCase):
    def test_the_plot_is_refused(self):
        with mock.patch.dict("sys.modules", {"vl_convert": None}), self.assertRaisesRegex(NoPage, "vl-convert"):
            verdicts.forest(result_of(mixed()))


@unittest.skipUnless(HAS_LIBRARY, "scripts/install-deps.sh report installs vl-convert-python")
class Forest(unittest.TestCase):
    def test_has_a_row_for_each_point(self):
        result = result_of(mixed())
        texts = [element.text for element in ElementTree.fromstring(verdicts.forest(result)).iter(f"{SVG}text")]
        self.assertIn(outcome(result), texts)
        for point in result.points:
            self.assertIn(point.name, texts)
            self.assertIn(point.verdict, texts)
