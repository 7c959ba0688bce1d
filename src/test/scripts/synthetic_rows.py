"""Rows for tests. A column that a test does not give was not measured."""

from ecbench.runfile.row import ALWAYS, Row

SAMPLES = [{"placement": 0, "seconds": 0.1}]


def row(**columns):
    return Row.read({**dict.fromkeys(ALWAYS), "gb_per_s": 2.0, "samples": SAMPLES, **columns})


def changed(old, **columns):
    return Row.read({**old.json, **columns})
