"""The table for one condition (object size, stripe unit and cache state). It has a column for each store, as in the published
tests. It has several rows for each workload."""

from collections.abc import Callable, Sequence

from ecbench.ceph.releases import Release
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.text import NONE, ratio_text
from ecbench.firefly.points import WORKS, Condition, Store, Work, point_name, stored_over_object
from ecbench.point.workloads import REFERENCE_LOOPS

NO_CODE = "no code"
BASE = "3x"


def lines(table: Sequence[Store], figures: Comparison, condition: Condition, release: Release) -> list[list[str]]:
    """The first line contains the titles of the columns."""
    cells = [["", *(store.name for store in table)]]
    cells.append(["stored / object", *(stored(figures, store, condition, release) for store in table)])
    for work in WORKS:
        cells += work_lines(table, figures, condition, work)
        if work.name == "encode":
            cells.append(["healthy read", *(NO_CODE for _ in table)])
    return cells


def work_lines(table: Sequence[Store], figures: Comparison, condition: Condition, work: Work) -> list[list[str]]:
    """The speed, the objects per second, the CPU seconds, and for some workloads the ratio to replication with three copies."""
    def each(text: Callable[[Candidate, str], str]) -> list[str]:
        names = [point_name(store, work, condition) if store.is_coded or work.of_copies else None for store in table]
        return [NO_CODE if name is None else text(figures.candidates[name], name) if name in figures.candidates else NONE
                for name in names]

    base = next(point_name(store, work, condition) for store in table if store.name == BASE)
    # Scrubs per TB instead of GB, because storage systems regularly scrub all their data.
    title, factor, digits = ("  CPU s/TB", 1000, 0) if work.name == "scrub" else ("  CPU s/GB", 1, 3)
    rows = [[f"{work.name} GB/s", *each(lambda one, _: speed(one))],
            ["  objects/s", *each(lambda one, _: f"{one.middle(lambda row: row.objects_per_s):.0f}")],
            [title, *each(lambda one, _: f"{(one.middle(lambda row: row.cpu_seconds_per_gb) or 0) * factor:.{digits}f}")]]
    if work.name in ("encode", "repair", "scrub"):
        rows.append([f"  of {BASE}", *each(lambda _, name: ratio(figures, name, base))])
    return rows


def speed(candidate: Candidate) -> str:
    half = candidate.speed.width_percent
    figure = candidate.speed.median
    return (f"{figure:.2f}" if figure >= 0.1 else f"{figure:.2g}") + candidate.mark + ("" if half is None else f" ±{half:.0f}%")


def ratio(figures: Comparison, name: str, base: str) -> str:
    if name == base:
        return "1.00"
    found = figures.ratio(name, base)
    return ratio_text(found, 2 if found and found.median >= 0.1 else 3)


def stored(figures: Comparison, store: Store, condition: Condition, release: Release) -> str:
    for work in WORKS:
        found = figures.candidates.get(point_name(store, work, condition))
        if found and found.rows[0].workload not in REFERENCE_LOOPS:
            return f"{stored_over_object(found.rows[0], release):.3g}"
    return NONE
