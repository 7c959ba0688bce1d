"""JSON documents as dataclasses. The dataclasses are the format: to_json() writes them, and schema_of() makes the JSON schema that
`bench.sh MODE --schema` prints."""

import dataclasses
import functools
import types
import typing
from typing import Any

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

    def bounded(self, found: Json) -> Json:
        """`found`: the JSON schema of one type. Bounds and words are also those of the items of a list; words, of the keys of a
        dictionary."""
        if found.get("type") == "array":
            return {**found, "items": self.bounded(found["items"]), **({} if self.fewest is None else {"minItems": self.fewest})}
        if found.get("type") == "object" and self.words:
            return {**found, "propertyNames": {"enum": list(self.words)}}
        if found.get("type") in ("integer", "number"):
            bounds = {"minimum": self.least, "exclusiveMinimum": self.above, "maximum": self.most}
            return {**found, **{name: bound for name, bound in bounds.items() if bound is not None}}
        return {"enum": list(self.words)} if found.get("type") == "string" and self.words else found


@functools.cache
def keys_of(kind: Any) -> dict[str, tuple[Any, Key]]:
    """Field → its type and its key."""
    hints = typing.get_type_hints(kind, include_extras=True)
    found = {field.name: typing.get_args(hints[field.name]) if typing.get_origin(hints[field.name]) is typing.Annotated
             else (hints[field.name], Key()) for field in dataclasses.fields(kind)}
    return {name: (of, key if key.name else dataclasses.replace(key, name=name)) for name, (of, key) in found.items()}


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


def type_of(kind: Any) -> Json:
    """The JSON schema of a value with this type."""
    if dataclasses.is_dataclass(kind):
        return object_of(kind)
    if kind is Any:
        return {}
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return {"type": "array", "items": type_of(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": type_of(parts[1])}
    return {"anyOf": [type_of(part) for part in parts]}  # a union


def object_of(kind: Any) -> Json:
    properties = {}
    for of, key in keys_of(kind).values():
        found = type_of(of)
        found = {"anyOf": [*map(key.bounded, found["anyOf"])]} if "anyOf" in found else key.bounded(found)
        properties[key.name] = {**({"description": key.what} if key.what else {}), **found}
    optional = {field.name for field in dataclasses.fields(kind) if field.default is ABSENT}
    return {"type": "object", "additionalProperties": False, "properties": properties,
            "required": [key.name for name, (_, key) in keys_of(kind).items() if name not in optional]}


@dataclasses.dataclass(frozen=True)
class Interval:
    median: float
    low: typing.Annotated[float | None, Key("Lower end of the 95 % interval; null if there are too few values for an interval.")]
    high: float | None
