"""The points that Ceph's bench.sh measures, in the order in which it measures them. For bit-matrix techniques, the mode bench adds
points with other packetsizes."""

import dataclasses
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence

from ecbench.ceph.profile import TECHNIQUES as PACKET
from ecbench.ceph.profile import PacketTechnique, packetsizes_of
from ecbench.documents.document import Json, flag, or_null, required, text, whole
from ecbench.files import inputs
from ecbench.files.inputs import with_home
from ecbench.measure.ecbench import own_program
from ecbench.point.axes import OPTIONS, PROFILE, Axis, Language, numbers, read_axes, shapes
from ecbench.point.point import bytes_text
from ecbench.terminal.arguments import bytes_of
from ecbench.terminal.console import Refused, did_you_mean, one_of

SHAPES = ((2, 1), (3, 2), (4, 2), (4, 3), (6, 2), (6, 3), (6, 4), (10, 3), (10, 4))

RAID6 = ("liberation", "reed_sol_r6_op", "blaum_roth", "liber8tion")
ALIGNS_PER_CHUNK = ("reed_sol_van", *(name for name, technique in PACKET.items() if technique.aligns_per_chunk))
W_TO_ASK = {"blaum_roth": PACKET["blaum_roth"].w}  # all others have this w by default

TECHNIQUES_OF_PLUGIN: dict[str, tuple[str, ...]] = {
    "example": ("",),
    "isa": ("reed_sol_van", "cauchy"),
    "jerasure": ("reed_sol_van", "cauchy_orig", "cauchy_good", *RAID6),
}
# Also the plugin's variants for instruction sets, in old versions of Ceph.
JERASURE = ("jerasure", "jerasure_generic", "jerasure_sse3", "jerasure_sse4")
TECHNIQUES_OF_PLUGIN |= dict.fromkeys(JERASURE, TECHNIQUES_OF_PLUGIN["jerasure"])

# Plugin → name of a technique in Ceph's bench.sh and on Ceph's page → its name in the plugin, if that is another.
CEPH_NAMES: dict[str, dict[str, str]] = {
    "isa": {"vandermonde": "reed_sol_van"},
    **dict.fromkeys(JERASURE, {"vandermonde": "reed_sol_van", "cauchy": "cauchy_good"}),
}

CEPH_TECHNIQUES = ("vandermonde", "cauchy", "liberation", "reed_sol_r6_op", "blaum_roth", "liber8tion")


@dataclasses.dataclass(frozen=True)
class Point:
    """The point that is measured for a row of the table."""

    plugin: str = required(text)
    technique: str = required(text)  # "" if the plugin has a single technique without a name
    k: int = required(whole(1))
    m: int = required(whole())
    workload: str = required(text)
    erasures: int = required(whole())  # 0 for encode
    size: int = required(whole(1))
    packetsize: int | None = required(or_null(whole(1)))  # None: the technique has none, or the user's parameters set it
    by_formula: bool = required(flag)  # False: the point has an additional packetsize, which only the mode bench measures

    @functools.cached_property
    def id(self) -> str:
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()[:12]

    def to_json(self) -> Json:
        return dataclasses.asdict(self)

    @property
    def w(self) -> int | None:
        return PACKET.get(self.technique, PacketTechnique()).w if self.plugin in JERASURE else None

    @property
    def series(self) -> str:
        """The name of the line in a chart of Ceph's page that contains this point, such as encode_vandermonde_isa."""
        names = {technique: name for name, technique in CEPH_NAMES.get(self.plugin, {}).items()}
        return f"{self.workload}_{names.get(self.technique, self.technique or 'xor')}_{self.plugin}"

    def __str__(self) -> str:
        words = [self.plugin, self.technique, f"{self.k}+{self.m}", f"packetsize={self.packetsize}" if self.packetsize else "",
                 self.workload, str(self.erasures) if self.erasures else "", f"of {bytes_text(self.size)}"]
        return " ".join(word for word in words if word)


