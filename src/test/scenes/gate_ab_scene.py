"""bench.sh gate ab with invented times; verdicts_scene.py has its verdicts, real_time_scene.py those in real time."""

import json
import shutil
import signal

import scene

GATE = scene.mode("gate", "ab")
BUILD = scene.FAKE.parent  # like a build directory
GRID = "plugin=isa technique=reed_sol_van k=4 m=2 size=4K,128K workload=encode"
SHORT = ["--grid", GRID, "--launches", "7", "--pairs", "2"]


class GateScene(scene.Scene):
    def gate(self, *arguments, env=None, cwd=None):
        return scene.run([*GATE, *arguments], env=env, cwd=cwd)


class Verdicts(GateScene):
    def test_a_build_is_no_slower_than_itself(self):
        files = {name: self.folder / f"gate.{name}" for name in ("json", "markdown", *(["svg"] if scene.HAS_PAGE_LIBRARY else []))}
        result = self.succeeded(self.gate(BUILD, BUILD, *SHORT, "--output", self.folder / "run.jsonl",
                                          "--seed", "4", *[word for name, path in files.items() for word in (f"--{name}", path)]))
        self.assertIn("isa reed_sol_van 4+2 encode of 4 KiB", result.stdout)
        self.assertIn("no regression", result.stdout)
        outcome = json.loads(files["json"].read_text(encoding="utf-8"))
        self.assertEqual((len(outcome["points"]), outcome["exit_code"]), (2, 0))
        if "svg" in files:
            self.assertIn("<svg", files["svg"].read_text(encoding="utf-8"))
        self.assertIn("4 KiB", files["markdown"].read_text(encoding="utf-8"))
        header, *others = scene.records_of(self.folder / "run.jsonl")
        self.assertEqual((header["record"], header["format"], header["seed"]), ("gate", "ecbench gate 1", 4))
        self.assertEqual(header["old"]["kind"], "build")
        launches = [record for record in others if record["record"] == "launch"]
        self.assertGreaterEqual(len(launches), 10)
        self.assertEqual({len(launch["ratios"]) for launch in launches}, {2})
        self.assertEqual((others[-1]["record"], others[-1]["exit_code"]), ("end", 0))
        self.assert_nothing_runs()

    def test_inconclusive_points_are_reported_and_fail_if_required(self):
        self.invent({"launch": 0.2, "noise": 0.2})
        words = [BUILD, BUILD, "--grid", GRID.replace(",128K", ""), "--launches", "3", "--pairs", "2", "--threshold", "0.1"]
        for more, code in (([], 0), (["--require-conclusive"], 4)):
            result = self.gate(*words, *more)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn("1 of 1 points is inconclusive", result.stderr)


class CodecLibraries(GateScene):
    def copy_of_libisal(self):
        mine = self.folder / "mine"
        mine.mkdir()
        shutil.copy(scene.libisal(), mine / "libisal.so.2")
        return mine

    def test_two_codec_libraries_under_one_build(self):
        mine = self.copy_of_libisal()
        result = self.succeeded(self.gate("--codec-lib", "system", mine, "--ecbench", scene.FAKE, *SHORT, "--threshold", "60",
                                          "--output", self.folder / "run.jsonl"))
        header = scene.records_of(self.folder / "run.jsonl")[0]
        used = {side: [thing["path"] for thing in header[side]["shared_objects"] if thing["name"].startswith("libisal")]
                for side in ("old", "new")}
        self.assertNotIn("mine", str(used["old"]))
        self.assertIn("/mine/", str(used["new"]))
        self.assertEqual([one.partition(" ")[0] for one in header["old"]["versions"]], ["ISA-L"], "others do not differ")
        self.assertIn("mine", result.stdout)

    def test_points_that_do_not_use_them_are_left_out(self):
        grid = "plugin=isa,jerasure technique=reed_sol_van k=4 m=2 size=4K workload=encode"
        words = ["--codec-lib", self.copy_of_libisal(), "system", "--ecbench", scene.FAKE, "--launches", "3", "--pairs", "2",
                 "--threshold", "90"]
        result = self.succeeded(self.gate(*words, "--grid", grid, "--format", "json"))
        self.assertEqual([point["point"]["plugin"] for point in json.loads(result.stdout)["points"]], ["isa"])
        self.assertIn("1 of 2 points are left out, such as jerasure", result.stderr)
        refused = self.gate(*words, "--grid", grid.replace("isa,", ""))
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertRegex(refused.stderr.splitlines()[-1], "jerasure reed_sol_van.*mine")


