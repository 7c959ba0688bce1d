"""Reads a results directory. DIR/HOST/*.jsonl[.gz] are the run files. Optional: DIR/HOST/host.json has the state of a host,
DIR/fleet.json the list of all hosts; the tool that runs ecbench on the hosts (Ansible, Kubernetes, Slurm, a script) may write them.
A file that is not a valid run of its host is rejected, and does not affect the results of other hosts."""

import contextlib
import dataclasses
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Annotated, Any

from ecbench.documents.document import Json, Key, Shape, Whole, fields, list_of, matching, read, read_json, shape_of, text, words
from ecbench.files.inputs import open_regular
from ecbench.fleet.figures import HostFigures, figures_of, fingerprint
from ecbench.process.end import in_processes
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import with_sampled_seconds
from ecbench.terminal.console import Refused

HOST_FORMAT = "ecbench fleet host 1"
FLEET_FORMAT = "ecbench fleet 1"
STATE_FILE, FLEET_FILE = "host.json", "fleet.json"
STATES = ("done", "running", "failed", "unreachable", "refused", "new")
HOST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,252}")
# Ansible would run the commands of a template in the names that fleet.json has.
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
BUNDLE_NAME = re.compile(r"ecbench-[A-Za-z0-9._+~-]{1,99}-[a-z0-9_]{1,99}\.tar\.gz")
MOST_STATE_BYTES = 1 << 20
host_name = matching(HOST_NAME, "the name of a host, such as osd-1")
FLEET = fields({"hosts": list_of(host_name)},
               {"words": list_of(text), "run": matching(RUN_NAME, "the name of a run, such as tune-0a1b2c3d"),
                "bundle": matching(BUNDLE_NAME, "the name of a bundle, ecbench-VERSION-ARCHITECTURE.tar.gz")})
RUN_ENDINGS = (".jsonl", ".jsonl.gz")
IGNORED = (STATE_FILE, ".log", ".txt", ".html", ".md", ".err")
MOST_FILES = 100  # run files of one host
A_LINK = "a symbolic link; replace it with a copy of its target"  # why a file or directory is rejected


@dataclasses.dataclass(frozen=True)
class HostState:
    # In the inventory, or the name of the Kubernetes node; also the name of the host's directory.
    host: Annotated[str, Key(check=host_name)]
    state: Annotated[str, Key(words=STATES)]
    reason: str = ""  # why the state is not done, in one line
    exit_code: Whole | None = None  # exit code of the mode on the host; None if the mode did not end
    hostname: str = ""  # the host's name in rows; "" if the rows contain `host`, up to its first dot


def read_state(folder: pathlib.Path) -> HostState | None:
    """None if there is no host.json."""
    path = folder / STATE_FILE
    value = read_small(path, HOST_FORMAT, shape_of(HostState))
    state = read(HostState, value) if value else None
    if state and state.host != folder.name:
        raise Refused(f"{path} cannot be used: host is '{state.host}', but must be '{folder.name}', the name of the directory")
    return state


def read_fleet(folder: pathlib.Path) -> Json | None:
    """None if there is no fleet.json."""
    return read_small(folder / FLEET_FILE, FLEET_FORMAT, FLEET)


def read_small(path: pathlib.Path, form: str, shape: Shape) -> Json | None:
    if path.is_symlink():
        raise Refused(f"{path} is a symbolic link; give a regular file")
    try:
        with open_regular(path) as file:
            content = file.read(MOST_STATE_BYTES + 1)
        value = read_json(content) if len(content) <= MOST_STATE_BYTES else None
        fields({"format": words(form)})(value)
        shape(value)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Refused(f"{path} cannot be used: {error}; allowed: at most 1 MiB of JSON") from error
    return dict(value or {})


@dataclasses.dataclass(frozen=True)
class Rejected:
    """A part of the JSON document."""

    path: Annotated[str, Key("The path of the file, relative to the results directory.")]
    why: str


@dataclasses.dataclass
class Host:
    name: str
    state: HostState | None = None
    figures: HostFigures | None = None
    notes: list[str] = dataclasses.field(default_factory=list)
    rejected: list[Rejected] = dataclasses.field(default_factory=list)
    fingerprints: dict[str, str] = dataclasses.field(default_factory=dict)  # fingerprint of a run → name of its file

    @property
    def is_clean(self) -> bool:
        return self.figures is not None and bool(self.figures.clean) and not self.figures.is_disturbed

    @property
    def has_result(self) -> bool:
        """Whether a finished run was accepted, even if all its measurements failed."""
        return self.figures is not None and self.figures.is_finished

    @property
    def why_missing(self) -> str:
        """Why the host lacks figures; "" if it has all figures."""
        if self.state and self.state.state != "done":
            return f"{self.state.state}{f': {self.state.reason}' if self.state.reason else ''}"
        if self.figures is None:
            return "no run file can be used" if self.rejected else "no run file"
        if not self.figures.all:
            return f"its run has no figure; {self.figures.failures} measurements failed"
        return "" if self.figures.is_finished else "its run is not finished"


@dataclasses.dataclass
class Collection:
    folder: pathlib.Path
    hosts: list[Host]
    rejected: list[Rejected]  # entries of `folder` itself; Host.rejected has the files in the directories of hosts


def collect(folder: pathlib.Path) -> Collection:
    """Throws Refused if the directory or its fleet.json cannot be read."""
    fleet = read_fleet(folder)
    found, rejected = host_folders(folder)
    names = dict.fromkeys([*(fleet["hosts"] if fleet else []), *found])
    hosts = list(read_hosts([folder / name for name in names]))
    reject_copies(hosts)
    return Collection(folder, hosts, rejected)


