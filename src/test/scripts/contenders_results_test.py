"""bench.sh contenders: what is said of the figures of a run, printed and on its page."""

import json
import unittest

import synthetic_contenders as synthetic
from ecbench.charts import available
from ecbench.contenders import cases, json_lines, naming, order, page_file, tables
from ecbench.contenders.contestants import LIMIT
from ecbench.contenders.results import Results
from ecbench.terminal.console import Refused
from synthetic_contenders import ENCODE, WithRuns, times


class Verdicts(WithRuns):
    def standing(self, speeds, rounds=8, **more):
        return self.results({(ENCODE, name): of for name, of in speeds.items()}, rounds, **more).standings[0]

    def test_the_fastest_of_every_round_is_told_apart(self):
        standing = self.standing({"isa": times(20), "klauspost": times(25), "rs-erasure": times(10), LIMIT: times(100)})
        self.assertEqual((standing.fastest, standing.runner_up, standing.equals), ("klauspost", "isa", []))
        self.assertEqual(standing.ranked, ["klauspost", "isa", "rs-erasure"])
        self.assertAlmostEqual(standing.of_runner_up().middle, 1.25)
        self.assertAlmostEqual(standing.of_isa().middle, 1.25)
        self.assertAlmostEqual(standing.percent_of_limit("klauspost"), 25)

    def test_one_that_was_faster_in_a_round_is_not_told_apart(self):
        slower = times(20)
        slower[3] = 30.0
        standing = self.standing({"isa": slower, "klauspost": times(25)})
        self.assertEqual((standing.fastest, standing.equals), ("klauspost", ["isa"]))
        self.assertEqual(tables.mark(standing, "isa"), tables.EQUAL)
        self.assertEqual(tables.apart(standing), "0 of 1, not from isa")

    def test_rounds_are_compared_with_themselves_alone(self):
        machine = [1, 0.3, 2, 0.5, 1.7, 0.4, 3, 1]
        standing = self.standing({"isa": [20 * of for of in machine], "klauspost": [21 * of for of in machine]})
        self.assertEqual((standing.fastest, standing.equals), ("klauspost", []))
        ratio = standing.of_runner_up()
        for value in (ratio.low, ratio.middle, ratio.high):
            self.assertAlmostEqual(value, 1.05)

    def test_too_few_rounds_tell_nobody_apart(self):
        standing = self.standing({"isa": times(20, 5), "klauspost": times(90, 5)}, 5)
        self.assertEqual((standing.equals, standing.certainty), (["isa"], None))
        self.assertEqual(tables.interval_text(standing.of_runner_up()), tables.NONE)

    def test_many_comparisons_need_wider_intervals(self):
        jump = [1.0] * 10 + [0.5] * 2
        two = self.standing({"isa": [20.0] * 12, "simd": [22 * of for of in jump]}, 12)
        self.assertEqual(two.equals, [])
        self.path.unlink()
        names = [name for name in synthetic.PROFILES if name not in ("isa", "simd")]
        many = self.standing({"isa": [20.0] * 12, "simd": [22 * of for of in jump], **{name: [5.0] * 12 for name in names}}, 12)
        self.assertEqual((many.fastest, many.equals), ("simd", ["isa"]))
        self.assertGreaterEqual(many.certainty, 0.95)

    def test_how_sure_a_case_is_counts_all_its_comparisons(self):
        three = self.standing({"isa": times(20), "klauspost": times(25), "simd": times(30)})
        self.assertAlmostEqual(three.certainty, 1 - 2 * (1 / 128) / 2)
        self.path.unlink()
        six = self.standing({"isa": times(20, 6), "klauspost": times(25, 6), "simd": times(30, 6)}, 6)
        self.assertAlmostEqual(six.certainty, 1 - 2 * (1 / 32) / 2)

    def test_one_alone_is_the_fastest_of_nobody(self):
        standing = self.standing({"simd": times(20)})
        self.assertEqual((standing.fastest, standing.runner_up, standing.of_isa(), standing.certainty), ("simd", None, None, None))
        self.assertEqual(tables.apart(standing), "nobody else ran")

    def test_rounds_that_failed_are_paired_by_their_number(self):
        run = synthetic.write_run(self.path, {(ENCODE, "isa"): times(20, 7), (ENCODE, "klauspost"): times(25)}, 8)
        rows = run.rows[synthetic.point_of(ENCODE, "isa").id]
        rows.reverse()
        ratio = Results(run).standings[0].of_runner_up()
        self.assertAlmostEqual(ratio.low, 1.25)
        self.assertAlmostEqual(ratio.high, 1.25)

    def test_one_whose_rounds_failed_is_no_equal_and_makes_the_others_no_less_sure(self):
        standing = self.standing({"isa": times(10), "simd": times(20), "rs-simd": times(1, 5)})
        self.assertEqual((standing.fastest, standing.equals, standing.unknown), ("simd", [], ["rs-simd"]))
        self.assertGreater(standing.certainty, 0.95)

    def test_one_whose_rounds_failed_is_not_the_fastest_however_fast(self):
        for others in ({"isa": times(10), "simd": times(20)}, {"simd": times(20)}):
            with self.subTest(others=list(others)):
                self.path.unlink(missing_ok=True)
                results = self.results({(ENCODE, name): of for name, of in {**others, "rs-simd": times(90, 3)}.items()})
                standing = results.standings[0]
                self.assertEqual((standing.fastest, standing.ranked[0], standing.equals, standing.unknown),
                                 ("simd", "simd", [], ["rs-simd"]))
                self.assertEqual(standing.runner_up, "isa" if "isa" in others else None)
                self.assertEqual([row[1:] for row in tables.win_rows(results)[1:] if row[0] == "simd"], [["0", "1"]])
                text = "\n".join(tables.lines(results))
                self.assertRegex(text, r"\*20\.0 .*\?90\.\d|\?90\.\d.*\*20\.0")
                self.assertIn("? failed in too many rounds to be compared with it", text)
                self.assertNotIn("too few rounds", text)
                (line,) = json_lines.lines(results)
                self.assertEqual(json.loads(line)["unknown"], ["rs-simd"])

    def test_a_contestant_that_never_gave_its_bytes_back_has_no_figure(self):
        results = self.results({(ENCODE, "isa"): times(20)}, wrong=[(ENCODE, "klauspost")])
        self.assertEqual((list(results.standings[0].cells), results.wrong_bytes), (["isa"], 8))

    def test_a_candidate_that_gave_back_wrong_bytes_is_told_of_a_run_that_is_read_again(self):
        run = synthetic.write_run(self.path, {(ENCODE, "isa"): times(20)}, 8)
        run.header["wrong_candidates"] = ["jerasure liber8tion 6+2"]
        self.assertEqual(Results(run).wrong_bytes, 1)
        self.assertEqual(Results(run).disqualified(), ["jerasure liber8tion 6+2 gave back WRONG BYTES, and stands for nobody"])

    def test_a_contestant_that_gave_back_wrong_bytes_once_has_no_figure(self):
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "klauspost"): times(30, 7)}, wrong=[(ENCODE, "klauspost")])
        self.assertEqual(list(results.standings[0].cells), ["isa"])
        self.assertEqual(results.disqualified(),
                         [f"klauspost gave back WRONG BYTES, and has no figure there: {ENCODE}"])


