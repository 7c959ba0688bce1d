"""Synthetic launch records of a gate ab run, for tests of verdicts and output."""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from ecbench.comparison.figures import Settings, judge_point
from ecbench.gate.ab.verdicts import GateRun, Plan
from ecbench.gate.sides.both_sides import GatePoint
from ecbench.point.point import make_point


def points(count):
    """Makes `count` different points: encode and decode, two techniques, small warm objects and large cold objects."""
    made = []
    for number in range(count):
        workload, erasures = (("encode", 0), ("decode", 1), ("decode", 2))[number % 3]
        profile = {"k": 4 + number // 6, "m": 2, "technique": ("reed_sol_van", "cauchy_good")[number % 2], "w": 8}
        if number % 2:
            profile["packetsize"] = 2048
        made.append(make_point("jerasure", profile, workload, 4096 if number % 5 else 4 << 20, erasures,
                               cache="warm" if number % 5 else "cold"))
    return made


def gate_run(losses, launches=10, extended=()):
    """A GateRun with verdicts. It has one point for each loss in `losses` (percent). Points whose number is in `extended` have
    twice as many launches."""
    draw = random.Random(1)
    chosen = points(len(losses))
    records = {point.id: [launch(point, loss, draw, number) for number in range(launches * (1 + (index in extended)))]
               for index, (point, loss) in enumerate(zip(chosen, losses))}
    header = {"record": "gate", "format": "ecbench gate 1", "environment": {"cpu": {"model_name": "AMD EPYC"}},
              "old": {"name": "OLD", "given": "main", "kind": "revision", "revision": "0123456789abcdef0123", "codec_lib": None},
              "new": {"name": "NEW", "given": "build", "kind": "build", "revision": None, "codec_lib": None}}
    run = GateRun(header, Settings(len(losses)), Plan(launches, 32, 2_000_000, 1, 1),
                  {point.id: GatePoint(point, 0.5, 1024) for point in chosen}, records, seconds=61.5)
    run.verdicts = {identity: judge_point(ratios, run.settings) for identity, ratios in run.medians().items()}
    return run


def launch(point, loss_percent, draw, number):
    ratio = 1 / (1 - (loss_percent + draw.gauss(0, 1)) / 100)
    return {"record": "launch", "id": point.id, "point": point.to_json(), "look": 1, "launch": number, "ratios": [ratio],
            "median_ratio": ratio, "old_ns_per_iteration": 5000.0, "new_ns_per_iteration": 5000 * ratio, "pairs": 32,
            "cpu_ratio": ratio}
