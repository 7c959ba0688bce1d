"""`bench.sh plan`: words, stored bytes, properties of every cluster, and the recommendation."""

import dataclasses
import itertools
import json
import math
import random
import shlex
import unittest
from unittest.mock import Mock

from ecbench.ceph.placement import Crushtool
from ecbench.ceph.profile import recoverable, stored_bytes
from ecbench.ceph.releases import PLUGINS, RELEASES
from ecbench.documents.document import to_json
from ecbench.plan import program
from ecbench.plan.outcomes import outcome
from ecbench.plan.profiles import Speeds, clay_note, copies, misfit, points_of, repairs
from ecbench.plan.recommendation import commands, failure_notes, folded, passed_over, recommend, rules_of
from ecbench.plan.request import read_request
from ecbench.plan.result import result_of, short_table, shown, tables
from ecbench.point.point import Reads
from ecbench.process.process import Child
from ecbench.terminal.console import Refused
from synthetic_plan import CLUSTER, WITHOUT_CRUSHTOOL, mds_profile

# Words after those of CLUSTER, and words without them → a part of the message.
WRONG = {
    "net=25Gbit": "net=25Gbit is not allowed", "net=0": "net=0 is not allowed", "net=1,2": "give one value", "net=999K": "net=999K",
    "net=25": "net=25", "afr=1.4": "afr=1.4%", "afr=0%": "more than 0 %", "recovery-share=101%": "at most 100 %",
    "drive-rate=": "drive-rate", "drive-rate=200": "drive-rate=200", "drive-type=tape": "hdd", "drive-seek=8": "drive-seek=8ms",
    "failure-domain=rack": "racks= is missing", "racks=3": "failure-domain=rack", "failure-domain=row": "failure-domain=row",
    "failure-domain=rack racks=5": "must divide the number of hosts",
    "failure-domain=zone zones=12": "each zone has one host; give failure-domain=host", "deep-scrub=7": "deep-scrub=7d",
    "deep-scrub=0d": "deep-scrub=0d", "max-backfills=0": "at least 1", "max-backfills=101": "1 to 100", "uer=1": "uer=1e-15",
    "uer=2": "uer=2", "k=1..200 m=1..6": "1200 combinations", "object=1..200": "200 combinations", "object=4M,1G": "object=1G",
    "NVMe": "did you mean drive-type=nvme?", "clay": "plugin=clay", "Squid": "release=squid", "min-alloc=5K": "4K, 8K",
    "csum-block=1M": "csum-block=1048576", "space=0": "space=0", "nines=x": "nines=x", "release=argonaut": "release=argonaut",
    "release=vampire plugin=clay": "Ceph vampire cannot load it", "hostz=3": "did you mean hosts?"}
WRONG_CLUSTERS = {
    "drives=24x20T": "hosts is missing", "hosts=12": "drives is missing", "hosts=12 drives=24": "drives=24x20T",
    "hosts=12 drives=0x20T": "drives=0x20T", "hosts=12 drives=24x20TiB": "24x20TiB", "hosts=12 drives=24x20": "drives=24x20",
    "hosts=12 drives=24x999M": "drives=24x999M", "hosts=12 drives=24x1001T": "drives=24x1001T",
    "hosts=12 drives=10001x1T": "drives=10001x1T", "hosts=100001 drives=1x1T": "hosts=100001",
    "hosts=4 drives=24x20T k=10 m=2": "more than m chunks"}
OUT_OF_RANGE = ("m=257", "k=1..300", "l=999999999999999999T", "c=300", "stripe-unit=1G", "cores=1000000")


MORE_TRIES = Crushtool(Child())  # finds more drives with more tries
MORE_TRIES.program = "crushtool"
MORE_TRIES.incomplete = lambda text, *_: 29_999 if "set_choose_tries 100\n" in text else 10_001


