"""The race: successive halving over rungs that grow longer, by intervals.

The first rung measures all candidates shortly, each later one fewer, more often and longer. After a rung goes who is beyond doubt
slower than the fastest (standing.clearly_below), and, if still more are left than the next rung has room for, who came last. What
one short measurement misleads by is thus known when it is used: the first rung, a single round, takes the loudest noise known of.

The last rung starts from nothing, as who came first so far was lucky as well as fast. Its rounds hold all finalists, interleaved,
until every one is clearly slower than the best or its ratio to the best is known to within the aim; or MOST_ROUNDS are over."""

import dataclasses
import math
import random

from ecbench.statistics import standing


@dataclasses.dataclass(frozen=True)
class Effort:
    """How one process measures one workload: as ecbench's --min-time and --placements."""

    min_time: float
    placements: int


@dataclasses.dataclass(frozen=True)
class Rung:
    effort: Effort
    rounds: int
    room: float  # the share of the candidates of the first rung that the next one takes at most


RUNGS = (
    Rung(Effort(0.01, 4), rounds=1, room=1 / 3),
    Rung(Effort(0.02, 8), rounds=2, room=1 / 8),
    Rung(Effort(0.04, 8), rounds=3, room=1 / 25),
)
FINAL = Effort(0.1, 8)
LEAST_FINALISTS = 6  # the next rung has room for so many in any case
LEAST_ROUNDS = 6  # an order-statistic interval of 95 % needs six
MOST_ROUNDS = 15


class Race:
    """`measure(candidate, effort)` gives the logarithm of a candidate's speed, or None if it must leave the race: the caller knows
    why. `watch(stage, runners)` is told of each rung before it runs."""

    def __init__(self, measure, watch, seed, aim_percent):
        self._measure = measure
        self._watch = watch
        self._random = random.Random(seed)
        self.aim = aim_percent / 100
        self.by_rank = []  # candidates sent home for lack of room alone: nobody showed that they are slower
        self.final = standing.Rounds()
        self.finalists = []

    def run(self, candidates):
        """The finalists, fastest first: none only if all failed. self.final has their rounds."""
        runners = list(candidates)
        for number, rung in enumerate(RUNGS):
            room = max(LEAST_FINALISTS, math.ceil(len(candidates) * rung.room))
            # A rung that could send home nobody but those who are clearly slower is run by as many as fit the final anyway.
            if len(runners) <= LEAST_FINALISTS:
                break
            self._watch(f"rung {number + 1} of {len(RUNGS) + 1}", runners, rung.rounds)
            runners = self._run_rung(runners, rung, room)
        return self._run_final(runners)

    def _run_rung(self, runners, rung, room):
        rounds = standing.Rounds()
        for _ in range(rung.rounds):
            runners = self._round(rounds, runners, rung.effort)
        if not runners:
            return []
        relative = rounds.relative(runners)
        slower = standing.clearly_below(relative)
        ranking = [candidate for candidate in standing.ranked(relative) if candidate not in slower]
        self.by_rank += ranking[room:]
        return ranking[:room]

    def _round(self, rounds, runners, effort):
        """Returns those who are still there."""
        order = list(runners)
        self._random.shuffle(order)
        speeds = {}
        for candidate in order:
            speed = self._measure(candidate, effort)
            if speed is not None:
                speeds[candidate] = speed
        rounds.add(speeds)
        return [candidate for candidate in runners if candidate in speeds]

    def _run_final(self, runners):
        running = list(runners)
        failed = set()
        self._watch("the final", running, MOST_ROUNDS)
        for number in range(1, MOST_ROUNDS + 1):
            if not running:
                break
            present = self._round(self.final, running, FINAL)
            failed |= set(running) - set(present)
            running = present
            if number >= LEAST_ROUNDS and running:
                running = self._still_open(running)
                if len(running) <= 1:
                    break
        self.finalists = standing.ranked_by_pairs(self.final, [candidate for candidate in runners if candidate not in failed])
        return self.finalists

    def _still_open(self, running):
        """The best, and those whose ratio to it must be known better. None but the best if it is settled."""
        best = standing.ranked_by_pairs(self.final, running)[0]
        others, unsure = [], False
        for candidate in running:
            if candidate == best:
                continue
            _, low, high = standing.ratio_interval(self.final, candidate, best)
            if high is None or high >= 1:
                others.append(candidate)
                unsure = unsure or high is None or (high - low) / 2 > self.aim
        return [best, *others] if unsure else [best]

    def indistinguishable(self, candidate):
        """Whether the final did not show that a finalist is slower than the first."""
        _, _, high = standing.ratio_interval(self.final, candidate, self.finalists[0])
        return high is None or high >= 1
