"""bench.sh compare A B [C ...]: compares run files point by point. Exit codes: 0 even if a run is slower than A; 1 for bad
input."""

import argparse
import dataclasses
import sys
from collections.abc import Sequence

from ecbench.documents.document import Json
from ecbench.files.files import check_apart, check_distinct
from ecbench.installation.places import FRONT
from ecbench.page import ratios
from ecbench.page.block import print_page, schema_of_pages
from ecbench.page.points import troubles
from ecbench.point.point import letters
from ecbench.process.process import Child, run_to_the_end
from ecbench.runfile.run_file import read_planned_run
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused

HELP = """Compares run B with run A: for each point, the ratio B / A of the speeds (above 1: B is faster) and its 95 % confidence
interval. The points are sorted by workload, size, plugin and technique, and then by ratio, the lowest first; the second table has
the means. The verdict '~' means that the ratio is not significantly different from 1. Interleaved 'no' means that the machine may
have changed between the runs. Each further run is also compared with A: B / A, C / A, ..."""


def needs(_words: list[str]) -> list[str]:
    return []


def read_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(mode="compare", description=HELP, examples="bench.sh compare A.jsonl B.jsonl")
    parser.add_argument("a", metavar="A", help="a run file, results/<machine>/<run>.jsonl or .jsonl.gz")
    parser.add_argument("b", metavar="B", help="the run file to compare with A")
    parser.add_argument("more", metavar="C", nargs="*", help="further run files to compare with A")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default), or json; --schema prints its schema")
    return parser.parse_args(words)


def schema() -> Json:
    return schema_of_pages((ratios.RatioRow, ratios.MeanRow), "Runs, compared point by point",
                           "The output of bench.sh compare --format json.")


def compare(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    paths = [arguments.a, arguments.b, *arguments.more]
    names = list(map(letters, range(len(paths))))
    check_apart([], list(zip(names, paths)))  # standard output must not be redirected to one of the run files
    check_distinct(paths)
    runs = list(map(read_planned_run, paths))
    page = ratios.page_of("compare", runs, names)
    shown = {row.run for row in page.blocks[0].rows}
    for name, path in list(zip(names, paths))[1:]:
        if name not in shown:
            raise Refused(f"{arguments.a} and {path} have no measured point in common; to measure the points of "
                          f"{arguments.a} again, use {FRONT} run --from {arguments.a}")
    page = dataclasses.replace(page, troubles=[*page.troubles, *zip(names, map(troubles, runs))], is_list=True)
    print_page(page, sys.stdout, arguments.format)
    return 0


def main() -> int:
    return run_to_the_end(compare, "interrupted", runs_others=False)
