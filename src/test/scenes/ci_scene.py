"""The commands of the GitHub workflow, read from its file, and the script of the Action."""

import re
import shutil
import unittest

import scene

WORKFLOW = scene.SOURCE / ".github" / "workflows" / "ci.yml"
GRID = "plugin=isa technique=reed_sol_van k=4 m=2 size=4K workload=encode"


def steps():
    """Job → the commands of the job. In the file of the workflow, each `run:` must be one line."""
    found, job = {}, None
    for line in WORKFLOW.read_text().splitlines():
        if match := re.fullmatch(r"  (\w+):", line):
            job = match[1]
        elif match := re.fullmatch(r"      - run: (.+)", line):
            found.setdefault(job, []).append(match[1])
    return found


class Results(scene.Scene):
    """The job that checks the runs of a pull request."""

    def git(self, *words):
        settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        return self.succeeded(scene.run(["git", *settings, *words], cwd=self.folder)).stdout.strip()

    def checked(self, base):
        log = self.folder / "log"
        log.write_text("")
        commands = [step for step in steps()["results"] if step.startswith(("git diff", "xargs"))]
        self.assertEqual(len(commands), 2)
        done = [scene.run(["sh", "-ec", command], cwd=self.folder, env={"BASE": base, "RUNNER_TEMP": self.folder, "LOG": log})
                for command in commands]
        return log.read_text().split(), [one.returncode == 0 for one in done]

    def test_new_changed_and_renamed_runs_are_checked(self):
        self.write_program("bench.sh", '#!/bin/sh\necho "$@" >> "$LOG"\n! grep -q forged "$3"\n')
        runs = self.folder / "results" / "cpu"
        runs.mkdir(parents=True)
        for name in ("old", "gone", "same"):
            (runs / f"{name}.jsonl").write_text(f"{name}\n" * 20)
        self.git("init", "-q")
        self.git("add", "results")
        self.git("commit", "-qm", "base")
        base = self.git("rev-parse", "HEAD")
        self.git("checkout", "-qb", "change")
        (runs / "gone.jsonl").unlink()
        (runs / "old.jsonl").rename(runs / "moved.jsonl")
        (runs / "notes.txt").write_text("no run")
        self.git("add", "results")
        self.git("commit", "-qm", "moved")
        self.assertEqual(self.checked(base), (["report", "--check", "results/cpu/moved.jsonl"], [True, True]))
        (runs / "moved.jsonl").write_text("old\n" * 20 + "forged\n")
        self.git("commit", "-qam", "forged")
        self.assertEqual(self.checked(base), (["report", "--check", "results/cpu/moved.jsonl"], [True, False]))
        self.assertFalse(self.checked("0" * 40)[1][0])


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
@unittest.skipIf(scene.is_sanitized(), "valgrind runs no program with a sanitizer")
@unittest.skipUnless(scene.HAS_PAGE_LIBRARY, "vl-convert-python is not installed")
class Gate(scene.Scene):
    def gate(self, base, build=scene.BUILD):
        self.output = self.folder / "out"
        self.summary = self.folder / "summary.md"
        [command] = [step for step in steps()["gate"] if step.startswith(".ci/")]
        return scene.run([scene.SOURCE / command], cwd="/", env={
            "GATE_BASE": base, "BUILD": build, "GATE_GRID": GRID, "GATE_OUTPUT": self.output, "GITHUB_STEP_SUMMARY": self.summary,
            "ECBENCH_INSTALL": "no", "ECBENCH_HANDICAP_PERCENT": "100"})

    @unittest.skipUnless(scene.HANDICAPPED.is_dir(), "the handicapped plugins are not built")
    def test_a_build_that_lost_speed_fails(self):
        result = self.gate(scene.BUILD, self.side("slow", scene.ECBENCH, scene.HANDICAPPED))
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("REGRESSION", self.summary.read_text())


class Action(scene.Scene):
    """packaging/action/gate.sh with a bundle whose ecbench prints its arguments."""

    def ask(self, arguments, bundle=None, summary=None):
        if bundle is None:
            self.write_program("bundle/bin/ecbench", "#!/bin/sh\nprintf '[%s]' \"$@\"\n")
            bundle = shutil.make_archive(str(self.folder / "bundle"), "gztar", self.folder, "bundle")
        return scene.run([scene.SOURCE / "packaging" / "action" / "gate.sh"], cwd=self.folder, env={
            "ECBENCH_BUNDLE": bundle, "ECBENCH_ARGUMENTS": arguments, "RUNNER_TEMP": self.folder, "GITHUB_STEP_SUMMARY": summary})

    def test_a_bundle_that_cannot_be_used_is_named_also_in_the_summary(self):
        (self.folder / "text").write_text("no archive")
        (self.folder / "empty").mkdir()
        without_program = shutil.make_archive(str(self.folder / "without"), "gztar", self.folder, "empty")
        summary = self.folder / "summary.md"
        for bundle in ("", "/nosuch.tgz", self.folder, self.folder / "text", without_program, "http://127.0.0.1:1/bundle.tar.gz"):
            summary.unlink(missing_ok=True)
            result = self.ask("ab old new", bundle, summary)
            self.assert_refused(result, f"ecbench: the input bundle {bundle}", "ecbench-VERSION-x86_64.tar.gz")
            self.assertEqual(summary.read_text(), result.stderr)

    def test_every_argument_reaches_the_gate(self):
        for text, words in (("ab old new", ["ab", "old", "new"]), (None, []), (" \n", []),
                            ("ab 'a b'  \"c'd\" e\\ f\n--require-conclusive\n",
                             ["ab", "a b", "c'd", "e f", "--require-conclusive"]),
                            ("ab '' --grid \"\"", ["ab", "", "--grid", ""]), ("$(touch x) `y` *", ["$(touch", "x)", "`y`", "*"])):
            result = self.ask(text)
            self.assertEqual((result.returncode, result.stdout), (0, "".join(f"[{word}]" for word in ["gate", *words])), text)

    def test_a_text_that_cannot_be_split_is_refused(self):
        for text in ("ab old 'new --require-conclusive", 'ab "old', "ab old new --grid 'k=4\nm=2' --require-conclusive", "it's",
                     'ab old --grid="k=4\n" --require-conclusive', "ab old new \\\n --require-conclusive", "ab old new\\"):
            self.assert_refused(self.ask(text), "arguments")
