"""bench.sh fleet: runs a mode on many hosts, and reports on the results.

    fleet report DIR                      report.py
    fleet --kubernetes MODE WORD...       kubernetes.py
    fleet -i INVENTORY MODE WORD...       ansible.py

Exit codes: 0 success; 1 bad input, or no host has results; 2 a code returned wrong bytes on a host; 128 + N if signal N ended the
command. With -i, the exit codes 3, 4 and 5 are also possible (ansible.py)."""

import importlib
import sys
from types import ModuleType

from ecbench.documents.document import schema_of
from ecbench.fleet.document import Document
from ecbench.installation.needs import BUILD, CHARTS, INSTALL, given
from ecbench.installation.places import FRONT
from ecbench.point.point import Json
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused

FIRST_WORDS = {"report": "report", "on-pod": "on_pod"}  # first argument → module; the Kubernetes Job runs on-pod in each pod

EXAMPLES = """\
bench.sh fleet -i INVENTORY tune k=8 m=3 size=4M
bench.sh fleet report results/fleet/DIR"""

DESCRIPTION = """Measures on many hosts, and reports the fastest profile of each class of hosts.

  bench.sh fleet -i INVENTORY MODE WORD...          measures on all hosts of an Ansible inventory
  bench.sh fleet -i INVENTORY --help                prints the options of this command
  bench.sh fleet --kubernetes --nodes N MODE WORD... prints a Job that measures on the nodes of a Kubernetes cluster
  bench.sh fleet report DIR                         prints the fastest profile of each class of hosts, and lists slow hosts"""


def module_of(words: list[str]) -> ModuleType:
    """The module that reads `words`."""
    if not words:
        raise Refused(f"fleet without arguments is not allowed; give -i, --kubernetes or report; see {FRONT} fleet --help")
    if words[0] == "unpack":
        raise Refused("'unpack' is not a command of fleet: the log of a pod is its run file; use kubectl logs POD "
                      ">DIR/NODE/run.jsonl")
    engine = "kubernetes" if "--kubernetes" in words and words[0] not in FIRST_WORDS else "ansible"
    return importlib.import_module(f"ecbench.fleet.{FIRST_WORDS.get(words[0], engine)}")


def needs(words: list[str]) -> list[str]:
    """Measuring with Ansible needs a build: the hosts get a bundle of it."""
    if words[:1] == ["report"]:
        return [CHARTS] if given(words, "--page") else []
    return [] if given(words, "--kubernetes") else [INSTALL, "install fleet", CHARTS, BUILD]


def schema() -> Json:
    return schema_of(Document, "Report on a fleet", "The output of bench.sh fleet report --format json.")


def read_arguments(words: list[str]) -> object:
    """Throws Refused."""
    if words[:1] in (["-h"], ["--help"]):
        return Parser(mode="fleet", description=DESCRIPTION, examples=EXAMPLES).parse_args(words)
    return module_of(words).read_arguments(words)


def fleet(child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    return module_of(sys.argv[1:]).run(arguments, child)


def main() -> int:
    return run_to_the_end(fleet, "interrupted", runs_others=sys.argv[1:2] != ["report"])
