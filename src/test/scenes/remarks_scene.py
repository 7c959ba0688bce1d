"""Warnings and notes in each format, with --verbose and --strict."""

import json
import os
import re

import scene

CPU = str(min(os.sched_getaffinity(0)))
CODE = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2", "-s", "4K", "--cpu", CPU]
ONE_INTERVAL = ["-i", "3"]
SAMPLED = ["--min-time", "0.001", "--max-time", "0.05"]


def in_one_line(row):
    counts = {kind: [remark["code"] for remark in row[f"{kind}s"]] for kind in ("warning", "note")}
    named = [f"{len(codes)} {kind}{'s' * (len(codes) > 1)}: {', '.join(codes)}" for kind, codes in counts.items() if codes]
    return f"ecbench: {'; '.join(named)} (--verbose shows {'it' if sum(map(len, counts.values())) == 1 else 'them'})"


class FigureRemarks(scene.Scene):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "state" / "ecbench" / "probe"
        self.env = {"XDG_STATE_HOME": self.folder / "state"}
        self.first = self.row(*ONE_INTERVAL)
        if not self.file.exists():
            self.skipTest("no probe for this CPU")

    def measure(self, *args, program=scene.ECBENCH, env=None):
        return scene.run([program, *CODE, *args], env={**self.env, **(env or {})})

    def row(self, *args):
        result = self.silent(self.measure("--format", "json", *args))
        return json.loads(result.stdout), result

    def notes(self, *args):
        return {note["code"] for note in self.row(*args)[0]["notes"]}


class Reference(FigureRemarks):
    def test_the_first_run_writes_one_and_says_so(self):
        row, result = self.first
        self.assertIn("no_reference", {note["code"] for note in row["notes"]})
        self.assertEqual(len(result.remarks), 1)
        self.assertRegex(result.remarks[0], r"^ecbench: .*\bnotes?: .*\bno_reference\b.* \(--verbose shows (it|them)\)$")
        for length in (ONE_INTERVAL, SAMPLED):
            self.assertNotIn("no_reference", self.notes(*length))
        self.assertIn("no_reference", self.notes(*ONE_INTERVAL, "--cache", "cold"))
        self.assertNotIn("no_reference", self.notes(*ONE_INTERVAL, "--cache", "cold"))
        self.assertEqual([path.name for path in self.file.parent.iterdir()], ["probe"])


class Warnings(FigureRemarks):
    """The stored reference speed is too high, as on a CPU that other programs always use."""

    def setUp(self):
        super().setUp()
        lines = self.file.read_text(encoding="utf-8").splitlines()
        self.file.write_text("\n".join([lines[0], *(re.sub(r"^\S+", "900", line) for line in lines[1:])]) + "\n", encoding="utf-8")

    def test_are_in_the_row_and_on_stderr(self):
        for length in (ONE_INTERVAL, SAMPLED):
            row, result = self.row(*length)
            self.assertIn("few_clean_samples", {warning["code"] for warning in row["warnings"]})
            self.assertEqual((row["clean_samples"], row["sample_count"]), (0, len(row["samples"])))
            self.assertGreater(row["gb_per_s"], 0)
            self.assertEqual(result.remarks, [in_one_line(row)])

    def test_follow_the_row(self):
        for args in ([], ["--verbose"], ["--format", "json"], ["--format", "csv"]):
            both = scene.ecbench(*CODE, *ONE_INTERVAL, *args, env=self.env, around='"$@" 2>&1').stdout.splitlines()
            is_remark = [scene.REMARK.match(line) is not None for line in both]
            self.assertTrue(is_remark[-1], both)
            self.assertEqual(is_remark, sorted(is_remark), both)

    def test_are_refused_by_strict(self):
        file = self.folder / "rows.jsonl"
        for length in (ONE_INTERVAL, SAMPLED):
            result = self.measure(*length, "--strict", "--output", file)
            self.assert_refused(result, "--strict")  # can be refused because of the machine, which is checked first
            self.assertFalse(file.exists())

    def test_are_silent_under_cephs_name(self):
        tool = scene.BUILD / "ceph_erasure_code_benchmark"
        for env in ({}, {"XDG_STATE_HOME": self.folder / "new"}):
            result = self.measure(*ONE_INTERVAL, program=tool, env=env)
            self.assertEqual((result.returncode, result.stderr, result.remarks), (0, "", []))
            self.assertRegex(result.stdout, r"^[0-9.]+\t12\n$")
