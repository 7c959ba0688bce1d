"""Messages, progress, tables, help texts and suggestions for the terminal. Control characters in texts are replaced: in a file name
or in the output of a program, they could forge lines or change the terminal."""

import argparse
import contextlib
import difflib
import io
import math
import os
import re
import sys
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TextIO, cast

# The characters that are replaced: control characters of ASCII and Latin-1, line separators of Unicode, and characters that change
# the direction of text.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069"
OF_LINES = re.compile(f"[{CONTROLS}\ud800-\udc7f\udd00-\udfff]")  # without RAW_BYTES
OF_ONE_LINE = re.compile(rf"[{CONTROLS}\t\n\ud800-\udfff]")
LONGEST = 2000  # characters of a message
RAW_BYTES = range(0xdc80, 0xdd00)  # code points that Python's surrogateescape uses for bytes that are not UTF-8


class Refused(Exception):
    """Bad input. The message has one line and is printed for the user."""
    exit_code = 1


class WrongBytes(Exception):
    """A code returned wrong bytes. The message has one line and is printed for the user."""
    exit_code = 2


class OutOfTime(Exception):
    """The budget of time is spent. The message has one line and is printed for the user."""
    exit_code = 0


@contextlib.contextmanager
def refusing(what: str, then: str = "") -> Iterator[None]:
    """Throws Refused instead of OSError: `what`, the reason, and what to do."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{what}: {error.strerror}{then}") from error


def plain(text: object) -> str:
    """Returns the text in one line. Each control character is replaced by an escape sequence, as in C or JSON."""
    return OF_ONE_LINE.sub(lambda found: escape(found[0]), str(text))


def plain_lines(text: str) -> str:
    """Replaces the control characters in a text that may have several lines, except line breaks, tabs and RAW_BYTES."""
    return OF_LINES.sub(lambda found: escape(found[0]), text)


def escape(character: str) -> str:
    code = ord(character)
    if code in RAW_BYTES:
        return f"\\x{code - 0xdc00:02x}"
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character) or f"\\u{code:04x}"


class Coloured(str):
    """A text whose control characters were replaced before ecbench added its colours."""


class PlainOutput(io.TextIOWrapper):
    def write(self, text: str) -> int:
        erase_progress()
        return super().write(text if isinstance(text, Coloured) else plain_lines(text))


def ready_standard_output() -> None:
    """Sets the encoding of standard output to UTF-8 in every locale, since the output contains the character ±. If a printed path
    contains bytes that are not UTF-8, they are printed unchanged."""
    if sys.stdout is None:
        raise Refused("standard output is closed")
    out = cast(io.TextIOWrapper, sys.stdout)
    sys.stdout = PlainOutput(out.detach(), encoding="utf-8", errors="surrogateescape", line_buffering=out.line_buffering)


def columns_of(out: TextIO, in_a_pipe: int) -> int:
    """The width of the terminal `out`. The environment variable COLUMNS has priority. shutil.get_terminal_size() knows only the
    original standard output, which ready_standard_output() replaces."""
    with contextlib.suppress(ValueError):
        if (given := int(os.environ.get("COLUMNS", ""))) > 0:
            return given
    with contextlib.suppress(OSError):
        return os.get_terminal_size(out.fileno()).columns or in_a_pipe
    return in_a_pipe


progress_on: TextIO | None = None  # the terminal that shows a line of progress


def erase_progress() -> None:
    """Every output calls this, so that no text follows a line of progress in the same line."""
    global progress_on
    if progress_on:
        with contextlib.suppress(OSError, ValueError):  # the terminal was closed
            progress_on.write("\r\x1b[K")
            progress_on.flush()
        progress_on = None


def say(message: object) -> None:
    """Leaves out the middle of a message that is longer than LONGEST, because of a very long value that the user gave."""
    text = plain(message)
    if (left_out := len(text) - LONGEST) > 0:
        text = f"{text[:LONGEST // 2]}... ({left_out} characters) ...{text[-LONGEST // 2:]}"
    tell(f"ecbench: {text}")


def tell(line: str) -> None:
    erase_progress()
    with contextlib.suppress(OSError):  # standard error may be closed
        print(plain(line), file=sys.stderr, flush=True)


_warnings: list[str] = []  # held until the result is printed


def warn(message: object) -> None:
    """Holds a warning until the end of the mode; see say_warnings()."""
    _warnings.append(str(message))


def say_warnings(is_verbose: bool) -> None:
    """Prints the warnings of warn(); unless `is_verbose`, in one line with their number."""
    warnings, _warnings[:] = list(dict.fromkeys(_warnings)), []
    if is_verbose or len(warnings) < 2:
        for warning in warnings:
            say(warning)
    else:
        say(f"{len(warnings)} warnings (--verbose prints all): {warnings[0]}")


# Progress and the remaining time. On a terminal, the progress is one line, and each update overwrites this line. If standard error
# is not a terminal, a new line is printed after some seconds, but only if the caller requests these lines.

class Progress:
    """If `err` is not a terminal, show() prints a line every `seconds_between_lines` seconds, or nothing if this is None. No time
    left is above `most_left()`. Call close() at the end."""

    def __init__(self, err: TextIO, total: int, seconds_between_lines: float | None = None,
                 most_left: Callable[[], float] = lambda: math.inf):
        self._most_left = most_left
        self._err = err
        self.total = total
        self._done = 0
        self._skipped = 0
        self._start = time.monotonic()
        self._what = ""
        self._on_terminal = err.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._seconds = seconds_between_lines
        self._next_line = self._start + (seconds_between_lines or 0)

    def show(self, what: Any) -> None:
        global progress_on
        self._what = str(what)
        if not self._on_terminal and self._seconds is not None and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._seconds
            self._write(f"ecbench: {self._text()}\n")
        elif self._on_terminal:
            self._write(f"\r{self._text()[:columns_of(self._err, 80) - 1]}\x1b[K")
            progress_on = self._err

    def advance(self, is_recorded: bool = False) -> None:
        """`is_recorded`: the result of this measurement was already in the run file."""
        self._done += 1
        self._skipped += is_recorded

    def close(self) -> None:
        erase_progress()

    def _text(self) -> str:
        elapsed, now_done = time.monotonic() - self._start, self._done - self._skipped
        left = f"{duration(max(0.0, min(elapsed / now_done * (self.total - self._done), self._most_left())))} left" if now_done \
            else "begins"
        return f"[{self._done}/{self.total}] {left}: {plain(self._what)}"

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
        if not self._on_terminal:
            say(f"waiting for {what}")
        self.show(what)

    def _text(self) -> str:
        return f"ecbench: waiting {duration(time.monotonic() - self._start)} for {plain(self._what)}"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


# Formats tables with aligned columns. On a terminal that supports colours, cells can have colours.

RED, GREEN, YELLOW = "31", "32", "33"


def aligned(lines: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Formats lines of cells; all lines must have the same number of cells. The first `left` columns are aligned left, the others
    right."""
    return columns(lines, [number >= left for number in range(len(lines[0]))])


