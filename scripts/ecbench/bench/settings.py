"""Reads the settings from the environment variables of Ceph's bench.sh. As in Ceph's script, an empty variable counts as unset."""

import dataclasses
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence

from ecbench.bench import ceph_grid
from ecbench.files import loading
from ecbench.files.home import with_home
from ecbench.measure.ecbench import own_program
from ecbench.point.axes import OPTIONS, PROFILE, Axis, Language, numbers, read_axes, shapes
from ecbench.terminal.arguments import bytes_of
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import did_you_mean, one_of


@dataclasses.dataclass
class Settings:
    program: str
    plugin_directory: str  # "": the program's default
    plugins: list[str]
    techniques: list[str]
    sizes: list[int]
    iterations: int | None  # None: as many as fit in the measuring time of one row
    total_size: int | None
    parameters: list[str] | None  # None: parameters that suit the technique
    shapes: Sequence[tuple[int, int]]  # pairs of k and m
    workloads: Sequence[str]
    erasures: Sequence[int] | None  # for decode; None: 1 to m

    def has(self, point: ceph_grid.Point) -> bool:
        """Whether the user's words select the point."""
        return point.workload in self.workloads and (self.erasures is None or point.erasures in (0, *self.erasures))

    def iterations_of(self, size: int) -> int | None:
        """The number of iterations for an object size; None: as many as fit in the measuring time of one row."""
        return self.total_size // size if self.total_size else self.iterations

    def sets(self, key: str) -> bool:
        """Whether the user's parameters set `key`. Ceph's names of 2013, such as erasure-code-k for k, are also recognized."""
        pattern = re.compile(rf"(-P|--parameter=)?(erasure-code-)?{re.escape(key)}=")
        return any(pattern.match(word) for word in self.parameters or [])

    def names_option(self, name: str) -> bool:
        """Whether the user's parameters contain the option `name`, such as --timing."""
        return any(word.partition("=")[0] == name for word in self.parameters or [])


VARIABLES = ("SIZE", "ITERATIONS", "TOTAL_SIZE", "PLUGINS", "TECHNIQUES", "PARAMETERS", "PLUGIN_DIRECTORY",
             "CEPH_ERASURE_CODE_BENCHMARK")


def given_variables() -> dict[str, str]:
    """The variables that the user set."""
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


def variables_of(recorded: Mapping[str, str]) -> dict[str, str]:
    """The variables of a run that is resumed. Throws Refused if the user gives a different value, or does not give one of
    files/loading.py again."""
    recorded = {name: with_home(value) for name, value in recorded.items() if name in VARIABLES}
    for name, value in given_variables().items():
        if recorded.get(name) != value:
            begun = f"with {name}={recorded[name]}" if name in recorded else f"without {name}"
            raise Refused(f"{name}={value} is not allowed with --resume: the run was started {begun}; leave {name} out")
    loading.check_variables(recorded, given_variables())
    return recorded


# The words KEY=VALUES of bench and fplot, and the variable that sets the same.
VARIABLE_OF = {"size": "SIZE", "plugin": "PLUGINS", "technique": "TECHNIQUES"}
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "plugin": Axis(tuple(ceph_grid.TECHNIQUES_OF_PLUGIN)),
        "technique": Axis(), "workload": Axis(("encode", "decode")), "erasures": numbers(words=("all",))}


def read_settings(words: Sequence[str], default_sizes: Sequence[int], default_techniques: Sequence[str],
                  variables: Mapping[str, str]) -> Settings:
    """The settings of the variables and of the words KEY=VALUES. Words without = are ignored, as in Ceph's bench.sh. Throws
    Refused."""
    parameters = variables.get("PARAMETERS", "")
    try:
        options = shlex.split(parameters)
    except ValueError as error:
        raise Refused(f"PARAMETERS={parameters} is not allowed: the text cannot be split into words by the rules of the "
                      f"shell ({error})") from error
    size = read_number(variables, "SIZE")
    axes = read_axes([word for word in words if "=" in word], Language(None, AXES, takes_profiles=False))
    for key, variable in VARIABLE_OF.items():
        if key in axes and variable in variables:
            raise Refused(f"{key}= and {variable}={variables[variable]} both set the same; leave one out")
    lost = axes.get("erasures", ("all",))
    settings = Settings(
        program=variables.get("CEPH_ERASURE_CODE_BENCHMARK") or own_program(),
        plugin_directory=variables.get("PLUGIN_DIRECTORY", ""),
        plugins=list(axes.get("plugin", variables.get("PLUGINS", "").split() or ("isa", "jerasure"))),
        techniques=list(axes.get("technique", variables.get("TECHNIQUES", "").split() or default_techniques)),
        sizes=list(axes.get("size", [size] if size else default_sizes)),
        iterations=read_number(variables, "ITERATIONS", is_size=False),
        total_size=read_number(variables, "TOTAL_SIZE"),
        parameters=options or None, shapes=shapes(axes, ceph_grid.SHAPES),
        workloads=axes.get("workload", ("encode", "decode")), erasures=None if "all" in lost else lost)
    check(settings)
    return settings


def find_program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Refused(f"CEPH_ERASURE_CODE_BENCHMARK: {name} is not an executable file; give the path of a program, or unset the "
                      "variable")
    return found


def read_number(variables: Mapping[str, str], name: str, is_size: bool = True) -> int | None:
    text = variables.get(name, "")
    value = bytes_of(text) if is_size or text.isdigit() else None
    if text and not value:
        what = "a number of bytes, at least 1, such as 4096, 4K or 1M" if is_size else "a whole number, at least 1"
        raise Refused(f"{name}={text} is not allowed; give {what}")
    return value


def check(settings: Settings) -> None:
    for plugin in settings.plugins:
        if plugin not in (known := ceph_grid.TECHNIQUES_OF_PLUGIN):
            raise Refused(f"PLUGINS: '{plugin}' is not allowed; choose {one_of(known)}{did_you_mean(plugin, known)}")
    for name in settings.techniques:
        if all(ceph_grid.technique_of(plugin, name) is None for plugin in ceph_grid.TECHNIQUES_OF_PLUGIN):
            names = dict.fromkeys([*ceph_grid.CEPH_TECHNIQUES, *ceph_grid.TECHNIQUES_OF_PLUGIN["jerasure"]])
            raise Refused(f"TECHNIQUES: '{name}' is not allowed; choose {one_of(names)}{did_you_mean(name, names)}")
    if not ceph_grid.profiles(settings.plugins, settings.techniques):
        raise Refused(f"nothing to measure: none of the plugins {' '.join(settings.plugins)} has a technique "
                      f"{' or '.join(settings.techniques)}; give other PLUGINS or TECHNIQUES")
    for key in ("k", "m", "technique"):
        if settings.sets(key):
            raise Refused(f"PARAMETERS sets {key}, but the grid already sets {key} for every row; leave {key} out")
    if settings.total_size and settings.iterations:
        raise Refused("ITERATIONS and TOTAL_SIZE both set the number of iterations; leave one out")
    if settings.total_size and settings.total_size < max(settings.sizes):
        raise Refused(f"TOTAL_SIZE={settings.total_size} is not allowed; give at least the object size {max(settings.sizes)}")
