"""Every measuring mode ends within its --budget plus one measurement, or within 1.1 times the duration that it announced, on a
disturbed machine with a fake clock: each measurement waits for clean samples as long as ecbench would wait."""

import collections
import contextlib
import functools
import importlib
import io
import itertools
import json
import os
import re
import sys
from unittest import mock

import scene
from ecbench.measure.ecbench import Ecbench
from ecbench.measure.session import SLACK, Budget
from ecbench.process.process import Child
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import environment_rows
from ecbench.terminal.console import OutOfTime

MODES = {
    "run": ["plugin=isa", "k=4", "m=2", "size=4K", "--repetitions", "50"],
    "tune": ["k=4", "m=2", "size=4K", "plugin=isa,jerasure"],
    "libraries": ["libraries", "4+2", "size=4K", "cache=warm"],
    "plan": ["hosts=8", "drives=2x1T", "k=4", "m=2", "object=64K", "--rounds", "50"],
    "bench": ["k=6,10", "m=2,4", "technique=cauchy_good"],
    "fplot": ["fplot"],
}
WARNING = {"code": "few_clean_samples", "text": "other programs disturbed the samples"}
OVERHEAD = 0.1
PATIENCE = 50  # default of ecbench's --patience, as a multiple of --min-time


class Machine:
    """A disturbed machine with a fake clock. Later rounds of a point get the same row."""

    def __init__(self, overhead):
        self.now = 0.0
        self.overhead = overhead
        self.last = 0.0
        self.measured = 0
        self._run = Ecbench.run
        self._run_once = functools.cache(self._run)

    def run(self, program, words, timeout=None):
        if "--min-time" not in words:
            return self._run(program, words, timeout)
        given = dict(itertools.pairwise(words))
        min_time = float(given.get("--min-time", 0))
        self.last = self.overhead + max(min_time, float(given.get("--patience", PATIENCE * min_time))) if min_time else 1.0
        self.now += self.last
        self.measured += 1
        if "--patience" in words:
            at = words.index("--patience")
            words = [*words[:at], *words[at + 2:]]
        ended = self._run_once(program, tuple(words), timeout)
        if ended.exit_code:
            return ended
        return type(ended)(0, json.dumps({**json.loads(ended.stdout), "warnings": [WARNING]}), ended.said)


