"""Reads a results directory. DIR/<host>/<any>.jsonl[.gz] are the run files. DIR/<host>/host.json and DIR/fleet.json are optional. A
file in the directory of a host is rejected if it is not a valid run of this host. The report lists the rejected files. A rejected
file does not affect the results of other hosts."""

import dataclasses
import gzip
import os
import pathlib
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from ecbench.fleet.host_figures import HostFigures, figures_of, fingerprint, hosts_in, read_short
from ecbench.fleet.host_state import FLEET_FILE, HOST_NAME, MOST_BYTES, STATE_FILE, HostState, read_fleet, read_state
from ecbench.process.workers import in_processes
from ecbench.runfile.lines import is_compressed
from ecbench.runfile.run_file import Run
from ecbench.terminal.console import Refused

RUN_ENDINGS = (".jsonl", ".jsonl.gz")
IGNORED_ENDINGS = (".log", ".txt", ".html", ".md", ".err")
MOST_FILES = 100  # run files of one host
A_LINK = "a symbolic link; replace it with a copy of its target"  # why a file or directory is rejected


@dataclasses.dataclass(frozen=True)
class Rejected:
    path: str  # relative to the results directory
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

    @property
    def measured(self) -> list[Host]:
        return [host for host in self.hosts if host.figures and host.figures.all]

    def all_rejected(self) -> list[Rejected]:
        return [*self.rejected, *(one for host in self.hosts for one in host.rejected)]


