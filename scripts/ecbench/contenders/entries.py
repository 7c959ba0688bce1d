"""The points in the header of a run. Each point has the rows that were measured for it."""

import dataclasses
from typing import Any

from ecbench.contenders.libraries import LIMIT
from ecbench.point.point import Point
from ecbench.runfile.run_file import Run


@dataclasses.dataclass(frozen=True)
class Entry:
    library: str  # as in the header of the run
    case: str
    point: Point
    rows: list[dict[str, Any]]
    has_wrong_bytes: bool  # whether the bytes were wrong in at least one round

    @property
    def is_limit(self) -> bool:
        return self.library == LIMIT


def entries_of(run: Run) -> list[Entry]:
    """The entries in the order of the header. Run files that were written until 2026-11-21 have the key `contestant` instead of
    `library`."""
    return [Entry(entry["library"] if "library" in entry else entry["contestant"], entry["group"], run.points[entry["id"]],
                  run.rows.get(entry["id"], []),
                  any(failure["kind"] == "wrong_bytes" for failure in run.failures.get(entry["id"], [])))
            for entry in run.header["points"]]
