"""Tests the model of `bench.sh plan`: durability, the time of a rebuild and its bottleneck, the bytes that each Ceph release
stores, and the recommendation."""

import dataclasses
import itertools
import math
import random
import shlex
import unittest
from collections.abc import Iterable

from ecbench.ceph.crush import Crushtool
from ecbench.ceph.placement import layout_of, placement_groups, targets_of_drive, verdict
from ecbench.ceph.profile import by_fast_ec, padded, recoverable, stored_bytes
from ecbench.ceph.releases import PLUGINS, RELEASES
from ecbench.plan import program
from ecbench.plan.chain import Chain, nines, probability
from ecbench.plan.failures import notes
from ecbench.plan.outcomes import Outcome, outcome
from ecbench.plan.profiles import Counted, LossCount, Profile, Repair, copies, misfit, repair_of
from ecbench.plan.recommendation import commands, folded, passed_over, recommend, rules_of
from ecbench.plan.request import nines_text, read_request
from ecbench.plan.result import result_of
from ecbench.plan.speeds import Speeds
from ecbench.plan.tables import short_table, tables
from ecbench.point.description import Reads
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

CLUSTER = ["hosts=12", "drives=24x20T"]
WITHOUT_CRUSHTOOL = Crushtool(Child())
WITHOUT_CRUSHTOOL.program = None


class MoreTries(Crushtool):
    """Finds more drives with more tries."""

    def __init__(self) -> None:
        super().__init__(Child())
        self.program = "crushtool"

    def incomplete(self, text: str, n: int, out: Iterable[int] = ()) -> int:
        return 29_999 if "set_choose_tries 100\n" in text else 10_001


def mds(n: int, k: int) -> list[float]:
    """Chain.recoverable for a code that recovers every loss of up to n-k chunks."""
    return [1.0] * (n - k + 1)


def mds_profile(k: int, m: int, network: float | None = None, plugin: str = "isa", hosts_free: bool = True) -> Counted:
    """Makes the counts that ecbench would print for a code that recovers every loss of m chunks."""
    n = k + m
    losses = tuple(LossCount(lost, math.comb(n, lost), math.comb(n, lost), 0) for lost in range(1, m + 1))
    profile = Profile(f"{plugin} {k}+{m}", plugin, "reed_sol_van", (("k", str(k)), ("m", str(m))), k, n)
    sent = k if network is None else network
    return Counted(profile, losses, Repair(sent, sent, sent, k, 1), (n / k,), (16384,), fast_ec=plugin == "isa")


def drive_hours(hosts: int, drives: str, *words: str, k: int = 8, m: int = 3) -> float:
    found = outcome(mds_profile(k, m), read_request([f"hosts={hosts}", f"drives={drives}", *words])).drive
    assert found is not None
    return found.seconds / 3600


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


def window_probability(n: int, k: int, afr: float, days: float) -> float:
    """Backblaze's formula for the probability of data loss in a year. It divides the year into windows of `days` days, the duration
    of a repair. Data is lost if more than n-k of the n drives fail in one window."""
    share = afr * days / 365
    one = sum(math.comb(n, lost) * share**lost * (1 - share)**(n - lost) for lost in range(n - k + 1, n + 1))
    return -math.expm1(365 / days * math.log1p(-one))


class ChainTest(unittest.TestCase):
    def test_backblazes_example(self) -> None:
        """Backblaze's example has k=17 and m=3, an AFR of 0.405 %, and repairs of 6.5 days. Backblaze counts failures in windows of
        6.5 days, and gets 11 nines. The Markov chain gives m+1 = 4 times as many losses as Backblaze. If only one chunk is repaired
        at a time, the chain gives m! = 6 times as many losses as with parallel repairs."""
        self.assertAlmostEqual(window_probability(20, 17, 0.00405, 6.5) / 7.4e-12, 1, delta=0.01)
        self.assertEqual(int(nines(window_probability(20, 17, 0.00405, 6.5))), 11)
        parallel, serial = (Chain(20, mds(20, 17), 0.00405, 6.5 / 365, is_parallel).losses_per_year()
                            for is_parallel in (True, False))
        self.assertAlmostEqual(parallel / 2.9e-11, 1, delta=0.02)
        self.assertAlmostEqual(serial / 1.8e-10, 1, delta=0.03)

    def test_three_copies_against_the_textbook(self) -> None:
        """With one repair at a time, the mean time to data loss is MTTF^3 / (n (n-1) (n-2) MTTR^2). If two lost copies are repaired
        at the same time, the mean time to data loss is twice as long."""
        mttf, mttr = 100.0, 1 / 365
        textbook = mttf**3 / (3 * 2 * 1 * mttr**2)
        self.assertAlmostEqual(Chain(3, mds(3, 1), 1 / mttf, mttr, is_parallel=False).years_to_loss() / textbook, 1, delta=0.001)
        self.assertAlmostEqual(Chain(3, mds(3, 1), 1 / mttf, mttr).years_to_loss() / textbook, 2, delta=0.001)

    def test_two_copies_exactly(self) -> None:
        """With the failure rate a and the repair rate u, the mean time to data loss is exactly (3 a + u) / (2 a^2)."""
        rate, repair = 0.7, 0.3
        years = Chain(2, mds(2, 1), rate, repair).years_to_loss()
        self.assertAlmostEqual(years, (3 * rate + 1 / repair) / (2 * rate**2), places=12)

    def test_small_probabilities_keep_their_digits(self) -> None:
        """With the failure rate a and short repairs of time T, the losses per year approach n!/(k-1)!/m! a^(m+1) T^m."""
        rate, repair = 1e-6, 1e-6
        for k, m in ((8, 3), (10, 6)):
            limit = math.factorial(k + m) / math.factorial(k - 1) / math.factorial(m) * rate**(m + 1) * repair**m
            self.assertAlmostEqual(Chain(k + m, mds(k + m, k), rate, repair).losses_per_year() / limit, 1, delta=1e-9)
        self.assertEqual(nines(Chain(60, mds(60, 4), 1e-9, 1e-9).losses_per_year()), 300)

    def test_recoverable_larger_losses_help_in_proportion(self) -> None:
        one, all_of_them = (Chain(8, [1, 1, 1, share], 0.01, 1e-6).losses_per_year() for share in (0.75, 1))
        two = Chain(8, [1, 1, 1], 0.01, 1e-6).losses_per_year()
        self.assertAlmostEqual(one / two, 0.25, delta=1e-4)
        self.assertLess(all_of_them, one * 1e-3)

    def test_probabilities(self) -> None:
        self.assertAlmostEqual(probability(1e-20) / 1e-20, 1)
        self.assertAlmostEqual(probability(2), 1 - math.exp(-2))
        self.assertAlmostEqual(nines(1e-11), 11)
        self.assertEqual([nines_text(value) for value in (10.97, nines(1e-11), nines(1.0))], ["10.9", "11.0", "0.0"])

    def test_shares_of_samples_may_rise(self) -> None:
        rising, same = (Chain(20, [1, 0.999, share], 0.01, 1e-4).losses_per_year() for share in (1, 0.999))
        self.assertEqual(rising, same)
        self.assertGreater(rising, 0)


