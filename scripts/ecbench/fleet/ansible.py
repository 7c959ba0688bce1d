"""bench.sh fleet -i INVENTORY MODE WORD...: runs the same measurement on every host of an Ansible inventory. Ansible copies the
bundle of ecbench, starts the mode, polls the state of the mode, and fetches the result. The mode continues if the connection ends.
A second call with the same arguments uses the same results directory. The second call collects results, and resumes interrupted
modes. request.py has the options and the exit codes."""

import argparse
import contextlib
import hashlib
import os
import pathlib
import secrets
import shlex
import shutil
import sys
import tempfile
from typing import Any

from ecbench.files.results_folder import results_folder
from ecbench.fleet import campaign, gate_table, inventory, received, request
from ecbench.fleet.campaign import Campaign
from ecbench.fleet.host_state import FLEET_FILE, MOST_BYTES, HostState
from ecbench.fleet.playbook import Host, Playbook, find_ansible
from ecbench.fleet.report import ReportOptions, page_file, report_folder
from ecbench.installation.places import FRONT, OWN_BUILD, SOURCE
from ecbench.process.children import Child, Interrupted
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import Progress

INCOMPLETE = 5  # exit code
ROOM = 1 << 20  # bytes; Ansible may write files of at most MOST_BYTES + ROOM bytes

read_arguments = request.read_arguments


def run(child: Child) -> int:
    """Measures on the hosts and prints the report. Returns the exit code. Throws Refused and children.Interrupted."""
    arguments = read_arguments(sys.argv[1:])
    folder = pathlib.Path(arguments.output) if arguments.output is not None else default_folder(arguments)
    page_file(report_options(arguments, folder)).check()
    with contextlib.ExitStack() as stack:
        lock = stack.enter_context(campaign.locked(folder))
        temporary = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ecbench-fleet-")))
        playbook = Playbook(find_ansible(child), child, inventory.usable(arguments.inventory, temporary), temporary, lock)
        hosts = playbook.hosts(arguments.limit)
        for host in hosts:
            inventory.check_name(host)
        found = campaign.read(folder)
        found = begun(arguments, folder, child) if found is None else continued(found, arguments)
        found.hosts = list(dict.fromkeys([*found.hosts, *hosts]))
        found.write()
        try:
            measure(found, hosts, playbook, arguments)
        except Interrupted as interrupt:
            again = shlex.join([FRONT, "fleet", *sys.argv[1:]])
            raise Interrupted(interrupt.signal, "interrupted; the hosts continue their measurements; to collect the "
                                                f"results, run the same command again: {again}") from interrupt
    return close(found, arguments)


def report_options(arguments: argparse.Namespace, folder: pathlib.Path) -> ReportOptions:
    return ReportOptions(arguments.format, arguments.page, folder / FLEET_FILE)


def default_folder(arguments: argparse.Namespace) -> pathlib.Path:
    """The default results directory. Calls with the same inventory and arguments use the same directory, so that a second call can
    continue the measurement."""
    asked = "\0".join([os.path.abspath(arguments.inventory), *arguments.words])
    return results_folder() / "fleet" / f"{arguments.words[0]}-{hashlib.sha256(asked.encode('utf-8', 'replace')).hexdigest()[:8]}"


def begun(arguments: argparse.Namespace, folder: pathlib.Path, child: Child) -> Campaign:
    """Begins a measurement: chooses a seed for all hosts, and puts the bundle into the results directory."""
    words, seed = list(arguments.words), request.seed_in(arguments.words)
    if seed is None:
        seed = secrets.randbits(32)
        words += ["--seed", str(seed)]
    bundle = make_bundle(arguments.bundle, folder, child)
    name = "-".join([*words[:2 if words[0] == "gate" else 1], secrets.token_hex(4)])
    say(f"seed {seed} for all hosts; results: {folder}")
    return Campaign(folder, [], words, seed, name, bundle.name, campaign.digest_of(bundle))


def make_bundle(given: str | None, folder: pathlib.Path, child: Child) -> pathlib.Path:
    """Copies the given bundle to the results directory, or builds a bundle there. Returns the path of the bundle. Throws
    Refused."""
    if given is not None:
        campaign.keep_bundle(pathlib.Path(given), folder)
        return folder / os.path.basename(given)
    if SOURCE is None:
        raise Refused("an installed ecbench cannot make a bundle: give one with --bundle ecbench-VERSION-ARCHITECTURE.tar.gz")
    say("packing the bundle for the hosts")
    code, stdout, stderr = child.run([str(SOURCE / "packaging" / "build-bundle.sh"), str(OWN_BUILD), str(folder)])
    if code != 0 or not stdout.strip():
        said = stderr.strip().splitlines() or [f"packaging/build-bundle.sh had exit code {code}"]
        raise Refused(said[-1].removeprefix("ecbench: "))
    return pathlib.Path(stdout.splitlines()[-1])


