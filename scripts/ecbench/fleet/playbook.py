"""Runs ansible-playbook, and reads the state of each host from the lines that callbacks/ecbench_events.py prints."""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import select
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from ecbench.process.children import Child
from ecbench.runfile.shape import read_json
from ecbench.terminal.console import Refused, plain

HERE = pathlib.Path(__file__).resolve().parent
OLDEST = (2, 14)
MOST_FORKS = 100  # by default, Ansible starts at most this many processes; each process waits for one host and needs 60 MB
SECONDS_BETWEEN_CHECKS = 0.5  # the time between two checks whether a signal has arrived
SECONDS_TO_LIST = 120
LONGEST_REASON = 300
KEEP_ALIVE = "-o ServerAliveInterval=15 -o ServerAliveCountMax=4"  # if a host loses power, its ssh connection ends after one minute


@dataclasses.dataclass
class Host:
    """The state of a host during one call of fleet."""

    name: str
    state: str = "new"  # new | running | done | failed | unreachable | refused
    reason: str = ""
    exit_code: int | None = None  # the exit code of the mode on the host
    hostname: str = ""  # as the host's kernel reports it, up to the first dot
    task: str = ""  # the Ansible task of the host's last event


def find_ansible(child: Child) -> str:
    """Finds ansible-playbook on PATH, and returns its path. Throws Refused if it is missing or too old."""
    program = shutil.which("ansible-playbook")
    if program is None:
        raise Refused("ansible-playbook is not on PATH: run scripts/install-deps.sh fleet, or install Ansible 2.14 or newer")
    code, stdout, stderr = child.run([program, "--version"], SECONDS_TO_LIST)
    found = re.search(r"(\d+)\.(\d+)", stdout)
    if code != 0 or not found:
        raise Refused(f"{program} cannot be used: {last_line(stderr) or f'exit code {code}'}")
    if (int(found[1]), int(found[2])) < OLDEST:
        raise Refused(f"{program} is version {found[0]}; 2.14 or newer is needed")
    return program


@dataclasses.dataclass(frozen=True)
class Playbook:
    """Runs ansible-playbook with one inventory."""

    program: str
    child: Child
    inventory: str
    temporary: pathlib.Path
    lock: int  # a descriptor that all processes of ansible-playbook inherit

    def hosts(self, limit: str | None) -> list[str]:
        """The names of the hosts in the inventory. `limit`: the value of --limit for ansible-playbook. Throws Refused."""
        words = [self.program, "-i", self.inventory, *(["--limit", limit] if limit else []), "--list-hosts", str(HERE / "play.yml")]
        with variables(self.temporary, 1):
            code, stdout, stderr = self.child.run(words, SECONDS_TO_LIST)
        if code != 0:
            said = last_line("\n".join(line for line in stderr.splitlines() if line.startswith("ERROR")) or stderr)
            raise Refused(f"Ansible refuses the inventory {self.inventory}: {said.removeprefix('ERROR! ') or f'exit code {code}'}")
        found = re.findall(r"^      (\S.*)$", stdout, re.MULTILINE)
        if not found:
            raise Refused(f"the inventory {self.inventory} has no hosts{f' in --limit {limit}' if limit else ''}")
        return found

    def run(self, play: str, hosts: dict[str, Host], values: dict[str, Any], most_bytes: int,
            changed: Callable[[Host], None]) -> None:
        """Runs a play on `hosts`, and updates their states. No process may write a file that is larger than `most_bytes` bytes.
        `changed` is called for each event of a host. Throws Refused and children.Interrupted."""
        limit = self.temporary / "limit"
        limit.write_text("\n".join(hosts) + "\n", "utf-8")
        extra = self.temporary / "variables.json"
        extra.write_text(json.dumps(values), "utf-8")
        command = [sys.executable, "-E", "-s", str(HERE / "guard.py"), str(most_bytes), self.program, "-i", self.inventory,
                   "--limit", f"@{limit}", "--extra-vars", f"@{extra}", str(HERE / play)]
        with tempfile.TemporaryFile(dir=self.temporary) as stderr, variables(self.temporary, len(hosts)):
            process = self.child.start(command, stderr.fileno(), [self.lock])
            assert process.stdin and process.stdout
            try:
                for line in lines_of(process.stdout.fileno(), self.child):
                    if (host := take(line, hosts)) is not None:
                        changed(host)
            finally:
                process.stdin.close()  # guard.py kills all processes when its standard input is closed
                process.stdout.close()
                code = process.wait()
            stderr.seek(0)
            said = stderr.read().decode("utf-8", "replace")
        if code != 0 and all(host.state == "new" for host in hosts.values()):
            errors = "\n".join(line for line in said.splitlines() if line.startswith("ERROR"))
            raise Refused(f"ansible-playbook failed: {last_line(errors or said) or f'exit code {code}'}")


