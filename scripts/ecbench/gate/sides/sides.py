"""The two sides of a gate, OLD and NEW. A side has a program, a directory of plugins, and optionally a directory of codec
libraries. The user gives a build directory, the prefix of an installed ecbench, a plugin directory or a git revision. A directory
takes precedence over a revision of the same name. The user can also give the version of a Go or Rust library with which a plugin is
built."""

import dataclasses
import os
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ecbench.files.home import without_home
from ecbench.gate.sides.contender import GO_MODULE, Wanted, build_contender, resolve
from ecbench.gate.sides.revisions import build_revision, commit_of
from ecbench.installation.places import HOW_TO_GET, OWN_BUILD, PROGRAM, SOURCE
from ecbench.measure.ecbench import Ecbench
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

CODEC_LIBRARIES = ("libisal.so.2", "libJerasure.so.2", "libgf_complete.so.1")
NAMES = dict(zip(CODEC_LIBRARIES, ("ISA-L", "Jerasure", "GF-Complete"), strict=True))
SYSTEM = "system"  # --codec-lib system: the libraries that ecbench loads without --codec-lib


@dataclasses.dataclass(frozen=True)
class Side:
    name: str  # OLD or NEW
    given: str  # the argument that the user gave for this side
    kind: str  # build | installed | plugins | revision | module | crate
    program: str
    plugin_directory: str
    codec_lib: str | None = None
    revision: str | None = None  # the full commit hash; only for kind revision
    versions: tuple[str, ...] = ()  # the libraries that differ between the sides, such as ISA-L 2.32

    def codec_words(self) -> list[str]:
        """The program's options for this side's codec libraries."""
        return ["--codec-lib", self.codec_lib] if self.codec_lib else []

    def words(self) -> list[str]:
        """The program's options for this side's codec libraries and plugins."""
        return ["--erasure-code-dir", self.plugin_directory, *self.codec_words()]

    def ecbench(self, child: Child) -> Ecbench:
        return Ecbench(self.program, child, self.plugin_directory)

    def plugins(self) -> set[str]:
        """The names of this side's plugins."""
        files = pathlib.Path(self.plugin_directory).glob("libec_*.so")
        return {path.stem.removeprefix("libec_") for path in files}

    def inputs(self) -> list[tuple[str, str | os.PathLike]]:
        """Pairs for written_files.check_apart: the files of this side that are read."""
        files: list[str | os.PathLike] = [self.program, *sorted(pathlib.Path(self.plugin_directory).glob("libec_*.so"))]
        files += [os.path.join(self.codec_lib, library) for library in CODEC_LIBRARIES] if self.codec_lib else []
        return [(self.name, path) for path in files]

    def to_json(self) -> dict[str, Any]:
        """The side as JSON. In its paths, ~ replaces the home directory, because records are published."""
        return {key: without_home(value) if isinstance(value, str) and key != "given" else value
                for key, value in dataclasses.asdict(self).items()}

    def __str__(self) -> str:
        what = self.given if self.kind != "revision" else f"{self.given} ({str(self.revision)[:12]})"
        return f"{self.name}, {what}" + (f" with the codec libraries of {self.codec_lib}" if self.codec_lib else "")


def resolve_pair(old: str, new: str, child: Child, program: str | None = None, option: str | None = None) -> tuple[Side, Side]:
    """Resolves both sides. A plugin directory is loaded by `program`, or else by the program of the other side, or else by the
    program in build/. If `option` is given, both programs must have this option. Throws Refused."""
    given = {"OLD": old, "NEW": new}
    # Both kinds are determined before a side is built, so that a bad argument is refused first.
    kinds = {name: kind_of(name, text, child) for name, text in given.items()}
    sides = {}
    for name, other in (("OLD", "NEW"), ("NEW", "OLD")):
        if kinds[name] != "plugins":
            sides[name] = whole_side(name, given[name], kinds[name], child, given[other])
    for name, other in (("OLD", "NEW"), ("NEW", "OLD")):
        if kinds[name] == "plugins":
            next_to_it = sides[other].program if kinds[other] != "plugins" else None
            sides[name] = plugin_side(name, given[name], program or next_to_it)
    if option:
        for side in sides.values():
            check_has(side, option, child)
    return sides["OLD"], sides["NEW"]


