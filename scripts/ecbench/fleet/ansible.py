"""bench.sh fleet -i INVENTORY MODE WORD...: calls ansible-playbook with the role in roles/ecbench, and then prints the report."""

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

from ecbench.files.inputs import home, results_folder
from ecbench.fleet.collection import BUNDLE_NAME, FLEET_FILE, FLEET_FORMAT, collect, read_fleet
from ecbench.fleet.report import report
from ecbench.installation.places import OWN_BUILD, SCRIPTS, SOURCE
from ecbench.measure.machine import wait_for
from ecbench.process import temporary
from ecbench.process.children import Child
from ecbench.runfile.header import MOST_BYTES
from ecbench.terminal.console import Refused, refusing, say

NOT_ALLOWED = {"--output": "every host has its own run file", "--resume": "a second call of fleet resumes the runs",
               "--cpu": "the variable ecbench_cpus in the inventory sets the CPUs",
               **dict.fromkeys(("--dry-run", "--counts-only", "--print"), "with this option, the mode measures nothing")}
# The environment of the user has priority. A process of Ansible (60 MB) waits for each host that measures. A host that loses power
# is unreachable after one minute. Without sftp, Ansible would read a large file into memory.
SETTINGS = {"ANSIBLE_FORKS": "100", "ANSIBLE_PIPELINING": "True", "ANSIBLE_SSH_TRANSFER_METHOD": "sftp", "ANSIBLE_SSH_RETRIES": "3",
            "ANSIBLE_SSH_COMMON_ARGS": "-o ServerAliveInterval=15 -o ServerAliveCountMax=4", "ANSIBLE_DISPLAY_OK_HOSTS": "False",
            "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "False", "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True", "PYTHONDONTWRITEBYTECODE": "1"}


def check(given: argparse.Namespace) -> None:
    """Throws Refused."""
    if "," not in given.inventory and not os.path.exists(given.inventory):
        raise Refused(f"-i '{given.inventory}' does not exist; give an inventory of Ansible, or host names with a comma after each")
    for word in [*given.words, *([os.path.abspath(given.output)] if given.output else [])]:
        why = "Ansible would replace the text in the braces" if re.search("{[{%#]", word) else NOT_ALLOWED.get(word.split("=")[0])
        if why:
            raise Refused(f"{word} is not allowed in a fleet: {why}; leave it out")
    if not any("/" in word for word in given.words):  # a word with "/" may be a path that exists only on the hosts
        checked = subprocess.run([sys.executable, "-E", "-s", str(SCRIPTS / "mode.py"), "--check", *given.words],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            raise Refused(checked.stderr.strip().removeprefix("ecbench: "))
    if given.bundle and not (BUNDLE_NAME.fullmatch(os.path.basename(given.bundle)) and os.path.isfile(given.bundle)):
        raise Refused(f"--bundle {given.bundle} is not allowed; give a file ecbench-VERSION-ARCHITECTURE.tar.gz of make bundle")


def run(given: argparse.Namespace, child: Child) -> int:
    asked = hashlib.sha256("\0".join([os.path.abspath(given.inventory), *given.words]).encode("utf-8", "replace")).hexdigest()
    folder = pathlib.Path(given.output or results_folder() / "fleet" / f"{given.words[0]}-{asked[:8]}").absolute()
    if (program := shutil.which("ansible-playbook")) is None:
        raise Refused("ansible-playbook is not on PATH: run scripts/install-deps.sh fleet, or install Ansible 2.14 or newer")
    with refusing(f"the results directory {folder} cannot be created", "; give another --output"):
        folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock, temporary.new_folder() as working:
        wait_for(lock.fileno(), child.check, f"which uses {folder}")
        variables = variables_of(folder, given, child)
        for host in collect(folder).hosts:
            if not host.has_result:  # the role fetches again what the report rejects
                (folder / host.name / f"{variables['ecbench_run']}-{host.name}.jsonl").unlink(missing_ok=True)
        temporary.write(working / "variables.json", json.dumps(variables).encode())
        # No process of Ansible may write a file much larger than a run. ssh connections of an earlier call are not used: one to a
        # host that has disappeared ends only after minutes.
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES + (1 << 20), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        os.environ.update({**SETTINGS, **os.environ, "ANSIBLE_SSH_CONTROL_PATH_DIR": f"{working}/cp"})
        code = child.run_shown([program, "-i", given.inventory, *(["--limit", given.limit] if given.limit else []), "--extra-vars",
                                f"@{working}/variables.json", str(SCRIPTS / "ecbench/fleet/play.yml")], [lock.fileno()])
    if code and not collect(folder).hosts:
        raise Refused(f"ansible-playbook had exit code {code} before it reached a host; correct what its messages above name")
    outcome, missing = report(folder, given.format, given.page, folder / FLEET_FILE)
    if missing:
        say(f"{missing} hosts have no result; repeat the same command to continue")
    return 5 if (missing or code) and outcome not in (1, 2) else outcome


def variables_of(folder: pathlib.Path, given: argparse.Namespace, child: Child) -> dict[str, object]:
    """The variables of the role. fleet.json has what all calls have in common. A results directory can come from elsewhere, and all
    hosts run the bundle in it: ecbench/trusted in the user's state directory has a file for each that was given or packed."""
    fleet, has_seed = read_fleet(folder), any(word.split("=")[0] == "--seed" for word in given.words)
    words = given.words if has_seed else [*given.words, "--seed", str(int.from_bytes(os.urandom(4)))]  # one order on all hosts
    found = fleet or {"format": FLEET_FORMAT, "hosts": [], "words": words, "bundle": bundle_in(folder, given.bundle, child),
                      "run": f"{words[0]}-{os.urandom(4).hex()}"}
    own = found.get("words") or [""]
    if not {"bundle", "run"} <= found.keys() or (own != given.words and (own[:-1] != words[:-1] or not own[-1].isdecimal())):
        raise Refused(f"{folder / FLEET_FILE} is not of this command: give the same arguments, or another directory with --output")
    kept = folder / found["bundle"]
    digest, of_given = (hashlib.sha256(path.read_bytes()).hexdigest() for path in (kept, pathlib.Path(given.bundle or kept)))
    trusted = pathlib.Path(home(), ".local/state", os.environ.get("XDG_STATE_HOME", ""), "ecbench", "trusted", digest)
    if digest == of_given and (given.bundle or not fleet):
        trusted.parent.mkdir(parents=True, exist_ok=True)
        trusted.touch()
    if digest != of_given or not trusted.exists():
        raise Refused(f"{kept} is not {given.bundle or 'a bundle that you gave or packed'}, and all hosts would run it; if you "
                      f"trust it, give --bundle {shlex.quote(str(kept))}; otherwise give another directory with --output")
    (folder / FLEET_FILE).write_text(json.dumps(found, indent=1) + "\n")
    say(f"{shlex.join(found['words'])}; results: {folder}")
    return {"ecbench_bundle": str(kept), "ecbench_digest": digest, "ecbench_results": str(folder), "ecbench_force": given.force,
            "ecbench_mode_words": found["words"], "ecbench_run": found["run"], "ecbench_remove": given.remove}


def bundle_in(folder: pathlib.Path, given: str | None, child: Child) -> str:
    """Copies the given bundle to the results directory, or packs one there. Returns its name."""
    if given:
        with contextlib.suppress(shutil.SameFileError):
            shutil.copy(given, folder)
        return os.path.basename(given)
    if SOURCE is None:
        raise Refused("an installed ecbench cannot make a bundle: give one with --bundle ecbench-VERSION-ARCHITECTURE.tar.gz")
    say("packing the bundle for the hosts")
    code, stdout, stderr = child.run([str(SOURCE / "packaging" / "build-bundle.sh"), str(OWN_BUILD), str(folder)])
    if code != 0:
        raise Refused(f"packaging/build-bundle.sh had exit code {code}: {stderr.strip()[-500:]}")
    return os.path.basename(stdout.strip())
