"""Why the kernel refuses a call of a profiler, and what to do."""

import os
import pathlib
import re
import signal

from ecbench.process.end import UNFILTERED

CAP_SYS_ADMIN, CAP_PERFMON = 21, 38
MOST_PARANOID = 2  # up to this level, every user may sample programs in user mode
OTHERWISE = "or use profile callgrind"


def status(key: str) -> str:
    """A line of /proc/self/status; "" if there is none."""
    try:
        found = re.search(rf"^{key}:\s*(\S+)", pathlib.Path("/proc/self/status").read_text("ascii", "replace"), re.MULTILINE)
    except OSError:
        return ""
    return found[1] if found else ""


def has_filter() -> bool:
    """A seccomp filter, which containers have. It can refuse a call also to root."""
    return status("Seccomp") == "2"


def why_perf_may_not_sample() -> str:
    try:
        level = pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text("ascii").strip()
    except OSError:
        level = "unknown"
    begin = f"perf has no permission to sample (kernel.perf_event_paranoid is {level})"
    capabilities = int(status("CapEff") or "0", 16)
    is_capable = any(capabilities >> number & 1 for number in (CAP_SYS_ADMIN, CAP_PERFMON))
    if has_filter():
        return (f"{begin}: this process has a seccomp filter, which can refuse perf_event_open also to root; start the container "
                f"with --cap-add PERFMON or {UNFILTERED}, {OTHERWISE}")
    if is_capable or (level.lstrip("-").isdigit() and int(level) <= MOST_PARANOID):
        return f"{begin}, although these settings allow it: a security module may refuse it; ask who runs this host, {OTHERWISE}"
    who = "give this process CAP_PERFMON" if os.geteuid() == 0 else "run as root"
    return f"{begin}: {who}, or allow it with sudo sysctl kernel.perf_event_paranoid={MOST_PARANOID}"


def why_no_timer() -> str:
    """"" if the timer of pprof can be set."""
    try:
        signal.setitimer(signal.ITIMER_PROF, 0)  # turns the timer off, which is not on
    except OSError as error:
        filtered = ", by its seccomp filter" if has_filter() else ""
        return (f"this process may not call setitimer ({os.strerror(error.errno or 0)}{filtered}), so pprof takes no samples; "
                f"start the container with {UNFILTERED}, {OTHERWISE}")
    return ""