class Tables(WithRuns):
    def table(self, results):
        return list(tables.lines(results))

    def test_marks_the_fastest_and_its_equals(self):
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "jerasure XOR"): times(9), (ENCODE, LIMIT): times(80)})
        lines = self.table(results)
        self.assertIn("encode, warm: GB/s", lines[0])
        self.assertRegex(lines[2], r"^  6\+2  128 KiB +\*20\.0 +9\.00 +80\.0 +cg8:1024$")
        self.assertTrue(any(line.split()[:4] == ["6+2", "128", "KiB", "isa"] for line in lines), lines)

    def test_says_in_how_many_cases_each_is_the_fastest(self):
        small = cases.Case("encode", 0, "warm", 6, 2, 4096)
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "simd"): times(30), (small, "isa"): times(20),
                                (small, "simd"): times(20)[::-1]})
        self.assertEqual(tables.win_rows(results), [["", "fastest alone", "with others"], ["isa", "0", "1"], ["simd", "1", "1"]])

    def test_names_the_cost_of_a_call_where_it_weighs(self):
        small = cases.Case("encode", 0, "warm", 6, 2, 4096)
        more = {(small, "klauspost"): {"call_overhead_ns": 100.0, "ns_per_op": 400.0}, (small, "isa"): {"call_overhead_ns": None}}
        results = self.results({(small, "isa"): times(20), (small, "klauspost"): times(25)}, more=more)
        self.assertEqual(tables.call_rows(results), [["", "ns", "6+2"], ["klauspost", "100.0", "25 %"]])

    def test_no_row_tells_the_cost_of_a_call(self):
        self.assertEqual(tables.call_lines(self.results({(ENCODE, "isa"): times(20)})), [])

    def test_json_has_a_line_for_each_case(self):
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "simd"): times(30)})
        (line,) = json_lines.lines(results)
        told = json.loads(line)
        self.assertEqual((told["workload"], told["k"], told["size"], told["fastest"], told["equal"], told["limit_gb_per_s"]),
                         ("encode", 6, 128 << 10, "simd", [], None))
        self.assertAlmostEqual(told["contestants"]["isa"]["ratio_of_fastest"]["median"], 1.5)
        self.assertEqual(told["contestants"]["isa"]["profile"]["k"], "6")


