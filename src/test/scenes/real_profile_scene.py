"""The profiles of bench.sh profile contain the functions of the erasure code, but not ecbench's own loop."""

import json
import os
import re
import shutil
import unittest

import scene
from ecbench.profilers.profilers import FEWEST_SAMPLES

POINT = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=6", "-P", "m=2", "-s", "128K"]
NEEDED = ("env", "sh", "ldconfig", "c++filt", "ecbench")


def arguments(*words):
    return scene.mode("profile", *words)


class Profiles(scene.Scene):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "the profile"

    def profile(self, tool, *words, options=(), env=None):
        return scene.run(arguments(tool, "--ecbench", scene.ECBENCH, "--output", self.out, *options, "--", *words), env=env)

    def document(self, tool, *words):
        result = self.succeeded(self.profile(tool, *words))
        document = json.loads((self.out / "hotspots.json").read_text())
        for name in ("hotspots.txt", "command.txt"):
            self.assertGreater((self.out / name).stat().st_size, 0)
        if shutil.which("objdump"):
            self.assertRegex((self.out / "annotated.txt").read_text(), r"(?m)^ *[0-9.]+ +[0-9a-f]+  [a-z]")
        for path in self.out.iterdir():
            self.assertRegex(result.stdout, rf"(?m)^  {re.escape(path.name)} +\S", "no line names the program that opens this file")
        self.assertIn("<svg", (self.out / "flame.svg").read_text())
        for sentence in document["sentences"]:
            self.assertIn(sentence, result.stdout)
        self.assertEqual([path.name for path in self.out.iterdir() if path.name.startswith(".")], [])
        return document

    def percents(self, document):
        return {item["class"]: item["percent"] for item in document["classes"]}


class Callgrind(Profiles, scene.UnderCallgrind):
    def test_table_lookups_are_those_of_the_scalar_kernels(self):
        native = self.document("callgrind", *POINT)
        self.assertLess(self.percents(native)["table-lookup"], 5)
        self.assertIn("multiply_region", native["rows"][0]["function"], "the name of a pointer, if GF-Complete is stripped")
        self.assertEqual(native["iterations"], 10)
        scalar = self.document("callgrind", *POINT, "--dispatch", "scalar")
        self.assertGreater(self.percents(scalar)["table-lookup"], 80)
        for options in ([], ["-w", "decode", "-e", "2"], ["--threads", "2"]):
            self.assertLess(self.percents(self.document("callgrind", *POINT, *options))["harness"], 1, "only the timed loops")

    def test_isas_kernel_has_its_name(self):
        document = self.document("callgrind", "-p", "isa", "-P", "k=6", "-P", "m=2", "-s", "128K")
        self.assertRegex(document["rows"][0]["function"], "^gf_2vect_dot_prod_")
        self.assertEqual(document["rows"][0]["how"], "assembler symbol")

    def test_a_failure_leaves_the_earlier_profile(self):
        self.document("callgrind", "sh", "-c", "exit 0")
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        self.assert_refused(self.profile("callgrind", "sh", "-c", "kill -SEGV $$"), "signal 11", "SIGSEGV")
        self.assert_refused(self.profile("callgrind", "sh", "-c", "exit 3"), "exit code 3")
        self.assertEqual({path.name: path.read_bytes() for path in self.out.iterdir()}, before)

    @unittest.skipUnless(scene.HAS_PAGE_LIBRARY, "vl-convert-python is not installed")
    def test_packetsizes_are_shown_in_a_table_and_a_chart(self):
        words = arguments("callgrind", "--ecbench", scene.ECBENCH, "--output", self.out, "--grid", "plugin=jerasure", "size=16K",
                          "technique=liber8tion", "k=2 m=2 packetsize=64,512")
        self.assertIn("is spent after 1 of 2 points", self.succeeded(scene.run([*words, "--budget", "0.001"])).stderr)
        self.succeeded(scene.run(words))
        lines = [line.strip("| ").split(" | ") for line in (self.out / "packetsize.md").read_text().splitlines() if "|" in line]
        rows = [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]
        self.assertEqual([row["packetsize"] for row in rows], ["64", "512"])
        small, large = (float(row["Ir/byte"]) for row in rows)
        self.assertGreater(small, large)  # the smaller the packets, the more calls per byte
        self.assertGreater(float(rows[0]["region-set-up %"]), float(rows[1]["region-set-up %"]))
        self.assertIn("<svg", (self.out / "packetsize.svg").read_text())
        self.assertEqual(len(list(self.out.glob("points/*/hotspots.json"))), 2)

    def test_interrupt_leaves_nothing(self):
        result = scene.interrupt(arguments("callgrind", "--output", self.out, "--", "sleep", "60"),
                                 lambda: list(self.out.glob(".partial-*")))
        self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (130, "", 1))
        self.assertIn("interrupted before the profile was complete", result.stderr)
        self.assertFalse(self.out.exists())