def collect(folder: pathlib.Path) -> Collection:
    """Throws Refused if the directory or its fleet.json cannot be read."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise Refused(f"{folder} cannot be read: {error.strerror}; give a directory with one directory per host") from error
    fleet = read_fleet(folder)
    found, rejected = host_folders(entries)
    names = dict.fromkeys([*(fleet["hosts"] if fleet else []), *found])
    hosts = list(read_hosts([folder / name for name in names]))
    reject_copies(hosts)
    return Collection(folder, hosts, rejected)


def host_folders(entries: Iterable[os.DirEntry[str]]) -> tuple[list[str], list[Rejected]]:
    names, rejected = [], []
    for entry in entries:
        if entry.name.startswith(".") or entry.name == FLEET_FILE or (
                not entry.is_dir() and not entry.name.endswith(RUN_ENDINGS) and not entry.is_symlink()):
            continue
        if entry.is_symlink():
            rejected.append(Rejected(entry.name, A_LINK))
        elif not entry.is_dir():
            rejected.append(Rejected(entry.name, "a run file must be in a directory with the name of its host"))
        elif not HOST_NAME.fullmatch(entry.name):
            rejected.append(Rejected(entry.name, "the name of a host must begin with a letter or digit, and may have "
                                                 "only letters, digits and . _ : -"))
        else:
            names.append(entry.name)
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
    """Reads the directory of a host. If the directory does not exist, the returned host has no figures."""
    host = Host(folder.name)
    try:
        host.state = read_state(folder)
    except Refused as refusal:
        reject(host, folder / STATE_FILE, str(refusal))
    runs: dict[str, Run] = {}
    for path in run_files(folder, host):
        try:
            check_size(path)
            run = read_short(path)
            check_owner(run, host)
            runs[path.name] = run
        except Refused as refusal:
            reject(host, path, str(refusal))
    runs = without_copies(runs, host)
    host.fingerprints = {mark: name for name, run in runs.items() if (mark := fingerprint(run))}
    if runs:
        newest = sorted(runs.values(), key=lambda run: run.header["started"], reverse=True)
        host.figures = figures_of(host.name, newest)
    return host


def run_files(folder: pathlib.Path, host: Host) -> list[pathlib.Path]:
    found: list[pathlib.Path] = []
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        host.rejected.append(Rejected(host.name, f"cannot be read: {error.strerror}"))
        return []
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith(".") or entry.name == STATE_FILE or entry.name.endswith(IGNORED_ENDINGS):
            continue
        if not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            reject(host, path, A_LINK if entry.is_symlink() else "not a regular file")
        elif not entry.name.endswith(RUN_ENDINGS):
            reject(host, path, "the name of a run file must end in .jsonl or .jsonl.gz")
        elif len(found) == MOST_FILES:
            reject(host, path, f"a host may have at most {MOST_FILES} run files")
        else:
            found.append(path)
    plain = {path.name for path in found}
    return [path for path in found if not (path.suffix == ".gz" and path.stem in plain)]


def reject(host: Host, path: pathlib.Path, why: str) -> None:
    host.rejected.append(Rejected(f"{host.name}/{path.name}", why.removeprefix(str(path)).lstrip(",: ")))


def check_size(path: pathlib.Path) -> None:
    """Throws Refused if the run file is larger than MOST_BYTES before or after decompression."""
    if path.stat().st_size > MOST_BYTES or (is_compressed(path) and unpacked_size(path) > MOST_BYTES):
        raise Refused(f"larger than {MOST_BYTES >> 20} MiB, the limit for a run file")


def unpacked_size(path: pathlib.Path) -> int:
    """The size of a file after decompression. Decompression stops when the size exceeds MOST_BYTES, because a small compressed file
    can have a very large content. Throws Refused."""
    size = 0
    try:
        with gzip.open(path) as file:
            while size <= MOST_BYTES and (part := file.read(1 << 20)):
                size += len(part)
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(f"cannot be decompressed: {error}; copy the file again") from error
    return size


def check_owner(run: Run, host: Host) -> None:
    """Throws Refused if the run has rows of another host, or if the state of the host is "done" but the run has no end record."""
    expected = short_name(host.state.hostname if host.state and host.state.hostname else host.name)
    others = sorted(name for name in hosts_in(run) if not is_same_host(short_name(name), expected))
    if others:
        raise Refused(f"the file has rows of the host {others[0]}, not of {expected}; if both names mean the same host, write "
                      f"\"hostname\": \"{others[0]}\" to {STATE_FILE}; otherwise move the file to the directory of {others[0]}")
    if host.state and host.state.state == "done" and not run.finished:
        raise Refused(f"the state in {STATE_FILE} is \"done\", but the run file has no end record: the file is cut off; copy the "
                      "run file again")


def short_name(name: str) -> str:
    """A host's name in lower case, up to the first dot. In rows, the host's name also ends before the first dot. IP addresses are
    not shortened."""
    return name.lower() if re.fullmatch(r"[0-9.]+|.*:.*", name) else name.partition(".")[0].lower()


def is_same_host(in_row: str, expected: str) -> bool:
    """Whether two names mean the same host. If the name of a host contains the name of a user, ecbench writes USER to the rows
    instead of the user's name. short_name() has changed USER in `in_row` to lower case."""
    pattern = ".+".join(map(re.escape, in_row.split("user")))
    return in_row == expected or ("user" in in_row and re.fullmatch(pattern, expected) is not None)


def without_copies(runs: dict[str, Run], host: Host) -> dict[str, Run]:
    """If several files contain the same run, keeps only the file with the most results. A file with fewer results may be a copy
    that was made before the run was resumed."""
    kept: dict[tuple[str, str], str] = {}
    for name, run in sorted(runs.items(), key=lambda item: -len(item[1].records)):
        key = run.header["started"], first_row(run)
        if key in kept:
            longest = runs[kept[key]]
            same = all(longest.records.get(one) == record for one, record in run.records.items())
            what = "an earlier copy of" if same else "another continuation of the run in"
            host.notes.append(f"{host.name}/{name} is left out: it is {what} {kept[key]}, which has at least as many results")
        else:
            kept[key] = name
    return {name: runs[name] for name in runs if name in kept.values()}


def first_row(run: Run) -> str:
    record = next(iter(run.records.values()), None)
    return repr(sorted(record.items(), key=lambda item: item[0])) if record else ""


def reject_copies(hosts: list[Host]) -> None:
    """If two hosts have the same run, rejects the run of the host that is later in the list. This host then has no
    figures."""
    owners: dict[str, str] = {}
    for host in hosts:
        for mark, name in host.fingerprints.items():
            if mark in owners:
                host.rejected.append(Rejected(f"{host.name}/{name}", f"a copy of {owners[mark]}"))
                host.figures = None
            else:
                owners[mark] = f"{host.name}/{name}"