def continued(found: Campaign, arguments: argparse.Namespace) -> Campaign:
    """Returns `found`, the measurement in the results directory. Throws Refused if its arguments or its bundle are different."""
    drawn = [] if request.seed_in(arguments.words) is not None else ["--seed", str(found.seed)]
    if [*arguments.words, *drawn] != found.words:
        raise Refused(f"{found.folder} has results of another command, fleet {shlex.join(found.words)}: give the same "
                      "arguments, or another directory with --output")
    if arguments.bundle is not None and campaign.digest_of(pathlib.Path(arguments.bundle)) != found.sha256:
        raise Refused(f"--bundle {arguments.bundle} is not allowed: the measurement in {found.folder} was begun with another "
                      f"bundle, {found.bundle}; leave --bundle out, or name another directory with --output")
    return found


def measure(found: Campaign, hosts: list[str], playbook: Playbook, arguments: argparse.Namespace) -> None:
    """Measures on the hosts that have no result, and checks the results that these hosts send."""
    pending = {host: Host(host) for host in hosts if not found.result(host).is_file()}
    values = {"ecbench_bundle": str(found.bundle_file.absolute()), "ecbench_digest": found.sha256,
              "ecbench_mode_words": found.words, "ecbench_run": found.run, "ecbench_results": str(found.incoming.absolute()),
              "ecbench_force": arguments.force}
    if pending:
        shutil.rmtree(found.incoming, ignore_errors=True)
        follower = Follower(found, len(hosts), len(pending))
        try:
            playbook.run("play.yml", pending, values, MOST_BYTES + ROOM, follower.changed)
        finally:
            follower.close()
            for host in pending.values():
                take(found, host)
            shutil.rmtree(found.incoming, ignore_errors=True)
    else:
        say(f"all {len(hosts)} hosts have results in {found.folder}; to measure again, name another directory with --output")
    if arguments.remove:
        remove(found, hosts, playbook, values)


def take(found: Campaign, host: Host) -> None:
    """If a host sent its run file, checks this file, and moves it to the results directory or rejects it. Then writes the state of
    the host to its host.json."""
    words: list[str] = []
    if host.state == "done":
        path, target = found.incoming / host.name / found.result(host.name).name, found.result(host.name)
        try:
            words = received.check(path, host.name, found)
            os.replace(path, target)
        except (Refused, OSError) as error:
            host.state, host.reason = "failed", f"rejected: {error}"
            say(f"{host.name}: {host.reason}")
    found.write_host(HostState(host.name, host.state, host.reason, host.exit_code, host.hostname, tuple(words)))


def remove(found: Campaign, hosts: list[str], playbook: Playbook, values: dict[str, Any]) -> None:
    """Removes the run from the hosts that have a result."""
    finished = {host: Host(host) for host in hosts if found.result(host).is_file()}
    if finished:
        playbook.run("remove.yml", finished, values, MOST_BYTES, lambda _: None)
    for host in finished.values():
        if host.reason:
            say(f"{host.name}: ecbench's files on the host were not removed: {host.reason}")


class Follower:
    """Writes each new state of a host to the host.json of this host. Does not write the state "done": take() writes this state
    after it has checked the result. Prints the reasons of failures. On a terminal, also prints the progress."""

    def __init__(self, found: Campaign, hosts: int, pending: int):
        self._campaign = found
        self._progress = Progress(sys.stderr, hosts)
        self._states: dict[str, str] = {}
        for _ in range(hosts - pending):
            self._progress.skip()

    def changed(self, host: Host) -> None:
        if self._states.get(host.name) != host.state:
            self._states[host.name] = host.state
            if host.state == "done":
                self._progress.advance()
            else:
                self._campaign.write_host(HostState(host.name, host.state, host.reason))
            if host.reason:
                self._progress.erase()
                say(f"{host.name}: {host.state}: {host.reason}")
        running = sum(state == "running" for state in self._states.values())
        self._progress.show(f"hosts that measure: {running}; {host.name}: {host.task.lower()}")

    def close(self) -> None:
        self._progress.close()


def close(found: Campaign, arguments: argparse.Namespace) -> int:
    """Prints the report and returns the exit code."""
    is_gate = found.mode == "gate"
    code = gate_table.report(found) if is_gate else report_folder(found.folder, report_options(arguments, found.folder))
    missing = [host for host in found.hosts if not found.result(host).is_file()]
    if missing:
        say(f"{len(missing)} of {len(found.hosts)} hosts have no result; repeat the same command to continue")
    return INCOMPLETE if missing and code not in (1, 2) else code
