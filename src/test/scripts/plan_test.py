"""Tests the model of `bench.sh plan`: durability, the time of a rebuild and its bottleneck, the bytes that each Ceph release
stores, and the recommendation."""

import dataclasses
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from ecbench.ceph.releases import PLUGINS, RELEASES
from ecbench.ceph.stored_size import by_fast_ec, padded
from ecbench.plan.chain import Chain, mds, nines, probability, window_probability
from ecbench.plan.commands import commands
from ecbench.plan.outcomes import front, outcome, placement_groups
from ecbench.plan.profiles import Counted, LossCount, Profile, Repair, count_losses
from ecbench.plan.quantities import nines_text
from ecbench.plan.recommendation import recommend
from ecbench.plan.request import Request, read_request
from ecbench.plan.result import result_of
from ecbench.plan.speeds import Speeds
from ecbench.plan.tables import share_text, tables
from ecbench.point.point import Json
from ecbench.terminal.console import Refused

CLUSTER = ["hosts=12", "drives=24x20T"]


def mds_profile(k: int, m: int, network: float | None = None, plugin: str = "isa", hosts_free: bool = True) -> Counted:
    """Makes the counts that ecbench would print for a code that recovers every loss of m chunks."""
    n = k + m
    losses = tuple(LossCount(lost, math.comb(n, lost), math.comb(n, lost), 0) for lost in range(1, m + 1))
    profile = Profile(f"{plugin} {k}+{m}", plugin, "reed_sol_van", (("k", str(k)), ("m", str(m))), k, n)
    sent = k if network is None else network
    return Counted(profile, losses, Repair(sent, sent, k, 1), (n / k,), (16384,), fast_ec=plugin == "isa")


def loss_rate(request: Request, counted: Counted) -> float:
    found = outcome(counted, request).losses_per_year
    assert found is not None
    return found


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

    def test_releases(self) -> None:
        self.assertFalse(RELEASES["squid"].uses_fast_ec("isa", "reed_sol_van", 16384))
        self.assertTrue(RELEASES["tentacle"].uses_fast_ec("isa", "reed_sol_van", 16384))
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
                                (["hosts=10", "drives=24x20T", "k=8", "m=3"], "at least k+m=11"),
                                ([*CLUSTER, "space=0"], "space=0"),
                                ([*CLUSTER, "nines=x"], "nines=x"), ([*CLUSTER, "release=argonaut"], "release=argonaut"),
                                ([*CLUSTER, "release=vampire", "plugin=clay"], "Ceph vampire cannot load it"),
                                ([*CLUSTER, "hostz=3"], "did you mean hosts?"), (["hosts=100001", "drives=1x1T"], "hosts=100001")):
            with self.subTest(words=words), self.assertRaises(Refused) as refused:
                read_request(words)
            self.assertIn(expected, str(refused.exception))
            self.assertNotIn("\n", str(refused.exception))


class Rebuilds(unittest.TestCase):
    def test_eight_plus_three_by_hand(self) -> None:
        """The example in docs/plan.md. For each lost byte, the drives read eight bytes and write one byte. 287 drives do this
        work. Each drive transfers 60 MB/s."""
        found = outcome(mds_profile(8, 3), read_request(CLUSTER))
        self.assertAlmostEqual(found.drive.seconds, 20e12 * 9 / (287 * 60e6), places=3)
        self.assertEqual(found.drive.limit, "throttle")
        self.assertAlmostEqual(found.host.seconds, 24 * 20e12 * 9 / (11 * 24 * 60e6), places=3)

    def test_the_limit_is_named(self) -> None:
        def drive(*words: str) -> tuple[str, float]:
            found = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words]), Speeds(repair=20e9))
            return found.drive.limit, found.drive.seconds

        limit, seconds = drive("net=100G")
        self.assertEqual(limit, "drive")
        self.assertEqual(drive("net=200G"), (limit, seconds), "a faster network must not help, because the drive is the limit")
        self.assertEqual(drive("net=25G")[0], "throttle")
        self.assertEqual(drive("net=1G")[0], "network")
        self.assertAlmostEqual(drive("net=1G")[1] / drive("net=2G")[1], 2)
        self.assertEqual(drive("drive-rate=10G", "net=400G", "cores=1", "recovery-share=100%")[0], "CPU")

    def test_no_free_host(self) -> None:
        request = read_request(CLUSTER)
        full = outcome(mds_profile(8, 4), request)
        self.assertEqual((full.hosts_left, full.host), (0, None))
        self.assertAlmostEqual(full.drive.seconds, 20e12 / (23 * 60e6), places=3)
        self.assertEqual(full.drive.limit, "throttle")
        self.assertAlmostEqual(full.drive.resources["network"], 20e12 / (25e9 / 8), places=3, msg="one host receives all chunks")
        self.assertEqual(outcome(mds_profile(8, 4), read_request([*CLUSTER, "net=50G"])).drive.limit, "drive")
        one_drive = outcome(mds_profile(8, 4), read_request(["hosts=12", "drives=1x20T"]))
        self.assertEqual((one_drive.drive, one_drive.object_nines), (None, None))

    def test_doubling_the_failure_rate(self) -> None:
        for k, m in ((4, 2), (8, 3), (8, 4)):
            one, two = (loss_rate(read_request([*CLUSTER, f"afr={afr}%"]), mds_profile(k, m)) for afr in (1, 2))
            self.assertAlmostEqual(two / one / 2**(m + 1), 1, delta=0.05)

    def test_placement_groups_are_a_power_of_two(self) -> None:
        self.assertEqual(placement_groups(mds_profile(8, 3), read_request(CLUSTER).cluster), 2048)
        many = read_request(["hosts=1000", "drives=60x20T"]).cluster
        self.assertEqual(placement_groups(mds_profile(4, 2), many), 65536, "mon_max_pool_pg_num")


