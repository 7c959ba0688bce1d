"""The request of a plan: the cluster, the profiles to consider, and the assumptions."""

import dataclasses
import itertools
from collections.abc import Iterator

from ecbench.ceph.releases import PLUGINS, RELEASES, REMOVED, Release
from ecbench.plan.quantities import Quantity, amount_text, drives_of, duration_text
from ecbench.point.axes import PROFILE, Axes, Axis, Language, numbers, read_axes, single, split
from ecbench.point.point import bytes_text
from ecbench.terminal.console import Refused

QUANTITIES = {
    "net": Quantity("bits per second", "25G"),
    "drive-rate": Quantity("bytes per second", "200M"),
    "write-rate": Quantity("bytes per second", "10G"),
    "afr": Quantity("", "1.4%", is_share=True),
    "recovery-share": Quantity("", "30%", is_share=True),
}
DEFAULTS = {"net": "25G", "drive-rate": "200M", "write-rate": "10G", "afr": "1.4%", "recovery-share": "30%"}
CLUSTER = ("hosts", "drives", *QUANTITIES, "cores", "space", "nines", "release")
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "plugin": Axis(PLUGINS), "l": numbers(), "c": numbers(), "object": numbers(),
        "stripe-unit": numbers(), "hosts": numbers(), "cores": numbers(), "release": Axis(tuple(RELEASES)),
        "drives": Axis(), "space": Axis(), "nines": Axis(), **{key: Axis() for key in QUANTITIES}}