class StoredSizeTest(unittest.TestCase):
    def test_a_small_object(self) -> None:
        """Ceph's example: an object of 4 KiB with k=4, m=2 and chunks of 16 KiB."""
        self.assertEqual(by_fast_ec(4096, 4, 6, 16384), 12 << 10)
        self.assertEqual(padded(4096, 4, 6, 16384), 96 << 10)

    def test_whole_stripes_are_the_same(self) -> None:
        for size in (64 << 10, 4 << 20):
            self.assertEqual(by_fast_ec(size, 4, 6, 16384), padded(size, 4, 6, 16384))
            self.assertEqual(padded(size, 4, 6, 16384), size * 3 // 2)

    def test_coding_chunks_are_as_long_as_the_longest_data_chunk(self) -> None:
        self.assertEqual(by_fast_ec(20480, 4, 6, 16384), (16 + 4 + 2 * 16) << 10)
        self.assertEqual(by_fast_ec((64 << 10) + 1, 4, 6, 16384), (96 + 4 + 2 * 4) << 10)

    def test_allocation_units(self) -> None:
        self.assertEqual(stored_bytes(4096, 4, 6, 16384, fast_ec=True, min_alloc=65536), 3 * 65536)
        self.assertEqual(stored_bytes(4096, 4, 6, 4096, fast_ec=False, min_alloc=16384), 6 * 16384)
        self.assertEqual(stored_bytes(4 << 20, 4, 6, 16384, fast_ec=True, min_alloc=65536), 6 << 20)

    def test_releases(self) -> None:
        self.assertFalse(RELEASES["squid"].uses_fast_ec("isa", "reed_sol_van", 16384))
        self.assertTrue(RELEASES["tentacle"].uses_fast_ec("isa", "reed_sol_van", 16384))
        self.assertTrue(RELEASES["tentacle"].uses_fast_ec("isa", "cauchy", 16384), "ceph PR 65016")
        self.assertFalse(RELEASES["tentacle"].uses_fast_ec("clay", "reed_sol_van", 16384))
        self.assertFalse(RELEASES["tentacle"].uses_fast_ec("isa", "reed_sol_van", 1024), "1024 bytes are not a whole page")
        self.assertEqual([plugin for plugin in PLUGINS if not RELEASES["vampire"].status_of(plugin, "reed_sol_van")],
                         ["isa", "jerasure", "lrc"])


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
        for words, expected in ((["drives=24x20T"], "hosts is missing"), (["hosts=12"], "drives is missing"),
                                ([*CLUSTER, "net=25Gbit"], "net=25Gbit is not allowed"), ([*CLUSTER, "afr=1.4"], "afr=1.4%"),
                                ([*CLUSTER, "afr=0%"], "more than 0 %"), ([*CLUSTER, "recovery-share=101%"], "at most 100 %"),
                                (["hosts=12", "drives=24"], "drives=24x20T"), (["hosts=12", "drives=0x20T"], "drives=0x20T"),
                                (["hosts=12", "drives=24x20TiB"], "24x20TiB"), ([*CLUSTER, "drive-rate="], "drive-rate"),
                                ([*CLUSTER, "net=0"], "net=0 is not allowed"), ([*CLUSTER, "net=1,2"], "give one value"),
                                ([*CLUSTER, "failure-domain=rack"], "racks= is missing"), ([*CLUSTER, "racks=3"],
                                                                                           "failure-domain=rack"),
                                ([*CLUSTER, "failure-domain=rack", "racks=5"], "must divide the number of hosts"),
                                ([*CLUSTER, "failure-domain=zone", "zones=12"], "each zone has one host; give failure-domain=host"),
                                (["hosts=4", "drives=24x20T", "k=10", "m=2"], "more than m chunks"),
                                ([*CLUSTER, "failure-domain=row"], "failure-domain=row"), ([*CLUSTER, "drive-type=tape"], "hdd"),
                                ([*CLUSTER, "drive-seek=8"], "drive-seek=8ms"), ([*CLUSTER, "deep-scrub=7"], "deep-scrub=7d"),
                                ([*CLUSTER, "max-backfills=0"], "at least 1"), ([*CLUSTER, "max-backfills=101"], "1 to 100"),
                                *(([*CLUSTER, word], "out of range") for word in ("m=257", "k=1..300", "l=999999999999999999T",
                                                                                  "c=300", "stripe-unit=1G", "cores=1000000")),
                                *((["hosts=12", f"drives={each}"], f"drives={each}") for each in (
                                    "24x20", "24x999M", "24x1001T", "10001x1T")),
                                *(([*CLUSTER, word], word) for word in ("net=999K", "net=25", "drive-rate=200")),
                                *(([*CLUSTER, f"device-class={each}"], each) for each in ("hdd;ssd", "hdd'", "")),
                                ([*CLUSTER, "k=1..200", "m=1..6"], "1200 combinations"),
                                ([*CLUSTER, "object=1..200"], "200 combinations"),
                                ([*CLUSTER, "NVMe"], "did you mean drive-type=nvme?"), ([*CLUSTER, "clay"], "plugin=clay"),
                                ([*CLUSTER, "Squid"], "release=squid"),
                                ([*CLUSTER, "uer=1"], "uer=1e-15"),
                                ([*CLUSTER, "min-alloc=5K"], "4K, 8K"), ([*CLUSTER, "csum-block=1M"], "csum-block=1048576"),
                                ([*CLUSTER, "space=0"], "space=0"), ([*CLUSTER, "object=4M,1G"], "object=1G"),
                                ([*CLUSTER, "nines=x"], "nines=x"), ([*CLUSTER, "release=argonaut"], "release=argonaut"),
                                ([*CLUSTER, "release=vampire", "plugin=clay"], "Ceph vampire cannot load it"),
                                ([*CLUSTER, "hostz=3"], "did you mean hosts?"), (["hosts=100001", "drives=1x1T"], "hosts=100001")):
            with self.subTest(words=words), self.assertRaises(Refused) as refused:
                read_request(words)
            self.assertIn(expected, str(refused.exception))
            self.assertNotIn("\n", str(refused.exception))

    def test_a_device_class_has_the_rates_of_its_drives(self) -> None:
        for words, rate in (([], 200e6), (["device-class=hdd"], 200e6), (["device-class=ssd"], 500e6), (["device-class=nvme"], 3e9),
                            (["device-class=ssd", "drive-type=nvme"], 3e9), (["device-class=archive"], 200e6),
                            (["device-class=ssd", "drive-rate=1G"], 1e9)):
            with self.subTest(words=words):
                self.assertEqual(read_request([*CLUSTER, *words]).cluster.drive_rate, rate)


class Rebuilds(unittest.TestCase):
    def test_eight_plus_three_by_hand(self) -> None:
        """The example in docs/plan.md. The other drives of the host write the chunks of the lost drive, each at 60 MB/s."""
        for hosts, drives, hours in ((12, 24, 4.0), (14, 12, 8.4), (100, 24, 4.0)):
            with self.subTest(hosts=hosts, drives=drives):
                found = drive_hours(hosts, f"{drives}x20T")
                self.assertAlmostEqual(found, 20e12 / ((drives - 1) * 60e6) / 3600)
                self.assertEqual(f"{found:.1f}", f"{hours:.1f}")

    def test_drives_that_write_and_read(self) -> None:
        """Cluster, k, m (k=1: copies) → seconds x 60 MB/s / bytes of a drive. With three hosts, a copy must stay on its host. Of
        nine chunks, three on each host, two of the eight others are on the host of the drives that write."""
        for hosts, drives, k, m, expected in ((3, 4, 1, 2, 1 / 3), (3, 8, 1, 2, 1 / 7), (4, 2, 1, 2, 1 / 2.1),
                                              (3, 4, 5, 4, (1 + 5 * 2 / 8) / 3), (4, 8, 5, 4, (1 + 5 * 2 / 8) / 7),
                                              (4, 8, 4, 2, (1 + 4 / 5) / 7), (12, 24, 8, 3, 1 / 23)):
            with self.subTest(hosts=hosts, drives=drives, k=k):
                request = read_request([f"hosts={hosts}", f"drives={drives}x8T"])
                found = outcome(mds_profile(k, m) if k > 1 else copies(request), request).drive
                assert found is not None
                self.assertAlmostEqual(found.limits["recovery-share"] * 60e6 / 8e12, expected)

    def test_a_host(self) -> None:
        """The drives of the other hosts read eight bytes and write one byte per lost byte. Some other chunks are copied."""
        found = outcome(mds_profile(8, 3), read_request(CLUSTER)).host
        assert found is not None
        others = 0.5 * (11 / 12)**3
        self.assertAlmostEqual(found.seconds, 24 * 20e12 * (9 + 2 * others) / (11 * 24 * 60e6), places=3)

    def test_a_host_with_several_chunks_of_an_object(self) -> None:
        """Cluster, k, m → bytes that the other drives read and write per lost byte, drives, and lost chunks of a group. The other
        chunks of an object are read once. 8+3 has 3, 3, 3 and 2 chunks on its four hosts. In a rack of 8 drives, 4 of 56 choices
        of 3 drives have none on a host of 4; the rack's other host writes all, and reads a quarter."""
        rack = 3 / 2 / (1 - 4 / 56)
        for words, k, m, load, drives in (
                (["hosts=5", "drives=12x10T"], 8, 3, 2 + 8 / (11 / 4), 48), (["hosts=4", "drives=8x10T"], 4, 2, 2 + 4 / 2, 24),
                (["hosts=4", "drives=8x10T"], 5, 4, 2 + 5 / 3, 24),
                (["hosts=6", "drives=4x10T", "failure-domain=rack", "racks=3"], 5, 4, 1 + 5 / rack / 4, 4)):
            with self.subTest(words=words, k=k):
                request = read_request(words)
                found = outcome(mds_profile(k, m, plugin="clay", network=m), request).host
                assert found is not None
                self.assertAlmostEqual(found.limits["recovery-share"], found.lost_bytes * load / (drives * 60e6), places=3)

    def test_a_chunk_of_a_placement_group_is_written_by_one_drive(self) -> None:
        """With failure domain osd, 2399 drives write. A chunk of a placement group has 267 GB, which one drive writes in 1.2 h."""
        request = read_request(["hosts=100", "drives=24x20T", "failure-domain=osd"])
        found = outcome(mds_profile(8, 3), request).drive
        assert found is not None
        groups = placement_groups(11, request.cluster)
        self.assertAlmostEqual(found.limits["recovery-share"], 2400 * 20e12 / (groups * 11) / 60e6, places=3)
        self.assertGreater(found.seconds, 20e12 * 9 / (2399 * 60e6))

    def test_the_limit_is_named(self) -> None:
        def drive(*words: str) -> tuple[str, float]:
            found = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words]), Speeds(repair=20e9)).drive
            assert found is not None
            return found.limit, found.seconds

        self.assertEqual(drive("net=25G")[0], "recovery-share")
        self.assertEqual(drive("net=25G")[1], drive("net=100G")[1],
                         "a faster network must not help, because the drives are the limit")
        self.assertEqual(drive("net=100G", "recovery-share=100%", "max-backfills=9", "object=8M")[0], "drive")
        self.assertEqual(drive("net=100G", "recovery-share=100%")[0], "osd_max_backfills")
        self.assertEqual(drive("net=1G")[0], "network")
        self.assertAlmostEqual(drive("net=1G")[1], 20e12 / 125e6, msg="one host receives all chunks")
        self.assertAlmostEqual(drive_hours(12, "24x20T", "net=1G", k=16, m=3), 16 / 12 * 20e12 / 125e6 / 3600,
                               msg="the hosts send 16 chunks")
        self.assertEqual(drive("drive-rate=10G", "net=400G", "cores=1", "recovery-share=100%", "drive-type=nvme")[0], "CPU")

    def test_small_objects_are_rebuilt_slowly(self) -> None:
        """osd_max_backfills=1: a drive takes 3 objects at a time, each after one read and one write."""
        for words, chunk, seek, rate, active in ((["object=4M"], 524288, 8e-3, 200e6, 3), (["object=64K"], 8192, 8e-3, 200e6, 3),
                                                 (["object=64K", "drive-type=ssd", "net=400G"], 8192, 10e-6, 500e6, 10)):
            with self.subTest(words=words):
                found = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words])).drive
                assert found is not None
                allowed = active * chunk / (2 * (seek + chunk / rate))
                self.assertAlmostEqual(found.limits["osd_max_backfills"], 20e12 / 23 / allowed, delta=1)
                self.assertEqual(found.limit, "osd_max_backfills" if allowed < 0.3 * rate else "recovery-share")
                twice = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words, "max-backfills=2"])).drive
                assert twice is not None
                self.assertAlmostEqual(twice.limits["osd_max_backfills"], found.limits["osd_max_backfills"] / 2, delta=1)

    def test_an_osd_writes_few_small_objects(self) -> None:
        """At most osd_mclock_max_capacity_iops_ssd (21,500) per second, also on a drive of 3 GB/s."""
        request = read_request(["hosts=8", "drives=10x8T", "drive-type=nvme", "net=400G", "object=4K"])
        found = outcome(mds_profile(4, 2), request).drive
        assert found is not None
        self.assertEqual(found.limit, "operations")
        self.assertAlmostEqual(found.seconds, 8e12 / 9 / (21_500 * 4096), places=3)

    def test_no_free_host(self) -> None:
        full = outcome(mds_profile(8, 4), read_request(CLUSTER))
        self.assertEqual((full.layout.spare, full.host), (0, None))
        one_drive = outcome(mds_profile(8, 4), read_request(["hosts=12", "drives=1x20T"]))
        self.assertEqual((one_drive.drive, one_drive.object_nines), (None, None))

    def test_reads_of_sub_chunks_take_longer_on_hard_drives(self) -> None:
        """The article "Costs and benefits" (4+2): clay reads 41 % less than jerasure and recovers 15 % more slowly. The reads are
        those that --show-reads prints for clay 4+2 with a stripe unit of 32K."""
        def busy(kind: str, unit: int, stripes: int) -> float:
            answers = [Reads(chunks_read=5, network_factor=3, reads_per_helper=1, block_factor=2.5, block_reads_per_helper=reads)
                       for reads in (1, 1, 2, 2, 4, 4)]
            return repair_of(answers, unit, stripes, read_request([*CLUSTER, f"drive-type={kind}"]).cluster).busy

        self.assertAlmostEqual(busy("hdd", 32 << 10, 32), 5, delta=0.1)
        self.assertLess(busy("hdd", 1 << 20, 1), 4, "with one stripe, clay reads few large pieces")
        self.assertLess(busy("nvme", 128 << 10, 8), 4)
        clay = dataclasses.replace(mds_profile(4, 2, 3), repair=Repair(2.5, busy("hdd", 32 << 10, 32), 3, 5, 2.3))
        request = read_request(["hosts=9", "drives=12x4T"])
        rs, its = outcome(mds_profile(4, 2), request).host, outcome(clay, request).host
        assert rs is not None and its is not None
        self.assertGreater(its.seconds, 1.1 * rs.seconds)
        self.assertLess(clay.repair.drive, rs.lost_bytes and 4)

    def test_placement_groups_are_a_power_of_two(self) -> None:
        self.assertEqual(placement_groups(11, read_request(CLUSTER).cluster), 2048)
        many = read_request(["hosts=1000", "drives=60x20T"]).cluster
        self.assertEqual(placement_groups(6, many), 65536, "mon_max_pool_pg_num")


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
                with self.subTest(hosts=hosts, rest=rest, k=k, m=m):
                    one, two = (outcome(mds_profile(k, m), read_request([f"hosts={times * int(hosts[6:])}",
                                                                         *rest])) for times in (1, 2))
                    self.assertLessEqual(two.pool_nines or 0, (one.pool_nines or 0) + 1e-9)

    def test_doubling_the_failure_rate(self) -> None:
        """m+1 drives fail in a loss of drives, m in a loss of sectors."""
        for words in self.requests():
            for k, m in ((4, 2), (5, 3), (4, 4)):
                one, two = (outcome(mds_profile(k, m), read_request([*words, f"afr={afr}%"])).object_losses for afr in (0.5, 1))
                assert one is not None and two is not None
                self.assertAlmostEqual(two.drives / one.drives / 2**(m + 1), 1, delta=0.05)
                self.assertAlmostEqual(two.sectors / one.sectors / 2**m, 1, delta=0.05)

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
        counted = [*(mds_profile(k, m) for k in (4, 6, 8, 9) for m in (2, 3)), mds_profile(8, 3, 4, "clay"), copies(request)]
        first = result_of(request, counted, [], {}, [])
        for _ in range(10):
            generator.shuffle(counted)
            other = result_of(request, counted, [], {}, [])
            self.assertEqual((other.recommendation, other.profiles, short_table(other)),
                             (first.recommendation, first.profiles, short_table(first)))


