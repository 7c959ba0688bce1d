"""bench.sh fleet report DIR: reports on the runs of many hosts. Exit code 0; 1 if no host has a run that can be used; 2 if a code
returned wrong bytes on a host."""

import argparse
import dataclasses
import json
import pathlib
import sys

from ecbench.charts.page_file import PageFile
from ecbench.fleet import page
from ecbench.fleet.collection import collect
from ecbench.fleet.json_document import document
from ecbench.fleet.results import results_of
from ecbench.fleet.rook import pools
from ecbench.fleet.tables import print_report
from ecbench.process.children import Child
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, say

FORMATS = ("table", "json", "rook")

DESCRIPTION = """Reads the run files of many hosts, DIR/HOST/*.jsonl. The files may be from Ansible, Kubernetes, Slurm or a user.
Hosts of a class have the same CPU model, instruction sets and codec libraries. A case is a workload with its erasures, k, m,
object size and options. For each case and each class, the report has the fastest profile with its 95 % interval, and the spread
between the hosts. For each case, it also has one profile for all classes, and the percentage by which this profile is slower than
the fastest profile of each class.
The report lists hosts that are slower or faster than their class. For each of these hosts, it prints how the environment of the
host differs from the environment of the class. It also lists missing hosts, and hosts on which other programs disturbed the
measurement."""


@dataclasses.dataclass(frozen=True)
class ReportOptions:
    format: str = "table"  # one of FORMATS
    page: str | None = None  # the path of the HTML page
    page_next_to: pathlib.Path | None = None  # if `page` is None, the HTML page is written next to this file


def read_arguments(words: list[str]) -> argparse.Namespace:
    """The first word is `report`. Throws Refused."""
    parser = Parser(mode="fleet report", description=DESCRIPTION)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="a directory that contains one directory per host")
    parser.add_argument("--format", choices=FORMATS, default="table",
                        help="table (default); json: an object that conforms to report.schema.json; rook: a CephBlockPool for "
                             "each case")
    parser.add_argument("--page", metavar="FILE", help="write an HTML page to FILE; in its charts, each dot is a host")
    arguments = parser.parse_args(words[1:])
    if not arguments.folder.is_dir():
        raise Refused(f"{arguments.folder} is not a directory; give a directory with one directory per host")
    return arguments


def run(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    return report_folder(arguments.folder, ReportOptions(arguments.format, arguments.page))


def page_file(options: ReportOptions) -> PageFile:
    return PageFile("fleet", options.page, options.page_next_to)


def report_folder(folder: pathlib.Path, options: ReportOptions) -> int:
    """Prints the report and returns the exit code. Throws Refused."""
    file = page_file(options)
    file.check()
    collection = collect(folder)
    if not collection.hosts:
        raise Refused(f"{folder} contains no directory of a host; give a directory that contains HOST/RUN.jsonl")
    results = results_of(collection)
    if options.format == "json":
        print(json.dumps(document(results), indent=1))
    elif options.format == "rook":
        print("".join(pools(results)), end="")
    else:
        print_report(results)
    for note in (note for host in collection.hosts for note in host.notes):
        say(note)
    sys.stdout.flush()
    if results.collection.measured and (path := file.write(options.page_next_to, lambda: page.text_of(results))):
        say(f"page: {path}")
    if results.wrong_bytes:
        return 2
    if not results.cases:
        say(f"no host in {folder} has a usable result; see the reasons above")
        return 1
    return 0
