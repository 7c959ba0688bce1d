"""The page about runs: its answers, rows and texts."""

import dataclasses
import pathlib
import re
import tempfile
import types
import unittest

import synthetic_run
from ecbench.comparison import select
from ecbench.comparison.comparison import case_of
from ecbench.comparison.figures import INCONCLUSIVE
from ecbench.page import html, points, ratios, results
from ecbench.page.block import LENGTH, Block, Column, Form, block_of_lines, cell, escaped, markdown
from ecbench.page.results import Candidate, Result, run_labels, standing
from ecbench.point.point import make_point
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.interval import Estimate

HOSTILE = "=HYPERLINK(\"x\")</script><b onload=alert(1)>&'\""


def result_of(*figures, case="c"):
    """`figures`: GB/s, packetsize, and half the width of the interval; `disturbed`: the share of disturbed rows."""
    found = None
    for gb_per_s, packetsize, *rest in figures:
        half, disturbed = [*rest, *(0.1, 0)[len(rest):]]
        profile = {"k": "6", "m": "2", "technique": "cauchy_good", **({"packetsize": str(packetsize)} if packetsize else {})}
        plugin = "jerasure" if packetsize else "isa"
        point = make_point(plugin, profile, "encode", 1 << 20, 0)
        low, high = (None, None) if gb_per_s is None else (gb_per_s - half, gb_per_s + half)
        summary = PointSummary(point.id, point, None, 2, gb_per_s, low, high, 20.0, 50.0, None, None, None, None, [],
                               samples=8, disturbed=disturbed, speeds={0: gb_per_s, 1: gb_per_s} if gb_per_s else {})
        if found is None:
            environment = types.SimpleNamespace(unfit=[])
            run = types.SimpleNamespace(name=case, rows={},
                                        header=types.SimpleNamespace(environment=environment, experiment={}, points=[]))
            found = Result(run, "CPU", case_of(point, others=results.NO_OPTIONS))
        one = Candidate(point, plugin, "", summary, summary.estimate, 20.0, 50.0)
        found.all.append(one)
    return found


def packetsizes(*figures):
    return points.packetsize_row(result_of(*figures), "jerasure cauchy_good")


class Findings(unittest.TestCase):
    def test_the_verdict_on_the_first(self):
        # The interval of each speed is ±1 %, so that of a ratio is ±1.4 %, and ±2 % with the correction for six pairs.
        for figures, text in ((((9.0, 512), (10.0, 3072), (9.9, 8192), (9.75, 1024)), "^tie with .* packetsize=8192$"),
                              (((10.0, 3072, 0.6), (9.7, 8192, 0.6)), "^tie with .* packetsize=8192 .unclear.$"),
                              (((10, 512, 8),), "^nothing else was measured$"),
                              (((10, 512), (None, 1024)), "continue the run with --resume"),
                              (((10, 8192, 6), (5, 3072, 3)), "^inconclusive: .*--rounds")):
            self.assertRegex(standing(result_of(*figures).ranking, has_advice=True), text)

    def test_the_headline_names_the_figure_and_how_sure_it_is(self):
        found = result_of((20, 0), (10, 512))
        text = "isa cauchy_good, 20.0 GB/s ±0.5 %; fastest: 2.00 (1.98 to 2.02) × jerasure cauchy_good packetsize=512"
        self.assertEqual({found.certainty(found.first), found.verdict(found.first)}, {text.partition("; ")[2]})
        self.assertEqual(points.headline(found), f"{text}. 6+2, encode of 1 MiB, warm, on CPU.")

    def test_3072_is_judged_against_the_best(self):
        """What is significantly slower is so even if the fastest is inconclusive."""
        noise, disturbed = "^the 95 % interval of .* is ±60 %", "disturbed 100 %"
        for figures, advised, fastest, ties in (
                (((10, 8192), (9, 3072), (9.9, 1024)), "−10.0 %", 8192, "^1024$"),
                (((10, 8192), (9.9, 3072)), "−1.0 %, a tie", 8192, "^3072$"),
                (((10, 8192), (9.9, 512)), "not measured", 8192, "^512$"),
                (((10, 3072), (9, 512)), "is the fastest", 3072, "^none$"),
                (((10, 8192, 6), (4.4, 3072, 2.64)), INCONCLUSIVE, None, noise),
                (((10, 8192, 6), (5.2, 3072, 3.12)), INCONCLUSIVE, None, noise),
                (((10, 8192), (8, 3072, 2.1), (8, 512)), INCONCLUSIVE, 8192, "^3072$"),  # may be much slower
                (((10, 8192, 0.1, 1), (9.9, 3072)), INCONCLUSIVE, None, disturbed),
                (((10, 8192, 1.2), (10, 1024, 1.2), (5, 3072)), "−50.0 %", None, "interval")):
            found = packetsizes(*figures)
            self.assertEqual((found.advised, found.packetsize), (advised, fastest))
            self.assertRegex(found.ties, ties)

    def test_3072_is_counted_for_each_cpu(self):
        rows = [packetsizes((10, 8192), (9, 3072)), packetsizes((10, 3072), (9, 512)), packetsizes((10, 8192, 6), (9, 3072, 5))]
        others = [dataclasses.replace(row, cpu="other") for row in rows[:1]]
        self.assertRegex(points.advised_verdict(rows), "in 1 of 2 cases; 1 more are inconclusive[.]$")
        of_both = points.advised_verdict(rows + others)
        self.assertRegex(of_both, "in 1 of 2 cases on CPU; 1 more are inconclusive; in 0 of 1 case on other[.]$")

    def test_a_lopsided_interval_is_written_with_its_ends(self):
        (one,) = result_of((10, 512)).candidates
        for low, high, expected in ((9.5, 10.5, "±5.0 %"), (9.5, 11.5, "(9.50 to 11.5)"), (None, None, "")):
            self.assertEqual(dataclasses.replace(one, speed=Estimate(10, low, high)).interval, expected)

    def test_parameters_are_named_if_codes_differ_in_them(self):
        def point(technique, w, k="6"):
            return make_point("jerasure", {"k": k, "m": "2", "technique": technique, "w": w}, "encode", 4096, 0)
        named = [point("cauchy_good", "8"), point("cauchy_good", "16"), point("liberation", "7"), point("liberation", "11", "10")]
        found = results.varying_parameters([types.SimpleNamespace(points=dict(enumerate(named)))])
        self.assertEqual({key: names for key, names in found.items() if names}, {("jerasure", "cauchy_good"): {"w"}})


class OfRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ecbench page ")))
        cls.points = list(synthetic_run.points(sizes=(4096, 1 << 20), caches=("warm", "cold"), packetsizes=(512, 3072, 8192)))
        cls.runs = []
        for name, cpu, factor in (("a", "AMD EPYC", 1), ("b", "Intel(R) Xeon(R)", 2)):
            path = cls.folder / f"{name}.jsonl"
            synthetic_run.write_run(path, cls.points, cpu=cpu, factor=factor, failed=(3,) if name == "a" else ())
            cls.runs.append(read_run(path))

    def test_every_point_is_a_row_with_its_figure_or_failure(self):
        page = points.Runs(self.runs[:1]).page("report")
        rows = {row.command: row for block in (page.blocks[0], page.blocks[3]) for row in block.rows}
        self.assertEqual(len(rows), len(self.points))
        for row in rows.values():
            if row.gb_per_s is None:
                self.assertEqual(row.certainty, "failed")
            else:
                self.assertAlmostEqual(row.cores * row.gb_per_s, 12.5, places=2)
        self.assertIn("killed by signal 11", " ".join(page.troubles[0][1]))

    def test_each_cpu_has_its_figure_in_the_answers(self):
        answers = points.Runs(self.runs).page("report").answers
        self.assertEqual(len(answers), 2)
        for answer in answers:
            self.assertRegex(answer, r"^isa .*, [0-9.]+ GB/s ±[0-9.]+ %; fastest: .* 6\+2, encode of 1 MiB, warm, ")

    def test_runs_without_a_common_point_are_not_compared(self):
        few = self.folder / "other sizes.jsonl"
        synthetic_run.write_run(few, list(synthetic_run.points(sizes=(8192,))))
        for other, expected in ((read_run(few), "^B / A: no common points: no comparison[.]$"),
                                (self.runs[1], r"^B / A: 2[.]0\d\d on average of \d+ points; ")):
            page = points.Runs([self.runs[0], other]).page("report", ratios.page_of("report", [self.runs[0], other], "AB"))
            self.assertRegex(page.answers[0], expected)

    def test_a_run_of_packetsizes_answers_which_is_the_fastest(self):
        run = dataclasses.replace(self.runs[0], header=dataclasses.replace(self.runs[0].header, grid="packetsize"))
        self.assertRegex(points.Runs([run]).answers()[0], r"^The fastest packetsize is \d+ with jerasure .*6[+]2, encode of 1 MiB")
        self.assertRegex(points.Runs(self.runs).answers()[0], "^isa ")

    def test_a_pair_of_packetsizes_has_one_verdict_in_all_tables(self):
        path, wanted = self.folder / "pairs.jsonl", synthetic_run.points(sizes=(1 << 20,), packetsizes=range(4096, 6144, 64))
        synthetic_run.write_run(path, [point for point in wanted if not point.erasures and point.get("packetsize")], repetitions=8)
        run, ties = read_run(path), 0
        run.header.experiment = {"question": "select"}
        [result] = (page := points.Runs([run])).results
        for part in (result.only(lambda one, name=name: one.series == name) for _, name in page.swept):
            if part.first is result.first:
                whole = [one.name for one in result.ranking.ties if one in part.all]
                self.assertCountEqual([one.name for one in part.ranking.ties], whole)
                ties += len(whole)
        self.assertGreater(ties, 1)

    def test_a_mark_is_next_to_each_figure_with_warnings(self):
        path = self.folder / "marks.jsonl"
        synthetic_run.write_run(path, self.points[:20])
        path.write_text(path.read_text().replace('"drift_percent":0.1', '"drift_percent":5'))
        page = points.Runs([read_run(path)]).page("report")
        for block in page.in_text:
            titles, *rows = block.lines(block.rows)
            self.assertEqual([row[titles.index("!")] for row in rows if row[titles.index("GB/s")] != "-"], ["!"] * len(rows))
        self.assertLessEqual(set(map(escaped, page.answers)), set(markdown(page, "").splitlines()))

    def test_of_equal_cases_the_run_with_the_most_libraries_counts(self):
        few = self.folder / "few.jsonl"
        synthetic_run.write_run(few, [point for point in self.points if point.plugin == "isa"])
        runs = [self.runs[0], read_run(few)]
        self.assertEqual({one.run.name for one in points.Runs(runs, merges=True).results}, {"a"})
        self.assertEqual({one.run.name for one in points.Runs(runs).results}, {"a", "few"})
        self.assertEqual(len(list(results.chosen(points.Runs(runs).all[:1]))), 1)

    def test_the_summary_of_many_points_is_short_enough_to_paste(self):
        path = self.folder / "many.jsonl"
        synthetic_run.write_run(path, synthetic_run.many_points(6000), repetitions=1)
        found = markdown(points.Runs([read_run(path)]).page("report"), "")
        self.assertLess(len(found), LENGTH)
        self.assertIn("Rows that are left out", found)


