"""A case: what is held equal while candidates are compared."""

from collections.abc import Collection
from typing import NamedTuple

from ecbench.point.point import Point, bytes_text
from ecbench.point.wording import size_text, workload_text
from ecbench.runfile.summary import PointSummary

# The properties of a point that a candidate has, and those that a case has as fields of their own.
OF_CANDIDATES = ("plugin", "profile")
OF_CASES = ("workload", "erasures", "cache", "size", "changed")


class Case(NamedTuple):
    workload: str
    erasures: int  # number of lost chunks that a decode computes; 0 for other workloads
    cache: str
    k: int
    m: int
    size: int  # bytes
    changed: int = 0  # number of data chunks that an overwrite changes; 0 for other workloads
    options: tuple[tuple[str, str], ...] = ()  # name and value of all other properties
    shown: tuple[tuple[str, str], ...] = ()  # name and text of the options in the title; they follow from the options

    @property
    def shape(self) -> str:
        return f"{self.k}+{self.m}"

    @property
    def table(self) -> str:
        """The title of a table that has one line for each k+m and object size."""
        return f"{self._workload_text}, {self.cache}"

    @property
    def cells(self) -> list[str]:
        """The first cells of its line in such a table."""
        return [self.shape, bytes_text(self.size)]

    def option(self, name: str) -> str | None:
        return dict(self.options).get(name)

    @property
    def extras(self) -> list[str]:
        return [text for _, text in self.shown]

    @property
    def title(self) -> str:
        return ", ".join([workload_text(self.workload, self.erasures), self.shape, size_text(self.size), *self.extras])

    @property
    def _workload_text(self) -> str:
        count = self.erasures or self.changed
        return f"{self.workload} {count}" if count else self.workload

    def __str__(self) -> str:
        return f"{self.shape} {self._workload_text} of {bytes_text(self.size)}, {self.cache}"


def case_of_point(point: Point) -> Case:
    return Case(point.workload, point.erasures, point.cache, int(point.get("k") or 0), int(point.get("m") or 0), point.size,
                point.changed or 0)


def case_of(summary: PointSummary, shown: tuple[tuple[str, str], ...] = (), of_candidates: Collection[str] = OF_CANDIDATES) -> Case:
    """Codes without the parameters k and m have those of their rows."""
    found, row = case_of_point(summary.point), summary.row
    options = tuple((name, str(value)) for name, value in sorted(summary.point.to_json().items())
                    if name not in of_candidates and name not in OF_CASES)
    return found._replace(k=found.k or (row.k if row else 0), m=found.m or (row.m if row else 0), options=options, shown=shown)
