"""bench.sh fleet: runs a mode on many hosts, and reports on the results.

    fleet report DIR                      report.py
    fleet --kubernetes MODE WORD...       kubernetes.py
    fleet unpack DIR LOG...               unpack.py
    fleet -i INVENTORY MODE WORD...       ansible.py

Exit codes: 0 success; 1 bad input, or no host has results; 2 a code returned wrong bytes on a host; 128 + N if signal N ended the
command. With -i, the exit codes 3, 4 and 5 are also possible (request.py)."""

import importlib.util
import sys
from types import ModuleType

from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused

# First argument → module. The Ansible role runs on-host on each host, and the Kubernetes Job runs on-pod in each pod.
FIRST_WORDS = {"report": "report", "unpack": "unpack", "on-host": "on_host", "on-pod": "on_pod"}

DESCRIPTION = """Measures on many hosts, and reports the fastest profile of each class of hosts.

  bench.sh fleet -i INVENTORY MODE WORD...          measures on all hosts of an Ansible inventory
  bench.sh fleet -i INVENTORY --help                prints the options of this command
  bench.sh fleet --kubernetes --nodes N MODE WORD... prints a Job that measures on the nodes of a Kubernetes cluster
  bench.sh fleet unpack DIR LOG...                  copies the runs from the logs of the Job's pods to DIR
  bench.sh fleet report DIR                         prints the fastest profile of each class of hosts, and lists slow hosts"""


def module_of(words: list[str]) -> ModuleType | None:
    """The module that reads `words`; None if `words` only request help. Throws Refused."""
    if not words:
        raise Refused("fleet without arguments is not allowed; give -i, --kubernetes, unpack or report; see "
                      f"{help_parser().prog} --help")
    if words[0] in ("-h", "--help"):
        return None
    engine = "kubernetes" if "--kubernetes" in words and words[0] not in FIRST_WORDS else "ansible"
    name = f"ecbench.fleet.{FIRST_WORDS.get(words[0], engine)}"
    if importlib.util.find_spec(name) is None:
        raise Refused(f"'{words[0]}' is not allowed; write fleet report DIR")
    return importlib.import_module(name)


def help_parser() -> Parser:
    return Parser(mode="fleet", description=DESCRIPTION)


def read_arguments(words: list[str]) -> object:
    """Throws Refused."""
    module = module_of(words)
    return module.read_arguments(words) if module else help_parser().parse_args(words)


def fleet(child: Child) -> int:
    module = module_of(sys.argv[1:])
    if module is None:
        help_parser().parse_args(sys.argv[1:])
        return 0
    return module.run(child)


def main() -> int:
    return run_to_the_end(fleet, "interrupted", runs_others=sys.argv[1:2] not in (["report"], ["unpack"]))
