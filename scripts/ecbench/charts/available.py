"""Whether charts can be drawn here. The rest of this folder imports matplotlib, which only a mode that draws needs."""

import importlib.util
import logging

from ecbench.installation.places import how_to_install_charts
from ecbench.terminal.console import Refused


def missing(*modules: str) -> str | None:
    """The first of matplotlib and `modules` that is not installed; None if all are."""
    return next((name for name in ("matplotlib", *modules) if importlib.util.find_spec(name) is None), None)


def require(what: str, *modules: str) -> None:
    """Raises Refused if `what`, such as "the page", cannot be drawn."""
    if name := missing(*modules):
        raise Refused(f"{what} is drawn by {' and '.join(('matplotlib', *modules))}, and {name} is not installed: "
                      f"{how_to_install_charts()}")
    # matplotlib warns of a home directory that cannot be written, which does not matter for a chart.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
