"""The answer that bench.sh prints before the grid: isa and jerasure, encode and one or two lost chunks, in interleaved rounds."""

import collections
import math
import statistics
from collections.abc import Iterator, Sequence

from ecbench.bench.table import CORES, cores
from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT
from ecbench.comparison import answer as comparison
from ecbench.comparison.answer import Answer
from ecbench.comparison.figures import SELECT, Rounds
from ecbench.comparison.select import select
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Point, bytes_text, make_point, number_text, size_word
from ecbench.runfile.row import Row, RowOrFailure
from ecbench.runfile.summary import disturbed_share, is_disturbed
from ecbench.statistics.interval import Estimate, estimate, median
from ecbench.terminal.console import aligned

QUESTION = SELECT
PLUGINS = ("isa", "jerasure")
TECHNIQUE = "reed_sol_van"
SHAPE = (6, 2)
SIZE = 1 << 20
ROUNDS = 12
SECONDS = 15.0
STAGE = "answer"
EFFORT = Effort(0.1, limit=False)


def points_of(k: int, m: int, size: int) -> list[Point]:
    more = {"jerasure": {PER_CHUNK_ALIGNMENT: "true"}}
    profiles = {plugin: {"k": k, "m": m, "technique": TECHNIQUE, **more.get(plugin, {})} for plugin in PLUGINS}
    return [make_point(plugin, profile, "decode" if lost else "encode", size, lost) for plugin, profile in profiles.items()
            for lost in range(min(m, 2) + 1)]


def lines(session: Session, points: Sequence[Point], seconds: float) -> Iterator[str]:
    """Measures the rounds and yields the lines of the answer. Throws children.Interrupted and OutOfTime."""
    found = session.take_rounds(points, ROUNDS, STAGE, EFFORT, 0, seconds)
    rows = {point: [one for one in found[point.id] if not one.failure] for point in points}
    first = points[0]
    count = max(map(len, rows.values()))
    yield f"{first.get('k')}+{first.get('m')}, {bytes_text(first.size)} objects, one core, {count} interleaved rounds:"
    table = [["plugin", "technique", "workload", "GB/s", "±%", CORES]]
    for point, measured in rows.items():
        speed = speed_of(measured)
        table.append([point.plugin, TECHNIQUE, f"decode {point.erasures} lost" if point.erasures else "encode",
                      f"{speed.median:.2f}" if measured else "-", number_text(speed.width_percent),
                      cores(median([row.cpu_seconds_per_gb for row in measured])) if measured else "-"])
    yield from (f"  {line}" for line in aligned(table, left=3))
    yield noise(rows)
    yield str(verdict(points, found))
    yield f"next: ./bench.sh tune k={first.get('k')} m={first.get('m')} size={size_word(first.size)}"


def verdict(points: Sequence[Point], found: dict[str, list[RowOrFailure]]) -> Answer:
    speeds: dict[int, dict[str, float]] = collections.defaultdict(dict)  # of the rounds in which all points of a plugin have a row
    shares = {}
    for plugin in PLUGINS:
        of_points = [found[point.id] for point in points if point.plugin == plugin]
        complete = {index: rows for index, of_round in enumerate(zip(*of_points))
                    if len(rows := [row for row in of_round if not row.failure and row.gb_per_s]) == len(of_points)}
        for index, rows in complete.items():
            speeds[index][plugin] = math.log(statistics.harmonic_mean([row.gb_per_s for row in rows]))
        if complete:
            shares[plugin] = disturbed_share([row for rows in complete.values() for row in rows])
    figures = Rounds([speeds[index] for index in sorted(speeds)], shares)
    missing = [plugin for plugin in PLUGINS if plugin not in shares]
    failed = [plugin for plugin in missing if any(outcome.failure for point in points if point.plugin == plugin
                                                  for outcome in found[point.id])]
    waiting = [plugin for plugin in missing if plugin not in failed]
    return comparison.answer(figures, select(figures, failed, candidates=list(shares), unmeasured=waiting),
                             "a larger --budget", failed=failed, unmeasured=waiting)


def noise(rows: dict[Point, list[Row]]) -> str:
    spreads = [spread for measured in rows.values() if (spread := speed_of(measured).width_percent) is not None]
    every = [row for measured in rows.values() for row in measured]
    width = f"±{median(spreads):.1f} %" if spreads else "unknown"
    return f"noise: {width}; other programs disturbed {sum(map(is_disturbed, every))} of {len(every)} measurements"


def speed_of(rows: Sequence[Row]) -> Estimate:
    return estimate([row.gb_per_s for row in rows])
