#!/usr/bin/python3 -Es
"""repeatability.py shows how much the speeds vary if ecbench measures the same point repeatedly on this machine: of twenty
measurements of the encode of a 128 KiB object, how many 95 % intervals contain the median of the twenty speeds."""

import statistics

import launch
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.process.process import Child
from ecbench.terminal.arguments import Parser

WORDS = "-p isa -P k=6 -P m=2 -P technique=reed_sol_van -w encode -s 128K"
REPETITIONS = 20


def study(parser: Parser, child: Child) -> int:
    parser.add_argument("ecbench", metavar="ECBENCH", help=launch.ECBENCH)
    parser.add_argument("cpu", metavar="CPU", nargs="?", default="1", help="CPU that runs the measurements (default 1)")
    arguments = parser.parse_args()
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    rows = [launch.row_of(ecbench, WORDS, cpu=arguments.cpu) for _ in range(REPETITIONS)]
    speeds = [row.gb_per_s for row in rows]
    grand, variation = statistics.median(speeds), statistics.stdev(speeds) / statistics.mean(speeds)
    print(f"encode 128 KiB, {REPETITIONS} repetitions, grand median (median of all repetitions) {grand:.2f} GB/s")
    held = excused = 0
    for row in rows:
        low, high = row.ci_low or 0, row.ci_high or 0
        holds = low <= grand <= high
        drifted = any(warning["code"] == "drift" for warning in row.warnings or ())
        held, excused = held + holds, excused + (drifted and not holds)
        print(f"  {row.gb_per_s:7.2f} GB/s  {low:7.2f} .. {high:7.2f}  (±{(high - low) / 2 / row.gb_per_s * 100:.1f} %)"
              f"  {'holds' if holds else 'MISSES'}{', drift warning' if drifted else ''}")
    print(f"{held} of {REPETITIONS} intervals contain the grand median (aim: at least 17); {excused} of the other intervals have a "
          f"drift warning; the coefficient of variation of the speeds is {100 * variation:.2f} %, the noise floor is "
          f"{rows[0].drift_floor_percent:g} %")
    return 0


if __name__ == "__main__":
    launch.run(__doc__, study)
