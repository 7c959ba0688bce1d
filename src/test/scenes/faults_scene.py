"""Faults that all modes handle in the same way, one row per mode. The modes measure with fake_ecbench, so a resumed run must print
exactly what the run prints without an interruption."""

import itertools
import resource
import shlex
import shutil
import signal
import sys

import scene
import synthetic_run

SHAPE = ["k=4", "m=2", "size=4K"]
QUICK = ["--min-time", "0.001", "--seed", "1"]
BENCH = ["k=3", "m=2", "technique=reed_sol_van"]
# Mode → its words. Each measures at least four points. Of the experiments, libraries, which has stages.
MEASURING = {
    "bench": BENCH,
    "fplot": BENCH,
    "run": [*SHAPE, "plugin=isa", "--rounds", "2", *QUICK],
    "tune": ["k=4", "m=2", "size=4K,8K", "plugin=isa", "workload=encode", "--seed", "1"],
    "libraries": ["4+2", "size=4K", "cache=warm", "library=isa,simd", "--rounds", "2", *QUICK],
    "plan": ["hosts=8", "drives=4x1T", "k=4", "m=2", "plugin=isa", "object=64K", "--rounds", "2", *QUICK],
}
BY_VARIABLES = ("bench", "fplot")
NEED_NO_PROGRAM = ("run", "libraries")  # to print a finished run again
CLUSTER = "hosts=12 drives=24x20T"
# Wrong words, and a part of the message. bench_check_scene and experiment_test have those that are refused without ecbench.
WRONG = {
    "run": {"plugin=isa k=200 technique=reed_sol_van": "k=200", "--from /no/run": "/no/run", "k=4 --cpu 99999": "99999",
            "k=4 --plugin-dir /nowhere": "/nowhere", "k=4 --from x": "--from", "k=4 --resume": "leave the experiment out",
            "k=4 --rounds 0": "1 to 1000", "firefly plugin=isaa": "did you mean isa?", "recovery k=7": "k=7",
            "mixed plugin=clay background=overwrite": "no parity delta"},
    "tune": {"": "k is missing", "k=4 m=2 plugin=nosuch": "plugin=nosuch", "k=4 m=2 --resume": "--resume",
             "k=3 m=2 plugin=jerasure technique=blaum_roth w=7 packetsize=64": "no profile is left"},
    "libraries": {"--isal /no/such": "--isal", "--isal /proc": "/proc", "--resume x --rounds 8": "--rounds",
                  "k=2 m=1 workload=decode erasures=2": "--erasures 2"},
    "plan": {f"{CLUSTER} afr=0%": "afr=0%", f"{CLUSTER} plugin=lrc k=4 m=2 l=6 --counts-only": "l = k+m",
             f"{CLUSTER} plugin=simd": "plugin=simd", f"{CLUSTER} --runs /no/run": "/no/run", f"{CLUSTER} --runs .": "no run file",
             f"{CLUSTER} --counts-only --output x": "--output"},
}


