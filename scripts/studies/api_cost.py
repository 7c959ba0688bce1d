#!/usr/bin/python3 -Es
"""api_cost.py ECBENCH: what Ceph's way of calling costs over the code alone, and isa against jerasure when both are called so.

Measured in turn, the order turning round; ratios are medians over the rounds."""

import functools
import statistics

import launch

ROUNDS = 7
WORK = {"encode": ["-w", "encode"], "decode 1": ["-w", "decode", "-e", "1"], "decode 2": ["-w", "decode", "-e", "2"]}


def speed(ecbench, plugin, size, timing, work):
    command = [ecbench, "-p", plugin, "-P", "technique=reed_sol_van", "-P", "k=6", "-P", "m=2", "-s", size, "--timing", timing,
               "--cpu", "1", "--min-time", "0.1", *WORK[work]]
    return launch.row_of(command)[0]["gb_per_s"]


def ratio(first, second):
    """Medians of both and of their ratio, from calls of `first` and `second` in turn."""
    pairs = []
    for turn in range(ROUNDS):
        calls = (first, second) if turn % 2 else (second, first)
        values = {call: call() for call in calls}
        pairs.append((values[first], values[second]))
    return (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
            statistics.median(a / b for a, b in pairs))


def main():
    (ecbench,) = launch.arguments("the path of ecbench", 1)
    print(f"reed_sol_van 6+2, GB/s, medians of {ROUNDS}")
    print(f"{'size':<6}{'work':<10}{'plugin':<10}{'kernel':>8}{'api':>8}  kernel/api")
    for size in ("4K", "1M"):
        for plugin in ("isa", "jerasure"):
            for work in WORK:
                kernel, api, cost = ratio(functools.partial(speed, ecbench, plugin, size, "kernel", work),
                                          functools.partial(speed, ecbench, plugin, size, "api", work))
                print(f"{size:<6}{work:<10}{plugin:<10}{kernel:>8.2f}{api:>8.2f}{cost:>12.2f}", flush=True)
    for work in WORK:
        isa, jerasure, times = ratio(functools.partial(speed, ecbench, "isa", "1M", "api", work),
                                     functools.partial(speed, ecbench, "jerasure", "1M", "api", work))
        print(f"1M api, {work}: isa {isa:.2f}, jerasure {jerasure:.2f}, isa/jerasure {times:.2f}", flush=True)


if __name__ == "__main__":
    main()
