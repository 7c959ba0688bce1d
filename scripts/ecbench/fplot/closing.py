"""The last lines of the output: the fastest profile for 6+2 and its speeds, and then the CPU and the compiler."""

import platform
import subprocess
from collections.abc import Sequence

from ecbench.fplot.runner import Row
from ecbench.point.point import bytes_text


def closing_lines(rows: Sequence[Row], compiler: str) -> list[str]:
    """Returns at most five lines. A line is left out if `rows` does not contain its value."""
    encodes = [row for row in rows if (row.point.k, row.point.m, row.point.workload) == (6, 2, "encode") and row.gb_per_s]
    lines = []
    if encodes:
        largest = max(row.point.size for row in encodes)
        lines = profile_lines(max((row for row in encodes if row.point.size == largest), key=lambda row: row.gb_per_s or 0), rows)
    return [*lines, f"CPU and compiler:                    {cpu_model()}; {compiler}"]


def profile_lines(best: Row, rows: Sequence[Row]) -> list[str]:
    point = best.point
    packetsize = f" packetsize={best.packetsize}" if point.packetsize else ""
    title = f"Best profile for 6+2, {bytes_text(point.size)}: "
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


def cpu_model() -> str:
    """The model name of the CPU. It is read from /proc/cpuinfo, or from the output of lscpu if /proc/cpuinfo has no model name. If
    both have no model name, returns the architecture, such as aarch64."""
    for command in (["cat", "/proc/cpuinfo"], ["lscpu"]):
        try:
            text = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=10).stdout
        except (OSError, subprocess.TimeoutExpired):
            continue
        for line in text.splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() == "model name" and value.strip(" -"):
                return value.strip()
    return platform.machine()
