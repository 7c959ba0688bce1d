"""gate ir with simulated instruction counts."""

import functools
import itertools
import json
import re
import unittest
from types import SimpleNamespace

import jsonschema
import synthetic_rows
from ecbench.documents.document import schema_of
from ecbench.gate.ir.counting import Count
from ecbench.gate.ir.program import (
    GROWN,
    SAME,
    SHRUNK,
    Result,
    budget_notes,
    judge,
    judged,
    kernel_notes,
    native_kernels,
    other_kernels,
    page_of,
    result_of,
)
from ecbench.gate.sides.both_sides import GatePoint, as_json, as_markdown
from ecbench.gate.sides.sides import Side
from ecbench.measure.session import Budget
from ecbench.point.point import Description, make_point
from ecbench.process.process import Child
from ecbench.profilers.subject import run_checked
from ecbench.terminal.console import Refused

SCHEMA = schema_of(Result, "", "")


def count(iterations=4, size=1000, kernel="k", **functions):
    named = {("lib.so", name): instructions for name, instructions in functions.items()}
    return Count(sum(named.values()), iterations, size, kernel, named)


def judge_pair(old, new, tolerance=0.5):
    return judge("id", "point", "callgrind", old, new, tolerance)


class Judging(unittest.TestCase):
    def test_only_beyond_the_tolerance(self):
        before = count(loop=100_000)
        for now, outcome in ((100_000, SAME), (100_500, SAME), (100_501, GROWN), (99_500, SAME), (99_499, SHRUNK)):
            self.assertEqual(judge_pair(before, count(loop=now)).outcome, outcome, now)
        self.assertEqual(judge_pair(before, count(loop=100_001), tolerance=0).outcome, GROWN)
        self.assertEqual(judge_pair(before, count(loop=100_000), tolerance=0).outcome, SAME)

    def test_counts_of_different_iterations_and_sizes_are_compared_per_byte(self):
        verdict = judge_pair(count(iterations=4, size=1000, loop=4000), count(iterations=3, size=3000, loop=9000), tolerance=0)
        self.assertEqual((verdict.outcome, verdict.change_percent), (SAME, 0))

    def test_functions_that_grew_come_in_the_order_of_growth(self):
        before = count(stays=50_000, grows=10_000, grows_more=5_000, shrinks=3_000, hardly=100)
        now = count(stays=50_000, grows=11_000, grows_more=9_000, shrinks=1_000, hardly=101, appears=2_000)
        verdict = judge_pair(before, now)
        self.assertEqual([function.function for function in verdict.functions], ["grows_more", "appears", "grows"])
        self.assertEqual((verdict.functions[1].old, verdict.functions[1].new), (0, 0.5))
        self.assertEqual([function.function for function in judge_pair(now, before).functions], ["grows_more", "appears", "grows"])
        self.assertEqual(judge_pair(now, before).outcome, SHRUNK)


class OtherKernels(unittest.TestCase):
    """callgrind runs only kernels up to AVX2."""

    def verdict(self, identity, counted, native, counter="callgrind"):
        now = count(kernel=counted, loop=1100)
        return judge(identity, f"point {identity}", counter, count(kernel=counted, loop=1000), now, 0.5, native)

    def setUp(self):
        self.verdicts = [self.verdict("a", "ec_avx2", "ec_avx512"), self.verdict("b", "xor_sse2", "xor_sse2"),
                         self.verdict("c", "", ""), self.verdict("d", "ec_avx2", "ec_gfni")]

    def test_one_note_has_the_number_of_points_that_are_not_also_counted_natively(self):
        natively = [self.verdict(identity, "ec_avx512", None, "native") for identity in "ad"]
        self.assertEqual(list(other_kernels(self.verdicts)), ["a", "d"])
        note, = kernel_notes(self.verdicts)
        for words in ("2 of 4 points", "point a: ec_avx2 instead of ec_avx512", "AVX-512", "--native"):
            self.assertIn(words, note)
        self.assertIn("1 of 4 points, such as point d", *kernel_notes([*self.verdicts, natively[0]]))
        for verdicts in (self.verdicts[1:3], [*self.verdicts, *natively]):
            self.assertEqual(kernel_notes(verdicts), [])

    def test_text_json_and_markdown_name_the_native_kernel(self):
        result = result_of("OLD", "NEW", self.verdicts, kernel_notes(self.verdicts))
        self.assertEqual([row.kernels for row in page_of(result).blocks[0].rows],
                         ["ec_avx2; natively ec_avx512", "", "", "ec_avx2; natively ec_gfni"])
        document = json.loads(as_json(result))
        jsonschema.validate(document, SCHEMA)
        self.assertEqual([point["native_kernel"] for point in document["points"]], ["ec_avx512", "xor_sse2", None, "ec_gfni"])
        self.assertIn("not the native kernel at 2 of 4 points", as_markdown(page_of(result)))

    def test_with_other_libraries_the_native_kernel_is_that_of_a_row(self):
        point = make_point("isa", {"k": "4", "m": "2"}, "encode", 4096, 0)
        asked = []
        program = SimpleNamespace(describe=lambda requests: [Description(kernel="by describe")] * len(requests),
                                  measure=lambda words, _: asked.append(words) or synthetic_rows.row(kernel="by a row"))
        for codec_lib, kernel in ((None, "by describe"), ("/opt/isal", "by a row")):
            side = SimpleNamespace(codec_lib=codec_lib, codec_words=lambda own=codec_lib: ["--codec-lib", own],
                                   ecbench=lambda _: program)
            self.assertEqual(native_kernels([point], side, None), [kernel])
        self.assertIn("/opt/isal", asked[0])