def random_words(generator: random.Random) -> list[str]:
    def number(most: int) -> int:
        return generator.choice((1, most, round(math.exp(generator.uniform(0, math.log(most))))))

    values = {"k": lambda: f"{number(256)},{number(12)}", "m": lambda: f"{number(256)},{number(6)}", "l": lambda: number(256),
              "object": lambda: number(128 << 20), "stripe-unit": lambda: number(128 << 20), "cores": lambda: number(100_000),
              "max-backfills": lambda: number(100), "net": lambda: generator.choice(("1M", "1000000T")),
              "drive-rate": lambda: generator.choice(("1M", "1000000T")), "afr": lambda: generator.choice(("0.000001%", "100%")),
              "drive-seek": lambda: generator.choice(("0.000001us", "1000ms")), "uer": lambda: generator.choice(("1e-99", "1e-6")),
              "recovery-share": lambda: generator.choice(("0.000001%", "100%")), "device-class": lambda: "ssd",
              "deep-scrub": lambda: generator.choice(("0.000001d", "3650d")), "space": lambda: number(100),
              "write-rate": lambda: generator.choice(("0.000001", "1000000T")), "nines": lambda: number(100),
              "failure-domain": lambda: generator.choice(("osd", "host", f"rack racks={number(50)}", f"zone zones={number(5)}"))}
    chosen = generator.sample(sorted(values), generator.randint(0, len(values)))
    size = generator.choice(("1G", "1000T", "20T"))
    return [f"hosts={number(100_000)}", f"drives={number(10_000)}x{size}", *(f"{key}={values[key]()}" for key in chosen)]


class Words(unittest.TestCase):
    def test_units(self) -> None:
        cluster = read_request(["hosts=4", "drives=2x1.92T", "k=2", "m=1", "net=100G", "drive-rate=1.5G", "afr=0.4%",
                                "recovery-share=50%", "write-rate=250M", "cores=8"]).cluster
        self.assertEqual((cluster.hosts, cluster.drives, cluster.drive_bytes, cluster.drive_rate), (4, 2, 1.92e12, 1.5e9))
        self.assertEqual((cluster.net, cluster.recovery_share, cluster.write_rate, cluster.cores), (12.5e9, 0.5, 2.5e8, 8))
        self.assertAlmostEqual(cluster.afr, 0.004)
        request = read_request([*CLUSTER, "object=4M,64K", "stripe-unit=4K"])
        self.assertEqual(list(request.sizes()), [(4 << 20, 4096), (64 << 10, 4096)])
        self.assertEqual(read_request([*CLUSTER, "release=squid"]).stripe_units, (4096,))

    def test_bad_input_prints_one_line(self) -> None:
        cases = [([*CLUSTER, *words.split()], expected) for words, expected in WRONG.items()]
        cases += [(words.split(), expected) for words, expected in WRONG_CLUSTERS.items()]
        cases += [([*CLUSTER, word], "out of range") for word in OUT_OF_RANGE]
        cases += [([*CLUSTER, f"device-class={each}"], each) for each in ("hdd;ssd", "hdd'", "")]
        for words, expected in cases:
            with self.assertRaises(Refused) as refused:
                read_request(words)
            self.assertIn(expected, str(refused.exception))
            self.assertNotIn("\n", str(refused.exception))

    def test_a_device_class_has_the_rates_of_its_drives(self) -> None:
        for words, rate in (([], 200e6), (["device-class=hdd"], 200e6), (["device-class=ssd"], 500e6), (["device-class=nvme"], 3e9),
                            (["device-class=ssd", "drive-type=nvme"], 3e9), (["device-class=archive"], 200e6),
                            (["device-class=ssd", "drive-rate=1G"], 1e9)):
            self.assertEqual(read_request([*CLUSTER, *words]).cluster.drive_rate, rate)


class StoredSizeTest(unittest.TestCase):
    def test_bytes(self) -> None:
        """Object, stripe unit and allocation unit → bytes with and without Fast EC, for k=4 and m=2. The first line is Ceph's
        example. Coding chunks are as long as the longest data chunk."""
        for size, unit, min_alloc, fast, padded in (
                (4096, 16384, 1, 12 << 10, 96 << 10), (64 << 10, 16384, 1, 96 << 10, 96 << 10),
                (4 << 20, 16384, 1, 6 << 20, 6 << 20), (20480, 16384, 1, (16 + 4 + 2 * 16) << 10, 96 << 10),
                ((64 << 10) + 1, 16384, 1, (96 + 4 + 2 * 4) << 10, 192 << 10),
                (4096, 16384, 65536, 3 * 65536, 6 * 65536), (4096, 4096, 16384, 3 * 16384, 6 * 16384)):
            for fast_ec, expected in ((True, fast), (False, padded)):
                stored = stored_bytes(size, 4, 6, unit, fast_ec=fast_ec, min_alloc=min_alloc)
                self.assertEqual(stored, expected, (size, unit, fast_ec))

    def test_releases(self) -> None:
        for release, plugin, technique, unit, fast in (("squid", "isa", "reed_sol_van", 16384, False),
                                                       ("tentacle", "isa", "reed_sol_van", 16384, True),
                                                       ("tentacle", "isa", "cauchy", 16384, True),  # ceph PR 65016
                                                       ("tentacle", "clay", "reed_sol_van", 16384, False),
                                                       ("tentacle", "isa", "reed_sol_van", 1024, False)):  # not a whole page
            self.assertEqual(RELEASES[release].uses_fast_ec(plugin, technique, unit), fast, (release, plugin, technique, unit))
        self.assertEqual([plugin for plugin in PLUGINS if not RELEASES["vampire"].status_of(plugin, "reed_sol_van")],
                         ["isa", "jerasure", "lrc"])


