"""Tests the results of a run of bench.sh contenders: the ranking, the tables, the JSON lines and the page."""

import json
import pathlib
import re
import unittest

import synthetic_contenders as synthetic
from ecbench.comparison.case import Case
from ecbench.comparison.questions import TIE, UNCLEAR
from ecbench.contenders import document, tables, versions, ways
from ecbench.contenders.libraries import DIRECT, LIMIT, WAYS
from ecbench.contenders.results import Results
from ecbench.runfile.run_file import read_run
from ecbench.terminal.console import Refused
from synthetic_contenders import ENCODE, WithRuns, times


def verdicts(result):
    found = result.selection
    return found.fastest, found.having(TIE), found.having(UNCLEAR)


class Ranking(WithRuns):
    def result(self, speeds, rounds=8, **more):
        self.path.unlink(missing_ok=True)
        return self.results({(ENCODE, name): of for name, of in speeds.items()}, rounds, **more).cases[0]

    def test_the_fastest_of_every_round_has_no_ties(self):
        result = self.result({"isa": times(20), "klauspost": times(25), "rs-erasure": times(10), LIMIT: times(100)})
        self.assertEqual((result.selection.fastest, result.selection.next, result.selection.having(TIE)), ("klauspost", "isa", []))
        self.assertAlmostEqual(result.selection.lead("isa").median, 1.25)
        self.assertEqual(result.selection.lead("isa"), result.selection.lead("isa"))
        self.assertAlmostEqual(result.limit_percent("klauspost"), 25)

    def test_a_figure_with_warnings_is_marked_and_explained(self):
        warned = {"warnings": [{"code": "cpu_taken", "text": "another program had the CPU"}]}
        speeds = {(ENCODE, "isa"): times(20), (ENCODE, "klauspost"): times(25)}
        for more, cell, explained in (({}, "*25.0", False), ({(ENCODE, "klauspost"): warned}, "*25.0!", True)):
            self.path.unlink(missing_ok=True)
            results = self.results(speeds, 8, more=more)
            self.assertEqual(tables.speed_cell(results.cases[0].libraries, "klauspost"), cell)
            self.assertEqual("!: a measurement" in tables.legend(results, results.rounds), explained)
            line, = map(json.loads, document.lines(results))
            self.assertEqual(line["libraries"]["klauspost"]["warnings"], explained)

    def test_a_library_that_was_as_fast_in_three_rounds_is_a_tie(self):
        slower = times(24)
        for number in (0, 3, 5):
            slower[number] = 25 * synthetic.STEADY[number] * 1.02
        result = self.result({"isa": slower, "klauspost": times(25)})
        self.assertEqual(verdicts(result), ("klauspost", ["isa"], []))
        self.assertEqual(tables.speed_cell(result.libraries, "isa")[0], tables.MARKS[TIE])
        self.assertEqual(tables.fastest_row(result)[-1], "isa")

    def test_one_disturbed_round_does_not_hide_a_difference(self):
        slower = times(24)
        slower[3] = 25 * synthetic.STEADY[3] * 1.04
        result = self.result({"isa": slower, "klauspost": times(25)})
        self.assertEqual(verdicts(result), ("klauspost", [], []))

    def test_a_difference_below_the_noise_floor_is_a_tie(self):
        for ratio, ties in ((1.01, ["isa"]), (1.02, [])):
            result = self.result({"isa": times(20), "klauspost": [ratio * speed for speed in times(20)]})
            self.assertEqual((result.selection.fastest, result.selection.having(TIE)), ("klauspost", ties))

    def test_a_library_that_may_be_much_slower_is_unclear_and_not_a_tie(self):
        varied = [18.0, 26.0, 20.0, 26.0, 18.0, 26.0, 18.0, 18.0]
        results = self.results({(ENCODE, "isa"): varied, (ENCODE, "klauspost"): [25.0] * 8})
        result = results.cases[0]
        self.assertEqual(verdicts(result), ("klauspost", [], ["isa"]))
        self.assertEqual(tables.speed_cell(result.libraries, "isa"), f"{tables.MARKS[UNCLEAR]}19.0")
        self.assertEqual(tables.fastest_row(result)[-1], "unclear: isa")
        self.assertEqual(tables.summary_table(results).rows[1:], [["klauspost", "0", "1"], ["isa", "0", "0"]])

    def test_libraries_are_compared_within_rounds(self):
        machine = [1, 0.3, 2, 0.5, 1.7, 0.4, 3, 1]
        result = self.result({"isa": [20 * of for of in machine], "klauspost": [21 * of for of in machine]})
        self.assertEqual((result.selection.fastest, result.selection.having(TIE)), ("klauspost", []))
        ratio = result.selection.lead(result.selection.next)
        for value in (ratio.low, ratio.median, ratio.high):
            self.assertAlmostEqual(value, 1.05)

    def test_many_comparisons_need_wider_intervals(self):
        jump = [1.0, 0.96] * 6
        two = self.result({"isa": [20.0] * 12, "simd": [21 * of for of in jump]}, 12)
        self.assertEqual((two.selection.fastest, two.selection.having(TIE)), ("simd", []))
        slow = {name: [5.0] * 12 for name in synthetic.PROFILES if name not in ("isa", "simd")}
        many = self.result({"isa": [20.0] * 12, "simd": [21 * of for of in jump], **slow}, 12)
        self.assertEqual((many.selection.fastest, many.selection.having(TIE)), ("simd", ["isa"]))

    def test_a_single_library_is_the_fastest_after_any_number_of_rounds(self):
        result = self.result({"simd": times(20, 2)}, 2)
        self.assertEqual((result.selection.fastest, result.selection.next, result.selection.lead("isa")), ("simd", None, None))
        self.assertEqual(tables.fastest_row(result)[2:], ["simd", *[tables.NONE] * 6])

    def test_rounds_are_paired_by_their_number(self):
        run = synthetic.write_run(self.path, {(ENCODE, "isa"): times(20, 7), (ENCODE, "klauspost"): times(25)}, 8)
        run.rows[synthetic.point_of(ENCODE, "isa").id].reverse()
        ratio = Results(run).cases[0].selection.lead("isa")
        self.assertAlmostEqual(ratio.low, 1.25)
        self.assertAlmostEqual(ratio.high, 1.25)


