#!/usr/bin/python3 -Es
"""simd_speed.py compares the speed of plugin simd with the speed of other plugins and with the roofline.

Each line of the output has a ratio: the speed of simd divided by the speed of the other plugin, or by the roofline. The ratio
is measured in several rounds. The line shows the median, the smallest and the largest ratio of the rounds. The two plugins of a
line are measured alternately. The aim of a line is the smallest allowed median ratio. Most aims are valid only for the kernel that
uses AVX-512 and GFNI; the lines about FFTs also have aims for the AVX2 kernel. With other kernels, the ratios are not compared with
aims. The exit code is 1 if a median ratio is less than its aim."""

import dataclasses
import itertools
import json
import os
import pathlib
import statistics
from collections.abc import Iterable
from typing import Any

import launch
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import one_of

FAST_KERNEL = "GFNI AVX-512"
AVX2_KERNEL = "AVX2 shuffle"


@dataclasses.dataclass(frozen=True)
class Line:
    what: str
    ours: str  # words for launch.row_of that measure simd
    theirs: str  # words for launch.row_of that measure the other plugin; empty if simd is compared with the roofline
    aim: float | None  # the smallest allowed median ratio: speed of simd / speed of the other plugin, or / roofline
    avx2_aim: float | None = None  # the same for the AVX2 kernel

    def aim_of(self, kernel: str) -> float | None:
        return self.aim if FAST_KERNEL in kernel else self.avx2_aim if AVX2_KERNEL in kernel else None


def point(plugin: str, shape: str, size: str, more: str = "") -> str:
    return f"-p {plugin} {shape} -s {size} {more}"


def against(other: str, shape: str, size: str, aim: float, more: str = "", ours: str = "", theirs: str = "") -> Line:
    return Line(f"{circumstances(shape, size, more)}, against {other}", point("simd", f"{shape} {ours}", size, more),
                point(other, f"{shape} {theirs}", size, more), aim)


def share(shape: str, size: str, aim: float, more: str = "") -> Line:
    return Line(f"{circumstances(shape, size, more)}, of the limit", point("simd", shape, size, more), "", aim)


def circumstances(shape: str, size: str, more: str) -> str:
    """Returns the point in words, for example "6+2 4K, 2 lost, all patterns, --timing api"."""
    k, m = (word.split("=")[1] for word in shape.split()[:2])
    parts = [f"{k}+{m} {size}"]
    if "-e" in more:
        parts.append(f"{more.split('-e ')[1][0]} lost")
    if "exhaustive" in more:
        parts.append("all patterns")
    if "api" in more:
        parts.append("--timing api")
    return ", ".join(parts)


def backend(plugin: str, profile: str, size: str, workload: str) -> Line:
    what = f"{plugin} {profile} {workload.removeprefix('-w ').replace('-e ', '')} {size}, against its default backend"
    return Line(what, point(plugin, f"{profile} backend=simd", size, workload), point(plugin, profile, size, workload), 2.0)


def by_fft(technique: str, shape: str, aim: float | None, avx2_aim: float | None, more: str = "", what: str = "") -> Line:
    """Compares transform=auto with transform=direct."""
    k, m = (word.split("=")[1] for word in shape.split())
    code = f"technique={technique} {shape}"
    return Line(f"{technique} {k}+{m} 1M{what}, against transform=direct", point("simd", f"{code} transform=auto", "1M", more),
                point("simd", f"{code} transform=direct", "1M", more), aim, avx2_aim)


def leopard(shape: str, avx2_aim: float) -> Line:
    k, m = (word.split("=")[1] for word in shape.split())
    code = f"technique=leopard_gf8 {shape}"
    return Line(f"leopard_gf8 {k}+{m} 1M, against klauspost", point("simd", code, "1M"), point("klauspost", code, "1M"), 1.0,
                avx2_aim)


