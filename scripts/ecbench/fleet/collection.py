"""Reads a results directory. DIR/HOST/*.jsonl[.gz] are the run files. Optional: DIR/HOST/host.json has the state of a host,
DIR/fleet.json the list of all hosts; the tool that runs ecbench on the hosts (Ansible, Kubernetes, Slurm, a script) may write them.
A file that is not a valid run of its host is not used, and does not affect the results of other hosts."""

import contextlib
import dataclasses
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar

from ecbench.documents.document import Key, matching, read, read_json
from ecbench.files.files import open_input
from ecbench.fleet.figures import HostFigures, figures_of
from ecbench.page.block import Column
from ecbench.process.process import in_processes
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import with_sampled_seconds
from ecbench.terminal.console import Refused, refusing

FLEET_FORMAT = "ecbench fleet 1"
STATE_FILE, FLEET_FILE = "host.json", "fleet.json"
HOST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,252}")
# Ansible would run the commands of a template in the names that fleet.json has.
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
BUNDLE_NAME = re.compile(r"ecbench-[A-Za-z0-9._+~-]{1,99}-[a-z0-9_]{1,99}\.tar\.gz")
MOST_STATE_BYTES = 1 << 20
RUN_ENDINGS = (".jsonl", ".jsonl.gz")
IGNORED = (STATE_FILE, ".log", ".txt", ".html", ".md", ".err")
MOST_FILES = 100  # run files of one host
A_LINK = "a symbolic link; replace it with a copy of its target"
HostName = Annotated[str, Key(check=matching(HOST_NAME, "the name of a host, such as osd-1"))]
Kind = TypeVar("Kind")


@dataclasses.dataclass(frozen=True)
class Fleet:
    """fleet.json; `fleet -i` writes all keys."""

    format: Annotated[str, Key(words=(FLEET_FORMAT,))]
    hosts: list[HostName]
    words: list[str] = dataclasses.field(default_factory=list)
    run: Annotated[str, Key(check=matching(RUN_NAME, "the name of a run, such as tune-0a1b2c3d"))] = ""
    bundle: Annotated[str, Key(check=matching(BUNDLE_NAME, "the name of a bundle, ecbench-VERSION-ARCHITECTURE.tar.gz"))] = ""


@dataclasses.dataclass(frozen=True)
class HostState:
    """host.json; a part of a row of the report."""

    format: Annotated[str, Key(words=("ecbench fleet host 1",))]
    host: HostName  # in the inventory, or the name of the Kubernetes node; also the name of the host's directory
    state: Annotated[str, Key(words=("done", "running", "failed", "unreachable", "refused", "new"))]
    reason: str = ""  # why the state is not done, in one line
    exit_code: Annotated[int | None, Key("Of the mode on the host; null if it did not end.", least=0)] = None
    hostname: str = ""  # the host's name in rows; "" if the rows contain `host`, up to its first dot


def read_small(kind: type[Kind], path: pathlib.Path) -> Kind | None:
    """None if there is no such file."""
    try:
        with refusing(f"{path} cannot be read"):
            if path.is_symlink():
                raise Refused(f"{path} is a symbolic link; give a regular file")
            if not path.exists():
                return None
            with open_input(path, allows_pipes=False) as file:
                content = file.read(MOST_STATE_BYTES + 1)
        return read(kind, read_json(content) if len(content) <= MOST_STATE_BYTES else None)
    except ValueError as error:
        raise Refused(f"{path} cannot be used: {error}; allowed: at most 1 MiB of JSON") from error


@dataclasses.dataclass(frozen=True)
class Unused:
    """A row of the report."""

    code: Annotated[str, Column("Relative to the results directory.", title="File")]
    why: Annotated[str, Column(title="Why it is not used", wraps=True)]


@dataclasses.dataclass
class Host:
    name: str
    state: HostState | None = None
    run: HostFigures | None = None
    unused: dict[pathlib.Path, str] = dataclasses.field(default_factory=dict)  # why
    runs: dict[str, pathlib.Path] = dataclasses.field(default_factory=dict)  # the first row → run file

    @property
    def has_result(self) -> bool:
        """Whether a finished run was accepted, even if all its measurements failed."""
        return self.run is not None and self.run.is_finished

    @property
    def why_missing(self) -> str:
        """Why the host lacks figures; "" if it has all figures."""
        if self.state and self.state.state != "done":
            return f"{self.state.state}{f': {self.state.reason}' if self.state.reason else ''}"
        if self.run is None:
            return "no run file can be used" if self.unused else "no run file"
        if not self.run.is_finished:
            return "its run is not finished"
        return "" if self.run.figures else f"its run has no figure; {self.run.failures} measurements failed"

    @property
    def why_disturbed(self) -> str:
        """How much other programs disturbed the measurements; "" if the host is clean."""
        if self.run is None or self.run.is_clean or not self.run.figures:
            return ""
        taken = "" if self.run.cpu_share is None else f", {max(0, 1 - self.run.cpu_share) * 100:.0f} % of the CPU time"
        return f"{self.run.disturbed_share * 100:.0f} % of its measurements{taken}"


