"""The modes in the headers of run files. This is the only shared module that contains names of modes: files of all versions are
read."""

from ecbench.installation.places import command
from ecbench.point.point import Json

OWN_CONTENT = ("fplot", "mixed")  # modes with points and rows of their own; report and compare do not read their runs
WITHOUT_LIMIT = "contenders"  # until 2026-11-21, the headers of this mode did not say that no limit was measured


def mode_of(header: Json) -> str:
    """The header of an old run has no key "mode"; such a run is of the mode contenders or run."""
    contenders = any("group" in entry for entry in header["points"])
    mode = header.get("mode", "contenders" if contenders else "run")
    return "run" if mode == "sweep" else mode  # its name until 1.0


def measures_limit(mode: str, limit: bool | None) -> bool:
    """`limit`: the option in the header."""
    return mode != WITHOUT_LIMIT if limit is None else bool(limit)


def command_of(mode: str) -> str:
    """The command with which a user starts the mode."""
    return command("" if mode == "fplot" else mode).rstrip()