class Inconclusive(WithRuns):
    """An inconclusive case has no fastest library. The output contains the reason, and advice for another run."""

    def check(self, speeds, *words, rounds=8, **more):
        self.path.unlink(missing_ok=True)
        results = self.results({(ENCODE, name): of for name, of in speeds.items()}, rounds, **more)
        result = results.cases[0]
        self.assertEqual((result.selection.fastest, result.selection.having(TIE), result.selection.next), (None, [], None))
        self.assertIsNone(result.selection.lead("isa"))
        row = tables.fastest_row(result)
        self.assertEqual(row[2:8], [tables.INCONCLUSIVE, *[tables.NONE] * 5])
        text = "\n".join(tables.lines(results))
        self.assertNotRegex(text, r"[*=?]\d")
        self.assertIn("1 of 1 cases are inconclusive: ", text)
        self.assertTrue(all(row[1:] == ["0", "0"] for row in tables.summary_table(results).rows[1:]))
        (line,) = map(json.loads, document.lines(results))
        self.assertEqual((line["fastest"], line["ties"], line["next"], line["ratio_to_next"]), (None, [], None, None))
        for word in words:
            self.assertIn(word, line["inconclusive"])
        self.assertIn(row[-1], line["inconclusive"])
        self.assertIn(f"repeat with --rounds {max(2 * rounds, 6)}", line["inconclusive"])
        self.assertIn(line["inconclusive"].partition("; ")[2], text)

    def test_too_few_rounds(self):
        self.check({"isa": times(20, 5), "klauspost": times(90, 5)}, "klauspost has 5 measurements", rounds=5)

    def test_a_tie_that_may_be_much_faster(self):
        self.check({"isa": [20, 30, 10, 20, 30, 10, 20, 20], "klauspost": times(21)},
                   "isa has 52 to 157 % of the speed of klauspost", "end other programs")

    def test_many_disturbed_measurements(self):
        taken = {"warnings": [{"code": "few_clean_samples", "text": "another program had the CPU"}]}
        self.check({"isa": times(70), "klauspost": times(90)}, "other programs disturbed 100 % of the measurements of klauspost",
                   "end other programs", more={(ENCODE, "klauspost"): taken})

    def test_a_library_whose_rounds_failed(self):
        for rate in (90, 1):
            self.check({"isa": times(10), "simd": times(20), "rs-simd": times(rate, 3)}, "rs-simd has 3 measurements")


