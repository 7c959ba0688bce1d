"""The files that a gate was asked to write beside its table: refused before the work if they could not be written."""

import os

from ecbench.terminal.console import Refused


def check_writable(files, others=None):
    """`files`: option → path, None where it is not given; `others`: the same of files that the gate has beside these. Throws
    Refused."""
    named = {option: path for option, path in files.items() if path is not None}
    taken = {**named, **{option: path for option, path in (others or {}).items() if path}}
    for option, path in named.items():
        folder = os.path.dirname(path) or "."
        if not path or os.path.isdir(path):
            why = "give a file, not a folder"
        elif not os.path.isdir(folder):
            why = f"there is no folder {folder}"
        elif not os.access(path if os.path.exists(path) else folder, os.W_OK):
            why = "it cannot be written"
        elif any(os.path.realpath(path) == os.path.realpath(other) for kind, other in taken.items() if kind != option):
            why = "two outputs cannot go to one file"
        else:
            continue
        raise Refused(f"{option} {path} is not allowed: {why}")


def write(option, path, text):
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"{option} {path} cannot be written: {error.strerror}") from error