def resolve_one(name: str, given: str, child: Child, program: str | None = None) -> Side:
    """Resolves one side. A plugin directory is loaded by `program`, or else by the program in build/."""
    kind = kind_of(name, given, child)
    return plugin_side(name, given, program) if kind == "plugins" else whole_side(name, given, kind, child)


def own_side(name: str, program: str | None = None) -> Side:
    """The side of `program`, or else of this ecbench."""
    folder = pathlib.Path(program).parent if program else OWN_BUILD
    if is_build(folder):
        return of_build(name, folder)
    if installed_plugins(folder):
        return of_prefix(name, folder)
    raise Refused(f"{folder} has no ecbench with plugins/: {HOW_TO_GET}")


def kind_of(name: str, given: str, child: Child) -> str:
    """build, installed, plugins or revision. Throws Refused for anything else."""
    folder = pathlib.Path(given)
    if not given or (folder.exists() and not folder.is_dir()):
        raise Refused(f"{name} '{given}' is not allowed: give a build directory, the prefix of an installed ecbench, a plugin "
                      "directory or a git revision")
    if not folder.is_dir():
        commit_of(name, given, child)
        return "revision"
    if is_build(folder):
        return "build"
    if installed_plugins(folder):
        return "installed"
    if has_plugins(folder):
        return "plugins"
    better = f", but {folder / 'build'} has a build" if is_build(folder / "build") else ""
    raise Refused(f"{name} {given} is a directory with neither a build (ecbench and plugins/) nor plugins (libec_*.so){better}; a "
                  "directory takes precedence over a git revision of the same name; to choose the revision, give heads/NAME or "
                  "tags/NAME")


def whole_side(name: str, given: str, kind: str, child: Child, other: str | None = None) -> Side:
    """The side for a build directory, the prefix of an installed ecbench, or a revision. If `other` is a build directory, a
    revision is built with the options of `other`."""
    if kind == "build":
        return of_build(name, given)
    if kind == "installed":
        return of_prefix(name, given)
    build, commit = build_revision(name, given, child, configured_like(other))
    return Side(name, given, kind, str(build / "ecbench"), str(build / "plugins"), revision=commit)


def of_build(name: str, given: str | os.PathLike) -> Side:
    folder = pathlib.Path(given).absolute()
    return Side(name, str(given), "build", str(folder / "ecbench"), str(folder / "plugins"))


def of_prefix(name: str, given: str | os.PathLike) -> Side:
    folder = pathlib.Path(given).absolute()
    return Side(name, str(given), "installed", str(folder / "bin" / "ecbench"), str(installed_plugins(folder)))


def plugin_side(name: str, given: str, program: str | None) -> Side:
    program = program or str(PROGRAM)
    if not is_program(program):
        raise Refused(f"{name} {given} is a directory of plugins, and {program}, which would load them, is not an executable file: "
                      f"{HOW_TO_GET}, or name another program with --ecbench PATH")
    return Side(name, given, "plugins", os.path.abspath(program), os.path.abspath(given))


def is_build(folder: pathlib.Path) -> bool:
    return is_program(folder / "ecbench") and has_plugins(folder / "plugins")


def is_program(path: str | os.PathLike[str]) -> bool:
    return os.access(path, os.X_OK) and os.path.isfile(path)


def installed_plugins(prefix: pathlib.Path) -> pathlib.Path | None:
    """The plugins of an ecbench that is installed below a prefix or unpacked from a bundle; None if the prefix has no ecbench."""
    if not is_program(prefix / "bin" / "ecbench"):
        return None
    found = (path.parent for pattern in ("lib*/ecbench", "lib*/*/ecbench") for path in prefix.glob(f"{pattern}/libec_*.so"))
    return next(found, None)


def has_plugins(folder: pathlib.Path) -> bool:
    return any(folder.glob("libec_*.so"))


def configured_like(other: str | None) -> pathlib.Path | None:
    """The CMakeCache.txt of the build directory `other`, if `other` has this file. A side is built with the options in this file,
    since both sides must have the same options."""
    cache = pathlib.Path(other or "") / "CMakeCache.txt"
    return cache if other and cache.is_file() else None


def check_has(side: Side, option: str, child: Child) -> None:
    """Throws Refused if the program cannot be run or lacks the option."""
    try:
        has_it = Ecbench(side.program, child).capabilities().has(option)
    except Refused as refused:
        raise Refused(f"{side}: {refused}") from refused
    if not has_it:
        raise Refused(f"{side}: {side.program} is too old: it has no {option}, which this gate needs; build it again")


