#!/usr/bin/python3 -Es
"""xor_speed.py compares the speed of packet codes in plugin simd, which uses XOR programs, with their speed in plugin jerasure.

Each line of the output has a factor: the speed of simd divided by the speed of jerasure, for the same parameters and object size.
The factor is measured in several rounds. The line shows the median, the smallest and the largest factor of the rounds. The two
plugins are measured alternately. The column `level` shows the dispatch level of simd. The dispatch level of jerasure is always
native. The exit code is 1 if a median factor is less than the value in the column `at least`."""

import dataclasses
import json
import os
import statistics

import launch
from ecbench.terminal.console import Refused

CAUCHY = "technique=cauchy_good jerasure-per-chunk-alignment=true"


@dataclasses.dataclass(frozen=True)
class Line:
    what: str
    level: str  # dispatch level of simd
    words: str  # words for launch.row_of, without the plugin
    must: float  # the study fails if the median factor is smaller
    aim: float  # the median factor that the plugin should reach


def encode(shape: str, packetsize: int, size: str, level: str, must: float, aim: float) -> Line:
    k, m = shape.split("+")
    return Line(f"{shape} encode, {size}, packetsize {packetsize}", level,
                f"{CAUCHY} k={k} m={m} packetsize={packetsize} -s {size}", must, aim)


def decode(shape: str, packetsize: int, size: str, level: str, must: float, aim: float) -> Line:
    line = encode(shape, packetsize, size, level, must, aim)
    return dataclasses.replace(line, what=line.what.replace("encode", "decode of 2 data chunks"),
                               words=f"{line.words} -w decode --erased 0 --erased 1")


LINES = (
    encode("6+2", 960, "128K", "avx512", 5, 6),
    encode("8+4", 704, "128K", "avx512", 8, 10),
    encode("10+4", 576, "128K", "avx512", 8, 10),
    decode("6+2", 960, "128K", "avx512", 6, 7),
    encode("6+2", 96, "4K", "avx512", 5, 10),
    encode("8+4", 64, "4K", "avx512", 5, 10),
    encode("6+2", 2048, "1M", "avx512", 4, 5),
    encode("6+2", 960, "128K", "avx2", 4, 5),
    encode("8+4", 704, "128K", "avx2", 5, 7),
    encode("10+4", 576, "128K", "avx2", 5, 7),
    decode("6+2", 960, "128K", "avx2", 4.5, 5.5),
)


def words_of(plugin: str, level: str, line: Line) -> str:
    cpu = max(os.sched_getaffinity(0))  # the last CPU, because Linux uses the first CPU most
    return f"--cpu {cpu} --min-time 0.1 --limit no -p {plugin} --dispatch {level} {line.words}"


def levels_of(ecbench: str) -> list[str]:
    """Returns the dispatch levels of plugin simd that this CPU supports."""
    listing = json.loads(launch.output_of([ecbench, "--list", "--format", "json"]))
    for plugin in listing["plugins"]:
        if plugin["name"] == "simd":
            return list(plugin["dispatch_levels"])
    raise Refused("plugin simd is not built")


def verdict(factor: float, line: Line) -> str:
    return "aim reached" if factor >= line.aim else "enough" if factor >= line.must else "MISSED"


def report(ecbench: str, line: Line, rounds: int) -> bool:
    """Measures a line and prints it. Returns True if the median factor is less than `line.must`."""
    def speed(plugin: str, level: str) -> launch.Speed:
        return lambda: float(launch.row_of(ecbench, words_of(plugin, level, line))["gb_per_s"])

    ours, theirs = launch.in_turn(rounds, speed("simd", line.level), speed("jerasure", "native"))
    factors = [a / b for a, b in zip(ours, theirs, strict=True)]
    factor = statistics.median(factors)
    judged = verdict(factor, line)
    print(f"{line.level:<8}{line.what:<52}{statistics.median(theirs):>9.2f}{statistics.median(ours):>7.1f}{factor:>8.1f}x"
          f"{min(factors):>6.1f}x{max(factors):>6.1f}x{line.must:>9.1f}x{line.aim:>6.1f}x  {judged}", flush=True)
    return judged == "MISSED"


def main() -> int:
    parser = launch.parser(__doc__)
    parser.add_argument("rounds", metavar="ROUNDS", nargs="?", type=launch.at_least_one, default=7, help="(default 7)")
    arguments = parser.parse_args()
    levels = levels_of(arguments.ecbench)
    print(f"cauchy_good, warm, speeds in GB/s; medians of {arguments.rounds} rounds; jerasure and simd are measured alternately")
    print(f"{'level':<8}{'':<52}{'jerasure':>9}{'simd':>7}{'factor':>9}{'from':>7}{'to':>7}{'at least':>10}{'aim':>7}")
    missed = 0
    for line in LINES:
        if line.level in levels:
            missed += report(arguments.ecbench, line, arguments.rounds)
        else:
            print(f"{line.level:<8}{line.what:<52}  not measured: this CPU does not support {line.level}")
    return 1 if missed else 0


if __name__ == "__main__":
    launch.run(main)