class WrongBytes(WithRuns):
    def test_a_library_that_returned_wrong_bytes_has_no_figure(self):
        results = self.results({(ENCODE, "isa"): times(20)}, wrong=[(ENCODE, "klauspost")])
        self.assertEqual((list(results.cases[0].libraries.candidates), results.wrong_bytes), (["isa"], 8))

    def test_one_wrong_result_is_enough(self):
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "klauspost"): times(30, 7)}, wrong=[(ENCODE, "klauspost")])
        self.assertEqual(list(results.cases[0].libraries.candidates), ["isa"])
        self.assertEqual(results.wrong_bytes_lines(), [f"klauspost returned WRONG BYTES and has no figure: {ENCODE}"])

    def test_candidates_are_reported_again_when_the_run_is_read(self):
        run = synthetic.write_run(self.path, {(ENCODE, "isa"): times(20)}, 8)
        run.header.wrong_candidates = ["jerasure liber8tion 6+2"]
        self.assertEqual(Results(run).wrong_bytes, 1)
        self.assertEqual(Results(run).wrong_bytes_lines(), ["jerasure liber8tion 6+2 returned WRONG BYTES and was not considered"])


class Tables(WithRuns):
    def test_speeds_are_marked(self):
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "jerasure XOR"): times(9), (ENCODE, LIMIT): times(80)})
        lines = list(tables.lines(results))
        self.assertIn("encode, warm: GB/s", lines[0])
        self.assertRegex(lines[2], r"^  6\+2  128 KiB +\*20\.0 +9\.00 +80\.0 +cg8:1024$")
        self.assertTrue(any(line.split()[:4] == ["6+2", "128", "KiB", "isa"] for line in lines), lines)

    def test_the_summary_counts_the_cases_of_each_library(self):
        small = Case("encode", 0, "warm", 6, 2, 4096)
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "simd"): times(30), (small, "isa"): times(20),
                                (small, "simd"): times(20)[::-1]})
        self.assertEqual(tables.summary_table(results).rows, [["", "fastest", "in a tie"], ["simd", "1", "1"], ["isa", "0", "1"]])

    def test_empty_calls_have_their_share_of_small_objects(self):
        small = Case("encode", 0, "warm", 6, 2, 4096)
        more = {(small, "klauspost"): {"call_overhead_ns": 100.0, "ns_per_op": 400.0}, (small, "isa"): {"call_overhead_ns": None}}
        results = self.results({(small, "isa"): times(20), (small, "klauspost"): times(25)}, more=more)
        self.assertEqual(tables.call_table(results).rows, [["", "ns", "6+2"], ["klauspost", "100.0", "25 %"]])

    def test_without_empty_calls_there_is_no_table_of_them(self):
        self.assertIsNone(tables.call_table(self.results({(ENCODE, "isa"): times(20)})))

    def test_json_has_a_line_for_each_case(self):
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "simd"): times(30)})
        (line,) = map(json.loads, document.lines(results))
        self.assertEqual((line["workload"], line["k"], line["size"], line["fastest"], line["ties"], line["limit_gb_per_s"]),
                         ("encode", 6, 128 << 10, "simd", [], None))
        self.assertIsNone(line["inconclusive"])
        self.assertAlmostEqual(line["libraries"]["isa"]["ratio_of_fastest"]["median"], 1.5)
        self.assertEqual(line["libraries"]["isa"]["profile"]["k"], "6")