def columns(lines: Sequence[Sequence[str]], to_the_right: Sequence[bool]) -> Iterator[str]:
    widths = [max(map(shown_width, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        padded = ((cell, " " * (width - shown_width(cell))) for cell, width in zip(cells, widths, strict=True))
        yield "  ".join(space + cell if right else cell + space
                        for (cell, space), right in zip(padded, to_the_right, strict=True)).rstrip()


def print_columns(texts: Iterable[Sequence[str]], right: Sequence[bool], out: TextIO,
                  colour_of: Callable[[list[str]], str | None]) -> None:
    """`texts`: the titles, then the rows. `right`: whether a column is aligned right. `colour_of(row)`: the colour of the row's
    first cell on a terminal."""
    lines = [list(map(plain, cells)) for cells in texts]
    for cells, line in zip(lines, columns(lines, right), strict=True):
        colour = colour_of(cells) if cells is not lines[0] and supports_colours(out) else None
        out.write(Coloured(f"\x1b[{colour}m{cells[0]}\x1b[0m{line[len(cells[0]):]}\n") if colour else f"{line}\n")


def supports_colours(out: TextIO) -> bool:
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def shown_width(text: str) -> int:
    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


# Help texts, wrapped to the width of the terminal. In a description or an epilog, a line ` TERM text` is an entry of a table,
# and deeper lines continue it. Other indented lines, such as commands, keep their beginning. Lines without indent are joined.

WIDTH_IN_A_PIPE = 120
WIDEST_TERM = 26
ENTRY = re.compile(r"( {2,})(\S+(?: \S+)*) {2,}(\S.*)")


def width() -> int:
    return min(columns_of(sys.stdout, WIDTH_IN_A_PIPE), 132)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=min(26, width() // 3), width=width())

    def _fill_text(self, text: str, _width: int, _indent: str) -> str:
        return "\n".join(wrapped_lines(text, width()))


def wrapped_lines(text: str, columns: int) -> Iterator[str]:
    parts: list[list[str]] = []  # indent, term, text
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        entry = ENTRY.fullmatch(line)
        before = parts[-1] if parts else None
        if before and before[1] and depth > len(before[0]) + 2:
            before[2] += f" {line.strip()}"
        elif entry:
            parts.append(list(entry.groups()))
        elif before and line and not depth and before[2] and not before[0] and not before[2].endswith(":"):
            before[2] += f" {line}"
        else:
            parts.append([line[:depth], "", line.strip()])
    terms = [len(term) for _, term, _ in parts if 0 < len(term) <= WIDEST_TERM]
    column = min(max(terms, default=0) + 4, columns // 2)
    for indent, term, rest in parts:
        first, later = (f"{indent}{term}  ".ljust(column), " " * column) if term else (indent, f"{indent}    " if indent else "")
        if term and len(first) > column:
            yield first.rstrip()
            first = later
        yield from textwrap.wrap(rest, columns, initial_indent=first, subsequent_indent=later, break_long_words=False,
                                 break_on_hyphens=False) or [""]


# Lists allowed words, and suggests the one that the user probably meant.

def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns text for the end of a message, such as ` (did you mean tune?)`. Returns "" if no known word is similar to `word`."""
    spelling = {name.lower(): name for name in known if name}
    close = difflib.get_close_matches(word.lower(), spelling, n=1)
    return f" (did you mean {spelling[close[0]]}?)" if close else ""


def number_of(count: int, noun: str) -> str:
    """`1 host` or `2 hosts`."""
    return f"{count} {noun}{'' if count == 1 else 'es' if noun.endswith('s') else 's'}"


def one_of(known: Iterable[str]) -> str:
    """`A, B or C`."""
    *names, last = known
    return f"{', '.join(names)} or {last}" if names else last
