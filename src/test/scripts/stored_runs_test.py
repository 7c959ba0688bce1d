"""The tables, pages and summaries of the runs under results/ have the figures of their rows."""

import functools
import gzip
import json
import statistics
import unittest

from ecbench.comparison import select
from ecbench.comparison.comparison import pair_up
from ecbench.experiment.results import Results
from ecbench.installation.places import SOURCE
from ecbench.page import results as page_results
from ecbench.page.block import markdown
from ecbench.page.points import Runs
from ecbench.report.program import SUMMARY_MARK
from ecbench.runfile.header import stem_of
from ecbench.runfile.run_file import read_mode, read_run
from ecbench.runfile.summary import summarize

RUNS = sorted(path for path in (SOURCE / "results").glob("*/*.jsonl.gz") if read_mode(path) == "run")
# Run that compares libraries → cases, and those in which simd is the fastest, and tied for the fastest (results/README.md).
OF_LIBRARIES = {"amd-epyc-family25-model17/libraries-small": (20, 18, 2), "amd-epyc-family25-model17/wide": (12, 8, 1),
                "intel-xeon-family6-model207/contenders-2026-11-26-165417": (36, 34, 2)}


def rows_by_point(path):
    """Read without the code under test. A row that was measured again replaces the first if it has no
    warnings, except that another hardware thread shares the core."""
    counted = {}
    for record in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
        is_doubtful = any(warning["code"] != "core_shared" for warning in record.get("warnings") or ())
        if record["record"] == "row" and not record.get("stage") and not (record.get("again") and is_doubtful):
            counted[record["id"], record["repetition"]] = record
    rows = {}
    for (identity, _), record in counted.items():
        rows.setdefault(identity, []).append(record)
    return rows


run_of = functools.cache(read_run)


@functools.cache
def results_of(path):
    return Results.of_run(run_of(path))


class Figures(unittest.TestCase):
    def test_are_those_of_the_stored_rows_also_compared_with_itself(self):
        self.assertGreaterEqual(len(RUNS), 2)
        for path in RUNS:
            rows, run = rows_by_point(path), run_of(path)
            listed = summarize(run)
            summaries = {summary.id: summary for summary in listed}
            self.assertEqual({point for point, summary in summaries.items() if summary.gb_per_s is not None}, rows.keys())
            pairs = {pair.a.id: pair for pair in pair_up(run, listed, run, listed)}
            self.assertEqual(len(pairs), len(rows))
            for identity, found in rows.items():
                summary, pair = summaries[identity], pairs[identity]
                gb_per_s = statistics.median(row["gb_per_s"] for row in found)
                self.assertEqual((summary.repetitions, summary.gb_per_s), (len(found), gb_per_s))
                self.assertEqual((pair.a.gb_per_s, pair.b.gb_per_s, pair.ratio.median), (gb_per_s, gb_per_s, 1))
                cpu = [row["cpu_seconds_per_gb"] + (row.get("crc32c_cpu_seconds_per_gb") or 0) for row in found]
                self.assertAlmostEqual(summary.cores, 12.5 * statistics.median(cpu))
                # A limit is measured only every 30 s. In old runs that compare libraries, it is a point.
                limits = [each for row in found if (each := row.get("limit_percent")) is not None]
                self.assertAlmostEqual(summary.percent_of_limit or 0, statistics.median(limits) if limits else 0)
                self.assertTrue(summary.low <= summary.gb_per_s <= summary.high)

    def test_dispatch_levels_compete_in_one_case(self):
        run = read_run(SOURCE / "results/amd-epyc-family25-model17/isa-levels.jsonl.gz")
        self.assertEqual([set(map(str, one.candidates)) for one in page_results.results_of(run, "CPU", {})],
                         [{"isa reed_sol_van", "isa reed_sol_van dispatch=avx2"}] * 2)

    def test_name_a_fastest_candidate(self):
        for path in RUNS:
            *_, last = results_of(path).lines("--rounds 8")
            self.assertRegex(last, r"^(sure|likely): .* is the fastest \S+ in \d+ of \d+ cases|^sure: each of 4 cases has one")

    def test_of_libraries_have_the_verdicts_of_the_mode_contenders(self):
        for name, (cases, fastest, tied) in OF_LIBRARIES.items():
            results = results_of(SOURCE / "results" / f"{name}.jsonl.gz")
            self.assertEqual(len(results.cases), cases)
            self.assertIn(f"simd is the fastest library in {fastest} of {cases} cases, tied in {tied}",
                          select.tally("this CPU", "library", [found.selection for _, found in results.cases], str))
        self.assertNotIn("simd FFT", "\n".join(results.tables()), "simd's two ways do not compete with libraries")


class Page(unittest.TestCase):
    def test_stored_summaries_are_those_of_today(self):
        found = [path for path in RUNS if path.with_name(stem_of(path) + ".md").exists()]
        self.assertGreaterEqual(len(found), 2)
        for path in found:
            stored = path.with_name(stem_of(path) + ".md").read_text("utf-8")
            self.assertEqual(markdown(Runs([run_of(path)]).page("report"), SUMMARY_MARK), stored)
