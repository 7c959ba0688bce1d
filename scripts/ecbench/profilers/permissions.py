"""Why the kernel refuses a call of a profiler, and what to do."""

import os
import pathlib
import re
import signal

from ecbench.process.end import UNFILTERED

OTHERWISE = "or use profile callgrind"


def has_filter() -> bool:
    """A seccomp filter, which containers have. It can refuse a call also to root."""
    try:
        status = pathlib.Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return False
    return re.search(r"^Seccomp:\s*2$", status, re.MULTILINE) is not None


def why_perf_may_not_sample() -> str:
    try:
        level = pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text("ascii").strip()
    except OSError:
        level = "unknown"
    begin = f"perf has no permission to sample (kernel.perf_event_paranoid is {level})"
    if has_filter():
        return (f"{begin}: this process has a seccomp filter, which can refuse perf_event_open also to root; start the container "
                f"with --cap-add PERFMON or {UNFILTERED}, {OTHERWISE}")
    return (f"{begin}: run as root or with CAP_PERFMON, or allow it with sudo sysctl kernel.perf_event_paranoid=2; if these are "
            f"set, a security module may refuse it; {OTHERWISE}")


def why_no_timer() -> str:
    """"" if the timer of pprof can be set."""
    try:
        signal.setitimer(signal.ITIMER_PROF, 0)  # turns the timer off, which is not on
    except OSError as error:
        filtered = ", by its seccomp filter" if has_filter() else ""
        return (f"this process may not call setitimer ({os.strerror(error.errno or 0)}{filtered}), so pprof takes no samples; "
                f"start the container with {UNFILTERED}, {OTHERWISE}")
    return ""