@contextlib.contextmanager
def variables(temporary: pathlib.Path, hosts: int) -> Iterator[None]:
    """Sets environment variables for Ansible. If the user has set a variable, its value is kept, unless fleet
    needs a certain value."""
    forks = os.environ.get("ANSIBLE_FORKS", "")
    roles = os.environ.get("ANSIBLE_ROLES_PATH")
    own = {"ANSIBLE_STDOUT_CALLBACK": "ecbench_events", "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callbacks"),
           "ANSIBLE_ROLES_PATH": os.pathsep.join([str(HERE / "roles"), *([roles] if roles else [])]),
           "ANSIBLE_FORKS": forks or str(min(max(hosts, 5), MOST_FORKS)), "ANSIBLE_LOCAL_TEMP": str(temporary / "tmp"),
           "ANSIBLE_SSH_CONTROL_PATH_DIR": str(temporary / "cp"), "ANSIBLE_RETRY_FILES_ENABLED": "False", "ANSIBLE_NOCOLOR": "True",
           "ANSIBLE_FORCE_COLOR": "False", "ANSIBLE_VERBOSITY": "0", "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True",
           "PYTHONDONTWRITEBYTECODE": "1"}
    # By default, if sftp fails (for example because a file is too large), Ansible tries other methods. One of them reads the whole
    # file into memory. Therefore fleet allows only sftp, unless the user has chosen a method.
    defaults = {"ANSIBLE_PIPELINING": "True", "ANSIBLE_SSH_TRANSFER_METHOD": "sftp",
                "ANSIBLE_SSH_RETRIES": "3", "ANSIBLE_SSH_COMMON_ARGS": KEEP_ALIVE}
    before = dict(os.environ)
    os.environ.update({**defaults, **before, **own})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def lines_of(descriptor: int, child: Child) -> Iterator[bytes]:
    """Throws children.Interrupted."""
    rest = b""
    while True:
        child.check()
        if not select.select([descriptor], [], [], SECONDS_BETWEEN_CHECKS)[0]:
            continue
        part = os.read(descriptor, 1 << 16)
        if not part:
            return
        *lines, rest = (rest + part).split(b"\n")
        yield from lines


def take(line: bytes, hosts: dict[str, Host]) -> Host | None:
    """Reads one line of output. If the callback printed it, updates the state of the host and returns the host. Otherwise
    returns None."""
    try:
        found = read_json(line)
        host = hosts[found["host"]]
        event, task, result = found["event"], found["task"].rpartition(" : ")[2], found["result"]
    except (ValueError, TypeError, KeyError):  # Ansible or another callback printed this line
        return None
    host.task = task
    if event == "unreachable":
        host.state, host.reason = "unreachable", reason_of(result)
    elif event == "failed":
        host.state, host.reason = "refused" if task.startswith("Refuse") else "failed", reason_of(result)
    elif task == "Measure" and event in ("start", "retry"):
        host.state = "running"
    elif task == "Measure" and event == "ok":
        take_state(host, result.get("stdout", ""))
    elif task == "Fetch the result" and event == "ok":
        host.state = "done"
    return host


def take_state(host: Host, printed: str) -> None:
    """Reads the line that `ecbench fleet on-host` printed on the host."""
    try:
        found = read_json(printed)
        code, name = found["exit_code"], found["hostname"]
    except (ValueError, TypeError, KeyError):
        return
    host.exit_code = code if type(code) is int and code >= 0 else None
    host.hostname = plain(name)[:LONGEST_REASON]


def reason_of(result: dict[str, str]) -> str:
    """The reason of a failure, in one line. If a program failed, the reason is the last line of its stderr, because Ansible's
    message contains only the exit code. Otherwise, the reason is a line of Ansible's message: the last line if the message is about
    ssh, and the first line in all other cases."""
    for key in ("stderr", "module_stderr"):
        if line := last_line(result.get(key, "")):
            return line.removeprefix("ecbench: ")
    message = result.get("msg", "")
    return (last_line(message) if "ssh" in message else first_line(message)) or "no reason is given"


def first_line(text: str) -> str:
    return last_line(text.strip().partition("\n")[0])


def last_line(text: str) -> str:
    """The last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return plain(lines[-1])[:LONGEST_REASON] if lines else ""
