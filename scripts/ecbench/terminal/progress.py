"""The line on a terminal that says how far a sweep is and how long it will take. Elsewhere it says nothing."""

import os
import shutil
import time


class Progress:
    def __init__(self, err, total):
        self._err = err
        self._total = total
        self._done = 0
        self._start = time.monotonic()
        self._shown = err.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def show(self, what):
        """What is being measured now."""
        if not self._shown:
            return
        elapsed = time.monotonic() - self._start
        left = f"{duration(elapsed / self._done * (self._total - self._done))} left" if self._done else "begins"
        text = f"[{self._done}/{self._total}] {left}: {what}"
        width = shutil.get_terminal_size().columns - 1
        self._write(f"\r{text[:width]}\x1b[K")

    def advance(self):
        self._done += 1

    def erase(self):
        if self._shown:
            self._write("\r\x1b[K")

    def _write(self, text):
        try:
            self._err.write(text)
            self._err.flush()
        except OSError:  # the terminal is gone, which SIGHUP tells too
            self._shown = False


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
