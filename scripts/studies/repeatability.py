#!/usr/bin/python3 -Es
"""repeatability.py shows how much the speeds vary if ecbench measures the same point repeatedly on this machine.

1. The study measures the encode of a 128 KiB object twenty times. It prints how many of the twenty 95 % intervals contain the grand
   median, which is the median of the twenty speeds.
2. The study measures the encode of a 1 MiB object, and then the roofline for this object. It uses two methods, which alternate.
   `sampled`: ecbench takes samples. `classic`: ecbench measures a fixed number of iterations (--iterations). Each method measures
   sixty times. A measurement takes about the same time with both methods. For each method, the study prints the coefficient of
   variation of the speeds."""

import statistics
from collections.abc import Sequence

import launch

CODE = "-p isa k=6 m=2 technique=reed_sol_van"
REPETITIONS = 20
PAIRS = 60


def variation(values: Sequence[float]) -> float:
    return statistics.stdev(values) / statistics.mean(values)


def show_intervals(ecbench: str, cpu: str) -> None:
    rows = [launch.row_of(ecbench, f"{CODE} -w encode -s 128K", cpu=cpu) for _ in range(REPETITIONS)]
    speeds = [row["gb_per_s"] for row in rows]
    grand = statistics.median(speeds)
    print(f"encode 128 KiB, {REPETITIONS} repetitions, grand median (median of all repetitions) {grand:.2f} GB/s")
    held = excused = 0
    for row in rows:
        holds = row["ci_low"] <= grand <= row["ci_high"]
        drifted = any(warning["code"] == "drift" for warning in row["warnings"])
        held, excused = held + holds, excused + (drifted and not holds)
        half = (row["ci_high"] - row["ci_low"]) / 2 / row["gb_per_s"] * 100
        print(f"  {row['gb_per_s']:7.2f} GB/s  {row['ci_low']:7.2f} .. {row['ci_high']:7.2f}  (±{half:.1f} %)"
              f"  {'holds' if holds else 'MISSES'}{', drift warning' if drifted else ''}")
    print(f"{held} of {REPETITIONS} intervals contain the grand median (aim: at least 17); {excused} of the other intervals have a "
          f"drift warning; the coefficient of variation of the speeds is {variation(speeds) * 100:.2f} %, the noise floor is "
          f"{rows[0]['drift_floor_percent']:g} %")


def show_variation(ecbench: str, cpu: str, workload: str, aim: float) -> None:
    def speed(**length: object) -> launch.Speed:
        return lambda: launch.row_of(ecbench, words, cpu=cpu, **length)["gb_per_s"]

    words = f"{CODE} -w {workload} -s 1M"
    iterations = launch.row_of(ecbench, words, cpu=cpu, min_time=0.2)["iterations"]
    sampled, classic = map(variation, launch.in_turn(PAIRS, speed(min_time=0.2), speed(iterations=iterations)))
    print(f"{workload} 1 MiB, {PAIRS} interleaved repetitions: the coefficient of variation is {sampled * 100:.2f} % for sampled, "
          f"{classic * 100:.2f} % for classic; the ratio is {sampled / classic:.2f} (aim: at most {aim})", flush=True)


def main() -> None:
    parser = launch.parser(__doc__)
    parser.add_argument("cpu", metavar="CPU", nargs="?", default="1", help="CPU that runs the measurements (default 1)")
    arguments = parser.parse_args()
    show_intervals(arguments.ecbench, arguments.cpu)
    show_variation(arguments.ecbench, arguments.cpu, "encode", 0.8)
    show_variation(arguments.ecbench, arguments.cpu, "limit", 0.65)


if __name__ == "__main__":
    launch.run(main)
