"""Tests gate ir with simulated instruction counts: which counts are a regression, which functions are printed, what a baseline
contains, and how differences between fingerprints are reported."""

import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from ecbench.gate.ir import fingerprint
from ecbench.gate.ir.baseline import read_baseline
from ecbench.gate.ir.comparing import Result, in_turn, judge_all, kernel_notes, native_kernels
from ecbench.gate.ir.counting import Count, addresses_of, by_function, iterations_for
from ecbench.gate.ir.judging import GONE, GROWN, NEW, SAME, SHRUNK, judge
from ecbench.gate.ir.output import as_json, function_lines, markdown, summary
from ecbench.gate.sides import exit_codes
from ecbench.measure.ecbench import Outcome
from ecbench.point.point import make_point
from ecbench.terminal.console import Refused

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
SCHEMA = json.loads((SCRIPTS / "ecbench" / "gate" / "ir" / "result.schema.json").read_text(encoding="utf-8"))
FACTS = {"counter": "callgrind", "valgrind": "3.19.0", "cpu": "avx avx2 bmi1 bmi2 fma sse3 ssse3", "libc": "glibc 2.36"}


def count(iterations=4, size=1000, kernel="k", **functions):
    """Returns an instruction count. `functions` contains the number of instructions for each function. The total is their sum."""
    named = {("lib.so", name): instructions for name, instructions in functions.items()}
    return Count(sum(named.values()), iterations, size, kernel, named)


def judged(before, now, tolerance=0.5):
    return judge("id", "point", "callgrind", before, now, tolerance)


class Judging(unittest.TestCase):
    def test_only_beyond_the_tolerance(self):
        before = count(loop=100_000)
        for now, outcome in ((100_000, SAME), (100_500, SAME), (100_501, GROWN), (99_500, SAME), (99_499, SHRUNK)):
            self.assertEqual(judged(before, count(loop=now)).outcome, outcome, now)
        self.assertEqual(judged(before, count(loop=100_001), tolerance=0).outcome, GROWN)
        self.assertEqual(judged(before, count(loop=100_000), tolerance=0).outcome, SAME)

    def test_counts_of_different_iterations_and_sizes_are_compared_per_byte(self):
        verdict = judged(count(iterations=4, size=1000, loop=4000), count(iterations=3, size=3000, loop=9000), tolerance=0)
        self.assertEqual((verdict.outcome, verdict.change_percent), (SAME, 0))

    def test_points_of_only_one_side_are_new_or_gone(self):
        self.assertEqual(judged(None, count(loop=1)).outcome, NEW)
        self.assertEqual(judged(count(loop=1), None).outcome, GONE)
        self.assertIsNone(judged(None, count(loop=1)).change_percent)

    def test_functions_that_grew_come_in_the_order_of_growth(self):
        before = count(stays=50_000, grows=10_000, grows_more=5_000, shrinks=3_000, hardly=100)
        now = count(stays=50_000, grows=11_000, grows_more=9_000, shrinks=1_000, hardly=101, appears=2_000)
        verdict = judged(before, now)
        self.assertEqual([function.function for function in verdict.functions], ["grows_more", "appears", "grows"])
        self.assertEqual((verdict.functions[1].before, verdict.functions[1].now), (0, 0.5))
        self.assertEqual([function.function for function in judged(now, before).functions], ["grows_more", "appears", "grows"])
        self.assertEqual(judged(now, before).outcome, SHRUNK)

    def test_small_objects_are_counted_more_often(self):
        self.assertEqual([iterations_for(size) for size in (1, 4096, 128 << 10, 4 << 20)], [128, 128, 16, 2])


