"""Chooses the CPUs for measurements."""

import os


def quiet_cpus(count: int) -> list[int]:
    """The highest `count` of the allowed CPUs, since the kernel uses mostly the lowest for its own work."""
    return sorted(os.sched_getaffinity(0), reverse=True)[:count]
