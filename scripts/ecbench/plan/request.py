"""The request of a plan: the cluster, the profiles to consider, and the assumptions. Quantities such as net=25G have
decimal suffixes (K: 10^3), sizes such as object=4M binary ones."""

import dataclasses
import itertools
import math
import re
from collections.abc import Iterator

from ecbench.ceph import placement, releases
from ecbench.ceph.placement import DRIVE_TYPES, HOST, OSD, RACK, ZONE, Cluster
from ecbench.ceph.releases import MOST_OBJECT, OBJECT, PAGE, PLUGINS, RELEASES, SECONDS_UNTIL_OUT, Release
from ecbench.point.axes import Axes, Axis, Language, numbers, read_axes, single, split
from ecbench.point.point import bytes_text, size_word
from ecbench.terminal.console import Refused, number_of

DECIMAL: dict[str, float] = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,6})?)"
DRIVES = re.compile(rf"([0-9]{{1,6}})x{NUMBER}([KMGT]?)")
MOST_DRIVES, LEAST_DRIVE, MOST_DRIVE = 10_000, 1e9, 1e15
# Kind of a quantity → the pattern of a number and its unit, the units, the largest value, and what is allowed.
KINDS: dict[str, tuple[str, dict[str, float], float, str]] = {
    "amount": (rf"{NUMBER}([KMGT]?)", DECIMAL, 1e18,
               "a number of {unit} above 0, at most 10^18, with or without K, M, G or T (10^3 to 10^12)"),
    "share": (rf"{NUMBER}(%)", {"%": 0.01}, 1, "more than 0 %, at most 100 %"),
    "days": (rf"{NUMBER}(d)", {"d": 1}, 3650, "a number of days above 0, at most 3650d"),
    "time": (rf"{NUMBER}(ms|us)", {"ms": 1e-3, "us": 1e-6}, 1, "a number of ms or us, at most 1000ms"),
    "probability": (r"([0-9](?:\.[0-9]{1,6})?e-[0-9]{1,2})()", {"": 1}, 1e-6, "a number above 0, at most 1e-6"),
    "number": (rf"{NUMBER}()", {"": 1}, 100, "a number up to 100"),
}
MOST_HOSTS = 100_000
MOST_SHAPES, MOST_SIZES = 1000, 100
CHUNKS = numbers(most=releases.MOST_CHUNKS)
K, M = tuple(range(4, 11)), (2, 3, 4)
FEW_DOMAINS, SMALL_K = 7, (2, 3)  # with fewer failure domains, these k are compared too
M_OF_TWO = (5, 6)  # with two failure domains, these m too: clients write while one is down only if m is at least k+2


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Describes an argument that is a quantity, such as net=25G."""

    unit: str  # for messages
    example: str  # also the default
    kind: str = "amount"
    least: float = 0

    def read(self, key: str, text: str) -> float:
        """Throws Refused."""
        pattern, units, most, allowed = KINDS[self.kind]
        match = re.fullmatch(pattern, text)
        value = float(match[1]) * units[match[2]] if match else 0
        if not value or not self.least <= value <= most:
            more = f"; at least {amount_text(self.least).replace(' ', '')}" if self.least else ""
            raise Refused(f"{key}={text} is not allowed; allowed: {allowed.format(unit=self.unit)}{more}; example: "
                          f"{key}={self.example}")
        return value


def amount_text(value: float) -> str:
    """The value as text: 20 T for 2e13, 1.5 G for 1.5e9. The caller adds the unit."""
    for unit in ("T", "G", "M", "K"):
        if value >= DECIMAL[unit]:
            return f"{value / DECIMAL[unit]:.3g} {unit}"
    return f"{value:.3g} "


def terabytes(value: float) -> str:
    """Rounded down."""
    value /= 1e12
    return f"{math.floor(value * 10) / 10:.1f}" if value < 10 else f"{math.floor(value)}"


def nines_text(nines: float) -> str:
    """The nines as text, rounded down, because 10.97 does not reach 11."""
    return f"{math.floor(10 * nines + 1e-9) / 10:.1f}"


def duration_text(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86400 else f"{seconds / 86400:.1f} d"


def with_article(noun: str) -> str:
    return f"{'an' if noun == 'osd' else 'a'} {noun}"


QUANTITIES = {
    "net": Quantity("bits per second", "25G", least=1e6),
    "drive-rate": Quantity("bytes per second", "200M", least=1e6),
    "drive-seek": Quantity("", "8ms", "time"),
    "write-rate": Quantity("bytes per second", "10G"),
    "afr": Quantity("", "1.4%", "share"),
    "recovery-share": Quantity("", "30%", "share"),
    "uer": Quantity("", "1e-15", "probability"),
    "deep-scrub": Quantity("", "7d", "days"),
    "space": Quantity("", "1.5", "number", least=1),
    "nines": Quantity("", "11", "number", least=1),
}
AXES = {"k": CHUNKS, "m": CHUNKS, "plugin": Axis(PLUGINS), "l": CHUNKS, "c": CHUNKS, "object": numbers(),
        "stripe-unit": numbers(most=MOST_OBJECT), "hosts": numbers(most=MOST_HOSTS), "cores": numbers(most=100_000),
        "release": Axis(tuple(RELEASES)), "failure-domain": Axis((HOST, RACK, ZONE, OSD)), "racks": numbers(), "zones": numbers(),
        "drive-type": Axis(tuple(DRIVE_TYPES)), "max-backfills": numbers(most=releases.MOST_BACKFILLS), "csum-block": numbers(),
        "min-alloc": numbers(), "device-class": Axis(), "drives": Axis(),
        **{key: Axis() for key in QUANTITIES}}


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
    limits: tuple[str, ...] = ()  # which of space= and nines= are given
    csum_block: int = PAGE  # bytes of a checksum block of BlueStore
    min_alloc: int = PAGE  # bytes of an allocation unit of BlueStore

    def sizes(self) -> Iterator[tuple[int, int]]:
        """Pairs of object size and stripe unit. The speeds are measured for the first pair."""
        return itertools.product(self.objects, self.stripe_units)

    def assumptions(self) -> list[tuple[str, str]]:
        """The assumptions, each with the arguments that change it; "" if none does."""
        cluster, net = self.cluster, self.cluster.net * 8
        domain = cluster.failure_domain
        return [
            (f"{cluster.hosts} hosts, each with {cluster.drives} drives of {amount_text(cluster.drive_bytes)}B; all drives are "
             "full", "hosts= drives="),
            (f"the pool uses {f'drives of the device class {cluster.device_class}' if cluster.device_class else 'all drives'}",
             "device-class="),
            (f"failure domain {domain}: {cluster.domains} of {cluster.domain_drives} drives", "failure-domain= racks= zones="),
            (f"a drive reads or writes {amount_text(cluster.drive_rate)}B/s; a rebuild may use {100 * cluster.recovery_share:g} % "
             "of this rate", "drive-rate= drive-type= recovery-share="),
            (f"osd_max_backfills is {cluster.max_backfills}, and a backfill recovers {cluster.osd.active} objects at a time "
             "(osd_recovery_max_active)", "max-backfills= drive-type="),
            (f"one more contiguous read takes a drive {cluster.drive_seek * 1e3:g} ms; BlueStore reads whole checksum blocks of "
             f"{bytes_text(self.csum_block)} and allocates units of {bytes_text(self.min_alloc)}",
             "drive-seek= drive-type= csum-block= min-alloc="),
            (f"the network of each host transfers {amount_text(net)}bit/s in each direction; a rebuild may use the whole network",
             "net="),
            (f"a rebuild may use {cluster.cores} cores of each host for coding", "cores="),
            (f"{100 * cluster.afr:g} % of the drives fail in a year (AFR), independently of each other", "afr="),
            (f"with a deep scrub each week, a bit cannot be read with probability {cluster.uer:g}; deep scrubs take place every "
             f"{cluster.deep_scrub:g} days, and the probability is proportional to this time", "uer= deep-scrub="),
            (f"Ceph waits {duration_text(SECONDS_UNTIL_OUT)} before it rebuilds a failed drive (mon_osd_down_out_interval)", ""),
            (f"{releases.GROUPS_PER_DRIVE} placement groups have a chunk on each drive (mon_target_pg_per_osd); a pool has at most "
             f"{releases.MOST_GROUPS} (mon_max_pool_pg_num)", ""),
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
    cluster = read_cluster(axes)
    k = SMALL_K + K if cluster.domains < FEW_DOMAINS else K
    m = M + M_OF_TWO if cluster.domains == 2 else M
    request = Request(cluster, axes.get("k", k), axes.get("m", m), axes.get("l", ()), axes.get("c", ()),
                      read_plugins(axes, release), axes.get("object", (OBJECT,)), axes.get("stripe-unit", (release.stripe_unit,)),
                      release, read_quantity(axes, "space") if "space" in axes else None, read_quantity(axes, "nines"),
                      tuple(key for key in ("space", "nines") if key in axes),
                      read_block(axes, "csum-block"), read_block(axes, "min-alloc"))
    for what, count, limit in (("k= and m=", len(request.k) * len(request.m), MOST_SHAPES),
                               ("object= and stripe-unit=", len(request.objects) * len(request.stripe_units), MOST_SIZES)):
        if count > limit:
            raise Refused(f"{what} make {count} combinations; at most {limit} are allowed: give fewer values")
    if max(request.objects) > MOST_OBJECT:
        raise Refused(f"object={size_word(max(request.objects))} is out of range; allowed: at most {size_word(MOST_OBJECT)} "
                      "(osd_max_object_size)")
    most = {m: min(m, cluster.domain_drives) * cluster.domains for m in request.m}
    if all(k + m > most[m] for k in request.k for m in request.m):
        raise Refused(f"with {number_of(cluster.domains, cluster.failure_domain)} of {cluster.domain_drives} drives, no k and m "
                      "fit: one failure domain would have more than m chunks; give another k or m, or more hosts")
    return request


def read_cluster(axes: Axes) -> Cluster:
    device_class = str(single(axes, "device-class", ""))
    if device_class and not placement.CLASS.fullmatch(device_class):
        raise Refused(f"device-class={device_class} is not allowed; give a class that ceph osd crush class ls prints, such as hdd")
    kind = str(single(axes, "drive-type", device_class if device_class in DRIVE_TYPES else "hdd"))
    rate, seek, _ = DRIVE_TYPES[kind]
    hosts, given = int(single(axes, "hosts") or 0), str(single(axes, "drives"))
    match = DRIVES.fullmatch(given)
    drives, drive_bytes = (int(match[1]), float(match[2]) * DECIMAL[match[3]]) if match else (0, 0.0)
    if not 1 <= drives <= MOST_DRIVES or not LEAST_DRIVE <= drive_bytes <= MOST_DRIVE:
        raise Refused(f"drives={given} is not allowed; allowed: the number of drives in each host (1 to {MOST_DRIVES}), x, and the "
                      "bytes of each drive (1G to 1000T; K, M, G and T are 10^3 to 10^12); example: drives=24x20T")
    domain = str(single(axes, "failure-domain", HOST))
    amounts = {key.replace("-", "_"): read_quantity(axes, key, {"drive-rate": rate, "drive-seek": seek}.get(key, ""))
               for key in ("drive-rate", "drive-seek", "recovery-share", "afr", "uer", "deep-scrub", "write-rate")}
    return Cluster(
        hosts=hosts, drives=drives, drive_bytes=drive_bytes, net=read_quantity(axes, "net") / 8, drive_type=kind,
        cores=int(single(axes, "cores", drives) or 0), max_backfills=int(single(axes, "max-backfills", releases.BACKFILLS) or 0),
        failure_domain=domain, domains=read_domains(axes, domain, hosts, drives), device_class=device_class, **amounts)


def read_domains(axes: Axes, domain: str, hosts: int, drives: int) -> int:
    """The number of failure domains."""
    for key, its_domain in (("racks", RACK), ("zones", ZONE)):
        if key in axes and domain != its_domain:
            raise Refused(f"{key}={single(axes, key)} is not allowed with failure-domain={domain}; give "
                          f"failure-domain={its_domain}, or leave {key}= out")
        if domain == its_domain:
            count = single(axes, key)
            if count is None or hosts % int(count):
                given = "is missing" if count is None else f"is not allowed with hosts={hosts}"
                raise Refused(f"{key}={count or ''} {given}; give the number of {key}, which must divide the number of hosts")
            if int(count) == hosts:
                raise Refused(f"{key}={count} is not allowed with hosts={hosts}, because each {domain} has one host; give "
                              "failure-domain=host instead")
            return int(count)
    return hosts if domain == HOST else hosts * drives


def read_block(axes: Axes, key: str) -> int:
    size = int(single(axes, key, PAGE) or 0)
    if size not in releases.BLOCK_SIZES:
        raise Refused(f"{key}={size} is not allowed; choose one of {', '.join(f'{each >> 10}K' for each in releases.BLOCK_SIZES)}")
    return size


def read_plugins(axes: Axes, release: Release) -> tuple[str, ...]:
    """By default all that the release can load, except jerasure, whose reed_sol_van differs from that of isa only in speed."""
    possible = tuple(plugin for plugin in PLUGINS if release.status_of(plugin, "reed_sol_van") != releases.REMOVED)
    for plugin in axes.get("plugin", ()):
        if plugin not in possible:
            raise Refused(f"plugin={plugin} is not allowed: Ceph {release.name} cannot load it; choose {', '.join(possible)}, or "
                          "another release=")
    return axes.get("plugin", tuple(plugin for plugin in possible if plugin != "jerasure"))


def read_quantity(axes: Axes, key: str, default: str = "") -> float:
    """`default`: if it is not the example."""
    quantity = QUANTITIES[key]
    return quantity.read(key, str(single(axes, key, default or quantity.example)))