COLD = "--cache cold"
GROUP_LOST = "-w decode --erased " + " ".join(map(str, range(32)))
TWO_LOST = "-w decode -e 2"
CHANGING = "-w decode -e 2 -E exhaustive"
VANDERMONDE = "technique=reed_sol_van"
KLAUSPOSTS = "technique=vandermonde"
SECTIONS = {
    "encode warm": [
        against("isa", "k=6 m=2", "4K", 4.0),
        against("isa", "k=6 m=2", "128K", 3.3),
        against("isa", "k=8 m=4", "128K", 3.8),
        against("isa", "k=10 m=4", "128K", 3.5),
        against("klauspost", "k=6 m=2", "128K", 1.15, theirs=KLAUSPOSTS),
        against("klauspost", "k=8 m=4", "128K", 1.15, theirs=KLAUSPOSTS),
        against("klauspost", "k=10 m=4", "128K", 1.15, theirs=KLAUSPOSTS),
        share("k=6 m=2", "128K", 0.90),
        share("k=2 m=1", "128K", 0.95),
    ],
    "encode cold": [
        against("isa", "k=6 m=2", "4M", 1.45, COLD),
        share("k=6 m=2", "4M", 0.95, COLD),
        against("isa", "k=8 m=4", "4M", 1.6, COLD),
    ],
    "decode warm": [
        against("isa", "k=6 m=2", "128K", 3.3, TWO_LOST),
        share("k=6 m=2", "128K", 0.90, "-w decode -e 1"),
        against("jerasure", "k=6 m=2", "4K", 10.0, CHANGING, "matrix=jerasure", VANDERMONDE),
        against("jerasure", "k=6 m=2", "4K", 10.0, CHANGING + " --timing api", "matrix=jerasure", VANDERMONDE),
    ],
    "encode warm, with the same coding chunks as jerasure": [
        against("jerasure", "k=6 m=2", "128K", 5.0, "", "matrix=jerasure", VANDERMONDE),
        against("jerasure", "k=6 m=2", "1M", 5.0, "", "matrix=jerasure", VANDERMONDE),
    ],
    "encode by FFT": [
        by_fft("cauchy", "k=8 m=4", 1.0, 1.35),
        by_fft("cauchy", "k=10 m=4", 1.0, 1.0),
        by_fft("cauchy", "k=16 m=4", 1.0, 1.75),
        by_fft("cauchy", "k=16 m=8", 2.0, 2.2),
        by_fft("cauchy", "k=16 m=16", 2.5, 2.8),
        by_fft("cauchy", "k=32 m=32", 3.5, 4.0),
        by_fft("cauchy", "k=64 m=64", None, 6.5),
        by_fft("vandermonde", "k=8 m=4", 1.0, None),
        by_fft("vandermonde", "k=10 m=4", 1.0, 1.1),
        by_fft("vandermonde", "k=16 m=16", 2.5, None),
        by_fft("vandermonde", "k=32 m=32", 3.5, None),
        by_fft("leopard_gf8", "k=8 m=4", 1.0, None),
        by_fft("leopard_gf8", "k=10 m=4", 1.0, None),
        by_fft("leopard_gf8", "k=16 m=8", 2.0, None),
        by_fft("leopard_gf8", "k=16 m=16", 2.5, None),
        by_fft("leopard_gf8", "k=32 m=32", 3.5, None),
        by_fft("leopard_gf8", "k=32 m=32", None, None, GROUP_LOST, ", a lost group"),
    ],
    "encode by FFT, leopard_gf8": [
        leopard("k=8 m=4", 1.3),
        leopard("k=10 m=4", 1.5),
        leopard("k=16 m=4", 1.4),
        leopard("k=16 m=8", 1.3),
        leopard("k=16 m=16", 1.0),
        leopard("k=32 m=32", 1.0),
        leopard("k=64 m=64", 1.0),
    ],
    "lrc, shec and clay with backend=simd": [
        backend("lrc", "k=8 m=4 l=3", "128K", "-w encode"),
        backend("lrc", "k=8 m=4 l=3", "128K", "-w decode -e 1"),
        backend("shec", "k=6 m=4 c=3", "128K", "-w encode"),
        backend("shec", "k=6 m=4 c=3", "128K", "-w decode -e 2"),
        backend("clay", "k=8 m=4 d=11", "128K", "-w encode"),
        backend("clay", "k=8 m=4 d=11", "128K", "-w decode -e 1"),
    ],
}


def words_of(words: str, limit: bool) -> str:
    cpu = max(os.sched_getaffinity(0))  # the last CPU, because Linux uses the first CPU most
    return f"--cpu {cpu} --min-time 0.1 --limit {'yes' if limit else 'no'} {words}"


def plugins_of(ecbench: str) -> dict[str, list[str]]:
    """The dispatch levels of each plugin."""
    listing = json.loads(launch.output_of([ecbench, "--list", "--format", "json"]))
    return {pathlib.Path(plugin["path"]).stem.removeprefix("libec_"): plugin["dispatch_levels"] for plugin in listing["plugins"]}


