"""Assigns a class to each function: table-lookup, memcpy, and so on. The file `classes` contains the rules."""

import os
import re
from collections.abc import Iterable, Mapping

from ecbench.symbols.resolver import Function

RULES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "classes")
OTHER = "other"
# class → a description for sentences() and for the legend of a chart
PHRASES = {
    "table-lookup": "table lookups",
    "shuffle-multiply": "multiplication with shuffles",
    "affine-multiply": "multiplication with GFNI",
    "carryless-multiply": "carry-less multiplication",
    "multiply-by-two": "multiplication by two",
    "xor-region": "XOR of regions",
    "memcpy": "memcpy",
    "region-set-up": "setting up regions",
    "schedule": "processing matrices and schedules",
    "matrix-inversion": "inverting matrices",
    "allocation": "allocating memory",
    "harness": "the harness",
    OTHER: "other functions",
}


class Rules:
    def __init__(self, lines: Iterable[str]) -> None:
        words = (line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#"))
        self._rules = [(name, re.compile(in_object), re.compile(function.strip())) for name, in_object, function in words]

    def classify(self, function: Function) -> str:
        for name, in_object, pattern in self._rules:
            if in_object.fullmatch(function.object) and pattern.fullmatch(function.name):
                return name
        return OTHER


def read_rules() -> Rules:
    with open(RULES, encoding="utf-8") as file:
        return Rules(file)


def sentences(percents: Mapping[str, float], event: str) -> list[str]:
    """One sentence for each class with a share of at least 0.05 %. Table lookups and the harness always have a sentence."""
    return [f"{percent:.1f} % of {event} in {PHRASES[name]}" for name, percent in percents.items()
            if percent >= 0.05 or name in ("table-lookup", "harness")]
