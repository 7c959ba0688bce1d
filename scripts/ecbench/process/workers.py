"""Applies a function to many items in several processes."""

import concurrent.futures
import concurrent.futures.process
import ctypes
import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ecbench.terminal.console import Refused

Item = TypeVar("Item")
Result = TypeVar("Result")
PR_SET_PDEATHSIG = 1  # linux/prctl.h
GARBAGE = 200_000  # new objects before a search for cycles: parsed files have many objects and no cycles
LEAST_PER_PROCESS = 4  # with fewer items, starting a process takes longer than it saves


def in_processes(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results in the order of the items, from as many processes as this one may use CPUs. `function` must be defined at the top
    level of a module. The processes end with this one, also if it is killed. Throws Refused if one of them was killed."""
    count = min(len(os.sched_getaffinity(0)), len(items) // LEAST_PER_PROCESS)
    if count < 2:
        yield from map(function, items)
        return
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(count, context, begin, (os.getpid(),)) as executor:
        try:
            yield from executor.map(function, items, chunksize=min(8, len(items) // count))
        except concurrent.futures.process.BrokenProcessPool as error:
            raise Refused("a process that read files was killed; free memory, and repeat the command") from error
        except BaseException:  # also Interrupted and GeneratorExit
            for process in multiprocessing.active_children():
                process.kill()
            raise


def begin(parent: int) -> None:
    """Leaves signals of the terminal to the parent, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    gc.set_threshold(GARBAGE)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before prctl()
        os._exit(1)
