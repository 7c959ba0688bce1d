"""JSON documents as dataclasses. The annotations of the fields are the format: to_json() writes it, read() checks and reads it, and
schema_of() makes the JSON schema that `bench.sh MODE --schema` prints."""

import dataclasses
import functools
import json
import marshal
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from ecbench.terminal import console

Json = dict[str, Any]  # a JSON object
ABSENT: Any = object()
SIMPLE = {int: "integer", float: "number", str: "string", bool: "boolean", types.NoneType: "null"}


@dataclasses.dataclass(frozen=True)
class Key:
    """A key of an object, as an annotation of a field's type. A field with the default ABSENT may be left out."""

    what: str = ""
    name: str = ""  # if it is not the name of the field, for example because that is a keyword of Python
    least: float | None = None
    above: float | None = None
    most: float | None = None
    words: tuple[str, ...] = ()  # the possible texts; empty: any
    fewest: int | None = None  # items of a list
    check: Callable[[Any], None] | None = None  # the shape, if the type and the bounds do not describe it
    is_read: bool = True


HIDDEN = Key()  # of a field that only the program uses
ANY_VALUE = Key()
Whole = typing.Annotated[int, Key(least=0)]
Positive = typing.Annotated[int, Key(least=1)]
NOT_READ = Key(is_read=False)


@functools.cache
def keys_of(kind: Any) -> dict[str, tuple[Any, Key]]:
    """Field → its type and its key, without HIDDEN fields."""
    hints = typing.get_type_hints(kind, include_extras=True)
    found = {field.name: typing.get_args(hints[field.name]) if typing.get_origin(hints[field.name]) is typing.Annotated
             else (hints[field.name], Key()) for field in dataclasses.fields(kind)}
    return {name: (of, key if key.name else dataclasses.replace(key, name=name)) for name, (of, key) in found.items()
            if key is not HIDDEN}


def to_json(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        kind: Any = type(value)
        found = {key.name: getattr(value, name) for name, (_, key) in keys_of(kind).items()}
        return {name: to_json(each) for name, each in found.items() if each is not ABSENT}
    if isinstance(value, dict):
        return {name: to_json(each) for name, each in value.items()}
    return [to_json(each) for each in value] if isinstance(value, (list, tuple)) else value


def schema_of(document: type, title: str, description: str) -> Json:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": description,
            **type_of(document)}


