"""Finds the title of each library's column, and the versions of the shared objects that the library uses."""

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ecbench.contenders.entries import Entry
from ecbench.contenders.libraries import ISA
from ecbench.runfile.run_file import Run

LIBISAL = "libisal.so"
# Plugin → the system's shared objects that this plugin uses (beginnings of their names). For other plugins, the shared object of
# the plugin itself is printed.
SYSTEM_LIBRARIES = {"isa": ("libisal",), "jerasure": ("libJerasure", "libgf_complete")}


@dataclasses.dataclass(frozen=True)
class SharedObject:
    name: str
    version: str | None
    path: str | None
    build_id: str | None

    @property
    def release(self) -> str | None:
        """The release number. It can differ from the version of the file: the libisal of ISA-L 2.31 has the version 2.0.31."""
        match = re.fullmatch(r"2\.0\.([0-9]+)", self.version or "") if self.name.startswith(LIBISAL) else None
        return f"2.{match[1]}" if match else self.version

    def __str__(self) -> str:
        words = [self.name, self.release, self.path and f"({self.path})",
                 f"build id {self.build_id[:12]}" if self.build_id else "without a build id"]
        return " ".join(word for word in words if word)


def shared_object(name: str, facts: dict[str, Any]) -> SharedObject:
    return SharedObject(name, facts.get("version"), facts.get("path"), facts.get("build_id"))


def by_library(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if not entry.is_limit:
            found.setdefault(entry.library, []).append(entry)
    return found


def titles_of(entries: Iterable[Entry]) -> dict[str, str]:
    """Returns name of a library → title of its column. For a libisal from a directory, the title is `isa VERSION`. If the version
    is unknown, or if two directories contain the same version, the title is the name of the library, such as `isa in DIR`."""
    groups = by_library(entries)
    releases = {name: libisal_release(own_objects(group)) for name, group in groups.items()
                if name != ISA and any(entry.point.codec_lib is not None for entry in group)}
    known = list(releases.values())
    return {name: f"isa {releases[name]}" if releases.get(name) and known.count(releases[name]) == 1 else name for name in groups}


def libisal_release(objects: Iterable[SharedObject]) -> str | None:
    return next((one.release for one in objects if one.name.startswith(LIBISAL) and one.version), None)


def own_objects(entries: Iterable[Entry]) -> list[SharedObject]:
    """The shared objects of a library that is loaded from a directory. The first row of this library contains the list."""
    rows = next((entry.rows for entry in entries if entry.rows), None)
    facts = (rows[0].get("codec_libraries") or {}) if rows else {}
    return [shared_object(name, of) for name, of in facts.items() if isinstance(of, dict)]


def system_objects(run: Run, plugin: str) -> list[SharedObject]:
    prefixes = SYSTEM_LIBRARIES.get(plugin, (f"libec_{plugin}.so",))
    return [shared_object(facts["name"], facts) for facts in run.header["environment"].get("shared_objects", [])
            if facts["name"].startswith(prefixes)]


def version_lines(run: Run, entries: list[Entry]) -> Iterator[tuple[str, str]]:
    """For each library, yields the title of its column and a text. The text contains the summary of the plugin, the kernels and the
    shared objects."""
    titles = titles_of(entries)
    for name, group in by_library(entries).items():
        point = group[0].point
        objects = system_objects(run, point.plugin) if point.codec_lib is None else own_objects(group)
        kernels = dict.fromkeys(entry.rows[0].get("kernel", "") for entry in group if entry.rows)
        summary = run.header.get("plugins", {}).get(point.plugin, {}).get("summary", "")
        yield titles[name], "; ".join(filter(None, [summary, " or ".join(filter(None, kernels)), *map(str, objects)]))
