"""bench.sh fleet report DIR: reports on the runs of many hosts. Exit code 0; 1 if no host has a run that can be used; 2 if a code
returned wrong bytes on a host."""

import argparse
import json
import pathlib
import sys

from ecbench.fleet import page
from ecbench.fleet.collection import collect
from ecbench.fleet.document import document
from ecbench.fleet.results import results_of
from ecbench.fleet.tables import print_report
from ecbench.page.html import PageFile
from ecbench.process.children import Child
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, say

DESCRIPTION = """Reads the run files of many hosts, DIR/HOST/*.jsonl, from Ansible, Kubernetes, Slurm or a user.
Hosts of a class have the same CPU model, instruction sets and codec libraries. A case is a workload with its erasures, k, m,
object size and options. For each case and each class, the report has the fastest profile with its 95 % interval, and the spread
between the hosts; for each case, also one profile for all classes, and by how many percent it is slower than the fastest.
It lists hosts that differ from their class, with what differs in their environment, missing hosts, and hosts on which other
programs disturbed the measurement."""


def read_arguments(words: list[str]) -> argparse.Namespace:
    """The first word is `report`."""
    parser = Parser(mode="fleet report", description=DESCRIPTION)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="a directory that contains one directory per host")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default); json: an object; fleet --schema prints its schema")
    parser.add_argument("--page", metavar="FILE", help="write an HTML page to FILE; in its charts, each dot is a host")
    arguments = parser.parse_args(words[1:])
    if not arguments.folder.is_dir():
        raise Refused(f"{arguments.folder} is not a directory; give a directory with one directory per host")
    return arguments


def run(arguments: argparse.Namespace, _child: Child) -> int:
    return report(arguments.folder, arguments.format, arguments.page)[0]


def report(folder: pathlib.Path, form: str, page_path: str | None, next_to: pathlib.Path | None = None) -> tuple[int, int]:
    """Prints the report. Returns the exit code, and the number of hosts without a result. `form`: table or json. `next_to`:
    without `page_path`, the HTML page is written next to this file."""
    file = PageFile("fleet", page_path, next_to)
    file.check()
    collection = collect(folder)
    if not collection.hosts:
        raise Refused(f"{folder} contains no directory of a host; give a directory that contains HOST/RUN.jsonl")
    results = results_of(collection)
    if form == "json":
        print(json.dumps(document(results), indent=1))
    else:
        print_report(results)
    for note in (note for host in collection.hosts for note in host.notes):
        say(note)
    sys.stdout.flush()
    if collection.measured and (path := file.write(next_to, lambda: page.page_of(results))):
        say(f"page: {path}")
    if not results.cases and not results.wrong_bytes:
        say(f"no host in {folder} has a usable result; see the reasons above")
    code = 2 if results.wrong_bytes else 0 if results.cases else 1
    return code, sum(not host.has_result for host in collection.hosts)
