"""The last lines of the output: the fastest profile for 6+2 and its speeds, and then the CPU and the compiler."""

import dataclasses
import math
import platform
import subprocess
from collections.abc import Sequence

from ecbench.bench.ceph_grid import Point
from ecbench.bench.runner import Row
from ecbench.ceph.profile import default_rank
from ecbench.comparison.answer import answer
from ecbench.comparison.figures import Rounds, Unpaired
from ecbench.comparison.select import select
from ecbench.point.point import bytes_text
from ecbench.runfile.summary import warns_of_disturbance
from ecbench.statistics.interval import FEWEST_VALUES, Estimate

BEST = "Best profile for 6+2"
WIDTH = 37


def closing_lines(rows: Sequence[Row], failed: Sequence[Point], compiler: str, unmeasured: Sequence[Point] = ()) -> list[str]:
    """The speeds of the best profile, the CPU and the compiler, and the answer, if `rows` contains their values. `failed`: points
    without a row; `unmeasured`: those that the run has not reached."""
    size = max((row.point.size for row in rows if is_compared(row.point) and row.gb_per_s), default=0)
    largest = [row for row in rows if is_compared(row.point) and row.gb_per_s and row.point.size == size]
    without = [[point for point in points if is_compared(point) and point.size == size] for points in (failed, unmeasured)]
    lines = [aligned("CPU and compiler:", f"{cpu_model()}; {compiler}")]
    if not largest:
        if any(map(is_compared, unmeasured)):
            lines.append("unsure: no profile of 6+2 is measured yet: --budget measures more")
        return lines
    names = [*map(name_of, (row.point for row in largest)), *map(name_of, without[0]), *map(name_of, without[1])]
    middle = len(largest) + len(without[0])
    disturbed = dict(enumerate(float(warns_of_disturbance(row)) for row in largest))
    figures = Rounds([{number: math.log(row.gb_per_s or 1) for number, row in enumerate(largest)}], disturbed)
    found = select(Unpaired(dict(enumerate(map(speed_of, largest))), disturbed), name=names.__getitem__)
    last = answer(figures, found, "a larger --budget", names.__getitem__, range(len(largest), middle), range(middle, len(names)))
    # As in tune, Ceph's default profile if it is as fast.
    ties = [] if found.inconclusive else [one for one in found.ties if one not in found.unclear]
    best = min((largest[one] for one in (found.first, *ties)), key=rank_of)
    return [aligned(f"{BEST}, {bytes_text(size)}:", name_of(best.point)), *speed_lines(best, rows), *lines, str(last)]


def is_compared(point: Point) -> bool:
    return (point.k, point.m, point.workload) == (6, 2, "encode")


def speed_of(row: Row) -> Estimate:
    speed = row.gb_per_s or 0
    if row.ci_percent is None:  # of a program that is not ecbench
        return Estimate(speed, count=1)
    return Estimate(speed, speed * (1 - row.ci_percent / 100), speed * (1 + row.ci_percent / 100), FEWEST_VALUES)


def rank_of(row: Row) -> int:
    parameters = {"technique": row.point.technique, "w": row.w, "packetsize": row.packetsize}
    return default_rank(row.point.plugin, {name: value for name, value in parameters.items() if value != "-"})


def name_of(point: Point) -> str:
    return f"{point.plugin} {point.technique}{f' packetsize={point.packetsize}' if point.packetsize else ''}"


def speed_lines(best: Row, rows: Sequence[Row]) -> list[str]:
    speeds = {row.point: row.gb_per_s for row in rows if row.gb_per_s}
    points = [best.point, *(dataclasses.replace(best.point, workload="decode", erasures=lost) for lost in (1, 2))]
    titles = ("Encoding:", "Recovering the loss of one chunk:", "Recovering the loss of two chunks:")
    return [aligned(title, f"{speeds[point]:.1f} GB/s") for title, point in zip(titles, points) if point in speeds]


def aligned(title: str, value: str) -> str:
    return f"{title:<{WIDTH}}{value}"


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