class Sectors(unittest.TestCase):
    def test_the_rate_by_hand(self) -> None:
        """After m losses, the k chunks that a repair reads have no redundancy."""
        request = read_request([*CLUSTER, "uer=1e-15"])
        found = outcome(mds_profile(8, 3), request)
        assert found.drive is not None and found.pool_losses is not None
        years = (600 + found.drive.seconds) / (365 * 24 * 3600)
        bits = 8 * 8 * 288 * 20e12 / (2048 * 11)
        self.assertAlmostEqual(found.pool_losses.sectors / (2048 * 11 * 10 * 9 * 0.014**3 * years**2 / 2 * bits * 1e-15), 1,
                               delta=0.02)

    def test_the_interval_of_deep_scrubs(self) -> None:
        """Unreadable bits are proportional to the time since the last deep scrub."""
        week, month = (outcome(mds_profile(8, 3), read_request([*CLUSTER, *words])).object_losses
                       for words in ([], ["deep-scrub=28d"]))
        assert week is not None and month is not None
        self.assertAlmostEqual(month.sectors / week.sectors, 4, delta=0.01)
        self.assertEqual(month.drives, week.drives)

    def test_they_dominate_the_pool_but_not_the_object(self) -> None:
        found = outcome(mds_profile(8, 3), read_request(CLUSTER))
        assert found.pool_losses is not None and found.object_losses is not None
        self.assertGreater(found.pool_losses.sectors, 100 * found.pool_losses.drives)
        self.assertLess(found.object_losses.sectors, found.object_losses.drives)
        ten = outcome(mds_profile(8, 3), read_request([*CLUSTER, "uer=1e-14"]))
        self.assertAlmostEqual((found.pool_nines or 0) - (ten.pool_nines or 0), 1, delta=0.1)