class Ways(WithRuns):
    """simd's two ways to encode, with speeds for which the FFT is faster from m=8 on, and faster than klauspost from m=16 on."""

    SPEEDS = {(16, 4): (20, 18, 21), (8, 8): (10, 12, 9), (16, 8): (10, 12, 13), (16, 16): (5, 14, 12)}  # by WAYS; klauspost has 13

    def setUp(self):
        super().setUp()
        speeds = {}
        for (k, m), rates in self.SPEEDS.items():
            case = Case("encode", 0, "warm", k, m, 1 << 20)
            speeds |= {(case, name): times(rate) for name, rate in [("klauspost", 13), ("simd", max(rates)), *zip(WAYS, rates)]}
        self.found = self.results(speeds)

    def test_they_are_no_libraries(self):
        self.assertEqual(self.found.libraries, ["klauspost", "simd"])
        self.assertEqual([name for name, _ in versions.version_lines(self.found.run, self.found.entries)], ["klauspost", "simd"])

    def test_the_crossover_is_the_m_from_which_on_an_fft_is_faster_in_all_cases(self):
        (line,) = ways.crossovers(self.found)
        self.assertEqual(re.findall(r"from m=(\d+) on", line), ["4", "16"])
        del self.found.cases[0].ways.candidates["simd Leopard"]
        (line,) = ways.crossovers(self.found)
        self.assertEqual(re.findall(r"from m=(\d+) on", line), ["8", "16"])
        del self.found.cases[3].ways.candidates["simd FFT"]
        self.assertEqual([re.findall(r"from m=(\d+) on|for no m", line) for line in ways.crossovers(self.found)], [["8", ""]])

    def test_the_table_has_the_speeds_and_ratios_by_m(self):
        (table,) = ways.tables(self.found)
        self.assertEqual([row[:2] for row in table.rows[1:]],
                         [["16+4", "0.25"], ["8+8", "1.00"], ["16+8", "0.50"], ["16+16", "1.00"]])
        self.assertEqual(table.rows[1][3:], ["20.0", "18.0", "*21.0", "13.0", "klauspost",
                                             "0.90", "0.90..0.90", "1.05", "1.05..1.05"])

    def test_a_case_without_both_ways_is_left_out(self):
        for result in self.found.cases[:3]:
            result.ways.candidates.clear()
        del self.found.cases[3].ways.candidates[DIRECT]
        self.assertEqual((list(ways.tables(self.found)), list(ways.crossovers(self.found))), ([], []))

    def test_the_page_has_them(self):
        text = self.write_page(self.found).read_text("utf-8")
        self.assertIn('<section id="ways">', text)
        self.assertIn("<td class=\"number fastest\">*14.0</td>", text.partition('<section id="ways">')[2])


class StoredRun(unittest.TestCase):
    """Makes tables from a run that an earlier version stored. These tables must have the same figures as the tables that the
    earlier version printed. Conclusive cases must have the same fastest library."""

    STORED = pathlib.Path(__file__).resolve().parents[3] / "results" / "amd-epyc-family25-model1" / "contenders-2026-11-21-152712"

    def test_has_the_same_figures(self):
        results = Results(read_run(self.STORED.with_suffix(".jsonl.gz")))
        stored = self.STORED.with_suffix(".txt").read_text("utf-8")
        speeds = [line for table in tables.speed_tables(results) for line in table.lines()]
        self.assertEqual(len(speeds), 112 + 2 * 6)
        unmarked = re.sub("[*=?]", " ", stored)
        for line in speeds:
            self.assertIn(re.sub("[*=?]", " ", line), unmarked)
        calls = list(tables.call_table(results).lines())[2:]
        self.assertEqual(len(calls), 9)
        for line in calls:
            self.assertIn(line, stored)

    def test_has_the_same_fastest_where_the_measurements_are_conclusive(self):
        stored = {}
        text = self.STORED.with_suffix(".txt").read_text("utf-8")
        for title, block in re.findall(r"^fastest, (.*)\n.*\n((?:  .*\n)+)", text, re.MULTILINE):
            for cells in (re.split(" {2,}", line.strip()) for line in block.splitlines()):
                stored[title, cells[0], cells[1]] = cells[2:6]
        results = Results(read_run(self.STORED.with_suffix(".jsonl.gz")))
        found = {(table.title.partition(", ")[2], row[0], row[1]): row[2:6]
                 for table in tables.fastest_tables(results) for row in table.rows[1:]}
        self.assertEqual(stored.keys(), found.keys())
        conclusive = {case: row for case, row in found.items() if row[0] != tables.INCONCLUSIVE}
        self.assertEqual(len(conclusive), 109)
        self.assertEqual(conclusive, {case: stored[case] for case in conclusive})


