"""Tests how bench.sh contenders chooses a profile for each library, and in which order it measures the profiles."""

import collections
import contextlib
import io
import pathlib
import tempfile
import types
import unittest
import unittest.mock

import synthetic_contenders as synthetic
import synthetic_rows
from ecbench.ceph.packets import TECHNIQUES
from ecbench.contenders import cases, libraries, qualification, run, ways
from ecbench.contenders.candidates import Candidate, Candidates, gather, limit_point
from ecbench.documents import shape
from ecbench.measure import start
from ecbench.measure.ecbench import failure
from ecbench.measure.session import Session, by_ecbench, order_of
from ecbench.point.axes import Language, read_axes
from ecbench.point.description import Description, Plugin, Technique
from ecbench.point.point import make_point
from ecbench.runfile.environment import Environment
from ecbench.runfile.header import Options
from ecbench.runfile.machine import machine_of
from ecbench.runfile.short_row import shortened
from ecbench.terminal.console import Refused
from synthetic_contenders import ENCODE, WithRuns, times


def read(words):
    return cases.read_cases(read_axes(words.split(), Language(None, cases.AXES, takes_profiles=False)))


class Selection(unittest.TestCase):
    def test_every_case_has_a_roofline(self):
        self.assertEqual([limit_point(case).plugin for case in read("shapes=wide size=1M cache=warm workload=encode")],
                         ["isa"] * 4 + ["simd"] * 2)

    def test_decode_2_needs_two_coding_chunks(self):
        found = read("k=2,6 m=1,2 size=4K cache=warm erasures=2")
        self.assertEqual([str(case) for case in found if (case.k, case.m) in ((2, 1), (6, 2))], [
            "2+1 encode of 4 KiB, warm", "6+2 encode of 4 KiB, warm", "6+2 decode 2 of 4 KiB, warm",
            "2+1 overwrite 1 of 4 KiB, warm", "6+2 overwrite 1 of 4 KiB, warm"])

    def test_the_default_has_152_cases(self):
        self.assertEqual(len(read("")), 152)

    def test_named_shapes(self):
        def found(words):
            return list(dict.fromkeys(case.shape for case in read(f"{words} size=4K cache=warm workload=encode")))

        self.assertEqual(found("shapes=wide"), ["16+4", "16+8", "16+16", "32+32", "64+64", "128+64"])
        self.assertEqual(found("shapes=wide k=16"), ["16+4", "16+8", "16+16"])
        self.assertEqual(found("shapes=usual,wide m=4"), ["8+4", "10+4", "16+4"])

    def test_bad_words_are_refused(self):
        for words in ("6+2", "shapes=narrow", "shapes=wide k=6", "k=6 m=0", "k=0", "m=", "k=6, m=2", "k=a", "k=7", "size=x",
                      "size=", "size=0", "size=4K,,1M", "cache=hot", "cache=",
                      "workload=repair", "workload=encode,", "k=2 m=1 workload=decode erasures=2", "erasures=all",
                      "threads=2", "changed=0", "changed=7 k=6 workload=overwrite",
                      "stripe-unit=4K", "erasures=0"):
            with self.subTest(words), self.assertRaises(Refused):
                read(words)


