#!/usr/bin/python3 -Es
"""simd_speed.py ECBENCH [ROUNDS]: how much faster plugin simd is than the others, and how near the limit, against what it aims at.

Both sides of a line are measured in turn, the order turning round; a ratio is the median over the rounds, with the least and the
greatest. The aims are for a CPU with AVX-512 and GFNI. Without them the figures stand beside the aims and are not held against
them; nor are those of a plugin that is not there. It ends with 1 if an aim is missed."""

import dataclasses
import itertools
import json
import os
import pathlib
import statistics
import sys

import launch

USUAL_ROUNDS = 7
FAST_KERNEL = "GFNI AVX-512"


@dataclasses.dataclass(frozen=True)
class Line:
    what: str
    ours: str  # ecbench's words; a word with = is a parameter
    theirs: str  # the same, or "" for the limit: then the aim is a share of it
    aim: float


def point(plugin, shape, size, more=""):
    return f"-p {plugin} {shape} -s {size} {more}"


def against(other, shape, size, aim, more="", ours="", theirs=""):
    what = f"{circumstances(shape, size, more)}, against {other}"
    return Line(what, point("simd", f"{shape} {ours}", size, more), point(other, f"{shape} {theirs}", size, more), aim)


def share(shape, size, aim, more="", ours=""):
    what = f"{circumstances(shape, size, more)}, of the limit"
    return Line(what, point("simd", f"{shape} {ours}", size, more), "", aim)


def circumstances(shape, size, more):
    """6+2 4K, 2 lost, every pattern, --timing api"""
    k, m = (word.split("=")[1] for word in shape.split()[:2])
    parts = [f"{k}+{m} {size}"]
    if "-e" in more:
        parts.append(f"{more.split('-e ')[1][0]} lost")
    if "exhaustive" in more:
        parts.append("patterns in turn")
    if "api" in more:
        parts.append("--timing api")
    return ", ".join(parts)


def backend(plugin, profile, size, work):
    did = work.removeprefix("-w ").replace("-e ", "")
    what = f"{plugin} {profile} {did} {size}, against its default backend"
    return Line(what, point(plugin, f"{profile} backend=simd", size, work), point(plugin, profile, size, work), 2.0)


COLD = "--cache cold"
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
    "the bytes of jerasure": [
        against("jerasure", "k=6 m=2", "128K", 5.0, "", "matrix=jerasure", VANDERMONDE),
        against("jerasure", "k=6 m=2", "1M", 5.0, "", "matrix=jerasure", VANDERMONDE),
    ],
    "codes that are built on codes": [
        backend("lrc", "k=8 m=4 l=3", "128K", "-w encode"),
        backend("lrc", "k=8 m=4 l=3", "128K", "-w decode -e 1"),
        backend("shec", "k=6 m=4 c=3", "128K", "-w encode"),
        backend("shec", "k=6 m=4 c=3", "128K", "-w decode -e 2"),
        backend("clay", "k=8 m=4 d=11", "128K", "-w encode"),
        backend("clay", "k=8 m=4 d=11", "128K", "-w decode -e 1"),
    ],
}


def command_of(ecbench, words, limit):
    cpu = max(os.sched_getaffinity(0))  # the kernel's own work gathers on the lowest
    command = [ecbench, "--cpu", str(cpu), "--min-time", "0.1", "--limit", "yes" if limit else "no"]
    for word in words.split():
        command += ["-P", word] if "=" in word else [word]
    return command


def plugins_of(ecbench):
    listing, _ = launch.output_of([ecbench, "--list", "--format", "json"])
    return {pathlib.Path(plugin["path"]).stem.removeprefix("libec_") for plugin in json.loads(listing)["plugins"]}


def missing_plugins(line, plugins):
    words = f"{line.ours} {line.theirs}".split()
    return sorted({name for option, name in itertools.pairwise(words) if option == "-p"} - plugins)


def measured(ecbench, line, rounds):
    """Our speed at the median, what it is of the other side's in each round, and our kernel."""
    speeds, ratios, kernel = [], [], ""
    for turn in range(rounds):
        rows = {}
        for words in [line.ours, line.theirs] if turn % 2 else [line.theirs, line.ours]:
            if words:
                rows[words] = launch.row_of(command_of(ecbench, words, limit=not line.theirs))[0]
        ours = rows[line.ours]
        speeds.append(ours["gb_per_s"])
        ratios.append(ours["gb_per_s"] / (rows[line.theirs]["gb_per_s"] if line.theirs else ours["limit_gb_per_s"]))
        kernel = ours["kernel"]
    return statistics.median(speeds), ratios, kernel


def shown(value, line):
    return f"{value:.2f}x" if line.theirs else f"{100 * value:.0f} %"


def is_held(kernel):
    return FAST_KERNEL in kernel


def verdict(ratio, line, kernel):
    if not is_held(kernel):
        return "not held against it"
    return "reached" if ratio >= line.aim else "MISSED"


def report(ecbench, line, plugins, rounds):
    """One line of the table. True if the aim is missed."""
    missing = missing_plugins(line, plugins)
    if missing:
        print(f"{line.what:<62}  not measured: plugin {' and '.join(missing)} is not here")
        return False
    speed, ratios, kernel = measured(ecbench, line, rounds)
    ratio = statistics.median(ratios)
    judged = verdict(ratio, line, kernel)
    print(f"{line.what:<62}{speed:>8.1f}{shown(ratio, line):>9}{shown(min(ratios), line):>8}{shown(max(ratios), line):>8}"
          f"{shown(line.aim, line):>9}  {judged}", flush=True)
    return judged == "MISSED"


def main():
    ecbench, rounds = [*launch.arguments("the path of ecbench, and how many rounds unless 7", most=2), str(USUAL_ROUNDS)][:2]
    if not rounds.isdecimal() or int(rounds) < 1:
        launch.fail(f"{rounds} rounds are not allowed: at least 1")
    plugins = plugins_of(ecbench)
    if "simd" not in plugins:
        launch.fail("plugin simd is not there: it was left out of this build")
    kernel = launch.row_of(command_of(ecbench, point("simd", "k=6 m=2", "4K"), limit=False))[0]["kernel"]
    print(f"plugin simd by its kernel {kernel}; medians of {int(rounds)} rounds, measured in turn")
    if not is_held(kernel):
        print("This CPU lacks AVX-512 or GFNI: the aims, which are for CPUs that have both, are not held against these figures.")
    missed = 0
    for section, lines in SECTIONS.items():
        print(f"\n{section:<62}{'GB/s':>8}{'ratio':>9}{'from':>8}{'to':>8}{'aim':>9}")
        missed += sum(report(ecbench, line, plugins, int(rounds)) for line in lines)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
