"""Where Ceph puts chunks: CRUSH rules and maps in the text form of crushtool, and the placement groups of a cluster."""

import dataclasses
import math
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from ecbench.ceph import releases
from ecbench.ceph.releases import DEEP_SCRUB, GROUPS_PER_DRIVE, HDD, MOST_BYTES, MOST_GROUPS, PAGE, SSD, Osd
from ecbench.documents.document import Key
from ecbench.files.files import new_file, new_folder
from ecbench.process.process import Child

GROUPS = 30_000  # placement groups of a test
TRIES = 100  # set_choose_tries of Ceph's rules for erasure-coded pools
NONE = 2147483647  # CRUSH found no drive for this position
SECONDS = 60  # for a test; after one that takes longer, no more tests are made
TUNABLES = ("choose_local_tries 0", "choose_local_fallback_tries 0", "choose_total_tries 50", "chooseleaf_descend_once 1",
            "chooseleaf_vary_r 1", "chooseleaf_stable 1", "straw_calc_version 1", "allowed_bucket_algs 54")
TYPES = {"osd": 0, "host": 1, "rack": 3, "zone": 9, "root": 11}
MAPPING = re.compile(r"CRUSH rule 0 x [0-9]+ \[([0-9,]*)\]")
CLASS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # the name of a device class

Rule = tuple[str, list[str]]  # the type of a rule and its steps


def rule_text(name: str, number: int, rule: Rule) -> str:
    kind, own_steps = rule
    return "\n".join([f"rule {name} {{", f"  id {number}", f"  type {kind}", *(f"  step {step}" for step in own_steps), "}"])


# Drive type → bytes per second, the time that a drive needs for one more contiguous read (hdd: seek and half a rotation; the
# others: 1 / IOPS), and Ceph's limits for an OSD.
DRIVE_TYPES = {"hdd": ("200M", "8ms", HDD), "ssd": ("500M", "10us", SSD), "nvme": ("3G", "2us", SSD)}
HOST, RACK, ZONE, OSD = "host", "rack", "zone", "osd"
MORE_TRIES = 1000
MOST_DRIVES = 20_000  # in a map for crushtool


