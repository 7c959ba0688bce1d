"""The two sides of a gate, OLD and NEW: each has a program, a directory of plugins, and optionally one of codec libraries. The user
gives a build directory, the prefix of an installed ecbench, a plugin directory or a git revision (a directory takes precedence),
or two versions of a Go module or Rust crate, with which the plugin is built."""

import dataclasses
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ecbench.files.files import without_home
from ecbench.gate.sides.builds import GO_MODULE, Wanted, build_contender, build_revision, commit_of, resolve
from ecbench.installation.places import HOW_TO_GET, NOT_A_PROGRAM, OWN_BUILD, PROGRAM, SOURCE
from ecbench.measure.ecbench import Ecbench
from ecbench.process.process import Child
from ecbench.terminal.console import Refused

CODEC_LIBRARIES = {"libisal.so.2": "ISA-L", "libJerasure.so.2": "Jerasure", "libgf_complete.so.1": "GF-Complete"}
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
    versions: tuple[str, ...] = ()  # names and versions of the compared libraries, such as ISA-L 2.32

    def codec_words(self) -> list[str]:
        return ["--codec-lib", self.codec_lib] if self.codec_lib else []

    def ecbench(self, child: Child) -> Ecbench:
        return Ecbench(self.program, child, self.plugin_directory)

    def plugins(self) -> set[str]:
        files = pathlib.Path(self.plugin_directory).glob("libec_*.so")
        return {path.stem.removeprefix("libec_") for path in files}

    def inputs(self) -> list[tuple[str, str | os.PathLike]]:
        """The files that are read for this side, for files.check_apart()."""
        files: list[str | os.PathLike] = [self.program, *sorted(pathlib.Path(self.plugin_directory).glob("libec_*.so"))]
        files += [os.path.join(self.codec_lib, library) for library in CODEC_LIBRARIES] if self.codec_lib else []
        return [(self.name, path) for path in files]

    def to_json(self) -> dict[str, Any]:
        """~ replaces the home directory in all paths except `given`, because records are published."""
        return {key: without_home(value) if isinstance(value, str) and key != "given" else value
                for key, value in dataclasses.asdict(self).items()}

    def __str__(self) -> str:
        what = self.given if self.kind != "revision" else f"{self.given} ({str(self.revision)[:12]})"
        return f"{self.name}, {what}" + (f" with the codec libraries of {self.codec_lib}" if self.codec_lib else "")


def resolve_pair(given: Sequence[str], child: Child, program: str | None = None) -> tuple[Side, Side]:
    """A side that is a plugin directory gets `program`, or else the program of the other side, or else that of this ecbench."""
    known = [known_side(name, each, child) for name, each in zip(("OLD", "NEW"), given, strict=True)]  # before a build starts
    for number, side in enumerate(known):
        if side.revision:  # built with the options of the other side, if that is a build directory
            build = build_revision(f"{side.name} {side.given}", side.revision, child, known[1 - number].given)
            known[number] = dataclasses.replace(side, program=str(build / "ecbench"), plugin_directory=str(build / "plugins"))
    first, second = known
    return with_program(first, program or second.program), with_program(second, program or first.program)


def own_side(name: str, program: str | None = None) -> Side:
    """The side for the build or the installed ecbench that contains `program` (None: this ecbench)."""
    if program and not is_program(program):
        raise Refused(f"--ecbench {program} {NOT_A_PROGRAM}")
    folder = pathlib.Path(program).parent if program else OWN_BUILD
    for place in (folder, pathlib.Path(os.path.abspath(folder)).parent) if program else (folder,):
        side = whole_side(name, place)
        if side and (not program or os.path.samefile(program, side.program)):
            return side
    raise Refused(f"{folder} does not contain ecbench and plugins/: {HOW_TO_GET}")


def known_side(name: str, given: str, child: Child) -> Side:
    """A revision has no program and no plugins yet; a directory of plugins has no program yet."""
    folder = pathlib.Path(given)
    if not given or (folder.exists() and not folder.is_dir()):
        raise Refused(f"{name} '{given}' is not allowed: give a build directory, the prefix of an installed ecbench, a plugin "
                      "directory or a git revision")
    if not folder.is_dir():
        return Side(name, given, "revision", "", "", revision=commit_of(name, given, child))
    if whole := whole_side(name, folder):
        return dataclasses.replace(whole, given=given)
    if any(folder.glob("libec_*.so")):
        return Side(name, given, "plugins", "", os.path.abspath(given))
    better = f", but {folder / 'build'} has a build" if whole_side(name, folder / "build") else ""
    raise Refused(f"{name} {given} is a directory without a build (ecbench and plugins/) and without plugins (libec_*.so){better}; "
                  "if you want the git revision of this name, give heads/NAME or tags/NAME, because a directory takes precedence "
                  "over a git revision")


