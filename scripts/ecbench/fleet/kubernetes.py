"""bench.sh fleet --kubernetes --nodes N MODE WORD...: prints the manifest of a Job that measures on N nodes of a Kubernetes
cluster. Strings are written as JSON, which is valid YAML. Exit code 0; 1 for bad input."""

import argparse
import json
import pathlib
import re
import shlex
import string

from ecbench.fleet import mode_words
from ecbench.installation.places import FRONT, command
from ecbench.process.children import Child
from ecbench.terminal.arguments import Parser, matching, whole
from ecbench.terminal.console import Refused, plain

FOLDER = pathlib.Path(__file__).parent
LABEL = "ecbench-fleet"
IMAGE = "localhost/ecbench:latest"
# The name of a Job. It has at most 52 characters, because Kubernetes appends a suffix for each pod, and a label has at most 63.
NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?")
KEY = r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
LABEL_OF_NODE = re.compile(f"({KEY})=({VALUE})")
TAINT = re.compile(f"({KEY})(?:=({VALUE}))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?")  # as in kubectl taint
MEMORY = re.compile(r"[1-9][0-9]{0,6}[MG]i")
NOT_ALLOWED = {**dict.fromkeys(("--output", "--resume"), "each pod prints its run file to its log"), **mode_words.NO_RESULT}

DESCRIPTION = """Prints the manifest of a Kubernetes Job. The Job starts one pod on each of N nodes, from the image of ecbench. Each
pod runs MODE, and prints the run file to its log. The pods have whole CPUs, no privileges and no volumes. Comments at the
beginning of the manifest list the commands that start the Job and collect the logs."""


def toleration(taint: str) -> dict[str, str]:
    found = TAINT.fullmatch(taint)
    assert found
    key, value, effect = found.groups()
    tolerated = {"key": key, "operator": "Exists"} if value is None else {"key": key, "operator": "Equal", "value": value}
    return {**tolerated, "effect": effect} if effect else tolerated


def make_parser() -> Parser:
    parser = Parser(mode="fleet", description=DESCRIPTION)
    add = parser.add_argument
    add("--kubernetes", action="store_true", required=True, help="print a manifest")
    add("--nodes", type=whole(1, 5000), required=True, metavar="N", help="number of nodes")
    add("--node-selector", type=matching(LABEL_OF_NODE, "KEY=VALUE, the label of a node"), action="append", default=[],
        metavar="KEY=VALUE", help="use only nodes with this label")
    add("--toleration", type=matching(TAINT, "KEY, KEY=VALUE or KEY=VALUE:EFFECT, such as osd=yes:NoSchedule"), action="append",
        default=[], metavar="KEY[=VALUE][:EFFECT]", help="also use nodes with this taint")
    add("--image", type=matching(re.compile(r"[^\s\x00-\x1f]{1,500}"), "the name of an image"), default=IMAGE,
        help=f"the container image of ecbench (default {IMAGE}); build it with `make image`, and push it to your registry")
    add("--cpus", type=whole(1, 4096), default=2, metavar="N",
        help="number of whole CPUs for each pod (default 2; a measurement with one thread uses one of them)")
    add("--memory", type=matching(MEMORY, "a size such as 4Gi"), default="4Gi", metavar="SIZE",
        help="memory of each pod (default 4Gi)")
    add("--name", type=matching(NAME, "lower-case letters, digits and -, at most 52 characters"), default="ecbench",
        help="the name of the Job (default ecbench)")
    add("words", nargs=argparse.REMAINDER, metavar="MODE WORD", help=f"one of {', '.join(mode_words.MODES)}, with its arguments")
    return parser


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused if fleet or the mode refuses its arguments."""
    arguments = make_parser().parse_args(words)
    mode_words.check(arguments.words, mode_words.MODES, NOT_ALLOWED)
    labels = dict.fromkeys(arguments.node_selector)
    if len({label.partition("=")[0] for label in labels}) < len(labels):
        raise Refused(f"--node-selector {' --node-selector '.join(labels)} is not allowed: a node has one value for each key; give "
                      "each key once")
    return arguments


def run(arguments: argparse.Namespace, _child: Child) -> int:
    print(manifest(arguments, mode_words.with_seed(arguments.words)), end="")
    return 0


def manifest(arguments: argparse.Namespace, words: list[str]) -> str:
    template = string.Template((FOLDER / "job.yaml.in").read_text("utf-8"))
    selector = "".join(f"        {json.dumps(key)}: {json.dumps(value)}\n"
                       for key, _, value in (label.partition("=") for label in dict.fromkeys(arguments.node_selector)))
    return template.substitute(
        name=json.dumps(arguments.name), plain_name=arguments.name, label=LABEL, nodes=arguments.nodes,
        retries=2 * arguments.nodes, cpus=arguments.cpus, memory=arguments.memory, image=json.dumps(arguments.image),
        shown=plain(shlex.join(words)), front=command("").strip() or FRONT,
        arguments=json.dumps(["fleet", "on-pod", *(word.replace("$", "$$") for word in words)]),  # Kubernetes expands $(NAME)
        node_selector=f"      nodeSelector:\n{selector}" if selector else "",
        tolerations="      tolerations:\n" + "".join(f"        - {json.dumps(toleration(one))}\n" for one in arguments.toleration)
        if arguments.toleration else "")
