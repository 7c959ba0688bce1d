"""Tests bench.sh gate ab with real builds. It compares a build with itself, with a slower build, and with a build that computes
wrong bytes. It also compares two codec libraries under the same build. Further tests check that bad input is refused, and that gate
ab leaves no files."""

import json
import pathlib
import shlex
import shutil
import signal
import subprocess

import scene

GATE = scene.mode("gate", "ab")
HANDICAPPED = scene.BUILD / "handicapped" / "plugins"
WRONG = scene.BUILD / "wrong_bytes" / "plugins"
GRID = "plugin=isa technique=reed_sol_van k=4 m=2 size=4K,128K workload=encode"
SHORT = ["--grid", GRID, "--launches", "7", "--pairs", "2"]


class GateScene(scene.Scene):
    def gate(self, *arguments, env=None, cwd=None):
        return scene.run([*GATE, *arguments], env=env, cwd=cwd)

    def wrapped(self, name, script, plugins=scene.PLUGINS):
        """Makes a build directory in which ecbench is a script. In the script, {real} is the path of the real program."""
        self.write_program(f"{name}/ecbench", f"#!/bin/sh\n{script.format(real=shlex.quote(str(scene.ECBENCH)))}\n")
        (self.folder / name / "plugins").symlink_to(plugins)
        return self.folder / name

    def records(self, name="run.jsonl"):
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def assert_fails(self, result, *words):
        """Like assert_refused, but stderr may have other lines before the last line, which must contain the words."""
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr.splitlines()[-1])

    def assert_nothing_runs(self):
        """Checks that no slice server of this scene runs. The command lines of slice servers contain the scene's directory."""
        running = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().decode("utf-8", "replace")
            except OSError:  # the process has just ended
                continue
            if "serve-slices" in words and str(self.folder) in words:
                running.append(words)
        self.assertEqual(running, [])


class Verdicts(GateScene):
    def test_a_build_is_no_slower_than_itself(self):
        files = {name: self.folder / f"gate.{name}" for name in ("json", "markdown", *(["svg"] if scene.HAS_MATPLOTLIB else []))}
        result = self.gate(scene.BUILD, scene.BUILD, *SHORT, "--threshold", "60", "--output", self.folder / "run.jsonl",
                           "--seed", "4", *[word for name, path in files.items() for word in (f"--{name}", path)])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("isa reed_sol_van 4+2 encode of 4 KiB", result.stdout)
        self.assertIn("no regression", result.stdout)
        outcome = json.loads(files["json"].read_text(encoding="utf-8"))
        self.assertEqual((len(outcome["points"]), outcome["exit_code"]), (2, 0))
        if "svg" in files:
            self.assertIn("<svg", files["svg"].read_text(encoding="utf-8"))
        self.assertIn("4 KiB", files["markdown"].read_text(encoding="utf-8"))
        header, *others = self.records()
        self.assertEqual((header["record"], header["format"], header["seed"]), ("gate", "ecbench gate 1", 4))
        self.assertEqual(header["old"]["kind"], "build")
        launches = [record for record in others if record["record"] == "launch"]
        self.assertGreaterEqual(len(launches), 10)
        self.assertEqual({len(launch["ratios"]) for launch in launches}, {2})
        self.assertEqual((others[-1]["record"], others[-1]["exit_code"]), ("end", 0))
        self.assert_nothing_runs()

    def test_a_build_that_is_slower_is_a_regression(self):
        result = self.gate(scene.BUILD, HANDICAPPED, *SHORT, "--threshold", "10", env={"ECBENCH_HANDICAP_PERCENT": "100"})
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("REGRESSION", result.stdout)
        self.assert_verdict("slower", result.stdout)

    def test_a_build_that_is_faster_is_no_regression(self):
        result = self.gate(HANDICAPPED, scene.BUILD, *SHORT, "--threshold", "10", env={"ECBENCH_HANDICAP_PERCENT": "100"})
        self.assertEqual(result.returncode, 0, result.stderr)
        # If other programs disturb one of the two points, its verdict may be "no regression".
        self.assert_verdict("faster", result.stdout, "no")

    def assert_verdict(self, verdict, table, *others):
        """Checks that at least one of the two points has this verdict. Other programs may disturb the other point. Its verdict may
        therefore be inconclusive, or begin with one of `others`."""
        verdicts = [line.split()[0] for line in table.splitlines()[1:3]]
        self.assertIn(verdict, verdicts, table)
        self.assertLessEqual(set(verdicts), {verdict, "inconclusive", *others}, table)

    def test_inconclusive_points_are_reported_and_fail_if_required(self):
        # Three launches cannot exclude a slowdown of 0.1 %. After six launches, the point is almost always still inconclusive.
        words = [scene.BUILD, scene.BUILD, "--grid", GRID.replace(",128K", ""), "--launches", "3", "--pairs", "2",
                 "--threshold", "0.1"]
        outcomes = [self.gate(*words), self.gate(*words, "--require-conclusive")]
        self.assertTrue({outcome.returncode for outcome in outcomes} <= {0, 3, 4}, outcomes)
        for outcome, code in zip(outcomes, (0, 4)):
            if outcome.stdout.splitlines()[1].startswith("inconclusive"):
                self.assertEqual(outcome.returncode, code, outcome)
                self.assertIn("1 of 1 points is inconclusive", outcome.stderr)