class Libraries(unittest.TestCase):
    def test_packetsizes_fill_the_chunk(self):
        for size, k in ((4096, 6), (4096, 10), (128 << 10, 6), (1 << 20, 6), (4 << 20, 10), (1 << 20, 2)):
            for name in libraries.XOR_TECHNIQUES:
                code = TECHNIQUES[name]
                found = libraries.packetsizes(cases.Case("encode", 0, "warm", k, 2, size), code)
                chunk = -(-size // k)
                with self.subTest(size=size, k=k, technique=name):
                    self.assertTrue(0 < len(found) <= 2 and all(of % 16 == 0 and 0 < of <= 8192 for of in found), found)
                    for packetsize in found:
                        round_ = code.packets * packetsize
                        self.assertLess(-chunk % round_, code.packets * 16 * -(-chunk // round_), packetsize)

    def test_packets_of_simd_have_an_odd_number_of_cache_lines_in_large_chunks(self):
        for size, k in ((128 << 10, 6), (1 << 20, 6), (4 << 20, 10)):
            profiles = libraries.simd_xor(cases.Case("encode", 0, "warm", k, 2, size), ())
            self.assertTrue(profiles)
            for profile in profiles:
                lines, rest = divmod(profile["packetsize"], 64)
                chunk, packets = -(-size // k), TECHNIQUES[profile["technique"]].packets
                with self.subTest(size=size, k=k, profile=profile):
                    self.assertTrue((rest == 0 and lines % 2 == 1) or chunk < 1024 * packets)
        small = cases.Case("encode", 0, "warm", 6, 2, 4096)
        self.assertEqual(libraries.simd_xor(small, ()), libraries.jerasure_xor(small, ()))

    def test_codes_for_two_coding_chunks_require_two(self):
        techniques = {profile["technique"] for profile in libraries.jerasure_xor(ENCODE, ())}
        self.assertEqual(techniques, {"cauchy_good", "liber8tion", "blaum_roth", "liberation"})
        four = libraries.jerasure_xor(cases.Case("encode", 0, "warm", 8, 4, 4096), ())
        self.assertEqual({profile["technique"] for profile in four}, {"cauchy_good"})
        self.assertEqual(len(libraries.jerasure_rs(ENCODE, ())), 2)

    def test_wide_codes_use_cauchy(self):
        def techniques(profiles, k, m, known=()):
            return [profile["technique"] for profile in profiles(cases.Case("encode", 0, "warm", k, m, 4096), known)]

        for k, m, technique in ((10, 4, "reed_sol_van"), (32, 3, "reed_sol_van"), (33, 3, "cauchy"), (22, 4, "cauchy"),
                                (16, 8, "cauchy")):
            self.assertEqual(techniques(libraries.isa_codes, k, m), [technique])
        known = ("reed_sol_van", "cauchy", "leopard_gf8")
        self.assertEqual(techniques(libraries.simd_codes, 6, 3, known), ["reed_sol_van"])
        self.assertEqual(techniques(libraries.simd_codes, 8, 4, known), list(known))
        self.assertEqual(techniques(libraries.simd_codes, 16, 8, known), ["cauchy", "leopard_gf8"])

    def test_unknown_words_and_folders_are_refused(self):
        self.assertEqual(self.names(library=("jerasure-rs", "isa")), ["isa", "jerasure RS"])
        self.assertEqual(self.names(plugin=("jerasure",)), ["jerasure RS", "jerasure XOR"])
        self.assertEqual(self.names(plugin=("jerasure",), library=("jerasure-rs", "isa")), ["jerasure RS"])
        with self.assertRaisesRegex(Refused, "library=isa is not allowed with plugin=simd"):
            self.names(plugin=("simd",), library=("isa",))
        for folder in ("/no/such/folder", ""):
            with self.subTest(folder), self.assertRaises(Refused):
                libraries.chosen({}, [folder])
        for word, meant in (("library=nosuch", ""), ("library=", ""), ("library=klauspst", "did you mean klauspost?")):
            with self.subTest(word), self.assertRaisesRegex(Refused, meant):
                read_axes([word], Language(None, libraries.AXES, takes_profiles=False))

    def names(self, **axes):
        return [one.name for one in libraries.chosen(axes, [])]


class FakeEcbench:
    """Simulates ecbench with given plugins and speeds. The keys of `speeds` are words of profiles, such as "technique=a". If the
    words of a point contain a key, the value of the key is the speed of this point in GB/s."""

    program = "/no/such/directory/ecbench"

    def __init__(self, plugins, speeds=None, refused=(), wrong=()):
        self._plugins = {name: Plugin(name, [Technique(of, []) for of in techniques], name) for name, techniques in plugins.items()}
        self._speeds, self._refused, self._wrong = speeds or {}, refused, wrong
        self.measured = collections.Counter()

    def list_plugins(self):
        return self._plugins

    def session_words(self, _patience):
        return []

    def describe(self, requests):
        return [self._describe(request["words"]) for request in requests]

    def _describe(self, words):
        if any(word in words for word in self._refused):
            return Description(refused="it is not possible")
        profile = dict(word.split("=") for word in words if "=" in word)
        return Description(profile=profile, chunk_size=64)

    def measure(self, words, _timeout):
        name = next((name for name in (*self._wrong, *self._speeds) if name in words), None)
        self.measured[name] += 1
        if name in self._wrong:
            return failure("wrong_bytes", "ecbench", "chunk 1", 2)
        return synthetic_rows.row(gb_per_s=self._speeds[name], cpu_seconds_per_gb=0.1)


class Gathered(unittest.TestCase):
    def test_missing_plugins_are_left_out_with_a_line(self):
        ecbench = FakeEcbench({"isa": ["reed_sol_van"]})
        found = gather(ecbench, libraries.chosen({}, []), [ENCODE])
        self.assertEqual([candidate.library for candidate in found.all], ["isa"])
        self.assertRegex("\n".join(found.left_out), "(?m)^not built and left out: .*, ceph; run make contenders, ")

    def test_a_code_that_a_libisal_does_not_support_is_left_out(self):
        wide = cases.Case("encode", 0, "warm", 16, 8, 4096)
        ours = libraries.Library("isa 2.32", "isa", libraries.isa_codes, "/a")
        chosen = [ours, *libraries.chosen({"library": ("simd",)}, [])]
        ecbench = FakeEcbench({"isa": [], "simd": ["cauchy", "leopard_gf8"]}, refused=("-p isa", "isa"))
        found = gather(ecbench, chosen, [wide])
        self.assertEqual([candidate.point.get("technique") for candidate in found.all], ["cauchy", "leopard_gf8"])
        self.assertIn("isa 2.32: ", "\n".join(found.left_out))
        ecbench = FakeEcbench({"isa": [], "simd": ["cauchy"]}, refused=("codec-lib=/a", "/a"))
        with self.assertRaisesRegex(Refused, "/a is not allowed"):
            gather(ecbench, chosen, [wide])

    def test_both_ways_of_simd_are_measured_where_they_are_possible(self):
        encodes = [cases.Case("encode", 0, "warm", k, m, 4096) for k, m in ((6, 3), (8, 4), (9, 4))]
        decode = cases.Case("decode", 1, "warm", 8, 4, 4096)
        ecbench = FakeEcbench({"isa": [], "simd": ["reed_sol_van", "cauchy"]}, refused=("k=9",))
        for library, names in (("simd", ["simd direct", "simd FFT", "simd Leopard"]), ("isa", [])):
            found = gather(ecbench, libraries.chosen({"library": (library,)}, []), [*encodes, decode])
            self.assertEqual([(one.library, one.case) for one in ways.candidates(ecbench, found)],
                             [(name, encodes[1]) for name in names])

    def test_if_no_library_is_left_it_is_refused(self):
        with self.assertRaisesRegex(Refused, "make contenders"):
            gather(FakeEcbench({"isa": ["reed_sol_van"]}), libraries.chosen({"library": ("klauspost",)}, []), [ENCODE])

    def test_a_refused_profile_has_one_line(self):
        ecbench = FakeEcbench({"isa": ["reed_sol_van"], "jerasure": []}, refused=("technique=liberation",))
        found = gather(ecbench, libraries.chosen({"library": ("isa", "jerasure-xor")}, []), [ENCODE])
        lines = [line for line in found.left_out if "not possible" in line]
        self.assertEqual(len(lines), 1)
        self.assertIn("(and 1 more)", lines[0])


class Qualification(unittest.TestCase):
    def candidates(self, *techniques):
        points = [make_point("jerasure", {"technique": name, "k": 6, "m": 2}, "encode", 4096, 0) for name in techniques]
        return Candidates([Candidate(ENCODE, "jerasure RS", point, 64, 0) for point in points])

    def choice(self, speeds, path=None, **more):
        """Returns the choice of a session, and the FakeEcbench that the session uses. If `path` is given, the session continues the
        run in this file. Otherwise, the session begins a new run."""
        ecbench = FakeEcbench({}, {f"technique={name}": speed for name, speed in speeds.items()}, **more)
        if path is None:
            path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.jsonl"
            options = Options(0.1, 10, [0], limit=False)
            writer, begun = start.begin(start.Start("contenders", [], 8, options, output=path),
                                        shape.read(Environment, synthetic.ENVIRONMENT))
        else:
            writer, begun = start.go_on(path, shape.read(Environment, synthetic.ENVIRONMENT))
        with contextlib.redirect_stderr(io.StringIO()), Session(begun, writer, by_ecbench(ecbench, begun)) as session:
            self.path = path
            return qualification.choose(session, self.candidates(*speeds), 1, 1), ecbench

    def test_the_fastest_candidate_is_chosen(self):
        choice, ecbench = self.choice({"a": 10, "b": 19, "c": 20})
        self.assertEqual([one.point.get("technique") for one in choice.candidates], ["c"])
        self.assertEqual([name.split()[1] for name, _ in choice.tried[choice.candidates[0].point.id]], ["c", "b", "a"])
        self.assertEqual(ecbench.measured, {"technique=a": 1, "technique=b": 3, "technique=c": 3})

    def test_one_candidate_is_not_measured(self):
        choice, ecbench = self.choice({"a": 10})
        self.assertEqual((len(choice.candidates), choice.tried, sum(ecbench.measured.values())), (1, {}, 0))

    def test_it_continues_where_it_was_interrupted(self):
        speeds = {"a": 10, "b": 19, "c": 20}
        whole, _ = self.choice(speeds)
        path, lines = self.path, self.path.read_bytes().splitlines(keepends=True)
        rows = [number for number, line in enumerate(lines) if b'"record":"row"' in line]
        for count, last in enumerate(rows, 1):
            path.write_bytes(b"".join(lines[:last + 1]))
            choice, ecbench = self.choice(speeds, path)
            self.assertEqual((choice.tried, sum(ecbench.measured.values())), (whole.tried, len(rows) - count))

    def test_candidates_with_wrong_bytes_are_reported_and_not_chosen(self):
        choice, _ = self.choice({"a": 10, "b": 20}, wrong=("technique=b",))
        self.assertEqual([name.split()[1] for name in choice.wrong], ["b"])
        self.assertEqual([one.point.get("technique") for one in choice.candidates], ["a"])


class TheRun(WithRuns):
    def test_the_points_of_a_case_are_measured_one_after_another_in_each_round(self):
        planned = [types.SimpleNamespace(id=f"{group}{number}", group=group) for number in range(4) for group in "abc"]
        header = types.SimpleNamespace(seed=7, repetitions=3, order="random", points=planned)
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
        kept = shortened(row)
        self.assertEqual([sample["placement"] for sample in kept["samples"]], [0, 1])
        self.assertAlmostEqual(kept["samples"][1]["seconds"], 0.3)
        self.assertNotIn("command", kept)
        self.assertNotIn("fill", kept)
        self.assertIn("limit_gb_per_s", kept)

    def test_another_library_in_the_same_folder_is_refused(self):
        name = f"isa in {synthetic.LIBISAL}"
        library = {"path": "~/a/libisal.so.2", "version": "2.0.31", "build_id": "a1"}
        begun = synthetic.write_run(self.path, {(ENCODE, name): times(20)}, 8,
                                    more={(ENCODE, name): {"codec_libraries": {"libisal.so.2": library}}})
        ecbench = unittest.mock.Mock()
        for change, is_it in (({}, True), ({"path": "/b/libisal.so.2"}, True), ({"build_id": "b2"}, False),
                              ({"version": None}, False)):
            loaded = types.SimpleNamespace(**{"name": "libisal.so.2", **library, **change})
            ecbench.environment.return_value = types.SimpleNamespace(shared_objects=[loaded])
            with self.subTest(change=change):
                if is_it:
                    run.check_libraries(ecbench, begun)
                    continue
                with self.assertRaisesRegex(Refused, "libisal.so.2 in /opt/isal is not the library with which the run began"):
                    run.check_libraries(ecbench, begun)

    def test_the_run_and_its_page_need_free_names(self):
        folder = self.path.parent
        run.check_output(folder / "new" / "deep" / "run.jsonl")
        self.assertEqual(list(folder.iterdir()), [])
        (folder / "run-page.html").touch()
        (folder / "gone.jsonl").symlink_to(folder / "nowhere")
        for path, why in (("run.jsonl", "not overwritten"), ("gone.jsonl", "it exists"), ("run.txt", "ends in .jsonl")):
            with self.subTest(path=path), self.assertRaisesRegex(Refused, why):
                run.check_output(folder / path)

    def test_run_does_not_resume_these_runs(self):
        folder = self.path.parent / "results"
        machine = folder / machine_of(shape.read(Environment, synthetic.ENVIRONMENT)).slug
        machine.mkdir(parents=True)
        synthetic.write_run(machine / "run.jsonl", {(ENCODE, "isa"): times(20)}, 8, finished=False)
        with unittest.mock.patch.dict("os.environ", ECBENCH_RESULTS_DIR=str(folder)):
            environment = shape.read(Environment, synthetic.ENVIRONMENT)
            self.assertEqual(start.newest_unfinished("contenders", environment), machine / "run.jsonl")
            with self.assertRaises(Refused):
                start.newest_unfinished("run", shape.read(Environment, synthetic.ENVIRONMENT))
