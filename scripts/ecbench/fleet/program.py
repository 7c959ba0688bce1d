"""bench.sh fleet: runs a mode on many hosts with Ansible (ansible.py), and reports on the results of many hosts (report.py).

Exit codes: 0 success; 1 bad input, or no host has results; 2 a code returned wrong bytes on a host; 5 (with -i) some hosts have no
result; 128 + N if signal N ended the command."""

import argparse
import os
import pathlib
import re
import sys

from ecbench.documents.document import Json, schema_of
from ecbench.fleet import ansible
from ecbench.fleet.report import report
from ecbench.fleet.results import Results
from ecbench.installation.places import BUILD, FRONT, INSTALL, charts, given
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, one_of

MODES = ("run", "sweep", "tune")  # the report reads the runs of these modes
EXAMPLES = """\
bench.sh fleet -i INVENTORY tune k=8 m=3 size=4M
bench.sh fleet report results/fleet/DIR"""
DESCRIPTION = """Measures on many hosts, and reports the fastest profile of each class of hosts.

  bench.sh fleet -i INVENTORY MODE WORD...          measures on all hosts of an Ansible inventory
  bench.sh fleet -i INVENTORY --help                prints the options of this command
  bench.sh fleet report DIR                         prints the fastest profile of each class of hosts, and lists slow hosts"""
OF_REPORT = """Reads the run files of many hosts, DIR/HOST/*.jsonl, from Ansible, Kubernetes, Slurm or a user.
Hosts of a class have the same CPU model, instruction sets and codec libraries. A case is a workload with its erasures, k, m,
object size and options. For each case and each class, the report has the fastest profile with its 95 % interval, and the spread
between the hosts; for each case, also one profile for all classes, and by how many percent it is slower than the fastest.
It lists hosts that differ from their class, with what differs in their environment, missing hosts, and hosts on which other
programs disturbed the measurement."""
OF_ANSIBLE = """Runs a mode on all hosts of an inventory with Ansible, and prints the report on them. Options of fleet must be
before MODE. The same command again completes what is missing. docs/fleet.md lists the variables of hosts and the exit codes."""
CEPHADM = "jq '{all: {hosts: (map({(.hostname): {ansible_host: .addr}}) | add)}}'"
RETIRED = {"--kubernetes": "edit docs/kubernetes.yaml, a Job that measures on N nodes",
           "unpack": "the log of a pod is its run file; use kubectl logs POD >DIR/NODE/run.jsonl",
           "on-pod": "docs/kubernetes.yaml needs no command in the image but the mode"}


def is_report(words: list[str]) -> bool:
    return words[:1] == ["report"]


def needs(words: list[str]) -> list[str]:
    """Measuring needs a build: the hosts get a bundle of it."""
    if is_report(words):
        return charts() if given(words, "--page") else []
    return [INSTALL, "install fleet", *charts(), BUILD]


def schema() -> Json:
    return schema_of(Results, "Report on a fleet", "The output of bench.sh fleet report --format json.")


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused."""
    if words[:1] in (["-h"], ["--help"]):
        Parser(mode="fleet", description=DESCRIPTION, examples=EXAMPLES).parse_args(words)
    if not words:
        raise Refused(f"fleet without arguments is not allowed; give -i or report; see {FRONT} fleet --help")
    if words[0] in RETIRED:
        raise Refused(f"{words[0]} is no longer part of fleet: {RETIRED[words[0]]}")
    return of_report(words[1:]) if is_report(words) else of_ansible(words)


def of_ansible(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="fleet", description=OF_ANSIBLE, usage="bench.sh fleet -i INVENTORY [OPTION...] MODE [WORD...]")
    add = parser.add_argument
    add("-i", "--inventory", required=True, help="an inventory of Ansible, or host names with a comma after each")
    add("--limit", metavar="PATTERN", help="only the hosts and groups that match PATTERN, as in ansible-playbook")
    add("--force", action="store_true", help="also measure on busy hosts, and on hosts of a cluster that is not HEALTH_OK")
    add("--remove", action="store_true", help="remove the run from hosts with a result; without other runs, also the bundle")
    add("--output", metavar="DIR", help="the results directory (default: fleet/MODE-DIGEST in the directory of results)")
    add("--bundle", metavar="FILE", help="ecbench-VERSION-ARCHITECTURE.tar.gz (default: a new bundle of this build)")
    add("--format", choices=["table", "json"], default="table", help="the format of the report (default table)")
    add("--page", metavar="FILE", help="the HTML page of the report (default: fleet-page.html in the results directory)")
    add("mode", choices=MODES, metavar="MODE", help=one_of(MODES))
    add("words", nargs=argparse.REMAINDER, metavar="WORD", help="the arguments of the mode")
    arguments = parser.parse_args(words)
    arguments.words.insert(0, arguments.mode)
    if os.path.isfile(arguments.inventory) and re.match(rb"\s*\[\s*[{\]]", pathlib.Path(arguments.inventory).read_bytes()[:4096]):
        raise Refused(f"-i {arguments.inventory} is no inventory; convert a host list of cephadm: {CEPHADM} <{arguments.inventory}")
    ansible.check(arguments)
    return arguments


def of_report(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="fleet report", description=OF_REPORT)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="a directory that contains one directory per host")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default); json: an object; fleet --schema prints its schema")
    parser.add_argument("--page", metavar="FILE", help="write an HTML page to FILE; in its charts, each dot is a host")
    arguments = parser.parse_args(words)
    if not arguments.folder.is_dir():
        raise Refused(f"{arguments.folder} is not a directory; give a directory with one directory per host")
    return arguments


def fleet(child: Child) -> int:
    words = sys.argv[1:]
    arguments = read_arguments(words)
    if is_report(words):
        return report(arguments.folder, arguments.format, arguments.page)[0]
    return ansible.run(arguments, child)


def main() -> int:
    is_reading = is_report(sys.argv[1:])
    return run_to_the_end(fleet, "interrupted" if is_reading else
                          "interrupted; the hosts continue; the same command again collects their results",
                          runs_others=not is_reading)
