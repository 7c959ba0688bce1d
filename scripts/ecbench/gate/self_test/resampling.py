"""Simulates whole gate runs from recorded launches. A round is one launch of every point, in the order of the run. A simulated run
consists of stretches of consecutive rounds. Thus a disturbance that lasted longer than a launch (another program, a lower clock
frequency) affects the launches of all points together, as it did in the real run. All rounds of a simulated run come from the same
real run, so that an effect on a whole run (the addresses of the copy) does not average out. The verdicts are computed as in gate
ab, including the second look. Only launches of first looks are used. The launches of second looks are no random sample, since only
inconclusive points were measured again."""

import collections
import random
from collections.abc import Iterable

from ecbench.gate.ab.verdict import INCONCLUSIVE, LOOKS, SLOWER, Settings, judge
from ecbench.gate.self_test.campaign import RealRun

STRETCH = 5  # rounds

Verdicts = dict[str, str]  # id → verdict


class Pool:
    """The rounds of real runs. Each round is a dict: id → ratio."""

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
    """Simulates `runs` runs without a slow point, and the same number of runs with one slow point (each point in turn). Returns a
    list of verdicts for the first kind of runs, and a list of pairs (slow point, verdicts) for the second kind."""
    draw = random.Random(seed)
    equal = [drawn_run(same, None, None, settings, launches, draw) for _ in range(runs)]
    slow = [ids[number % len(ids)] for number in range(runs)] if handicapped else []
    return equal, [(point, drawn_run(same, handicapped, point, settings, launches, draw)) for point in slow]


def is_alarm(verdicts: Verdicts) -> bool:
    return SLOWER in verdicts.values()
