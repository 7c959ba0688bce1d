"""CRUSH rules and maps in the text form of crushtool."""

import dataclasses
import math
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence

from ecbench.ceph.profile import PAGE
from ecbench.process import temporary
from ecbench.process.children import Child

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


def steps(domain: str, domains: int, per_domain: int, *, is_replicated: bool = False, tries: int = TRIES,
          device_class: str = "") -> Rule:
    """`domains` and `per_domain` are used only if a domain stores several chunks."""
    take = f"take default class {device_class}" if device_class else "take default"
    if is_replicated:
        return "replicated", [take, f"chooseleaf firstn 0 type {domain}", "emit"]
    start = [f"set_choose_tries {tries}", take]
    if per_domain == 1:
        choose = "chooseleaf" if TYPES[domain] else "choose"
        return "erasure", ["set_chooseleaf_tries 5", *start, f"{choose} indep 0 type {domain}", "emit"]
    # Not "chooseleaf": if all drives of a host are out, it returns drives that are out.
    return "erasure", [*start, f"choose indep {domains} type {domain}", f"choose indep {per_domain} type osd", "emit"]


def rule_text(name: str, number: int, rule: Rule) -> str:
    kind, own_steps = rule
    return "\n".join([f"rule {name} {{", f"  id {number}", f"  type {kind}", *(f"  step {step}" for step in own_steps), "}"])


def map_text(hosts: int, drives: int, domain: str, domains: int, rule: Rule, weight: float = 1, *, has_host: bool = True,
             device_class: str = "") -> str:
    """A map of equal hosts and drives. With domain rack or zone, the hosts are divided among `domains` racks or zones. Without
    `has_host`, the weight of the first host is 0 (domain host)."""
    has_level = domain in ("rack", "zone")

    def bucket(kind: str, name: str, number: int, items: Iterable[str], each: float) -> list[str]:
        return [f"{kind} {name} {{", f"  id {-number}", "  alg straw2", "  hash 0",
                *(f"  item {item} weight {0 if item in gone else each:.5f}" for item in items), "}"]

    gone = set() if has_host else {"host0", *(f"osd.{drive}" for drive in range(drives))}

    of_class = f" class {device_class}" if device_class else ""
    lines = [f"tunable {each}" for each in TUNABLES] + [f"device {drive} osd.{drive}{of_class}" for drive in range(hosts * drives)]
    lines += [f"type {number} {name}" for name, number in TYPES.items()]
    for host in range(hosts):
        lines += bucket("host", f"host{host}", host + 2, (f"osd.{host * drives + drive}" for drive in range(drives)), weight)
    tops, size = [f"host{host}" for host in range(hosts)], weight * drives
    if has_level:
        share = hosts // domains
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
        """The drives of each placement group; None if this crushtool does not know a step of the rule."""
        with temporary.new_folder() as folder:
            source, compiled = folder / "map.txt", str(folder / "map")
            temporary.write(source, text.encode("ascii"))
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


# How fast Ceph rebuilds a drive, with the defaults of Reef and later releases. Sources: mclock-config-ref on docs.ceph.com, and
# osd.yaml.in.

BACKFILLS = 1  # osd_max_backfills
MOST_BYTES = 8 << 20  # osd_recovery_max_chunk: of one recovery


@dataclasses.dataclass(frozen=True)
class Osd:
    active: int  # osd_recovery_max_active_hdd or _ssd: objects that a primary recovers at the same time
    iops: float  # osd_mclock_max_capacity_iops_hdd or _ssd; OSDs of solid-state drives measure their own

    def most_backfilled(self, backfills: int, chunk: float, seconds: float) -> float:
        """Bytes per second that are written to a drive, if each of its backfills always recovers `active` objects, and the recovery
        of one takes `seconds`. `chunk`: bytes of one chunk of an object."""
        return backfills * self.active * min(chunk, MOST_BYTES) / seconds


HDD, SSD = Osd(3, 315), Osd(10, 21_500)


# The releases of Ceph. For each release: the techniques that it keeps, the techniques that it deprecates or has removed, and
# whether it has Fast EC (allow_ec_optimizations). Sources: "Ending Support for some Erasure Code Plugins", ceph.io, 2025-12-16;
# "Tentacle FastEC Performance Updates", ceph.io, 2025-11-20; ceph PR 55332 (MSR, squid); ErasureCodeIsa.h and
# ErasureCodeJerasure.h (OPTIMIZED_SUPPORTED; isa cauchy: PR 65016).