def whole_side(name: str, folder: pathlib.Path) -> Side | None:
    """The build, the installed ecbench or the unpacked bundle in a directory."""
    place = folder.absolute()
    installed = (path.parent for pattern in ("lib*/ecbench", "lib*/*/ecbench") for path in place.glob(f"{pattern}/libec_*.so"))
    for kind, program, plugins in (("build", place / "ecbench", place / "plugins"),
                                   ("installed", place / "bin" / "ecbench", next(installed, None))):
        if is_program(program) and plugins and any(plugins.glob("libec_*.so")):
            return Side(name, str(folder), kind, str(program), str(plugins))
    return None


def with_program(side: Side, program: str) -> Side:
    if side.program:
        return side
    program = program or str(PROGRAM)
    if not is_program(program):
        raise Refused(f"{side.name} {side.given} is a directory of plugins, but {program}, the program that must load them, "
                      f"{NOT_A_PROGRAM}")
    return dataclasses.replace(side, program=os.path.abspath(program))


def is_program(path: str | os.PathLike[str]) -> bool:
    return os.access(path, os.X_OK) and os.path.isfile(path)


def check_has(side: Side, option: str, child: Child) -> None:
    try:
        has_it = option.removeprefix("--") in Ecbench(side.program, child).options
    except Refused as refused:
        raise Refused(f"{side}: {refused}") from refused
    if not has_it:
        raise Refused(f"{side}: {side.program} is too old: it has no {option}, which this gate needs; build it again")


def contender_sides(wanted: Iterable[Wanted], child: Child, program: str | None = None) -> tuple[Side, Side]:
    """OLD and NEW, whose plugin is built with the version of the library that the user gave. Both have the same program."""
    program = os.path.abspath(program or PROGRAM)
    if not is_program(program):
        raise Refused(f"{program}, the program that must load the plugins, {NOT_A_PROGRAM}")
    old, new = [Side(one.side, one.given, "module" if one.option == GO_MODULE else "crate", program,
                     str(build_contender(one, child, pathlib.Path(program).parent)), versions=(one.title(),))
                for one in [resolve(one, child) for one in wanted]]
    return old, new


def with_codec_libs(old: Side, new: Side, given: Sequence[str], child: Child) -> tuple[Side, Side]:
    """The two sides with the codec libraries of `given`: a directory for each side, or `system`. Sets `versions` of both sides."""
    old, new = (side if folder == SYSTEM else dataclasses.replace(side, codec_lib=str(pathlib.Path(folder).absolute()))
                for side, folder in zip((old, new), given, strict=True))
    replaced = [name for name in CODEC_LIBRARIES
                if any(side.codec_lib and pathlib.Path(side.codec_lib, name).exists() for side in (old, new))]
    old, new = (dataclasses.replace(side, versions=versions_of(side, replaced, child)) for side in (old, new))
    return old, new


def versions_of(side: Side, names: Iterable[str], child: Child) -> tuple[str, ...]:
    """Name and version of each codec library in `names` that `side` loads, such as ISA-L 2.32. A library is left out if the name of
    its file has no version, such as libisal.so.2."""
    loaded = {thing.name: thing.release or "" for thing in side.ecbench(child).environment(side.codec_words()).shared_objects}
    return tuple(f"{CODEC_LIBRARIES[name]} {loaded[name]}" for name in names if "." in loaded.get(name, ""))


def titles(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, str]:
    """The builds, or the names and versions of the compared libraries, with their directories if the versions are unknown or equal;
    both if both differ. `old`, `new`: results of Side.to_json()."""
    # Only the last part of the path of a clone's default build.
    builds = [(OWN_BUILD.name if SOURCE and side["given"] == str(OWN_BUILD) else side["given"])
              + (f" ({side['revision'][:12]})" if side.get("revision") else "") for side in (old, new)]
    versions = [" and ".join(side.get("versions") or ()) for side in (old, new)]
    folders = [side.get("codec_lib") for side in (old, new)]
    if not any([*versions, *folders]):
        return builds[0], builds[1]
    texts = [version or f"the codec libraries of {folder or 'the system'}"
             for version, folder in zip(versions, folders, strict=True)]
    if texts[0] == texts[1] and any(folders):
        texts = [f"{text} ({folder or SYSTEM})" for text, folder in zip(texts, folders, strict=True)]
    if builds[0] != builds[1] and any(folders):
        texts = [f"{build} with {text}" for build, text in zip(builds, texts, strict=True)]
    return texts[0], texts[1]


def check_codec_lib(name: str, given: str) -> None:
    folder = pathlib.Path(given)
    if given == SYSTEM:
        return
    if not folder.is_dir():
        raise Refused(f"--codec-lib {given} for {name} is not allowed; give a directory, or the word {SYSTEM} for the libraries "
                      "that ecbench loads without --codec-lib")
    if not any((folder / library).exists() for library in CODEC_LIBRARIES):
        raise Refused(f"--codec-lib {given} for {name} is not allowed: the directory has none of {', '.join(CODEC_LIBRARIES)}; "
                      "give another directory")
