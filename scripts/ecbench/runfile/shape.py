"""Shapes of JSON values: what code that uses a value may rely on. A shape is called with a value and throws Unlike, which says
where the value has another shape, what it is there and what it must be."""

import json
import math

MOST = 1e18  # of a number whose shape says nothing else: larger ones overflow when they are squared or multiplied
LONGEST_SHOWN = 60


class Unlike(ValueError):
    def __init__(self, must_be, value):
        super().__init__()
        self.path = ""
        self._must_be = must_be
        self._value = value

    def within(self, step):
        self.path = f"{step}{'' if not self.path or self.path.startswith('[') else '.'}{self.path}"
        return self

    def __str__(self):
        return f"{self.path or 'this'} must be {self._must_be}, not {shown(self._value)}"


def shown(value):
    text = "missing" if value is MISSING else json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN - 3]}..."


MISSING = object()


def read_json(text):
    """Strictly: no NaN or Infinity, no number beyond a float's range. Throws ValueError."""
    try:
        return json.loads(text, parse_constant=refuse_constant, parse_float=finite)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large")
    return value


def anything(value):
    if value is MISSING:
        raise Unlike("there", value)


def text(value):
    if not isinstance(value, str):
        raise Unlike("text", value)


def flag(value):
    if not isinstance(value, bool):
        raise Unlike("true or false", value)


def number(least=-MOST, most=MOST):
    def check(value):
        if type(value) not in (int, float) or not least <= value <= most:
            raise Unlike(f"a number{range_text(least, most)}", value)
    return check


def whole(least=0, most=(1 << 64) - 1):
    def check(value):
        if type(value) is not int or not least <= value <= most:
            raise Unlike(f"a whole number{range_text(least, most)}", value)
    return check


def range_text(least, most):
    if most < MOST:
        return f" from {least:g} to {most:g}"
    return "" if least <= -MOST else f", at least {least:g}"


def or_null(shape):
    def check(value):
        if value is not None:
            shape(value)
    return check


def list_of(shape, fewest=0):
    def check(value):
        if not isinstance(value, list) or len(value) < fewest:
            raise Unlike("a list" + (f" of at least {fewest}" if fewest else ""), value)
        for index, item in enumerate(value):
            try:
                shape(item)
            except Unlike as unlike:
                raise unlike.within(f"[{index}]") from None
    return check


def map_of(shape):
    """An object with any keys."""
    def check(value):
        if not isinstance(value, dict):
            raise Unlike("an object", value)
        for key, item in value.items():
            try:
                shape(item)
            except Unlike as unlike:
                raise unlike.within(key) from None
    return check


def fields(required, optional=None):
    """An object with keys that each have a shape, and any others. Those of `required` must be there."""
    shapes = [(key, shape, True) for key, shape in required.items()]
    shapes += [(key, shape, False) for key, shape in (optional or {}).items()]

    def check(value):
        if not isinstance(value, dict):
            raise Unlike("an object", value)
        for key, shape, must in shapes:
            item = value.get(key, MISSING)
            if item is MISSING and not must:
                continue
            try:
                shape(item)
            except Unlike as unlike:
                raise unlike.within(key) from None
    return check
