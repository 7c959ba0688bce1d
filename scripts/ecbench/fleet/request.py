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
# Option of a mode → why this option is not allowed in a fleet. fleet itself sets some of these options on each host.
SET_BY_FLEET = {"--output": "every host has its own run file", "--resume": "a second call of fleet resumes the runs",
                "--cpu": "the variable ecbench_cpus in the inventory sets the CPUs",
                "--dry-run": "with this option, the mode measures nothing"}
BUNDLE_NAME = re.compile(r"ecbench-.+-[a-z0-9_]+\.tar\.gz")

DESCRIPTION = """Runs the same measurement on all hosts of an inventory, and reports the fastest profile for each class of hosts.
MODE is sweep, tune, contenders, recovery or gate ab. The arguments of the mode follow MODE. Options of fleet must be before MODE.
All hosts use the same seed, and therefore measure the points in the same order. The hosts need ssh and Python. fleet copies a
bundle of ecbench to the user's home directory on each host."""

EPILOG = """\
A second call with the same arguments continues the first call. The second call collects the results of hosts that were still
measuring. It resumes the mode on hosts on which the mode was interrupted. Finished measurements are not repeated. If a host cannot
be reached, fleet reports this, and the other hosts continue.

Variables of hosts and groups in the inventory (docs/fleet.md lists all variables):
  ecbench_cpus=2,3                       the CPUs to use (default: the highest-numbered CPUs that the user may use)
  ecbench_host_words=["dispatch=avx2"]   additional arguments of the mode
  ecbench_throttle=1                     the number of hosts that measure at the same time (default: all)

Exit codes: 0 every host has a result; 1 bad input, or no host has a result; 2 wrong bytes; 5 some hosts have no result; 130
after Ctrl-C. With gate ab, if every host has a result, also 3 (regression) and 4 (inconclusive)."""


def make_parser() -> Parser:
    parser = Parser(mode="fleet", description=DESCRIPTION, epilog=EPILOG,
                    usage="bench.sh fleet -i INVENTORY [OPTION...] MODE [WORD...]")
    add = parser.add_argument
    add("-i", "--inventory", required=True, metavar="INVENTORY",
        help="an inventory of Ansible, a file with the output of ceph orch host ls --format json, or host names separated by "
             "commas (a single name also needs a comma after it)")
    add("--limit", metavar="PATTERN", help="use only the hosts and groups that match PATTERN, as in ansible-playbook")
    add("--force", action="store_true", help="also measure on busy hosts, and on hosts of a cluster that is not HEALTH_OK")
    add("--remove", action="store_true", help="remove the run from each host that has a result; if the host has no other run, "
                                                  "also remove the bundle")
    add("--output", metavar="DIR", help="the directory for the results (default: results/fleet/MODE-DIGEST; if ecbench is "
                                        "installed: ~/.local/share/ecbench/fleet/MODE-DIGEST); DIGEST is computed from the path "
                                        "of the inventory, the mode and its arguments")
    add("--bundle", metavar="FILE", help="the bundle that is copied to the hosts, ecbench-VERSION-ARCHITECTURE.tar.gz "
                                        "(default: a new bundle of this build)")
    add("--format", choices=["table", "json"], default="table", help="the format of the report (default table)")
    add("--page", metavar="FILE", help="write the HTML page of the report to FILE (default: fleet-page.html in the results "
                                      "directory, if matplotlib and jinja2 are installed)")
    add("words", nargs=argparse.REMAINDER, metavar="MODE WORD", help="the mode and its arguments, as in bench.sh MODE WORD...")
    return parser


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Makes all checks that do not need Ansible. Throws Refused."""
    arguments = make_parser().parse_args(words)
    inventory.check(arguments.inventory)
    if (hosts := inventory.ceph_hosts(arguments.inventory)) is not None:
        inventory.converted(hosts, arguments.inventory)
    check_words(arguments.words)
    if arguments.page is not None and arguments.words[0] == "gate":
        raise Refused("--page is not allowed with gate ab, because gate ab writes no page; leave --page out")
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
            raise Refused(f"{word} is not allowed in a fleet: Ansible would replace the text in the braces; leave the braces out")
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
    """The value of the option --seed in `words`; None if it is missing."""
    for place, word in enumerate(words):
        option, _, value = word.partition("=")
        value = value or (words[place + 1] if option == word and place + 1 < len(words) else "")
        if option == "--seed" and value.isascii() and value.isdigit():
            return int(value)
    return None
