#!/usr/bin/python3 -Es
"""bench_overhead.py compares the speed of ecbench's loop with the speed of a loop that calls the library directly (bare calls).
The argument is the path of the C++ program bench_overhead. The command `make bench-overhead` runs this study."""

import collections
import statistics

import launch

LAUNCHES = 9
AIMS = {4096: 0.95, 131072: 0.98, 1048576: 0.98}


def main() -> None:
    program = launch.parser(__doc__).parse_args().ecbench
    ratios: dict[tuple[str, str, int], list[float]] = collections.defaultdict(list)
    plans: dict[tuple[str, str, int], list[float]] = collections.defaultdict(list)
    for _ in range(LAUNCHES):
        for line in launch.output_of([program]).splitlines():
            plugin, workload, bytes_of_object, ratio, plan_ns = line.split()
            ratios[plugin, workload, int(bytes_of_object)].append(float(ratio))
            plans[plugin, workload, int(bytes_of_object)].append(float(plan_ns))
    print(f"reed_sol_van k=6 m=2; speed of ecbench's loop / speed of bare calls, median of {LAUNCHES} launches")
    print(f"{'plugin':<10}{'workload':<10}{'size':>9}{'ratio':>8}{'lowest':>8}{'highest':>9}{'aim':>6}  {'':<8}resolving a plan")
    for (plugin, workload, size), found in ratios.items():
        verdict = "reached" if statistics.median(found) >= AIMS[size] else "missed"
        plan = f"{statistics.median(plans[plugin, workload, size]):.0f} ns" if workload == "decode" else "-"
        print(f"{plugin:<10}{workload:<10}{size:>9}{statistics.median(found):>8.3f}{min(found):>8.3f}{max(found):>9.3f}"
              f"{AIMS[size]:>6}  {verdict:<8}{plan}")


if __name__ == "__main__":
    launch.run(main)
