"""Checks JSON values. A shape is a function that checks one value: it throws Unlike if the value is not allowed. The message of
Unlike contains the keys that lead to the value, the value, and the allowed values."""

import json
import marshal
import math
from collections.abc import Callable
from typing import Any, NoReturn

Shape = Callable[[Any], None]

MOST = 1e18  # default limit for the absolute value of a number; products of several such numbers do not overflow
LONGEST_SHOWN = 60


class Unlike(ValueError):
    def __init__(self, must_be: str, value: object):
        super().__init__()
        self.path = ""
        self._must_be = must_be
        self._value = value

    def within(self, step: str) -> "Unlike":
        self.path = f"{step}{'' if not self.path or self.path.startswith('[') else '.'}{self.path}"
        return self

    def __str__(self) -> str:
        return f"{self.path or 'this'} must be {self._must_be}, not {shown(self._value)}"


def shown(value: object) -> str:
    text = "missing" if value is MISSING else json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN - 3]}..."


MISSING = object()
INFINITE = b"\0\0\0\0\0\0\xf0"  # the first seven bytes of an infinite float; the eighth byte contains the sign


def read_json(text: str | bytes) -> Any:
    """Parses JSON. Throws ValueError if the text is not JSON, or if it contains NaN, Infinity, or a number that is too large for a
    float."""
    try:
        value = json.loads(text, parse_constant=refuse_constant)
        # If parse_float is given, the parser calls it for every float. These calls take more time than the rest of the parser.
        # Therefore parse_float is used only if there may be an infinite float.
        return json.loads(text, parse_float=finite) if INFINITE in marshal.dumps(value) else value
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large")
    return value


def anything(value: Any) -> None:
    if value is MISSING:
        raise Unlike("present", value)


def text(value: Any) -> None:
    if not isinstance(value, str):
        raise Unlike("text", value)


def flag(value: Any) -> None:
    if not isinstance(value, bool):
        raise Unlike("true or false", value)


def number(least: float = -MOST, most: float = MOST) -> Shape:
    def check(value: Any) -> None:
        if type(value) not in (int, float) or not least <= value <= most:
            raise Unlike(f"a number{range_text(least, most)}", value)
    return check


def whole(least: int = 0, most: int = (1 << 64) - 1) -> Shape:
    def check(value: Any) -> None:
        if type(value) is not int or not least <= value <= most:
            raise Unlike(f"a whole number{range_text(least, most)}", value)
    return check


def range_text(least: float, most: float) -> str:
    if most < MOST:
        return f" from {least:g} to {most:g}"
    return "" if least <= -MOST else f", at least {least:g}"


def or_null(shape: Shape) -> Shape:
    def check(value: Any) -> None:
        if value is not None:
            shape(value)
    return check


def list_of(shape: Shape, fewest: int = 0) -> Shape:
    def check(value: Any) -> None:
        if not isinstance(value, list) or len(value) < fewest:
            raise Unlike("a list" + (f" of at least {fewest}" if fewest else ""), value)
        checked = 0
        try:
            for item in value:
                shape(item)
                checked += 1
        except Unlike as unlike:
            raise unlike.within(f"[{checked}]") from None
    return check


def map_of(shape: Shape) -> Shape:
    """Returns a shape for a JSON object. The object may have any keys. Every value in the object must have the given shape."""
    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise Unlike("an object", value)
        key = ""
        try:
            for key in value:
                shape(value[key])
        except Unlike as unlike:
            raise unlike.within(key) from None
    return check


def fields(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Shape:
    """Returns a shape for a JSON object. The parameters map keys to the shapes of their values. The object must have the `required`
    keys. It may also have other keys."""
    shapes = {**required, **(optional or {})}

    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise Unlike("an object", value)
        key = ""
        try:
            for key, shape in shapes.items():
                if key in value:
                    shape(value[key])
                elif key in required:
                    shape(MISSING)
        except Unlike as unlike:
            raise unlike.within(key) from None
    return check
