"""Ends every mode of bench.sh in the same way: prints one line after bad input, a full disk, a signal or unexpected data."""

import os
import pathlib
import signal
import sys
import traceback
from collections.abc import Callable

from ecbench.process.children import Child, Interrupted
from ecbench.terminal.console import Refused, WrongBytes, ready_standard_output, say

# Exceptions from code that gets data of an unexpected form. The functions that read files check their input, and throw Refused with
# the file and the line. The exceptions in this list occur if these functions did not detect an error.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def run_to_the_end(program: Callable[[Child], int], interrupted: str, runs_others: bool = True) -> int:
    """Runs program(child). Returns its exit code, or the exit code for the error or signal that ended it. `interrupted` is the
    message after a signal. If `runs_others` is false, the program runs no other programs, and a signal ends it at once."""
    child = Child(raises_at_once=not runs_others)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        ready_standard_output()
        code = program(child)
        sys.stdout.flush()
        return code
    except WrongBytes as error:
        say(error)
        return 2
    except Refused as refusal:
        say(refusal)
    except ModuleNotFoundError as error:
        say(f"{sys.executable} has no module {error.name}: run scripts/install-deps.sh, which installs it for /usr/bin/python3")
    except BrokenPipeError:  # only in gate, which ignores SIGPIPE
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    except OSError as error:
        end_unwritten(f"{error.filename or 'standard output'}: {error.strerror}")
    except Interrupted as interrupt:
        say(interrupt.message or interrupted)
        return 128 + interrupt.signal
    except UNEXPECTED as error:
        if os.environ.get("ECBENCH_TRACEBACK"):
            traceback.print_exc()
        say(unexpected(error))
    return 1


def end_unwritten(message: str) -> None:
    """Ends the process with exit code 1. The normal end would write to standard output again and print a traceback."""
    say(message)
    os._exit(1)


def unexpected(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (f"the input has an unexpected form, or ecbench has a bug: {type(error).__name__}: {error} "
            f"({pathlib.Path(place.filename).name}, line {place.lineno}); set ECBENCH_TRACEBACK=1 to print a traceback")


def check_arguments(read_arguments: Callable[[list[str]], object], words: list[str]) -> int:
    """Checks the arguments of a mode. Returns the exit code. Signals stay blocked, since the check takes little time."""
    try:
        read_arguments(words)
    except Refused as refusal:
        say(refusal)
        return 1
    return 0
