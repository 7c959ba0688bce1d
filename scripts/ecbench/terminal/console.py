"""Prints messages to standard error, and replaces control characters in text. A control character in a file name or in the output
of a program could forge lines or change the terminal."""

import codecs
import contextlib
import io
import os
import re
import sys
from typing import TextIO, cast

# The characters that are replaced: control characters of ASCII and Latin-1, line separators of Unicode, and characters that change
# the direction of text.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069"
OF_LINES = re.compile(f"[{CONTROLS}]")
OF_ONE_LINE = re.compile(rf"[{CONTROLS}\t\n\ud800-\udfff]")
LONGEST = 2000  # characters of a message
RAW_BYTES = range(0xdc80, 0xdd00)  # code points that Python's surrogateescape uses for bytes that are not UTF-8


class Refused(Exception):
    """Bad input. The message has one line and is printed for the user. The exit code is 1."""


class WrongBytes(Exception):
    """A code returned wrong bytes. The message has one line and is printed for the user. The exit code is 2."""


class OutOfTime(Exception):
    """The budget of time is spent. The message has one line and is printed for the user. The exit code is 0."""


def plain(text: object) -> str:
    """Returns the text in one line. Each control character is replaced by an escape sequence, as in C or JSON."""
    return OF_ONE_LINE.sub(lambda found: escape(found[0]), str(text))


def plain_lines(text: str) -> str:
    """Replaces the control characters in a text that may have several lines. Line breaks and tabs are kept."""
    return OF_LINES.sub(lambda found: escape(found[0]), text)


def escape(character: str) -> str:
    code = ord(character)
    if code in RAW_BYTES:
        return f"\\x{code - 0xdc00:02x}"
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character) or f"\\u{code:04x}"


def encode_unencodable(error: UnicodeError) -> tuple[bytes, int]:
    """Encodes surrogates. A surrogate that represents a raw byte of a path becomes this byte; other surrogates become escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = (bytes([ord(one) - 0xdc00]) if ord(one) in RAW_BYTES else escape(one).encode()
             for one in error.object[error.start:error.end])
    return b"".join(parts), error.end


codecs.register_error("ecbench", encode_unencodable)


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
    sys.stdout = PlainOutput(out.detach(), encoding="utf-8", errors="ecbench", line_buffering=out.line_buffering)


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
    tell(f"ecbench: {without_middle(plain(message))}")


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


def without_middle(text: str) -> str:
    """Leaves out the middle of a text that is longer than LONGEST. Such a text contains a very long value that the user gave."""
    left_out = len(text) - LONGEST
    return text if left_out <= 0 else f"{text[:LONGEST // 2]}... ({left_out} characters) ...{text[-LONGEST // 2:]}"
