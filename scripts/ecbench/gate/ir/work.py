"""Counts up to MOST_AT_ONCE points at the same time. This is possible because other programs do not change the counts."""

import concurrent.futures
import os
import sys
from collections.abc import Hashable
from typing import TypeVar

from ecbench.gate.ir.counting import Count, Counter
from ecbench.gate.sides.sides import Side
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.profilers.subject import Broken
from ecbench.terminal.console import Refused, WrongBytes
from ecbench.terminal.progress import Progress

MOST_AT_ONCE = 8

Key = TypeVar("Key", bound=Hashable)


def count_all(tasks: list[tuple[Key, Counter, Point, Side]], child: Child) -> dict[Key, Count]:
    """Counts all tasks. Returns a dict: key of a task → its count. Throws Refused or WrongBytes if a task fails, and
    children.Interrupted."""
    progress = Progress(sys.stderr, len(tasks))
    counts: dict[Key, Count] = {}
    workers = min(MOST_AT_ONCE, len(os.sched_getaffinity(0)), max(1, len(tasks)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(counter.count, point, side, child): (key, point, side) for key, counter, point, side in tasks}
        try:
            for future in concurrent.futures.as_completed(futures):
                key, point, side = futures[future]
                counts[key] = result_of(future, point, side)
                progress.advance()
                progress.show(point)
        finally:
            for future in futures:
                future.cancel()
            progress.erase()
    return counts


def result_of(future: concurrent.futures.Future[Count], point: Point, side: Side) -> Count:
    try:
        return future.result()
    except Broken as error:
        text = f"{point}, by {side.program}: {error}"
        if error.exit_code == 2:
            raise WrongBytes(text) from error
        raise Refused(text) from error