class SmallClusters(unittest.TestCase):
    def outcome(self, words: list[str], k: int, m: int) -> Outcome:
        return outcome(mds_profile(k, m), read_request(words))

    def test_losses_that_the_data_survives_by_enumeration(self) -> None:
        """Every loss of `domains_survived` hosts leaves at least k chunks; some loss of one more host does not."""
        for k, m, hosts in itertools.product((2, 3, 4, 8), (2, 3, 4), (3, 4, 5, 6)):
            cluster = read_request([f"hosts={hosts}", "drives=8x1T"]).cluster
            if misfit(k + m, m, True, cluster):
                continue
            found = self.outcome([f"hosts={hosts}", "drives=8x1T"], k, m)
            of_host = [chunk // found.layout.per_domain for chunk in range(k + m)]

            left = [min(sum(host not in gone for host in of_host) for gone in itertools.combinations(range(found.layout.used),
                                                                                                     lost))
                    for lost in range(found.domains_survived + 2)]
            self.assertGreaterEqual(left[found.domains_survived], k)
            self.assertLess(left[-1], k)
            self.assertGreaterEqual(left[found.domains_served], k + 1, "min_size is k+1")

    def test_min_size_counts_chunks(self) -> None:
        """lrc 4/2/3 loses data with some pairs, but with one of 8 chunks lost, it has more than k+1."""
        losses = tuple(LossCount(lost, math.comb(8, lost), math.comb(8, lost), lost > 1) for lost in (1, 2, 3, 4))
        lrc = Counted(Profile("lrc 4/2/3", "lrc", "", (), 4, 8), losses, Repair(3, 3, 3, 3, 1), (2.0,), (16384,), False)
        found = outcome(lrc, read_request(CLUSTER))
        self.assertEqual((found.domains_survived, found.domains_served), (1, 1))

    def test_when_a_host_is_kept_in(self) -> None:
        """mon_osd_down_out_subtree_limit=host also stops the rebuild of a drive that is the only one of its host."""
        for hosts, drives, kept in ((6, 4, True), (7, 4, True), (8, 4, False), (7, 1, False), (6, 1, True), (3, 4, False)):
            with self.subTest(hosts=hosts, drives=drives):
                request = read_request([f"hosts={hosts}", f"drives={drives}x8T"])
                found = outcome(mds_profile(4, 2), request)
                self.assertEqual("ceph config set mon mon_osd_down_out_subtree_limit host" in commands(found, request), kept)
                said = " ".join(notes(found, request, WITHOUT_CRUSHTOOL))
                self.assertEqual("mon_osd_down_out_subtree_limit" in said, kept)

    def test_a_failed_host_in_a_rack(self) -> None:
        """Hosts, drives, racks, k, m (k=1: copies) → where the host is rebuilt. With two drives in each of two hosts, a rack with
        three chunks has too few left."""
        for hosts, drives, racks, k, m, where in (
                (6, 2, 3, 5, 4, "not rebuilt until it is replaced"), (9, 2, 3, 5, 4, "on the other hosts of its rack."),
                (12, 2, 6, 4, 2, "on the other hosts of its rack."), (24, 12, 8, 1, 2, "on the other hosts."),
                (9, 2, 3, 1, 2, "on the other hosts of its rack.")):
            with self.subTest(hosts=hosts, drives=drives, k=k):
                request = read_request([f"hosts={hosts}", f"drives={drives}x8T", "failure-domain=rack", f"racks={racks}"])
                found = outcome(mds_profile(k, m) if k > 1 else copies(request), request)
                said = notes(found, request, WITHOUT_CRUSHTOOL)
                self.assertEqual([where in note for note in said if note.startswith("A failed host")], [True])
                self.assertEqual(found.host is None, "not rebuilt" in where)

    def test_more_tries_are_advised_only_if_they_help(self) -> None:
        """crush_test.py compares such counts with crushtool."""
        for found, again, advised in (((0, 0, 0), (0, 0, 0), ""), ((0, 0, 13), (0, 0, 0), ": host out 0"),
                                      ((9, 9), (0, 0), ": all in 0, drive out 0"), ((0, 0, 30_000), (0, 0, 30_000), "")):
            one, two = (dict(zip(("all in", "drive out", "host out"), counts)) for counts in (found, again))
            self.assertEqual(verdict(one, two).partition("; with set_choose_tries 1000")[2], advised)

    def test_how_full_drives_may_be(self) -> None:
        """Backfills stop at 90 %, and Ceph warns at 85 %. The lost chunks go to the rest of the host, or to other hosts. The
        fullest drive has 6 % more than the mean."""
        for words, share in ((CLUSTER, 0.9 * 11 / 12), (["hosts=11", "drives=4x8T"], 0.9 * 3 / 4), (["hosts=100", "drives=24x20T"],
                                                                                                    0.85),
                             (["hosts=36", "drives=4x8T", "failure-domain=rack", "racks=12"], 0.9 * 2 / 3)):
            request = read_request(words)
            found = outcome(mds_profile(8, 3), request)
            self.assertAlmostEqual(found.full, share / 1.06)
            # Copies: a drive of the rack takes 1 / 41 of those of a host (8 drives of the rack, 0.55 of the 9 * 12 in free racks).
            copied = outcome(copies(request), request)
            if request.cluster.failure_domain == "rack":
                self.assertAlmostEqual(copied.full, min(0.85, 0.9 / (1 + 4 / (8 + 0.55 * 9 * 12))) / 1.06)
            self.assertAlmostEqual(found.usable, share / 1.06 * request.cluster.all_drives * request.cluster.drive_bytes * 8 / 11)

    def test_what_does_not_fit(self) -> None:
        cluster = read_request(["hosts=4", "drives=8x16T"]).cluster
        self.assertIn("survives only the loss of 2", misfit(10, 2, True, cluster))
        self.assertEqual(misfit(6, 2, True, cluster), "")
        for hosts, drives, n, m, fits in ((3, 2, 9, 4, False), (5, 3, 11, 3, False), (5, 4, 11, 3, True), (4, 2, 5, 3, False),
                                          (4, 1, 4, 2, True)):
            small = read_request([f"hosts={hosts}", f"drives={drives}x16T", "k=2", "m=2"]).cluster
            self.assertEqual(misfit(n, m, True, small), "" if fits else
                             f"{math.ceil(n / hosts)} of its {n} chunks are on one host of {drives} drives, so no drive is left "
                             "for a rebuild")
            self.assertEqual(targets_of_drive(layout_of(n, small), small, is_replicated=False) is not None,
                             fits and (drives > 1 or n < hosts))


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


class Recommendations(unittest.TestCase):
    def setUp(self) -> None:
        self.request = read_request(CLUSTER)
        self.counted = [mds_profile(8, 2), mds_profile(8, 3), mds_profile(7, 3), mds_profile(8, 4),
                        mds_profile(8, 3, 4, "clay")]

    def recommended(self, *words: str) -> str:
        request = read_request([*CLUSTER, *words])
        return recommend([outcome(one, request) for one in [*self.counted, copies(request)]], request).chosen.name

    def test_stores_least_of_the_profiles_that_are_durable_enough(self) -> None:
        self.assertEqual(self.recommended(), "isa 8+3")
        self.assertEqual(self.recommended("nines=8"), "isa 8+2")
        self.assertEqual(self.recommended("nines=9.5"), "isa 8+3", "8+2 has 9.6 nines, but not with the margin")
        self.assertEqual(self.recommended("space=1.3"), "isa 8+2")
        self.assertEqual(self.recommended("nines=30"), "isa 7+3", "a plugin that Ceph removes, or no free host, was recommended")

    def test_the_margin(self) -> None:
        """The recommendation holds if AFR and rebuild time are both 1.5 times as large."""
        for words in Properties().requests():
            request = read_request(words)
            chosen = recommend([outcome(one, request) for one in self.counted], request).chosen
            if (chosen.margin_nines or 0) < 11:
                continue
            worse = read_request([*words, "afr=2.1%", "drive-rate=133.333M"])
            worse = dataclasses.replace(worse, cluster=dataclasses.replace(worse.cluster, net=request.cluster.net / 1.5))
            self.assertGreaterEqual(outcome(chosen.counted, worse).object_nines or 0, 11)

    def test_never_as_much_as_three_copies(self) -> None:
        small = dataclasses.replace(mds_profile(5, 3), stored=(32.0,))
        request = read_request([*CLUSTER, "object=4K"])
        found = recommend([outcome(one, request) for one in (small, mds_profile(8, 2))], request)
        self.assertEqual(found.chosen.name, "isa 8+2")
        self.assertNotIn("isa 5+3", " ".join(found.changes))

    def test_one_chunk_on_each_host_is_preferred(self) -> None:
        """7+3 stores less than 4+2, but seven hosts need MSR rules for it."""
        request = read_request(["hosts=7", "drives=10x8T", "nines=8"])
        found = recommend([outcome(mds_profile(k, m), request) for k, m in ((7, 3), (4, 2))], request)
        self.assertEqual(found.chosen.name, "isa 4+2")

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
            with self.subTest(words=words, shapes=shapes):
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
            with self.subTest(words=words, shapes=shapes):
                request = read_request(words)
                found = [outcome(mds_profile(k, m), request) for k, m in shapes]
                copied = [outcome(copies(request), request)] if request.cluster.domains > 2 else []
                self.assertEqual(recommend([*found, *copied], request).chosen.name, chosen)
        for domains, most in ((2, 6), (3, 4), (12, 4)):
            request = read_request([f"hosts={domains}", "drives=12x12T"])
            self.assertEqual(max(request.m), most)

    def test_random_arguments(self) -> None:
        """Every word that is accepted gives a plan, also the smallest and largest ones."""
        for number in range(100):
            words = random_words(random.Random(number))
            with self.subTest(seed=number, words=" ".join(words)):
                try:
                    request = read_request(words)
                except Refused as refusal:
                    self.assertNotIn("\n", str(refusal))
                    continue
                counted = [mds_profile(k, m) for k in request.k for m in request.m if not misfit(k + m, m, True, request.cluster)]
                if counted:
                    speeds = {counted[0].profile.name: Speeds(*[random.Random(number).choice((1.0, 1e12))] * 3)}
                    result = result_of(request, counted, [], speeds, [],
                                       lambda one, own=request: notes(one, own, WITHOUT_CRUSHTOOL))
                    printed = " ".join([*program.lines(result, is_verbose=True), program.text(result)])
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
            now = outcome(result.recommendation.chosen.counted, again)
            self.assertAlmostEqual(now.pool_nines or 0, change.pool_nines, places=6)
            self.assertEqual(recommend([outcome(one, again) for one in self.counted], again).chosen.name, change.chosen)

    def test_at_most_forty_lines(self) -> None:
        """The longest plans, with and without speeds, with and without a line of crushtool that advises more tries."""
        for words, plugin, speeds, tool in itertools.product(
                (["hosts=3", "drives=4x8T"], ["hosts=4", "drives=8x16T"], ["hosts=4", "drives=8x1.92T", "nines=30"],
                 ["hosts=5", "drives=12x10T", "object=64K"], CLUSTER, ["hosts=100", "drives=24x20T"]),
                ("isa", "jerasure", "clay"), (Speeds(10e9, 20e9, 20e9), Speeds()), (WITHOUT_CRUSHTOOL, MoreTries())):
            request = read_request(words)
            counted = [one for k in range(2, 11) for m in (2, 3, 4) for one in [mds_profile(k, m, plugin=plugin)]
                       if not misfit(k + m, m, True, request.cluster)]
            known = {one.profile.name: speeds for one in counted}
            result = result_of(request, [*counted, copies(request)], [], known, [],
                               lambda one, own=request, its=tool: notes(one, own, its), lambda one: ["only with --verbose"])
            printed = list(program.lines(result, is_verbose=False))
            self.assertLessEqual(len(printed), 40, "\n".join(printed))
            self.assertLessEqual(max(map(len, printed)), 80, "\n".join(printed))
            self.assertNotIn("- only with --verbose", printed)
            self.assertTrue(any(line.startswith(f"*  {result.recommendation.chosen.name} ") for line in printed))
            names = {one.name for one in result.few()}
            self.assertLessEqual({result.recommendation.chosen.name, "3 copies", *result.recommendation.others}, names)

    def test_commands_are_ceph_s(self) -> None:
        chosen = outcome(self.counted[1], self.request)
        self.assertEqual([line for line in commands(chosen, self.request) if line[0] != "#"], [
            "ceph osd erasure-code-profile set ec-isa-8-3 plugin=isa k=8 m=3 stripe_unit=16384 crush-failure-domain=host",
            "ceph osd pool create ec-isa-8-3 2048 2048 erasure ec-isa-8-3 --bulk",
            "ceph config set mon mon_osd_down_out_subtree_limit host"])
        lines = commands(chosen, self.request)
        undone = next(number for number, line in enumerate(lines) if line.startswith("# Cannot be undone"))
        self.assertEqual([number for number, line in enumerate(lines) if " allow_ec_" in line], [undone + 1, undone + 2],
                         "the commands that cannot be undone follow this comment")
        self.assertTrue(all(line[0] == "#" for line in lines[undone:]), "who pastes all lines does not run these commands")
        for release in ("reef", "squid"):
            small = read_request(["hosts=4", "drives=8x16T", f"release={release}"])
            for command in commands(outcome(mds_profile(4, 2), small), small):
                lines = folded(command).splitlines()
                self.assertFalse(command[0] == "#" and len(lines) > 1, "the rest of a comment would be a command")
                self.assertLessEqual(max(map(len, lines)), 76)
                again = [" ".join(word.split()) for word in shlex.split("\n".join(lines).replace("\\\n", ""), comments=True)]
                self.assertEqual(again, shlex.split(command, comments=True))
        odd = dataclasses.replace(self.counted[4], stripe_units=(18144,))
        self.assertTrue(commands(outcome(odd, self.request), self.request)[0].endswith(
            "stripe_unit=18144 crush-failure-domain=host --force"))
        for release, condition in (("tentacle", "tentacle 20.2.1 or later:"), ("vampire", "vampire or later:")):
            text = " ".join(commands(chosen, read_request([*CLUSTER, f"release={release}"])))
            self.assertIn(f"# Cannot be undone; the first only if all OSDs run {condition}", text)
        squid = read_request([*CLUSTER, "release=squid"])
        without = dataclasses.replace(self.counted[1], fast_ec=False)
        self.assertNotIn("optimizations", " ".join(commands(outcome(without, squid), squid)))

    def test_tables_have_a_line_for_each_profile(self) -> None:
        counted = [*self.counted, dataclasses.replace(mds_profile(8, 3, plugin="jerasure"), stored=(1.5,))]
        result = result_of(self.request, counted, [], {"isa 8+3": Speeds(10e9, 20e9, 20e9, marked=True)}, [])
        for table in tables(result):
            self.assertEqual(sorted(line[1] for line in table.lines[1:]), sorted(one.profile.name for one in counted))
            self.assertEqual({len(line) for line in table.lines}, {len(table.lines[0])})
        cells = next(line for line in tables(result)[2].lines if line[1] == "isa 8+3")
        line_rate = "0.31+0.16"  # cores that encode 3.125 GB/s, and that rebuild what is received at this rate (1/8 of it)
        self.assertEqual(cells[2:7], ["10.0!", "1.00", line_rate, "20.0!", "20.0!"])
