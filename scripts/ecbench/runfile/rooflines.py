"""The roofline in runs that measure it as points of their own: points of the workload limit, next to the codes in each round."""

from collections.abc import Iterable, Mapping

from ecbench.point.point import Point
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run

LIMIT = "limit"  # the workload of these points
ByRound = Mapping[int, float]  # repetition → GB/s


def by_round(rows: Iterable[Row]) -> dict[int, float]:
    return {row.repetition: row.gb_per_s for row in rows}


def key_of(point: Point, written: int) -> tuple[int, int, int, str]:
    """Operations with this key have the same roofline. `written`: the number of chunks that the operation computes."""
    return int(point.get("k") or 0), written, point.size, point.cache


def key_of_limit(point: Point) -> tuple[int, int, int, str]:
    """The key of a point of the workload limit, whose m is the number of chunks that it writes."""
    return key_of(point, int(point.get("m") or 0))


def rooflines_of(run: Run) -> dict[tuple[int, int, int, str], ByRound]:
    return {key_of_limit(point): by_round(run.rows[point_id]) for point_id, point in run.points.items()
            if point.workload == LIMIT and any(row.gb_per_s for row in run.rows.get(point_id, ()))}


def percents(speeds: ByRound, roofline: ByRound) -> list[float]:
    """The share of the roofline in each round that has both."""
    return [100 * speed / roofline[number] for number, speed in speeds.items() if roofline.get(number)]
