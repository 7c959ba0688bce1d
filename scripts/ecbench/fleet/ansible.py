"""bench.sh fleet -i INVENTORY MODE WORD...: runs ansible-playbook with the role in roles/ecbench, and prints the report. The role
measures on each host, fetches the run file, and records the state of the host in the results directory."""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import resource
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from ecbench.charts.page_file import PageFile
from ecbench.files import loading
from ecbench.files.home import home
from ecbench.files.results_folder import results_folder
from ecbench.files.written_files import write_all
from ecbench.fleet import gate_table, inventory, mode_words
from ecbench.fleet.collection import collect, host_folders
from ecbench.fleet.host_state import BUNDLE_NAME, FLEET_FILE, FLEET_FORMAT, read_fleet
from ecbench.fleet.report import report
from ecbench.installation.places import FRONT, OWN_BUILD, SOURCE
from ecbench.process import temporary
from ecbench.process.children import Child, Interrupted, kill
from ecbench.runfile.lines import MOST_BYTES
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, say
from ecbench.terminal.suggestion import one_of

INCOMPLETE = 5  # exit code
MODES = (*mode_words.MODES, "gate ab")
NOT_ALLOWED = {"--output": "every host has its own run file", "--resume": "a second call of fleet resumes the runs",
               "--cpu": "the variable ecbench_cpus in the inventory sets the CPUs",
               **mode_words.NO_RESULT}
# Settings for Ansible; the environment of the user has priority. A process of Ansible (60 MB) waits for each host that measures. A
# host that loses power is unreachable after one minute. Without sftp, Ansible would read a large file into memory.
SETTINGS = {"ANSIBLE_FORKS": "100", "ANSIBLE_PIPELINING": "True", "ANSIBLE_SSH_TRANSFER_METHOD": "sftp", "ANSIBLE_SSH_RETRIES": "3",
            "ANSIBLE_SSH_COMMON_ARGS": "-o ServerAliveInterval=15 -o ServerAliveCountMax=4", "ANSIBLE_DISPLAY_OK_HOSTS": "False",
            "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "False", "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True",
            "ANSIBLE_RETRY_FILES_ENABLED": "False"}

DESCRIPTION = f"""Runs the same measurement on all hosts of an inventory with Ansible, and reports the fastest profile for each
class of hosts. MODE is {one_of(MODES)}. Options of fleet must be before MODE, those of the mode after it.
All hosts use the same seed. The hosts need ssh and Python. A bundle of ecbench is copied to the user's home directory."""

