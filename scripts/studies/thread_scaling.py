#!/usr/bin/python3 -Es
"""thread_scaling.py compares the speed of two threads with the speed of one thread, for isa and for techniques of jerasure. The
threads run on the CPUs 0 and 1."""

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


def main() -> None:
    ecbench = launch.parser(__doc__).parse_args().ecbench

    def speed(words: str, threads: int) -> launch.Speed:
        return lambda: launch.row_of(ecbench, words, threads=threads, cpu="0,1", min_time=0.1)["gb_per_s"]

    print(f"{'plugin':<10}{'profile, 6+2':<42}{'size':>6}{'1 thread':>10}{'2 threads':>11}{'ratio':>7}   GB/s, medians of {ROUNDS}")
    for plugin, profile, size in POINTS:
        words = f"-p {plugin} k=6 m=2 {profile} -s {size}"
        two, one, ratio = launch.compare(ROUNDS, speed(words, 2), speed(words, 1))
        print(f"{plugin:<10}{profile:<42}{size:>6}{one:>10.2f}{two:>11.2f}{ratio:>7.2f}", flush=True)


if __name__ == "__main__":
    launch.run(main)
