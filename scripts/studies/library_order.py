#!/usr/bin/python3 -Es
"""library_order.py shows whether the libraries in a run of bench.sh contenders have the same order of speed as on another machine.

The speeds on the other machine are in granite_rapids_2026_11_20.json. Two libraries are a pair if one is at least 10 % faster than
the other on that machine. The study prints whether the same library of the pair is faster in the run. A pair is inconclusive if the
95 % interval of the ratio of the two speeds in the run contains 1."""

import argparse
import dataclasses
import itertools
import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import launch
from ecbench.contenders.libraries import ISA
from ecbench.contenders.results import CaseResult, Results
from ecbench.contenders.versions import by_library, libisal_release, own_objects, system_objects, titles_of
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.statistics.rounds import Rounds
from ecbench.terminal.console import Refused, plain

FILE = pathlib.Path(__file__).with_name("granite_rapids_2026_11_20.json")
# Two libraries are a pair only if the ratio of their speeds on the other machine is at least LEAST_RATIO. On that machine, the
# speeds of two launches of the same library had nearly this ratio.
LEAST_RATIO = 1.1
AGREES, DIFFERS, INCONCLUSIVE = "agrees", "differs", "inconclusive"


@dataclasses.dataclass(frozen=True)
class Pair:
    faster: str  # the library that is faster on the other machine
    slower: str
    ratio_there: float
    ratio_here: float
    verdict: str


def names_there(results: Results) -> dict[str, str]:
    """Returns title of a library in the run → name of this library in FILE. FILE contains ISA-L 2.30 ("isa 2.30") and a newer ISA-L
    ("isa new")."""
    names = {name: name for name in ("jerasure RS", "jerasure XOR", "klauspost", "rs-erasure", "rs-simd")}
    for library, title in titles_of(results.entries).items():
        if library == ISA or title.startswith("isa "):
            release = libisal_release(system_objects(results.run, ISA) if library == ISA else
                                      own_objects(by_library(results.entries)[library])) or "2.30"
            is_new = tuple(int(part) for part in release.split(".") if part.isdigit()) > (2, 30)
            names[title] = "isa new" if is_new else "isa 2.30"
    return names


def pairs_of(case: CaseResult, figures: dict[str, float], names: dict[str, str]) -> Iterator[Pair]:
    for one, other in itertools.combinations(case.ranking.order, 2):
        known = [(figures.get(names.get(title, "")), title) for title in (one, other)]
        if names.get(one) == names.get(other) or any(figure is None for figure, _ in known):
            continue
        (low, slower), (high, faster) = sorted((figure or 0, title) for figure, title in known)
        if high / low < LEAST_RATIO:
            continue
        here = Rounds(case.rounds.rounds).ratio(faster, slower)
        is_open = here.low is None or here.high is None or here.low <= 1 <= here.high
        yield Pair(faster, slower, high / low, here.median, INCONCLUSIVE if is_open else AGREES if here.median > 1 else DIFFERS)


def lines(results: Results) -> Iterator[str]:
    there: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    names = names_there(results)
    yield f"comparison with another machine: {there['machine']}, measured on {there['date']} (source: {there['source']})"
    others: set[str] = set()
    for case in results.cases:
        pairs = list(pairs_of(case, there["gb_per_s"].get(str(case.case), {}), names))
        if not pairs:
            continue
        yield f"{case.case}: {sum(pair.verdict == AGREES for pair in pairs)} of {len(pairs)} pairs agree"
        for pair in pairs:
            if pair.verdict != AGREES:
                others |= {pair.faster, pair.slower}
                yield (f"  {pair.verdict}: on the other machine, {pair.faster} is {pair.ratio_there:.2f} times as fast as "
                       f"{pair.slower}; in this run, {pair.ratio_here:.2f} times as fast")
    flags = results.run.header["environment"].get("cpu", {}).get("flags", [])
    for title in sorted(others):
        lacking = [there["flags"][flag] for flag in there["ran_by"].get(names[title], ()) if flag not in flags]
        if lacking:
            yield (f"{title} used {' and '.join(lacking)} on the other machine; the CPU of this run "
                   f"({results.run.header['machine']['cpu']}) lacks {' and '.join(lacking)}")


def program(_child: Child) -> int:
    parser = launch.parser(__doc__, takes_ecbench=False)
    parser.add_argument("run", metavar="RUN", type=pathlib.Path, help="results/<machine>/contenders-<date>.jsonl.gz")
    arguments: argparse.Namespace = parser.parse_args()
    results = Results(read_run(arguments.run))
    found = list(lines(results))
    if len(found) == 1:
        raise Refused(f"{arguments.run} has no libraries that can be compared with the other machine; measure 6+2 or 8+4 with warm "
                      "objects of 128 KiB")
    print("\n".join(plain(line) for line in found))
    return 0


if __name__ == "__main__":
    sys.exit(run_to_the_end(program, "interrupted", runs_others=False))