def contender_sides(wanted: Iterable[Wanted], child: Child, program: str | None = None) -> tuple[Side, Side]:
    """Both sides. Each has a plugin that is built with the wanted version of its library. `program`, or else the program in build/,
    loads the plugins."""
    program = os.path.abspath(program or PROGRAM)
    if not is_program(program):
        raise Refused(f"{program}, which would load the plugins, is not an executable file: {HOW_TO_GET}, or name another program "
                      "with --ecbench PATH")
    like = configured_like(str(pathlib.Path(program).parent))
    old, new = [Side(one.side, one.given, "module" if one.option == GO_MODULE else "crate", program,
                     str(build_contender(one, child, like)), versions=(one.title(),))
                for one in [resolve(one, child) for one in wanted]]
    return old, new


def with_codec_libs(old: Side, new: Side, given: Sequence[str], child: Child) -> tuple[Side, Side]:
    """The two sides. Each gets the codec libraries of its directory in `given`, or keeps its libraries if `system` is given. Both
    sides also get the versions of the replaced libraries."""
    for side, folder in zip((old, new), given, strict=True):
        check_codec_lib(side.name, folder)
    old, new = (side if folder == SYSTEM else dataclasses.replace(side, codec_lib=str(pathlib.Path(folder).absolute()))
                for side, folder in zip((old, new), given, strict=True))
    replaced = [name for name in CODEC_LIBRARIES
                if any(side.codec_lib and pathlib.Path(side.codec_lib, name).exists() for side in (old, new))]
    old, new = (dataclasses.replace(side, versions=versions_of(side, replaced, child)) for side in (old, new))
    return old, new


def versions_of(side: Side, names: Iterable[str], child: Child) -> tuple[str, ...]:
    """The codec libraries with their versions. The version is the end of the file's name. A library whose version is unknown is
    left out: for example, the name libisal.so.2 has only the version of the interface."""
    shared_objects = side.ecbench(child).environment(side.codec_words())["shared_objects"]
    loaded = {thing["name"]: thing["version"] or "" for thing in shared_objects}
    return tuple(f"{NAMES[name]} {release(name, loaded[name])}" for name in names if "." in loaded.get(name, ""))


def titles(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, str]:
    """The names of the two sides in outcomes: the versions of the libraries that differ, or the directories if the versions are
    unknown or equal. `old` and `new` are results of Side.to_json()."""
    both = old, new
    builds = [shown(side["given"]) + (f" ({side['revision'][:12]})" if side.get("revision") else "") for side in both]
    versions = [" and ".join(side.get("versions") or ()) for side in both]
    folders = [side.get("codec_lib") for side in both]
    if not any([*versions, *folders]):
        return builds[0], builds[1]
    texts = [version or f"the codec libraries of {folder or 'the system'}"
             for version, folder in zip(versions, folders, strict=True)]
    if texts[0] == texts[1] and any(folders):
        texts = [f"{text} ({folder or SYSTEM})" for text, folder in zip(texts, folders, strict=True)]
    if builds[0] != builds[1] and any(folders):
        texts = [f"{build} with {text}" for build, text in zip(builds, texts, strict=True)]
    return texts[0], texts[1]


def shown(given: str) -> str:
    """The path `given`. If it is the default build of a clone, only the last part of the path."""
    return OWN_BUILD.name if SOURCE and given == str(OWN_BUILD) else given


def release(library: str, version: str) -> str:
    """The release of a library. For example, libisal.so.2 with version 2.0.32 is from ISA-L 2.32."""
    isal = re.fullmatch(r"(\d+)\.0\.(\d+)", version)
    return f"{isal[1]}.{isal[2]}" if library == "libisal.so.2" and isal else version


def check_codec_lib(name: str, given: str) -> None:
    """Throws Refused if the directory contains no codec library."""
    folder = pathlib.Path(given)
    if given == SYSTEM:
        return
    if not folder.is_dir():
        raise Refused(f"--codec-lib {given} for {name} is not allowed; give a directory, or the word {SYSTEM} for the system's own "
                      "libraries")
    if not any((folder / library).exists() for library in CODEC_LIBRARIES):
        raise Refused(f"--codec-lib {given} for {name} is not allowed: the directory has none of {', '.join(CODEC_LIBRARIES)}; "
                      "give another directory")
