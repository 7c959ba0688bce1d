"""The answer that bench.sh prints before the grid: isa and jerasure, encode and one or two lost chunks, in interleaved rounds."""

import dataclasses
from collections.abc import Iterator, Sequence

from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.results import Results
from ecbench.measure.session import Effort, Session
from ecbench.point.point import Planned, Point, make_point, size_word
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import is_disturbed
from ecbench.statistics.interval import median

EXPERIMENT = Experiment(together=("workload", "erasures"))
QUESTION = EXPERIMENT.question
TECHNIQUE = "reed_sol_van"
PROFILES = {"isa": {"technique": TECHNIQUE}, "jerasure": {"technique": TECHNIQUE, PER_CHUNK_ALIGNMENT: "true"}}
SHAPE = (6, 2)
SIZE = 1 << 20
ROUNDS = 12
SECONDS = 15.0
STAGE = "answer"
EFFORT = Effort(0.1, limit=False)


def points_of(k: int, m: int, size: int) -> list[Point]:
    return [make_point(plugin, {"k": k, "m": m, **profile}, "decode" if lost else "encode", size, lost)
            for plugin, profile in PROFILES.items() for lost in range(min(m, 2) + 1)]


def lines(session: Session, run: Run, points: Sequence[Point], seconds: float) -> Iterator[str]:
    """Measures the rounds and yields the lines of the answer. Throws children.Interrupted and OutOfTime."""
    session.take_rounds(points, ROUNDS, STAGE, EFFORT, 0, seconds)
    by_id = {point.id: point for point in points}
    header = dataclasses.replace(run.header, points=list(map(Planned, points)))
    answer = Run(run.path, header, by_id)
    for key, record in run.records.items():
        if key.stage == STAGE:
            answer.add(key._replace(stage=""), record)
    results = Results(by_id, EXPERIMENT, answer)
    rows = [row for rows in answer.rows.values() for row in rows]
    yield f"one core, {len({row.repetition for row in rows})} interleaved rounds:"
    yield from results.rankings()
    widths = [width for _, found in results.cases for one in found.candidates.values()
              if (width := one.speed.width_percent) is not None]
    noise = f"±{median(widths):.1f} %" if widths else "unknown"
    yield f"noise: {noise}; other programs disturbed {sum(map(is_disturbed, rows))} of {len(rows)} measurements"
    yield from results.lines("a larger --budget")
    yield f"next: ./bench.sh tune k={points[0].get('k')} m={points[0].get('m')} size={size_word(points[0].size)}"
