"""What identifies a host: its name, the name of the user, and paths. Paths of the system, such as /usr/lib, do not."""

import dataclasses
import getpass
import json
import os
import platform
import re
from collections.abc import Callable, Iterator
from typing import Any

from ecbench.documents.document import Json
from ecbench.point.point import Point
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run

PATH = re.compile(r"(?:(?<![\w.:/])(?:~|/(?!usr/|lib|proc/|sys/|dev/))|/(?=(?:home|root|Users)/))[\w.+@~-]*(?:/[\w.+@~-]+)+/?")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|"
                     r"(?<![\w.-])(?:[\w-]+\.)+(?:com|org|net|edu|gov|local|lan|internal|corp|intra)(?![\w.-])")
KEYS = {"host", "hostname", "fqdn", "domain", "user", "username", "login"}
PLAIN = ("root", "user", "localhost", "ubuntu", "debian", "admin", "build", "test")


def private_names(run: Run) -> list[str]:
    """The names of this host and user; without names that say nothing, such as that of the user "clay" in a run of plugin clay."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    names = [platform.node(), platform.node().partition(".")[0], user, os.path.basename(os.path.expanduser("~"))]
    plain = {*PLAIN, *words_of(run)}
    return sorted({name for name in names if len(name) > 3 and name.lower() not in plain}, key=len, reverse=True)


def words_of(run: Run) -> list[str]:
    """The words in the run's points, CPU, format and keys, without those of paths."""
    header, points = run.header, map(Point.to_json, run.points.values())
    values = [run.mode, vars(header.machine), header.environment.cpu.json, header.environment.kernels, *points,
              header.format, *keys_in(header.json), *(field.name for field in dataclasses.fields(Row))]
    return re.findall(r"\w+", json.dumps(mapped(values, lambda text: without_names(text, []))).lower())


def keys_in(value: Any) -> Iterator[str]:
    for key, one in value.items() if isinstance(value, dict) else ():
        yield from (key, *keys_in(one))


def cleaned(record: Json, names: list[str], ids: dict[str, str]) -> Json:
    """The record without private names. `ids`: old → new ids of points, whose codec_lib was a path; this function adds to it."""
    found = mapped(record, lambda text: without_names(text, names))
    for old, new in [*zip(record.get("points", ()), found.get("points", ())), *([(record, found)] if "point" in record else ())]:
        if old["point"] != new["point"]:
            new["id"] = ids[old["id"]] = Point.from_json(new["point"]).id
    if found.get("id") in ids:
        found["id"] = ids[found["id"]]
    if isinstance(found.get("tried"), dict):
        found["tried"] = {ids.get(key, key): value for key, value in found["tried"].items()}
    return found


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): one if is_version(key, one) else mapped(one, change) for key, one in value.items() if key not in KEYS}
    return [mapped(one, change) for one in value] if isinstance(value, list) else value


def is_version(key: str, value: Any) -> bool:
    """Whether this is a version in numbers. One with four numbers is no address, such as that of libibverbs 1.14.44.0."""
    return key == "version" and isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)*", value) is not None


def without_names(text: str, names: list[str]) -> str:
    text = PATH.sub(lambda found: os.path.basename(found[0].rstrip("/")), text)
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text)
    return ADDRESS.sub("NAME", text)


def private_texts(value: Any) -> Iterator[str]:
    """The texts in a record that identify a host."""
    if isinstance(value, str):
        yield from (found[0] for found in (*PATH.finditer(value), *ADDRESS.finditer(value)))
    elif isinstance(value, dict):
        yield from (f"{key}: {value[key]}" for key in sorted(KEYS & value.keys()))
        for one in (*value, *(one for key, one in value.items() if not is_version(key, one))):
            yield from private_texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from private_texts(one)
