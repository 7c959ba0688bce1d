"""Which CPUs are measured by default, with fake trees of /sys/devices."""

import pathlib
import tempfile
import unittest
from unittest import mock

from ecbench.measure.machine import quiet_cpus


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
            with self.subTest(files):
                self.assertEqual(self.chosen(2, files, allowed), expected)

    def test_siblings_of_the_fastest_kind_before_slow_cores(self):
        files = {**self.of_each("topology/thread_siblings_list", ["0-1", "0-1", "2"]), "cpu_core/cpus": "0-1"}
        self.assertEqual(self.chosen(3, files, range(3)), [1, 0, 2])