class OtherKernels(unittest.TestCase):
    """callgrind runs only kernels up to AVX2. If a point uses another kernel outside callgrind, the output must report this
    difference."""

    def verdict(self, identity, counted, native, counter="callgrind"):
        now = count(kernel=counted, loop=1100)
        return dataclasses.replace(judge(identity, f"point {identity}", counter, count(kernel=counted, loop=1000), now, 0.5),
                                   native_kernel=native)

    def setUp(self):
        self.verdicts = [self.verdict("a", "ec_avx2", "ec_avx512"), self.verdict("b", "xor_sse2", "xor_sse2"),
                         self.verdict("c", "", ""), self.verdict("d", "ec_avx2", "ec_gfni")]

    def test_one_note_has_the_number_of_points_and_an_example(self):
        note, = kernel_notes(self.verdicts)
        for words in ("2 of 4 points", "point a: ec_avx2 instead of ec_avx512", "AVX-512", "--native"):
            self.assertIn(words, note)
        self.assertEqual(kernel_notes(self.verdicts[1:3]), [])

    def test_what_was_counted_natively_too_needs_no_note(self):
        natively = [self.verdict(identity, "ec_avx512", None, "native") for identity in "ad"]
        self.assertEqual(kernel_notes([*self.verdicts, *natively]), [])
        note, = kernel_notes([*self.verdicts, natively[0]])
        self.assertIn("1 of 4 points, such as point d", note)

    def test_text_json_and_markdown_name_the_native_kernel(self):
        result = Result("NEW", "OLD", self.verdicts, exit_codes.REGRESSION, kernel_notes(self.verdicts))
        readable = {"loop": "loop"}
        lines = function_lines(result.verdicts, readable)
        self.assertEqual(sum("native kernel" in line for line in lines), 2)
        self.assertIn("  counted kernel: ec_avx2; native kernel: ec_avx512", lines)
        document = as_json(result, readable)
        jsonschema.validate(document, SCHEMA)
        self.assertEqual([point["native_kernel"] for point in document["points"]], ["ec_avx512", "xor_sse2", None, "ec_gfni"])
        self.assertIn("2 of 4 points", document["notes"][0])
        self.assertIn("not the native kernel at 2 of 4 points", markdown(result, readable))

    def test_with_other_libraries_the_native_kernel_is_that_of_a_row(self):
        point = make_point("isa", {"k": "4", "m": "2"}, "encode", 4096, 0)
        described = SimpleNamespace(describe=lambda requests: [{"kernel": "by describe"}] * len(requests))
        side = SimpleNamespace(codec_lib=None, ecbench=lambda _: described)
        self.assertEqual(native_kernels([point], side, None), ["by describe"])
        asked = []

        def measure(words, _timeout):
            asked.append(words)
            return Outcome("row", "", row={"kernel": "by a row"})
        side = SimpleNamespace(codec_lib="/opt/isal", codec_words=lambda: ["--codec-lib", "/opt/isal"],
                               ecbench=lambda _: SimpleNamespace(measure=measure))
        self.assertEqual(native_kernels([point], side, None), ["by a row"])
        self.assertIn("/opt/isal", asked[0])


class Whole(unittest.TestCase):
    class Point:
        def __init__(self, name):
            self.point, self.tolerance_percent = name, 0.5

    class Counter:
        name = "callgrind"

    def test_points_of_only_one_side_are_reported_and_pass(self):
        points = {"a": self.Point("first"), "b": self.Point("second")}
        counted = {"a": count(loop=10), "b": count(loop=10)}
        known = {"a": (count(loop=10), "first"), "c": (count(loop=10), "third")}
        verdicts = judge_all(points, self.Counter, counted, known, points)
        self.assertEqual([(verdict.name, verdict.outcome) for verdict in verdicts],
                         [("first", SAME), ("second", NEW), ("third", GONE)])
        self.assertEqual(len(judge_all(points, self.Counter, counted, known, ())), 2,
                         "if only a part of the grid is counted, the other points of the baseline are not gone")
        self.assertIn("none of 1 points grew beyond its tolerance, 1 without a baseline, 1 gone",
                      summary(Result("NEW", "x", verdicts, exit_codes.NO_REGRESSION)))


