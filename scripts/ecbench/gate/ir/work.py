"""Does the counting of many points, on all CPUs at once: what is counted does not depend on what else runs."""

import concurrent.futures
import os
import sys

from ecbench.profilers.subject import Broken
from ecbench.terminal.console import Refused
from ecbench.terminal.progress import Progress

MOST_AT_ONCE = 8


class WrongBytes(Exception):
    """A code gave back something else than it was given: one line."""


class WorkingFolder:
    """Where a profiler leaves its files, as profile.folder.Folder; all goes with the folder."""

    def __init__(self, path):
        self._path = path

    def file(self, name):
        return os.path.join(self._path, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)


def count_all(tasks, child):
    """`tasks` are (key, counter, Point, Side); returns key → Count. Throws Refused for the first that does not work, WrongBytes,
    and children.Interrupted."""
    progress = Progress(sys.stderr, len(tasks))
    counts = {}
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


def result_of(future, point, side):
    try:
        return future.result()
    except Broken as error:
        text = f"{point}, by {side.program}: {error}"
        if error.exit_code == 2:
            raise WrongBytes(text) from error
        raise Refused(text) from error
