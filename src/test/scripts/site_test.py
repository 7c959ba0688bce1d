"""The site has the same figures and verdicts as experiments and report."""

import os
import pathlib
import types
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))

from ecbench.comparison.select import Doubt, Selection
from ecbench.experiment.results import Results
from ecbench.report import cases, findings
from ecbench.runfile.run_file import read_mode, read_run
from ecbench.runfile.summary import summarize
from ecbench.site import results, standing
from ecbench.statistics.interval import Estimate

RUNS = {path: read_mode(path) for path in sorted((SOURCE / "results").glob("*/*.jsonl.gz"))}


def estimate(value):
    return value and tuple(round(one, 9) for one in (value.median, value.low, value.high))


class SameFigures(unittest.TestCase):
    def test_as_libraries(self):
        compared = 0
        for path in (path for path in RUNS if path.name.startswith("contenders")):
            run = read_run(path)
            mine = list(results.results_of(run))
            theirs = Results.of_run(run).cases
            self.assertEqual(len(mine), len(theirs))
            for one, (_, other) in zip(mine, theirs, strict=True):
                self.assertEqual(str(one.ranking.inconclusive is None), str(other.selection.inconclusive is None))
                for candidate in one.candidates:
                    self.assertEqual(candidate.speed, other.candidates[candidate.library].speed)
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
        for path in (path for path, mode in RUNS.items()
                     if mode == "run" and not path.name.startswith("contenders")):
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
        runs = [read_run(path) for path, mode in RUNS.items() if mode == "run"]
        chosen = results.chosen(runs)
        self.assertEqual(set(chosen), {run.header.machine.slug for run in runs})
        for slug, found in chosen.items():
            every = [result for run in runs if run.header.machine.slug == slug for result in results.results_of(run)]
            self.assertEqual({result.case for result in found}, {result.case for result in every})
            for result in found:
                self.assertEqual(len(result.libraries), max(len(one.libraries) for one in every if one.case == result.case))


class Code(types.SimpleNamespace):
    __eq__, __hash__ = object.__eq__, object.__hash__


def ranking(first, *others, doubt=None):
    """`others`: pairs of a library and its verdict, the fastest first."""
    one, rest = Code(library=first, code="a"), [(Code(library=name, code="b"), word) for name, word in others]
    return Selection([one, *(code for code, _ in rest)], {code: Estimate(0.5, 0.4, 0.6) for code, _ in rest},
                     [code for code, word in rest if word != "slower"], [code for code, word in rest if word == "unclear"], doubt)


class Standing(unittest.TestCase):
    FASTEST = ranking("x", ("y", "slower"), ("z", "slower"))
    CASES = {"fastest": FASTEST, "tied": ranking("x", ("y", "tie")), "unclear": ranking("x", ("y", "unclear")),
             "slower": ranking("y", ("x", "slower")), "inconclusive": ranking("x", ("y", "tie"), doubt=Doubt("noise")),
             "tied, first is another": ranking("y", ("x", "tie"), ("z", "unclear")),
             "unclear, first is another": ranking("y", ("x", "unclear")), "tied with a code, unclear with another":
             ranking("x", ("y", "tie"), ("y", "unclear"))}

    def of(self, *rankings):
        case = types.SimpleNamespace(table="encode", case=types.SimpleNamespace(size=4096))
        return standing.standing([(case, one) for one in rankings], lambda code: code.library)

    def test_each_case_is_counted_once(self):
        for name, one in self.CASES.items():
            found = self.of(self.FASTEST, one)
            counts = {"fastest": len(found.leads) - 1, "tied": found.tied, "unclear": found.unclear, "slower": len(found.slower),
                      "inconclusive": found.inconclusive}
            self.assertEqual(found.library, "x")
            self.assertEqual({word for word, count in counts.items() if count}, {name.split(",")[0].split(" with")[0]}, name)
            self.assertEqual((sum(counts.values()), found.cases), (1, 2), name)
        self.assertEqual(self.of(self.FASTEST, ranking("y", ("z", "slower"))).cases, 1)  # x was not measured

    def test_the_word_for_the_confidence(self):
        for counts, has_doubts, word in (((10, 0, 0, 0, 0), False, "sure"), ((9, 0, 0, 1, 0), False, "sure"),
                                         ((8, 0, 0, 1, 1), False, "likely"), ((5, 5, 0, 0, 0), False, "sure"),
                                         ((5, 0, 5, 0, 0), False, "likely"), ((10, 0, 0, 0, 0), True, "likely"),
                                         ((6, 0, 0, 4, 0), False, "mixed"), ((4, 0, 0, 0, 6), False, "unsure")):
            names = ("fastest", "tied", "unclear", "slower", "inconclusive")
            found = self.of(*(self.CASES[name] for name, count in zip(names, counts, strict=True) for _ in range(count)))
            self.assertEqual(found.word(has_doubts), word, counts)

    def test_the_codes_of_the_library(self):
        self.assertEqual(self.of(self.FASTEST, self.CASES["tied, first is another"], self.FASTEST).name, "x a or b")