class Natively(unittest.TestCase):
    """Tests which points are also counted natively (without callgrind): all points, or only the points that use another kernel
    without callgrind. The kernels are simulated, because callgrind may support all real kernels of this machine."""

    def chosen(self, native):
        points = {identity: Whole.Point(SimpleNamespace(words=list)) for identity in ("a", "b")}
        described = SimpleNamespace(describe=lambda _: [{"kernel": "avx512"}, {"kernel": "xor"}])
        side = SimpleNamespace(codec_lib=None, ecbench=lambda _: described)
        counts = {("callgrind", "a"): count(kernel="avx2"), ("callgrind", "b"): count(kernel="xor")}
        counters = [SimpleNamespace(name="callgrind"), SimpleNamespace(name="native")]
        return [(counter.name, chosen) for counter, chosen in in_turn(points, counters, native, counts, side, None)]

    def test_points_with_another_kernel_or_all_points(self):
        self.assertEqual(self.chosen("differing"), [("callgrind", ["a", "b"]), ("native", ["a"])])
        self.assertEqual(self.chosen("all"), [("callgrind", ["a", "b"]), ("native", ["a", "b"])])

    def test_the_native_kernel_is_a_kernel_of_the_side_s_codec_libraries(self):
        with mock.patch("ecbench.gate.ir.comparing.native_kernels", return_value=["avx2", "sse"]) as kernels:
            self.assertEqual(self.chosen("differing"), [("callgrind", ["a", "b"]), ("native", ["b"])])
        kernels.assert_called_once()


class Output(unittest.TestCase):
    def setUp(self):
        verdicts = [judged(count(loop=1000), count(loop=1100)), judged(count(loop=1000), count(kernel="other", loop=900)),
                    judged(None, count(loop=1)), judged(count(loop=1), None), judged(count(loop=1), count(loop=1))]
        self.result = Result("NEW", "OLD", verdicts, exit_codes.REGRESSION, notes=["a note | of <somebody>"], fingerprints=[FACTS])

    def test_json_is_as_its_schema_says(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        document = json.loads(json.dumps(as_json(self.result, {"loop": "loop"})))
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        self.assertEqual([point["outcome"] for point in document["points"]], [GROWN, SHRUNK, NEW, GONE, SAME])

    def test_markdown_begins_with_the_verdict_and_shows_what_changed_first(self):
        text = markdown(self.result, {"loop": "loop"})
        self.assertRegex(text, r"\A### ecbench gate ir: REGRESSION: 1 of 3 points grew, 1 shrank, 1 without a baseline, 1 gone\n")
        self.assertIn("loop in lib.so: 0.2500 before, 0.2750 now", text)
        self.assertIn("<details><summary>Other points: 1</summary>", text)
        self.assertNotIn("<somebody>", text)


class Counting(unittest.TestCase):
    def test_addresses_are_summed_by_function(self):
        class Resolver:
            def function(self, path, address):
                class Function:
                    object, name = path, "low" if address < 0x20 else "high"
                return Function

        counted = {"objects": [{"path": "a.so", "at": [["0x10", 3], ["0x18", 4], ["0x20", 5]]}, {"path": "", "at": [["0x1", 0]]}]}
        self.assertEqual(by_function(addresses_of(counted), Resolver()), {("a.so", "low"): 7, ("a.so", "high"): 5})


class Baselines(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path = os.path.join(temporary.name, "deeper", "baseline.json")

    def written(self, *puts):
        baseline = read_baseline(self.path, may_be_missing=True)
        for facts, points, keeps in puts:
            baseline.put(facts, points, keeps)
        baseline.write()
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def test_what_is_written_is_read_and_its_text_does_not_depend_on_the_order(self):
        a, b = (count(loop=5, other=2), "isa encode of 4 KiB ≤ 1"), (count(kernel="avx2", loop=7), "jerasure")
        text = self.written((FACTS, {"a": a, "b": b}, False))
        self.assertEqual(read_baseline(self.path, False).find(FACTS), {"a": a, "b": b})
        os.remove(self.path)
        self.assertEqual(self.written((FACTS, {"b": b}, False), (FACTS, {"a": a}, True)), text)
        self.assertEqual(self.written(), text)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["baseline.json"])

    def test_an_update_replaces_only_its_own_fingerprint(self):
        other = {**FACTS, "valgrind": "3.20.0"}
        a, b, c = ((count(loop=number), str(number)) for number in (1, 2, 3))
        self.written((FACTS, {"a": a, "b": b}, False), (other, {"a": a}, False))
        self.written((FACTS, {"a": c}, True))
        baseline = read_baseline(self.path, False)
        self.assertEqual(baseline.find(FACTS), {"a": c, "b": b})
        self.assertEqual(baseline.find(other), {"a": a})
        self.written((FACTS, {"a": c}, False))
        self.assertEqual(read_baseline(self.path, False).find(FACTS), {"a": c})

    def test_an_unknown_fingerprint_is_compared_with_the_nearest(self):
        self.written(({**FACTS, "libc": "glibc 2.40", "valgrind": "3.25"}, {}, False), ({**FACTS, "libc": "glibc 2.37"}, {}, False),
                     ({**FACTS, "counter": "native"}, {}, False))
        baseline = read_baseline(self.path, False)
        self.assertIsNone(baseline.find(FACTS))
        self.assertEqual(baseline.nearest(FACTS), ["libc: glibc 2.37 before, glibc 2.36 now"])
        self.assertIsNone(baseline.nearest({**FACTS, "counter": "another"}))

    def test_a_corrupt_baseline_is_refused_with_one_line(self):
        text = self.written((FACTS, {"a": (count(loop=5), "isa")}, False))
        whole = json.loads(text)
        key, = whole["entries"]

        def changed(change):
            document = json.loads(text)
            change(document["entries"][key])
            return json.dumps(document)

        for broken in ("", "[" * 100_000, text[:-20], "null", '{"format": "ecbench run 2"}',
                       '{"format": "ecbench gate ir baseline 1"}', changed(lambda entry: entry.pop("points")),
                       changed(lambda entry: entry["fingerprint"].update(libc="other")),
                       changed(lambda entry: entry["points"]["a"].update(instructions="5")),
                       changed(lambda entry: entry["points"]["a"].update(instructions=10**400)),
                       changed(lambda entry: entry["points"]["a"].update(functions={"lib.so": {"loop": 10**400}})),
                       changed(lambda entry: entry["points"]["a"].update(kernel=5)),
                       changed(lambda entry: entry["points"]["a"].update(point="\ud800\n")),
                       changed(lambda entry: entry["points"]["a"].update(iterations=0)),
                       changed(lambda entry: entry["points"]["a"].update(functions={"lib.so": {"loop": None}})),
                       changed(lambda entry: entry["points"]["a"].pop("kernel")), changed(lambda entry: entry.update(points=[]))):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(broken)
            with self.assertRaises(Refused) as caught:
                read_baseline(self.path, may_be_missing=True)
            self.assertIn(self.path, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))


