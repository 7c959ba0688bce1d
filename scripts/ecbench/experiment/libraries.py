"""Entries of an experiment with the axis library: which of them can be measured here. `make contenders` builds plugins for
libraries in other languages and a second ISA-L; codec-lib=built in a file means this ISA-L, since files name no directories."""

import pathlib
from collections.abc import Sequence

from ecbench.experiment.expansion import Expansion
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import LIBRARY, Axes
from ecbench.point.description import Plugins
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import loaded_objects
from ecbench.terminal.console import Refused, did_you_mean, one_of

NOT_IN_DEFAULT_BUILD = ("klauspost", "rs-erasure", "rs-simd", "rusty_erasure", "ceph")
CODEC_LIB, BUILT, BUILT_IN = "codec-lib", "built", "isal-2.32"  # BUILT_IN: next to the program


def present(entries: Sequence[Axes], plugins: Plugins, program: str, isal_folders: Sequence[str]) -> tuple[list[Axes], list[str]]:
    """The entries that can be measured, one more for each of `isal_folders`, and the names of the others. Throws Refused."""
    found, not_built = [], []
    for axes in entries:
        name, plugin = str(axes.get(LIBRARY, ("",))[0]), str(axes.get("plugin", ("",))[0])
        if axes.get(CODEC_LIB) == (BUILT,):
            folder = pathlib.Path(program).resolve().parent / BUILT_IN
            axes = {**axes, CODEC_LIB: (str(folder) if folder.is_dir() else "",)}
        if axes.get(CODEC_LIB) == ("",) or (name and plugin not in plugins):
            not_built.append(name or f"{CODEC_LIB}={BUILT}")
            continue
        found.append(axes)
        if name == plugin == "isa":
            found += [{**axes, LIBRARY: (f"isa in {folder}",), CODEC_LIB: (str(isal_in(folder)),)} for folder in isal_folders]
    if not found:
        raise Refused(f"nothing is left to measure: {', '.join(dict.fromkeys(not_built))} is not built; run make contenders, which "
                      "needs go, cargo and Ceph's packages")
    return found, list(dict.fromkeys(not_built))


def is_optional(axes: Axes) -> bool:
    """Whether only `make contenders` builds what the entry needs."""
    return axes.get(CODEC_LIB) == (BUILT,) or bool(set(axes.get("plugin", ())) & set(NOT_IN_DEFAULT_BUILD))


def check_isal(expansion: Expansion, folders: Sequence[str]) -> None:
    """Throws Refused if ISA-L in a directory cannot be used, although the installed one can."""
    names = {entry.library for entry in expansion.entries}
    for folder in folders if "isa" in names else ():
        if f"isa in {folder}" not in names:
            reasons = [reason.why for reason in expansion.dropped if str(isal_in(folder)) in reason.example]
            raise Refused(f"--isal {folder} is not allowed: {next(iter(reasons), 'it has no libisal.so.2')}")


def check(run: Run, program: Ecbench) -> None:
    """Throws Refused if a directory no longer contains the codec libraries with which the run began."""
    begun = {point.codec_lib: (point.plugin, loaded_objects(run.rows[identity])) for identity, point in run.points.items()
             if point.codec_lib and run.rows.get(identity)}
    for folder, (plugin, loaded) in begun.items():
        now = program.environment(["--plugin", plugin, "--codec-lib", folder]).shared_objects
        known = {(one.name, one.version, one.build_id) for one in now}
        if other := next((one for one in loaded if (one.name, one.version, one.build_id) not in known), None):
            raise Refused(f"{run.path} cannot be resumed: {other.name} in {folder} is not the library with which the run began "
                          f"({other}); begin a new run, without --resume")


def isal_in(folder: str) -> pathlib.Path:
    """Throws Refused if `folder` is not a directory."""
    path = pathlib.Path(folder)
    if not folder or not path.is_dir():
        raise Refused(f"--isal {folder or repr('')} is not allowed: give a directory with a libisal.so.2")
    return path.resolve()


def selected(entries: Sequence[Axes], own: Axes) -> tuple[list[Axes], Axes]:
    """The entries of a file that the user's library= and plugin= select, and the user's other axes. Throws Refused."""
    labelled = [axes for axes in entries if LIBRARY in axes]
    for axis in (LIBRARY, "plugin") if labelled else ():
        if axis not in own:
            continue
        names = {str(name) for axes in labelled for name in axes.get(axis, ())}
        if unknown := [name for name in own[axis] if name not in names]:
            raise Refused(f"{axis}={unknown[0]} is not allowed; choose {one_of(sorted(names))}{did_you_mean(unknown[0], names)}")
        entries = [axes for axes in entries if LIBRARY not in axes or set(own[axis]) & set(axes.get(axis, ()))]
        if not entries:
            raise Refused(f"{axis}={','.join(map(str, own[axis]))} is not allowed: the libraries use other plugins; leave one of "
                          "the words out")
        own = {key: values for key, values in own.items() if key != axis}
    return list(entries), own