class Sampled(Profiles):
    def assert_only_timed_loops(self, tool):
        """Set-up and verification of a large object take much longer than 40 iterations."""
        for threads in (1, 2):
            large = self.document(tool, *POINT[:-2], "-s", "32M", "-i", "40", "--threads", threads)
            self.assertLessEqual(self.percents(large)["harness"], 5)

    @unittest.skipUnless(shutil.which("google-pprof"), "google-perftools is not installed")
    @unittest.skipIf(scene.is_sanitized(), "a sanitizer must be loaded before other libraries")
    def test_pprof_says_when_samples_are_few_and_fails_when_there_are_none(self):
        document = self.document("pprof", *POINT, "--min-time", "0.05")
        self.assertEqual((document["event"], document["samples_per_second"] > 0), ("samples", True))
        self.assertEqual(any("too few" in note for note in document["notes"]), document["total"] < FEWEST_SAMPLES)
        self.assert_refused(self.profile("pprof", "sh", "-c", "exit 0"), "collected nothing")
        self.assert_only_timed_loops("pprof")

    @unittest.skipIf(scene.is_sanitized(), "most samples would be in the functions of the sanitizer")
    def test_perf(self):
        if not shutil.which("perf") or scene.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", self.folder / "x",
                                                  "true"]).returncode:
            self.skipTest("perf is not installed, or not permitted on this machine")
        self.assert_only_timed_loops("perf")


class BadInput(Profiles):
    def path_without(self, *missing):
        """A PATH with the programs that profiles need, except `missing`."""
        folder = self.folder / "bin"
        folder.mkdir()
        for name in {*NEEDED, "valgrind", "perf"} - set(missing):
            found = shutil.which(name)
            if found:
                (folder / name).symlink_to(found)
        return {"PATH": str(folder)}

    def fake(self):
        """A PATH with a valgrind that does nothing."""
        self.write_program("bin/valgrind", "#!/bin/sh\nexit 0\n")
        return {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def test_missing_profilers_are_named_with_their_package(self):
        path = self.path_without("valgrind", "perf")
        for tool, package in (("callgrind", "valgrind"), ("perf", "linux-perf")):
            self.assert_refused(self.profile(tool, *POINT, env=path), "is not installed", f"package {package}")
        self.assertFalse(self.out.exists())

    def test_perf_without_permission_prints_one_line(self):
        env = self.path_without("perf")
        self.write_program("bin/perf", "#!/bin/sh\necho 'Error:' >&2\necho 'Access to performance monitoring is limited.' >&2\n"
                           "echo 'Consider adjusting /proc/sys/kernel/perf_event_paranoid setting.' >&2\nexit 255\n")
        self.assert_refused(self.profile("perf", "sh", "-c", "exit 0", env=env), "no permission", "perf_event_paranoid")

    def test_words_that_make_no_sense_are_refused(self):
        fake = self.fake()
        for tool, words, options, said in (
                ("callgrind", [], [], "nothing to profile"), ("callgrind", ["no_such_program"], [], "no_such_program"),
                ("callgrind", [*POINT, "-P", "k=x"], [], "k"), ("callgrind", [*POINT, "--format", "csv"], [], "--format"),
                ("callgrind", ["--list"], [], "no row"), ("callgrind", POINT, ["--svg"], "--svg is not an option"),
                ("callgrind", POINT, ["--grid", "k=4"], "--grid"), ("callgrind", POINT, ["--budget", "9"], "--grid"),
                ("gprof", POINT, [], "gprof"),
                ("callgrind", POINT, ["--frobnicate"], "--frobnicate"), ("callgrind", ["sh", "-c", "exit 0"], [], "no file")):
            self.assert_refused(self.profile(tool, *words, options=options, env=fake), said)
        self.assert_refused(scene.run(arguments("callgrind", "-p", "isa")), "ecbench:")
        self.assert_refused(scene.run(arguments("callgrind")), "--")

    def test_files_of_others_are_not_replaced(self):
        self.out.mkdir()
        (self.out / "annotated.txt").write_text("mine")
        self.assert_refused(self.profile("callgrind", "sh", "-c", "exit 0", env=self.fake()), "annotated.txt", "another directory")
        self.assertEqual((self.out / "annotated.txt").read_text(), "mine")