class Fingerprints(unittest.TestCase):
    DIAGNOSTICS = """x86.cpu_features.basic.kind=0x1
x86.cpu_features.features[0x0].cpuid[0x2]=0xffffffff
x86.cpu_features.features[0x0].active[0x2]=0x10000200
x86.cpu_features.features[0x1].active[0x1]=0x10020
x86.cpu_features.features[0x1].active[0x2]=0x100
"""

    def test_flags_are_those_that_libc_uses(self):
        self.assertEqual(fingerprint.flags_in(self.DIAGNOSTICS), ["avx", "avx2", "avx512f", "gfni", "ssse3"])
        self.assertEqual(fingerprint.flags_in("dl_platform=x"), [])

    def test_warnings_are_no_part_of_it(self):
        self.assertEqual(fingerprint.without_warnings("-O3 -Wall -Werror -Wno-restrict -Wl,-z,now"), "-O3 -Wl,-z,now")

    def test_differences_are_named(self):
        build_id = "build id 93ac61ec5a8eb1396f9fbd350e3169a558528a40"
        now = {**FACTS, "cpu": FACTS["cpu"] + " avx512f", "libisal.so.2": build_id, "valgrind": "3.20.0"}
        self.assertEqual(fingerprint.differences(FACTS, now), [
            "cpu: avx512f only now", "libisal.so.2: none before, build id 93ac61ec5a8e… now",
            "valgrind: 3.19.0 before, 3.20.0 now"])
        self.assertEqual(fingerprint.differences(FACTS, dict(reversed(FACTS.items()))), [])
        self.assertEqual(fingerprint.key_of(FACTS), fingerprint.key_of(dict(reversed(FACTS.items()))))


if __name__ == "__main__":
    unittest.main(verbosity=2)
