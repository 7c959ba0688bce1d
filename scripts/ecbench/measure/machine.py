"""The machine: which CPUs measure, and the lock with which only one program measures at a time."""

import argparse
import contextlib
import fcntl
import math
import os
import pathlib
import re
import sys
import time
from collections.abc import Callable, Iterator

from ecbench.installation.places import FRONT
from ecbench.process.process import Child
from ecbench.terminal.arguments import listed_cpus
from ecbench.terminal.console import Refused, Waiting, refusing

DEVICES = pathlib.Path("/sys/devices")  # the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu
# CPUs of one kind can differ by this share in their greatest frequency (favoured cores).
SAME_KIND = 0.9


def quiet_cpus(count: int, devices: pathlib.Path = DEVICES) -> list[int]:
    """Returns at most `count` CPUs of those that this process may use: of the fastest kind first, and one of each core before its
    siblings; among equal ones those with the highest numbers, because the kernel mostly uses CPUs with low numbers for its work."""
    allowed = sorted(os.sched_getaffinity(0), reverse=True)
    fastest = (with_greatest("cpu_capacity", allowed, devices)
               or set(allowed) & listed(word(devices / "cpu_core/cpus"))  # cpu_core and cpu_atom: hybrid CPUs of Intel
               or with_greatest("cpufreq/cpuinfo_max_freq", allowed, devices) or set(allowed))
    cores: dict[str, int] = {}
    for cpu in allowed:
        cores.setdefault(word(devices / f"system/cpu/cpu{cpu}/topology/thread_siblings_list") or str(cpu), cpu)
    siblings = set(allowed) - set(cores.values())
    return sorted(allowed, key=lambda cpu: (cpu not in fastest, cpu in siblings, -cpu))[:count]


def with_greatest(name: str, cpus: list[int], devices: pathlib.Path) -> set[int]:
    """The CPUs whose number is the greatest, or almost; none if a CPU has no such number."""
    words = [word(devices / f"system/cpu/cpu{cpu}/{name}") for cpu in cpus]
    if not all(map(str.isdecimal, words)):
        return set()
    return {cpu for cpu, text in zip(cpus, words, strict=True) if int(text) >= SAME_KIND * max(map(int, words))}


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


# Two measurements would disturb each other. flock() on a directory that every system has creates no file, works for all users, and
# ends with its process.

SECONDS_BETWEEN_TRIES = 0.1
WAITED = "ECBENCH_WAITED"  # the variable with the seconds that front.py has waited
LONGEST_COMMAND = 60  # characters of the other program's command that are printed


@contextlib.contextmanager
def machine_lock(child: Child, longest: float = math.inf) -> Iterator[None]:
    """Waits while another program has the lock, at most `longest` seconds. Throws Refused and Interrupted."""
    # The same for all users of the machine.
    path = os.environ.get("ECBENCH_LOCK_DIR") or ("/run/lock" if os.access("/run/lock", os.R_OK) else "/tmp")
    with refusing(f"{path}, the directory for the lock of measurements, cannot be opened",
                  "; ECBENCH_LOCK_DIR must name a directory that you can read"):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with refusing(f"{path} cannot be locked"):
            wait_for(descriptor, child.check, "which measures on this machine", longest=longest)
        yield
    finally:
        os.close(descriptor)


def wait_for(descriptor: int, check: Callable[[], None], what: str, is_shared: bool = False, longest: float = math.inf) -> None:
    """Locks a file or directory. `what` the process that holds the lock does, for the message. Throws Refused after `longest`
    seconds."""
    begin = time.monotonic()
    waiting: Waiting | None = None
    try:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                return
            if waiting:
                waiting.show(what)
            else:
                what = f"{holder(descriptor)}, {what}"
                waiting = Waiting(sys.stderr, what)
            check()
            if time.monotonic() - begin > longest:
                raise Refused(f"the budget is spent with waiting for {what}; repeat the command when that has ended")
            time.sleep(SECONDS_BETWEEN_TRIES)
    finally:
        if waiting:
            waiting.close()


def holder(descriptor: int) -> str:
    """The process that holds the lock, for a message. The kernel does not show a process of another container."""
    status = os.fstat(descriptor)
    locked = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        locks = pathlib.Path("/proc/locks").read_text("ascii")
        match = re.search(rf"^\d+: FLOCK +ADVISORY +(?:WRITE|READ) +([1-9]\d*) {locked} ", locks, re.MULTILINE)
        if match:
            own = pathlib.Path("/proc", match[1])
            try:
                user = own.owner()
            except KeyError:  # it has no name, as often in containers
                user = str(own.stat().st_uid)
            return f"{command_of(match[1])} (process {match[1]} of {user})"
    except OSError:  # the process has ended
        pass
    return "another program"


def command_of(process: str) -> str:
    """bench.sh or build.sh and its arguments if the process runs a mode or builds, otherwise its command line."""
    words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
    text = re.sub(r"^\S*python\S* (-\S+ )*\S*/(mode|build)\.py", lambda found: FRONT if found[2] == "mode" else "build.sh",
                  " ".join(words).strip())
    return text if len(text) <= LONGEST_COMMAND else f"{text[:LONGEST_COMMAND]}..."
