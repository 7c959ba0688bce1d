"""Checks whether matplotlib and jinja2 are installed. Only modes that draw charts or pages need them. These modes make this check
before they import the modules that use these packages."""

import importlib.util
import logging

from ecbench.installation.places import how_to_install_charts
from ecbench.terminal.console import Refused


def missing(*modules: str) -> str | None:
    """The first of matplotlib and `modules` that is not installed; None if all are installed."""
    return next((name for name in ("matplotlib", *modules) if importlib.util.find_spec(name) is None), None)


def require(what: str, *modules: str) -> None:
    """Raises Refused if `what`, such as "the page", cannot be drawn."""
    if name := missing(*modules):
        raise Refused(f"{what} needs {' and '.join(('matplotlib', *modules))}, but {name} is not installed: "
                      f"{how_to_install_charts()}")
    # Hides matplotlib's warning that it cannot write to the home directory. Charts do not need that directory.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