class Output(unittest.TestCase):
    def test_markdown_begins_with_the_verdict_and_shows_what_changed_first(self):
        verdicts = [judge_pair(count(loop=1000), count(loop=1100)), judge_pair(count(loop=1000), count(kernel="other", loop=900)),
                    judge_pair(count(loop=1), count(loop=1))]
        text = as_markdown(page_of(result_of("OLD", "NEW", verdicts, ["a note | of <somebody>"])))
        self.assertIn("\nREGRESSION: 1 of 3 points grew, 1 shrank\n", text.partition("## Points")[0])
        self.assertRegex(text, r"\| loop \| lib.so \| point \| 0.250 \| 0.275 \|")
        self.assertIn("| k in OLD, other in NEW |", text)
        self.assertEqual(re.findall(r"^\| (same|grown|shrunk) ", text, re.MULTILINE), ["grown", "shrunk", "same"])
        self.assertNotIn("<somebody>", text)


SIDES = [Side(name, "build", "build", "", "") for name in ("OLD", "NEW")]


def points_of(number):
    made = [make_point("isa", {"k": 4, "m": 2}, "encode", 4096 << place, 0) for place in range(number)]
    return {point.id: GatePoint(point, 0.5, 1024) for point in made}


class Counting(unittest.TestCase):
    def test_a_count_that_does_not_end_is_named(self):
        """It fails after the time limit. If the budget ends it, it is not counted."""
        def run(point, side, child, timeout):
            if side.name == "NEW" and point.size == 8192:
                run_checked(["sleep", "600"], child, is_ours=False, timeout=min(timeout, 0.01))
            return count(loop=1000)

        counter, child, cut = SimpleNamespace(name="native", count=run), Child(), []
        with self.assertRaisesRegex(Refused, "encode of 8 KiB: NEW, build: .* 60 s"):
            judged(points_of(2), counter, *SIDES, child, Budget(1000), 60, cut)
        self.assertEqual(cut, [])
        self.assertEqual(len(judged(points_of(2), counter, *SIDES, child, Budget(1000), 2000, cut)), 1)
        self.assertRegex(budget_notes(1, 2, Budget(0), [*cut, (1.0, "one that had less time")])[0], "encode of 8 KiB: NEW, build")

    def test_the_budget_ends_it_and_only_whole_pairs_are_judged(self):
        for seconds, fewest, most in ((0, 0, 0), (7, 2, 4), (1000, 6, 6)):
            clock = itertools.count()
            budget = Budget(seconds, functools.partial(next, clock))
            counter = SimpleNamespace(name="native", count=lambda *_: count(loop=1000))
            points = points_of(6)
            verdicts = judged(points, counter, *SIDES, None, budget, 600, [])
            self.assertTrue(fewest <= len(verdicts) <= most, (seconds, len(verdicts)))
            if verdicts:
                self.assertEqual(len(budget_notes(len(verdicts), 6, budget)), len(verdicts) < 6)
            else:
                self.assertRaises(Refused, budget_notes, 0, 6, budget)