@dataclasses.dataclass(frozen=True)
class Cluster:
    hosts: Annotated[int, Key(least=1)]
    drives: Annotated[int, Key("Number of drives in each host.", least=1)]
    drive_bytes: Annotated[float, Key(above=0)]
    drive_rate: Annotated[float, Key("Bytes per second that a drive can read or write.", above=0)]
    drive_seek: Annotated[float, Key("Seconds that one more contiguous read takes a drive.", above=0)]
    net: Annotated[float, Key("Bytes per second that the network of a host transfers in each direction.", above=0)]
    recovery_share: Annotated[float, Key("The share of drive_rate that a rebuild may use.", above=0, most=1)]
    cores: Annotated[int, Key("Number of cores of each host that a rebuild may use for coding.", least=1)]
    afr: Annotated[float, Key("Failures of one drive per year (annualized failure rate; 0.01 is 1 %).", above=0)]
    uer: Annotated[float, Key("Probability that a bit cannot be read, with a deep scrub each week.", above=0)]
    deep_scrub: Annotated[float, Key("Days between two deep scrubs. The probability of unreadable bits is proportional to it.",
                                     above=0)]
    write_rate: Annotated[float, Key("Bytes of objects that all clients together write per second.", above=0)]
    drive_type: Annotated[str, Key("For Ceph's limits of recovery.", words=tuple(DRIVE_TYPES))]
    max_backfills: Annotated[int, Key("osd_max_backfills.", least=1)]
    failure_domain: Annotated[str, Key(words=(HOST, RACK, ZONE, OSD))]
    domains: Annotated[int, Key("Number of failure domains.", least=1)]
    device_class: Annotated[str, Key("CRUSH device class of these drives; empty: the pool uses all drives.")] = ""

    @property
    def all_drives(self) -> int:
        return self.hosts * self.drives

    @property
    def domain_drives(self) -> int:
        return self.all_drives // self.domains

    @property
    def domain_hosts(self) -> int:
        return max(1, self.hosts // self.domains)

    @property
    def unreadable(self) -> float:
        """The probability that a bit cannot be read. Bits become unreadable at a constant rate, and a deep scrub repairs them."""
        return min(1.0, self.uer * self.deep_scrub / DEEP_SCRUB)

    @property
    def osd(self) -> Osd:
        return DRIVE_TYPES[self.drive_type][2]

    def chunk_of(self, object_bytes: int, k: int) -> float:
        """Bytes of one chunk of an object."""
        return max(PAGE, object_bytes / k)

    def most_backfilled(self, chunk: float) -> float:
        """Bytes per second that osd_max_backfills lets a drive write, if each backfill always recovers `active` objects. A recovery
        reads one chunk of each helper at the same time, and then writes one."""
        return self.max_backfills * self.osd.active * min(chunk, MOST_BYTES) / (2 * (self.drive_seek + chunk / self.drive_rate))


def map_text(cluster: Cluster, rule: Rule, weight: float = 1, *, has_host: bool = True) -> str:
    """A map of equal hosts and drives. Without `has_host`, the weight of the first host is 0 (failure domain host)."""
    hosts, drives, domain, domains = cluster.hosts, cluster.drives, cluster.failure_domain, cluster.domains

    def bucket(kind: str, name: str, number: int, items: Iterable[str], each: float) -> list[str]:
        return [f"{kind} {name} {{", f"  id {-number}", "  alg straw2", "  hash 0",
                *(f"  item {item} weight {0 if item in gone else each:.5f}" for item in items), "}"]

    gone = set() if has_host else {"host0", *(f"osd.{drive}" for drive in range(drives))}
    of_class = f" class {cluster.device_class}" if cluster.device_class else ""
    lines = [f"tunable {each}" for each in TUNABLES] + [f"device {drive} osd.{drive}{of_class}" for drive in range(hosts * drives)]
    lines += [f"type {number} {name}" for name, number in TYPES.items()]
    for host in range(hosts):
        lines += bucket("host", f"host{host}", host + 2, (f"osd.{host * drives + drive}" for drive in range(drives)), weight)
    tops, size = [f"host{host}" for host in range(hosts)], weight * drives
    if domain in (RACK, ZONE):
        share = cluster.domain_hosts
        for place in range(domains):
            lines += bucket(domain, f"place{place}", hosts + 2 + place, tops[place * share:(place + 1) * share], size)
        tops, size = [f"place{place}" for place in range(domains)], size * share
    lines += bucket("root", "default", 1, tops, size)
    # crushtool requires min_size and max_size before quincy, and ignores them afterwards.
    text = rule_text("tested", 0, rule).replace("  step", "  min_size 1\n  max_size 100\n  step", 1)
    return "\n".join([*lines, text, ""])


class Crushtool:
    def __init__(self, child: Child):
        self._child = child
        self.program = shutil.which("crushtool")
        self._is_too_slow = False

    def mappings(self, text: str, n: int, out: Iterable[int] = (), groups: int = GROUPS) -> list[list[int]] | None:
        """The drives of each placement group; NONE where it has none. None if crushtool is missing, fails,
        does not know a step of the rule, or was too slow once."""
        with new_folder() as folder:
            source, compiled = folder / "map.txt", str(folder / "map")
            new_file(text.encode("ascii"), source)
            if self._run(["-c", str(source), "-o", compiled])[0]:
                return None
            weights = [word for drive in out for word in ("--weight", str(drive), "0")]
            code, printed = self._run(["-i", compiled, "--test", "--rule", "0", "--num-rep", str(n), "--min-x", "0", "--max-x",
                                       str(groups - 1), "--show-mappings", *weights])
        found = [[int(drive) for drive in listed.split(",") if drive] for listed in MAPPING.findall(printed)]
        return found if not code and len(found) == groups else None

    def incomplete(self, text: str, n: int, out: Iterable[int] = ()) -> int | None:
        """The number of placement groups without a drive for some chunk, of GROUPS."""
        found = self.mappings(text, n, out)
        return None if found is None else sum(len(set(group) - {NONE}) < n for group in found)

    def _run(self, words: Sequence[str]) -> tuple[int, str]:
        if self._is_too_slow:
            return 1, ""
        try:
            code, printed, said = self._child.run([self.program or "crushtool", *words], SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            self._is_too_slow = isinstance(error, subprocess.TimeoutExpired)
            return 1, ""
        return code, printed + said


# Where CRUSH puts the chunks of a placement group, and those of a drive or a host that is out. Checked with crushtool and with a
# running cluster (src/test/system/crush_test.py, docs/plan.md):
# - Rule of an erasure-coded pool (chooseleaf indep): the chunks of a drive that is out stay in its failure domain, if this has
#   another drive. No other chunk moves. The chunks of a host that is out go to the other hosts, and some other chunks move too.
# - Rule with two choose steps (several chunks in a failure domain): the same for a drive. The chunks of a host stay unmapped until
#   its CRUSH weight is 0. In racks with enough hosts: the chunks of a drive stay on its host, those of a host in its rack.
# - Replicated rule (chooseleaf firstn): the copies of a drive that is out go to all drives, but more of them stay in its failure
#   domain; with as many domains as copies, all stay.

@dataclasses.dataclass(frozen=True)
class Targets:
    """The drives that write the chunks of a drive or a host that is out, and those that store the other chunks."""

    own: int  # remaining drives of the failure domain
    others: int  # drives of the other failure domains
    own_hosts: int
    other_hosts: int
    stay: float  # share of the lost chunks that stay in the failure domain
    read: float = 0  # share of the chunks that a repair reads in the failure domain

    @property
    def drives(self) -> int:
        """Drives that write."""
        return (self.own if self.stay else 0) + (self.others if self.stay < 1 else 0)

    @property
    def most(self) -> float:
        """The largest share of the lost chunks that one drive writes."""
        return max(self.stay / max(1, self.own), (1 - self.stay) / max(1, self.others))


@dataclasses.dataclass(frozen=True)
class Layout:
    """Where a cluster stores the n chunks of a placement group, as few in one failure domain as possible."""

    n: int
    cluster: Cluster
    is_replicated: bool = False

    @property
    def per_domain(self) -> int:
        """Chunks in one failure domain, at most."""
        return math.ceil(self.n / self.cluster.domains)

    @property
    def is_spread(self) -> bool:
        """Whether the rule puts each of several chunks in a rack or zone on another host."""
        return 1 < self.per_domain <= self.cluster.domain_hosts

    @property
    def per_host(self) -> int:
        """Chunks on one host, at most."""
        return 1 if self.is_spread else min(self.cluster.drives, self.n if self.cluster.failure_domain == OSD else self.per_domain)

    @property
    def used(self) -> int:
        return math.ceil(self.n / self.per_domain)

    @property
    def spare(self) -> int:
        """Failure domains without a chunk."""
        return self.cluster.domains - self.used

    @property
    def placement_groups(self) -> int:
        """The choice of the autoscaler for a pool that is alone on its drives: about GROUPS_PER_DRIVE groups have a chunk on each
        drive; a power of two."""
        return min(MOST_GROUPS, max(1, 2 ** round(math.log2(self.cluster.all_drives * GROUPS_PER_DRIVE / self.n))))

    @property
    def chunk_bytes(self) -> float:
        """The bytes of one chunk of a placement group, if the drives are full."""
        return self.cluster.all_drives * self.cluster.drive_bytes / (self.placement_groups * self.n)

    @property
    def drive_targets(self) -> Targets | None:
        """Where the chunks of a lost drive go; None: no drive can take them."""
        cluster = self.cluster
        own, hosts = cluster.domain_drives - 1, cluster.domain_hosts
        stay, read = 0.0, 0.0
        if self.is_spread and cluster.drives > 1:
            return Targets(cluster.drives - 1, cluster.all_drives - cluster.drives, 1, cluster.hosts - 1, 1)
        if own >= self.per_domain:
            stay, read = self._shares_that_stay(own)
        elif self.spare <= 0 or self.per_domain > 1:
            return None  # The rule with two steps never chooses another domain.
        return Targets(own, cluster.all_drives - own - 1, hosts, max(1, cluster.hosts - hosts), stay, read)

    @property
    def host_targets(self) -> Targets | None:
        """Where the chunks of a lost host go; None: no host can take them."""
        cluster, hosts = self.cluster, self.cluster.domain_hosts
        own, others = (hosts - 1) * cluster.drives, cluster.hosts - hosts
        if hosts > 1:
            if self.per_domain > (hosts - 1 if self.is_spread else own):
                return None
            return Targets(own, others * cluster.drives, hosts - 1, max(1, others), *self._shares_that_stay(own))
        has_room = self.spare >= cluster.drives if cluster.failure_domain == OSD else self.spare > 0
        return Targets(0, others * cluster.drives, 1, others, 0) if has_room and others else None

    def _shares_that_stay(self, own: int) -> tuple[float, float]:
        """Targets.stay and read of a drive or a host whose failure domain has `own` other drives. Of copies, from crushtool: drive
        0.61 with 4 hosts of 8 drives, 0.45 with 4 of 2, 0.31 with 6 of 4, 0.26 with 8 of 8, 0.14 with 14 of 12; host of 4 drives
        0.20 with 8 racks of 3 hosts."""
        copies = own / (own + 0.55 * self.spare * self.cluster.domain_drives)
        return (copies, 0) if self.is_replicated else (1, (self.per_domain - 1) / (self.n - 1))

    @property
    def lost_together(self) -> float:
        """The mean number of chunks that a placement group loses with a host, if it loses any."""
        if self.per_domain == 1 or self.is_spread:
            return 1
        drives, of_host = self.cluster.domain_drives, self.n / self.used / self.cluster.domain_hosts
        without = math.comb(drives - self.cluster.drives, self.per_domain) / math.comb(drives, self.per_domain)
        return of_host / (1 - without)

    @property
    def moved_chunks(self) -> float:
        """Other chunks that CRUSH moves per chunk of a host that is out: an approximation of crushtool's counts (chooseleaf indep:
        0.25 for 11 chunks on 14 hosts, 0.47 on 12; rule with two choose steps and CRUSH weight 0: 0.40 to 0.56; racks of 4 hosts
        with 3 chunks: 0.13, of 6 with 3: 0.05)."""
        if self.per_domain == 1:
            return 0.5 * (self.n / self.cluster.domains)**3
        return 0.27 * (self.per_domain / self.cluster.domain_hosts)**3 if self.is_spread else 0.5

    @property
    def fullest(self) -> float:
        """The mean share to which drives can be full: Ceph does not warn, and the chunks of a lost drive or host fit."""
        drive, host = self.drive_targets, self.host_targets
        # The largest growth of another drive, relative to the chunks that it has.
        shares = drive.most if drive else 0, self.cluster.drives * host.most if host else 0
        return min(releases.NEARFULL, *(releases.BACKFILLFULL / (1 + share) for share in shares)) / releases.UNEVEN

    @property
    def keeps_hosts_in(self) -> bool:
        """Whether a host that is down should not be marked out by itself, because other chunks would move. With one drive per host,
        this would also stop the rebuild of the drive."""
        if self.cluster.failure_domain != HOST or self.per_domain > 1 or self.is_replicated:
            return self.is_spread and self.per_domain == self.cluster.domain_hosts
        return self.spare <= 0 or self.spare == 1 < self.cluster.drives

    def rule(self, tries: int = TRIES) -> Rule:
        domain, device_class = self.cluster.failure_domain, self.cluster.device_class
        take = f"take default class {device_class}" if device_class else "take default"
        if self.is_replicated:
            return "replicated", [take, f"chooseleaf firstn 0 type {domain}", "emit"]
        leaf = self.is_spread or self.per_domain == 1
        start = [*["set_chooseleaf_tries 5"] * leaf, f"set_choose_tries {tries}", take]
        if self.per_domain == 1:
            choose = "chooseleaf" if TYPES[domain] else "choose"
            return "erasure", [*start, f"{choose} indep 0 type {domain}", "emit"]
        # Not "chooseleaf" of osds: if all drives of a host are out, it returns drives that are out.
        inner = f"chooseleaf indep {self.per_domain} type host" if leaf else f"choose indep {self.per_domain} type osd"
        return "erasure", [*start, f"choose indep {self.used} type {domain}", inner, "emit"]


def tested(layout: Layout, crushtool: Crushtool) -> str:
    """The result of crushtool for the rule, on a map with the hosts and drives of the cluster."""
    if not crushtool.program:
        return "CRUSH rule not tested: install crushtool (Debian: ceph-base)."
    if layout.cluster.all_drives > MOST_DRIVES:
        return f"CRUSH rule not tested: the cluster has more than {MOST_DRIVES} drives."
    found = incomplete(layout, crushtool, TRIES)
    if None in found.values():
        return "CRUSH rule not tested: crushtool failed."
    return f"crushtool, {verdict(found, incomplete(layout, crushtool, MORE_TRIES) if any(found.values()) else found)}."


def incomplete(layout: Layout, crushtool: Crushtool, tries: int) -> dict[str, int | None]:
    """Placement groups without a drive for some chunk, in the situations in which the rule should find drives for all."""
    cluster, rule, host = layout.cluster, layout.rule(tries), range(layout.cluster.drives)
    by_weight = layout.per_domain > 1 and cluster.failure_domain == HOST  # the host is rebuilt if its CRUSH weight is 0
    text, without_host = (map_text(cluster, rule, has_host=has_host) for has_host in (True, not by_weight))
    found = {"all in": crushtool.incomplete(text, layout.n)}
    if layout.drive_targets:
        found["drive out"] = crushtool.incomplete(text, layout.n, host[:1])
    if layout.host_targets:
        found["host out"] = crushtool.incomplete(without_host, layout.n, host)
    return found


def verdict(found: Mapping[str, int | None], again: Mapping[str, int | None]) -> str:
    """`again`: the same with MORE_TRIES."""
    def text(counts: Mapping[str, int | None]) -> str:
        return ", ".join(f"{name} {count}" for name, count in counts.items())

    better = {name: fewer for name, count in found.items() if (fewer := again[name]) is not None and fewer < (count or 0)}
    more = f"; with step set_choose_tries {MORE_TRIES}, not {TRIES}, in the rule (crushtool -d): {text(better)}" if better else ""
    return f"incomplete PGs of {GROUPS}: {text(found)}{more}"
