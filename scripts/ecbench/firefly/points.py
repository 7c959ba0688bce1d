"""The points of bench.sh firefly, which repeats the CPU tests of the Ceph release Firefly. By default, three erasure codes and two
replicated pools are measured, each with three object sizes."""

import dataclasses
import itertools
from collections.abc import Sequence

from ecbench.ceph.profile import DEFAULT_STRIPE_UNIT
from ecbench.ceph.releases import PLUGINS, RELEASES, REMOVED, Release
from ecbench.ceph.stored_size import stored_bytes
from ecbench.point.axes import OPTIONS, Axes, Axis, Language, Values, read_axes, shapes, single, split
from ecbench.point.description import Plugins
from ecbench.point.point import Json, Point, bytes_text, make_point
from ecbench.runfile.row import Row
from ecbench.terminal.console import Refused

SIZES = (4 << 20, 128 << 10, 4 << 10)
SHAPES = ((4, 1), (6, 2), (10, 3))
COPIES = (2, 3)
RELEASE = "squid"
AXES = {**{key: OPTIONS[key] for key in ("size", "stripe-unit", "cache")}, "release": Axis(tuple(RELEASES))}


@dataclasses.dataclass(frozen=True)
class Store:
    """A way to store objects: an erasure code, or complete copies."""
    name: str  # EC 4+1, 3x, ...: the names in the published tests of Firefly
    plugin: str
    profile: Json
    is_coded: bool

    @property
    def code(self) -> tuple[str, str]:
        """Plugin and technique, of isa and jerasure also if the technique is the default."""
        return self.plugin, str(self.profile.get("technique", "reed_sol_van"))


@dataclasses.dataclass(frozen=True)
class Condition:
    """Each has its own table."""
    size: int
    stripe_unit: int | None
    cache: str

    def __str__(self) -> str:
        unit = "one stripe" if self.stripe_unit is None else f"stripe unit {bytes_text(self.stripe_unit)}"
        return f"{unit}; {self.cache}"


@dataclasses.dataclass(frozen=True)
class Request:
    stores: list[Store]
    conditions: list[Condition]
    codes: str  # the parameters that have the same value in all erasure codes
    release: Release  # the release of Ceph for which the stored bytes are computed


def read_request(words: list[str], plugins: Plugins | None) -> Request:
    """Throws Refused."""
    axes = read_axes(split(words), Language(plugins, AXES))
    axes.setdefault("plugin", ("jerasure",))
    units = axes.get("stripe-unit", (DEFAULT_STRIPE_UNIT,))
    conditions = itertools.product(axes.get("size", SIZES), units, axes.get("cache", ("warm",)))
    found = [Condition(size, None if unit == "none" else unit, cache) for size, unit, cache in conditions]
    common = [parameter_text(key, values[0]) for key, values in profile_axes(axes).items() if len(values) == 1]
    release, table = RELEASES[str(single(axes, "release", RELEASE))], stores(axes)
    for store in table:
        if store.is_coded and store.plugin in PLUGINS and release.status_of(*store.code) == REMOVED:
            name = " ".join([store.plugin, *filter(None, [store.profile.get("technique")])])
            raise Refused(f"{name} is not allowed with release={release.name}, which cannot load it; choose another plugin=, "
                          "technique= or release=")
    return Request(table, found, " ".join(common), release)


def parameter_text(key: str, value: object) -> str:
    return str(value) if key in ("plugin", "technique") else f"{key}={value}"


def profile_axes(axes: Axes) -> dict[str, Values]:
    """Except k and m. The plugin is the first; jerasure's default technique is reed_sol_van, as in the published tests."""
    technique = {"technique": axes.get("technique", ("reed_sol_van",))} if axes["plugin"] == ("jerasure",) else {}
    rest = {key: values for key, values in axes.items() if key not in (*AXES, "k", "m", "plugin")}
    return {"plugin": axes["plugin"], **technique, **rest}


def stores(axes: Axes) -> list[Store]:
    """The erasure codes, whose names contain the parameters that vary, and the replicated pools."""
    varied = profile_axes(axes)
    coded = []
    for (k, m), values in itertools.product(shapes(axes, SHAPES), itertools.product(*varied.values())):
        profile = dict(zip(varied, values))
        apart = [parameter_text(key, value) for key, value in profile.items() if len(varied[key]) > 1]
        plugin = profile.pop("plugin")
        coded.append(Store(" ".join([f"EC {k}+{m}", *apart]), plugin, {**profile, "k": k, "m": m}, True))
    return [*coded, *(Store(f"{copies}x", "replication", {"size": copies}, False) for copies in COPIES)]


@dataclasses.dataclass(frozen=True)
class Work:
    name: str
    workload: str
    options: Json = dataclasses.field(default_factory=dict)  # options of the point
    of_copies: bool = True  # whether this workload is also measured for replicated pools


# A healthy read is not measured, because nothing is decoded: the k data chunks, or one copy, contain the object. A degraded read is
# measured only for erasure codes. If a copy is lost, a replicated pool reads another copy and computes nothing.
WORKS = (
    Work("encode", "encode"),
    Work("degraded read", "decode", {"erased": 0, "want": "data"}, of_copies=False),
    Work("repair", "repair"),
    Work("scrub", "scrub"),
    Work("copy", "memcpy"),
)


def point_name(store: Store, work: Work, condition: Condition) -> str:
    name = f"{store.name} {work.name} of {bytes_text(condition.size)}"
    return name if (condition.stripe_unit, condition.cache) == (DEFAULT_STRIPE_UNIT, "warm") else f"{name}, {condition}"


def points(table: Sequence[Store], condition: Condition) -> dict[str, Point]:
    """By name, one for each element of WORKS."""
    return {point_name(store, work, condition): point(store, work, condition)
            for store in table for work in WORKS if store.is_coded or work.of_copies}


def point(store: Store, work: Work, condition: Condition) -> Point:
    striped = {"stripe_unit": condition.stripe_unit} if store.is_coded else {}
    return make_point(store.plugin, store.profile, work.workload, condition.size, 1, cache=condition.cache, **striped,
                      **work.options)


def uses_fast_ec(row: Row, release: Release) -> bool:
    return release.uses_fast_ec(row.plugin, row.profile.get("technique", ""), row.chunk_size)


def stored_over_object(row: Row, release: Release) -> float:
    return stored_bytes(row.size, row.k, row.chunk_count, row.chunk_size, fast_ec=uses_fast_ec(row, release)) / row.size