class WrongBytes(GateScene):
    def assert_wrong(self, kind, *words):
        run = self.folder / f"{kind}.jsonl"
        result = self.gate(scene.BUILD, WRONG, *SHORT, "--output", run, env={"ECBENCH_WRONG_BYTES": kind})
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for word in ("WRONG BYTES: isa reed_sol_van 4+2 encode", "NEW", *words):
            self.assertIn(word, result.stderr.splitlines()[-1])
        last = self.records(run.name)[-1]
        self.assertEqual((last["record"], last["exit_code"]), ("broken_off", 2))
        self.assert_nothing_runs()

    def test_a_build_that_encodes_wrong(self):
        self.assert_wrong("at-once", "wrong bytes")

    def test_a_build_that_encodes_wrong_after_the_check(self):
        self.assert_wrong("late", "wrong bytes")

    def test_a_build_that_agrees_with_itself_but_not_with_the_old_one(self):
        self.assert_wrong("consistent", "to different chunks")

    def test_the_message_names_the_old_build(self):
        result = self.gate(WRONG, scene.BUILD, *SHORT, env={"ECBENCH_WRONG_BYTES": "at-once"})
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn("OLD", result.stderr.splitlines()[-1])


class CodecLibraries(GateScene):
    def copy_of_libisal(self):
        mine = self.folder / "mine"
        mine.mkdir()
        shutil.copy(scene.libisal(), mine / "libisal.so.2")
        return mine

    def test_two_codec_libraries_under_one_build(self):
        mine = self.copy_of_libisal()
        result = self.gate("--codec-lib", "system", mine, "--ecbench", scene.ECBENCH, *SHORT, "--threshold", "60", "--output",
                           self.folder / "run.jsonl")
        self.assertEqual(result.returncode, 0, result.stderr)
        header = self.records()[0]
        used = {side: [thing["path"] for thing in header[side]["shared_objects"] if thing["name"].startswith("libisal")]
                for side in ("old", "new")}
        self.assertNotIn("mine", str(used["old"]))
        self.assertIn("/mine/", str(used["new"]))
        self.assertIn("mine", result.stdout)

    def test_points_that_do_not_use_them_are_left_out(self):
        mine = self.copy_of_libisal()
        grid = "plugin=isa,jerasure technique=reed_sol_van k=4 m=2 size=4K workload=encode"
        words = ["--codec-lib", mine, "system", "--ecbench", scene.ECBENCH, "--launches", "3", "--pairs", "2", "--threshold", "90"]
        result = self.gate(*words, "--grid", grid, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([point["point"]["plugin"] for point in json.loads(result.stdout)["points"]], ["isa"])
        self.assertIn("1 of 2 points are left out, such as jerasure", result.stderr)
        self.assert_fails(self.gate(*words, "--grid", grid.replace("isa,", "")), "jerasure reed_sol_van", str(mine))


class BadInput(GateScene):
    def test_sides_that_do_not_exist(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for given, said in (("/nonexistent/build", "neither a directory nor a git revision"), (empty, "without a build"),
                            (scene.ECBENCH, "give a build directory"), ("", "not allowed"), ("--frob", "--frob")):
            with self.subTest(given):
                self.assert_refused(self.gate(scene.BUILD, given, *SHORT), said)
        self.assert_refused(self.gate(scene.BUILD, *SHORT), "1 is given")
        self.assert_refused(self.gate(*SHORT), "0 are given")
        self.assert_refused(self.gate(scene.BUILD, scene.BUILD, scene.BUILD), "3 are given")
        self.assert_refused(self.gate("--codec-lib", "system", empty, "--ecbench", scene.ECBENCH), "none of libisal.so.2")
        self.assert_refused(self.gate("--codec-lib", "system", "/nonexistent", "--ecbench", scene.ECBENCH), "/nonexistent")
        self.assert_refused(self.gate(scene.PLUGINS, scene.PLUGINS, "--ecbench", "/nonexistent"), "/nonexistent")

    def test_builds_of_different_plugin_sets(self):
        fewer = self.folder / "fewer"
        fewer.mkdir()
        shutil.copy(scene.PLUGINS / "libec_jerasure.so", fewer)
        for sides in ((scene.BUILD, fewer), (fewer, scene.BUILD)):
            self.assert_refused(self.gate(*sides), "different plugins", "points of isa", str(fewer))
        grid = "plugin=jerasure technique=reed_sol_van k=2 m=1 size=4K workload=encode"
        result = self.gate(scene.BUILD, fewer, "--grid", grid, "--launches", "3", "--pairs", "2", "--threshold", "90")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("example, isa", result.stderr)

    def test_a_build_that_is_too_old(self):
        old = self.wrapped("old", 'if [ "$1" = --version ]; then echo ancient; else exec {real} "$@"; fi')
        self.assert_refused(self.gate(old, scene.BUILD, *SHORT), "OLD", "too old", "--serve-slices")

    def test_a_build_that_refuses_a_point_or_crashes(self):
        script = 'case "$*" in *serve-slices*) {instead};; esac; exec {{real}} "$@"'
        refuses = self.wrapped("refuses", script.format(instead='echo "ecbench: not today" >&2; exit 1'))
        self.assert_fails(self.gate(scene.BUILD, refuses, *SHORT), "isa reed_sol_van 4+2", "NEW", "not today")
        crashes = self.wrapped("crashes", script.format(instead="kill -SEGV $$"))
        self.assert_fails(self.gate(crashes, scene.BUILD, *SHORT, "--output", self.folder / "run.jsonl"), "OLD", "SIGSEGV")
        self.assertEqual(self.records()[-1]["record"], "broken_off")
        self.assert_nothing_runs()

    def test_a_server_that_ends_before_a_request(self):
        script = 'case "$*" in *serve-slices*) exec {real} "$@" </dev/null;; esac; exec {real} "$@"'
        for sides in ((self.wrapped("gone", script), scene.BUILD), (scene.BUILD, self.folder / "gone")):
            self.assert_fails(self.gate(*sides, *SHORT), "isa reed_sol_van 4+2", "exit code 0", "check")

    def test_options(self):
        taken = self.folder / "taken.jsonl"
        taken.write_text("mine")
        sides = [scene.BUILD, scene.BUILD]
        for words, said in ((["--grid", "nosuch"], "nosuch"), (["--grid", "plugin=isa colour=red"], "colour"),
                            (["--grid", ""], "--grid"),
                            (["--threshold", "0"], "--threshold"), (["--threshold", "x"], "--threshold"),
                            (["--launches", "0"], "--launches"), (["--launches", "4"], "--launches 4"),
                            (["--pairs", "1"], "--pairs"),
                            (["--cpu", "99999"], "--cpu"), (["--seed", "-1"], "--seed"), (["--output", taken], "overwritten"),
                            (["--output", self.folder / "none" / "x"], "none"), (["--json", self.folder], "--json"),
                            (["--output", self.folder / "x", "--json", self.folder / "x"], "already uses this file")):
            with self.subTest(words):
                self.assert_refused(self.gate(*sides, *words), said)
        self.assertEqual(taken.read_text(), "mine")

    def test_help_needs_no_build(self):
        for words in (["--help"], ["ab", "--help"]):
            result = scene.run([*GATE[:-1], *words])
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("gate", result.stdout)


class TheGrid(GateScene):
    def test_has_24_points_that_the_plugins_support(self):
        # The gate refuses --launches 4 before it measures anything, and the message contains the number of points.
        result = self.gate(scene.BUILD, scene.BUILD, "--launches", "4")
        self.assert_refused(result, "--launches 4 is not allowed", "24 points")


class Interrupted(GateScene):
    def test_leaves_nothing_behind(self):
        new = self.wrapped("new", 'exec {real} "$@"')
        command = [str(word) for word in (*GATE, scene.BUILD, new, "--output", self.folder / "run.jsonl")]
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(command, env=scene.environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                try:
                    while process.poll() is None and not self.is_measuring():
                        pass
                    second = scene.start([*GATE, scene.BUILD, scene.BUILD, *SHORT])
                    self.assertIn("waiting for ", second.stderr.readline())
                    second.send_signal(number)
                    self.assertEqual((second.communicate(timeout=60)[0], second.returncode), ("", 128 + number))
                    process.send_signal(number)
                    stdout, stderr = process.communicate(timeout=60)
                finally:
                    process.kill()
            self.assertEqual((process.returncode, stdout), (128 + number, ""), stderr)
            self.assertEqual(stderr.splitlines()[-1], "ecbench: interrupted before a result")
            self.assertEqual(self.records()[-1]["record"], "broken_off")
            (self.folder / "run.jsonl").unlink()
            self.assert_nothing_runs()

    def is_measuring(self):
        path = self.folder / "run.jsonl"
        return path.exists() and '"record":"launch"' in path.read_text(encoding="utf-8")


if __name__ == "__main__":
    scene.main()