EPILOG = """\
A second call with the same arguments completes the first: it collects the results of hosts that were still measuring, and resumes
the mode where it was interrupted. docs/fleet.md lists the variables of hosts in the inventory, such as ecbench_cpus.

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
    add("--output", metavar="DIR", help="the results directory (default: fleet/MODE-DIGEST in the directory of results; DIGEST is "
                                        "computed from the path of the inventory, the mode and its arguments)")
    add("--bundle", metavar="FILE", help="the bundle that is copied to the hosts, ecbench-VERSION-ARCHITECTURE.tar.gz "
                                        "(default: a new bundle of this build)")
    add("--format", choices=["table", "json"], default="table", help="the format of the report (default table)")
    add("--page", metavar="FILE", help="write the HTML page of the report to FILE (default: fleet-page.html in the results "
                                      "directory, if matplotlib and jinja2 are installed)")
    add("words", nargs=argparse.REMAINDER, metavar="MODE WORD", help="the mode and its arguments, as in bench.sh MODE WORD...")
    return parser


def read_arguments(words: list[str]) -> argparse.Namespace:
    arguments = make_parser().parse_args(words)
    given = arguments.inventory
    if not given or ("," not in given and not os.path.exists(given)):
        raise Refused(f"-i {given or repr('')} is not allowed: it does not exist; give an inventory of Ansible, a file with the "
                      "output of ceph orch host ls --format json, or host names separated by commas (a single name also needs a "
                      "comma after it)")
    inventory.converted(given)
    folders = [os.path.abspath(arguments.output)] if arguments.output else []
    for word in [*arguments.words, *folders]:
        if re.search("{[{%#]", word):
            raise Refused(f"{word} is not allowed in a fleet: Ansible would replace the text in the braces; leave the braces out")
    mode_words.check(arguments.words, MODES, NOT_ALLOWED)
    if arguments.page is not None and arguments.words[0] == "gate":
        raise Refused("--page is not allowed with gate ab, because gate ab writes no page; leave --page out")
    bundle = arguments.bundle
    if bundle is not None and not (BUNDLE_NAME.fullmatch(os.path.basename(bundle)) and os.path.isfile(bundle)):
        raise Refused(f"--bundle {bundle} is not allowed; give a file ecbench-VERSION-ARCHITECTURE.tar.gz that make bundle built")
    if arguments.output is not None and os.path.exists(arguments.output) and not os.path.isdir(arguments.output):
        raise Refused(f"--output {arguments.output} is not allowed: it is not a directory")
    return arguments


def run(arguments: argparse.Namespace, child: Child) -> int:
    is_gate = arguments.words[0] == "gate"
    folder = pathlib.Path(arguments.output) if arguments.output is not None else default_folder(arguments)
    PageFile("fleet", arguments.page, folder / FLEET_FILE).check()
    program = shutil.which("ansible-playbook")
    if program is None:
        raise Refused("ansible-playbook is not on PATH: run scripts/install-deps.sh fleet, or install Ansible 2.14 or newer")
    with locked(folder) as lock, temporary.new_folder() as working:
        variables = campaign(folder, arguments, child)
        # The role fetches the files again that the report rejects.
        for host in gate_table.missing(folder) if is_gate else [one.name for one in collect(folder).hosts if not one.has_result]:
            (folder / host / f"{variables['ecbench_run']}-{host}.jsonl").unlink(missing_ok=True)
        code = play(command(program, arguments, variables, working), child, lock, working)
    if code and not host_folders(folder)[0]:
        raise Refused(f"ansible-playbook had exit code {code} before it reached a host; correct what its messages above name")
    outcome, missing = (gate_table.report(folder) if is_gate else
                        report(folder, arguments.format, arguments.page, folder / FLEET_FILE))
    if missing:
        say(f"{missing} hosts have no result; repeat the same command to continue")
    return INCOMPLETE if (missing or code) and outcome not in (1, 2) else outcome


def default_folder(arguments: argparse.Namespace) -> pathlib.Path:
    asked = "\0".join([os.path.abspath(arguments.inventory), *arguments.words])
    return results_folder() / "fleet" / f"{arguments.words[0]}-{hashlib.sha256(asked.encode('utf-8', 'replace')).hexdigest()[:8]}"


@contextlib.contextmanager
def locked(folder: pathlib.Path) -> Iterator[int]:
    """Yields a descriptor; a process that inherits it also holds the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"another call of fleet uses {folder}: wait until that call has ended, or name another directory with "
                          "--output") from None
        yield file.fileno()


def known_bundles() -> pathlib.Path:
    """The file with the SHA-256 of each bundle that the user gave or packed. A results directory can come from elsewhere, and all
    hosts run the bundle in it."""
    state = os.environ.get("XDG_STATE_HOME", "")
    folder = pathlib.Path(state) if state.startswith("/") else pathlib.Path(home() or "/nonexistent", ".local", "state")
    return folder / "ecbench" / "bundles"


def check_bundle(kept: pathlib.Path, digest: str, is_given: bool) -> None:
    """Throws Refused if the user neither gave nor packed the bundle."""
    known = known_bundles()
    with contextlib.suppress(OSError, ValueError):
        if digest in known.read_text("utf-8").split():
            return
    if not is_given:
        raise Refused(f"the bundle {kept} {loading.AGAIN}; if you trust it, give --bundle {shlex.quote(str(kept))}")
    with contextlib.suppress(OSError):
        known.parent.mkdir(parents=True, exist_ok=True)
        with open(known, "a", encoding="utf-8") as file:
            file.write(f"{digest}\n")


