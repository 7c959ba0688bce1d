"""What is compared: cases, each the same work on an object of the same size, in the same cache state, for the same k+m. Contestants
race within a case."""

import dataclasses
import itertools
import re

from ecbench.terminal.console import Refused
from ecbench.point.grid import read_numbers
from ecbench.point.point import bytes_text

SHAPES = ("2+1", "4+2", "6+2", "8+4", "10+4")
SIZES = ("4K", "128K", "1M", "4M")
CACHES = ("warm", "cold")
WORKLOADS = {"encode": ("encode", 0), "decode1": ("decode", 1), "decode2": ("decode", 2)}


@dataclasses.dataclass(frozen=True)
class Case:
    workload: str
    erasures: int
    cache: str
    k: int
    m: int
    size: int

    @property
    def work(self):
        return f"{self.workload} {self.erasures}" if self.erasures else self.workload

    @property
    def shape(self):
        return f"{self.k}+{self.m}"

    @property
    def table(self):
        """What stands in one table: all shapes and sizes of it."""
        return f"{self.work}, {self.cache}"

    @property
    def written(self):
        """How many chunks a call computes."""
        return self.erasures or self.m

    def __str__(self):
        return f"{self.shape} {self.work} of {bytes_text(self.size)}, {self.cache}"


def case_of(point):
    """The case that a point belongs to."""
    return Case(point.workload, point.erasures, point.cache, int(point.get("k")), int(point.get("m")), point.size)


@dataclasses.dataclass(frozen=True)
class Selection:
    shapes: tuple  # of (k, m)
    sizes: tuple  # bytes
    caches: tuple
    workloads: tuple  # of (workload, erasures)

    def cases(self):
        """In the order of the tables. Throws Refused if there is none: no shape has as many coding chunks as are lost."""
        found = [Case(workload, erasures, cache, k, m, size)
                 for (workload, erasures), cache, (k, m), size in itertools.product(self.workloads, self.caches, self.shapes,
                                                                                  self.sizes)
                 if erasures <= m]
        if not found:
            raise Refused("nothing can be compared: decode2 loses two chunks, and no shape of --shapes has two coding chunks")
        return found


def read_selection(shapes, sizes, caches, workloads):
    """Each a text of values with commas between them. Throws Refused."""
    return Selection(tuple(read_shape(word) for word in words_of("--shapes", shapes)),
                     tuple(dict.fromkeys(size for word in words_of("--sizes", sizes) for size in read_numbers("size", word))),
                     tuple(words_of("--caches", caches, CACHES)),
                     tuple(WORKLOADS[word] for word in words_of("--workloads", workloads, WORKLOADS)))


def words_of(option, text, allowed=None):
    """Each once."""
    words = list(dict.fromkeys(text.split(",")))
    for word in words:
        if not word or allowed is not None and word not in allowed:
            what = f"of {', '.join(allowed)}" if allowed else "such as the default's"
            raise Refused(f"{option} {text} is not allowed: give words {what}, with commas between them; "
                          f"{repr(word) if word else 'an empty one'} is none")
    return words


def read_shape(text):
    match = re.fullmatch(r"([0-9]{1,3})\+([0-9]{1,3})", text)
    if not match or 0 in (int(match[1]), int(match[2])):
        raise Refused(f"--shapes {text} is not allowed: a shape is k+m, data and coding chunks, such as 6+2")
    return int(match[1]), int(match[2])
