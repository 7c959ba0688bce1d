#!/usr/bin/python3 -Es
"""repeatability.py ECBENCH [CPU]: shows how far ecbench's figures can be believed on this machine.

1. Twenty repetitions of an encode of 128 KiB: how many of their 95 % intervals hold the median of all.
2. Sixty repetitions of sampled and of classic runs (--iterations) of the same length at 1 MiB, interleaved: how much less the
   sampled ones scatter, for isa and for the limit."""

import statistics

import launch

PROFILE = ["-p", "isa", "-P", "k=6", "-P", "m=2", "-P", "technique=reed_sol_van"]
REPETITIONS = 20
PAIRS = 60
MIN_TIME = 0.2


def measure(ecbench, cpu, *options):
    row, said = launch.row_of([ecbench, *PROFILE, "--cpu", cpu, *options])
    return row, "drifted" in said


def variation(values):
    return statistics.stdev(values) / statistics.mean(values)


def show_intervals(ecbench, cpu):
    rows = [measure(ecbench, cpu, "-w", "encode", "-s", "128K") for _ in range(REPETITIONS)]
    grand = statistics.median(row["gb_per_s"] for row, _ in rows)
    held = [row["ci_low"] <= grand <= row["ci_high"] for row, _ in rows]
    excused = sum(drifted and not holds for (_, drifted), holds in zip(rows, held))
    print(f"encode 128 KiB, {REPETITIONS} repetitions, grand median {grand:.2f} GB/s")
    for (row, drifted), holds in zip(rows, held):
        half = (row["ci_high"] - row["ci_low"]) / 2 / row["gb_per_s"] * 100
        print(f"  {row['gb_per_s']:7.2f} GB/s  {row['ci_low']:7.2f} .. {row['ci_high']:7.2f}  (±{half:.1f} %)"
              f"  {'holds' if holds else 'MISSES'}{', drift warned of' if drifted else ''}")
    print(f"the interval holds the grand median in {sum(held)} of {REPETITIONS} (aim: 17), {excused} misses excused by a warning "
          f"of drift; the runs' own variation is {variation([row['gb_per_s'] for row, _ in rows]) * 100:.2f} %, the drift floor "
          f"{rows[0][0]['drift_floor_percent']:g} %")


def show_scatter(ecbench, cpu, workload, aim):
    options = ["-w", workload, "-s", "1M"]
    row, _ = measure(ecbench, cpu, *options, "--min-time", str(MIN_TIME))
    iterations = str(row["iterations"])
    sampled, classic = [], []
    for pair in range(PAIRS):
        for mode in (0, 1) if pair % 2 else (1, 0):
            if mode:
                sampled.append(measure(ecbench, cpu, *options, "--min-time", str(MIN_TIME))[0]["gb_per_s"])
            else:
                classic.append(measure(ecbench, cpu, *options, "--iterations", iterations)[0]["gb_per_s"])
    ratio = variation(sampled) / variation(classic)
    print(f"{workload} 1 MiB, {PAIRS} interleaved repetitions: coefficient of variation {variation(sampled) * 100:.2f} % sampled, "
          f"{variation(classic) * 100:.2f} % classic, ratio {ratio:.2f} (aim: {aim})", flush=True)


def main():
    ecbench, cpu = [*launch.arguments("the path of ecbench, and perhaps a CPU", most=2), "1"][:2]
    show_intervals(ecbench, cpu)
    show_scatter(ecbench, cpu, "encode", 0.8)
    show_scatter(ecbench, cpu, "limit", 0.65)


if __name__ == "__main__":
    main()
