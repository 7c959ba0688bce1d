"""The site has the same figures and verdicts as contenders and report."""

import os
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(SOURCE / "scripts"))

from ecbench.contenders.results import Results
from ecbench.report import cases, findings
from ecbench.runfile.run_file import read_mode, read_run
from ecbench.runfile.summary import summarize
from ecbench.site import results

RUNS = {path: read_mode(path) for path in sorted((SOURCE / "results").glob("*/*.jsonl.gz"))}


def estimate(value):
    return value and tuple(round(one, 9) for one in (value.median, value.low, value.high))


class SameFigures(unittest.TestCase):
    def test_as_contenders(self):
        compared = 0
        for path in (path for path, mode in RUNS.items() if mode == "contenders"):
            run = read_run(path)
            mine = list(results.results_of(run))
            theirs = Results(run).cases
            self.assertEqual(len(mine), len(theirs))
            for one, other in zip(mine, theirs, strict=True):
                self.assertEqual((one.case.k, one.case.m, one.case.size), (other.case.k, other.case.m, other.case.size))
                self.assertEqual(str(one.ranking.inconclusive is None), str(other.selection.inconclusive is None))
                for candidate in one.candidates:
                    cell = other.libraries.candidates[candidate.library]
                    self.assertEqual(candidate.speed, cell.speed)
                    self.assertEqual(candidate.percent_of_limit, other.limit_percent(candidate.library))
                found = other.selection
                if found.fastest:
                    self.assertEqual((one.first.library, one.tied(), one.tied(unclear=True)),
                                     (found.fastest, found.having("tie"), found.having("unclear")))
                    if found.fastest != "isa":
                        self.assertEqual(estimate(one.ratio_to_isa(one.first)), estimate(found.lead("isa")))
                    compared += 1
        self.assertGreater(compared, 200)

    def test_as_report(self):
        compared = 0
        for path in (path for path, mode in RUNS.items() if mode == "sweep"):
            run = read_run(path)
            mine = list(results.results_of(run))
            found = cases.by_case(cases.read_entries([summarize(run)])[0])
            self.assertEqual(len(mine), len(found))
            for one, (case, entries) in zip(mine, found.items(), strict=True):
                self.assertEqual((one.case.k, one.case.m, one.case.size), (case.k, case.m, case.size))
                answer = findings.answer(entries)
                self.assertEqual(one.first.summary.id, answer.best.summary.id)
                self.assertEqual(one.first.speed.median, answer.best.gb_per_s)
                self.assertEqual([tie.summary.id for tie in one.ranking.ties], [tie.summary.id for tie in answer.selection.ties])
                compared += 1
        self.assertGreater(compared, 50)

    def test_the_run_with_the_most_libraries_counts(self):
        runs = [read_run(path) for path, mode in RUNS.items() if mode in ("sweep", "contenders")]
        chosen = results.chosen(runs)
        self.assertEqual(set(chosen), {run.header["machine"]["slug"] for run in runs})
        for slug, found in chosen.items():
            every = [result for run in runs if run.header["machine"]["slug"] == slug for result in results.results_of(run)]
            self.assertEqual({result.case for result in found}, {result.case for result in every})
            for result in found:
                self.assertEqual(len(result.libraries), max(len(one.libraries) for one in every if one.case == result.case))


if __name__ == "__main__":
    unittest.main(verbosity=2)
