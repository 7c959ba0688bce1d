"""Measures a gate ab run. The launches of different points are in random order. Thus, if the speed of the machine changes, this
affects all points equally. After the planned number of launches, the points are judged (first look). Then inconclusive points get
the same number of further launches, and all points are judged again (second look)."""

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from ecbench.gate.ab.gate_run import GateRun
from ecbench.gate.ab.launch import Launcher
from ecbench.gate.ab.record import Record
from ecbench.gate.ab.verdict import INCONCLUSIVE, LOOKS, judge
from ecbench.point.point import Point
from ecbench.terminal.console import Refused, WrongBytes
from ecbench.terminal.progress import Progress


def measure(run: GateRun, launcher: Launcher, record: Record) -> None:
    """Fills in the run's launches, verdicts and seconds. Throws Refused, WrongBytes and children.Interrupted. At the end, also
    after an exception, the progress line is erased."""
    generator = random.Random(run.plan.seed)
    begin = time.monotonic()
    wanted = list(run.points)
    for look in range(1, LOOKS + 1):
        measure_look(run, launcher, record, wanted, look, generator)
        run.verdicts = judge(run.medians(), run.settings, look)
        record.append("look", look=look, verdicts={identity: verdict.verdict for identity, verdict in run.verdicts.items()})
        run.seconds = time.monotonic() - begin
        wanted = [identity for identity, verdict in run.verdicts.items() if verdict.verdict == INCONCLUSIVE]
        if not wanted:
            break


def measure_look(run: GateRun, launcher: Launcher, record: Record, wanted: list[str], look: int, generator: random.Random) -> None:
    order = order_of(wanted, run.plan.launches, generator)
    progress = Progress(sys.stderr, len(order))
    try:
        for identity in order:
            gate_point = run.points[identity]
            progress.show(f"{'first look' if look == 1 else 'second look'}: {gate_point.point}")
            number = len(run.launches[identity])
            seed = generator.randrange(1 << 32)
            launch = {"id": identity, "point": str(gate_point.point), "look": look, "launch": number,
                      **named(gate_point.point, launcher.launch, gate_point.point, number, seed)}
            run.launches[identity].append(launch)
            record.append("launch", **launch)
            progress.advance()
    finally:
        progress.erase()


def order_of(identities: list[str], launches: int, generator: random.Random) -> list[str]:
    """The order of launches. It consists of rounds. A round has one launch of each point, in random order. Thus the launches of a
    point are spread over the run."""
    order = []
    for _ in range(launches):
        a_round = list(identities)
        generator.shuffle(a_round)
        order += a_round
    return order


def named(point: Point, action: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Calls the action. If the action throws Refused or WrongBytes, adds the point's name to the message."""
    try:
        return action(*arguments)
    except (Refused, WrongBytes) as error:
        raise type(error)(f"{point}: {error}") from error
