"""The directory of a profile. Files are first written to a hidden directory in it. If the profile succeeds, the files are moved to
the directory of the profile. Therefore a profile that fails or is interrupted does not replace an earlier profile."""

import os
import shutil
import tempfile
from collections.abc import Iterable

from ecbench.terminal.console import Refused

# The files that bench.sh profile writes, with and without --grid.
FILES = ("callgrind.out", "cpu.prof", "perf.data", "symbols.json", "row.json", "output.txt", "hotspots.txt", "hotspots.json",
         "command.txt", "annotated.txt", "stacks.folded", "flame.svg",
         "pprof.svg", "packetsize.tsv", "packetsize.md", "packetsize.svg", "packetsize.png")

# For each file: a program that opens the file, or a complete command, in which FILE is the path of the file. Some entries also
# describe the content of the file, after a colon.
OPENED_BY = {
    "hotspots.txt": "less: the table of functions", "hotspots.json": "jq: the same table as JSON",
    "annotated.txt": "less: the instructions of the hottest functions", "flame.svg": "a web browser: the flame graph",
    "stacks.folded": "inferno-flamegraph, or speedscope.app: the call stacks", "callgrind.out": "kcachegrind FILE",
    "cpu.prof": "google-pprof --text PROGRAM FILE, or go tool pprof PROGRAM FILE", "perf.data": "perf report -i FILE",
    "pprof.svg": "a web browser: the call graph", "symbols.json": "jq: names and addresses of the kernels",
    "row.json": "jq: the row of the measurement", "output.txt": "less: the output of the program",
    "command.txt": "sh: repeats this profile", "packetsize.tsv": "a spreadsheet", "packetsize.md": "less",
    "packetsize.svg": "a web browser", "packetsize.png": "an image viewer"}


class Folder:
    """A context manager. The files are kept only if keep() is called."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self._made: list[str] = []
        self._own: set[str] = set()  # names of this profile's files; all other files in the directory belong to earlier profiles

    def __enter__(self) -> "Folder":
        try:
            self._make(self.path)
            self._partial = tempfile.mkdtemp(prefix=".partial-", dir=self.path)
        except OSError as error:
            self._remove_made()
            raise Refused(f"cannot write to {self.path}: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)
        self._remove_made()

    def file(self, name: str) -> str:
        """The path of the file `name` in the hidden directory, for writing before keep()."""
        return os.path.join(self._partial, name)

    def final(self, name: str) -> str:
        return os.path.join(self.path, name)

    def write(self, name: str, text: str) -> None:
        with open(self.file(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def added(self, name: str) -> str:
        """The path of the file `name` in the directory of the profile. Adds this file to the lines of closing()."""
        self._own.add(name)
        return self.final(name)

    def closing(self) -> list[str]:
        """A line for each file of this profile: the file's name and the program that opens it."""
        names = [name for name in OPENED_BY if name in self._own]
        width = max((len(name) for name in names), default=0)
        return [f"  {name:<{width}}  {OPENED_BY[name].replace('FILE', self.final(name))}" for name in names]

    def discard(self, name: str) -> None:
        if os.path.exists(self.file(name)):
            os.remove(self.file(name))

    def keep(self) -> None:
        try:
            for name in sorted(os.listdir(self._partial)):
                os.replace(self.file(name), self.added(name))
        except OSError as error:
            raise Refused(f"cannot write to {self.path}: {error.strerror}") from error

    def as_final(self, words: Iterable[str]) -> list[str]:
        """The `words` of a command. Paths in the hidden directory are replaced by the final paths."""
        return [word.replace(self._partial, self.path) for word in words]

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
