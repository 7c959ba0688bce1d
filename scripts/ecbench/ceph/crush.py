"""CRUSH rules and maps in the text form of crushtool."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence

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
