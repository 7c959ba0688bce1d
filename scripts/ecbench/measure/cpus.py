"""Chooses the CPUs for measurements."""

import os


def quiet_cpus(count: int) -> list[int]:
    """Returns at most `count` CPUs: those with the highest numbers among the CPUs that this process may use. The kernel mostly uses
    CPUs with low numbers for its own work."""
    return sorted(os.sched_getaffinity(0), reverse=True)[:count]
