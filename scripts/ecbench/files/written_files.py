"""The files that a command writes: refused before the work if they could not be written, or if the command reads them too."""

import os
import stat

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
        elif any(is_same(path, other) for kind, other in taken.items() if kind != option):
            why = "two outputs cannot go to one file"
        else:
            continue
        raise Refused(f"{option} {path} is not allowed: {why}")


def is_same(one, other):
    """Whether two paths name one file, also by links."""
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


def check_apart(outputs, inputs):
    """Both are pairs of what a path is called, such as --json, and the path, None where it is not given. Throws Refused if an output,
    or standard output, is an input too: by the same path or another, or by a symbolic or a hard link. An output that is a folder is
    replaced with all that is in it."""
    read = {}
    for name, path in inputs:
        for identity in identities(path):
            read[identity] = f"{name} {path}"
    for option, path in outputs:
        for identity in identities(path):
            if identity in read:
                raise Refused(f"{option} {path} is not allowed: the command would overwrite {read[identity]}, which it reads; name "
                              "another file")
    for identity in identities(1):
        if identity in read:
            raise Refused(f"standard output is not allowed to go to {read[identity]}, which the command reads: name another file")


def identities(path):
    """Device and inode of a regular file, or of all in a folder."""
    if path is None:
        return
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # it is not there, or no path
        return
    if stat.S_ISREG(status.st_mode):
        yield status.st_dev, status.st_ino
    elif stat.S_ISDIR(status.st_mode):
        for parent, _, names in os.walk(path):
            for name in names:
                yield from identities(os.path.join(parent, name))


def write(option, path, text):
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"{option} {path} cannot be written: {error.strerror}") from error
