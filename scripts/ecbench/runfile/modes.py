"""The modes in the headers of run files. This is the only shared module that contains names of modes: files of all versions are
read."""

from ecbench.documents.document import Json
from ecbench.installation.places import command

RENAMED = ("sweep", "contenders")  # until 1.0, modes of their own for experiments
OWN_CONTENT = ("fplot",)  # modes with points and rows of their own; report and compare do not read their runs


def mode_of(header: Json) -> str:
    """The header of an old run has no key "mode"."""
    mode = header.get("mode", "run")
    return "run" if mode in RENAMED else mode


def command_of(mode: str) -> str:
    """The command with which a user starts the mode."""
    return command("" if mode == "fplot" else mode).rstrip()
