"""The two looks of a gate ab run: all launches of all points in random order, so that what the machine does meanwhile hits all
points alike; then the verdicts; then once more as many launches of the points that are inconclusive, and the verdicts of all."""

import random
import sys
import time

from ecbench.gate.ab.slice_server import WrongBytes
from ecbench.gate.ab.verdict import INCONCLUSIVE, LOOKS, judge
from ecbench.terminal.console import Refused
from ecbench.terminal.progress import Progress


def measure(run, launcher, record):
    """Fills in the run's launches, verdicts and seconds. Throws Refused, WrongBytes and children.Interrupted; the line of
    progress is gone in any case."""
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


def measure_look(run, launcher, record, wanted, look, generator):
    order = order_of(wanted, run.plan.launches, generator)
    progress = Progress(sys.stderr, len(order))
    try:
        for identity in order:
            gate_point = run.points[identity]
            progress.show(f"{'first look' if look == 1 else 'inconclusive so far'}: {gate_point.point}")
            number = len(run.launches[identity])
            seed = generator.randrange(1 << 32)
            launch = {"id": identity, "point": str(gate_point.point), "look": look, "launch": number,
                      **named(gate_point.point, launcher.launch, gate_point.point, number, seed)}
            run.launches[identity].append(launch)
            record.append("launch", **launch)
            progress.advance()
    finally:
        progress.erase()


def order_of(identities, launches, generator):
    """Rounds in which each point has one launch, in random order, so that the launches of a point are spread over the run."""
    order = []
    for _ in range(launches):
        a_round = list(identities)
        generator.shuffle(a_round)
        order += a_round
    return order


def named(point, action, *arguments):
    """What goes wrong at a point names it."""
    try:
        return action(*arguments)
    except (Refused, WrongBytes) as error:
        raise type(error)(f"{point}: {error}") from error
