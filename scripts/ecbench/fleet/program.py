"""bench.sh fleet: runs a mode on many hosts with Ansible and the role in roles/ecbench, and reports on the results of many hosts.

Exit codes: 0 success; 1 bad input, or no host has results; 2 a code returned wrong bytes on a host; 5 (with -i) some hosts have no
result; 128 + N if signal N ended the command."""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys

from ecbench.documents.document import Json, to_json
from ecbench.files.files import home, new_file, new_folder, results_folder
from ecbench.fleet.classes import Difference, HostClass
from ecbench.fleet.collection import BUNDLE_NAME, FLEET_FILE, FLEET_FORMAT, Fleet, Unused, collect, read_small
from ecbench.fleet.report import HostRow, SpeedRow, report
from ecbench.installation.places import BUILD, INSTALL, OWN_BUILD, SCRIPTS, SOURCE, charts, given
from ecbench.measure.machine import wait_for
from ecbench.page.block import schema_of_pages
from ecbench.process.process import Child, run_to_the_end
from ecbench.runfile.header import MOST_BYTES
from ecbench.terminal.arguments import Parser, matching
from ecbench.terminal.console import Refused, one_of, refusing, say

MODES = ("run", "tune")  # the report reads the runs of these modes, and of sweep: the name of run until 1.0
EXAMPLES = """\
bench.sh fleet -i INVENTORY tune k=8 m=3 size=4M
bench.sh fleet report results/fleet/DIR"""
DESCRIPTION = """Runs a mode on all hosts of an inventory with Ansible, and prints the report on them: slow hosts, and the fastest
profile of each class of hosts. Options of fleet must be before MODE. The same command again completes what is missing.

  bench.sh fleet report DIR    prints the report on a results directory"""
OF_REPORT = """Reads the run files of many hosts, DIR/HOST/*.jsonl, from Ansible, Kubernetes, Slurm or a user. Hosts of a class have
the same CPU model, instruction sets and codec libraries. Lists hosts that differ from their class, with what differs in their
environment, missing and disturbed hosts, and the speed of each profile in each class, with its 95 % interval and the spread between
the hosts; if there are several classes, also one profile for all."""
CEPHADM = "jq '{all: {hosts: (map({(.hostname): {ansible_host: .addr}}) | add)}}'"
RETIRED = {"--kubernetes": "edit docs/kubernetes.yaml, a Job that measures on N nodes",
           "unpack": "the log of a pod is its run file; use kubectl logs POD >DIR/NODE/run.jsonl",
           "on-pod": "docs/kubernetes.yaml needs no command in the image but the mode"}
NOT_ALLOWED = {"--output": "every host has its own run file", "--resume": "a second call of fleet resumes the runs",
               "--cpu": "the variable ecbench_cpus in the inventory sets the CPUs",
               **dict.fromkeys(("--dry-run", "--counts-only", "--print"), "with this option, the mode measures nothing")}
