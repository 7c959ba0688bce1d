"""Compares the placement that plan assumes with crushtool (Debian: ceph-base): the shares of chunks per host and drive, where the
chunks of a drive or a host go that is out, and maps that are known to be clean or bad."""

import dataclasses
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from collections.abc import Iterable

from debian import SOURCE
from ecbench.ceph.placement import NONE, Crushtool, Layout, map_text
from ecbench.plan import outcomes
from ecbench.plan.profiles import Counted
from ecbench.plan.request import read_request
from ecbench.process.process import Child

MAPS = 30
WITHIN = 0.1  # relative
PER_BUCKET = 1500  # chunks per drive that takes chunks; their number varies by 2.6 % (one standard deviation)
TOOL = Crushtool(Child())
# crushtool requires min_size and max_size before quincy; from quincy on, it ignores them.
OLD_CRUSHTOOL = f"""[ "$1" = -c ] && sed -zi 's/type erasure *step/type erasure min_size 1 max_size 100 step/' "$2"
exec {TOOL.program} "$@\""""


@unittest.skipIf(TOOL.program is None, "crushtool is not installed (Debian: ceph-base)")
class Placement(unittest.TestCase):
    def mapped(self, text: str, n: int, out: Iterable[int], groups: int) -> list[list[int]]:
        return TOOL.mappings(text, n, out, groups)

    def assert_even(self, counts: Counter[int], buckets: list[int], what: str) -> None:
        mean = sum(counts.values()) / len(buckets)
        self.assertEqual(set(counts) - set(buckets), set(), what)
        for bucket in buckets:
            # The counts are samples; three standard deviations are allowed in addition.
            self.assertLessEqual(abs(counts[bucket] - mean), WITHIN * mean + 3 * math.sqrt(mean), f"{what}: {bucket}")

    def test_shares_on_random_maps(self) -> None:
        generator = random.Random(40)
        for _ in range(MAPS):
            hosts, drives, weight = generator.randint(5, 12), generator.randint(3, 6), generator.uniform(1, 20)
            n = generator.randint(4, hosts - 1)
            cluster = read_request([f"hosts={hosts}", f"drives={drives}x20T"]).cluster
            layout = Layout(n, cluster)
            text = map_text(cluster, layout.rule(), weight)
            groups = PER_BUCKET * (drives - 1) * hosts * drives // n
            before = self.mapped(text, n, [], groups)
            everything = list(range(hosts * drives))
            self.assert_even(Counter(drive for group in before for drive in group), everything, "all in")
            self.assert_even(Counter(drive // drives for group in before for drive in group), list(range(hosts)), "all in, hosts")

            after = self.mapped(text, n, [0], groups)
            targets = layout.drive_targets
            taken = Counter(drive for one, two in zip(before, after) if 0 in one for drive in set(two) - set(one))
            stay = sum(count for drive, count in taken.items() if drive < drives) / taken.total()
            self.assertGreater(stay, 0.93, "the chunks of a drive stay on its host")
            own = Counter({drive: count for drive, count in taken.items() if drive < drives})
            self.assertEqual(targets.drives, drives - 1)
            self.assert_even(own, list(range(1, drives)), "drive out")

            after = self.mapped(text, n, list(range(drives)), groups)
            to = layout.host_targets
            self.assertEqual(to.drives, (hosts - 1) * drives)
            self.assert_even(Counter(drive // drives for group in after for drive in group if drive < hosts * drives),
                             list(range(1, hosts)), "host out")
            lost = sum(drive < drives for group in before for drive in group)
            moved = sum(len(set(one) - set(two) - set(range(drives))) for one, two in zip(before, after)) / lost
            self.assertAlmostEqual(moved, layout.moved_chunks, delta=0.15)

    def test_the_load_of_each_drive(self) -> None:
        """The chunks that each drive writes and reads if a drive is out, counted in crushtool's mappings: Ceph reads the first k of
        the remaining chunks (k=1: a copy). The most loaded drives take as long as plan computes (mean of a host)."""
        for hosts, drives, k, m, racks in ((3, 4, 1, 2, 0), (4, 8, 1, 2, 0), (4, 2, 1, 2, 0), (6, 4, 1, 2, 0), (12, 12, 1, 2, 0),
                                           (3, 4, 5, 4, 0), (4, 8, 5, 4, 0), (4, 8, 4, 2, 0), (5, 8, 8, 3, 0), (9, 6, 5, 3, 0),
                                           (12, 4, 5, 4, 3), (9, 4, 5, 4, 3), (10, 6, 4, 4, 2)):
            n = k + m
            words = ["failure-domain=rack", f"racks={racks}"] if racks else []
            cluster = read_request([f"hosts={hosts}", f"drives={drives}x20T", *words]).cluster
            layout = Layout(n, cluster, k == 1)
            targets, text = layout.drive_targets, map_text(cluster, layout.rule())
            before, after = (self.mapped(text, n, out, 1500 * hosts * drives // n) for out in ([], [0]))
            most = max(max(Counter(drive // drives for drive in group).values()) for group in before)
            self.assertEqual(most, layout.per_host)
            written, read, lost = Counter[int](), Counter[int](), 0
            for one, two in zip(before, after):
                if 0 in one:
                    lost += 1
                    written.update(drive // drives for drive in set(two) - set(one))
                    left = [drive for drive in one if drive]
                    # A primary has its own copy; the others are equally probable.
                    read.update([left[lost % len(left)] // drives] if k == 1 else [drive // drives for drive in left[:k]])
            loads = [(written[host] + read[host]) / lost / (drives - (host == 0)) for host in range(hosts)]
            others = max(1, targets.others)
            expected = max((targets.stay + k * targets.read) / targets.own,
                           (1 - targets.stay + k * (1 - targets.read)) / others)
            self.assertAlmostEqual(max(loads[0], sum(loads[1:]) / (hosts - 1)) / expected, 1, delta=0.15)

    def test_the_load_of_a_host_that_is_rebuilt(self) -> None:
        """The same for a host that stores several chunks of a placement group: Ceph reads k chunks once, and copies the chunks
        that only move."""
        for domain, domains, hosts, drives, k, m in (("host", 5, 5, 8, 8, 3), ("host", 4, 4, 8, 5, 4), ("host", 4, 4, 8, 4, 2),
                                                     ("host", 6, 6, 6, 7, 3), ("rack", 3, 6, 6, 5, 4), ("rack", 4, 12, 4, 4, 2),
                                                     ("rack", 3, 12, 6, 5, 4), ("rack", 2, 10, 6, 4, 4)):
            n, words = k + m, [f"racks={domains}"] if domain == "rack" else []
            request = read_request([f"hosts={hosts}", f"drives={drives}x20T", f"failure-domain={domain}", *words])
            cluster, layout = request.cluster, Layout(n, request.cluster)
            rule, out = layout.rule(), range(drives)
            texts = [map_text(cluster, rule, has_host=has_host) for has_host in (True, domain != "host")]
            before, after = self.mapped(texts[0], n, [], 20_000), self.mapped(texts[1], n, out, 20_000)
            loads, lost = Counter[int](), 0
            for one, two in zip(before, after):
                loads.update(drive // drives for old, drive in zip(one, two) if drive != old)
                loads.update(old // drives for old, drive in zip(one, two) if drive != old and old not in out)
                left = [drive for drive in one if drive not in out]
                lost += n - len(left)
                loads.update([drive // drives for drive in left[:k]] if len(left) < n else [])
            counted = Counted("", "isa", "", {}, k, n, k, k, k, k, 1, 1, [], [n / k], [16384], fast_ec=True)
            found = outcomes.rebuild(counted, layout, 4 << 20, None, of_host=True)
            own = hosts // domains if domain == "rack" else 1
            others = sum(loads[host] for host in range(own, hosts)) / (hosts - own)
            most = max(others, sum(loads[host] for host in range(1, own)) / max(1, own - 1)) / drives / lost
            self.assertAlmostEqual(found.limits[outcomes.DRIVE] * cluster.drive_rate / found.lost_bytes / most, 1, delta=0.15)

    def test_the_copies_of_a_host(self) -> None:
        """The share of the copies of a host that stay in its rack."""
        for hosts, drives, racks in ((24, 4, 8), (12, 4, 3), (12, 4, 4), (8, 2, 4), (20, 6, 4), (40, 4, 10)):
            cluster = read_request([f"hosts={hosts}", f"drives={drives}x8T", "failure-domain=rack", f"racks={racks}"]).cluster
            layout = Layout(3, cluster, is_replicated=True)
            text = map_text(cluster, layout.rule())
            before, after = (self.mapped(text, 3, out, 20_000) for out in ([], range(drives)))
            taken = Counter(drive < cluster.domain_drives for one, two in zip(before, after) for drive in set(two) - set(one))
            self.assertAlmostEqual(taken[True] / taken.total(), layout.host_targets.stay, delta=0.03)

    def test_several_chunks_on_a_host(self) -> None:
        """The rule with two steps: no host gets more than its chunks, a drive's chunks stay on its host, and the chunks of a host
        that is out are not mapped until its CRUSH weight is 0. Then a free host takes them, and half as many other chunks move."""
        for hosts, drives, n in ((4, 8, 6), (3, 4, 6), (5, 8, 11)):
            cluster = read_request([f"hosts={hosts}", f"drives={drives}x20T"]).cluster
            layout = Layout(n, cluster)
            text = map_text(cluster, layout.rule())
            for group in self.mapped(text, n, [], 10_000):
                self.assertLessEqual(max(Counter(drive // drives for drive in group).values()), layout.per_domain)
                self.assertEqual(len(set(group)), n)
            before, after, without = (self.mapped(text, n, out, 10_000) for out in ([], [0], range(drives)))
            taken = Counter(drive // drives for one, two in zip(before, after) for drive in set(two) - set(one))
            self.assertEqual(set(taken), {0})
            self.assertEqual(TOOL.incomplete(text, n, [0]), 0)
            lost = sum(drive < drives for group in before for drive in group)
            self.assertAlmostEqual(sum(group.count(NONE) for group in without) / lost, 1, delta=0.001)
            without_host = map_text(cluster, layout.rule(), has_host=False)
            self.assertEqual(TOOL.incomplete(without_host, n, range(drives)), 0 if layout.spare else 30_000)
            if layout.spare:
                after = self.mapped(without_host, n, list(range(drives)), 10_000)
                pairs = [(old, new) for one, two in zip(before, after) for old, new in zip(one, two)]
                moved = sum(old != new and old >= drives for old, new in pairs) / sum(old < drives for old, _ in pairs)
                self.assertAlmostEqual(moved, layout.moved_chunks, delta=0.15)
            kind, own_steps = layout.rule()
            leaf = kind, [step.replace(f"choose indep {layout.per_domain}", f"chooseleaf indep {layout.per_domain}")
                          for step in own_steps]
            out = self.mapped(map_text(cluster, leaf), n, list(range(drives)), 1000)
            self.assertTrue(any(drive < drives for group in out for drive in group), "chooseleaf returns drives that are out")

    def test_drives_of_two_classes(self) -> None:
        """Even drives of each host are hdd, odd ones ssd. The rules for hdd use no ssd; the same rules without the class do."""
        for words, k, m in ((["hosts=12", "drives=4x8T"], 8, 3), (["hosts=5", "drives=4x8T"], 8, 3),
                            (["hosts=5", "drives=4x8T"], 1, 2),
                            (["hosts=12", "drives=4x8T", "failure-domain=rack", "racks=4"], 4, 2)):
            for device_class in ("hdd", ""):
                cluster = read_request([*words, *([f"device-class={device_class}"] if device_class else [])]).cluster
                rule = Layout(k + m, cluster, k == 1).rule()
                text = map_text(dataclasses.replace(cluster, drives=2 * cluster.drives, device_class="hdd"), rule)
                text = re.sub(r"(osd\.[0-9]*[13579]) class hdd", r"\1 class ssd", text)
                found = self.mapped(text, k + m, [], 3000)
                self.assertEqual(sum(drive % 2 for group in found for drive in group) == 0, device_class == "hdd")
                self.assertLess(sum(NONE in group for group in found), 10)

    def test_the_printed_commands(self) -> None:
        """Runs the command that adds the rule, with a program `ceph` that stores the map. A second rule with this id is refused."""
        for hosts, drives, k, m, device_class in ((4, 8, 5, 4, ""), (3, 4, 5, 4, ""), (5, 8, 8, 3, ""), (2, 12, 4, 6, "nvme")):
            with tempfile.TemporaryDirectory() as name:
                folder, n = pathlib.Path(name), k + m
                words = [f"hosts={hosts}", f"drives={drives}x8T", f"k={k}", f"m={m}", "plugin=isa", "--counts-only",
                         *([f"device-class={device_class}"] if device_class else [])]
                printed = subprocess.run([sys.executable, SOURCE / "scripts" / "mode.py", "plan", *words], capture_output=True,
                                         text=True, check=True).stdout
                self.assertEqual(f"crush-device-class={device_class}" in printed, bool(device_class))
                start = printed.index("    ceph osd getcrushmap")
                self.assertIn("    # 50: an id that no rule has", printed[:start])
                command = printed[start:printed.index("    ceph osd setcrushmap")]
                cluster = read_request([word for word in words if word[0] != "-"]).cluster
                text = map_text(cluster, Layout(n, cluster).rule())
                (folder / "text").write_text(text, encoding="ascii")
                subprocess.run([str(TOOL.program), "-c", "text", "-o", "stored"], cwd=folder, check=True)
                # The program gets `osd getcrushmap -o FILE` or `osd setcrushmap VERSION -i FILE`.
                for program, script in (("ceph", '[ "$3" = -o ] && cp stored "$4" || cp "$5" stored'),
                                        ("crushtool", OLD_CRUSHTOOL)):
                    (folder / program).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
                    (folder / program).chmod(0o755)
                environment = {"PATH": f"{folder}:/usr/bin:/bin"}
                for code in (0, 1):
                    ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False)
                    self.assertEqual(ran.returncode, code)
                    if code == 0:
                        self.assertNotIn(b"bad mapping", ran.stdout + ran.stderr)
                        subprocess.run(["bash", "-c", "ceph osd setcrushmap 7 -i new.bin"], cwd=folder, env=environment, check=True)
                    tested = subprocess.run([str(TOOL.program), "-i", "stored", "--test", "--rule", "50", "--num-rep", str(n),
                                             "--min-x", "0", "--max-x", "999", "--show-mappings"], cwd=folder, capture_output=True,
                                            text=True, check=True)
                    found = [[int(drive) for drive in listed.split(",")]
                             for listed in re.findall(r"rule 50 x [0-9]+ \[([0-9,]*)\]", tested.stdout + tested.stderr)]
                    self.assertEqual(found, self.mapped(text, n, [], 1000))

    def test_maps_that_are_known(self) -> None:
        """Counts of 30,000 placement groups with 11 chunks, measured with crushtool 16.2: bad with all drives in, and with a host
        out."""
        for hosts, drives, bad, bad_without_host in ((13, 12, 0, 0), (12, 24, 0, 13), (11, 12, 9, 30_000), (14, 12, 0, 0)):
            layout = Layout(11, read_request([f"hosts={hosts}", f"drives={drives}x20T"]).cluster)
            text = map_text(layout.cluster, layout.rule())
            self.assertEqual((TOOL.incomplete(text, 11), TOOL.incomplete(text, 11, range(drives))), (bad, bad_without_host))
            words = [f"hosts={hosts}", f"drives={drives}x20T", "k=8", "m=3", "plugin=isa", "--counts-only"]
            printed = subprocess.run([sys.executable, SOURCE / "scripts" / "mode.py", "plan", *words], capture_output=True,
                                     text=True, check=True)
            said = " ".join(printed.stdout.split())
            for count in {bad, bad_without_host if hosts > 11 else 0} - {0}:
                self.assertRegex(said, rf"\b{count}\b")
            self.assertEqual("set_choose_tries" in said, bad > 0 or hosts == 12)
            text = text.replace("set_choose_tries 100", "set_choose_tries 1000")
            if hosts == 12:
                self.assertEqual(TOOL.incomplete(text, 11, range(drives)), 0)
                self.assertRegex(said, r"host out 13; with .*\b1000\b.*: host out 0\b")
            if hosts == 11:
                self.assertEqual(TOOL.incomplete(text, 11), 0)
            self.assertEqual("mon_osd_down_out_subtree_limit" in said, hosts < 13)