class InTime(scene.Scene):
    def run_mode(self, mode, *options, words=None, overhead=OVERHEAD):
        """Returns the machine, the lines on stderr, and whether the budget was spent."""
        machine, self.printed = Machine(overhead), io.StringIO()
        package = {"fplot": "bench", "libraries": "run"}.get(mode, mode)
        program = importlib.import_module(f"ecbench.{package}.program")
        output = self.folder / f"{mode}.jsonl"
        variables = {"ECBENCH_LOCK_DIR": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        if mode not in ("bench", "fplot"):
            options = (*options, "--ecbench", str(scene.FAKE))
        with (mock.patch.object(Ecbench, "run", lambda self, words, timeout=None: machine.run(self, words, timeout)),
              mock.patch.object(Budget.__init__, "__defaults__", (None, lambda: machine.now)),
              mock.patch.object(sys, "argv", ["mode", *(words or MODES[mode]), "--output", str(output), *options]),
              mock.patch.dict(os.environ, variables), contextlib.redirect_stdout(self.printed),
              contextlib.redirect_stderr(io.StringIO()) as err):
            try:
                getattr(program, {"run": "run_experiment"}.get(package, package))(Child())
            except OutOfTime as end:
                return machine, err.getvalue(), str(end)
        return machine, err.getvalue(), ""

    def test_every_mode_ends_within_its_budget_and_one_measurement(self):
        """Modes with an answer print it. What the run has not reached is no failure."""
        words = ["plugin=isa,jerasure", "technique=reed_sol_van,cauchy,cauchy_good", "k=4", "m=2", "size=4K,64K", "--rounds", "8"]
        for mode, given in (*MODES.items(), ("run", words), ("run", ["overwrite"]),
                            ("libraries", ["libraries", "4+2", "size=4K,64K", "cache=warm"])):
            for budget in (3,) if mode in ("bench", "fplot", "plan") else (1, 3, 20):
                machine, told, end = self.run_mode(mode, "--budget", str(budget), words=given)
                self.assertLessEqual(machine.now - machine.last, budget)
                shown = self.printed.getvalue().replace("A failed ", "")
                self.assertNotRegex(shown + told, r"failed|[1-9]\d* failures|inconclusive:")
                if mode == "plan":
                    self.assertRegex(shown, r"\n\*  \w+ 4\+2 ")
                if mode in ("run", "tune", "libraries"):
                    self.assertRegex(self.printed.getvalue().splitlines()[-1], r"^(sure|likely|unsure): ")
                if budget == 3:
                    self.assertGreater(machine.measured, 2)
                    self.assertRegex(end, "^the budget of 3 s is spent after .*; continue with: .* --resume ", told)
                    self.assertNotIn('"record":"end"', (self.folder / f"{mode}.jsonl").read_text())
                (self.folder / f"{mode}.jsonl").unlink()

    def test_stages_are_sized_for_the_budget(self):
        """In half a minute: as many cases as fit, each after a complete first stage, and an answer that is more than a guess."""
        for words in (["libraries"], ["wide", "size=128K", "16+4,16+8,16+16,32+32"]):
            machine, _, _ = self.run_mode("run", "--budget", "30", words=words)
            self.assertLessEqual(machine.now - machine.last, 30)
            self.assertGreater(machine.now, 27)
            self.assertRegex(self.printed.getvalue().splitlines()[-1], "^(sure|likely): ")
            path = self.folder / "run.jsonl"
            planned = {entry["id"] for record in scene.records_of(path, "plan") for entry in record["points"]}
            rounds = collections.Counter(row["id"] for row in scene.records_of(path, "row") if "stage" not in row)
            self.assertEqual(rounds.keys(), planned)
            self.assertGreaterEqual(sum(count >= 6 for count in rounds.values()), len(planned) / 2)
            (self.folder / "run.jsonl").unlink()

    def test_of_too_many_candidates_the_first_stage_takes_the_known_ones(self):
        machine, _, _ = self.run_mode("tune", "--budget", "20", words=["k=8", "m=3", "size=16K", "plugin=isa,jerasure"])
        self.assertTrue(18 < machine.now <= 20 + machine.last, machine.now)
        last = self.printed.getvalue().splitlines()[-1]
        self.assertRegex(last, r"^unsure: isa reed_sol_van .*; \d+ candidates are not measured: ")
        lines = scene.records_of(self.folder / "tune.jsonl")
        stage = [line["id"] for line in lines if line["record"] == "row" and "stage" in line]
        points = {line["id"]: line["point"] for line in lines if line["record"] == "point"}
        self.assertEqual({points[identity]["plugin"] for identity in stage[:4]}, {"isa", "jerasure"})
        techniques = {points[identity]["profile"]["technique"] for identity in stage}
        self.assertEqual(techniques, {"reed_sol_van", "cauchy", "cauchy_good", "cauchy_orig"})

    def test_a_first_round_is_complete_and_short(self):
        words = ["plugin=jerasure", "technique=cauchy_good", "packetsize=16..1K+16", "4+2", "size=64K", "workload=encode"]
        machine, _, _ = self.run_mode("run", "--budget", "120", "--rounds", "8", words=words)
        rows = scene.records_of(self.folder / "run.jsonl", "row")
        points = len(scene.records_of(self.folder / "run.jsonl")[0]["points"])
        self.assertGreater(points, 50)
        self.assertEqual({row["repetition"] for row in rows[:points]}, {0})
        self.assertEqual(len({row["id"] for row in rows[:points]}), points)
        counts = collections.Counter(row["id"] for row in rows)
        leaders = [identity for identity, count in counts.items() if count == 8]
        self.assertTrue(1 < len(leaders) < points, counts)
        self.assertGreater(machine.now, 108)

    def test_the_first_round_begins_with_known_candidates_and_leaves_out_slow_ones(self):
        self.run_mode("run", "--budget", "8", words=["packetsize", "k=8", "m=3", "size=4M", "technique=cauchy_orig,cauchy_good"])
        rows = scene.records_of(self.folder / "run.jsonl", "row")
        first = [int(row["profile"]["packetsize"]) for row in rows[:6]]
        self.assertEqual(first[:3], first[3:])
        self.assertEqual((first[0], 64 < first[1] < 8192, first[2] > 8192), (2048, True, True), first)
        counts = collections.Counter(row["profile"]["packetsize"] for row in rows if row["ns_per_op"] > 1e7)
        self.assertLessEqual(set(counts.values()), {1}, "a slow candidate is measured in several cases")
        self.assertNotIn("--resume", "".join(self.printed.getvalue().splitlines()[:-1]))

    def test_samples_are_shortened_unless_the_user_gives_their_duration(self):
        words = ["plugin=isa", "technique=reed_sol_van,cauchy", "k=4,6", "m=2", "size=4K", "--rounds", "8"]
        for options, used in (([], "0.002"), (["--min-time", "0.3"], "0.3")):
            self.run_mode("run", "--budget", "3", *options, words=words)
            self.assertIn(f"; {used}", self.printed.getvalue())
            run = read_run(self.folder / "run.jsonl")
            self.assertTrue(dict(environment_rows(run))["min time"].startswith(used))
            (self.folder / "run.jsonl").unlink()

    def test_a_mode_ends_within_what_it_announced(self):
        for mode, overhead, *options in (("run", OVERHEAD, "--rounds", "8"), ("libraries", 0.04, "library=jerasure-xor")):
            machine, told, end = self.run_mode(mode, words=[*MODES[mode], *options], overhead=overhead)
            minutes, seconds = re.search(r"about (?:(\d+) min )?(\d+) s", told).groups("0")
            announced = 60 * int(minutes) + int(seconds)
            self.assertEqual(end, "")
            self.assertLessEqual(machine.now - machine.last, max(1.1 * announced, announced + 0.5 + SLACK))
            self.assertGreaterEqual(machine.now, 0.9 * announced - 0.5)
