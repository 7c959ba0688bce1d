#!/usr/bin/python3 -Es
"""repeatability.py shows how much the speeds vary if ecbench measures the same point repeatedly on this machine.

1. Encode of a 128 KiB object, twenty times: how many of the 95 % intervals contain the median of the twenty speeds.
2. Encode of a 1 MiB object, and the roofline for this object, sixty times with each of two methods, which alternate and take about
   the same time: the coefficient of variation of the speeds. `sampled`: ecbench takes samples. `classic`: a fixed number of
   iterations (--iterations)."""

import statistics
from collections.abc import Sequence

import launch
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.process.process import Child
from ecbench.terminal.arguments import Parser

CODE = "-p isa -P k=6 -P m=2 -P technique=reed_sol_van"
REPETITIONS = 20
PAIRS = 60


def variation(values: Sequence[float]) -> float:
    return statistics.stdev(values) / statistics.mean(values)


def show_intervals(ecbench: Ecbench, cpu: str) -> None:
    rows = [launch.row_of(ecbench, f"{CODE} -w encode -s 128K", cpu=cpu) for _ in range(REPETITIONS)]
    speeds = [row.gb_per_s for row in rows]
    grand = statistics.median(speeds)
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
          f"drift warning; the coefficient of variation of the speeds is {variation(speeds) * 100:.2f} %, the noise floor is "
          f"{rows[0].drift_floor_percent:g} %")


def show_variation(ecbench: Ecbench, cpu: str, workload: str, aim: float) -> None:
    words = f"{CODE} -w {workload} -s 1M"
    iterations = launch.row_of(ecbench, words, cpu=cpu, min_time=0.2).iterations
    lengths: dict[str, dict[str, object]] = {"sampled": {"min_time": 0.2}, "classic": {"iterations": iterations}}
    speeds: dict[str, list[float]] = {name: [] for name in lengths}
    for turn in range(PAIRS):
        for name in list(lengths)[::1 if turn % 2 else -1]:
            speeds[name].append(launch.row_of(ecbench, words, cpu=cpu, **lengths[name]).gb_per_s)
    sampled, classic = map(variation, speeds.values())
    print(f"{workload} 1 MiB, {PAIRS} interleaved repetitions: the coefficient of variation is {sampled * 100:.2f} % for sampled, "
          f"{classic * 100:.2f} % for classic; the ratio is {sampled / classic:.2f} (aim: at most {aim})", flush=True)


def study(parser: Parser, child: Child) -> int:
    parser.add_argument("ecbench", metavar="ECBENCH", help=launch.ECBENCH)
    parser.add_argument("cpu", metavar="CPU", nargs="?", default="1", help="CPU that runs the measurements (default 1)")
    arguments = parser.parse_args()
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    show_intervals(ecbench, arguments.cpu)
    show_variation(ecbench, arguments.cpu, "encode", 0.8)
    show_variation(ecbench, arguments.cpu, "limit", 0.65)
    return 0


if __name__ == "__main__":
    launch.run(__doc__, study)
