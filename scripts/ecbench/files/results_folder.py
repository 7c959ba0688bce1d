"""Where runs and results are written if no option names a directory."""

import os
import pathlib

from ecbench.installation.places import SOURCE
from ecbench.terminal.console import Refused


def results_folder() -> pathlib.Path:
    """Throws Refused if the user has no home directory, for example in a container whose user id has no user name."""
    if folder := os.environ.get("ECBENCH_RESULTS_DIR"):
        return pathlib.Path(folder)
    if SOURCE:
        return SOURCE / "results"
    data = os.environ.get("XDG_DATA_HOME", "")  # the XDG specification says to ignore relative paths
    if data.startswith("/"):
        return pathlib.Path(data) / "ecbench"
    try:
        return pathlib.Path.home() / ".local" / "share" / "ecbench"
    except RuntimeError:
        raise Refused(f"the user with id {os.getuid()} has no home directory for the results: name a file with --output, or set "
                      "HOME or XDG_DATA_HOME to a directory") from None
