"""The output of compare --format json: a line for each point, as dataclasses; compare --schema prints the schema of a line."""

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any

from ecbench.comparison.pairs import SAME, UNKNOWN, Pair
from ecbench.comparison.questions import FASTER, SLOWER
from ecbench.documents.document import ABSENT, Json, Key

VERDICT = Key(f"{SAME}: not significantly different; {UNKNOWN}: no interval.", words=(FASTER, SLOWER, SAME, UNKNOWN))


@dataclasses.dataclass(frozen=True)
class OfRun:
    run: Annotated[str, Key("B, C, ...")]
    path: str
    gb_per_s: float
    ratio: Annotated[float, Key("Speed in this run / speed in run A.")]
    low: Annotated[float | None, Key("Lower end of the 95 % interval; null: there is none.")]
    high: float | None
    interleaved: Annotated[bool, Key("true if the repetitions of the two runs alternate in time.")]
    verdict: Annotated[str, VERDICT]


@dataclasses.dataclass(frozen=True)
class Line:
    """With two runs, the figures of B; with more, runs."""

    id: str
    point: dict[str, Any]
    a_gb_per_s: float
    b_gb_per_s: Annotated[float, Key("Only with two runs, like the keys down to verdict.")] = ABSENT
    ratio: Annotated[float, Key("Speed in B / speed in A.")] = ABSENT
    low: Annotated[float | None, Key("Lower end of the 95 % interval; null: there is none.")] = ABSENT
    high: float | None = ABSENT
    interleaved: Annotated[bool, Key("true if the repetitions of the two runs alternate in time.")] = ABSENT
    verdict: Annotated[str, VERDICT] = ABSENT
    runs: Annotated[list[OfRun], Key("Only with more than two runs: those that measured the point.")] = ABSENT


def line_of(by_name: Mapping[str, Pair], paths: Mapping[str, str]) -> Line:
    """`by_name`: the pair of each run, except A, that measured the point. `paths`: of all runs, by name."""
    first = next(iter(by_name.values()))
    point: Json = first.point.to_json()
    if len(paths) == 2:
        return Line(first.point.id, point, first.a_gb_per_s, first.b_gb_per_s, first.ratio.median, first.ratio.low,
                    first.ratio.high, first.interleaved, first.verdict)
    return Line(first.point.id, point, first.a_gb_per_s,
                runs=[OfRun(name, paths[name], pair.b_gb_per_s, pair.ratio.median, pair.ratio.low, pair.ratio.high,
                            pair.interleaved, pair.verdict) for name, pair in by_name.items()])
