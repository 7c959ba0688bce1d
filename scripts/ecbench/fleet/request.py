"""The command line of bench.sh fleet -i."""

import argparse
import os
import re
import subprocess
import sys

from ecbench.fleet import inventory
from ecbench.installation.places import SCRIPTS
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import did_you_mean, one_of

MODES = ("sweep", "tune", "contenders", "recovery", "gate")
# Options of the modes that are not allowed in a fleet, and why. Fleet sets some of them for each host.
SET_BY_FLEET = {"--output": "every host has its own run file", "--resume": "a second call of fleet resumes the runs",
                "--cpu": "the variable ecbench_cpus in the inventory sets the CPUs", "--dry-run": "it measures nothing"}
BUNDLE_NAME = re.compile(r"ecbench-.+-[a-z0-9_]+\.tar\.gz")

DESCRIPTION = """Runs the same measurement on all hosts of an inventory, and reports the fastest profile for each class of hosts.
MODE is sweep, tune, contenders, recovery or gate ab, with its arguments. All hosts have the same seed and the same order of points.
The hosts need ssh and Python; a bundle of ecbench is copied to the home directory. Options of fleet precede MODE."""

EPILOG = """\
A second call with the same arguments continues. It collects the results of hosts that were still measuring, and resumes the mode on
hosts where it was interrupted. It does not repeat finished measurements. Hosts that cannot be reached are reported, and the
other hosts continue.

Variables of hosts and groups in the inventory (docs/fleet.md lists all variables):
  ecbench_cpus=2,3                       the CPUs to use (default: the highest-numbered CPUs that the user may use)
  ecbench_host_words=["dispatch=avx2"]   additional arguments of the mode
  ecbench_throttle=1                     the number of hosts that measure at the same time (default: all)

Exit codes: 0 every host has a result; 1 bad input, or no host has a result; 2 wrong bytes; 5 some hosts have no result; 130
after Ctrl-C. gate ab: 3 and 4 as in gate, if every host has a result."""


def make_parser() -> Parser:
    parser = Parser(mode="fleet", description=DESCRIPTION, epilog=EPILOG,
                    usage="bench.sh fleet -i INVENTORY [OPTION...] MODE [WORD...]")
    add = parser.add_argument
    add("-i", "--inventory", required=True, metavar="INVENTORY",
        help="an inventory of Ansible, the output of ceph orch host ls --format json, or host names with a comma after each")
    add("--limit", metavar="PATTERN", help="use only these hosts and groups, as in ansible-playbook")
    add("--force", action="store_true", help="also measure on loaded hosts, and if the cluster is not HEALTH_OK")
    add("--remove", action="store_true", help="remove the run from each host that has a result; if the host has no other run, "
                                                  "also remove the bundle")
    add("--output", metavar="DIR", help="the directory for the results (default: fleet/MODE-DIGEST in results/, or in "
                                        "~/.local/share/ecbench if ecbench is installed; DIGEST is computed from the path of "
                                        "the inventory and the arguments)")
    add("--bundle", metavar="FILE", help="the ecbench-VERSION-ARCHITECTURE.tar.gz to copy (default: a bundle of this build)")
    add("--format", choices=["table", "json"], default="table", help="the format of the report (default table)")
    add("--page", metavar="FILE", help="the HTML page (default: fleet-page.html next to the results, if matplotlib is installed)")
    add("words", nargs=argparse.REMAINDER, metavar="MODE WORD", help="the mode and its arguments, as after bench.sh")
    return parser


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Checks what can be checked without Ansible. Throws Refused."""
    arguments = make_parser().parse_args(words)
    inventory.check(arguments.inventory)
    if (hosts := inventory.ceph_hosts(arguments.inventory)) is not None:
        inventory.converted(hosts, arguments.inventory)
    check_words(arguments.words)
    if arguments.page is not None and arguments.words[0] == "gate":
        raise Refused("--page is not allowed with gate ab, which has no page; leave it out")
    if arguments.bundle is not None:
        check_bundle(arguments.bundle)
    if arguments.output is not None and os.path.exists(arguments.output) and not os.path.isdir(arguments.output):
        raise Refused(f"--output {arguments.output} is not allowed: it is not a directory")
    return arguments


def check_words(words: list[str]) -> None:
    """Throws Refused."""
    if not words or words[0] not in MODES or (words[0] == "gate" and words[1:2] != ["ab"]):
        given = " ".join(words[:2 if words[:1] == ["gate"] else 1])
        raise Refused(f"{f'the mode {given!r}' if words else 'a fleet without a mode'} is not allowed; choose "
                      f"{one_of(['sweep', 'tune', 'contenders', 'recovery', 'gate ab'])}{did_you_mean(given, MODES)}")
    for word in words:
        if why := SET_BY_FLEET.get(word.partition("=")[0]):
            raise Refused(f"{word} is not allowed in a fleet: {why}; leave the option out")
        if "{{" in word or "{%" in word or "{#" in word:
            raise Refused(f"{word} is not allowed in a fleet: Ansible would replace the braces; leave them out")
    if not any("/" in word for word in words):  # a word with "/" may be a path that exists only on the hosts
        checked = subprocess.run([sys.executable, "-E", "-s", str(SCRIPTS / "mode.py"), "--check", *words],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            raise Refused(checked.stderr.strip().removeprefix("ecbench: ") or f"the arguments {' '.join(words)} are not allowed")


def check_bundle(bundle: str) -> None:
    """Throws Refused."""
    if not BUNDLE_NAME.fullmatch(os.path.basename(bundle)) or not os.path.isfile(bundle):
        why = "its name is not ecbench-VERSION-ARCHITECTURE.tar.gz" if os.path.isfile(bundle) else "it does not exist"
        raise Refused(f"--bundle {bundle} is not allowed: {why}; build a bundle with make bundle")


def seed_in(words: list[str]) -> int | None:
    """The value of --seed."""
    for place, word in enumerate(words):
        option, _, value = word.partition("=")
        value = value or (words[place + 1] if option == word and place + 1 < len(words) else "")
        if option == "--seed" and value.isascii() and value.isdigit():
            return int(value)
    return None
