"""bench.sh fleet: runs a mode on many hosts with Ansible (ansible.py), and reports on the results of many hosts (report.py).

Exit codes: 0 success; 1 bad input, or no host has results; 2 a code returned wrong bytes on a host; 5 (with -i) some hosts have no
result; 128 + N if signal N ended the command."""

import argparse
import importlib
import sys

from ecbench.documents.document import Json, schema_of
from ecbench.fleet.document import Document
from ecbench.installation.places import BUILD, FRONT, INSTALL, charts, given
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused

EXAMPLES = """\
bench.sh fleet -i INVENTORY tune k=8 m=3 size=4M
bench.sh fleet report results/fleet/DIR"""
DESCRIPTION = """Measures on many hosts, and reports the fastest profile of each class of hosts.

  bench.sh fleet -i INVENTORY MODE WORD...          measures on all hosts of an Ansible inventory
  bench.sh fleet -i INVENTORY --help                prints the options of this command
  bench.sh fleet report DIR                         prints the fastest profile of each class of hosts, and lists slow hosts"""
RETIRED = {"--kubernetes": "edit docs/kubernetes.yaml, a Job that measures on N nodes",
           "unpack": "the log of a pod is its run file; use kubectl logs POD >DIR/NODE/run.jsonl",
           "on-pod": "docs/kubernetes.yaml needs no command in the image but the mode"}


def module_of(words: list[str]) -> str:
    return "report" if words[:1] == ["report"] else "ansible"


def needs(words: list[str]) -> list[str]:
    """Measuring needs a build: the hosts get a bundle of it."""
    if words[:1] == ["report"]:
        return charts() if given(words, "--page") else []
    return [INSTALL, "install fleet", *charts(), BUILD]


def schema() -> Json:
    return schema_of(Document, "Report on a fleet", "The output of bench.sh fleet report --format json.")


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused."""
    if words[:1] in (["-h"], ["--help"]):
        Parser(mode="fleet", description=DESCRIPTION, examples=EXAMPLES).parse_args(words)
    if not words:
        raise Refused(f"fleet without arguments is not allowed; give -i or report; see {FRONT} fleet --help")
    if words[0] in RETIRED:
        raise Refused(f"{words[0]} is no longer part of fleet: {RETIRED[words[0]]}")
    arguments: argparse.Namespace = importlib.import_module(f"ecbench.fleet.{module_of(words)}").read_arguments(words)
    return arguments


def fleet(child: Child) -> int:
    words = sys.argv[1:]
    arguments = read_arguments(words)
    code: int = importlib.import_module(f"ecbench.fleet.{module_of(words)}").run(arguments, child)
    return code


def main() -> int:
    is_report = sys.argv[1:2] == ["report"]
    return run_to_the_end(fleet, "interrupted" if is_report else "interrupted; the hosts continue; the same command again collects "
                          "their results", runs_others=not is_report)
