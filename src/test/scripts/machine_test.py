"""The CPUs that a mode chooses, and the lock of the machine."""

import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from ecbench.measure import machine
from ecbench.measure.machine import machine_lock, quiet_cpus
from ecbench.measure.session import Budget
from ecbench.process.process import Child, Interrupted
from ecbench.terminal.console import Refused


class QuietCpus(unittest.TestCase):
    def chosen(self, count, files, allowed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{text}\n")
            with mock.patch("os.sched_getaffinity", return_value=set(allowed)):
                return quiet_cpus(count, pathlib.Path(folder))

    @staticmethod
    def of_each(name, values):
        return {f"system/cpu/cpu{cpu}/{name}": value for cpu, value in enumerate(values)}

    def test_without_sys_the_highest_numbers(self):
        self.assertEqual(self.chosen(2, {}, range(4)), [3, 2])

    def test_one_cpu_of_each_core_before_its_sibling(self):
        pairs = self.of_each("topology/thread_siblings_list", ["0-1", "0-1", "2-3", "2-3"])
        self.assertEqual(self.chosen(4, pairs, range(4)), [3, 1, 2, 0])
        self.assertEqual(self.chosen(2, pairs, (0, 2, 3)), [3, 0])
        halves = self.of_each("topology/thread_siblings_list", ["0,2", "1,3", "0,2", "1,3"])
        self.assertEqual(self.chosen(3, halves, range(4)), [3, 2, 1])

    def test_the_fastest_kind(self):
        for files, allowed, expected in (
                (self.of_each("cpu_capacity", [1024, 1024, 446, 446]), range(4), [1, 0]),  # big.LITTLE
                ({"cpu_core/cpus": "0-3,8", "cpu_atom/cpus": "4-7"}, range(9), [8, 3]),  # hybrid
                ({"cpu_core/cpus": "x-1", "cpu_atom/cpus": "4-7"}, range(3), [2, 1]),  # malformed
                ({"cpu_core/cpus": "0-3", "cpu_atom/cpus": "4-7"}, (4, 5, 6), [6, 5]),  # only slow ones are allowed
                (self.of_each("cpufreq/cpuinfo_max_freq", [5000000, 5000000, 3800000]), range(3), [1, 0]),
                (self.of_each("cpufreq/cpuinfo_max_freq", [5200000, 5000000, 5000000]), range(3), [2, 1]),  # favoured core
                (self.of_each("cpu_capacity", [1024, "", 446]), range(3), [2, 1])):  # incomplete
            self.assertEqual(self.chosen(2, files, allowed), expected)

    def test_siblings_of_the_fastest_kind_before_slow_cores(self):
        files = {**self.of_each("topology/thread_siblings_list", ["0-1", "0-1", "2"]), "cpu_core/cpus": "0-1"}
        self.assertEqual(self.chosen(3, files, range(3)), [1, 0, 2])


class Lock(unittest.TestCase):
    def setUp(self) -> None:
        temporary = self.enterContext(tempfile.TemporaryDirectory())
        self.folder = pathlib.Path(temporary)
        self.enterContext(mock.patch.dict(os.environ, {"ECBENCH_LOCK_DIR": temporary}))

    def test_the_wait_ends_with_the_budget_or_a_signal(self) -> None:
        with machine_lock(Child()), mock.patch.object(machine, "Waiting"), \
                self.assertRaisesRegex(Refused, r"waiting for .*process \d+ of .*, which measures"), machine_lock(Child(), 0.2):
            self.fail("two hold the lock")
        with mock.patch.dict(os.environ, {machine.WAITED: "4"}):  # of front.py; the default of a mode begins later
            self.assertEqual([Budget(10, lambda: 7.0).left() for _ in range(2)], [6, 10])

        def interrupted() -> None:
            raise Interrupted(signal.SIGINT)

        child = Child()
        with mock.patch.object(machine, "Waiting"), machine_lock(child), self.assertRaises(Interrupted), \
                machine_lock(types.SimpleNamespace(check=interrupted)):
            self.fail("two hold the lock")
        with machine_lock(child):  # the one that was interrupted does not hold it
            pass

    def test_a_holder_whose_user_has_no_name_is_named(self) -> None:
        with open(self.folder / "lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if machine.holder(file.fileno()) == "another program":
                self.skipTest("/proc/locks does not show this lock")
            with mock.patch.object(pathlib.Path, "owner", side_effect=KeyError):
                self.assertIn(f"(process {os.getpid()} of {os.getuid()})", machine.holder(file.fileno()))

    def test_names_the_program(self) -> None:
        mode = self.folder / "mode.py"
        mode.write_text("print(flush=True); input()")
        for words, expected in (([str(mode), "tune", "k=8"], r"bench\.sh tune k=8"),
                                ([str(mode), "x" * 500], r"bench\.sh x+\.\.\."),
                                (["-c", mode.read_text()], r"\S*python\S* -c print\(flush=True\); input\(\)")):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            with subprocess.Popen([sys.executable, *words], **pipes) as process:
                process.stdout.readline()
                self.assertRegex(machine.command_of(str(process.pid)), rf"^{expected}$")
                process.kill()

    def test_needs_only_a_folder_that_can_be_read(self) -> None:
        with mock.patch.dict(os.environ, {"ECBENCH_LOCK_DIR": str(self.folder / "none")}), \
                self.assertRaisesRegex(Refused, "none, the directory for the lock of measurements, cannot be opened"), \
                machine_lock(Child()):
            pass
        self.folder.chmod(0o500)
        with machine_lock(Child()):
            pass
