"""The points in the header of a run, the title of each library's column, and the shared objects that the library uses."""

import dataclasses
from collections.abc import Iterable, Iterator

from ecbench.contenders.libraries import ISA, LIMIT, WAYS
from ecbench.point.point import Point
from ecbench.runfile.environment import SharedObject
from ecbench.runfile.libraries import SYSTEM_LIBRARIES, libisal_release, loaded_objects
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import WRONG_BYTES, Run


@dataclasses.dataclass(frozen=True)
class Entry:
    library: str  # as in the header of the run
    case: str
    point: Point
    rows: list[Row]
    has_wrong_bytes: bool  # in at least one round

    @property
    def is_limit(self) -> bool:
        return self.library == LIMIT

    @property
    def is_way(self) -> bool:
        return self.library in WAYS


def entries_of(run: Run) -> list[Entry]:
    if not all(entry.library and entry.group for entry in run.header.points):
        raise LookupError("a point without library or group")
    return [Entry(entry.library, entry.group, run.points[entry.id], run.rows.get(entry.id, []),
                  any(failure.kind == WRONG_BYTES for failure in run.failures.get(entry.id, [])))
            for entry in run.header.points]


def by_library(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if not entry.is_limit and not entry.is_way:
            found.setdefault(entry.library, []).append(entry)
    return found


def titles_of(entries: Iterable[Entry]) -> dict[str, str]:
    """Library → title of its column. A libisal from a directory is called `isa VERSION`, unless the version is unknown or two
    directories contain the same."""
    groups = by_library(entries)
    releases = {name: libisal_release(own_objects(group)) for name, group in groups.items()
                if name != ISA and any(entry.point.codec_lib is not None for entry in group)}
    known = list(releases.values())
    return {name: f"isa {releases[name]}" if releases.get(name) and known.count(releases[name]) == 1 else name for name in groups}


def own_objects(entries: Iterable[Entry]) -> list[SharedObject]:
    """The shared objects of a library that is loaded from a directory."""
    return loaded_objects(next((entry.rows for entry in entries if entry.rows), ()))


def system_objects(run: Run, plugin: str) -> list[SharedObject]:
    """The system's shared objects that the plugin uses; for a plugin without any, its own."""
    prefixes = SYSTEM_LIBRARIES.get(plugin, (f"libec_{plugin}.so",))
    return [one for one in run.header.environment.shared_objects if one.name.startswith(prefixes)]


def version_lines(run: Run, entries: list[Entry]) -> Iterator[tuple[str, str]]:
    """For each library, the title of its column, and a text about the plugin, the kernels and the shared objects."""
    titles = titles_of(entries)
    for name, group in by_library(entries).items():
        point = group[0].point
        objects = system_objects(run, point.plugin) if point.codec_lib is None else own_objects(group)
        kernels = dict.fromkeys(entry.rows[0].kernel for entry in group if entry.rows)
        summary = run.header.plugins.get(point.plugin, {}).get("summary", "")
        yield titles[name], "; ".join(filter(None, [summary, " or ".join(filter(None, kernels)), *map(str, objects)]))