class BadInput(GateScene):
    def test_sides_that_do_not_exist(self):
        empty = self.folder / "empty"
        empty.mkdir()
        (self.folder / "tree").mkdir()
        (self.folder / "tree" / "build").symlink_to(BUILD)
        for given, said in (("/nonexistent/build", "neither a directory nor a git revision"), (empty, "without a build"),
                            (self.folder / "tree", "tree/build has a build"),
                            (scene.FAKE, "give a build directory"), ("", "not allowed"), ("--frob", "--frob")):
            self.assert_refused(self.gate(BUILD, given, *SHORT), said)
        for words, said in (([BUILD, *SHORT], "1 is given"), (SHORT, "0 are given"), ([BUILD] * 3, "3 are given"),
                            (["--codec-lib", "system", empty, "--ecbench", scene.FAKE], "none of libisal.so.2"),
                            *((["--codec-lib", "system", path, "--ecbench", scene.FAKE], str(path))
                              for path in ("/nonexistent", scene.FAKE)),
                            ([scene.PLUGINS, scene.PLUGINS, "--ecbench", "/nonexistent"], "/nonexistent")):
            self.assert_refused(self.gate(*words), said)

    def test_builds_of_different_plugin_sets(self):
        fewer = self.plugins_of(scene.PLUGINS / "libec_jerasure.so")
        for sides in ((BUILD, fewer), (fewer, BUILD)):
            self.assert_refused(self.gate(*sides), "different plugins", "points of isa", str(fewer))
        grid = "plugin=jerasure technique=reed_sol_van k=2 m=1 size=4K workload=encode"
        result = self.succeeded(self.gate(BUILD, fewer, "--grid", grid, "--launches", "3", "--pairs", "2", "--threshold", "90"))
        self.assertIn("example, isa", result.stderr)

    def test_a_build_that_is_too_old(self):
        self.write_program("old/ecbench", "#!/bin/sh\necho ecbench 0.1.0\n")
        (self.folder / "old" / "plugins").symlink_to(scene.PLUGINS)
        self.assert_refused(self.gate(self.folder / "old", BUILD, *SHORT), "OLD", "too old", "--serve-slices")

    def test_options(self):
        taken = self.folder / "taken.jsonl"
        taken.write_text("mine")
        for words, said in ((["--grid", "nosuch"], "nosuch"), (["--grid", "plugin=isa colour=red"], "colour"),
                            (["--threshold", "0"], "--threshold"), (["--launches", "0"], "--launches"),
                            (["--launches", "4"], "--launches 4"), (["--pairs", "1"], "--pairs"), (["--cpu", "99999"], "--cpu"),
                            (["--seed", "-1"], "--seed"), (["--output", taken], "overwritten"), (["--json", self.folder], "--json"),
                            (["--output", self.folder / "none" / "x"], "none")):
            self.assert_refused(self.gate(BUILD, BUILD, *words), said)
        self.assertEqual(taken.read_text(), "mine")


class Interrupted(GateScene):
    def test_leaves_nothing_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.forget()
            self.invent({"at": 5, "signal": number})
            result = self.gate(BUILD, BUILD, *SHORT, "--output", self.folder / "run.jsonl")
            self.assertEqual((result.returncode, result.stdout), (128 + number, ""), result.stderr)
            self.assertEqual(result.stderr.splitlines()[-1], "ecbench: interrupted before a result")
            self.assertEqual(scene.records_of(self.folder / "run.jsonl")[-1]["record"], "broken_off")
            (self.folder / "run.jsonl").unlink()
            self.assert_nothing_runs()
