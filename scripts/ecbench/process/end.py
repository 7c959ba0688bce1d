"""Ends every mode of bench.sh in the same way: prints one line after bad input, a full disk, a signal or unexpected data."""

import ctypes
import errno
import os
import pathlib
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ecbench.process import temporary
from ecbench.process.children import SIGNALS, Child, Interrupted
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes, ready_standard_output, say, say_warnings

TOO_LITTLE_MEMORY = "too little memory: give smaller or fewer inputs, or end other programs, and repeat the command"
UNFILTERED = "--security-opt seccomp=unconfined"  # starts a container without a filter of system calls
# The functions that read files check their input. If they find an error, they throw Refused with the file name and the line number.
# If they miss an error, code that uses the data can throw one of the following exceptions.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, RuntimeError, TypeError, ValueError)
OF_MEMORY = (MemoryError, SystemError)  # CPython throws SystemError if it has no memory for an exception
ERRORS = (Refused, ImportError, SyntaxError, OSError, *OF_MEMORY, *UNEXPECTED)


def run_to_the_end(program: Callable[[Child], int], interrupted: str, runs_others: bool = True) -> int:
    """Runs program(child). Returns its exit code, or the exit code for the error or signal that ended it. `interrupted` is the
    message that is printed after a signal. `runs_others` is false if program() runs no other programs. Then a signal ends program()
    at once."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    last, status = "", 1
    ended: Exception | None = None
    try:
        child = Child("" if runs_others else interrupted)
        ready_standard_output()
        temporary.remove_left()
        code = program(child)
        sys.stdout.flush()
        return code
    except WrongBytes as error:
        last, status = str(error), 2
    except OutOfTime as end:
        last, status = str(end), 0
    except Interrupted as interrupt:
        last, status = interrupt.message or interrupted, 128 + interrupt.signal
    except BrokenPipeError as error:  # can occur only in modes that ignore SIGPIPE
        ended = error
    except ERRORS as error:
        last, ended = why(error), error
    finally:
        # The exit code is known; a signal must not change it. Blocking the signals in this thread would not suffice, since
        # libraries have threads, and Python restores the default handlers at its end.
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        temporary.remove()
        say_warnings("--verbose" in sys.argv)
    if last:  # it may say how to continue, so it follows the warnings
        say(last)
    end_unwritten(ended)
    return status


def end_unwritten(error: Exception | None) -> None:
    """Ends the process if the error is that standard output cannot be written: at its own end, Python would write to it again, and
    print an error message of its own."""
    if isinstance(error, BrokenPipeError):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    if isinstance(error, OSError):
        os._exit(1)


def why(error: Exception) -> str:
    """The line that is printed for one of the ERRORS."""
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, OF_MEMORY):
        return TOO_LITTLE_MEMORY
    if isinstance(error, ModuleNotFoundError):
        return f"{sys.executable} has no module {error.name}: run scripts/install-deps.sh, which installs it for /usr/bin/python3"
    if isinstance(error, (ImportError, SyntaxError)):
        reason = (str(error).strip().splitlines() or [""])[-1]
        return f"a Python module cannot be loaded: {reason}; if the memory is limited, give more of it"
    if isinstance(error, OSError):
        if not error.filename and error.errno in (errno.EPERM, errno.ENOSYS):
            return (f"a system call is refused ({error.strerror}), for example by the seccomp filter of a container; start it with "
                    f"{UNFILTERED}")
        reason = f"{error.filename or 'standard output'}: {error.strerror}"
        return temporary.why_full(reason) or reason
    if os.environ.get("ECBENCH_TRACEBACK"):
        traceback.print_exception(error)
    if str(error) == "can't start new thread":
        return ("no thread can be started: a limit (pids.max, ulimit -u) or the seccomp filter of a container forbids it; raise "
                f"the limit, or start the container with {UNFILTERED}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (f"the input has an unexpected form, or ecbench has a bug: {type(error).__name__}: {error} "
            f"({pathlib.Path(place.filename).name}, line {place.lineno}); set ECBENCH_TRACEBACK=1 to print a traceback")


def drop_unwritten_messages() -> None:
    """If standard error cannot be written, for example because the disk is full, Python would end with exit code 120."""
    try:
        sys.stderr.flush()
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


# Applies a function to many items in several processes.

Item = TypeVar("Item")
Result = TypeVar("Result")
PR_SET_PDEATHSIG = 1  # linux/prctl.h
LEAST_PER_PROCESS = 4  # items; with fewer items, the start of a process costs more time than the process saves


def in_processes(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yields the results in the order of the items. Starts at most one process for each CPU that this process may use. `function`
    must be defined at the top level of a module. The started processes end when this process ends, even if this process is killed.
    Throws Refused if a started process is killed."""
    count = min(len(os.sched_getaffinity(0)), len(items) // LEAST_PER_PROCESS)
    if count < 2:
        yield from map(function, items)
        return
    import concurrent.futures.process  # here, because each start of a mode would take 20 ms longer
    import multiprocessing

    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(count, context, begin, (os.getpid(),)) as executor:
        try:
            yield from executor.map(function, items, chunksize=min(8, len(items) // count))
        except concurrent.futures.process.BrokenProcessPool as error:
            raise Refused("a process of ecbench was killed while it read files, probably because of too little memory; end other "
                          "programs, and repeat the command") from error
        except BaseException:  # for example Interrupted or GeneratorExit
            for process in multiprocessing.active_children():
                process.kill()
            raise


def begin(parent: int) -> None:
    """Prepares a started process: it ignores SIGINT, which the parent handles, and ends when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent had already ended before the call of prctl()
        os._exit(1)
