"""Chooses the CPUs for measurements."""

import os


def quiet_cpus(count: int) -> list[int]:
    """The `count` allowed CPUs with the highest numbers, since the kernel mostly uses CPUs with low numbers for its own work."""
    return sorted(os.sched_getaffinity(0), reverse=True)[:count]
