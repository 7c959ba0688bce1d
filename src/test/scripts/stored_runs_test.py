"""Tests that ecbench can read the runs of `sweep` under results/. The tables, pages and summaries that it makes must have the
figures of the rows. These figures must also be the same as in the page and the summary that are stored next to the run."""

import html
import importlib.util
import json
import os
import pathlib
import re
import statistics
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(SOURCE / "scripts"))

from ecbench.comparison.pairs import pair_up
from ecbench.point.wording import figure_text
from ecbench.run.closing import fastest_lines
from ecbench.runfile.lines import stem_of
from ecbench.runfile.run_file import read_mode, read_run
from ecbench.runfile.summary import summarize
from stored_rows import rows_by_point

RUNS = sorted(path for path in (SOURCE / "results").glob("*/*.jsonl.gz") if read_mode(path) == "run")
# Columns of the table of all points. Their text may differ between versions of ecbench, so it is not compared.
WORDS = ("Command",)


def stored(path, end):
    """The page or the summary that is stored next to a run."""
    found = path.with_name(stem_of(path) + end)
    return found.read_text("utf-8") if found.exists() else ""


def cells_of_html(row):
    return [html.unescape(cell).strip() for cell in row.removeprefix("<tr><td>").split("<td>")]


def cells_of_markdown(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


class Figures(unittest.TestCase):
    def test_there_are_stored_runs(self):
        self.assertGreaterEqual(len(RUNS), 2)

    def test_are_the_medians_of_the_stored_rows(self):
        for path in RUNS:
            with self.subTest(path.name):
                rows, run = rows_by_point(path), read_run(path)
                summaries = {summary.id: summary for summary in summarize(run)}
                self.assertEqual({point for point, summary in summaries.items() if summary.gb_per_s is not None}, rows.keys())
                for identity, found in rows.items():
                    summary = summaries[identity]
                    self.assertEqual(summary.repetitions, len(found))
                    self.assertEqual(summary.gb_per_s, statistics.median(row["gb_per_s"] for row in found))
                    self.assertAlmostEqual(summary.cpu_seconds_per_gb,
                                           statistics.median(row["cpu_seconds_per_gb"] for row in found))
                    # A new limit is measured only every 30 s. Earlier versions have another name for the column.
                    # In old runs that compare libraries, the limit is a point.
                    limits = [each for row in found if (each := row.get("limit_percent", row.get("percent_of_limit"))) is not None]
                    self.assertAlmostEqual(summary.percent_of_limit or 0, statistics.median(limits) if limits else 0)
                    self.assertTrue(summary.low <= summary.gb_per_s <= summary.high)

    def test_of_the_closing_lines_are_those_of_the_rows(self):
        for path in RUNS:
            with self.subTest(path.name):
                medians = {figure: statistics.median(row["gb_per_s"] for row in rows) for figure, rows in
                           rows_by_point(path).items()}
                shown = {f"{value:.2f}" for value in medians.values()}
                lines = [re.search(r": ([0-9.]+)!? GB/s", line) for line in fastest_lines(summarize(read_run(path)))]
                found = [line[1] for line in lines if line]
                self.assertGreater(len(found), 5)
                self.assertLessEqual(set(found), shown)

    def test_of_a_run_compared_with_itself_are_its_own(self):
        for path in RUNS:
            with self.subTest(path.name):
                run, rows = read_run(path), rows_by_point(path)
                summaries = summarize(run)
                pairs = pair_up(run, summaries, run, summaries)
                self.assertEqual(len(pairs), len(rows))
                for pair in pairs:
                    gb_per_s = statistics.median(row["gb_per_s"] for row in rows[pair.point.id])
                    self.assertEqual((pair.a_gb_per_s, pair.b_gb_per_s, pair.ratio.median), (gb_per_s, gb_per_s, 1))


@unittest.skipUnless(all(map(importlib.util.find_spec, ("matplotlib", "jinja2"))), "matplotlib or jinja2 is not installed")
class Page(unittest.TestCase):
    def report(self, path):
        from ecbench.report.pages import Report
        run = read_run(path)
        return Report([run], [summarize(run)])

    def test_table_of_all_points_is_the_one_that_was_stored(self):
        from ecbench.report import points_table
        from ecbench.report.machines import measured_runs
        titles = [title for title, _ in points_table.columns(several=False)]
        for path in RUNS:
            with self.subTest(path.name):
                run = read_run(path)
                now = [cells_of_html(row) for row in points_table.html_rows(measured_runs([run], [summarize(run)])).splitlines()]
                self.assertEqual(len(now), len(run.points))
                if page := stored(path, ".html"):
                    self.assert_same_cells(now, page)
                rows = rows_by_point(path)
                figures = [figure_text(statistics.median(row["gb_per_s"] for row in rows[identity]))
                           + "!" * any(row.get("warnings") for row in rows[identity]) for identity in run.points]
                self.assertEqual([cells[titles.index("GB/s")] for cells in now], figures)

    def assert_same_cells(self, now, page):
        """Checks that the table of all points in the stored `page` has the same cells as `now`. Compares columns that have the same
        title."""
        from ecbench.report import points_table
        table = page.partition('id="all-points"')[2].partition("</table>")[0]
        titles = re.findall(r'<th scope="col">(.*?)</th>', table)
        then = [cells_of_html(row) for row in table.splitlines() if row.startswith("<tr><td>")]
        for column, (title, _) in enumerate(points_table.columns(several=False)):
            if title not in WORDS:
                before = [cells[titles.index(title)] for cells in then]
                self.assertEqual([cells[column] for cells in now], before, title)

    def test_summary_names_the_same_fastest_with_the_same_figures(self):
        for path in (path for path in RUNS if stored(path, ".md")):
            with self.subTest(path.name):
                now, then = (self.tables(text) for text in (self.report(path).summary(), stored(path, ".md")))
                conclusive = {case: now[case] for case in now.keys() & then.keys() if "inconclusive" not in now[case]}
                self.assertGreater(len(conclusive), 0.9 * sum("inconclusive" not in cells for cells in then.values()))
                self.assertGreater(len(conclusive), 0)
                self.assertEqual(conclusive, {case: then[case] for case in conclusive})

    def tables(self, summary):
        """Returns the cells of two tables in one dictionary. One table has a row for each case: the fastest profile, GB/s, ±% and %
        of limit. The other table has a row for each pair of case and technique: packetsize, GB/s and ±%. The keys of the dictionary
        are the cases and these pairs."""
        found = {}
        for line in summary.partition("## Environment")[0].splitlines():
            cells = cells_of_markdown(line)
            if len(cells) == 6 and not set(cells[0]) <= set("- "):
                found[cells[0]] = cells[1:5]
            elif len(cells) == 7:
                found[cells[0], cells[1]] = cells[2:5]
        return {case: cells for case, cells in found.items() if cells[1:2] != ["GB/s"] and not set(cells[1]) <= set("-: ")}

    def test_raw_data_have_every_stored_row(self):
        from ecbench.report import points_table
        from ecbench.report.machines import measured_runs
        for path in RUNS:
            with self.subTest(path.name):
                run, rows = read_run(path), rows_by_point(path)
                data, = json.loads(points_table.raw_data(measured_runs([run], [summarize(run)])))["runs"]
                whole = [{**data["rows"]["constant"], **dict(zip(data["rows"]["columns"], row, strict=True))}
                         for row in data["rows"]["rows"]]
                found = [(row["id"], row["repetition"], row["gb_per_s"]) for row in whole]
                expected = [(identity, row["repetition"], float(f"{row['gb_per_s']:.6g}")) for identity, of_point in rows.items()
                            for row in of_point]
                self.assertEqual(sorted(found), sorted(expected))


if __name__ == "__main__":
    unittest.main(verbosity=2)