class Titles(WithRuns):
    LIBRARY = {"libisal.so.2": {"path": "/opt/isal/libisal.so.2.0.31", "version": "2.0.31", "build_id": "abcdef0123456789"}}

    def test_a_libisal_has_its_version_as_title(self):
        name = f"isa in {synthetic.LIBISAL}"
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, name): times(30)},
                               more={(ENCODE, name): {"codec_libraries": self.LIBRARY}})
        self.assertEqual(results.libraries, ["isa", "isa 2.31"])
        versions_of = dict(versions.version_lines(results.run, results.entries))
        self.assertIn("libisal.so.2 2.31 (/opt/isal/libisal.so.2.0.31) build id abcdef012345", versions_of["isa 2.31"])
        self.assertIn("codes of ISA-L", versions_of["isa"])
        self.assertIn("libisal.so.2 2.30", versions_of["isa"])

    def test_two_of_one_version_keep_their_folders(self):
        names = ["isa in /opt/a", "isa in /opt/b"]
        results = self.results({(ENCODE, name): times(20) for name in names},
                               more={(ENCODE, name): {"codec_libraries": self.LIBRARY} for name in names})
        self.assertEqual(results.libraries, names)


class Page(WithRuns):
    def test_it_is_one_file_with_charts_and_all_figures(self):
        cold = Case("encode", 0, "cold", 6, 2, 128 << 10)
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "simd"): times(30), (ENCODE, LIMIT): times(80),
                                (cold, "isa"): times(0.1), (cold, "simd"): times(30)})
        path = self.write_page(results)
        text = path.read_text("utf-8")
        self.assertEqual(path.name, "run-page.html")
        self.assertEqual(text.count('role="img"'), 2)
        self.assertIn("<title>simd, 6+2 encode of 128 KiB, warm: 30.0 GB/s</title>", text)
        self.assertNotRegex(text, r"https?://|src=")
        data = json.loads(text.split('id="data">')[1].split("</script>")[0])
        self.assertEqual([case["fastest"] for case in data], ["simd", "simd"])

    def test_an_inconclusive_case_has_no_winner(self):
        noisy = [20, 30, 10, 20, 30, 10, 20, 20]
        results = self.results({(ENCODE, "isa"): noisy, (ENCODE, "simd"): times(21)})
        text = self.write_page(results).read_text("utf-8")
        self.assertNotIn('class=" fastest"', text)
        self.assertNotIn('class="number fastest"', text)
        self.assertIn("isa has 52 to 157 % of the speed of simd, so either may be faster", text)
        self.assertIn("1 of 1 cases are inconclusive: end other programs", text)

    def test_only_its_own_page_is_overwritten(self):
        results = self.results({(ENCODE, "isa"): times(20)})
        path = self.write_page(results)
        self.write_page(results)
        path.write_text("mine", "utf-8")
        with self.assertRaisesRegex(Refused, "not overwritten"):
            self.write_page(results)
        self.assertEqual(path.read_text("utf-8"), "mine")