class Counts(unittest.TestCase):
    """Simulates the counts of ecbench for codes with 8 chunks. lrc cannot recover 12 of the 70 losses of 4 chunks, and 1 of the 56
    losses of 3 chunks. Other codes recover all losses."""

    def describe(self, requests: list[Json]) -> list[Json]:
        self.asked += [request["losses"] for request in requests]
        bad = {4: 12, 3: 1}
        return [{"losses": {"chunks": request["losses"], "patterns": math.comb(8, request["losses"]),
                            "checked": min(math.comb(8, request["losses"]), request["most_patterns"]),
                            "unrecoverable": bad.get(request["losses"], 0) if "lrc" in request["words"] else 0}}
                for request in requests]

    def counts(self, plugin: str) -> list[LossCount]:
        self.asked: list[int] = []
        profile = Profile(plugin, plugin, "", (), 4, 8)
        return list(count_losses([profile], self)[profile])

    def test_fewer_losses_are_counted_only_where_more_cannot_all_be_recovered(self) -> None:
        self.assertEqual([count.unrecoverable for count in self.counts("lrc")], [0, 0, 1, 12])
        self.assertEqual(sorted(self.asked), [1, 2, 3, 4])
        self.assertEqual([(count.patterns, count.unrecoverable) for count in self.counts("isa")],
                         [(8, 0), (28, 0), (56, 0), (70, 0)])
        self.assertEqual(self.asked, [4])

    def test_a_sample_is_not_exact(self) -> None:
        self.assertFalse(LossCount(4, 70, 50, 0).is_exact)
        self.assertEqual(share_text(0.9999), ">99.9 %")
        self.assertEqual(share_text(58 / 70), "82.9 %")


