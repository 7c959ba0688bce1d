"""Applies a function to many items in several processes."""

import concurrent.futures
import concurrent.futures.process
import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ecbench.terminal.console import Refused

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
