"""CRUSH rules and maps in the text form of crushtool, and what crushtool --test says about them."""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence

from ecbench.process.children import Child

GROUPS = 30_000  # placement groups of a test
NONE = 2147483647  # CRUSH found no drive for this position
SECONDS = 300
TUNABLES = ("choose_local_tries 0", "choose_local_fallback_tries 0", "choose_total_tries 50", "chooseleaf_descend_once 1",
            "chooseleaf_vary_r 1", "chooseleaf_stable 1", "straw_calc_version 1", "allowed_bucket_algs 54")
TYPES = {"osd": 0, "host": 1, "rack": 3, "zone": 9, "root": 11}
MAPPING = re.compile(r"CRUSH rule 0 x [0-9]+ \[([0-9,]*)\]")


Rule = tuple[str, list[str]]  # the type of a rule and its steps


def steps(domain: str, domains: int, per_domain: int, *, is_replicated: bool = False) -> Rule:
    """`domains` and `per_domain` are used only if a domain stores several chunks."""
    if is_replicated:
        return "replicated", ["take default", f"chooseleaf firstn 0 type {domain}", "emit"]
    tries = ["set_choose_tries 100", "take default"]
    if per_domain == 1:
        choose = "chooseleaf" if TYPES[domain] else "choose"
        return "erasure", ["set_chooseleaf_tries 5", *tries, f"{choose} indep 0 type {domain}", "emit"]
    # Not "chooseleaf": if all drives of a host are out, it returns drives that are out.
    return "erasure", [*tries, f"choose indep {domains} type {domain}", f"choose indep {per_domain} type osd", "emit"]


def rule_text(name: str, number: int, rule: Rule) -> str:
    kind, own_steps = rule
    return "\n".join([f"rule {name} {{", f"  id {number}", f"  type {kind}", *(f"  step {step}" for step in own_steps), "}"])


def map_text(hosts: int, drives: int, domain: str, domains: int, rule: Rule, weight: float = 1, *, has_host: bool = True) -> str:
    """A map of equal hosts and drives. With domain rack or zone, the hosts are divided among `domains` racks or zones. Without
    `has_host`, the weight of the first host is 0."""
    has_level = domain in ("rack", "zone")

    def bucket(kind: str, name: str, number: int, items: Iterable[str], each: float) -> list[str]:
        return [f"{kind} {name} {{", f"  id {-number}", "  alg straw2", "  hash 0",
                *(f"  item {item} weight {0 if item in gone else each:.5f}" for item in items), "}"]

    gone = set() if has_host else {"host0", *(f"osd.{drive}" for drive in range(drives))}

    lines = [f"tunable {each}" for each in TUNABLES] + [f"device {drive} osd.{drive}" for drive in range(hosts * drives)]
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


@dataclasses.dataclass(frozen=True)
class CrushTest:
    """What crushtool says about the placement groups of a map. Shares are numbers of chunks per chunk that was on the drive or the
    host that is out."""

    bad: int  # placement groups without a drive for some chunk: all drives in
    bad_without_drive: int  # the same with one drive out
    bad_without_host: int
    stay: float  # with one drive out: share of its chunks that stay in its host
    unmapped: float  # with one host out: share of its chunks that no drive stores
    moved: float  # with one host out: other chunks that move, although their drives are in


class Crushtool:
    def __init__(self, child: Child):
        self._child = child
        self.program = shutil.which("crushtool")

    def mappings(self, text: str, n: int, out: Iterable[int] = (), groups: int = GROUPS) -> list[list[int]] | None:
        """The drives of each placement group; None if this crushtool does not know a step of the rule."""
        with tempfile.TemporaryDirectory(prefix="ecbench-crush-") as folder:
            source, compiled = pathlib.Path(folder, "map.txt"), str(pathlib.Path(folder, "map"))
            source.write_text(text, encoding="ascii")
            if self._run(["-c", str(source), "-o", compiled])[0]:
                return None
            weights = [word for drive in out for word in ("--weight", str(drive), "0")]
            code, printed = self._run(["-i", compiled, "--test", "--rule", "0", "--num-rep", str(n), "--min-x", "0", "--max-x",
                                       str(groups - 1), "--show-mappings", *weights])
        found = [[int(drive) for drive in listed.split(",") if drive] for listed in MAPPING.findall(printed)]
        return found if not code and len(found) == groups else None

    def test(self, text: str, n: int, drives: int, host_out: str = "") -> CrushTest | None:
        """Tests a map with `drives` drives in each host. `host_out`: the map if a host is out, if it differs."""
        host = list(range(drives))
        runs = [self.mappings(used, n, out) for used, out in ((text, []), (text, host[:1]), (host_out or text, host))]
        if any(run is None for run in runs):
            return None
        all_in, no_drive, no_host = (run or [] for run in runs)
        lost = [(own, position) for own, before in enumerate(all_in) for position, drive in enumerate(before) if drive in host]
        of_drive = [(own, position) for own, position in lost if all_in[own][position] == 0]
        stay = sum(any(drive in host and drive not in all_in[own] for drive in no_drive[own]) for own, _ in of_drive)
        unmapped = sum(n - len(mapped(after)) for after in no_host) - sum(n - len(mapped(before)) for before in all_in)
        moved = sum(len(mapped(before) - mapped(after) - set(host)) for before, after in zip(all_in, no_host))
        bad, without_drive, without_host = (sum(len(mapped(group)) < n for group in run) for run in (all_in, no_drive, no_host))
        return CrushTest(bad, without_drive, without_host, stay / max(1, len(of_drive)), max(0, unmapped) / max(1, len(lost)),
                         moved / max(1, len(lost)))

    def _run(self, words: Sequence[str]) -> tuple[int, str]:
        try:
            code, printed, said = self._child.run([self.program or "crushtool", *words], SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return 1, ""
        return code, printed + said


def mapped(group: Sequence[int]) -> set[int]:
    return {drive for drive in group if drive != NONE}
