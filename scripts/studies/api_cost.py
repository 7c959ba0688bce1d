#!/usr/bin/python3 -Es
"""api_cost.py compares the speeds of isa and jerasure with --timing kernel and with --timing api. --timing api also times the work
that Ceph does for each call: allocation, padding, decode plan. For --timing api and objects of 1 MiB, the study also prints the
speed of isa divided by the speed of jerasure."""

import launch

ROUNDS = 7
WORKLOADS = {"encode": "-w encode", "decode 1": "-w decode -e 1", "decode 2": "-w decode -e 2"}


def main() -> None:
    ecbench = launch.parser(__doc__).parse_args().ecbench

    def speed(plugin: str, size: str, timing: str, workload: str) -> launch.Speed:
        words = f"-p {plugin} technique=reed_sol_van k=6 m=2 -s {size} --timing {timing} --cpu 1 {WORKLOADS[workload]}"
        return lambda: float(launch.row_of(ecbench, words, min_time=0.1)["gb_per_s"])

    print(f"reed_sol_van 6+2, speeds in GB/s, medians of {ROUNDS} rounds")
    print(f"{'size':<6}{'workload':<10}{'plugin':<10}{'kernel':>8}{'api':>8}  kernel/api")
    for size in ("4K", "1M"):
        for plugin in ("isa", "jerasure"):
            for name in WORKLOADS:
                kernel, api, cost = launch.compare(ROUNDS, speed(plugin, size, "kernel", name), speed(plugin, size, "api", name))
                print(f"{size:<6}{name:<10}{plugin:<10}{kernel:>8.2f}{api:>8.2f}{cost:>12.2f}", flush=True)
    for name in WORKLOADS:
        isa, jerasure, ratio = launch.compare(ROUNDS, speed("isa", "1M", "api", name), speed("jerasure", "1M", "api", name))
        print(f"1M api, {name}: isa {isa:.2f}, jerasure {jerasure:.2f}, isa/jerasure {ratio:.2f}", flush=True)


if __name__ == "__main__":
    launch.run(main)
