"""The real runs of a self-test. Each run is a whole `bench.sh gate ab` in its own process. The record of each run is kept in a
directory, so an interrupted campaign can continue without repeating finished runs. There are two kinds of runs. A run of the kind
`same` compares this build with a copy in another directory. The code of the copy is at other memory addresses. Each run makes a new
copy. The copy is NEW in the first run, OLD in the second run, NEW in the third run, and so on. A run of the kind `handicapped`
compares this build with plugins that repeat a known part of their work at every point."""

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
from collections.abc import Iterator
from typing import Any

from ecbench.files.input_file import open_regular
from ecbench.gate.self_test.load import busy_copier
from ecbench.installation.places import SCRIPTS
from ecbench.process.children import Child
from ecbench.terminal.console import Refused, say

SAME, HANDICAPPED = "same", "handicapped"
NAMES = {SAME: "equal", HANDICAPPED: "handicapped"}  # how messages describe the two builds of a run
GATE = (str(SCRIPTS / "mode.py"), "gate")
DESCRIPTION = "campaign.json"


@dataclasses.dataclass(frozen=True)
class RealRun:
    """A finished run, as read from its files."""
    kind: str  # SAME or HANDICAPPED
    number: int
    exit_code: int
    seconds: float  # duration of the whole command
    header: dict[str, Any]  # the first line of the record
    launches: list[dict[str, Any]]  # in the order of measurement
    verdicts: dict[str, str]  # id → verdict after the last look
    copier: dict[str, Any] | None  # CPU and speeds of the memory copier; None without --busy


class Campaign:
    def __init__(self, folder: str | os.PathLike, build: str | os.PathLike, options: list[str], percent: float, busy: bool,
                 child: Child) -> None:
        """`options`: arguments for gate ab. `percent`: the part of their work that the handicapped plugins repeat."""
        self._folder = pathlib.Path(folder)
        self._build = pathlib.Path(build)
        self._options = options
        self._percent = percent
        self._busy = busy
        self._child = child

    def outputs(self) -> list[tuple[str, str | os.PathLike]]:
        """Pairs for written_files.check_apart: the option --work, and a file in its directory that the campaign may replace."""
        names = [DESCRIPTION, "copy", *(f"{kind}-*" for kind in (SAME, HANDICAPPED))]
        return [("--work", path) for name in names for path in self._folder.glob(name)]

    def begin(self, needs_handicapped: bool) -> None:
        """Starts or continues the campaign. Throws Refused if the directory contains another campaign."""
        facts = {"options": self._options, "handicap_percent": self._percent, "busy": self._busy,
                 "files": {str(path.relative_to(self._build)): digest(path) for path in self._files(needs_handicapped)}}
        path = self._folder / DESCRIPTION
        self._folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            if json.loads(path.read_text()) != facts:
                raise Refused(f"{self._folder} contains a self-test of another build or with other options: remove this directory, "
                              "or choose another directory with --work")
            return
        path.write_text(json.dumps(facts, indent=1))

    def _files(self, needs_handicapped: bool) -> list[pathlib.Path]:
        program = self._build / "ecbench"
        plugins, handicapped = (sorted(self._build.glob(f"{folder}/libec_*.so")) for folder in ("plugins", "handicapped/plugins"))
        if not program.is_file() or not plugins:
            raise Refused(f"{self._build} has no ecbench with plugins/: run make")
        if needs_handicapped and not handicapped:
            self._build_handicapped()
            return self._files(False)
        return [program, *plugins, *handicapped]

    def _build_handicapped(self) -> None:
        """Builds the handicapped plugins, which `make` does not build."""
        command = ["cmake", "--build", str(self._build), "--target", "handicapped"]
        if not (self._build / "CMakeCache.txt").is_file():
            raise Refused(f"{self._build} has no handicapped/plugins, and was not configured by CMake: give a build directory "
                          "that CMake configured")
        say("building the handicapped plugins")
        code, _, stderr = self._child.run(command)
        if code != 0:
            raise Refused(f"'{shlex.join(command)}' failed: {(stderr.strip().splitlines() or [f'exit code {code}'])[-1]}")

    def run(self, kind: str, number: int) -> RealRun:
        """Makes the run, or reads its record if the run was made earlier."""
        record, facts = (self._folder / f"{kind}-{number:02}.{end}" for end in ("jsonl", "json"))
        if not facts.exists():
            record.unlink(missing_ok=True)  # the record of an interrupted run
            self._measure(kind, number, record, facts)
        return read(kind, number, record, json.loads(facts.read_text()))

    def has(self, kind: str, number: int) -> bool:
        return (self._folder / f"{kind}-{number:02}.json").exists()

    def _measure(self, kind: str, number: int, record: pathlib.Path, facts: pathlib.Path) -> None:
        copier = busy_copier() if self._busy else contextlib.nullcontext()
        with self._other_side(kind) as other, copier as load:
            sides = [str(self._build), str(other)]
            if kind == SAME and number % 2:
                sides.reverse()
            command = [sys.executable, "-E", "-s", *GATE, "ab", *sides, "--output", str(record), *self._options]
            start = time.monotonic()
            code, _, stderr = self._child.run(command)
            seconds = time.monotonic() - start
        if code not in (0, 3):
            if record.exists():  # the record has results, so the run is not repeated before the user has examined the record
                facts.write_text(json.dumps({"exit_code": code}))
            last = (stderr.strip().splitlines() or [f"exit code {code}"])[-1]
            raise Refused(f"gate ab failed with exit code {code} ({NAMES[kind]} builds): {last.removeprefix('ecbench: ')}")
        facts.write_text(json.dumps({"exit_code": code, "seconds": round(seconds, 2), "copier": load}))

    @contextlib.contextmanager
    def _other_side(self, kind: str) -> Iterator[pathlib.Path]:
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


def read(kind: str, number: int, path: pathlib.Path, facts: dict[str, Any]) -> RealRun:
    if facts["exit_code"] not in (0, 3):
        raise Refused(f"{path} is the record of a run that ended with exit code {facts['exit_code']}: examine the record, "
                      f"then remove {path.stem}.json")
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
        raise Refused(f"{path} cannot be read as the record of a run: remove {path.stem}.json to repeat the run") from error
    if not (header and over):
        raise Refused(f"{path} is not the record of a complete run: remove {path.stem}.json to repeat the run")
    return RealRun(kind, number, facts["exit_code"], facts["seconds"], header, launches, verdicts, facts["copier"])


def digest(path: str | os.PathLike) -> str:
    with open_regular(path) as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]