class Faults(scene.Scene):
    """Each test runs for one mode, self.mode; see add_modes()."""

    mode = ""
    completed: list[tuple[str, int, int]]  # without a fault: what the mode prints, its measurements, bytes of its run file

    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "a run.jsonl"
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.variables = {"TMPDIR": self.temporary, "XDG_DATA_HOME": self.folder}
        if self.mode in BY_VARIABLES:
            self.variables |= {"CEPH_ERASURE_CODE_BENCHMARK": scene.FAKE, "ECBENCH_INSTALL": "no"}

    def command(self, *words, program=None):
        own = [] if self.mode in BY_VARIABLES else ["--ecbench", program or scene.FAKE]
        return scene.mode(self.mode, *words, *own)

    def measure(self, *words, output=None):
        return scene.run(self.command(*MEASURING[self.mode], "--output", output or self.run_file, *words), self.variables)

    def resume(self, *words):
        return scene.run(self.command("--resume", self.run_file, *words), self.variables)

    def complete(self):
        """The number of measurements of the complete run. Leaves no files."""
        if not self.completed:
            result = self.succeeded(self.measure())
            self.completed.append((result.stdout.replace(str(self.folder), "FOLDER"), len(self.invented()),
                                   self.run_file.stat().st_size))
            self.begin_again()
        return self.completed[0][1]

    def begin_again(self):
        self.forget()
        for path in self.folder.glob("a run*"):
            path.unlink()

    def assert_whole(self, is_same=True):
        """The resumed run prints what it prints without an interruption, and no measurement is in its file twice."""
        result = self.succeeded(self.resume())
        if is_same:
            self.assertEqual(result.stdout.replace(str(self.folder), "FOLDER"), self.completed[0][0])
        records = scene.records_of(self.run_file)
        keys = [(record["id"], record["repetition"], record.get("stage")) for record in records if record["record"] == "row"]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(records[-1]["record"], "end")

    def assert_quiet(self, stderr):
        self.assertNotRegex(stderr, "Traceback|Exception ignored|Fatal")
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files are left")

    def test_interrupts_at_each_stage_lose_nothing(self):
        count = self.complete()
        for at, (number, code) in zip((1, 2, count // 2 + 1, count), scene.ENDS.items(), strict=True):
            self.begin_again()
            self.invent({"at": at, "signal": number})
            result = self.measure()
            self.assertEqual(result.returncode, code, result.stderr)
            self.assert_quiet(result.stderr)
            said = [line for line in result.stderr.splitlines() if line.startswith("ecbench: interrupted ")]
            self.assertEqual(len(said), 1, result.stderr)
            self.assertEqual(self.mode == "plan" and self.run_file.exists(), "*  isa 4+2 " in result.stdout)
            self.assertEqual(len(self.invented()), at - 1)
            self.invent()
            if at > 1 or self.run_file.exists():
                self.assertIn(f"--resume {shlex.quote(str(self.run_file))}", said[0])
                self.assert_whole()

    def test_a_killed_run_with_a_cut_off_line_continues(self):
        count = self.complete()
        self.invent({"at": count // 2 + 1, "signal": signal.SIGKILL})
        self.assertEqual(self.measure().returncode, -signal.SIGKILL)
        before = self.run_file.read_bytes()
        rows = before.count(b'"record":"row"')
        self.run_file.write_bytes(before[:-30])
        self.forget(1)  # the measurement of the cut-off line is taken again
        self.invent()
        self.assert_whole()
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files of the killed process are left")
        after = self.run_file.read_bytes()
        self.assertEqual(after.count(b'"record":"row"') - rows, count - rows, "measured twice")
        self.assertTrue(after.startswith(before[:before[:-30].rindex(b"\n") + 1]))
        self.assertEqual(after.count(b'"record":"resumed"'), 1)
        if self.mode in NEED_NO_PROGRAM:
            again = scene.run(self.command("--resume", self.run_file, program="/none"), self.variables)
            self.assertEqual((again.returncode, again.stdout.replace(str(self.folder), "FOLDER")), (0, self.completed[0][0]))
            self.assertEqual(self.run_file.read_bytes(), after)

    def test_a_spent_budget_can_be_continued(self):
        count = self.complete()
        self.assertRegex(self.succeeded(self.measure("--budget", "0.001")).stderr, "the budget of .* is spent after ")
        self.assertLess(len(self.invented()), count)
        for _ in range(3):  # a script that repeats this comes to the end
            before = len(self.invented())
            self.succeeded(self.resume("--budget", "0.001"))
            self.assertTrue(len(self.invented()) > before or before == count)
        self.assert_whole(is_same=False)  # a budget shortens samples

    def test_bad_words_are_refused_before_anything_is_measured(self):
        others = [word for word in MEASURING[self.mode] if not word.startswith("k=")]
        numbers = [["--rounds", "0"], ["--min-time", "nan"], ["--seed", "-1"]] if {"--min-time", "--rounds"} <= {*others} else []
        for words in (["nosuch=1"], ["k=x"], ["--nosuch"], ["--budget", "x"], ["--output"], *numbers):
            self.assert_refused(scene.run(self.command(*others, *words), self.variables), words[0].partition("=")[0])
        for words, said in WRONG.get(self.mode, {}).items():
            self.assert_refused(scene.run(self.command(*words.split()), self.variables, cwd=self.folder), said)
        self.assertEqual(len(self.invented()), 0)

    def test_files_that_cannot_be_used_are_refused(self):
        kept = self.folder / "kept.jsonl"
        kept.write_text("mine")
        for path in (kept, kept / "run.jsonl", self.folder):
            self.assert_refused(self.measure(output=path), str(kept if path.parent == kept else path))
        self.assertEqual(kept.read_text(), "mine")
        for path, content in ((self.folder / "nosuch.jsonl", None), (self.folder / "empty.jsonl", b""), (kept, b"mine"),
                              (self.folder / "json.jsonl", b'{"record":"run"}\n'), (self.folder / "bytes.jsonl", b"\xff\x00\n")):
            if content is not None:
                path.write_bytes(content)
            self.assert_refused(scene.run(self.command("--resume", path), self.variables), path.name)
            self.assertEqual(path.read_bytes() if content is not None else None, content)
        self.assert_refused(scene.run(self.command("--resume", self.folder), self.variables), str(self.folder))
        self.assertEqual(len(self.invented()), 0)

    def test_a_program_that_cannot_be_run_is_refused(self):
        if self.mode in BY_VARIABLES:
            self.variables["CEPH_ERASURE_CODE_BENCHMARK"] = "/no/such/program"
        self.assert_refused(scene.run(self.command(*MEASURING[self.mode], program="/no/such/program"), self.variables),
                            "/no/such/program")

    def test_a_full_disk(self):
        """The last row does not fit; standard output is full."""
        self.complete()
        # Without -B, Python would store modules cut off at the limit (CPython does not notice), for all later starts.
        command = [sys.executable, "-B", *map(str, self.command(*MEASURING[self.mode], "--output", self.run_file)[1:])]
        limit = (self.completed[0][2] - 500,) * 2
        done = scene.run(command, self.variables, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_quiet(done.stderr)
        self.assertIn(str(self.run_file), done.stderr.splitlines()[-1])
        whole_lines = self.run_file.read_bytes().rpartition(b"\n")[0]
        self.forget(len(self.invented()) - whole_lines.count(b'"record":"row"'))
        self.assert_whole()
        self.begin_again()
        done = scene.run(command, self.variables, around='"$@" >/dev/full')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("standard output: No space left on device", done.stderr.splitlines()[-1])
        self.assert_quiet(done.stderr)
        if '"record":"end"' not in self.run_file.read_text():
            self.assert_whole()

    def test_closed_streams(self):
        for closed, code in ((">&-", 1), ("2>&-", 0), ("<&-", 0)):
            result = scene.run(self.command(*MEASURING[self.mode]), self.variables, around=f'"$@" {closed}')
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertNotRegex(result.stderr, "Traceback|Exception ignored|Fatal")

    def test_help_needs_no_program(self):
        self.variables["PATH"] = str(self.folder)
        self.assertIn("--resume", self.silent(scene.run(self.command("--help", program="/no/such/program"), self.variables)).stdout)

    def test_two_at_once(self):
        """The second names the first, waits until it has ended, and then measures everything."""
        count = self.complete()
        self.invent({"at": 2, "fail": "hang"})
        first = self.begin("first.jsonl")
        scene.wait_until(lambda: len(self.invented()) == 2, "the first mode measures nothing")
        second = self.begin("second.jsonl")
        while f"process {first.pid} of " not in (line := second.stderr.readline()):
            self.assertNotEqual(line, "", "the second mode ended")
        self.assertEqual(len(self.invented()), 2)
        first.kill()
        _, stderr = second.communicate(timeout=60)
        self.assertEqual(second.returncode, 0, stderr)
        self.assertEqual(len(self.invented()), 2 + count)

    def begin(self, name):
        process = scene.start(self.command(*MEASURING[self.mode], "--output", self.folder / name), self.variables)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process


class StartFaults(scene.Scene):
    """bench.sh and an installed ecbench start Python with blocked signals, and the mode unblocks them when it is ready."""

    def setUp(self):
        super().setUp()
        a, b = self.folder / "fleet" / "a" / "run.jsonl", self.folder / "fleet" / "b" / "run.jsonl"
        for path in (a, b):
            path.parent.mkdir(parents=True)
            synthetic_run.write_run(path, synthetic_run.points(sizes=(4096,), packetsizes=(512,)))
        shapes, has_valgrind = ["k=4", "m=2", "plugin=isa"], shutil.which("valgrind") is not None
        self.commands = [
            *([mode, *words, "--ecbench", scene.FAKE] for mode, words in MEASURING.items() if mode not in BY_VARIABLES),
            ["compare", a, b], ["fleet", "report", a.parents[1]], ["report", a], ["report", "--check", a],
            ["conformance", "hashes", *shapes, "--ecbench", scene.FAKE],
            *([["profile", "callgrind", "--", "-p", "isa", "-s", "4K"]] if has_valgrind else []),
            *(["gate", kind, scene.FAKE.parent, scene.FAKE.parent, "--grid", "plugin=isa k=4 m=2 size=4K workload=encode"]
              for kind in ("ab", "ir")[:1 + has_valgrind])]

    def test_two_pending_signals_end_each_mode_in_one_line(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        before = sorted(self.folder.rglob("*"))
        pairs = list(itertools.permutations((signal.SIGINT, signal.SIGTERM)))
        for number, words in enumerate(self.commands):
            sent = pairs[number % len(pairs)]
            signal.pthread_sigmask(signal.SIG_BLOCK, scene.ENDS)
            self.addCleanup(signal.pthread_sigmask, signal.SIG_UNBLOCK, scene.ENDS)
            process = scene.start(scene.mode(*words), {"TMPDIR": temporary, "XDG_DATA_HOME": temporary}, cwd=self.folder)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, scene.ENDS)
            for one in sent:
                process.send_signal(one)
            stdout, stderr = process.communicate(timeout=60)
            self.assertIn(process.returncode, {scene.ENDS[one] for one in sent}, stderr)
            self.assertEqual((stdout, stderr.count("\n")), ("", 1), stderr)
            self.assertEqual(sorted(self.folder.rglob("*")), before)
        self.assertEqual(len(self.invented()), 0)

    def test_a_full_standard_output_and_a_wrong_word(self):
        for words in self.commands:
            options = 2 if words[0] in ("fleet", "gate", "conformance", "profile") else 1
            self.assert_refused(scene.ask(*words[:options], "--nosuch", *words[options:]), "--nosuch")
        for words in (words for words in self.commands if words[0] in ("compare", "fleet")):
            result = scene.ask(*words, around='"$@" >/dev/full')
            self.assertEqual(result.returncode, 1)
            self.assertIn("standard output: No space left on device", result.stderr.splitlines()[-1])


def add_modes(tests):
    """A class for each mode, so that they can run at the same time."""
    for mode in MEASURING:
        name = f"{mode.capitalize()}Faults"
        globals()[name] = type(name, (tests,), {"mode": mode, "completed": [], "__module__": __name__})


add_modes(Faults)
del Faults