def names_in(words: str) -> list[str]:
    return [name for option, name in itertools.pairwise(words.split()) if option == "-p"]


def missing_plugins(line: Line, plugins: Iterable[str]) -> list[str]:
    return sorted(set(names_in(f"{line.ours} {line.theirs}")).difference(plugins))


def at_level(line: Line, level: str, plugins: dict[str, list[str]]) -> Line:
    """Adds --dispatch LEVEL to a measurement of the line if the plugin of this measurement has the level. A line with backend= is
    returned without change, because its measurements may use a second plugin."""
    def limited(words: str) -> str:
        has_level = words and "backend=" not in line.ours and level in plugins[names_in(words)[0]]
        return f"{words} --dispatch {level}" if has_level else words

    return dataclasses.replace(line, ours=limited(line.ours), theirs=limited(line.theirs))


def measured(ecbench: str, line: Line, rounds: int) -> tuple[float, list[float], str]:
    """Measures a line. Returns the median speed of simd, the ratio of each round, and the kernel of simd."""
    rows: list[dict[str, Any]] = []

    def ours() -> float:
        rows.append(launch.row_of(ecbench, words_of(line.ours, not line.theirs)))
        return float(rows[-1]["gb_per_s"])

    def theirs() -> float:
        return float(launch.row_of(ecbench, words_of(line.theirs, False))["gb_per_s"])

    speeds, *others = launch.in_turn(rounds, ours, *([theirs] if line.theirs else []))
    other = others[0] if others else [row["limit_gb_per_s"] for row in rows]
    return statistics.median(speeds), [a / b for a, b in zip(speeds, other)], rows[0]["kernel"]


def shown(value: float, line: Line) -> str:
    return f"{value:.2f}x" if line.theirs else f"{100 * value:.0f} %"


def verdict(ratio: float, line: Line, kernel: str) -> str:
    aim = line.aim_of(kernel)
    if aim is None:
        return "not compared"
    return "reached" if ratio >= aim else "MISSED"


def report(ecbench: str, line: Line, plugins: dict[str, list[str]], rounds: int, level: str) -> bool:
    """Measures a line and prints it. Returns True if the median ratio is less than the aim."""
    if missing := missing_plugins(line, plugins):
        print(f"{line.what:<62}  not measured; plugins that are not built: {', '.join(missing)}")
        return False
    speed, ratios, kernel = measured(ecbench, at_level(line, level, plugins), rounds)
    ratio = statistics.median(ratios)
    judged, aim = verdict(ratio, line, kernel), line.aim_of(kernel)
    print(f"{line.what:<62}{speed:>8.1f}{shown(ratio, line):>9}{shown(min(ratios), line):>8}{shown(max(ratios), line):>8}"
          f"{'-' if aim is None else shown(aim, line):>9}  {judged}", flush=True)
    return judged == "MISSED"


def main() -> int:
    parser = launch.parser(__doc__)
    parser.add_argument("rounds", metavar="ROUNDS", nargs="?", type=launch.at_least_one, default=7, help="(default 7)")
    parser.add_argument("--dispatch", metavar="LEVEL", default="native",
                        help="dispatch level of plugin simd, and of the other plugin if it has this level (default native)")
    parser.add_argument("--section", metavar="TEXT", default="", help="only the sections whose title contains TEXT")
    arguments = parser.parse_args()
    plugins = plugins_of(arguments.ecbench)
    if "simd" not in plugins:
        raise Refused("plugin simd is not built")
    level = arguments.dispatch
    if level not in plugins["simd"]:
        raise Refused(f"--dispatch {level} is not allowed; give {one_of(plugins['simd'])}")
    kernel = launch.row_of(arguments.ecbench, words_of(point("simd", "k=6 m=2", f"4K --dispatch {level}"), limit=False))["kernel"]
    print(f"plugin simd with kernel {kernel}; medians of {arguments.rounds} rounds; the plugins of a line are measured alternately")
    if FAST_KERNEL not in kernel:
        print(f"Most aims are valid only for the kernel {FAST_KERNEL}; without an aim, a ratio is not compared.")
    missed = 0
    for section, lines in ((title, lines) for title, lines in SECTIONS.items() if arguments.section in title):
        print(f"\n{section:<62}{'GB/s':>8}{'ratio':>9}{'from':>8}{'to':>8}{'aim':>9}")
        missed += sum(report(arguments.ecbench, line, plugins, arguments.rounds, level) for line in lines)
    return 1 if missed else 0


if __name__ == "__main__":
    launch.run(main)