class Names(WithRuns):
    LIBRARY = {"libisal.so.2": {"path": "/opt/isal/libisal.so.2.0.31", "version": "2.0.31", "build_id": "abcdef0123456789"}}

    def test_a_libisal_is_called_by_its_version(self):
        name = f"isa in {synthetic.LIBISAL}"
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, name): times(30)},
                               more={(ENCODE, name): {"codec_libraries": self.LIBRARY}})
        self.assertEqual(results.contestants, ["isa", "isa 2.31"])
        ran = dict(naming.version_lines(results.run))
        self.assertIn("libisal.so.2 2.31 (/opt/isal/libisal.so.2.0.31) build id abcdef012345", ran["isa 2.31"])
        self.assertIn("codes of ISA-L", ran["isa"])
        self.assertIn("libisal.so.2 2.30", ran["isa"])

    def test_two_of_one_version_keep_their_folders(self):
        names = ["isa in /opt/a", "isa in /opt/b"]
        results = self.results({(ENCODE, name): times(20) for name in names},
                               more={(ENCODE, name): {"codec_libraries": self.LIBRARY} for name in names})
        self.assertEqual(results.contestants, names)


class Order(WithRuns):
    def lines(self, speeds, **more):
        return "\n".join(order.lines(self.results({(ENCODE, name): of for name, of in speeds.items()}, **more)))

    def test_agrees(self):
        text = self.lines({"isa": times(20), "klauspost": times(60), "rs-erasure": times(15), "rs-simd": times(10)})
        self.assertIn("6 of 6 pairs as there", text)
        self.assertIn("agreed: every pair", text)

    def test_tells_the_pairs_that_are_unlike_and_why(self):
        text = self.lines({"isa": times(70), "klauspost": times(60)})
        self.assertIn("0 of 1 pairs as there, 1 the other way round", text)
        self.assertRegex(text, r"klauspost over isa: x2\.57 there, x0\.86 here\n")
        self.assertIn("has not what ran there (klauspost by AVX-512 and GFNI; isa by AVX-512)", text)

    def test_a_cpu_with_the_same_instructions_is_not_told_to_lack_them(self):
        cpu = {**synthetic.ENVIRONMENT["cpu"], "flags": ["avx512f", "gfni"]}
        text = self.lines({"isa": times(70), "klauspost": times(60)}, environment={**synthetic.ENVIRONMENT, "cpu": cpu})
        self.assertNotIn("has not", text)
        self.assertIn("the CPU is another", text)

    def test_the_cpu_of_there_is_no_other(self):
        machine = {"vendor": "GenuineIntel", "model_name": "INTEL(R) XEON(R) 6972P", "family": 6, "model": 173, "caches": [],
                   "flags": ["avx512f", "gfni"]}
        text = self.lines({"isa": times(70), "klauspost": times(60)}, environment={**synthetic.ENVIRONMENT, "cpu": machine})
        self.assertIn("1 of these pairs: nothing is known of them", text)

    def test_one_alone_is_in_no_pair(self):
        self.assertEqual(self.lines({"isa": times(70)}).splitlines()[1:], ["  no pair of them stands in both"])

    def test_too_few_rounds_are_no_reason_to_seek_one(self):
        text = self.lines({"isa": times(70, 5), "klauspost": times(60, 5)}, rounds=5)
        self.assertEqual(text.splitlines()[1:], ["  too few rounds to tell a pair apart"])

    def test_pairs_that_are_near_there_are_no_order(self):
        text = self.lines({"rs-erasure": times(10), "jerasure XOR": times(20)})
        self.assertIn("no pair of them stands in both", text)

    def test_a_new_isal_is_compared_with_the_new_one(self):
        name = f"isa in {synthetic.LIBISAL}"
        text = self.lines({"isa": times(20), name: times(50)}, more={(ENCODE, name): {"codec_libraries": Names.LIBRARY}})
        self.assertIn("1 of 1 pairs as there", text)

    def test_says_nothing_where_nothing_was_measured_there(self):
        other = cases.Case("encode", 0, "cold", 6, 2, 128 << 10)
        self.assertEqual(list(order.lines(self.results({(other, "isa"): times(20)}))), [])


@unittest.skipIf(available.missing(), "matplotlib is not installed")
class Page(WithRuns):
    def test_is_one_file_with_a_chart_and_all_figures(self):
        cold = cases.Case("encode", 0, "cold", 6, 2, 128 << 10)
        results = self.results({(ENCODE, "isa"): times(20), (ENCODE, "simd"): times(30), (ENCODE, LIMIT): times(80),
                                (cold, "isa"): times(0.1), (cold, "simd"): times(30)})
        path = page_file.PageFile(self.path).write(results)
        text = path.read_text("utf-8")
        self.assertEqual(path.name, "run-page.html")
        self.assertEqual(text.count('role="img"'), 2)
        self.assertIn("<title>simd, 6+2 encode of 128 KiB, warm: 30.0 GB/s</title>", text)
        self.assertNotRegex(text, r"https?://|src=")
        data = json.loads(text.split('id="data">')[1].split("</script>")[0])
        self.assertEqual([case["fastest"] for case in data], ["simd", "simd"])

    def test_overwrites_nothing_but_its_own(self):
        results = self.results({(ENCODE, "isa"): times(20)})
        page = page_file.PageFile(self.path)
        page.write(results)
        page.write(results)
        page.path.write_text("mine", "utf-8")
        with self.assertRaisesRegex(Refused, "not overwritten"):
            page.write(results)
        self.assertEqual(page.path.read_text("utf-8"), "mine")


if __name__ == "__main__":
    unittest.main(verbosity=2)
