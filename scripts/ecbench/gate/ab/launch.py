"""Runs one launch of a point. A launch allocates new memory, starts a new process for each side, and times pairs of slices. The two
sides run alternately on the same CPU and the same physical pages. Each pair has a ratio, time of NEW / time of OLD. The result of a
launch is the median of these ratios."""

import os
import random
import time
from typing import Any

from ecbench.gate.ab.gate_run import Plan
from ecbench.gate.ab.same_layout import names_of_one_length
from ecbench.gate.ab.slice_server import SECONDS_TO_ANSWER, SliceServer
from ecbench.gate.sides.sides import Side
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.statistics.interval import median
from ecbench.terminal.console import Refused, WrongBytes

Servers = dict[str, SliceServer]  # "old" and "new"

SHAPE = ("k", "m", "chunk_count", "chunk_size_bytes", "stripes", "object_bytes_per_iteration", "arena_bytes")


class Launcher:
    """Runs launches. The first launch of a point determines the number of iterations in a slice. Later launches use the same
    number."""

    def __init__(self, old: Side, new: Side, plan: Plan, child: Child, timeout: float = SECONDS_TO_ANSWER) -> None:
        self._sides = {"old": old, "new": new}
        self._plan = plan
        self._child = child
        self._timeout = timeout
        self._iterations: dict[str, int] = {}

    def launch(self, point: Point, number: int, seed: int) -> dict[str, Any]:
        """Runs one launch and returns its record, without the point's name. `number`: the number of the point's launches before
        this launch. Throws Refused, WrongBytes and children.Interrupted."""
        random_order = random.Random(seed)
        begin = time.monotonic()
        first, second = ("old", "new") if number % 2 == 0 else ("new", "old")
        words = [*point.words(), "--cpu", str(self._plan.cpu)]
        arena = make_arena()
        try:
            with names_of_one_length(self._sides, random_order) as sides, \
                 self._serve(sides[first], words, arena) as one, self._serve(sides[second], words, arena) as other:
                timed = self._time({first: one, second: other}, point, random_order)
        finally:
            os.close(arena)
        return {"order_seed": seed, "first": first, "seconds": round(time.monotonic() - begin, 3), **timed}

    def _serve(self, side: Side, words: list[str], arena: int) -> SliceServer:
        return SliceServer(side, words, arena, self._child, self._timeout)

    def _time(self, servers: Servers, point: Point, random_order: random.Random) -> dict[str, Any]:
        compare(servers["old"].hello, servers["new"].hello)
        if point.id not in self._iterations:
            check(servers)  # before the calibration, because a code that returns wrong bytes needs no calibration
            self._calibrate(servers, point)
        iterations = self._iterations[point.id]
        for server in servers.values():
            server.warm(1)
        pairs = [time_pair(servers, order, iterations) for order in balanced_orders(self._plan.pairs, random_order)]
        check(servers)
        old_ns, new_ns = ([pair[side][0] / iterations for pair in pairs] for side in ("old", "new"))
        ratios = [new / old for old, new in zip(old_ns, new_ns)]
        cpu = [pair["new"][1] / pair["old"][1] for pair in pairs if pair["old"][1] > 0]
        kernels = {f"{side}_kernel": server.hello.get("kernel") or None for side, server in servers.items()}
        return {**kernels, "pairs": len(pairs), "iterations": iterations, "median_ratio": median(ratios),
                "cpu_ratio": round(median(cpu), 5) if cpu else None, "old_ns_per_iteration": round(median(old_ns), 1),
                "new_ns_per_iteration": round(median(new_ns), 1), "ratios": [round(ratio, 5) for ratio in ratios]}

    def _calibrate(self, servers: Servers, point: Point) -> None:
        """Sets the number of iterations in a slice. The slower side determines it, so that no slice is longer than planned."""
        wanted = self._plan.slice_ns
        self._iterations[point.id] = min(server.calibrate(wanted) for server in servers.values())


def make_arena() -> int:
    try:
        return os.memfd_create("ecbench-arena")
    except OSError as error:
        raise Refused(f"OLD and NEW cannot share memory (memfd_create): {error.strerror}") from error


def compare(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Throws Refused if the two sides describe the point differently. Throws WrongBytes if they encode the same object to different
    chunks, even if each side can decode its own chunks."""
    for key in SHAPE:
        if old[key] != new[key]:
            raise Refused(f"OLD and NEW cannot be compared: {key} is {old[key]} for OLD and {new[key]} for NEW")
    if old["chunks_digest"] != new["chunks_digest"]:
        raise WrongBytes("OLD and NEW encode the same object to different chunks")


def check(servers: Servers) -> None:
    for server in servers.values():
        server.check()


def balanced_orders(pairs: int, random_order: random.Random) -> list[tuple[str, str]]:
    """Decides which side runs first in each pair. The pairs form groups of two. The four slices of a group run in one of two
    orders: old, new, new, old, or new, old, old, new. This order is chosen at random for each group. In both orders, the average
    position of OLD is the same as that of NEW. Thus neither side has an advantage if the speed of the machine changes steadily."""
    orders: list[tuple[str, str]] = []
    while len(orders) < pairs:
        orders += random_order.choice(((("old", "new"), ("new", "old")), (("new", "old"), ("old", "new"))))
    return orders[:pairs]


def time_pair(servers: Servers, order: tuple[str, str], iterations: int) -> dict[str, tuple[int, int]]:
    return {side: servers[side].time(iterations) for side in order}
