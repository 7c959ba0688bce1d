#!/usr/bin/python3 -Es
"""busy_cpu.py measures speeds while other programs run, and counts misses: wrong speeds that have no warning.

It measures isa 8+3 on CPU 1 in random order: quiet; quiet with --size 4M and --cache cold; with a busy loop on CPU 1, or on CPU 0;
and cold while another program copies memory on CPU 0. A speed is wrong if it differs by more than 10 % from the median of the quiet
case with the same options. The exit code is 1 if there is a miss. The study needs two CPUs, which nothing else uses."""

import collections
import dataclasses
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import launch
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.process.process import Child
from ecbench.runfile.row import Row
from ecbench.terminal.arguments import Parser

COLD = "-s 4M --cache cold"
MOST_DEVIATION = 0.10
BUSY_LOOP = "while True: pass"
MEMORY_COPIER = "a, b = bytearray(1 << 28), bytearray(1 << 28)\nwhile True: a[:] = b"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    options: str = ""
    cpu: int | None = None  # CPU of the other program; None if no other program is started
    program: str = ""


QUIET, QUIET_COLD = Case("quiet"), Case("quiet, cold", COLD)
CASES = [QUIET, QUIET_COLD, Case("busy loop on CPU 1", "", 1, BUSY_LOOP), Case("busy loop on CPU 0", "", 0, BUSY_LOOP),
         Case("memory copier on CPU 0, cold", COLD, 0, MEMORY_COPIER)]


def measure(ecbench: Ecbench, case: Case, more: dict[str, object]) -> Row:
    words = f"-p isa -P k=8 -P m=3 --cpu 1 {case.options}"
    if case.cpu is None:
        return launch.row_of(ecbench, words, **more)
    command = ["taskset", "-c", str(case.cpu), sys.executable, "-c", case.program]
    with subprocess.Popen(command) as other:
        try:
            time.sleep(0.5)  # meanwhile, the memory copier allocates its buffers
            return launch.row_of(ecbench, words, **more)
        finally:
            other.kill()


def show(case: Case, rows: list[Row], quiet: float) -> int:
    """Prints the line of a case. Returns the number of misses of this case."""
    speeds = [row.gb_per_s for row in rows]
    misses = sum(not row.warnings and abs(row.gb_per_s / quiet - 1) > MOST_DEVIATION for row in rows)
    clean = statistics.median((row.clean_samples or 0) / (row.sample_count or 1) for row in rows)
    codes = collections.Counter(warning["code"] for row in rows for warning in row.warnings or ())
    print(f"{case.name:30} {min(speeds):7.2f} {statistics.median(speeds):7.2f} {max(speeds):7.2f}  {clean * 100:6.0f} %  "
          f"{sum(bool(row.warnings) for row in rows):2} of {len(rows):2}  {misses:6}  "
          + ", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
    return misses


def study(parser: Parser, child: Child) -> int:
    parser.add_argument("ecbench", metavar="ECBENCH", help=launch.ECBENCH)
    parser.add_argument("repetitions", metavar="REPETITIONS", nargs="?", type=launch.at_least_one, default=20,
                        help="measurements of each case; the case quiet has twice as many (default 20)")
    parser.add_argument("max_time", metavar="SECONDS", nargs="?", help="value of --max-time for each measurement")
    arguments = parser.parse_args()
    more: dict[str, object] = {"max_time": arguments.max_time} if arguments.max_time else {}
    rows: dict[Case, list[Row]] = {case: [] for case in CASES}
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        for case in (QUIET, QUIET_COLD):  # these two measurements store the reference speeds of the probes
            measure(ecbench, case, more)
        # QUIET is measured twice as often as the other cases, which is 40 times by default. The aim for QUIET is at most one
        # warning in 40 measurements.
        order = [case for case in (*CASES, QUIET) for _ in range(arguments.repetitions)]
        random.Random(1).shuffle(order)
        for case in order:
            rows[case].append(measure(ecbench, case, more))
    print("case                           lowest  median highest   clean   warned    misses  codes of warnings")
    quiet = {case.options: statistics.median(row.gb_per_s for row in rows[case]) for case in (QUIET, QUIET_COLD)}
    return 1 if sum(show(case, rows[case], quiet[case.options]) for case in CASES) else 0


if __name__ == "__main__":
    launch.run(__doc__, study)
