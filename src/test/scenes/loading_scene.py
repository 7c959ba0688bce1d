"""A run file executes and loads nothing, whatever it names, in every mode that reads it. What it names leaves a file if it runs."""

import concurrent.futures
import json
import os
import shutil
import subprocess

import scene
from ecbench.documents.document import read
from ecbench.measure.resume import begin
from ecbench.point.point import Planned, make_point
from ecbench.runfile.header import Environment, Options, machine_of

CODE = ["k=4", "m=2"]
MODES = {"plan": ["hosts=12", "drives=24x20T"], "tune": CODE, "run": CODE, "fplot": []}
CANARY = """#include <fcntl.h>
void ecbench_plugin(void) {}
const char* ecbench_plugin_version(void) { return "of a canary"; }
__attribute__((constructor)) static void sing(void) { creat("%s", 0600); }
"""


class Canary(scene.Scene):
    def setUp(self):
        super().setUp()
        self.canary = self.folder / "canary"
        self.evil = self.write_program("evil/evil.sh", f"#!/bin/sh\ntouch '{self.canary}'\n")
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("no C compiler is installed")
        for name in ("libisal.so.2", "libec_isa.so", "libec_evil.so"):
            subprocess.run([compiler, "-shared", "-fPIC", f"-Wl,-soname,{name}", "-x", "c", "-",
                            "-o", self.evil.parent / name], check=True, input=CANARY % self.canary, text=True)
        self.home = {"HOME": self.folder}
        self.facts = read(Environment, json.loads(scene.ecbench("--environment").stdout))

    def places(self):
        """Words, variables and points of a file that names something to run or to load."""
        folder = str(self.evil.parent)
        yield ["--ecbench", str(self.evil)], {}, {}
        yield [f"--ecbench={self.evil}", "--plugin-dir", folder, "--isal", folder], {}, {}
        yield [f"codec-lib={folder}"], {}, {}
        yield [], {"CEPH_ERASURE_CODE_BENCHMARK": str(self.evil)}, {}
        yield [], {"PLUGIN_DIRECTORY": folder}, {}
        yield [], {"PARAMETERS": f"--erasure-code-dir {folder}"}, {}
        yield [], {}, {"codec_lib": folder}
        yield [], {}, {"profile": {"directory": folder}}
        yield [], {}, {"profile": {"erasure-code-directory": folder}}
        yield ["--ecbench", str(self.evil), f"codec-lib=none,{folder}"], {"PLUGIN_DIRECTORY": folder}, {"codec_lib": folder}

    def write(self, mode, words, variables, options, finished, name):
        """The file of a run in the results of this machine, where --resume without a file finds it."""
        profile = {"k": "4", "m": "2", **options.pop("profile", {})}
        point = make_point("isa", {**profile, "technique": "reed_sol_van"}, "encode", 4096, 0, **options)
        points = [Planned(point, 1024, 0.0)] if options or len(profile) > 2 else []
        options = Options(0.01, 10, [min(os.sched_getaffinity(0))], limit=True)
        writer, run = begin(self.facts, mode, [*MODES.get(mode, []), *words], 1, options, 1, points,
                            self.folder / "results" / name, more={"variables": variables})
        if finished:
            writer.append("end", at=run.header.started)
        writer.close()
        return run.path

    def runs(self):
        for mode in MODES:
            for number, (words, variables, options) in enumerate(self.places()):
                if variables and mode != "fplot" and not words:
                    continue  # only bench reads variables
                for finished in (False, True) if words else (False,):
                    yield mode, self.write(mode, words, variables, dict(options), finished, f"{mode}-{number}-{finished:d}.jsonl")

    def ask(self, words):
        return words, scene.ask(*words, env=self.home, cwd=self.folder)

    def check(self, commands, may_print=True):
        """Each command is refused with one line. If `may_print`, it may also print what the file contains."""
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for words, result in pool.map(self.ask, commands):
                self.assertFalse(self.canary.exists(), words)
                self.assertNotIn("Traceback", result.stderr)
                self.assertIn(result.returncode, (0, 1) if may_print else (1,), result.stderr)
                if not may_print:
                    self.assert_refused(result)

    def test_the_canary_sings(self):
        scene.run([self.evil])
        self.assertTrue(self.canary.exists())
        self.canary.unlink()
        scene.ecbench("--erasure-code-dir", self.evil.parent, "-P", "k=4", "-P", "m=2")
        self.assertTrue(self.canary.exists())

    def test_a_run_that_is_resumed_runs_nothing(self):
        paths = list(self.runs())
        for finished in (False, True):
            self.check([[mode, "--resume", path] for mode, path in paths if path.stem.endswith(f"{finished:d}")], finished)

    def test_the_newest_run_runs_nothing(self):
        folder = self.folder / "results" / machine_of(self.facts).slug
        folder.mkdir(parents=True)
        for mode in MODES:
            self.write(mode, ["--ecbench", str(self.evil)], {"PARAMETERS": "-v"}, {}, False, folder / f"{mode}.jsonl")
        self.check([[mode, "--resume"] for mode in MODES], may_print=False)

    def test_a_file_that_is_only_read_runs_nothing(self):
        paths = [path for mode, path in self.runs() if mode == "run"]
        fleet = self.folder / "fleet"
        for number, path in enumerate(paths):
            (fleet / f"host{number}").mkdir(parents=True)
            shutil.copy(path, fleet / f"host{number}")
        self.check([["run", "--from", path, "--dry-run"] for path in paths])
        self.check([["compare", paths[0], path] for path in paths[1:8]])
        self.check([["report", "--check", *paths], ["report", "--contribute", paths[1]],
                    ["report", *paths, "--output", "page.html"], ["report", "results"], ["fleet", "report", fleet],
                    ["plan", *MODES["plan"], "--runs", "results"]])

    def test_a_page_is_not_written_where_a_run_says(self):
        page = self.folder / "elsewhere.html"
        path = self.write("plan", ["--page", str(page)], {}, {}, True, "plan.jsonl")
        scene.ask("plan", "--resume", path, env=self.home)
        self.assertFalse(page.exists())

    def test_a_run_does_not_choose_what_is_printed_instead_of_it(self):
        secret = self.folder / "secret.toml"
        secret.write_text("points = [\"k=4 m=2\"]  # canary")
        for words in (["--print", str(secret)], ["--dry-run"], ["--counts-only"]):
            (self.folder / "results" / "printed.jsonl").unlink(missing_ok=True)
            path = self.write("run", words, {}, {}, False, "printed.jsonl")
            result = scene.ask("run", "--resume", path, env=self.home)
            self.assertNotIn("canary", result.stdout, words)
            self.assertIn('"record":"end"', path.read_text(), result.stderr)

    def test_what_was_given_again_is_used(self):
        """--ecbench of an unfinished run is asked for; with it, the run goes on."""
        path = self.write("run", ["--ecbench", str(scene.ECBENCH)], {}, {}, False, "run.jsonl")
        self.assert_refused(scene.ask("run", "--resume", path, env=self.home, cwd=self.folder), "--ecbench", str(scene.ECBENCH))
        result = scene.ask("run", "--resume", path, "--ecbench", scene.ECBENCH, env=self.home, cwd=self.folder)
        self.assertNotIn("--ecbench", result.stderr)