def campaign(folder: pathlib.Path, arguments: argparse.Namespace, child: Child) -> dict[str, object]:
    """The variables of the role. The first call writes to fleet.json what later calls must have in common with it."""
    given, found = arguments.words, read_fleet(folder)
    is_new = found is None
    if found is None:
        found = {"format": FLEET_FORMAT, "hosts": [], "words": mode_words.with_seed(given),
                 "bundle": make_bundle(arguments.bundle, folder, child).name,
                 "run": "-".join([*given[:2 if given[0] == "gate" else 1], secrets.token_hex(4)])}
        write_all({folder / FLEET_FILE: json.dumps(found, indent=1) + "\n"})
        say(f"{' '.join(found['words'])}; results: {folder}")
    if not {"words", "bundle", "run"} <= found.keys():
        raise Refused(f"{folder / FLEET_FILE} cannot be continued: it is not from fleet -i; name another directory with --output")
    *rest, last = found["words"] or [""]
    if found["words"] != given and (rest != [*given, "--seed"] or not last.isdecimal()):
        raise Refused(f"{folder} has results of another command, fleet {shlex.join(found['words'])}: give the same arguments, or "
                      "another directory with --output")
    kept = folder / pathlib.PurePath(found["bundle"]).name
    digest = digest_of(kept)
    if arguments.bundle is not None and digest_of(pathlib.Path(arguments.bundle)) != digest:
        raise Refused(f"--bundle {arguments.bundle} is not allowed: the measurement in {folder} was begun with another bundle, "
                      f"{kept.name}; leave --bundle out, or name another directory with --output")
    check_bundle(kept, digest, is_new or arguments.bundle is not None)
    return {"ecbench_bundle": str(kept.absolute()), "ecbench_digest": digest, "ecbench_mode_words": found["words"],
            "ecbench_run": found["run"], "ecbench_results": str(folder.absolute()), "ecbench_force": arguments.force,
            "ecbench_remove": arguments.remove}


def make_bundle(given: str | None, folder: pathlib.Path, child: Child) -> pathlib.Path:
    """Copies the given bundle to the results directory, or builds one there."""
    if given is not None:
        with contextlib.suppress(shutil.SameFileError):
            shutil.copy(given, folder)
        return folder / os.path.basename(given)
    if SOURCE is None:
        raise Refused("an installed ecbench cannot make a bundle: give one with --bundle ecbench-VERSION-ARCHITECTURE.tar.gz")
    say("packing the bundle for the hosts")
    code, stdout, stderr = child.run([str(SOURCE / "packaging" / "build-bundle.sh"), str(OWN_BUILD), str(folder)])
    if code != 0 or not stdout.strip():
        said = stderr.strip().splitlines() or [f"packaging/build-bundle.sh had exit code {code}"]
        raise Refused(said[-1].removeprefix("ecbench: "))
    return pathlib.Path(stdout.splitlines()[-1])


def digest_of(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def command(program: str, arguments: argparse.Namespace, variables: dict[str, object], working: pathlib.Path) -> list[str]:
    hosts = arguments.inventory
    if (converted := inventory.converted(hosts)) is not None:
        hosts = str(working / "inventory.json")
        temporary.write(working / "inventory.json", converted.encode())
    extra = working / "variables.json"
    temporary.write(extra, json.dumps(variables).encode())
    limit = ["--limit", arguments.limit] if arguments.limit else []
    return [program, "-i", hosts, *limit, "--extra-vars", f"@{extra}", str(pathlib.Path(__file__).resolve().parent / "play.yml")]


def play(words: list[str], child: Child, lock: int, working: pathlib.Path) -> int:
    """Runs ansible-playbook; all that it prints goes to stderr. A call does not use the ssh connections of an earlier call, because
    one to a host that has disappeared ends only after minutes. No process of Ansible may write a file much larger than a run."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES + (1 << 20), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    own = {"PYTHONDONTWRITEBYTECODE": "1", "ANSIBLE_SSH_CONTROL_PATH_DIR": f"{working}/cp"}
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno(), pass_fds=[lock],
                               env={**SETTINGS, **os.environ, **own}, start_new_session=True)
    try:
        while process.poll() is None:
            child.check()
            time.sleep(0.2)
        return process.returncode
    except Interrupted as interrupt:
        raise Interrupted(interrupt.signal, "interrupted; the hosts continue their measurements; to collect the results, run the "
                          f"same command again: {shlex.join([FRONT, 'fleet', *sys.argv[1:]])}") from interrupt
    finally:
        kill(process)
