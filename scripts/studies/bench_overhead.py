#!/usr/bin/python3 -Es
"""make bench-overhead: the ratio of ecbench's loop to bare library calls, as the median of several launches."""

import collections
import statistics

import launch

LAUNCHES = 9
AIMS = {4096: 0.95, 131072: 0.98, 1048576: 0.98}


def main():
    [program] = launch.arguments("the path of bench_overhead", most=1)
    ratios, plans = collections.defaultdict(list), collections.defaultdict(list)
    for _ in range(LAUNCHES):
        for line in launch.output_of([program])[0].splitlines():
            plugin, workload, size, ratio, plan_ns = line.split()
            ratios[plugin, workload, int(size)].append(float(ratio))
            plans[plugin, workload, int(size)].append(float(plan_ns))
    print(f"reed_sol_van k=6 m=2; speed of ecbench's loop / speed of bare calls, median of {LAUNCHES} launches")
    print(f"{'plugin':<10}{'workload':<10}{'size':>9}{'ratio':>8}{'lowest':>8}{'highest':>9}{'aim':>6}  {'':<8}resolving a plan")
    for (plugin, workload, size), drawn in ratios.items():
        ratio = statistics.median(drawn)
        verdict = "reached" if ratio >= AIMS[size] else "missed"
        plan_ns = statistics.median(plans[plugin, workload, size])
        plan = f"{plan_ns:.0f} ns" if workload == "decode" else "-"
        print(f"{plugin:<10}{workload:<10}{size:>9}{ratio:>8.3f}{min(drawn):>8.3f}{max(drawn):>9.3f}{AIMS[size]:>6}  "
              f"{verdict:<8}{plan}")


if __name__ == "__main__":
    main()