def type_of(kind: Any, key: Key = ANY_VALUE) -> Json:
    """The JSON schema of a value with this type. The bounds and words of `key` are also those of the items of a list; words, of the
    keys of a dictionary."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        optional = {field.name for field in dataclasses.fields(kind) if field.default is ABSENT}
        keys = keys_of(kind)
        properties = {each.name: {**({"description": each.what} if each.what else {}), **type_of(of, each)}
                      for of, each in keys.values()}
        return {"type": "object", "additionalProperties": False, "properties": properties,
                "required": [each.name for name, (_, each) in keys.items() if name not in optional]}
    if kind is Any:
        return {}
    if kind is str and key.words:
        return {"enum": list(key.words)}
    if kind in (int, float):
        bounds = {"minimum": key.least, "exclusiveMinimum": key.above, "maximum": key.most}
        return {"type": SIMPLE[kind], **{name: bound for name, bound in bounds.items() if bound is not None}}
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        fewest = {} if key.fewest is None else {"minItems": key.fewest}
        return {"type": "array", "items": type_of(parts[0], key), **fewest}
    if origin is dict:
        names = {"propertyNames": {"enum": list(key.words)}} if key.words else {}
        return {"type": "object", "additionalProperties": type_of(parts[1]), **names}
    return {"anyOf": [type_of(part, key) for part in parts]}  # a union


@dataclasses.dataclass(frozen=True)
class Interval:
    median: float
    low: typing.Annotated[float | None, Key("Lower end of the 95 % interval; null if there are too few values for an interval.")]
    high: float | None


# A shape is a function that checks one value: it throws Unlike if the value is not allowed. The message of Unlike contains the keys
# that lead to the value, the value, and the allowed values.

Shape = Callable[[Any], None]
Kind = TypeVar("Kind")

MOST_WHOLE = (1 << 64) - 1
MOST_NESTED = 100  # levels; functions that call themselves for each one stay far below Python's limit
MOST = 1e18  # default limit for the absolute value of a number; products of several such numbers do not overflow
LONGEST_SHOWN = 60


class Unlike(ValueError):
    """`args`: what the value must be, and the value."""

    path = ""

    def within(self, step: int | str) -> "Unlike":
        """`step`: the place in a list, or the key in an object."""
        dot = "" if not self.path or self.path.startswith("[") else "."
        self.path = f"{step if isinstance(step, str) else f'[{step}]'}{dot}{self.path}"
        return self

    def __str__(self) -> str:
        must_be, value = self.args
        return f"{self.path or 'this'} must be {must_be}, not {shown(value)}"


def shown(value: object) -> str:
    text = "missing" if value is MISSING else json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN - 3]}..."


MISSING = object()
CONTROLS = re.compile(rf"[{console.CONTROLS}\t\n]")
# JSON without a match has no control characters in its texts. Most lines of run files have none, so they are not searched again.
SUSPECT_BYTES, SUSPECT_TEXT = re.compile(rb"[\\\x7f\xc2\xe2]"), re.compile("[\\\\\x7f-\x9f\u2000-\u20ff]")
INFINITE = b"\0\0\0\0\0\0\xf0"  # the first seven bytes of an infinite float; the eighth byte contains the sign


def read_json(text: str | bytes) -> Any:
    """Throws ValueError if the text is not JSON, has more than MOST_NESTED levels, NaN, Infinity, or a number that is too large for
    a float. Throws Unlike if a text in it has control characters, which could forge lines of a table, of YAML or on a terminal."""
    try:
        value = json.loads(text, parse_constant=refuse_constant)
        opening = sum(map(text.count, ("[", "{") if isinstance(text, str) else (b"[", b"{")))  # type: ignore[arg-type]
        level = [value] if opening > MOST_NESTED else []
        for _ in range(MOST_NESTED):
            level = [one for each in level if isinstance(each, (dict, list))
                     for one in (each.values() if isinstance(each, dict) else each)]
        if level:
            raise RecursionError
        if (SUSPECT_BYTES if isinstance(text, bytes) else SUSPECT_TEXT).search(text):  # type: ignore[arg-type]
            refuse_controls(value)
        # If parse_float is given, the parser calls it for every float. These calls take more time than the rest of the parser.
        # Therefore parse_float is used only if there may be an infinite float.
        return json.loads(text, parse_float=finite) if INFINITE in marshal.dumps(value) else value
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def refuse_controls(value: Any) -> None:
    """Throws Unlike."""
    if isinstance(value, str):
        if CONTROLS.search(value):
            raise Unlike("text without control characters", value)
    elif isinstance(value, dict):
        for key in value:
            refuse_controls(key)
        check_each(value.items(), refuse_controls)
    elif isinstance(value, list):
        check_each(enumerate(value), refuse_controls)


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large")
    return value


def must_be(what: str, is_allowed: Callable[[Any], object]) -> Shape:
    def check(value: Any) -> None:
        if not is_allowed(value):
            raise Unlike(what, value)
    return check


anything = must_be("present", lambda value: value is not MISSING)
text = must_be("text", lambda value: isinstance(value, str))
flag = must_be("true or false", lambda value: isinstance(value, bool))
an_object = must_be("an object", lambda value: isinstance(value, dict))


def words(*allowed: str) -> Shape:
    return must_be(f"one of {', '.join(allowed)}", lambda value: value in allowed)


def matching(pattern: re.Pattern[str], what: str) -> Shape:
    return must_be(what, lambda value: isinstance(value, str) and pattern.fullmatch(value))


def number(least: float = -MOST, most: float = MOST, kinds: tuple[type, ...] = (int, float), what: str = "a number") -> Shape:
    allowed = f" from {least:g} to {most:g}" if most < MOST else f", at least {least:g}" if least > -MOST else ""
    return must_be(what + allowed, lambda value: type(value) in kinds and least <= value <= most)


def or_null(shape: Shape) -> Shape:
    def check(value: Any) -> None:
        if value is not None:
            shape(value)
    return check


def list_of(shape: Shape, fewest: int = 0, of: type = list) -> Shape:
    """`of`: dict for an object with any keys, whose values have the given shape."""
    def check(value: Any) -> None:
        if not issubclass(type(value), of) or len(value) < fewest:
            raise Unlike("an object" if of is dict else "a list" + (f" of at least {fewest}" if fewest else ""), value)
        check_each(value.items() if of is dict else enumerate(value), shape)
    return check


def check_each(values: Iterable[tuple[int | str, Any]], shape: Shape) -> None:
    for step, value in values:
        try:
            shape(value)
        except Unlike as unlike:
            raise unlike.within(step) from None


def fields(required: dict[str, Any], optional: dict[str, Any] | None = None, is_closed: bool = False) -> Shape:
    """An object that has the `required` keys, and may have other keys: with `is_closed`, only the `optional` ones. The values are
    types or shapes."""
    shapes = {key: shape_of(kind) for key, kind in {**required, **(optional or {})}.items()}

    def check(value: Any) -> None:
        an_object(value)
        for key, shape in shapes.items():
            try:
                if key in value:
                    shape(value[key])
                elif key in required:
                    shape(MISSING)
            except Unlike as unlike:
                raise unlike.within(key) from None
        if is_closed and (unknown := next((key for key in value if key not in shapes), None)):
            raise Unlike(f"an object with the keys {console.one_of(shapes)}{console.did_you_mean(unknown, shapes)}", unknown)
    return check


SIMPLE_SHAPES: dict[Any, Shape] = {str: text, bool: flag, Any: anything, object: anything}


def shape_of(kind: Any, key: Key = ANY_VALUE) -> Shape:
    """The shape of values with this type. `key`: its bounds."""
    if key.check or isinstance(kind, types.FunctionType):
        return key.check or kind
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return columns_of(kind)[0]
    if kind in SIMPLE_SHAPES:
        return words(*key.words) if key.words else SIMPLE_SHAPES[kind]
    if kind in (int, float):
        limit, kinds, what = (MOST_WHOLE, (int,), "a whole number") if kind is int else (MOST, (int, float), "a number")
        return number(-limit if key.least is None else key.least, limit if key.most is None else key.most, kinds, what)
    origin, of = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return shape_of(of[0], of[1])
    if origin in (list, Sequence):
        return list_of(shape_of(of[0], dataclasses.replace(key, fewest=None)), key.fewest or 0)
    if origin is dict:
        return list_of(shape_of(of[1], key), of=dict)
    return or_null(shape_of(of[0], key))  # a union with None


def required_in(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass that have no default."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.name != "json"
                 and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)


@functools.cache
def columns_of(kind: type) -> tuple[Shape, tuple[str, ...], dict[str, type], bool]:
    """The shape of an object with the columns of a dataclass, their names, the dataclasses of those that are read as dataclasses
    or lists of them, and whether the dataclass has a field `json`. Fields without a default are required. The object may have
    other keys."""
    columns = {name: (of, key) for name, (of, key) in keys_of(kind).items() if key.is_read and name != "json"}
    must = required_in(kind)
    shapes = {name: shape_of(of, key) for name, (of, key) in columns.items()}
    parts: dict[str, type] = {name: part for name, (of, _) in columns.items() for part in (of, *typing.get_args(of))
                              if isinstance(part, type) and dataclasses.is_dataclass(part)}
    return (fields({name: shapes[name] for name in columns if name in must},
                   {name: shapes[name] for name in columns if name not in must}),
            tuple(columns), parts, "json" in keys_of(kind))


def read(kind: type[Kind], json: Any) -> Kind:
    """Throws Unlike."""
    shape_of(kind)(json)
    return kind(**values_of(kind, json))


def values_of(kind: type, json: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a dataclass, from a checked object. A field `json` is the object."""
    _, names, parts, keeps_json = columns_of(kind)
    values = {name: json[name] for name in names if name in json}
    for name, of in parts.items():
        if isinstance(value := values.get(name), list):
            values[name] = [of(**values_of(of, one)) for one in value]
        elif value is not None:
            values[name] = of(**values_of(of, value))
    if keeps_json:
        values["json"] = json
    return values
