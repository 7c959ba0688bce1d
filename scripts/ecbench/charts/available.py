"""Draws pages and charts, if this machine can. Only these need matplotlib and jinja2, which may be missing, half installed, or too
large for the memory. Modules that import them are imported in drawing() or by what optional() calls."""

import contextlib
import logging
import mmap
import os
import traceback
from collections.abc import Callable, Iterator
from typing import TypeVar

from ecbench.installation.places import how_to_install_charts
from ecbench.process.children import Interrupted
from ecbench.process.end import TOO_LITTLE_MEMORY, place_of
from ecbench.terminal.console import Refused, say

Drawn = TypeVar("Drawn")

LEAST_MEMORY = 256 << 20  # bytes of address space


class NotDrawn(Refused):
    """A page or chart cannot be made on this machine."""


@contextlib.contextmanager
def drawing(what: str) -> Iterator[None]:
    """Raises NotDrawn for every error of the libraries, which is not always an ImportError. `what`: the output, such as "the page".
    The message contains it."""
    # OpenBLAS, which numpy uses, allocates 128 MiB, and without so much memory tries again forever; Python then handles no signals.
    # And if it cannot start a thread per CPU, it prints many lines.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Hides matplotlib's warning that it cannot write to the home directory. Charts do not need that directory.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        mmap.mmap(-1, LEAST_MEMORY).close()
    except OSError as error:
        raise MemoryError from error
    try:
        yield
    except (Refused, Interrupted, MemoryError):
        raise
    except Exception as error:
        if os.environ.get("ECBENCH_TRACEBACK"):
            traceback.print_exc()
        raise NotDrawn(f"{what} cannot be made: {why(error)}") from error


def optional(what: str, make: Callable[[], Drawn]) -> Drawn | None:
    """What `make` draws, in addition to the text that the mode has printed; None, after one line, if it cannot be made."""
    try:
        with drawing(what):
            return make()
    except NotDrawn as error:
        say(error)
    except MemoryError:
        say(f"{what} cannot be made: {TOO_LITTLE_MEMORY}")
    return None


def why(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed: {how_to_install_charts()}"
    text = (str(error).strip().splitlines() or [""])[-1]  # numpy's message has 30 lines
    if isinstance(error, (ImportError, SyntaxError)):
        return f"a Python module cannot be loaded ({text}): {how_to_install_charts()}; if the memory is limited, give more of it"
    return (f"{type(error).__name__}: {text} ({place_of(error)}); if matplotlib, numpy or jinja2 is only half installed, "
            f"{how_to_install_charts()}")
