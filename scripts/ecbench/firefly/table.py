"""The table of one condition: a column for each way to store, as in the article, and rows of figures for each kind of work."""

from ecbench.firefly.points import WORKS, point_name, stored_over_object

NONE = "-"
NO_CODE = "no code"
BASE = "3x"


def lines(table, figures, condition):
    """Lines of cells, the titles first."""
    cells = [["", *(store.name for store in table)]]
    cells.append(["stored / object", *(stored(figures, store, condition) for store in table)])
    for work in WORKS:
        cells += work_lines(table, figures, condition, work)
        if work.name == "encode":
            cells.append(["healthy read", *(NO_CODE for _ in table)])
    return cells


def work_lines(table, figures, condition, work):
    """Speed with half its interval, objects a second, CPU seconds, and the speed relative to three copies."""
    def each(text):
        return [cell(store, work, figures, condition, text) for store in table]

    rows = [[f"{work.name} GB/s", *each(speed)],
            ["  objects/s", *each(lambda figures, name: f"{figures.middle(name, 'objects_per_s'):.0f}")],
            ["  CPU s/GB", *each(lambda figures, name: f"{figures.middle(name, 'cpu_seconds_per_gb'):.3f}")]]
    base = next(store for store in table if store.name == BASE)
    if work.name in ("encode", "repair"):
        rows.append([f"  of {BASE}", *each(lambda figures, name: ratio(figures, name, point_name(base, work, condition)))])
    return rows


def cell(store, work, figures, condition, text):
    if not store.is_coded and not work.of_copies:
        return NO_CODE
    name = point_name(store, work, condition)
    return text(figures, name) if name in figures.rows else NONE


def speed(figures, name):
    half = figures.interval_percent(name)
    return f"{figures.middle(name):.2f}{figures.mark(name)}" + ("" if half is None else f" ±{half:.0f}%")


def ratio(figures, name, base):
    found = figures.ratio(name, base)
    if found is None:
        return NONE
    digits = 2 if found.median >= 0.1 else 3
    is_alone = found.low is None or name == base
    return f"{found.median:.{digits}f}" + ("" if is_alone else f" ({found.low:.{digits}f}..{found.high:.{digits}f})")


def stored(figures, store, condition):
    for work in WORKS:
        rows = figures.rows.get(point_name(store, work, condition))
        if rows and rows[0]["workload"] != "memcpy":
            return f"{stored_over_object(rows[0]):.3g}"
    return NONE
