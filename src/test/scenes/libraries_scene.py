"""The experiments libraries and fft with invented times."""

import shlex
import shutil

import scene
from ecbench.measure.session import MOST_FAILURES

ONE_CASE = ["4+2", "size=4K", "cache=warm", "workload=encode"]
SHORT = ["--rounds", "8", "--min-time", "0.001", "--seed", "1"]
TWO = ["library=isa,jerasure-rs"]
SLOW = {"if": {"plugin": "simd"}, "speed": 0.01}  # so that others lead


class Libraries(scene.Scene):
    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "run.jsonl"

    def ask(self, *words, name="libraries", env=None):
        return scene.ask(name, *words, "--ecbench", scene.FAKE, env=env, timeout=300)

    def printed(self, *words, **options):
        return self.succeeded(self.ask(*words, **options))

    def test_a_stage_keeps_the_fastest_profile_of_a_library(self):
        for technique in ("liberation", "blaum_roth"):
            self.forget()
            self.run_file.unlink(missing_ok=True)
            self.invent({"if": {"technique": technique}, "speed": 50})
            text = self.printed(*ONE_CASE, *SHORT, "library=isa,jerasure-xor", "--output", self.run_file).stdout
            self.assertRegex(text, rf"\n  k\+m .* roofline +jerasure-xor is\n  4\+2 .* {technique}:\d+\n")
            [plan] = scene.records_of(self.run_file, "plan")
            self.assertEqual([entry["library"] for entry in plan["points"]], ["isa", "jerasure-xor"])
            tried = {record["id"] for record in scene.records_of(self.run_file) if record.get("stage")}
            self.assertGreater(len(tried), 4)
            self.assertNotIn(plan["points"][0]["id"], tried, "one profile needs no stage")

    def test_fft_compares_with_multiplications(self):
        self.invent({"if": {"transform": "fft", "technique": "cauchy", "k": "8"}, "speed": 0.8},
                    {"if": {"transform": "fft", "technique": "cauchy", "k": "16"}, "speed": 1.5})
        lines = self.printed("8+4,16+8", "size=64K", *SHORT, name="fft").stdout.splitlines()
        shown = {line.split()[0]: line for line in lines if line.lstrip().startswith(("8+4", "16+8"))}
        self.assertRegex(shown["8+4"], r" 0\.80 \(\S+\) +slower ")
        self.assertRegex(shown["16+8"], r" 1\.50 \(\S+\) +faster ")

    def test_cases_come_one_after_another(self):
        words = ["4+2", "size=4K,64K", "cache=warm", *TWO, *SHORT, "--output", self.run_file]
        self.invent({"at": 25, "signal": 2})  # of 20 in each case
        result = self.ask(*words)
        self.assertEqual(result.returncode, 130, result.stderr)
        self.assertIn("1 of 4 cases are complete", result.stderr)
        self.assertRegex(result.stdout, r"\nsure: isa is the fastest .*\n$")
        self.assertIn(f"run --resume {shlex.quote(str(self.run_file))}", result.stderr)
        kept = self.run_file.read_bytes()
        self.invent()
        whole = self.printed("--resume", self.run_file).stdout
        self.assertTrue(self.run_file.read_bytes().startswith(kept))
        self.assertEqual(whole.count(" is the fastest ("), 4)
        self.assertEqual(self.printed("--resume", self.run_file).stdout, whole)

    def test_the_first_case_is_the_one_that_most_people_ask_for(self):
        self.invent()
        result = self.printed("--dry-run")
        self.assertRegex(result.stdout.splitlines()[1], r"\tisa reed_sol_van 8\+3 encode of 1 MiB$")
        self.assertRegex(result.stderr, r"80 cases, one after another; all take about .*; the budget ends after ")

    def test_what_is_not_built_is_left_out_with_one_line(self):
        self.invent()
        env = {"ECBENCH_PLUGIN_DIR": self.plugins_of(scene.PLUGINS / "libec_isa.so")}
        result = self.printed(*ONE_CASE, *SHORT, "library=isa,isa-2.32,rs-simd,rs-erasure,ceph-isa", env=env)
        self.assertIn("not built and left out: isa-2.32, rs-erasure, rs-simd, ceph-isa; run make contenders", result.stderr)
        self.assert_refused(self.ask(*ONE_CASE, "library=klauspost", env=env), "klauspost; run make contenders")

    def test_a_library_that_fails_is_shown_and_left_out_of_later_rounds(self):
        self.invent({"if": {"plugin": "jerasure"}, "fail": "killed"})
        for library in ("jerasure-xor", "jerasure-rs"):
            self.run_file.unlink(missing_ok=True)
            result = self.printed(*ONE_CASE, *SHORT, f"library=isa,{library}", "--output", self.run_file)
            self.assertRegex(result.stdout, rf"\nunsure: isa has .*; {library} failed: ")
        failures = [record for record in scene.records_of(self.run_file, "failure") if not record.get("stage")]
        self.assertEqual(len(failures), MOST_FAILURES, failures)

    def test_isal_adds_a_library_which_a_run_needs_until_its_end(self):
        isal, elsewhere = self.folder / "isal", self.folder / "elsewhere"
        isal.mkdir()
        shutil.copy(scene.libisal(), isal / "libisal.so.2")
        words = [*ONE_CASE, *SHORT, "library=isa", "--isal", isal, "--output", self.run_file]
        self.invent({"at": 6, "signal": 2})
        self.assertEqual(self.ask(*words).returncode, 130)
        self.invent()
        kept = self.run_file.read_bytes()
        isal.rename(elsewhere)
        for more in ([], ["--isal", elsewhere], ["--isal", isal]):
            self.assert_refused(self.ask("--resume", self.run_file, *more), "isal")
        self.assertEqual(self.run_file.read_bytes(), kept)
        elsewhere.rename(isal)
        self.assertRegex(self.printed("--resume", self.run_file, "--isal", isal).stdout, r"k\+m  size +isa +isa \d\S* +roofline")
