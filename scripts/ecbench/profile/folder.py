"""The directory of a profile. Files are first written to a hidden directory in it, and moved if the profile succeeds: a profile
that fails or is interrupted does not replace an earlier one."""

import os
import shutil
import tempfile
from collections.abc import Iterable

from ecbench.profilers.profilers import WorkingFolder
from ecbench.terminal.console import Refused

# For each file of a profile: a program that opens it, or a complete command, in which FILE is its path; after a colon: its content.
OPENED_BY = {
    "hotspots.txt": "less: the table of functions", "hotspots.json": "jq: the same table as JSON",
    "annotated.txt": "less: the instructions of the hottest functions", "flame.svg": "a web browser: the flame graph",
    "stacks.folded": "speedscope.app: the call stacks", "callgrind.out": "kcachegrind FILE",
    "cpu.prof": "google-pprof --text PROGRAM FILE, or go tool pprof PROGRAM FILE", "perf.data": "perf report -i FILE",
    "symbols.json": "jq: names and addresses of the kernels", "row.json": "jq: the row of the measurement",
    "output.txt": "less: the output of the program", "command.txt": "sh: repeats this profile",
    "packetsize.tsv": "a spreadsheet", "packetsize.md": "less", "packetsize.svg": "a web browser",
    "packetsize.png": "an image viewer"}


MARKS = ("hotspots.json", "packetsize.tsv")  # every directory of a profile has one of these


class Folder(WorkingFolder):
    """A context manager. The files are kept only if keep() is called."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self._made: list[str] = []
        self._own: set[str] = set()  # names of this profile's files; all other files in the directory belong to earlier profiles

    def __enter__(self) -> "Folder":
        present = {name for name in OPENED_BY if os.path.lexists(self.final(name))}
        if present and present.isdisjoint(MARKS):
            raise Refused(f"{self.final(min(present))} exists, and is not of a profile; give another directory with --output")
        try:
            self._make(self.path)
            super().__init__(tempfile.mkdtemp(prefix=".partial-", dir=self.path))
        except OSError as error:
            self._remove_made()
            raise Refused(f"cannot write to {self.path}: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.working, ignore_errors=True)
        self._remove_made()

    def final(self, name: str) -> str:
        return os.path.join(self.path, name)

    def closing(self) -> list[str]:
        """A line for each file of this profile."""
        names = [name for name in OPENED_BY if name in self._own]
        width = max((len(name) for name in names), default=0)
        return [f"  {name:<{width}}  {OPENED_BY[name].replace('FILE', self.final(name))}" for name in names]

    def keep(self) -> None:
        try:
            for name in sorted(os.listdir(self.working)):
                os.replace(self.file(name), self.final(name))
                self._own.add(name)
        except OSError as error:
            raise Refused(f"cannot write to {self.path}: {error.strerror}") from error

    def as_final(self, words: Iterable[str]) -> list[str]:
        """The `words` of a command. Paths in the hidden directory are replaced by the final paths."""
        return [word.replace(self.working, self.path) for word in words]

    def _make(self, path: str) -> None:
        if path and not os.path.isdir(path):
            self._make(os.path.dirname(path))
            os.mkdir(path)
            self._made.append(path)

    def _remove_made(self) -> None:
        """Removes the directories that _make() created, if they are still empty."""
        for path in reversed(self._made):
            try:
                os.rmdir(path)
            except OSError:
                return
