"""Finds the directory for runs and results. It is used if no option names a file or directory for them."""

import os
import pathlib

from ecbench.installation.places import SOURCE
from ecbench.terminal.console import Refused


def results_folder() -> pathlib.Path:
    """Throws Refused if the directory must be in the home directory of the user, and the user has none. An example is a container
    whose user id is not in /etc/passwd."""
    if folder := os.environ.get("ECBENCH_RESULTS_DIR"):
        return pathlib.Path(folder)
    if SOURCE:
        return SOURCE / "results"
    data = os.environ.get("XDG_DATA_HOME", "")  # a relative path is ignored, as the XDG specification requires
    if data.startswith("/"):
        return pathlib.Path(data) / "ecbench"
    try:
        return pathlib.Path.home() / ".local" / "share" / "ecbench"
    except RuntimeError:
        raise Refused(f"the user with id {os.getuid()} has no home directory for the results: name a file with --output, or set "
                      "HOME or XDG_DATA_HOME to a directory") from None