def entries_of(folder: pathlib.Path) -> list[os.DirEntry[str]]:
    """Without hidden files; nothing if the directory does not exist. Throws Refused."""
    try:
        return sorted((entry for entry in os.scandir(folder) if not entry.name.startswith(".")), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Refused(f"{folder} cannot be read: {error.strerror}; give a directory with one directory per host") from error


def host_folders(folder: pathlib.Path) -> tuple[list[str], list[Rejected]]:
    """The names of the hosts that have a directory, and the entries that are rejected."""
    names, rejected = [], []
    for entry in entries_of(folder):
        if entry.is_symlink() and entry.name != FLEET_FILE:
            rejected.append(Rejected(entry.name, A_LINK))
        elif not entry.is_dir():
            if entry.name.endswith(RUN_ENDINGS):
                rejected.append(Rejected(entry.name, "a run file must be in a directory with the name of its host"))
        elif HOST_NAME.fullmatch(entry.name):
            names.append(entry.name)
        else:
            rejected.append(Rejected(entry.name, "the name of a host must begin with a letter or digit, and may have "
                                                 "only letters, digits and . _ : -"))
    return names, rejected


def read_hosts(folders: list[pathlib.Path]) -> Iterator[Host]:
    """Reads the directories of hosts in several processes. Equal cases and candidates share one Python object, to save memory."""
    known: dict[object, Any] = {}
    for host in in_processes(read_host, folders):
        if host.figures:
            for figures in (host.figures.clean, host.figures.all):
                shared = {known.setdefault(key, key): figure for key, figure in figures.items()}
                figures.clear()
                figures.update(shared)
        yield host


def read_host(folder: pathlib.Path) -> Host:
    """If the directory does not exist, the host has no figures."""
    host, runs = Host(folder.name), dict[str, Run]()
    with rejecting(host, folder / STATE_FILE):
        host.state = read_state(folder)
    for path in run_files(folder, host):
        with rejecting(host, path):
            run = read_run(path, keep=with_sampled_seconds)
            check_owner(run, host)
            runs[path.name] = run
    runs = without_copies(runs, host)
    if runs:
        host.figures = figures_of(host.name, sorted(runs.values(), key=lambda run: run.header.started, reverse=True))
    return host


def run_files(folder: pathlib.Path, host: Host) -> list[pathlib.Path]:
    """Without the compressed copy of a file."""
    found: list[pathlib.Path] = []
    with rejecting(host, folder):
        for entry in entries_of(folder):
            path = folder / entry.name
            with rejecting(host, path):
                if entry.name.endswith(IGNORED):
                    continue
                if not entry.is_file(follow_symlinks=False):
                    raise Refused(A_LINK if entry.is_symlink() else "not a regular file")
                if not entry.name.endswith(RUN_ENDINGS):
                    raise Refused("the name of a run file must end in .jsonl or .jsonl.gz")
                if len(found) == MOST_FILES:
                    raise Refused(f"a host may have at most {MOST_FILES} run files")
                found.append(path)
    return [path for path in found if not (path.suffix == ".gz" and path.with_suffix("") in found)]


@contextlib.contextmanager
def rejecting(host: Host, path: pathlib.Path) -> Iterator[None]:
    """A refusal rejects the file, and nothing else of the host."""
    try:
        yield
    except Refused as refusal:
        why = str(refusal).removeprefix(str(path)).lstrip(",: ")
        host.rejected.append(Rejected(host.name if path.name == host.name else f"{host.name}/{path.name}", why))


def check_owner(run: Run, host: Host) -> None:
    """Throws Refused if the run has rows of another host, or if the state of the host is "done" but the run has no end record."""
    expected = short_name(host.state.hostname if host.state and host.state.hostname else host.name)
    names = {record.host for record in run.records.values() if isinstance(record.host, str)}
    others = sorted(name for name in names if not is_same_host(short_name(name), expected))
    if others:
        raise Refused(f"the file has rows of the host {others[0]}, not of {expected}; if both names mean the same host, write "
                      f"\"hostname\": \"{others[0]}\" to {STATE_FILE}; otherwise move the file to the directory of {others[0]}")
    if host.state and host.state.state == "done" and not run.finished:
        raise Refused(f"the state in {STATE_FILE} is \"done\", but the run file has no end record: the file is cut off; copy the "
                      "run file again")


def short_name(name: str) -> str:
    """A host's name as in rows, in lower case: up to the first dot, except for IP addresses."""
    return name.lower() if re.fullmatch(r"[0-9.]+|.*:.*", name) else name.partition(".")[0].lower()


def is_same_host(in_row: str, expected: str) -> bool:
    """Two results of short_name(). In rows, USER replaces the name of the user."""
    pattern = ".+".join(map(re.escape, in_row.split("user")))
    return in_row == expected or ("user" in in_row and re.fullmatch(pattern, expected) is not None)


def without_copies(runs: dict[str, Run], host: Host) -> dict[str, Run]:
    """Of several files with the same run, only that with the most results: the others may be copies that were made before the run
    was resumed."""
    for name, run in sorted(runs.items(), key=lambda item: -len(item[1].records)):
        longest = host.fingerprints.setdefault(fingerprint(run) or f"{host.name}/{name}", name)
        if longest != name:
            host.notes.append(f"{host.name}/{name} is left out: {longest} has the same run, with at least as many results")
    return {name: run for name, run in runs.items() if name in host.fingerprints.values()}


def reject_copies(hosts: list[Host]) -> None:
    """If two hosts have the same run, rejects the later host, which then has no figures."""
    owners: dict[str, str] = {}
    for host in hosts:
        for mark, name in host.fingerprints.items():
            if (owner := owners.setdefault(mark, f"{host.name}/{name}")) != f"{host.name}/{name}":
                host.rejected.append(Rejected(f"{host.name}/{name}", f"a copy of {owner}"))
                host.figures = None
