"""The objects that a process has mapped as code while it ran, also those that it unloaded. Reads /proc/PID/maps repeatedly."""

import contextlib
import os
import re
import threading
from collections.abc import Iterator

from ecbench.profilers.profile_data import Mapping

SECONDS_BETWEEN = 0.02  # an object that was loaded for a shorter time may be missed; it has few samples
MAP = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+\s+(/.*)")
DELETED = " (deleted)"


def read_maps(text: str) -> Iterator[Mapping]:
    for line in text.splitlines():
        match = MAP.match(line)
        if match:
            start, end, offset = (int(match[number], 16) for number in (1, 2, 3))
            yield start, end, offset, match[4].removesuffix(DELETED)


class LoadedObjects:
    """`mappings` are those of the program that the process executed last: exec() replaces them all."""

    def __init__(self) -> None:
        self.mappings: set[Mapping] = set()

    @contextlib.contextmanager
    def watch(self, pid: int) -> Iterator[None]:
        ended = threading.Event()
        thread = threading.Thread(target=self._read_until, args=(pid, ended))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _read_until(self, pid: int, ended: threading.Event) -> None:
        program, text = "", ""
        while not ended.wait(SECONDS_BETWEEN):
            before = program, text
            with contextlib.suppress(OSError):  # the process has ended, or may not be read
                program = os.readlink(f"/proc/{pid}/exe")
                with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as maps:
                    text = maps.read()
            if program != before[0]:
                self.mappings.clear()
            if (program, text) != before:
                self.mappings.update(read_maps(text))