class ReadsOfClay(unittest.TestCase):
    def test_tentacle_reads_whole_chunks(self) -> None:
        """ErasureCodeClay::is_repair() is always false (ceph PR 55196). isa has no sub-chunks."""
        for release, plugin, sub_chunks, read, workload in (
                ("reef", "clay", 8, 2.5, "repair"), ("squid", "clay", 8, 2.5, "repair"), ("tentacle", "clay", 8, 4, "decode"),
                ("umbrella", "clay", 8, 4, "decode"), ("tentacle", "isa", 1, 2.5, "repair")):
            reads = Reads(chunks_read=5, network_factor=3, reads_per_helper=2, block_factor=2.5, sub_chunk_count=sub_chunks)
            profile, request = mds_profile(4, 2, 3, plugin), read_request([*CLUSTER, f"release={release}"])
            found = repairs(profile, 65536, request, Mock(show_reads=Mock(return_value=[reads])))
            self.assertEqual((found.read, found.busy, found.network), (read, read, 3 if read == 2.5 else 4), (release, plugin))
            points = points_of(dataclasses.replace(profile, sub_chunks=sub_chunks), request)
            self.assertEqual(points[f"{profile.name} repair"].workload, workload)
            if plugin == "clay":
                note = clay_note([profile], profile, request, Mock(show_reads=Mock(return_value=[reads])))[0]
                self.assertEqual(release in note, read == 4, note)


class CephsLrc(unittest.TestCase):
    """Compares the counts with a simulation of Ceph's decoder, chunk by chunk."""

    def decodes(self, k: int, m: int, l: int, lost: set[int]) -> bool:
        size, lost = l + 1, set(lost)
        groups = (k + m) // l
        local = [set(range(group * size, (group + 1) * size)) for group in range(groups)]
        whole = {chunk for chunk in range(groups * size) if chunk % size != l}
        for layer, coding in [*((members, 1) for members in reversed(local)), (whole, m)]:
            if 0 < len(lost & layer) <= coding:
                lost -= layer
        return not lost

    def test_every_pattern(self) -> None:
        for k, m, l in ((4, 2, 3), (8, 4, 3), (6, 2, 4)):
            n = k + m + (k + m) // l
            for chunks in range(1, n - k + 1):
                found = sum(self.decodes(k, m, l, set(lost)) for lost in itertools.combinations(range(n), chunks))
                self.assertEqual(recoverable(k, m, l, chunks), found, (k, m, l, chunks))
        self.assertEqual(recoverable(4, 2, 3, 2), 22, "of 28 pairs")


