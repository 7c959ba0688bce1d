"""Simulates whole runs of gate ab from recorded launches. A round is one launch of every point. A simulated run consists of
stretches, which are chosen at random from a real run. A stretch is STRETCH consecutive rounds of the real run. Some disturbances
last longer than a launch, such as another program or a lower clock frequency. Within a stretch, such a disturbance affects all
points, as in the real run. All rounds with equal builds in a simulated run come from one real run, so that effects on a whole run,
such as the addresses of the copy, do not average out. The verdicts are computed as in gate ab, including the second look. Only the
launches of the first look are used. The launches of the second look are not a random sample, since only inconclusive points were
measured again."""

import collections
import random
from collections.abc import Iterable

from ecbench.gate.ab.verdict import INCONCLUSIVE, LOOKS, SLOWER, Settings, judge
from ecbench.gate.self_test.campaign import RealRun

STRETCH = 5  # rounds

Verdicts = dict[str, str]  # id → verdict


class Pool:
    """The rounds of real runs. Each round is a dict: id of a point → ratio of its launch."""

    def __init__(self, runs: Iterable[RealRun]) -> None:
        self._runs = [rounds_of(run) for run in runs]

    def draw(self, draw: random.Random, count: int) -> list[dict[str, float]]:
        run = draw.choice(self._runs)
        rounds: list[dict[str, float]] = []
        while len(rounds) < count:
            first = draw.randrange(max(1, len(run) - STRETCH + 1))
            rounds += run[first:first + STRETCH]
        return rounds[:count]


def rounds_of(run: RealRun) -> list[dict[str, float]]:
    rounds: dict[int, dict[str, float]] = collections.defaultdict(dict)
    for launch in run.launches:
        if launch["look"] == 1:
            rounds[launch["launch"]][launch["id"]] = launch["median_ratio"]
    return [rounds[number] for number in sorted(rounds)]


def drawn_run(same: Pool, handicapped: Pool | None, slow_point: str | None, settings: Settings, launches: int,
              draw: random.Random) -> Verdicts:
    """Simulates a run and returns id → verdict. The launches come from `same`, except the launches of `slow_point`, which come from
    `handicapped`."""
    ids = None
    medians: dict[str, list[float]] = {}
    verdicts: Verdicts = {}
    drawn = [(pool.draw(draw, LOOKS * launches), is_slow) for pool, is_slow in ((same, False), (handicapped, True)) if pool]
    for look in range(1, LOOKS + 1):
        for rounds, is_slow in drawn:
            for one in rounds[(look - 1) * launches:look * launches]:
                ids = ids or list(one)
                for identity in ids:
                    if (identity == slow_point) == is_slow and verdicts.get(identity, INCONCLUSIVE) == INCONCLUSIVE:
                        medians.setdefault(identity, []).append(one[identity])
        judged = judge(medians, settings, look)
        verdicts = {identity: verdict.verdict for identity, verdict in judged.items()}
        if INCONCLUSIVE not in verdicts.values():
            break
    return verdicts


def resample(same: Pool, handicapped: Pool | None, ids: list[str], settings: Settings, launches: int, runs: int,
             seed: int) -> tuple[list[Verdicts], list[tuple[str, Verdicts]]]:
    """Simulates `runs` runs without a slow point. If `handicapped` is given, also simulates `runs` runs with one slow point; each
    point is the slow point in turn. Returns two lists: the verdicts of each run without a slow point, and a pair (slow point,
    verdicts) for each run with a slow point."""
    draw = random.Random(seed)
    equal = [drawn_run(same, None, None, settings, launches, draw) for _ in range(runs)]
    slow = [ids[number % len(ids)] for number in range(runs)] if handicapped else []
    return equal, [(point, drawn_run(same, handicapped, point, settings, launches, draw)) for point in slow]


def is_alarm(verdicts: Verdicts) -> bool:
    return SLOWER in verdicts.values()
