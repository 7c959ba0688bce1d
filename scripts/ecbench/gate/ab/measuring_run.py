"""Measures a gate ab run. Launches of different points are in random order, so that a change of the machine's speed affects all
points. After the planned launches, the points are judged (first look). Inconclusive points get as many again (second look)."""

import random
import sys
import time

from ecbench.comparison.figures import INCONCLUSIVE
from ecbench.comparison.select import LOOKS, judge
from ecbench.gate.ab.launch import Launcher
from ecbench.gate.ab.verdicts import GateRun, Record
from ecbench.measure.budget import Budget
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes, say
from ecbench.terminal.progress import Progress


def measure(run: GateRun, launcher: Launcher, record: Record, budget: Budget) -> None:
    """Fills in the run's launches, verdicts and seconds. If the budget is spent, judges the launches so far. Throws OutOfTime if a
    point has no launch."""
    generator = random.Random(run.plan.seed)
    begin = time.monotonic()
    wanted = list(run.points)
    for look in range(1, LOOKS + 1):
        try:
            measure_look(run, launcher, record, wanted, look, generator, budget)
        except OutOfTime as end:
            if missing := sum(not launches for launches in run.launches.values()):
                raise OutOfTime(f"{end} before {missing} of {len(run.points)} points were measured, so there is no verdict; "
                                "give more --budget or a smaller --grid") from end
            say(f"{end}: the verdict uses the launches so far")
        run.verdicts = judge(run.medians(), run.settings)
        record.append("look", look=look, verdicts={identity: verdict.word for identity, verdict in run.verdicts.items()})
        run.seconds = time.monotonic() - begin
        wanted = [identity for identity, verdict in run.verdicts.items() if verdict.word == INCONCLUSIVE]
        if not wanted or budget.is_spent():
            break


def measure_look(run: GateRun, launcher: Launcher, record: Record, wanted: list[str], look: int, generator: random.Random,
                 budget: Budget) -> None:
    order = order_of(wanted, run.plan.launches, generator)
    progress = Progress(sys.stderr, len(order))
    try:
        for identity in order:
            budget.check()
            gate_point = run.points[identity]
            progress.show(f"{'first look' if look == 1 else 'second look'}: {gate_point.point}")
            number = len(run.launches[identity])
            seed = generator.randrange(1 << 32)
            try:
                measured = launcher.launch(gate_point.point, number, seed)
            except (Refused, WrongBytes) as error:
                raise type(error)(f"{gate_point.point}: {error}") from error
            launch = {"id": identity, "point": str(gate_point.point), "look": look, "launch": number, **measured}
            run.launches[identity].append(launch)
            record.append("launch", **launch)
            progress.advance()
    finally:
        progress.close()


def order_of(identities: list[str], launches: int, generator: random.Random) -> list[str]:
    """Each round has one launch of each point, in random order."""
    order = []
    for _ in range(launches):
        a_round = list(identities)
        generator.shuffle(a_round)
        order += a_round
    return order
