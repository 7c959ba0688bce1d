"""The five lines that close a sweep, as the article of 2013 does: the best profile for 6+2, its speed, the CPU, the compiler."""

import platform
import subprocess

from ecbench.fplot import ceph_grid


def closing_lines(rows, compiler):
    """At most five lines; what the sweep does not contain is left out."""
    lines = []
    encodes = [row for row in rows if (row.point.k, row.point.m, row.point.workload) == (6, 2, "encode") and row.gb_per_s]
    if encodes:
        largest = max(row.point.size for row in encodes)
        best = max((row for row in encodes if row.point.size == largest), key=lambda row: row.gb_per_s)
        lines += profile_lines(best, rows)
    lines.append(f"CPU and compiler:                    {cpu_model()}; {compiler}")
    return lines


def profile_lines(best, rows):
    point = best.point
    packetsize = f" packetsize={best.packetsize}" if point.packetsize else ""
    title = f"Best profile for 6+2, {ceph_grid.bytes_text(point.size)}: "
    lines = [f"{title:<37}{point.plugin} {point.technique}{packetsize}",
             f"Encoding:                            {best.gb_per_s:.1f} GB/s"]
    for erasures, what in ((1, "one chunk:  "), (2, "two chunks: ")):
        for row in rows:
            its = row.point
            same = (its.plugin, its.technique, its.k, its.m, its.size, its.packetsize) == (
                point.plugin, point.technique, 6, 2, point.size, point.packetsize)
            if same and its.erasures == erasures and row.gb_per_s:
                lines.append(f"Recovering the loss of {what}  {row.gb_per_s:.1f} GB/s")
    return lines


def cpu_model():
    """As the kernel names it; on machines where it does not, as lscpu does."""
    for text in (read_cpuinfo, run_lscpu):
        for line in text().splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() == "model name" and value.strip(" -"):
                return value.strip()
    return platform.machine()


def read_cpuinfo():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as cpuinfo:
            return cpuinfo.read()
    except OSError:
        return ""


def run_lscpu():
    try:
        return subprocess.run(["lscpu"], capture_output=True, text=True, check=False, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
