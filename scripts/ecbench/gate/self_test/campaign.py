"""The real runs of a self-test, each a whole `bench.sh gate ab` in a process of its own, kept in a folder as the records that gate
ab writes. A campaign that was broken off goes on from there: runs that came to their end are not repeated.

`same`: this build against a copy of itself in another folder, so that its code lies elsewhere in memory; a new copy for each
run, and old and new by turns. `handicapped`: this build against one whose plugins do a stated part of their work twice, at all
points."""

import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import sys
import time

from ecbench.files.input_file import open_regular
from ecbench.gate.self_test.load import busy_neighbour
from ecbench.measure.ecbench import ROOT
from ecbench.terminal.console import Refused, say

SAME, HANDICAPPED = "same", "handicapped"
GATE = (str(ROOT / "scripts" / "mode.py"), "gate")
DESCRIPTION = "campaign.json"


@dataclasses.dataclass(frozen=True)
class RealRun:
    """What a run's record says of it."""
    kind: str
    number: int
    exit_code: int
    seconds: float  # of the whole command, start to end
    header: dict
    launches: list  # records, in the order of measuring
    verdicts: dict  # id -> verdict, at the end
    neighbour: dict | None


class Campaign:
    def __init__(self, folder, build, options, percent, busy, child):
        """`options`: words for gate ab. `percent`: the handicap."""
        self._folder = pathlib.Path(folder)
        self._build = pathlib.Path(build)
        self._options = options
        self._percent = percent
        self._busy = busy
        self._child = child

    def outputs(self):
        """Pairs for written_files.check_apart: what is written or replaced in the folder."""
        names = [DESCRIPTION, "copy", *(f"{kind}-*" for kind in (SAME, HANDICAPPED))]
        return [("--work", path) for name in names for path in self._folder.glob(name)]

    def begin(self, needs_handicapped):
        """Throws Refused where the folder holds another campaign."""
        facts = {"options": self._options, "handicap_percent": self._percent, "busy": self._busy,
                 "files": {str(path.relative_to(self._build)): digest(path) for path in self._files(needs_handicapped)}}
        path = self._folder / DESCRIPTION
        self._folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            if json.loads(path.read_text()) != facts:
                raise Refused(f"{self._folder} holds a self-test of another build or with other options: remove it, or take "
                              "another folder by --work")
            return
        path.write_text(json.dumps(facts, indent=1))

    def _files(self, needs_handicapped):
        program = self._build / "ecbench"
        plugins, handicapped = (sorted(self._build.glob(f"{folder}/libec_*.so")) for folder in ("plugins", "handicapped/plugins"))
        if not program.is_file() or not plugins:
            raise Refused(f"{self._build} holds no ecbench with plugins/: build it with make")
        if needs_handicapped and not handicapped:
            self._build_handicapped()
            return self._files(False)
        return [program, *plugins, *handicapped]

    def _build_handicapped(self):
        """They are no part of what make builds."""
        command = ["cmake", "--build", str(self._build), "--target", "handicapped"]
        if not (self._build / "CMakeCache.txt").is_file():
            raise Refused(f"{self._build} has no handicapped/plugins, and is no folder of CMake's that could make them: "
                          f"{shlex.join(command)} in one that is")
        say("builds the handicapped plugins")
        code, _, told = self._child.run(command)
        if code != 0:
            raise Refused(f"{shlex.join(command)}: {(told.strip().splitlines() or [f'exit code {code}'])[-1]}")

    def run(self, kind, number):
        """The run, from its record if it has one already."""
        record, facts = (self._folder / f"{kind}-{number:02}.{end}" for end in ("jsonl", "json"))
        if not facts.exists():
            record.unlink(missing_ok=True)  # of a run that was broken off
            self._measure(kind, number, record, facts)
        return read(kind, number, record, json.loads(facts.read_text()))

    def has(self, kind, number):
        return (self._folder / f"{kind}-{number:02}.json").exists()

    def _measure(self, kind, number, record, facts):
        neighbour = busy_neighbour() if self._busy else contextlib.nullcontext()
        with self._other_side(kind) as other, neighbour as load:
            sides = [str(self._build), str(other)]
            if kind == SAME and number % 2:
                sides.reverse()
            command = [sys.executable, "-E", "-s", *GATE, "ab", *sides, "--output", str(record), *self._options]
            start = time.monotonic()
            code, _, told = self._child.run(command)
            seconds = time.monotonic() - start
        if code not in (0, 3):
            if record.exists():  # it measured: it is not done anew, as if it had not been, before somebody has looked
                facts.write_text(json.dumps({"exit_code": code}))
            last = (told.strip().splitlines() or [f"exit code {code}"])[-1]
            raise Refused(f"a run of {kind} builds ended with {code}: {last.removeprefix('ecbench: ')}")
        facts.write_text(json.dumps({"exit_code": code, "seconds": round(seconds, 2), "neighbour": load}))

    @contextlib.contextmanager
    def _other_side(self, kind):
        if kind == HANDICAPPED:
            os.environ["ECBENCH_HANDICAP_PERCENT"] = str(self._percent)
            try:
                yield self._build / "handicapped" / "plugins"
            finally:
                del os.environ["ECBENCH_HANDICAP_PERCENT"]
            return
        copy = self._folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        try:
            (copy / "plugins").mkdir(parents=True)
            shutil.copy2(self._build / "ecbench", copy)
            for plugin in self._build.glob("plugins/libec_*.so"):
                shutil.copy2(plugin, copy / "plugins")
            yield copy
        finally:
            shutil.rmtree(copy, ignore_errors=True)


def read(kind, number, path, facts):
    if facts["exit_code"] not in (0, 3):
        raise Refused(f"{path} is the record of a run that ended with {facts['exit_code']}: see why, then remove {path.stem}.json")
    header, launches, verdicts, over = {}, [], {}, False
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["record"] == "gate":
                header = record
            elif record["record"] == "launch":
                launches.append(record)
            elif record["record"] == "look":
                verdicts = record["verdicts"]
            over = over or record["record"] == "end"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path} cannot be read as the record of a run: remove it") from error
    if not (header and over):
        raise Refused(f"{path} is the record of no whole run: remove it")
    return RealRun(kind, number, facts["exit_code"], facts["seconds"], header, launches, verdicts, facts["neighbour"])


def digest(path):
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