def technique_of(plugin: str, name: str) -> str | None:
    """The technique's name in the plugin; None if the plugin has no such technique. `name`: that, or Ceph's name."""
    technique = CEPH_NAMES.get(plugin, {}).get(name, name)
    return technique if technique in TECHNIQUES_OF_PLUGIN[plugin] else None


def profiles(plugins: Sequence[str], techniques: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of plugin and technique in Ceph's order, without duplicates."""
    chosen = [(plugin, technique_of(plugin, name)) for name in techniques for plugin in plugins if plugin != "example"]
    without_name = [("example", "")] if "example" in plugins else []
    return list(dict.fromkeys([*without_name, *((plugin, technique) for plugin, technique in chosen if technique is not None)]))


def points(plugins: Sequence[str], techniques: Sequence[str], sizes: Sequence[int], choose_packetsize: bool = True,
           shapes: Sequence[tuple[int, int]] = SHAPES) -> list[Point]:
    """In the order of measurement. `choose_packetsize`: False if the user's parameters set it."""
    return [
        Point(plugin, technique, k, m, workload, erasures, size, packetsize, index == 0)
        for size in sizes
        for plugin, technique in profiles(plugins, techniques)
        for k, m in shapes
        if (m == 2 or technique not in RAID6) and (plugin != "example" or (k, m) == (2, 1))
        for index, packetsize in enumerate(packetsizes_of(technique, k, size) if choose_packetsize and technique in PACKET
                                           else [None])
        for workload, erasures in [("encode", 0)] + [("decode", lost) for lost in range(1, m + 1)]
    ]


# Reads the settings from the environment variables of Ceph's bench.sh. As in Ceph's script, an empty variable counts as unset.

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

    def has(self, point: Point) -> bool:
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
    files/inputs.py again."""
    recorded = {name: with_home(value) for name, value in recorded.items() if name in VARIABLES}
    for name, value in given_variables().items():
        if recorded.get(name) != value:
            begun = f"with {name}={recorded[name]}" if name in recorded else f"without {name}"
            raise Refused(f"{name}={value} is not allowed with --resume: the run was started {begun}; leave {name} out")
    inputs.check_variables(recorded, given_variables())
    return recorded


# The words KEY=VALUES of bench and fplot, and the variable that sets the same.
VARIABLE_OF = {"size": "SIZE", "plugin": "PLUGINS", "technique": "TECHNIQUES"}
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "plugin": Axis(tuple(TECHNIQUES_OF_PLUGIN)),
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
        parameters=options or None, shapes=shapes(axes, SHAPES),
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
        if plugin not in (known := TECHNIQUES_OF_PLUGIN):
            raise Refused(f"PLUGINS: '{plugin}' is not allowed; choose {one_of(known)}{did_you_mean(plugin, known)}")
    for name in settings.techniques:
        if all(technique_of(plugin, name) is None for plugin in TECHNIQUES_OF_PLUGIN):
            names = dict.fromkeys([*CEPH_TECHNIQUES, *TECHNIQUES_OF_PLUGIN["jerasure"]])
            raise Refused(f"TECHNIQUES: '{name}' is not allowed; choose {one_of(names)}{did_you_mean(name, names)}")
    if not profiles(settings.plugins, settings.techniques):
        raise Refused(f"nothing to measure: none of the plugins {' '.join(settings.plugins)} has a technique "
                      f"{' or '.join(settings.techniques)}; give other PLUGINS or TECHNIQUES")
    for key in ("k", "m", "technique"):
        if settings.sets(key):
            raise Refused(f"PARAMETERS sets {key}, but the grid already sets {key} for every row; leave {key} out")
    if settings.total_size and settings.iterations:
        raise Refused("ITERATIONS and TOTAL_SIZE both set the number of iterations; leave one out")
    if settings.total_size and settings.total_size < max(settings.sizes):
        raise Refused(f"TOTAL_SIZE={settings.total_size} is not allowed; give at least the object size {max(settings.sizes)}")