# The environment of the user has priority. A process of Ansible (60 MB) waits for each host that measures. A host that loses power
# is unreachable after one minute. Without sftp, Ansible would read a large file into memory.
SETTINGS = {"ANSIBLE_FORKS": "100", "ANSIBLE_PIPELINING": "True", "ANSIBLE_SSH_TRANSFER_METHOD": "sftp", "ANSIBLE_SSH_RETRIES": "3",
            "ANSIBLE_SSH_COMMON_ARGS": "-o ServerAliveInterval=15 -o ServerAliveCountMax=4", "ANSIBLE_DISPLAY_OK_HOSTS": "False",
            "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "False", "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True", "PYTHONDONTWRITEBYTECODE": "1"}


def needs(words: list[str]) -> list[str]:
    """Measuring needs a build: the hosts get a bundle of it."""
    if words[:1] == ["report"]:
        return charts() if given(words, "--page") else []
    return [INSTALL, "install fleet", *charts(), BUILD]


def schema() -> Json:
    return schema_of_pages((HostRow, Difference, Unused, HostClass, SpeedRow), "Report on a fleet as blocks",
                           "The output of bench.sh fleet report --format json.")


def read_arguments(words: list[str]) -> argparse.Namespace:
    """Throws Refused."""
    if words and words[0] in RETIRED:
        raise Refused(f"{words[0]} is no longer part of fleet: {RETIRED[words[0]]}")
    is_report = words[:1] == ["report"]
    parser = (Parser(mode="fleet report", description=OF_REPORT) if is_report else
              Parser(mode="fleet", description=DESCRIPTION, examples=EXAMPLES,
                     usage="bench.sh fleet -i INVENTORY [OPTION...] MODE [WORD...]"))
    add = parser.add_argument
    if is_report:
        add("folder", metavar="DIR", type=pathlib.Path, help="a directory that contains one directory per host")
    else:
        add("-i", "--inventory", required=True, help="an inventory of Ansible, or host names with a comma after each")
        add("--limit", metavar="PATTERN", help="only the hosts and groups that match PATTERN, as in ansible-playbook")
        add("--force", action="store_true", help="also measure on busy hosts, and on hosts of a cluster that is not HEALTH_OK")
        add("--remove", action="store_true", help="remove the run from hosts with a result; without other runs, also the bundle")
        add("--output", metavar="DIR", help="the results directory (default: fleet/MODE-DIGEST in the directory of results)")
        add("--bundle", metavar="FILE", help="ecbench-VERSION-ARCHITECTURE.tar.gz (default: a new bundle of this build)")
        add("mode", type=matching(re.compile("|".join((*MODES, "sweep"))), one_of(MODES)), metavar="MODE", help=one_of(MODES))
        add("words", nargs=argparse.REMAINDER, metavar="WORD", help="the arguments of the mode")
    add("--format", choices=("table", "json"), default="table", help="of the report: table (default); json (--schema: its schema)")
    add("--page", metavar="FILE", help="the HTML page of the report (default with -i: fleet-page.html in the results directory)")
    arguments = parser.parse_args(words[is_report:])
    if not is_report:
        arguments.words.insert(0, arguments.mode)
        check(arguments)
    elif not arguments.folder.is_dir():
        raise Refused(f"{arguments.folder} is not a directory; give a directory with one directory per host")
    return arguments


def check(arguments: argparse.Namespace) -> None:
    """Throws Refused."""
    if "," not in arguments.inventory and not os.path.exists(arguments.inventory):
        raise Refused(f"-i '{arguments.inventory}' does not exist; give an inventory of Ansible, or host names with a comma after "
                      "each")
    if os.path.isfile(arguments.inventory) and re.match(rb"\s*\[\s*[{\]]", pathlib.Path(arguments.inventory).read_bytes()[:4096]):
        raise Refused(f"-i {arguments.inventory} is no inventory; convert a host list of cephadm: {CEPHADM} <{arguments.inventory}")
    for word in [*arguments.words, *([os.path.abspath(arguments.output)] if arguments.output else [])]:
        why = "Ansible would replace the text in the braces" if re.search("{[{%#]", word) else NOT_ALLOWED.get(word.split("=")[0])
        if why:
            raise Refused(f"{word} is not allowed in a fleet: {why}; leave it out")
    if not any("/" in word for word in arguments.words):  # a word with "/" may be a path that exists only on the hosts
        checked = subprocess.run([sys.executable, "-E", "-s", str(SCRIPTS / "mode.py"), "--check", *arguments.words],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            raise Refused(checked.stderr.strip().removeprefix("ecbench: "))
    if arguments.bundle and not (BUNDLE_NAME.fullmatch(os.path.basename(arguments.bundle)) and os.path.isfile(arguments.bundle)):
        raise Refused(f"--bundle {arguments.bundle} is not allowed; give a file ecbench-VERSION-ARCHITECTURE.tar.gz of make bundle")


def measure(arguments: argparse.Namespace, child: Child) -> int:
    asked = "\0".join([os.path.abspath(arguments.inventory), *arguments.words]).encode("utf-8", "replace")
    name = f"{arguments.mode}-{hashlib.sha256(asked).hexdigest()[:8]}"
    folder = pathlib.Path(arguments.output or results_folder() / "fleet" / name).absolute()
    if (program := shutil.which("ansible-playbook")) is None:
        raise Refused("ansible-playbook is not on PATH: run scripts/install-deps.sh fleet, or install Ansible 2.14 or newer")
    with refusing(f"the results directory {folder} cannot be created", "; give another --output"):
        folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock, new_folder() as working:
        wait_for(lock.fileno(), child.check, f"which uses {folder}")
        variables = variables_of(folder, arguments, child)
        for host in collect(folder)[0]:
            if not host.has_result:  # the role fetches again what the report rejects
                (folder / host.name / f"{variables['ecbench_run']}-{host.name}.jsonl").unlink(missing_ok=True)
        new_file(json.dumps(variables).encode(), working / "variables.json")
        # No process of Ansible may write a file much larger than a run. ssh connections of an earlier call are not used: one to a
        # host that has disappeared ends only after minutes.
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES + (1 << 20), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        os.environ.update({**SETTINGS, **os.environ, "ANSIBLE_SSH_CONTROL_PATH_DIR": f"{working}/cp"})
        limit = ["--limit", arguments.limit] if arguments.limit else []
        code = child.run_shown([program, "-i", arguments.inventory, *limit, "--extra-vars", f"@{working}/variables.json",
                                str(SCRIPTS / "ecbench/fleet/play.yml")], [lock.fileno()])
    hosts, unused = collect(folder)
    if not hosts:
        raise Refused(f"ansible-playbook had exit code {code} before it reached a host; correct what its messages above name")
    outcome = report(folder, hosts, unused, arguments.format, arguments.page, folder / FLEET_FILE)
    if missing := sum(not host.has_result for host in hosts):
        say(f"{missing} hosts have no result; repeat the same command to continue")
    return 5 if (missing or code) and outcome not in (1, 2) else outcome


def variables_of(folder: pathlib.Path, arguments: argparse.Namespace, child: Child) -> dict[str, object]:
    """The variables of the role. fleet.json has what all calls have in common. A results directory can come from elsewhere, and all
    hosts run the bundle in it: ecbench/trusted in the user's state directory has a file for each that was given or packed."""
    known, has_seed = read_small(Fleet, folder / FLEET_FILE), any(word.split("=")[0] == "--seed" for word in arguments.words)
    words = [*arguments.words, *([] if has_seed else ["--seed", str(int.from_bytes(os.urandom(4)))])]  # one order on all hosts
    fleet = known or Fleet(FLEET_FORMAT, [], words, f"{words[0]}-{os.urandom(4).hex()}", bundle_in(folder, arguments.bundle, child))
    own = fleet.words
    if not (fleet.run and fleet.bundle) or (own != arguments.words and (own[:-1] != words[:-1] or not own[-1].isdecimal())):
        raise Refused(f"{folder / FLEET_FILE} is not of this command: give the same arguments, or another directory with --output")
    kept = folder / fleet.bundle
    digest, of_given = (hashlib.sha256(path.read_bytes()).hexdigest() for path in (kept, pathlib.Path(arguments.bundle or kept)))
    trusted = pathlib.Path(home(), ".local/state", os.environ.get("XDG_STATE_HOME", ""), "ecbench", "trusted", digest)
    if digest == of_given and (arguments.bundle or not known):
        trusted.parent.mkdir(parents=True, exist_ok=True)
        trusted.touch()
    if digest != of_given or not trusted.exists():
        raise Refused(f"{kept} is not {arguments.bundle or 'a bundle that you gave or packed'}, and all hosts would run it; if you "
                      f"trust it, give --bundle {shlex.quote(str(kept))}; otherwise give another directory with --output")
    (folder / FLEET_FILE).write_text(json.dumps(to_json(fleet), indent=1) + "\n")
    say(f"{shlex.join(own)}; results: {folder}")
    return {"ecbench_bundle": str(kept), "ecbench_digest": digest, "ecbench_results": str(folder), "ecbench_force": arguments.force,
            "ecbench_mode_words": own, "ecbench_run": fleet.run, "ecbench_remove": arguments.remove}


def bundle_in(folder: pathlib.Path, bundle: str | None, child: Child) -> str:
    """Copies the given bundle to the results directory, or packs one there. Returns its name."""
    if bundle:
        with contextlib.suppress(shutil.SameFileError):
            shutil.copy(bundle, folder)
        return os.path.basename(bundle)
    if SOURCE is None:
        raise Refused("an installed ecbench cannot make a bundle: give one with --bundle ecbench-VERSION-ARCHITECTURE.tar.gz")
    say("packing the bundle for the hosts")
    code, stdout, stderr = child.run([str(SOURCE / "packaging" / "build-bundle.sh"), str(OWN_BUILD), str(folder)])
    if code != 0:
        raise Refused(f"packaging/build-bundle.sh had exit code {code}: {stderr.strip()[-500:]}")
    return os.path.basename(stdout.strip())


def fleet(child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    if "inventory" in arguments:
        return measure(arguments, child)
    hosts, unused = collect(arguments.folder)
    if not hosts:
        raise Refused(f"{arguments.folder} contains no directory of a host; give a directory that contains HOST/RUN.jsonl")
    return report(arguments.folder, hosts, unused, arguments.format, arguments.page)


def main() -> int:
    is_reading = sys.argv[1:2] == ["report"]
    return run_to_the_end(fleet, "interrupted" if is_reading else
                          "interrupted; the hosts continue; the same command again collects their results",
                          runs_others=not is_reading)