class Properties(unittest.TestCase):
    """Properties that hold for every cluster."""

    def requests(self) -> list[list[str]]:
        generator = random.Random(40)
        return [[f"hosts={generator.randint(8, 60)}", f"drives={generator.randint(2, 36)}x{generator.choice((4, 8, 16, 20))}T",
                 f"net={generator.choice((1, 10, 25, 100))}G", f"drive-type={generator.choice(('hdd', 'ssd', 'nvme'))}",
                 f"object={generator.choice(('64K', '4M'))}"] for _ in range(40)]

    def test_more_hosts_with_data_never_make_a_pool_safer(self) -> None:
        """Several chunks on a host are left out: with more hosts, there are fewer on each."""
        for hosts, *rest in self.requests():
            for k, m in ((2, 1), (4, 2), (5, 3), (4, 4), (8, 3), (10, 4), (16, 4)):
                if k + m > int(hosts[6:]):
                    continue
                one, two = (outcome(mds_profile(k, m), read_request([f"hosts={times * int(hosts[6:])}",
                                                                     *rest])) for times in (1, 2))
                self.assertLessEqual(two.pool_nines or 0, (one.pool_nines or 0) + 1e-9)

    def test_more_parity_is_never_less_durable(self) -> None:
        """Also if more parity needs several chunks on a host."""
        for hosts, *rest in self.requests():
            for request in (read_request([hosts, *rest]), read_request([f"hosts={int(hosts[6:]) // 5 + 2}", *rest])):
                for k in (2, 4, 5, 8, 16):
                    all_m = [outcome(mds_profile(k, m), request) for m in range(1, 6)
                             if not misfit(k + m, m, True, request.cluster)]
                    found = [(one.pool_nines or 0, one.margin_nines or 0) for one in all_m if one.drive]
                    for values in zip(*found):
                        self.assertEqual(values, tuple(sorted(values)), (request.cluster, k))

    def test_the_order_of_the_input_does_not_matter(self) -> None:
        request, generator = read_request(CLUSTER), random.Random(1)
        counted = [*(mds_profile(k, m) for k in (4, 6, 8, 9) for m in (2, 3)), mds_profile(8, 3, 4, "clay"), copies(request),
                   mds_profile(8, 3, plugin="jerasure")]
        first = result_of(request, counted, [], {}, [])
        for _ in range(10):
            generator.shuffle(counted)
            other = result_of(request, counted, [], {}, [])
            self.assertEqual((other.recommendation, other.profiles, short_table(other), other.sensitivity),
                             (first.recommendation, first.profiles, short_table(first), first.sensitivity))
            self.assertEqual(recommend([outcome(one, request) for one in counted], request).chosen.name, "isa 8+3", "a tie")


