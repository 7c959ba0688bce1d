"""The output of compare --format json: a line for each point, as dataclasses; compare --schema prints the schema of a line."""

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any

from ecbench.comparison.pairs import SAME, UNKNOWN, Pair
from ecbench.comparison.questions import FASTER, SLOWER
from ecbench.documents.document import ABSENT, Json, Key

Ratio = Annotated[float, Key("Speed in this run (with two runs: in B) / speed in A.")]
Low = Annotated[float | None, Key("Lower end of the 95 % interval; null: there is none.")]
Interleaved = Annotated[bool, Key("true if the repetitions of the two runs alternate in time.")]
Word = Annotated[str, Key(f"{SAME}: not significantly different; {UNKNOWN}: no interval.", words=(FASTER, SLOWER, SAME, UNKNOWN))]


@dataclasses.dataclass(frozen=True)
class OfRun:
    run: Annotated[str, Key("B, C, ...")]
    path: str
    gb_per_s: float
    ratio: Ratio
    low: Low
    high: float | None
    interleaved: Interleaved
    verdict: Word


@dataclasses.dataclass(frozen=True)
class Line:
    id: str
    point: dict[str, Any]
    a_gb_per_s: float
    b_gb_per_s: Annotated[float, Key("Only with two runs, like the keys down to verdict.")] = ABSENT
    ratio: Ratio = ABSENT
    low: Low = ABSENT
    high: float | None = ABSENT
    interleaved: Interleaved = ABSENT
    verdict: Word = ABSENT
    runs: Annotated[list[OfRun], Key("Only with more than two runs: those that measured the point.")] = ABSENT


def line_of(by_name: Mapping[str, Pair], paths: Mapping[str, str]) -> Line:
    """`by_name`: the pair of each run, except A, that measured the point. `paths`: of all runs, by name."""
    first = next(iter(by_name.values()))
    own = first.point.id, first.point.to_json(), first.a_gb_per_s
    if len(paths) == 2:
        return Line(*own, first.b_gb_per_s, **figures_of(first))
    return Line(*own, runs=[OfRun(name, paths[name], pair.b_gb_per_s, **figures_of(pair)) for name, pair in by_name.items()])


def figures_of(pair: Pair) -> Json:
    ratio = pair.ratio
    return {"ratio": ratio.median, "low": ratio.low, "high": ratio.high, "interleaved": pair.interleaved, "verdict": pair.verdict}
