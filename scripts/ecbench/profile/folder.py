"""The folder of a profile. Files are made in a hidden folder in it and moved when all is done: a profile that fails or is
interrupted leaves an earlier one as it was."""

import os
import shutil
import tempfile

from ecbench.terminal.console import Refused

# What a profile writes, by whichever profiler, and of a grid.
FILES = ("callgrind.out", "cpu.prof", "perf.data", "symbols.json", "row.json", "output.txt", "hotspots.txt", "hotspots.json",
         "command.txt", "pprof.svg", "packetsize.tsv", "packetsize.md", "packetsize.svg", "packetsize.png")


class Folder:
    """A context: what it holds is kept if keep() was called."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self._made = []

    def __enter__(self):
        try:
            self._make(self.path)
            self._partial = tempfile.mkdtemp(prefix=".partial-", dir=self.path)
        except OSError as error:
            self._remove_made()
            raise Refused(f"cannot write to {self.path}: {error.strerror}") from error
        return self

    def __exit__(self, *_):
        shutil.rmtree(self._partial, ignore_errors=True)
        self._remove_made()

    def file(self, name):
        """Where to make a file of this name."""
        return os.path.join(self._partial, name)

    def final(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def discard(self, name):
        if os.path.exists(self.file(name)):
            os.remove(self.file(name))

    def keep(self):
        try:
            for name in sorted(os.listdir(self._partial)):
                os.replace(self.file(name), self.final(name))
        except OSError as error:
            raise Refused(f"cannot write to {self.path}: {error.strerror}") from error

    def as_final(self, words):
        """Words of a command, with the places where the files are in the end."""
        return [word.replace(self._partial, self.path) for word in words]

    def _make(self, path):
        if path and not os.path.isdir(path):
            self._make(os.path.dirname(path))
            os.mkdir(path)
            self._made.append(path)

    def _remove_made(self):
        """The folders that were made for nothing."""
        for path in reversed(self._made):
            try:
                os.rmdir(path)
            except OSError:
                return
