"""The results directory of `bench.sh fleet -i`. The file fleet.json in this directory has the values that all calls of fleet use:
the mode and its arguments, the seed, the name of the run, and the name and SHA-256 of the bundle. A later call for the
same directory reads this file and continues with the same values."""

import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import shutil
import time
from collections.abc import Iterator

from ecbench.fleet.host_state import FLEET_FILE, HostState, read_fleet, write_fleet, write_state
from ecbench.runfile.shape import Unlike, fields, list_of, text, whole
from ecbench.terminal.console import Refused

SHAPE = fields({"mode": text, "words": list_of(text), "seed": whole(), "run": text,
                "bundle": fields({"file": text, "sha256": text})})
SECONDS_TO_LOCK = 10  # a call waits at most this long for the lock; guard.py releases the lock of a killed call in less time


@dataclasses.dataclass
class Campaign:
    """The measurement of a fleet. All hosts run the same mode with the same seed."""

    folder: pathlib.Path
    hosts: list[str]  # the hosts of all calls so far
    words: list[str]  # the mode and its arguments, with --seed
    seed: int
    run: str  # the run of a host has the name that run_name() returns
    bundle: str  # name of the bundle's file in `folder`
    sha256: str  # SHA-256 of the bundle

    @property
    def mode(self) -> str:
        return self.words[0]

    @property
    def bundle_file(self) -> pathlib.Path:
        return self.folder / self.bundle

    def run_name(self, host: str) -> str:
        return f"{self.run}-{host}"

    def result(self, host: str) -> pathlib.Path:
        """The path of a host's run file. The file exists only if it has passed all checks."""
        return self.folder / host / f"{self.run_name(host)}.jsonl"

    @property
    def incoming(self) -> pathlib.Path:
        """The directory for files that were fetched from hosts and are not checked yet."""
        return self.folder / ".incoming"

    def write(self) -> None:
        write_fleet(self.folder, self.hosts, mode=self.mode, words=self.words[1:], seed=self.seed, run=self.run,
                    bundle={"file": self.bundle, "sha256": self.sha256})

    def write_host(self, state: HostState) -> None:
        """Throws Refused."""
        with refusing("be written"):
            (self.folder / state.host).mkdir(exist_ok=True)
        write_state(self.folder / state.host, state)


def read(folder: pathlib.Path) -> Campaign | None:
    """Reads the measurement from fleet.json in `folder`. Returns None if this file does not exist. Throws Refused."""
    path = folder / FLEET_FILE
    found = read_fleet(folder)
    if found is None:
        return None
    try:
        SHAPE(found)
    except Unlike as unlike:
        raise Refused(f"{path} cannot be used: {unlike}; name another directory with --output") from unlike
    bundle = found["bundle"]
    campaign = Campaign(folder, found["hosts"], [found["mode"], *found["words"]], found["seed"], found["run"],
                        pathlib.PurePath(bundle["file"]).name, bundle["sha256"])
    if digest_of(campaign.bundle_file) != campaign.sha256:
        raise Refused(f"{campaign.bundle_file} is not the bundle with which this measurement began: restore the original "
                      "bundle, or name another directory with --output")
    return campaign


def digest_of(path: pathlib.Path) -> str:
    """The SHA-256 of a file. Throws Refused."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error


def keep_bundle(source: pathlib.Path, folder: pathlib.Path) -> None:
    """Copies the bundle `source` into the results directory."""
    with refusing("be written"), contextlib.suppress(shutil.SameFileError):
        shutil.copyfile(source, folder / source.name)


@contextlib.contextmanager
def locked(folder: pathlib.Path) -> Iterator[int]:
    """Creates the results directory, and locks it, so that no other call of fleet uses it at the same time. Yields the descriptor
    of the lock. A child process that inherits the descriptor also holds the lock. Throws Refused."""
    with refusing("be written"):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        deadline = time.monotonic() + SECONDS_TO_LOCK
        while not is_locked(descriptor):
            if time.monotonic() > deadline:
                raise Refused(f"another call of fleet uses {folder}: wait until that call has ended, or name another directory "
                              "with --output")
            time.sleep(0.2)
        yield descriptor
    finally:
        os.close(descriptor)


def is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def refusing(what: str) -> Iterator[None]:
    """Converts an OSError to Refused. `what`: what could not be done with the file, such as "be written"."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{error.filename} cannot {what}: {error.strerror}") from error
