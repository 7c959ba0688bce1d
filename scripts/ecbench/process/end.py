"""How every program of bench.sh ends: a refusal, a full disk, an interrupt, and input that is not as expected are one line each."""

import os
import pathlib
import signal
import sys
import traceback
from collections.abc import Callable

from ecbench.process import children
from ecbench.terminal.console import Refused, ready_standard_output, say

# What code throws that meets data of another form than it expects. Readers check what they read and throw Refused, which names the
# file and the line; these are for what they miss.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def run_to_the_end(program, told_when_interrupted, runs_others=True):
    """The exit code of program(child), or of what ended it. `child` is an children.Child; of a program that runs no others it is
    None, and an interrupt ends that at once."""
    if runs_others:
        child = children.Child()
    else:
        child = None
        children.raise_interrupts()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        ready_standard_output()
        code = program(child)
        sys.stdout.flush()
        return code
    except Refused as refusal:
        say(refusal)
        return 1
    except BrokenPipeError:  # of a program that does not want to be ended by SIGPIPE anywhere else
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    except OSError as error:
        end_unwritten(f"{error.filename or 'standard output'}: {error.strerror}")
    except children.Interrupted as interrupt:
        say(interrupt.message or told_when_interrupted)
        return 128 + interrupt.signal
    except UNEXPECTED as error:
        if os.environ.get("ECBENCH_TRACEBACK"):
            traceback.print_exc()
        say(unexpected(error))
        return 1


def end_unwritten(message):
    """Ends the process with 1 if standard output takes no more: a usual end would try to write again, and print a traceback."""
    say(message)
    os._exit(1)


def unexpected(error):
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (f"what was read is not as expected, or ecbench has a bug: {type(error).__name__}: {error} "
            f"({pathlib.Path(place.filename).name}, line {place.lineno}); ECBENCH_TRACEBACK=1 in the environment prints more")


def check_arguments(read_arguments: Callable[[list[str]], object], words: list[str]) -> int:
    """The exit code of a mode that only reads its arguments. Signals stay blocked: it takes no time."""
    try:
        read_arguments(words)
    except Refused as refusal:
        say(refusal)
        return 1
    return 0
