"""The points that Ceph's bench.sh measures, in its order, and the settings that select them: environment variables and words. For
bit-matrix techniques, bench adds points with other packetsizes."""

import itertools
import os
import re
import shlex
from collections.abc import Mapping, Sequence

from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT, packetsizes_of
from ecbench.ceph.profile import TECHNIQUES as PACKET
from ecbench.experiment.experiment import read_file, with_words
from ecbench.files import files
from ecbench.files.files import with_home
from ecbench.installation.places import EXPERIMENTS
from ecbench.measure.ecbench import own_program
from ecbench.point.axes import OPTIONS, PROFILE, SHAPE, Axes, Axis, Language, numbers, read_axes, read_values, shapes_of, single
from ecbench.point.point import Point, make_point
from ecbench.terminal.arguments import bytes_of
from ecbench.terminal.console import Refused, did_you_mean, one_of

# Plugin and technique → axes of the experiment ceph.
GRID = {(str(plugin), str(technique)): axes for axes in read_file(EXPERIMENTS / "ceph.toml", with_words(Language(None))).points
        for plugin in axes["plugin"] for technique in axes["technique"]}
SHAPES, SIZES = (GRID["isa", "reed_sol_van"][axis] for axis in (SHAPE, "size"))
GRID["example", ""] = {SHAPE: ((2, 1),)}
TECHNIQUES = tuple(dict.fromkeys(technique for _, technique in GRID if technique))
JERASURE = ("jerasure", "jerasure_generic", "jerasure_sse3", "jerasure_sse4")  # also the names of Ceph's old variants
PLUGINS = ("example", "isa", *JERASURE)

# Plugin → name of a technique in Ceph's bench.sh and on Ceph's page → its name in the plugin, if that is another.
CEPH_NAMES: dict[str, dict[str, str]] = {
    "isa": {"vandermonde": "reed_sol_van"},
    **dict.fromkeys(JERASURE, {"vandermonde": "reed_sol_van", "cauchy": "cauchy_good"}),
}


def axes_of(plugin: str, technique: str) -> Axes | None:
    return GRID.get(("jerasure" if plugin in JERASURE else plugin, technique))


def technique_of(plugin: str, name: str) -> str | None:
    """The technique's name in the plugin; None if the plugin has no such technique. `name`: that, or Ceph's name."""
    technique = CEPH_NAMES.get(plugin, {}).get(name, name)
    return technique if axes_of(plugin, technique) else None


def series(point: Point) -> str:
    """The name of the line in a chart of Ceph's page that contains this point, such as encode_vandermonde_isa."""
    names = {technique: name for name, technique in CEPH_NAMES.get(point.plugin, {}).items()}
    technique = point.get("technique")
    return f"{point.workload}_{names.get(technique, technique or 'xor')}_{point.plugin}"


PARAMETER = re.compile(r"(?:-P|--parameter=)?(?:erasure-code-)?(\w[\w-]*)=(.*)", re.DOTALL)
IN_PARAMETERS = {name: OPTIONS[name] for name in ("stripe-unit", "cache", "threads", "timing", "dispatch", "erased", "want")}
VARIABLES = ("SIZE", "ITERATIONS", "TOTAL_SIZE", "PLUGINS", "TECHNIQUES", "PARAMETERS", "PLUGIN_DIRECTORY",
             "CEPH_ERASURE_CODE_BENCHMARK")


def given_variables() -> dict[str, str]:
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


def variables_of(recorded: Mapping[str, str]) -> dict[str, str]:
    """The variables of a run that is resumed. Throws Refused if the user gives a different value, or does not give one of
    files/files.py again."""
    recorded = {name: with_home(value) for name, value in recorded.items() if name in VARIABLES}
    for name, value in given_variables().items():
        if recorded.get(name) != value:
            begun = f"with {name}={recorded[name]}" if name in recorded else f"without {name}"
            raise Refused(f"{name}={value} is not allowed with --resume: the run was started {begun}; leave {name} out")
    if missing := next((name for name in files.VARIABLES if name in recorded and name not in given_variables()), ""):
        raise Refused(f"the run was started with {missing}={recorded[missing]}, which {files.AGAIN}; if you trust it, set "
                      f"{missing} again")
    return recorded