# The plugins and techniques that Ceph keeps. All others are deprecated, and vampire does not have them. lrc has no techniques, so
# its entry has "" as the technique.
KEPT = {("jerasure", "reed_sol_van"), ("isa", "reed_sol_van"), ("isa", "cauchy"), ("lrc", "")}
PLUGINS = ("isa", "jerasure", "lrc", "shec", "clay")
WITH_FAST_EC = {("isa", "reed_sol_van"), ("isa", "cauchy"), ("jerasure", "reed_sol_van")}


@dataclasses.dataclass(frozen=True)
class Release:
    name: str
    has_fast_ec: bool  # whether allow_ec_optimizations can be set for a pool
    stripe_unit: int  # bytes of one chunk in one stripe: Ceph's default; with Fast EC, the size that Ceph recommends
    # clay of 20.2.4 computes wrong coding chunks if a sub-chunk is not a multiple of this number of bytes (docs/codes.md). umbrella
    # was not tested.
    sub_chunk_unit: int = 1
    # Status of the techniques that are not in KEPT. umbrella warns about these techniques. vampire does not have them.
    status: str = "deprecated"

    def status_of(self, plugin: str, technique: str) -> str:
        return "" if (plugin, "" if plugin == "lrc" else technique) in KEPT else self.status

    def uses_fast_ec(self, plugin: str, technique: str, chunk: int) -> bool:
        """`chunk`: bytes of one chunk in one stripe. Ceph refuses Fast EC if `chunk` is not a multiple of the page size."""
        return self.has_fast_ec and (plugin, technique) in WITH_FAST_EC and chunk % PAGE == 0


REMOVED = "removed"
RELEASES = {release.name: release for release in (
    Release("quincy", False, 4096),
    Release("reef", False, 4096),
    Release("squid", False, 4096),
    Release("tentacle", True, 16384, sub_chunk_unit=64),
    Release("umbrella", True, 16384, sub_chunk_unit=64),
    Release("vampire", True, 16384, status=REMOVED),
)}


# Ceph's defaults for pools and OSDs, by the names of their options, and what follows from them for an erasure-coded pool.

GROUPS_PER_DRIVE = 100  # mon_target_pg_per_osd: number of placement groups that have a chunk on one drive
MOST_GROUPS = 65536  # mon_max_pool_pg_num: Ceph refuses a pool with more placement groups
NEARFULL = 0.85  # mon_osd_nearfull_ratio: Ceph warns
BACKFILLFULL = 0.90  # mon_osd_backfillfull_ratio: Ceph moves no chunks to a drive that is fuller
UNEVEN = 1.06  # the fullest drive / the mean: the balancer leaves 5 of 70 to 100 chunks (upmap_max_deviation)
SECONDS_UNTIL_OUT = 600  # mon_osd_down_out_interval: after this time, Ceph begins to rebuild the chunks of a failed drive
DEEP_SCRUB = 7  # days: osd_deep_scrub_interval
MOST_OBJECT = 128 << 20  # bytes: osd_max_object_size
OBJECT = 4 << 20  # bytes: the size of the objects of RBD, CephFS and RGW
BLOCK_SIZES = (4096, 8192, 16384, 32768, 65536)  # of BlueStore
MOST_BACKFILLS, MOST_CHUNKS = 100, 256


def placement_groups(n: int, drives: int) -> int:
    """The choice of the autoscaler for a pool with n chunks that is alone on its drives: about GROUPS_PER_DRIVE groups have a chunk
    on each drive; a power of two."""
    return min(MOST_GROUPS, max(1, 2 ** round(math.log2(drives * GROUPS_PER_DRIVE / n))))


def fullest(drive_share: float, host_share: float) -> float:
    """The mean share to which drives can be full: Ceph does not warn, and the chunks of a lost drive or host fit. The arguments:
    the largest share of its chunks that one other drive takes."""
    return min(NEARFULL, BACKFILLFULL / (1 + drive_share), BACKFILLFULL / (1 + host_share)) / UNEVEN


def served_losses(k: int, n: int, survived: int) -> int:
    """Lost chunks with which clients read and write: the default for min_size is k+1, and k if n = k+1."""
    return min(survived, max(1, n - k - 1))


@dataclasses.dataclass(frozen=True)
class Overwrite:
    """The chunks that Ceph reads and writes to overwrite one chunk of a stripe."""

    reads: int
    writes: int


def overwrite_of(k: int, n: int, *, fast_ec: bool, is_replicated: bool) -> Overwrite:
    """With Fast EC, Ceph reads the old chunk and the coding chunks (parity delta), or the k-1 other data chunks if these are fewer,
    and writes the changed chunk and the coding chunks. Without, it reads k chunks and writes n. A replicated pool writes."""
    if is_replicated:
        return Overwrite(0, n)
    return Overwrite(min(k - 1, 1 + n - k), 1 + n - k) if fast_ec else Overwrite(k, n)
