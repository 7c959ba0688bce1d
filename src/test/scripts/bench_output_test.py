"""For the default and for each of Ceph's variables, the standard output of bench.sh is that of commit d4433114, except for measured
digits: a simulated program measures the same figures every time."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from ecbench.bench import program
from ecbench.measure.ecbench import Ecbench, Ended
from ecbench.process.process import Child
from ecbench.terminal.console import OutOfTime

# Options that depend on the budget or on the session, or that are not in the command that ecbench prints.
OF_THE_MEASUREMENT = ("--min-time", "--patience", "--limit-file", "--limit", "--format")
ROW = {"iterations": 100, "seconds": 0.25, "kb": 4, "gb_per_s": 3.0, "ci_low": 2.9, "ci_high": 3.1, "limit_percent": 50.0,
       "cpu_seconds_per_gb": 0.5, "profile": {"w": "8", "packetsize": "64"}, "warnings": [], "limit_gb_per_s": 6.0,
       "drift_percent": None, "drift_floor_percent": None, "samples": [{"placement": 0, "seconds": 0.25}], "verified": True}
FOREIGN = "foreign"
# Case → words, variables, SHA-256 of standard output, and its number of lines.
CASES = {
    "default": ([], {}, "3ce7189f79c4f249", 661),
    "fplot": (["fplot", "jerasure"], {}, "e7c2932066ea1266", 438),
    "fplot of 1 MiB": (["fplot"], {"SIZE": "1M"}, "e7c2932066ea1266", 438),
    "SIZE": ([], {"SIZE": "64K"}, "8d1247c8f933b0fc", 287),
    "ITERATIONS": ([], {"ITERATIONS": "7"}, "5e28f505ade53129", 661),
    "TOTAL_SIZE": ([], {"TOTAL_SIZE": "64M"}, "e67f4360338cd7a6", 661),
    "PLUGINS": ([], {"PLUGINS": "isa example"}, "41ccbfda96c9a1c2", 137),
    "TECHNIQUES": ([], {"TECHNIQUES": "vandermonde cauchy_orig"}, "167e73442143c314", 289),
    "PARAMETERS": (["jerasure"], {"PARAMETERS": "--parameter w=8 --timing api"}, "56b09afe762c3d78", 661),
    "PLUGIN_DIRECTORY": ([], {"PLUGIN_DIRECTORY": "/", "PLUGINS": "isa"}, "bd4be06886032a78", 133),
    "CEPH_ERASURE_CODE_BENCHMARK": ([], {"CEPH_ERASURE_CODE_BENCHMARK": FOREIGN}, "84237464d8d143be", 403),
    "another program, ITERATIONS": ([], {"CEPH_ERASURE_CODE_BENCHMARK": FOREIGN, "ITERATIONS": "9", "SIZE": "4096"},
                                    "70f214b20940dd35", 202),
}

WITHOUT_BUDGET = ("fplot", "fplot of 1 MiB", "ITERATIONS", "TOTAL_SIZE", "CEPH_ERASURE_CODE_BENCHMARK",
                  "another program, ITERATIONS")


def run(self, words, _timeout=None):
    words = list(words)
    if words[0] == "--version":
        is_foreign = self.program == FOREIGN
        return Ended(1, "", ["unknown option"]) if is_foreign else Ended(0, "ecbench 0\ncompiler: test\n", [])
    if words[0].startswith("--env"):
        return Ended(1, "", ["no environment"])
    if self.program == FOREIGN:
        return Ended(0, "0.250000\t4096\n", [])
    pairs = zip(words[::2], words[1::2], strict=True)
    command = " ".join(f"{option} {value}" for option, value in pairs if option not in OF_THE_MEASUREMENT)
    return Ended(0, json.dumps({**ROW, "command": f"ecbench {command}"}), [])


def output(words, variables):
    environment = {name: value for name, value in os.environ.items() if name not in program.given_variables()}
    with (tempfile.TemporaryDirectory(prefix="ecbench output ") as folder,
          mock.patch.object(Ecbench, "run", run), mock.patch("ecbench.bench.grid.own_program", lambda: "ecbench"),
          mock.patch("shutil.which", lambda name: name),
          mock.patch.object(pathlib.Path, "read_bytes", lambda path: b"a program"),
          mock.patch.dict(os.environ, {**environment, **variables, "XDG_DATA_HOME": folder}, clear=True),
          mock.patch.object(sys, "argv", ["bench", *words, "--output", f"{folder}/run.jsonl"]), mock.patch("os.fsync"),
          contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err):
        code = program.bench(Child())
    if code:
        raise AssertionError(f"exit code {code}: {err.getvalue()}")
    return out.getvalue(), err.getvalue()


class Output(unittest.TestCase):
    def test_is_that_of_the_published_form(self):
        """The answer is on standard error, and only before the table without variables."""
        for case, (words, variables, digest, lines) in CASES.items():
            text, told = output(words, variables)
            self.assertEqual((text.count("\n"), hashlib.sha256(text.encode()).hexdigest()[:16]), (lines, digest))
            self.assertEqual("interleaved rounds:" in told, case == "default")

    def test_only_some_variables_leave_the_default_budget(self):
        with mock.patch.object(program, "BUDGET", 0):
            for case, (words, variables, _, lines) in CASES.items():
                with contextlib.nullcontext() if case in WITHOUT_BUDGET else self.assertRaises(OutOfTime):
                    self.assertEqual(output(words, variables)[0].count("\n"), lines)

    def test_words_replace_the_k_and_m_of_the_grid(self):
        text, told = output(["k=8", "m=3"], {})
        rows = [line.split("\t") for line in text.splitlines()[1:]]
        self.assertEqual({(row[3], row[4]) for row in rows}, {("8", "3")})
        self.assertEqual({row[8] for row in rows}, {"0", "1", "2", "3"})
        self.assertRegex(told, r"^one core, 12 interleaved rounds:\n8\+3, 1 MiB\n +GB/s .* encode +decode 1 +decode 2 .*\n"
                         r"= +isa reed_sol_van +3\.00 .*\n= +jerasure reed_sol_van +3\.00 .*\n(.*\n)*"
                         r"noise: .*; of 72 measurements, 0 have a warning \(!\), and other programs disturbed 0\n"
                         r"(sure|likely): (isa|jerasure) reed_sol_van is the fastest \((isa|jerasure) reed_sol_van ties\)\n")
        text, _ = output(["plugin=isa", "workload=decode", "erasures=2", "size=64K"], {})
        self.assertEqual({(row[2], row[5], row[7], row[8]) for row in (line.split("\t") for line in text.splitlines()[1:])},
                         {("isa", "decode", "65536", "2")})