class Recommendations(unittest.TestCase):
    def setUp(self) -> None:
        self.request = read_request(CLUSTER)
        self.counted = [mds_profile(8, 2), mds_profile(8, 3), mds_profile(7, 3), mds_profile(8, 4), mds_profile(8, 3, 4, "clay")]

    def recommended(self, *words: str) -> str:
        request = read_request([*CLUSTER, *words])
        return recommend([outcome(one, request) for one in [*self.counted, copies(request)]], request).chosen.name

    def test_stores_least_of_the_profiles_that_are_durable_enough(self) -> None:
        self.assertEqual(self.recommended(), "isa 8+3")
        self.assertEqual(self.recommended("nines=8"), "isa 8+2")
        self.assertEqual(self.recommended("nines=9.5"), "isa 8+3", "8+2 has 9.6 nines, but not with the margin")
        self.assertEqual(self.recommended("space=1.3"), "isa 8+2")
        self.assertEqual(self.recommended("nines=30"), "isa 7+3", "a plugin that Ceph removes, or no free host, was recommended")

    def test_never_as_much_as_three_copies(self) -> None:
        small = dataclasses.replace(mds_profile(5, 3), stored=(32.0,))
        request = read_request([*CLUSTER, "object=4K"])
        found = recommend([outcome(one, request) for one in (small, mds_profile(8, 2))], request)
        self.assertEqual(found.chosen.name, "isa 8+2")
        self.assertNotIn("isa 5+3", " ".join(found.changes))

    def test_more_is_the_cheapest_profile_that_has_much_more(self) -> None:
        request = read_request(["hosts=100", "drives=24x20T", "nines=8"])
        counted = [mds_profile(k, m) for k in (8, 9, 10) for m in (2, 3)]
        found = recommend([outcome(one, request) for one in counted], request)
        self.assertEqual(found.chosen.name, "isa 10+2")
        self.assertIn("isa 10+3", found.others, "not 9+2, which is cheaper, but hardly more durable")

    def test_why_cheaper_profiles_are_passed_over(self) -> None:
        """Cluster, profiles → those that are passed over, each for the condition that it misses."""
        small = ["hosts=4", "drives=8x16T"]
        for words, shapes, chosen, expected in (
                (small, ((6, 3), (5, 4)), "isa 5+4", {"isa 6+3": "I/O stops while a host is down"}),
                (small, ((8, 4), (6, 4), (5, 4)), "isa 5+4", {"isa 6+4": "no free host"}),
                (CLUSTER, ((9, 2), (8, 2), (8, 3)), "isa 8+3", {"isa 8+2": "8.7 nines with that margin"}),
                (CLUSTER, ((10, 3), (8, 3)), "isa 8+3", {"isa 10+3": "2 chunks per host"}),
                (CLUSTER, ((10, 2), (8, 3)), "isa 8+3", {}), (CLUSTER, ((8, 3), (7, 3)), "isa 8+3", {})):
            request = read_request(words)
            found = [outcome(mds_profile(k, m), request) for k, m in shapes]
            recommendation = recommend(found, request)
            self.assertEqual(recommendation.chosen.name, chosen)
            over = passed_over(recommendation.chosen, found,
                               [rule for rule in rules_of(request) if rule.holds(recommendation.chosen)])
            self.assertEqual({one.name: why for one, why in over}, expected)
            self.assertLessEqual(set(expected), set(recommendation.others))

    def test_two_domains(self) -> None:
        """Words and profiles → the recommended one. Codes of 3 bytes per byte and more are considered if the others stop I/O, but
        not for another rule, and never instead of copies that store less."""
        for words, shapes, chosen in ((["hosts=2", "drives=12x12T"], ((4, 4), (2, 4), (6, 4)), "isa 2+4"),
                                      (["hosts=2", "drives=12x12T"], ((2, 4), (4, 6), (3, 5), (2, 2)), "isa 4+6"),
                                      (["hosts=6", "drives=4x8T", "failure-domain=zone", "zones=2"], ((2, 2), (2, 5)), "isa 2+5"),
                                      (["hosts=3", "drives=8x8T"], ((2, 2), (2, 4)), "isa 2+4"),
                                      ([*CLUSTER, "nines=25"], ((8, 3), (2, 4)), "isa 8+3"),
                                      ([*CLUSTER], ((2, 4), (2, 5)), "3 copies")):
            request = read_request(words)
            found = [outcome(mds_profile(k, m), request) for k, m in shapes]
            copied = [outcome(copies(request), request)] if request.cluster.domains > 2 else []
            self.assertEqual(recommend([*found, *copied], request).chosen.name, chosen)
        for domains, most in ((2, 6), (3, 4), (12, 4)):
            request = read_request([f"hosts={domains}", "drives=12x12T"])
            self.assertEqual(max(request.m), most)

    def test_random_arguments(self) -> None:
        """Every word that is accepted gives a plan, also the smallest and largest ones."""
        for number in range(300):
            words = random_words(random.Random(number))
            try:
                request = read_request(words)
            except Refused as refusal:
                self.assertNotIn("\n", str(refusal))
                continue
            counted = [mds_profile(k, m) for k in request.k for m in request.m if not misfit(k + m, m, True, request.cluster)]
            if counted:
                speeds = {counted[0].name: Speeds(*[random.Random(number).choice((1.0, 1e12))] * 3)}
                result = result_of(request, counted, [], speeds, [],
                                   lambda one, own=request: failure_notes(one, own, WITHOUT_CRUSHTOOL))
                printed = " ".join([*program.lines(result, is_verbose=True), json.dumps(to_json(result), allow_nan=False)])
                self.assertNotRegex(printed, r"\b(nan|inf)\b")

    def test_what_matters_most(self) -> None:
        """Each line is what a plan with the changed argument says. AFR is the first; the network is listed if it is the limit."""
        result = result_of(self.request, self.counted, [], {}, [])
        self.assertEqual(result.sensitivity[0].words, "afr=2.8%")
        slow = result_of(read_request([*CLUSTER, "net=10G"]), self.counted, [], {}, [])
        self.assertIn("net=4G", [change.words for change in slow.sensitivity])
        fast = result_of(read_request([*CLUSTER, "net=100G"]), self.counted, [], {}, [])
        self.assertNotIn("net", " ".join(change.words for change in fast.sensitivity))
        for change in result.sensitivity:
            again = read_request([*CLUSTER, change.words])
            now = outcome(result.recommendation.chosen, again)
            self.assertAlmostEqual(now.pool_nines or 0, change.pool_nines, places=6)
            self.assertEqual(recommend([outcome(one, again) for one in self.counted], again).chosen.name, change.chosen)

    def test_at_most_forty_lines(self) -> None:
        """The longest plans, with and without speeds, with and without a line of crushtool that advises more tries."""
        for words, plugin, speeds, tool in itertools.product(
                (["hosts=3", "drives=4x8T"], ["hosts=4", "drives=8x1.92T", "nines=30"], ["hosts=5", "drives=12x10T", "object=64K"],
                 CLUSTER, ["hosts=100", "drives=24x20T"]),
                ("isa", "clay"), (Speeds(10e9, 20e9, 20e9), Speeds()), (WITHOUT_CRUSHTOOL, MORE_TRIES)):
            request = read_request(words)
            counted = [mds_profile(k, m, plugin=plugin) for k in range(2, 11) for m in (2, 3, 4)
                       if not misfit(k + m, m, True, request.cluster)]
            result = result_of(request, [*counted, copies(request)], [], {one.name: speeds for one in counted}, [],
                               lambda one, own=request, its=tool: failure_notes(one, own, its), lambda one: ["only with --verbose"])
            printed = program.lines(result, is_verbose=False)
            self.assertLessEqual(len(printed), 40, "\n".join(printed))
            self.assertLessEqual(max(map(len, printed)), 80, "\n".join(printed))
            self.assertNotIn("- only with --verbose", printed)
            self.assertTrue(any(line.startswith(f"*  {result.recommendation.chosen.name} ") for line in printed))
            names = {one.name for one in shown(result.profiles, result.recommendation)}
            self.assertLessEqual({result.recommendation.chosen.name, "3 copies", *result.recommendation.others}, names)

    def test_commands_are_ceph_s(self) -> None:
        chosen = outcome(self.counted[1], self.request)
        lines = commands(chosen, self.request)
        self.assertEqual([line for line in lines if line[0] != "#"], [
            "ceph osd erasure-code-profile set ec-isa-8-3 plugin=isa k=8 m=3 stripe_unit=16384 crush-failure-domain=host",
            "ceph osd pool create ec-isa-8-3 2048 2048 erasure ec-isa-8-3 --bulk",
            "ceph config set mon mon_osd_down_out_subtree_limit host"])
        undone = next(number for number, line in enumerate(lines) if line.startswith("# Cannot be undone"))
        self.assertEqual([number for number, line in enumerate(lines) if " allow_ec_" in line], [undone + 1, undone + 2])
        self.assertTrue(all(line[0] == "#" for line in lines[undone:]), "who pastes all lines does not run these commands")
        small = read_request(["hosts=4", "drives=8x16T", "release=squid"])
        for command in commands(outcome(mds_profile(4, 2), small), small):
            lines = folded(command).splitlines()
            self.assertFalse(command[0] == "#" and len(lines) > 1, "the rest of a comment would be a command")
            self.assertLessEqual(max(map(len, lines)), 76)
            again = [" ".join(word.split()) for word in shlex.split("\n".join(lines).replace("\\\n", ""), comments=True)]
            self.assertEqual(again, shlex.split(command, comments=True))
        odd = dataclasses.replace(self.counted[4], stripe_units=(18144,))
        self.assertTrue(commands(outcome(odd, self.request), self.request)[0].endswith(
            "stripe_unit=18144 crush-failure-domain=host --force"))
        for fast_ec, release, said in ((True, "tentacle", "only if all OSDs run tentacle 20.2.1 or later:"),
                                       (True, "vampire", "only if all OSDs run vampire or later:"), (False, "squid", "")):
            request = read_request([*CLUSTER, f"release={release}"])
            text = " ".join(commands(outcome(dataclasses.replace(self.counted[1], fast_ec=fast_ec), request), request))
            self.assertIn(said, text)
            self.assertEqual("optimizations" in text, fast_ec)

    def test_tables_have_a_line_for_each_profile(self) -> None:
        counted = [*self.counted, dataclasses.replace(mds_profile(8, 3, plugin="jerasure"), stored=(1.5,))]
        result = result_of(self.request, counted, [], {"isa 8+3": Speeds(10e9, 20e9, 20e9, marked=True, crc32c=0.1e-9)}, [])
        for table in tables(result):
            self.assertEqual(sorted(line[1] for line in table.lines[1:]), sorted(one.name for one in counted))
            self.assertEqual({len(line) for line in table.lines}, {len(table.lines[0])})
        cells = next(line for line in tables(result)[2].lines if line[1] == "isa 8+3")
        line_rate = "0.62+0.16"  # cores that write 3.125 GB/s, and that rebuild what is received at this rate (1/8 of it)
        self.assertEqual(cells[2:8], ["10.0!", "2.00", "50", line_rate, "20.0!", "20.0!"])
        self.assertIsNone(Speeds(10e9).code_percent, "without a CRC32C")
