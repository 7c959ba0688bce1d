"""Checks whether charts can be drawn. All other modules here import matplotlib, which only the modes that draw need."""

import importlib.util
import logging

from ecbench.installation.places import how_to_install_charts
from ecbench.terminal.console import Refused


def missing(*modules: str) -> str | None:
    """The first module that is not installed, of matplotlib and `modules`; None if all are installed."""
    return next((name for name in ("matplotlib", *modules) if importlib.util.find_spec(name) is None), None)


def require(what: str, *modules: str) -> None:
    """Raises Refused if `what`, such as "the page", cannot be drawn."""
    if name := missing(*modules):
        raise Refused(f"{what} needs {' and '.join(('matplotlib', *modules))}, but {name} is not installed: "
                      f"{how_to_install_charts()}")
    # matplotlib warns if it cannot write to the home directory. Charts do not need it.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
