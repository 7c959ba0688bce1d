"""The table for one condition (object size, stripe unit and cache state). It has a column for each store, as in the published
tests. It has several rows for each workload."""

from collections.abc import Callable, Sequence

from ecbench.ceph.releases import Release
from ecbench.firefly.points import WORKS, Condition, Store, Work, point_name, stored_over_object
from ecbench.point.workloads import REFERENCE_LOOPS
from ecbench.runfile.figures import Figures

NONE = "-"
NO_CODE = "no code"
BASE = "3x"


def lines(table: Sequence[Store], figures: Figures, condition: Condition, release: Release) -> list[list[str]]:
    """Returns the lines of the table, each as a list of cells. The first line contains the titles of the columns."""
    cells = [["", *(store.name for store in table)]]
    cells.append(["stored / object", *(stored(figures, store, condition, release) for store in table)])
    for work in WORKS:
        cells += work_lines(table, figures, condition, work)
        if work.name == "encode":
            cells.append(["healthy read", *(NO_CODE for _ in table)])
    return cells


def work_lines(table: Sequence[Store], figures: Figures, condition: Condition, work: Work) -> list[list[str]]:
    """Returns the lines of one workload: the speed with its interval, the objects per second, and the CPU seconds per GB or TB.
    Some workloads have one more line: the speed divided by the speed of replication with three copies."""
    def each(text: Callable[[str], str]) -> list[str]:
        names = [point_name(store, work, condition) if store.is_coded or work.of_copies else None for store in table]
        return [NO_CODE if name is None else text(name) if name in figures.rows else NONE for name in names]

    rows = [[f"{work.name} GB/s", *each(lambda name: speed(figures, name))],
            ["  objects/s", *each(lambda name: f"{figures.middle(name, 'objects_per_s'):.0f}")],
            ["  CPU s/GB", *each(lambda name: f"{figures.middle(name, 'cpu_seconds_per_gb'):.3f}")]]
    if work.name == "scrub":  # per TB instead of GB, because storage systems regularly scrub all their data
        rows[-1] = ["  CPU s/TB", *each(lambda name: f"{(figures.middle(name, 'cpu_seconds_per_gb') or 0) * 1000:.0f}")]
    base = next(point_name(store, work, condition) for store in table if store.name == BASE)
    if work.name in ("encode", "repair", "scrub"):
        rows.append([f"  of {BASE}", *each(lambda name: ratio(figures, name, base))])
    return rows


def speed(figures: Figures, name: str) -> str:
    half = figures.interval_percent(name)
    return f"{figures.middle(name):.2f}{figures.mark(name)}" + ("" if half is None else f" ±{half:.0f}%")


def ratio(figures: Figures, name: str, base: str) -> str:
    found = figures.ratio(name, base)
    if found is None:
        return NONE
    digits = 2 if found.median >= 0.1 else 3
    has_interval = found.low is not None and name != base
    return f"{found.median:.{digits}f}" + (f" ({found.low:.{digits}f}..{found.high:.{digits}f})" if has_interval else "")


def stored(figures: Figures, store: Store, condition: Condition, release: Release) -> str:
    for work in WORKS:
        rows = figures.rows.get(point_name(store, work, condition))
        if rows and rows[0]["workload"] not in REFERENCE_LOOPS:
            return f"{stored_over_object(rows[0], release):.3g}"
    return NONE
