"""What the columns are called, and which versions of which libraries ran in them."""

import dataclasses
import re

from ecbench.contenders.contestants import ISA, LIMIT

LIBISAL = "libisal.so"


@dataclasses.dataclass(frozen=True)
class Library:
    name: str
    version: str | None  # as the library itself has it
    path: str | None
    build_id: str | None

    def __str__(self):
        words = [self.name, self.version and shown_version(self.name, self.version), self.path and f"({self.path})",
                 f"build id {self.build_id[:12]}" if self.build_id else "without a build id"]
        return " ".join(word for word in words if word)


def shown_version(name, version):
    """libisal counts 2.0.31 what the world calls 2.31."""
    match = re.fullmatch(r"2\.0\.([0-9]+)", version) if name.startswith(LIBISAL) else None
    return f"2.{match[1]}" if match else version


def names_of(run):
    """Contestant of the run's header → name of its column. Those with a libisal of their own are called by its version; by the
    folder where two have the same."""
    names = dict.fromkeys(entry["contestant"] for entry in run.header["points"] if entry["contestant"] != LIMIT)
    versions = {name: version_of(libraries_of(run, name)) for name in names if name != ISA and is_isal(run, name)}
    for name in names:
        version = versions.get(name)
        alone = version is not None and list(versions.values()).count(version) == 1
        names[name] = f"isa {version}" if alone else name
    return names


def is_isal(run, contestant):
    return any(run.points[entry["id"]].codec_lib is not None for entry in run.header["points"] if entry["contestant"] == contestant)


def version_of(libraries):
    return next((shown_version(library.name, library.version) for library in libraries
                 if library.name.startswith(LIBISAL) and library.version), None)


def libraries_of(run, contestant):
    """The codec libraries of a contestant with a folder of its own, as its first row tells them."""
    for entry in run.header["points"]:
        rows = run.rows.get(entry["id"]) if entry["contestant"] == contestant else None
        if rows:
            return [Library(name, of.get("version"), of.get("path"), of.get("build_id"))
                    for name, of in (rows[0].get("codec_libraries") or {}).items() if isinstance(of, dict)]
    return []


def version_lines(run):
    """A line for each contestant: what its plugin says of itself, and the libraries that it ran on."""
    system = [Library(of["name"], of.get("version"), of.get("path"), of.get("build_id"))
              for of in run.header["environment"].get("shared_objects", [])]
    plugins = run.header.get("plugins", {})
    for contestant, name in names_of(run).items():
        point = next(run.points[entry["id"]] for entry in run.header["points"] if entry["contestant"] == contestant)
        own = [library for library in system if is_of(library.name, point.plugin)] if point.codec_lib is None else \
            libraries_of(run, contestant)
        said = plugins.get(point.plugin, {}).get("summary", "")
        yield name, "; ".join(filter(None, [said, kernel_of(run, contestant), *map(str, own)]))


# The system's libraries that a plugin of the default build computes by.
SYSTEM_LIBRARIES = {"isa": ("libisal",), "jerasure": ("libJerasure", "libgf_complete")}


def is_of(library, plugin):
    """A plugin of another language is one file with all that it computes by."""
    return library.startswith(SYSTEM_LIBRARIES.get(plugin, f"libec_{plugin}.so"))


def kernel_of(run, contestant):
    """What a row says of the kernels that ran."""
    kernels = dict.fromkeys(rows[0].get("kernel", "") for entry in run.header["points"]
                            if entry["contestant"] == contestant and (rows := run.rows.get(entry["id"])))
    return " or ".join(filter(None, kernels))