class Texts(unittest.TestCase):
    def test_hostile_names_are_text(self):
        self.assertEqual(cell(Column(), HOSTILE), f"'{HOSTILE}")
        self.assertNotRegex(escaped(HOSTILE + "|"), r"<|[^\\]\|")
        block = block_of_lines("", [[HOSTILE], [HOSTILE]])
        shown = html.table(block, block.rows)
        self.assertFalse(re.search(r"<(?!/?(div|table|thead|tbody|tr|th|td)\b)", shown), shown)

    def test_values(self):
        for form, values in ((Form.TEXT, {"-": "-", "-1": "'-1", "": "-"}), (Form.RATIO, {1: "1.000"}), (Form.PERCENT, {None: "-"}),
                             (Form.FIGURE, {123.4: "123", 18.802: "18.8", 9.254: "9.25", 0.0712: "0.071"}),
                             (Form.BYTES, {4096: "4 KiB", 1 << 20: "1 MiB", 1 << 30: "1 GiB", 1000: "1000 B", 1536: "1536 B"})):
            self.assertEqual({value: cell(Column(form=form), value) for value in values}, values)

    def test_a_label_names_what_differs(self):
        row = types.SimpleNamespace
        block = Block("", "", points.CaseRow, [], cases=("size", "cache"))
        rows = [row(code="a", size=4096, cache="warm"), row(code="a", size=1 << 20, cache="warm")]
        self.assertEqual(block.labels(rows), ["a, 4 KiB", "a, 1 MiB"])

    def test_labels_of_runs_have_only_what_differs(self):
        def run(cpu, name, started="now", slug="s"):
            machine = types.SimpleNamespace(cpu=cpu, slug=slug, vendor=None, family=None, model=None)
            return types.SimpleNamespace(name=name, header=types.SimpleNamespace(machine=machine, started=started))

        self.assertEqual(run_labels([run("a", "x"), run("b", "x", slug="t")]), ["a", "b"])
        self.assertEqual(run_labels([run("a", "x", slug="s1"), run("a", "x", slug="s2")]), ["a (s1)", "a (s2)"])
        self.assertEqual(run_labels([run("a", "x"), run("a", "y")]), ["a, x", "a, y"])
        self.assertEqual(len(set(run_labels([run("a", "x"), run("a", "x")]))), 2)
        self.assertEqual(results.cpu_labels([run("a", "x"), run("a", "y")]), ["a", "a"])


class Tally(unittest.TestCase):
    def test_the_sentence_counts_winners_ties_and_unknown_cases(self):
        def case(tied, unclear=""):
            return types.SimpleNamespace(leaders=tied, unclear=unclear, inconclusive=not tied)

        a, tie, unknown = case("a"), case("bc", "a"), case("")
        for outcomes, expected in (
                ((a, a, tie, unknown), "a is the fastest library in 2 of 4 cases, unclear in 1; next: b (fastest in 0, tied in 1), "
                                       "c (fastest in 0, tied in 1); 1 case is inconclusive."),
                ((tie,), "no library is faster than all others in any of 1 case; b and c are each tied for the fastest in 1; next: "
                         "a (fastest in 0, tied in 0, unclear in 1)."),
                ((a, case("b")), "a and b are each the fastest library in 1 of 2 cases."),
                ((unknown, unknown), "it is inconclusive which library is the fastest (2 cases).")):
            self.assertEqual(select.tally("CPU", "library", outcomes, str), f"On CPU, {expected}")