K, M = tuple(range(4, 11)), (2, 3, 4)
OBJECT = 4 << 20  # bytes: the size of the objects of RBD, CephFS and RGW
MOST_HOSTS = 100_000
GROUPS_PER_DRIVE = 100  # mon_target_pg_per_osd: number of placement groups that have a chunk on one drive
MOST_GROUPS = 65536  # mon_max_pool_pg_num: Ceph refuses a pool with more placement groups
SECONDS_UNTIL_OUT = 600  # mon_osd_down_out_interval: after this time, Ceph begins to rebuild the chunks of a failed drive


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The hardware of the cluster. Units: bytes, bytes per second, and shares from 0 to 1."""

    hosts: int
    drives: int  # number of drives in each host
    drive_bytes: float
    drive_rate: float
    net: float  # bytes per second that the network of one host transfers in each direction
    recovery_share: float  # share of the drives' rate that a rebuild may use
    cores: int  # number of cores of each host that a rebuild may use for coding
    afr: float  # share of the drives that fail per year
    write_rate: float  # bytes of objects per second that all clients together write

    @property
    def all_drives(self) -> int:
        return self.hosts * self.drives


@dataclasses.dataclass(frozen=True)
class Request:
    cluster: Cluster
    k: tuple[int, ...]
    m: tuple[int, ...]
    l: tuple[int, ...]  # parameter of lrc; (): every possible value
    c: tuple[int, ...]  # parameter of shec; (): m-1
    plugins: tuple[str, ...]
    objects: tuple[int, ...]  # bytes
    stripe_units: tuple[int, ...]  # bytes
    release: Release
    most_space: float | None  # upper limit for the stored bytes per byte of the object; None: no limit
    least_nines: float  # required durability of an object per year, in nines

    def sizes(self) -> Iterator[tuple[int, int]]:
        """Pairs of object size and stripe unit. The speeds are measured for the first pair."""
        return itertools.product(self.objects, self.stripe_units)

    def assumptions(self) -> list[tuple[str, str]]:
        """Returns each assumption together with the arguments that change this assumption ("" if no argument changes it)."""
        cluster, net = self.cluster, self.cluster.net * 8
        return [
            (f"{cluster.hosts} hosts, each with {cluster.drives} drives of {amount_text(cluster.drive_bytes)}B; all drives are "
             "full", "hosts= drives="),
            (f"each drive reads or writes {amount_text(cluster.drive_rate)}B/s; a rebuild may use "
             f"{100 * cluster.recovery_share:g} % of this rate", "drive-rate= recovery-share="),
            (f"the network of each host transfers {amount_text(net)}bit/s in each direction; a rebuild may use the whole network",
             "net="),
            (f"a rebuild may use {cluster.cores} cores of each host for coding", "cores="),
            (f"{100 * cluster.afr:g} % of the drives fail in a year (AFR), independently of each other", "afr="),
            (f"Ceph waits {duration_text(SECONDS_UNTIL_OUT)} before it rebuilds a failed drive (mon_osd_down_out_interval); then "
             "all drives take part in the rebuild", ""),
            (f"{GROUPS_PER_DRIVE} placement groups have a chunk on each drive (mon_target_pg_per_osd); a pool has at most "
             f"{MOST_GROUPS} placement groups (mon_max_pool_pg_num)", ""),
            (f"all clients together write {amount_text(cluster.write_rate)}B/s of objects", "write-rate="),
            (f"objects of {bytes_text(self.objects[0])}, stripe unit {bytes_text(self.stripe_units[0])}", "object= stripe-unit="),
            (f"Ceph {self.release.name}" + ("; with allow_ec_optimizations if the profile allows it" if self.release.has_fast_ec
                                            else "; without allow_ec_optimizations"), "release="),
            (f"required durability of an object: {self.least_nines:g} nines per year", "nines="),
        ] + ([(f"at most {self.most_space:g} bytes are stored per byte of the object", "space=")] if self.most_space else [])


def read_request(words: list[str]) -> Request:
    """Throws Refused."""
    axes = read_axes(split(words), Language(None, AXES, takes_profiles=False))
    for key, example in (("hosts", "hosts=12"), ("drives", "drives=24x20T")):
        if key not in axes:
            raise Refused(f"{key} is missing; describe the cluster with hosts= and drives=, for example {example}")
    release = RELEASES[str(single(axes, "release", "tentacle"))]
    request = Request(read_cluster(axes), axes.get("k", K), axes.get("m", M), axes.get("l", ()), axes.get("c", ()),
                      read_plugins(axes, release), axes.get("object", (OBJECT,)), axes.get("stripe-unit", (release.stripe_unit,)),
                      release, read_number(axes, "space", None, 1, 100, "1.5"), read_number(axes, "nines", 11, 1, 100, "11") or 0)
    least = min(request.k) + min(request.m)
    if request.cluster.hosts < least:
        raise Refused(f"hosts={request.cluster.hosts} is out of range; allowed: at least k+m={least}, because each chunk of an "
                      "object is on a different host; give more hosts, or a smaller k or m")
    return request


def read_cluster(axes: Axes) -> Cluster:
    amounts = {key: quantity.read(key, str(single(axes, key, DEFAULTS[key]))) for key, quantity in QUANTITIES.items()}
    hosts, (drives, drive_bytes) = int(single(axes, "hosts") or 0), drives_of(str(single(axes, "drives")))
    if hosts > MOST_HOSTS:
        raise Refused(f"hosts={hosts} is out of range; allowed: 1 to {MOST_HOSTS}")
    return Cluster(hosts, drives, drive_bytes, amounts["drive-rate"], amounts["net"] / 8, amounts["recovery-share"],
                   int(single(axes, "cores", drives) or 0), amounts["afr"], amounts["write-rate"])


def read_plugins(axes: Axes, release: Release) -> tuple[str, ...]:
    """The plugins that are given with plugin=. Without plugin=: all plugins that the release can load, except jerasure.
    In a plan, reed_sol_van of jerasure differs from reed_sol_van of isa only in speed."""
    possible = tuple(plugin for plugin in PLUGINS if release.status_of(plugin, "reed_sol_van") != REMOVED)
    for plugin in axes.get("plugin", ()):
        if plugin not in possible:
            raise Refused(f"plugin={plugin} is not allowed: Ceph {release.name} cannot load it; choose one of "
                          f"{', '.join(possible)}, or choose another release with release=")
    return axes.get("plugin", tuple(plugin for plugin in possible if plugin != "jerasure"))


def read_number(axes: Axes, key: str, default: float | None, least: float, most: float, example: str) -> float | None:
    text = single(axes, key)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not least <= value <= most:
        raise Refused(f"{key}={text} is out of range; allowed: {least:g} to {most:g}; example: {key}={example}")
    return value