def collect(folder: pathlib.Path) -> tuple[list[Host], list[Unused]]:
    """The hosts, and the files that are not used. Equal cases and candidates share one Python object, to save memory. Throws
    Refused if the directory or its fleet.json cannot be read."""
    fleet, unused = read_small(Fleet, folder / FLEET_FILE), dict[pathlib.Path, str]()
    folders = [*(folder / name for name in (fleet.hosts if fleet else ())), *entries_of(folder, is_host, unused)]
    known, owners, hosts = dict[object, Any](), dict[str, pathlib.Path](), list[Host]()
    for host in in_processes(read_host, list(dict.fromkeys(folders))):
        if host.run:
            host.run.figures = {known.setdefault(key, key): figure for key, figure in host.run.figures.items()}
        for mark, path in host.runs.items():
            if (owner := owners.setdefault(mark, path)) != path:
                host.unused[path] = f"a copy of {owner.relative_to(folder)}"
                host.run = None  # the first of two hosts with the same run has it
        unused |= host.unused
        hosts.append(host)
    return hosts, [Unused(str(path.relative_to(folder)), why) for path, why in unused.items()]


def entries_of(folder: pathlib.Path, is_used: Callable[[os.DirEntry[str]], bool], unused: dict[pathlib.Path, str]
               ) -> list[pathlib.Path]:
    """What is used of a directory, without hidden files; nothing if it does not exist. Adds to `unused` what is_used() refuses.
    Throws Refused."""
    if not os.path.lexists(folder):
        return []
    with refusing(f"{folder} cannot be read", "; give a directory with one directory per host"):
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    found = []
    for entry in entries:
        with rejecting(path := folder / entry.name, unused):
            if not entry.name.startswith(".") and is_used(entry):
                found.append(path)
    return found


@contextlib.contextmanager
def rejecting(path: pathlib.Path, unused: dict[pathlib.Path, str]) -> Iterator[None]:
    """A refusal rejects only this file."""
    try:
        yield
    except Refused as refusal:
        unused[path] = str(refusal).removeprefix(str(path)).lstrip(",: ")


def is_host(entry: os.DirEntry[str]) -> bool:
    """Whether it is the directory of a host. Throws Refused."""
    if entry.is_symlink() and entry.name != FLEET_FILE:
        raise Refused(A_LINK)
    if not entry.is_dir():
        if entry.name.endswith(RUN_ENDINGS):
            raise Refused("a run file must be in a directory with the name of its host")
    elif not HOST_NAME.fullmatch(entry.name):
        raise Refused("the name of a host must begin with a letter or digit, and may have only letters, digits and . _ : -")
    return entry.is_dir()


def is_run(entry: os.DirEntry[str]) -> bool:
    """Whether it is a run file. Throws Refused if it is not another file that is known."""
    if entry.name.endswith(IGNORED):
        return False
    if not entry.is_file(follow_symlinks=False):
        raise Refused(A_LINK if entry.is_symlink() else "not a regular file")
    if not entry.name.endswith(RUN_ENDINGS):
        raise Refused("the name of a run file must end in .jsonl or .jsonl.gz")
    return True


def read_host(folder: pathlib.Path) -> Host:
    """If the directory does not exist, the host has no figures. Of several files with the same run, that with the most results is
    used: the others may be copies that were made before the run was resumed."""
    host, runs, paths = Host(folder.name), dict[str, Run](), list[pathlib.Path]()
    with rejecting(folder / STATE_FILE, host.unused):
        state = read_small(HostState, folder / STATE_FILE)
        if state and state.host != host.name:
            raise Refused(f"host is '{state.host}', but must be '{host.name}', the name of the directory")
        host.state = state
    with rejecting(folder, host.unused):
        paths = entries_of(folder, is_run, host.unused)
    compressed = {path.with_name(f"{path.name}.gz") for path in paths}  # copies
    for number, path in enumerate(path for path in paths if path not in compressed):
        with rejecting(path, host.unused):
            if number >= MOST_FILES:
                raise Refused(f"a host may have at most {MOST_FILES} run files")
            run = read_run(path, keep=with_sampled_seconds)
            check_owner(run, host)
            # Two runs never measure exactly the same times.
            mark = next((repr(record.json) for record in run.records.values() if isinstance(record, Row)), str(path))
            if (known := runs.setdefault(mark, run)) is not run:
                runs[mark], copy = (run, known) if len(run.records) > len(known.records) else (known, run)
                host.unused[copy.path] = f"{runs[mark].path.name} has the same run, with at least as many results"
    if runs:
        host.runs = {mark: run.path for mark, run in runs.items()}
        host.run = figures_of(sorted(runs.values(), key=lambda run: run.header.started, reverse=True))
    return host


def check_owner(run: Run, host: Host) -> None:
    """Throws Refused if the run has rows of another host, or if the state of the host is "done" but the run has no end record."""
    expected = short_name((host.state and host.state.hostname) or host.name)
    names = {record.host for record in run.records.values() if isinstance(record.host, str)}
    # In rows, USER replaces the name of the user.
    others = sorted(name for name in names
                    if not re.fullmatch(".+".join(map(re.escape, short_name(name).split("user"))), expected))
    if others:
        raise Refused(f"the file has rows of the host {others[0]}, not of {expected}; if both names mean the same host, write "
                      f"\"hostname\": \"{others[0]}\" to {STATE_FILE}; otherwise move the file to the directory of {others[0]}")
    if host.state and host.state.state == "done" and not run.finished:
        raise Refused(f"the state in {STATE_FILE} is \"done\", but the run file has no end record: the file is cut off; copy the "
                      "run file again")


def short_name(name: str) -> str:
    """A host's name as in rows, in lower case: up to the first dot, except for IP addresses."""
    return name.lower() if re.fullmatch(r"[0-9.]+|.*:.*", name) else name.partition(".")[0].lower()
