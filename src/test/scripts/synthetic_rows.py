"""Rows for tests, and a terminal. A column that a test does not give was not measured."""

import io

from ecbench.runfile.row import ALWAYS, Row

SAMPLES = [{"placement": 0, "seconds": 0.1}]


def row(**columns):
    return Row.read({**dict.fromkeys(ALWAYS), "gb_per_s": 2.0, "samples": SAMPLES, **columns})


def changed(old, **columns):
    return Row.read({**old.json, **columns})


class Terminal(io.StringIO):
    def isatty(self):
        return True