# The words KEY=VALUES of bench and fplot, and the variable that sets the same.
MOST_SHAPES = 1000
VARIABLE_OF = {"size": "SIZE", "plugin": "PLUGINS", "technique": "TECHNIQUES"}
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "plugin": Axis(PLUGINS),
        "technique": Axis(), "workload": Axis(("encode", "decode"), ("encode", "decode")),
        "erasures": numbers("all", words=("all",))}


class Settings:
    """What is measured. As in Ceph's script, words without = are ignored, and an empty variable counts as unset. Throws Refused."""

    def __init__(self, words: Sequence[str], variables: Mapping[str, str]):
        # Ceph's page has one size, and no cauchy_orig, which is the last of the grid.
        self.for_page = for_page = words[:1] == ["fplot"]
        parameters = variables.get("PARAMETERS", "")
        try:
            # None: parameters that suit the technique.
            self.parameters = shlex.split(parameters) or None
        except ValueError as error:
            raise Refused(f"PARAMETERS={parameters} is not allowed: the text cannot be split into words by the rules of the "
                          f"shell ({error})") from error
        # The parameters of profiles in PARAMETERS, also by Ceph's names of 2013, such as erasure-code-k.
        self.given = {match[1]: match[2] for word in self.parameters or [] if (match := PARAMETER.fullmatch(word))}
        size = read_number(variables, "SIZE")
        axes = read_axes([word for word in words if "=" in word], Language(None, AXES, takes_profiles=False))
        for key, variable in VARIABLE_OF.items():
            if key in axes and variable in variables:
                raise Refused(f"{key}= and {variable}={variables[variable]} both set the same; leave one out")
        if (count := len(axes.get("k", ())) * len(axes.get("m", ()))) > MOST_SHAPES:
            raise Refused(f"the words make {count} combinations of k and m; at most {MOST_SHAPES} are allowed: give fewer values")
        self.program = variables.get("CEPH_ERASURE_CODE_BENCHMARK") or own_program()
        self.plugin_directory = variables.get("PLUGIN_DIRECTORY", "")  # "": the program's default
        plugins = ",".join(variables.get("PLUGINS", "").split()) or "isa,jerasure"
        self.plugins = axes.get("plugin") or read_values("PLUGINS", plugins, AXES["plugin"])
        self.techniques = axes.get("technique", variables.get("TECHNIQUES", "").split() or TECHNIQUES[:-1 if for_page else None])
        self.sizes = axes.get("size", [size] if size else SIZES[:1 if for_page else None])
        self.iterations = read_number(variables, "ITERATIONS", is_size=False)  # None: as many as fit in the time of one row
        self.total_size = read_number(variables, "TOTAL_SIZE")
        self.shapes = [(k, m) for one in shapes_of([{SHAPE: SHAPES, **axes}], axes) for k in one["k"] for m in one["m"]]
        self.axes = axes
        for name in self.techniques:
            if all(technique_of(plugin, name) is None for plugin in PLUGINS):
                names = dict.fromkeys([*CEPH_NAMES["jerasure"], *TECHNIQUES])
                raise Refused(f"TECHNIQUES: '{name}' is not allowed; choose {one_of(names)}{did_you_mean(name, names)}")
        if not self.codes:
            raise Refused(f"nothing to measure: none of the plugins {' '.join(self.plugins)} has a technique "
                          f"{' or '.join(self.techniques)}; give other PLUGINS or TECHNIQUES")
        for key in ("k", "m", "technique"):
            if key in self.given:
                raise Refused(f"PARAMETERS sets {key}, but the grid already sets {key} for every row; leave {key} out")
        if self.total_size and self.iterations:
            raise Refused("ITERATIONS and TOTAL_SIZE both set the number of iterations; leave one out")
        if self.total_size and self.total_size < max(self.sizes):
            raise Refused(f"TOTAL_SIZE={self.total_size} is not allowed; give at least the object size {max(self.sizes)}")

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Pairs of plugin and technique in Ceph's order."""
        chosen = [(plugin, technique_of(plugin, name)) for name in self.techniques for plugin in self.plugins
                  if plugin != "example"]
        return list(dict.fromkeys([*([("example", "")] if "example" in self.plugins else []),
                                   *((plugin, technique) for plugin, technique in chosen if technique is not None)]))

    def points(self, is_ours: bool) -> list[Point]:
        """In the order of measurement. Throws Refused if there is none."""
        words = [part.removeprefix("--") for word in self.parameters or [] for part in word.split("=", 1)]
        given = [f"{name}={value}" for name, value in itertools.pairwise(words) if name in IN_PARAMETERS]
        axes = read_axes(given, Language(None, IN_PARAMETERS, takes_profiles=False))
        options = {name.replace("-", "_"): value for name in axes if (value := single(axes, name)) != "none"}
        workloads, erasures = (self.axes.get(key, AXES[key].default) for key in ("workload", "erasures"))
        # Ceph's page has only points with Ceph's own packetsize. Programs other than ecbench also get only this one, because
        # Ceph's jerasure plugin aborts if w packets are larger than 1/k of the object.
        most = 1 if self.for_page or not is_ours else None
        found = [make_point(plugin, self._profile(plugin, technique, k, m, packetsize, is_ours), workload, size, lost, **options)
                 for size in self.sizes for plugin, technique in self.codes for k, m in self.shapes if has(plugin, technique, m)
                 for packetsize in (packetsizes_of(technique, k, size)[:most]
                                    if technique in PACKET and "packetsize" not in self.given else [None])
                 for workload, lost in [("encode", 0)] + [("decode", lost) for lost in range(1, m + 1)]
                 if workload in workloads and ("all" in erasures or lost in (0, *erasures))]
        if not found:
            raise Refused("nothing to measure: no point of the grid has these words; RAID-6 techniques have only m=2, and "
                          "erasures= must be at most m")
        # On the page, all encode rows are before all decode rows.
        return sorted(found, key=lambda point: point.erasures > 0) if self.for_page else found

    def _profile(self, plugin: str, technique: str, k: int, m: int, packetsize: int | None, is_ours: bool) -> dict[str, object]:
        """The parameters of a point: those of the grid, and those in PARAMETERS. Ceph's bench.sh aligns each chunk."""
        axes = axes_of(plugin, technique) or {}
        aligns = self.parameters is None and (not is_ours or (plugin == "jerasure" and PER_CHUNK_ALIGNMENT in axes))
        found = {"k": k, "m": m, "technique": technique, "w": axes.get("w", (None,))[0], "packetsize": packetsize,
                 PER_CHUNK_ALIGNMENT: "true" if aligns else None}
        # A run file must not contain some parameters.
        given = {key: value for key, value in self.given.items() if key not in files.PARAMETERS}
        return {key: value for key, value in {**found, **given}.items() if value}


def has(plugin: str, technique: str, m: int) -> bool:
    """RAID-6 techniques, for example, have only m=2."""
    shapes = (axes_of(plugin, technique) or {}).get(SHAPE, ())
    return shapes == SHAPES or any(m == one for _, one in shapes)


def read_number(variables: Mapping[str, str], name: str, is_size: bool = True) -> int | None:
    text = variables.get(name, "")
    value = bytes_of(text) if is_size or text.isdigit() else None
    if text and not value:
        what = "a number of bytes, at least 1, such as 4096, 4K or 1M" if is_size else "a whole number, at least 1"
        raise Refused(f"{name}={text} is not allowed; give {what}")
    return value

