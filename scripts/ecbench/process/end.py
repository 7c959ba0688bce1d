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

# The functions that read files check their input. If they find an error, they throw Refused with the file name and the line number.
# If they miss an error, code that uses the data can throw one of the following exceptions.
TOO_LITTLE_MEMORY = "too little memory: give smaller or fewer inputs, or end other programs, and repeat the command"
UNFILTERED = "--security-opt seccomp=unconfined"  # starts a container without a filter of system calls
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, RuntimeError, TypeError, ValueError)


def run_to_the_end(program: Callable[[Child], int], interrupted: str, runs_others: bool = True) -> int:
    """Runs program(child). Returns its exit code, or the exit code for the error or signal that ended it. `interrupted` is the
    message that is printed after a signal. `runs_others` is false if program() runs no other programs. Then a signal ends program()
    at once."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    is_broken, unwritten, last, status = False, "", "", 1
    try:
        child = Child("" if runs_others else interrupted)
        ready_standard_output()
        temporary.remove_left()
        code = program(child)
        sys.stdout.flush()
        return code
    except WrongBytes as error:
        say(error)
        return 2
    except OutOfTime as end:
        last, status = str(end), 0
    except Refused as refusal:
        say(refusal)
    except (ImportError, SyntaxError) as error:
        say(not_loaded(error))
    except BrokenPipeError:  # can occur only in modes that ignore SIGPIPE
        is_broken = True
    except OSError as error:
        unwritten = why_failed(error)
        unwritten = str(temporary.unwritten(error)) if temporary.is_full(unwritten) else unwritten
    except Interrupted as interrupt:
        last, status = interrupt.message or interrupted, 128 + interrupt.signal
    except (MemoryError, SystemError):  # CPython throws SystemError if it has no memory for an exception
        say(TOO_LITTLE_MEMORY)
    except UNEXPECTED as error:
        if os.environ.get("ECBENCH_TRACEBACK"):
            traceback.print_exc()
        say(unexpected(error))
    finally:
        # The exit code is known; a signal must not change it. Blocking the signals in this thread would not suffice, since
        # libraries have threads, and Python restores the default handlers at its end.
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        temporary.remove()
        say_warnings("--verbose" in sys.argv)
    if last:  # it says how to continue, so it follows the warnings
        say(last)
    if unwritten:
        end_unwritten(unwritten)
    if is_broken:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return status


def end_unwritten(message: str) -> None:
    """Ends the process with exit code 1. Does not use sys.exit(), because Python would then write to standard output again, and
    print an error message of its own."""
    say(message)
    os._exit(1)


def why_failed(error: OSError) -> str:
    if not error.filename and error.errno in (errno.EPERM, errno.ENOSYS):
        return (f"a system call is refused ({error.strerror}), for example by the seccomp filter of a container; start it with "
                f"{UNFILTERED}")
    return f"{error.filename or 'standard output'}: {error.strerror}"


def drop_unwritten_messages() -> None:
    """If standard error cannot be written, for example because the disk is full, Python would end with exit code 120."""
    try:
        sys.stderr.flush()
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


def not_loaded(error: ImportError | SyntaxError) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{sys.executable} has no module {error.name}: run scripts/install-deps.sh, which installs it for /usr/bin/python3"
    why = (str(error).strip().splitlines() or [""])[-1]
    return f"a Python module cannot be loaded: {why}; if the memory is limited, give more of it"


def unexpected(error: Exception) -> str:
    if str(error) == "can't start new thread":
        return ("no thread can be started: a limit (pids.max, ulimit -u) or the seccomp filter of a container forbids it; raise "
                f"the limit, or start the container with {UNFILTERED}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (f"the input has an unexpected form, or ecbench has a bug: {type(error).__name__}: {error} "
            f"({pathlib.Path(place.filename).name}, line {place.lineno}); set ECBENCH_TRACEBACK=1 to print a traceback")


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
