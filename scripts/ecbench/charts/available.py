"""Checks whether matplotlib and jinja2 are installed. Only the modes that write charts or pages need these two packages. Each of
these modes first makes this check, and then imports the Python modules that use the packages."""

import importlib.util
import logging
import mmap
import os

from ecbench.installation.places import how_to_install_charts
from ecbench.terminal.console import Refused

LEAST_MEMORY = 256 << 20  # bytes of address space


def missing(*modules: str) -> str | None:
    """Checks matplotlib and then `modules`. Returns the first of them that is not installed, or None if all are installed."""
    return next((name for name in ("matplotlib", *modules) if importlib.util.find_spec(name) is None), None)


def require(what: str, *modules: str) -> None:
    """Raises Refused if matplotlib or one of `modules` is not installed. `what`: the output that needs these packages, such as
    "the page". The message contains `what`."""
    if name := missing(*modules):
        raise Refused(f"{what} needs {' and '.join(('matplotlib', *modules))}, but {name} is not installed: "
                      f"{how_to_install_charts()}")
    # OpenBLAS, which numpy uses, allocates 128 MiB, and without so much memory tries again forever; Python then handles no signals.
    # And if it cannot start a thread per CPU, it prints many lines.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        mmap.mmap(-1, LEAST_MEMORY).close()
    except OSError as error:
        raise MemoryError from error
    # Hides matplotlib's warning that it cannot write to the home directory. Charts do not need that directory.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
