#!/usr/bin/python3 -Es
"""thread_scaling.py ECBENCH: two threads against one, interleaved, for jerasure's techniques and isa: the ratio, and the cause."""

import statistics

import launch

POINTS = [
    ("jerasure", "technique=reed_sol_van", "128K"),
    ("jerasure", "technique=reed_sol_van", "4K"),
    ("jerasure", "technique=cauchy_good packetsize=1024", "128K"),
    ("jerasure", "technique=cauchy_good packetsize=128", "4K"),
    ("jerasure", "technique=liber8tion packetsize=1024", "128K"),
    ("isa", "technique=reed_sol_van", "128K"),
    ("isa", "technique=reed_sol_van", "4K"),
]
ROUNDS = 7


def measure(ecbench, plugin, profile, size, threads):
    command = [ecbench, "-p", plugin, "-P", "k=6", "-P", "m=2", "-s", size, "--threads", str(threads), "--cpu", "0,1",
               "--min-time", "0.1"]
    for parameter in profile.split():
        command += ["-P", parameter]
    return launch.row_of(command)[0]["gb_per_s"]


def main():
    [ecbench] = launch.arguments("the path of ecbench", most=1)
    print(f"{'plugin':<10}{'profile, 6+2':<42}{'size':>6}{'1 thread':>10}{'2 threads':>11}{'ratio':>7}   GB/s, medians of {ROUNDS}")
    for plugin, profile, size in POINTS:
        one, two = [], []
        for turn in range(ROUNDS):
            for threads in (1, 2) if turn % 2 else (2, 1):
                (one if threads == 1 else two).append(measure(ecbench, plugin, profile, size, threads))
        ratio = statistics.median(b / a for a, b in zip(one, two))
        print(f"{plugin:<10}{profile:<42}{size:>6}{statistics.median(one):>10.2f}{statistics.median(two):>11.2f}{ratio:>7.2f}",
              flush=True)


if __name__ == "__main__":
    main()
