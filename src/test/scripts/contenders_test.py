"""bench.sh contenders: who competes with which profiles, in which order a run measures them, and what is said of the figures."""

import collections
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

import synthetic_contenders as synthetic  # noqa: E402
from contenders_table import cases, contestants, json_lines, naming, order, page_file, qualifying, running, tables  # noqa: E402
from contenders_table.contestants import LIMIT  # noqa: E402
from contenders_table.field import Entry, Field, gather  # noqa: E402
from contenders_table.results import Results  # noqa: E402
from measuring.console import Refused  # noqa: E402
from measuring.ecbench import Outcome  # noqa: E402
from measuring.interrupts import Interrupted  # noqa: E402
from points.point import make_point  # noqa: E402
from sweeping.session import order_of  # noqa: E402

ENCODE = synthetic.ENCODE
STEADY = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99]


def times(speed, rounds=8):
    return [speed * factor for factor in STEADY[:rounds]]


class WithRuns(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ecbench contenders ")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "run.jsonl"

    def results(self, speeds, rounds=8, **more):
        return Results(synthetic.write_run(self.path, speeds, rounds, **more))


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
        machine = {**synthetic.ENVIRONMENT["cpu"], "model_name": "Intel Granite Rapids", "flags": ["avx512f", "gfni"]}
        text = self.lines({"isa": times(70), "klauspost": times(60)}, environment={**synthetic.ENVIRONMENT, "cpu": machine})
        self.assertIn("1 of these pairs: nothing is known of them", text)

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


class Selection(unittest.TestCase):
    def test_decode_2_needs_two_coding_chunks(self):
        selection = cases.read_selection("2+1,6+2", "4K", "warm", "encode,decode2")
        self.assertEqual([str(case) for case in selection.cases()], [
            "2+1 encode of 4 KiB, warm", "6+2 encode of 4 KiB, warm", "6+2 decode 2 of 4 KiB, warm"])

    def test_the_default_is_all_that_the_issue_names(self):
        selection = cases.read_selection(*map(",".join, (cases.SHAPES, cases.SIZES, cases.CACHES, cases.WORKLOADS)))
        self.assertEqual(len(selection.cases()), 112)

    def test_bad_words_are_refused(self):
        good = {"shapes": "6+2", "sizes": "4K", "caches": "warm", "workloads": "encode"}
        for name, texts in {"shapes": ("6", "6+0", "0+2", "", "6+2,", "6+2+1", "a+b"), "sizes": ("x", "", "0", "4K,,1M"),
                            "caches": ("hot", ""), "workloads": ("repair", "encode,")}.items():
            for text in texts:
                with self.subTest(name=name, text=text), self.assertRaises(Refused):
                    cases.read_selection(**{**good, name: text})
        with self.assertRaises(Refused):
            cases.read_selection("2+1", "4K", "warm", "decode2").cases()


class Contestants(unittest.TestCase):
    def test_packetsizes_fill_the_chunk(self):
        for size, k in ((4096, 6), (4096, 10), (128 << 10, 6), (1 << 20, 6), (4 << 20, 10), (1 << 20, 2)):
            for name, code in contestants.XOR_TECHNIQUES.items():
                found = contestants.packetsizes(cases.Case("encode", 0, "warm", k, 2, size), code)
                chunk = -(-size // k)
                with self.subTest(size=size, k=k, technique=name):
                    self.assertTrue(0 < len(found) <= 2 and all(of % 16 == 0 and 0 < of <= 8192 for of in found), found)
                    for packetsize in found:
                        round_ = code.packets * packetsize
                        self.assertLess(-chunk % round_, code.packets * 16 * -(-chunk // round_), packetsize)

    def test_codes_for_two_coding_chunks_run_with_two_alone(self):
        techniques = {profile["technique"] for profile in contestants.jerasure_xor(ENCODE, ())}
        self.assertEqual(techniques, {"cauchy_good", "liber8tion", "blaum_roth", "liberation"})
        four = contestants.jerasure_xor(cases.Case("encode", 0, "warm", 8, 4, 4096), ())
        self.assertEqual({profile["technique"] for profile in four}, {"cauchy_good"})
        self.assertEqual(len(contestants.jerasure_rs(ENCODE, ())), 2)

    def test_unknown_words_and_folders_are_refused(self):
        self.assertEqual([one.name for one in contestants.chosen(["jerasure-rs", "isa"], [])], ["isa", "jerasure RS"])
        for words, folders in ((["nosuch"], []), ([""], []), (None, ["/no/such/folder"]), (None, [""])):
            with self.subTest(words=words, folders=folders), self.assertRaises(Refused):
                contestants.chosen(words, folders)


class FakeEcbench:
    """Plugins and speeds as a test says; `speeds` maps a word of a point's profile to its GB/s."""

    def __init__(self, plugins, speeds=None, refused=(), wrong=()):
        self._plugins = {name: {"summary": name, "path": name, "techniques": [{"name": of} for of in techniques]}
                         for name, techniques in plugins.items()}
        self._speeds, self._refused, self._wrong = speeds or {}, refused, wrong
        self.measured = collections.Counter()

    def list_plugins(self):
        return self._plugins

    def describe(self, requests):
        return [self._describe(request["words"]) for request in requests]

    def _describe(self, words):
        if any(word in words for word in self._refused):
            return {"refused": "it is not possible"}
        profile = dict(word.split("=") for word in words if "=" in word)
        return {"profile": profile, "erasures": 0, "chunk_size": 64, "padding_percent": 0.0}

    def measure(self, words, _timeout):
        name = next((name for name in (*self._wrong, *self._speeds) if name in words), None)
        self.measured[name] += 1
        if name in self._wrong:
            return Outcome("wrong_bytes", "ecbench", why="chunk 1", exit_code=2)
        return Outcome("row", "ecbench", row={"gb_per_s": self._speeds[name], "samples": [], "verified": True}, exit_code=0)


class TheField(unittest.TestCase):
    def test_plugins_that_are_not_there_are_left_out_in_a_line(self):
        ecbench = FakeEcbench({"isa": ["reed_sol_van"]})
        field = gather(ecbench, contestants.chosen(None, []), [ENCODE])
        self.assertEqual([entry.contestant for entry in field.entries], ["isa"])
        self.assertTrue(any("rs-simd are left out, not built: make contenders" in line for line in field.left_out), field.left_out)

    def test_nobody_left_is_refused(self):
        with self.assertRaisesRegex(Refused, "make contenders"):
            gather(FakeEcbench({"isa": ["reed_sol_van"]}), contestants.chosen(["klauspost"], []), [ENCODE])

    def test_a_refused_profile_is_told_once(self):
        ecbench = FakeEcbench({"isa": ["reed_sol_van"], "jerasure": []}, refused=("technique=liberation",))
        field = gather(ecbench, contestants.chosen(["isa", "jerasure-xor"], []), [ENCODE])
        told = [line for line in field.left_out if "not possible" in line]
        self.assertEqual(len(told), 1)
        self.assertIn("(and 1 others)", told[0])


class Qualifying(unittest.TestCase):
    def field(self, *techniques):
        points = [make_point("jerasure", {"technique": name, "k": 6, "m": 2}, "encode", 4096, 0) for name in techniques]
        return Field([Entry(ENCODE, "jerasure RS", point, 64, 0) for point in points])

    def choice(self, speeds, **more):
        ecbench = FakeEcbench({}, {f"technique={name}": speed for name, speed in speeds.items()}, **more)
        return qualifying.qualify(ecbench, self.field(*speeds), 1), ecbench

    def test_the_fastest_candidate_stands_for_the_contestant(self):
        choice, ecbench = self.choice({"a": 10, "b": 19, "c": 20})
        self.assertEqual([entry.point.get("technique") for entry in choice.entries], ["c"])
        self.assertEqual([name.split()[1] for name, _ in choice.tried[choice.entries[0].point.id]], ["c", "b", "a"])
        self.assertEqual(ecbench.measured, {"technique=a": 1, "technique=b": 3, "technique=c": 3})

    def test_one_candidate_is_not_measured(self):
        choice, ecbench = self.choice({"a": 10})
        self.assertEqual((len(choice.entries), choice.tried, sum(ecbench.measured.values())), (1, {}, 0))

    def test_an_interrupt_says_what_is_lost(self):
        ecbench = FakeEcbench({}, {"technique=a": 1})
        ecbench.measure = unittest.mock.Mock(side_effect=Interrupted(2))
        with contextlib.redirect_stderr(io.StringIO()) as told, self.assertRaises(Interrupted):
            qualifying.qualify(ecbench, self.field("a", "b"), 1)
        self.assertIn("no run has begun", told.getvalue())

    def test_wrong_bytes_are_out_and_told(self):
        choice, _ = self.choice({"a": 10, "b": 20}, wrong=("technique=b",))
        self.assertEqual([name.split()[1] for name in choice.wrong], ["b"])
        self.assertEqual([entry.point.get("technique") for entry in choice.entries], ["a"])


class TheRun(WithRuns):
    def test_a_cases_points_are_measured_next_to_each_other_in_each_round(self):
        header = {"seed": 7, "repetitions": 3, "points": [{"id": f"{group}{number}", "group": group} for number in range(4)
                                                          for group in "abc"]}
        measured = order_of(header)
        self.assertEqual(len(set(measured)), 36)
        for begin in range(0, 36, 4):
            together = measured[begin:begin + 4]
            self.assertEqual(len({(identity[0], number) for identity, number in together}), 1, together)
        self.assertGreater(len({tuple(identity for identity, _ in measured[begin:begin + 12]) for begin in (0, 12, 24)}), 1)

    def test_a_row_keeps_the_median_sample_of_each_placement(self):
        samples = [{"placement": place, "seconds": 0.1 * place + seconds, "cpu_seconds": 0.1}
                   for place in (0, 1) for seconds in (0.3, 0.1, 0.2)]
        row = synthetic.row(10, samples=samples, command="ecbench -p isa", fill=None)
        kept = running.shortened(row)
        self.assertEqual([sample["placement"] for sample in kept["samples"]], [0, 1])
        self.assertAlmostEqual(kept["samples"][1]["seconds"], 0.3)
        self.assertNotIn("command", kept)
        self.assertNotIn("fill", kept)
        self.assertIn("limit_gb_per_s", kept)

    def test_another_library_in_the_same_folder_is_refused(self):
        name = f"isa in {synthetic.LIBISAL}"
        run = synthetic.write_run(self.path, {(ENCODE, name): times(20)}, 8, more={(ENCODE, name): {"codec_libraries": [1]}})
        row = synthetic.row(20, codec_lib=synthetic.LIBISAL, codec_libraries=[1])
        ecbench = unittest.mock.Mock()
        ecbench.measure.side_effect = lambda *_: Outcome("row", "ecbench", row)
        running.RowsToKeep(ecbench, run).measure([], 1)
        row["codec_libraries"] = [2]
        with self.assertRaisesRegex(Refused, "begin another run"):
            running.RowsToKeep(ecbench, run).measure([], 1)

    def test_another_program_s_run_is_refused(self):
        run = synthetic.write_run(self.path, {(ENCODE, "isa"): times(20)}, 8)
        running.check_ours(run)
        del run.header["points"][0]["contestant"]
        with self.assertRaisesRegex(Refused, "no run of bench.sh contenders"):
            running.check_ours(run)


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
        self.assertIn('class="behind"', text)
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
