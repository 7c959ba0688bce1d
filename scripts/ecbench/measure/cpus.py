"""Chooses the CPUs for measurements."""

import argparse
import os
import pathlib

from ecbench.terminal.arguments import listed_cpus

DEVICES = pathlib.Path("/sys/devices")  # the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu
# CPUs of one kind can differ by this share in their greatest frequency (favoured cores).
SAME_KIND = 0.9


def quiet_cpus(count: int, devices: pathlib.Path = DEVICES) -> list[int]:
    """Returns at most `count` CPUs of those that this process may use: of the fastest kind first, and one of each core before its
    siblings; among equal ones those with the highest numbers, because the kernel mostly uses CPUs with low numbers for its work."""
    allowed = sorted(os.sched_getaffinity(0), reverse=True)
    fastest = fastest_kind(allowed, devices)
    cores: dict[str, int] = {}
    for cpu in allowed:
        cores.setdefault(word(devices / f"system/cpu/cpu{cpu}/topology/thread_siblings_list") or str(cpu), cpu)
    siblings = set(allowed) - set(cores.values())
    return sorted(allowed, key=lambda cpu: (cpu not in fastest, cpu in siblings, -cpu))[:count]


def fastest_kind(cpus: list[int], devices: pathlib.Path) -> set[int]:
    """All `cpus` if the kernel does not say that they differ."""
    if capacities := numbers(cpus, devices, "cpu_capacity"):
        return within(capacities)
    if of_kind := set(cpus) & listed(word(devices / "cpu_core/cpus")):  # cpu_core and cpu_atom: hybrid CPUs of Intel
        return of_kind
    return within(numbers(cpus, devices, "cpufreq/cpuinfo_max_freq")) or set(cpus)


def numbers(cpus: list[int], devices: pathlib.Path, name: str) -> dict[int, int]:
    """Empty if a CPU has no such number."""
    words = {cpu: word(devices / f"system/cpu/cpu{cpu}/{name}") for cpu in cpus}
    return {cpu: int(text) for cpu, text in words.items()} if all(text.isdecimal() for text in words.values()) else {}


def within(values: dict[int, int]) -> set[int]:
    return {cpu for cpu, value in values.items() if value >= SAME_KIND * max(values.values())}


def listed(text: str) -> set[int]:
    """The CPUs of a list of the kernel; none if there is no list."""
    try:
        return set(listed_cpus(text))
    except argparse.ArgumentTypeError:
        return set()


def word(path: pathlib.Path) -> str:
    """The text of a file of /sys, which many containers and virtual machines lack."""
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""
