"""Options of the modes that compare points in rounds."""

import argparse

from ecbench.terminal.arguments import seconds, whole

FEWEST_ROUNDS = 6  # of which an interval of 95 % can be told


def add_arguments(parser: argparse.ArgumentParser, rounds: int = FEWEST_ROUNDS, min_time: float = 0.1) -> None:
    parser.add_argument("--rounds", type=whole(1, 1000), default=rounds, metavar="N",
                        help=f"how often each point is measured (default %(default)s; an interval needs {FEWEST_ROUNDS})")
    parser.add_argument("--min-time", type=seconds, default=min_time, metavar="SECONDS",
                        help="of each measurement (default %(default)s)")
    parser.add_argument("--seed", type=whole(0, (1 << 63) - 1), metavar="N",
                        help="of the order of measurements (default: random, recorded)")
    parser.add_argument("--ecbench", metavar="PATH", help="the program to measure with (default build/ecbench)")
