"""Modes and profilers in a container whose seccomp filter refuses calls, and the names of kernels for profilers."""

import ctypes.util
import json
import os
import pathlib
import shutil
import sys
import unittest

import scene

LIBPROFILER = ctypes.util.find_library("profiler")
PERF = shutil.which("perf")


class Container(scene.Scene):
    """A seccomp filter refuses calls, also to root."""

    def under(self, calls, *command):
        result = scene.run([sys.executable, pathlib.Path(__file__).with_name("refused_call.py"), calls, *command])
        if result.returncode == 77:
            self.skipTest("this machine has no such filter")
        return result

    def test_threads_and_the_list_of_cpus(self):
        words = [scene.ECBENCH, "-p", "isa", "-s", "4K", "-i", "1"]
        cpu = max(os.sched_getaffinity(0))
        self.assertEqual(self.under("sched_getaffinity", *words, "--cpu", cpu).returncode, 0)
        self.assert_refused(self.under("clone3", *words, "--threads", "2"), "seccomp")

    def profile(self, calls, profiler, *point):
        return self.under(calls, *scene.mode("profile", profiler, "--output", self.folder / "profile", "--", *point))

    def test_a_cpu_that_may_not_be_selected(self):
        cpus = sorted(os.sched_getaffinity(0))
        for cpu, workload in ((cpus[0], "encode"), (cpus[-1], "decode"), (cpus[0], "memcpy")):
            result = self.under("sched_setaffinity", scene.ECBENCH, "-p", "isa", "-w", workload, "-i", "1", "--cpu", cpu)
            self.assert_refused(result, "sched_setaffinity", "seccomp")
            self.assertNotIn("another CPU", result.stderr)
        self.assertEqual(self.under("sched_setaffinity", scene.ECBENCH, "-p", "isa", "-i", "1").returncode, 0)

    @unittest.skipUnless(PERF, "perf is not installed")
    def test_perf_names_the_filter_or_the_capability(self):
        for point in (["-p", "isa"], ["-p", "isa", "-w", "decode"], ["sh", "-c", "true"]):
            result = self.profile("perf_event_open", "perf", *point)
            self.assert_refused(result, "--cap-add PERFMON", "seccomp")
            self.assertNotIn("as root", result.stderr)

    @unittest.skipUnless(LIBPROFILER, "libprofiler is not installed")
    @unittest.skipIf(scene.is_sanitized(), "a sanitizer must be loaded before other libraries")
    def test_pprof_names_the_timer(self):
        for calls, point in (("setitimer", ["-p", "isa"]), ("setitimer,timer_create", ["-p", "isa", "-w", "decode"]),
                             ("setitimer", ["-p", "isa", "-i", "9"])):
            result = self.profile(calls, "pprof", *point)
            self.assert_refused(result, "setitimer", "seccomp")
            self.assertNotIn("longer", result.stderr)


class Program(scene.Scene):
    def test_symbols_of_the_kernels(self):
        path = self.folder / "symbols.json"
        point = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2", "-s", "4K"]
        result = self.silent(scene.ecbench(*point, "-i", "1", "--format", "json", "--symbols", path))
        symbols = json.loads(path.read_text())
        self.assertEqual(symbols["kernel"], json.loads(result.stdout)["kernel"])
        self.assertFalse(symbols["valgrind"])
        self.assertTrue(any("multiply_region" in function["name"] for function in symbols["functions"]))

    def test_a_file_that_cannot_be_written(self):
        self.assert_refused(scene.ecbench("-s", "4K", "--symbols", self.folder / "none" / "file"), "--symbols",
                            "No such file")
        self.assert_refused(scene.ecbench("-s", "4K", "--symbols", ""), "--symbols ''")

    def test_an_illegal_instruction_prints_one_line(self):
        result = scene.ecbench("--erasure-code-dir", scene.TEST_PLUGINS, "-p", "illegal_instruction")
        self.assert_refused(result, "illegal instruction", "libec_illegal_instruction.so+0x", "this CPU does not support it")
