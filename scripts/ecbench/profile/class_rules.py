"""Which kind of work a function does, by the rules of the file `classes`."""

import collections
import os
import re

RULES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "classes")
OTHER = "other"
# As sentences say them.
PHRASES = {
    "table-lookup": "table lookups",
    "shuffle-multiply": "multiplying by shuffles",
    "affine-multiply": "multiplying by GFNI",
    "carryless-multiply": "carry-less multiplying",
    "multiply-by-two": "multiplying by two",
    "xor-region": "XOR of regions",
    "memcpy": "memcpy",
    "region-set-up": "setting up regions",
    "schedule": "walking matrices and schedules",
    "matrix-inversion": "inverting matrices",
    "allocation": "allocating memory",
    "harness": "the harness",
    OTHER: "other functions",
}


class Rules:
    def __init__(self, lines):
        words = (line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#"))
        self._rules = [(name, re.compile(in_object), re.compile(function.strip())) for name, in_object, function in words]

    def classify(self, function):
        for name, in_object, pattern in self._rules:
            if in_object.fullmatch(function.object) and pattern.fullmatch(function.name):
                return name
        return OTHER


def read_rules():
    with open(RULES, encoding="utf-8") as file:
        return Rules(file)


def shares(rows):
    """Percent by class, of all classes, the largest first."""
    sums = collections.Counter(dict.fromkeys(PHRASES, 0.0))
    for row in rows:
        sums[row.class_name] += row.self_percent
    return dict(sums.most_common())


def sentences(percents, event):
    """What the classes say; table lookups and the harness in any case, for these are what is asked for."""
    return [f"{percent:.1f} % of {event} in {PHRASES[name]}" for name, percent in percents.items()
            if percent >= 0.05 or name in ("table-lookup", "harness")]
