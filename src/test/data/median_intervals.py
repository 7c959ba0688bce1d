#!/usr/bin/python3
"""Writes median_intervals.json. Each entry of this file contains samples, their median, and the confidence interval of the median.
The values are computed with exact arithmetic."""

import json
import math
import pathlib
import random
from fractions import Fraction

COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 25, 26, 40, 100, 101, 300]
# For n samples, an implementation may calculate 2^-n first. As a double, this value is 0 if n is 1,075 or more. A large n detects
# such an implementation.
LARGE_COUNT = 2000
# The confidence of an interval is never equal to a value in this list. Therefore rounding errors do not decide whether an interval
# is wide enough.
CONFIDENCES = ["0.95", "0.99", "0.9", "0.6"]


def uniform(draw):
    return draw.uniform(1, 2)


def lognormal(draw):
    return draw.lognormvariate(0, 1)


def two_modes(draw):
    return draw.gauss(10, 0.1) if draw.random() < 0.7 else draw.gauss(15, 0.3)


def ties(draw):
    return draw.randint(1, 4)


def probability_of_at_most(count, successes):
    return Fraction(sum(math.comb(count, i) for i in range(successes + 1)), 2**count)


def interval(ascending, wanted):
    count = len(ascending)
    best = 0
    for beyond in range(1, (count + 1) // 2):
        if 1 - 2 * probability_of_at_most(count, beyond) < Fraction(wanted):
            break
        best = beyond
    return ascending[best], ascending[count - 1 - best], 1 - 2 * probability_of_at_most(count, best)


def exact_median(ascending):
    half = len(ascending) // 2
    return ascending[half] if len(ascending) % 2 else (ascending[half - 1] + ascending[half]) / 2


def vector(name, values, wanted):
    ascending = sorted(Fraction(str(value)) for value in values)
    low, high, confidence = interval(ascending, wanted)
    return {"name": f"{len(values)} {name}, {wanted}", "wanted_confidence": float(wanted), "median": float(exact_median(ascending)),
            "low": float(low), "high": float(high), "confidence": float(confidence), "values": values}


def vectors():
    draw = random.Random(20130901)
    for count in COUNTS:
        for distribution in (uniform, lognormal, two_modes, ties):
            values = [round(distribution(draw), 3) for _ in range(count)]
            for wanted in CONFIDENCES[:1] if count > 40 else CONFIDENCES:
                yield vector(distribution.__name__, values, wanted)
    yield vector("equal", [7.5] * 12, "0.95")
    yield vector("mixed signs", [-3, 2, -1, 0, 5, -4, 1, 3, -2, 4], "0.95")
    permutation = list(range(1, LARGE_COUNT + 1))
    draw.shuffle(permutation)
    for wanted in CONFIDENCES:
        yield vector("whole numbers", permutation, wanted)


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(each) for each in vectors())
    pathlib.Path(__file__).with_suffix(".json").write_text(f"[\n{lines}\n]\n")
