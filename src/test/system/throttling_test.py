"""Runs ecbench in a control group that may use only a quarter of one CPU. Needs root, and the cpu controller of cgroup version 1 or
2."""

import contextlib
import json
import os
import pathlib
import subprocess
import unittest
from collections.abc import Iterator

import debian
from ecbench.runfile.row import Row
from ecbench.runfile.summary import is_disturbed, placement_speeds

QUOTA, PERIOD = 25000, 100000  # microseconds
LEAST_CPU_SHARE = 0.9  # CPU time / wall-clock time; a sample with a lower share is never clean (samples.cc requires 0.98)
ROOTS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup", "/sys/fs/cgroup/unified")


@contextlib.contextmanager
def throttled_group() -> Iterator[pathlib.Path]:
    """A control group with the CPU quota QUOTA, or SkipTest."""
    why = "this machine has no control group with the cpu controller"
    for root in map(pathlib.Path, ROOTS):
        group = root / f"ecbench-throttling-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            why = str(error)
            continue
        try:
            if limited(group):
                yield group
                return
        finally:
            group.rmdir()
    raise unittest.SkipTest(why)


def limited(group: pathlib.Path) -> bool:
    """Sets the CPU quota. Returns False if the group does not have the cpu controller."""
    with contextlib.suppress(OSError):
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{QUOTA} {PERIOD}")
            return True
        if (group / "cpu.cfs_quota_us").exists():
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(QUOTA))
            return True
    return False


class Throttling(unittest.TestCase):
    def test_throttled_samples_do_not_count(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root can make control groups")
        words = ["--plugin", "isa", "--parameter", "k=4", "--parameter", "m=2", "--size", "65536", "--cpu",
                 str(max(os.sched_getaffinity(0))), "--min-time", "0.5", "--format", "json"]
        with throttled_group() as group:
            enter = f"echo $$ > '{group}/cgroup.procs'; exec \"$@\""
            done = subprocess.run(["sh", "-ec", enter, "sh", str(debian.BUILD / "ecbench"), *words], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, timeout=300, check=True)
        row = json.loads(done.stdout)
        self.assertIn("throttled", [warning["code"] for warning in row["warnings"]])
        self.assertTrue(is_disturbed(Row.read(row)))
        without_cpu = [sample for sample in row["samples"] if sample["cpu_seconds"] < LEAST_CPU_SHARE * sample["seconds"]]
        self.assertTrue(without_cpu)
        self.assertEqual([sample for sample in without_cpu if sample["clean"]], [])
        self.assertLess(row["clean_samples"], row["sample_count"])
        if "few_clean_samples" not in [warning["code"] for warning in row["warnings"]]:
            kept = [sample for sample in row["samples"] if sample["clean"]]
            self.assertEqual(placement_speeds([Row.read(row)]), placement_speeds([Row.read({**row, "samples": kept})]))
