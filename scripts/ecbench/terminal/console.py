"""What every mode of bench.sh says on standard error, and how it refuses what it cannot do. Text of others, such as names of files
and what programs print, reaches a terminal without control characters: these could forge lines, or do worse."""

import codecs
import io
import re
import sys

# Of ASCII and Latin-1, ends of lines in Unicode, and what changes the direction of text. Colours are ours.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069"
OF_LINES = re.compile(rf"(?P<colour>\x1b\[(?:0|31|32|33)m)|[{CONTROLS}]")
OF_ONE_LINE = re.compile(rf"[{CONTROLS}\t\n\ud800-\udfff]")
RAW_BYTES = range(0xdc80, 0xdd00)  # as surrogateescape has those of a path that are no UTF-8


class Refused(Exception):
    """Bad input: one line for the user, exit code 1."""


def plain(text):
    """The text in one line, with an escape as in C or JSON for each character that would not show as itself."""
    return OF_ONE_LINE.sub(lambda found: escape(found[0]), str(text))


def plain_lines(text):
    """The same of lines, which may have tabs and colours."""
    return OF_LINES.sub(lambda found: found[0] if found["colour"] else escape(found[0]), text)


def escape(character):
    code = ord(character)
    if code in RAW_BYTES:
        return f"\\x{code - 0xdc00:02x}"
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character) or f"\\u{code:04x}"


def encode_unencodable(error):
    """Surrogates: bytes of a path as they were, others as escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = (bytes([ord(one) - 0xdc00]) if ord(one) in RAW_BYTES else escape(one).encode()
             for one in error.object[error.start:error.end])
    return b"".join(parts), error.end


codecs.register_error("ecbench", encode_unencodable)


class PlainOutput(io.TextIOWrapper):
    def write(self, text):
        return super().write(plain_lines(text))


def ready_standard_output():
    """As ecbench's, whatever the locale: figures have a ±, and commands have paths, which are any bytes."""
    if sys.stdout is None:
        raise Refused("standard output is closed")
    buffering = sys.stdout.line_buffering
    sys.stdout = PlainOutput(sys.stdout.detach(), encoding="utf-8", errors="ecbench", line_buffering=buffering)


def say(message):
    try:
        print(f"ecbench: {plain(message)}", file=sys.stderr, flush=True)
    except OSError:  # nobody to tell
        pass

