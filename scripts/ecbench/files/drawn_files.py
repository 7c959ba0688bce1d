"""The files that a program draws: never over another's, and whole or not at all."""

import os
import pathlib
import tempfile

from ecbench.files.input_file import open_regular
from ecbench.terminal.console import Refused, plain_lines


def check_replaceable(path, mark, program):
    """A page that `program` marked is a product of its run and may be drawn again; anything else stays. Throws Refused."""
    try:
        with open_regular(path) as existing:
            if mark.encode() in existing.read(4096):
                return
    except FileNotFoundError:
        return
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error
    raise Refused(f"{path} exists and was not written by {program}: it is not overwritten; --output FILE names another place")


def write_all(texts):
    """Each text to its path, all or none as far as a file system can: written beside, then renamed."""
    written = []
    try:
        for path, text in texts.items():
            path = pathlib.Path(os.path.realpath(path))
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            written.append((name, path))
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as out:
                os.fchmod(out.fileno(), 0o666 & ~umask())
                out.write(plain_lines(text))
        for name, path in written:
            os.replace(name, path)
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error
    finally:
        for name, _ in written:
            if os.path.exists(name):
                os.unlink(name)


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