class Recommendations(unittest.TestCase):
    def setUp(self) -> None:
        self.request = read_request(CLUSTER)
        self.counted = [mds_profile(8, 2), mds_profile(8, 3), mds_profile(7, 3), mds_profile(8, 4),
                        mds_profile(8, 3, 4, "clay")]

    def recommended(self, *words: str) -> str:
        request = read_request([*CLUSTER, *words])
        return recommend([outcome(one, request) for one in self.counted], request).chosen.name

    def test_stores_least_of_the_profiles_that_are_durable_enough(self) -> None:
        self.assertEqual(self.recommended(), "isa 8+3")
        self.assertEqual(self.recommended("nines=9"), "isa 8+2")
        self.assertEqual(self.recommended("nines=14.9"), "isa 7+3")
        self.assertEqual(self.recommended("space=1.3"), "isa 8+2")
        self.assertEqual(self.recommended("nines=15"), "isa 7+3", "a plugin that Ceph removes was recommended")

    def sentence(self, counted: list[Counted], *words: str) -> str:
        request = read_request([*CLUSTER, *words])
        return recommend([outcome(one, request) for one in counted], request).sentence.partition("): ")[2]

    def test_the_reason_agrees_with_the_table(self) -> None:
        isa, clay = mds_profile(8, 3), mds_profile(8, 3, 4, "clay")
        host, per_byte = "that leaves a free host for a rebuild", "bytes per byte of the object"
        self.assertEqual(self.sentence([isa, clay]), f"it is the only profile that Ceph keeps, {host} and that reaches 11 nines.")
        self.assertEqual(self.sentence([isa]), f"it is the only profile {host} and that reaches 11 nines.")
        self.assertEqual(self.sentence([isa, mds_profile(7, 3)], "space=1.4"),
                         f"it is the only profile {host}, that stores at most 1.4 {per_byte} and that reaches 11 nines.")
        self.assertEqual(self.sentence([isa], "space=1.4", "nines=20"), f"no profile {host} and that stores at most 1.4 {per_byte} "
                         "reaches 20 nines, and isa 8+3 is the most durable of these profiles.")
        self.assertEqual(self.sentence([mds_profile(8, 2), isa], "space=1.1"), f"every profile {host} stores more than "
                         f"1.1 {per_byte}. Of these profiles, isa 8+3 reaches 11 nines with the fewest stored bytes.")
        self.assertEqual(self.sentence([mds_profile(8, 2)], "space=1.1"), f"every profile {host} stores more than "
                         f"1.1 {per_byte}. None of these profiles reaches 11 nines, and isa 8+2 stores the fewest bytes.")
        full = recommend([outcome(mds_profile(8, 4), self.request)], read_request([*CLUSTER, "nines=30"])).sentence
        self.assertTrue(full.endswith("only with more hosts: every profile has a chunk on every host, so no host is free for "
                                      "a rebuild. None of these profiles reaches 30 nines."))

    def test_a_larger_share_is_only_proposed_if_there_is_one(self) -> None:
        for share, can in (("99%", True), ("100%", False)):
            request = read_request([*CLUSTER, "net=400G", f"recovery-share={share}"])
            text = " ".join(recommend([outcome(mds_profile(8, 3), request)], request).changes)
            self.assertIn("limited by the drive. Faster drives", text)
            self.assertEqual("recovery-share" in text, can)

    def test_one_coding_chunk(self) -> None:
        """Ceph's min_size is k + min(1, m - 1)."""
        found = recommend([outcome(mds_profile(8, 1), self.request)], self.request)
        self.assertIn("With m=1, min_size is k:", found.changes[-1])

    def test_says_what_would_change_it(self) -> None:
        found = recommend([outcome(one, self.request) for one in self.counted], self.request)
        text = " ".join(found.changes)
        self.assertIn("isa 7+3", text)
        self.assertIn("limited by the throttle. A larger recovery-share", text)
        afr = float(next(line for line in found.changes if "AFR" in line).split()[-2])
        for factor, reaches in ((0.98, True), (1.02, False)):
            again = outcome(found.chosen.counted, read_request([*CLUSTER, f"afr={factor * afr:.4f}%"]))
            self.assertEqual((again.object_nines or 0) >= 11, reaches)

    def test_the_front(self) -> None:
        names = [one.name for one in front([outcome(one, self.request) for one in [*self.counted, mds_profile(5, 2)]])]
        self.assertEqual(names, ["isa 8+2", "isa 8+3", "isa 7+3", "isa 8+4", "clay 8+3", "isa 5+2"])
        worse = dataclasses.replace(mds_profile(8, 3), stored=(1.5,))
        self.assertNotIn(1.5, [one.space for one in front([outcome(one, self.request) for one in [mds_profile(8, 3), worse]])])

    def test_commands_are_ceph_s(self) -> None:
        chosen = outcome(self.counted[1], self.request)
        self.assertEqual(commands(chosen, self.request)[:3], [
            "ceph osd erasure-code-profile set ec-isa-8-3 plugin=isa k=8 m=3 stripe_unit=16384 crush-failure-domain=host",
            "ceph osd pool create ec-isa-8-3-pool 2048 2048 erasure ec-isa-8-3",
            "ceph osd pool set ec-isa-8-3-pool allow_ec_optimizations true"])
        odd = dataclasses.replace(self.counted[4], stripe_units=(18144,))
        self.assertTrue(commands(outcome(odd, self.request), self.request)[0].endswith(
            "stripe_unit=18144 crush-failure-domain=host --force"))
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
        self.assertEqual(cells[2:6], ["10.0!", "1.00", "20.0!", "20.0!"])
        short = tables(result, 2)
        self.assertLess(len(short[1].lines), len(short[0].lines))


if __name__ == "__main__":
    unittest.main(verbosity=2)
