"""Shows progress and the remaining time. On a terminal, the progress is one line, and each update overwrites this line. If standard
error is not a terminal, a new line is printed after some seconds, but only if the caller requests these lines."""

import math
import os
import time
from collections.abc import Callable
from typing import Any, TextIO

from ecbench.terminal import console
from ecbench.terminal.console import columns_of, plain, say


class Progress:
    """If `err` is not a terminal, show() prints a line every `seconds_between_lines` seconds, or nothing if this is None. No time
    left is above `most_left()`. Call close() at the end."""

    def __init__(self, err: TextIO, total: int, seconds_between_lines: float | None = None,
                 most_left: Callable[[], float] = lambda: math.inf):
        self._most_left = most_left
        self._err = err
        self._total = total
        self._done = 0
        self._skipped = 0
        self._start = time.monotonic()
        self._what = ""
        self._on_terminal = err.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._seconds = seconds_between_lines
        self._next_line = self._start + (seconds_between_lines or 0)

    def show(self, what: Any) -> None:
        self._what = str(what)
        if not self._on_terminal and self._seconds is not None and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._seconds
            self._write(f"ecbench: {self._text()}\n")
        elif self._on_terminal:
            self._write(f"\r{self._text()[:columns_of(self._err, 80) - 1]}\x1b[K")
            console.progress_on = self._err

    def extend(self) -> None:
        """Adds one measurement to the total."""
        self._total += 1

    def advance(self) -> None:
        self._done += 1

    def skip(self) -> None:
        """Counts a measurement whose result is already in the run file."""
        self._done += 1
        self._skipped += 1

    def close(self) -> None:
        console.erase_progress()

    def _text(self) -> str:
        elapsed, now_done = time.monotonic() - self._start, self._done - self._skipped
        left = f"{duration(max(0.0, min(elapsed / now_done * (self._total - self._done), self._most_left())))} left" if now_done \
            else "begins"
        return f"[{self._done}/{self._total}] {left}: {plain(self._what)}"

    def _write(self, text: str) -> None:
        try:
            self._err.write(text)
            self._err.flush()
        except (OSError, ValueError):  # the terminal or the pipe was closed
            self._on_terminal = False


class Waiting(Progress):
    """A line that counts the seconds of a wait. If `err` is not a terminal, the line is printed once."""

    def __init__(self, err: TextIO, what: str) -> None:
        super().__init__(err, 0)
        self._next = 0.0
        if not self._on_terminal:
            say(f"waiting for {what}")
        self._what = what

    def update(self) -> None:
        """Call this often; the line changes once in a second."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 1
            self.show(self._what)

    def _text(self) -> str:
        return f"ecbench: waiting {duration(time.monotonic() - self._start)} for {plain(self._what)}"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
