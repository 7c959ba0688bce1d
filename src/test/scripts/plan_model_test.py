"""The model of `bench.sh plan`."""

import dataclasses
import itertools
import math
import unittest

from ecbench.ceph.placement import Layout, verdict
from ecbench.plan.outcomes import Chain, nines, outcome, probability
from ecbench.plan.profiles import Counted, LossCount, Speeds, copies, misfit, repair_of
from ecbench.plan.recommendation import commands, failure_notes
from ecbench.plan.request import nines_text, read_request
from ecbench.point.point import Reads
from synthetic_plan import CLUSTER, WITHOUT_CRUSHTOOL, mds_profile


def mds(n: int, k: int) -> list[float]:
    """Chain.recoverable for a code that recovers every loss of up to n-k chunks."""
    return [1.0] * (n - k + 1)


class ChainTest(unittest.TestCase):
    def test_published_examples(self) -> None:
        """Backblaze: 17+3, an AFR of 0.405 %, repairs of 6.5 days. It counts failures in windows; the chain gives m+1 = 4
        times as many losses. Textbook for three copies with two parallel repairs: 2 MTTF^3 / (n (n-1) (n-2) MTTR^2) years."""
        self.assertAlmostEqual(Chain(20, mds(20, 17), 0.00405, 6.5 / 365).losses_per_year() / (4 * 7.4e-12), 1, delta=0.02)
        textbook = 2 * 100.0**3 / (3 * 2 * 1 * (1 / 365)**2)
        self.assertAlmostEqual(Chain(3, mds(3, 1), 1 / 100, 1 / 365).years_to_loss() / textbook, 1, delta=0.001)

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
        """Shares of samples may rise by chance."""
        def losses(*shares: float) -> float:
            return Chain(8, [1, *shares], 0.01, 1e-6).losses_per_year()

        self.assertAlmostEqual(losses(1, 1, 0.75) / losses(1, 1), 0.25, delta=1e-4)
        self.assertLess(losses(1, 1, 1), losses(1, 1, 0.75) * 1e-3)
        self.assertEqual(losses(0.999, 1), losses(0.999, 0.999))

    def test_probabilities(self) -> None:
        self.assertAlmostEqual(probability(1e-20) / 1e-20, 1)
        self.assertAlmostEqual(probability(2), 1 - math.exp(-2))
        self.assertAlmostEqual(nines(1e-11), 11)
        self.assertEqual([nines_text(value) for value in (10.97, nines(1e-11), nines(1.0))], ["10.9", "11.0", "0.0"])


class Rebuilds(unittest.TestCase):
    def test_drives_that_write_and_read(self) -> None:
        """Cluster, k, m (k=1: copies) → seconds x 60 MB/s / bytes of a drive. With three hosts, a copy must stay on its host. Of
        nine chunks, three on each host, two of the eight others are on the host of the drives that write. The last two are those of
        docs/plan.md and of many hosts."""
        for hosts, drives, k, m, expected in ((3, 4, 1, 2, 1 / 3), (3, 8, 1, 2, 1 / 7), (4, 2, 1, 2, 1 / 2.1),
                                              (3, 4, 5, 4, (1 + 5 * 2 / 8) / 3), (4, 8, 5, 4, (1 + 5 * 2 / 8) / 7),
                                              (4, 8, 4, 2, (1 + 4 / 5) / 7), (12, 24, 8, 3, 1 / 23), (100, 24, 8, 3, 1 / 23)):
            request = read_request([f"hosts={hosts}", f"drives={drives}x8T"])
            found = outcome(mds_profile(k, m) if k > 1 else copies(request), request).drive
            self.assertAlmostEqual(found.limits["recovery-share"] * 60e6 / 8e12, expected)

    def test_a_host(self) -> None:
        """The drives of the other hosts read eight bytes and write one byte per lost byte. Some other chunks are copied."""
        found = outcome(mds_profile(8, 3), read_request(CLUSTER)).host
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
            request = read_request(words)
            found = outcome(mds_profile(k, m, plugin="clay", network=m), request).host
            self.assertAlmostEqual(found.limits["recovery-share"], found.lost_bytes * load / (drives * 60e6), places=3)

    def test_a_chunk_of_a_placement_group_is_written_by_one_drive(self) -> None:
        """With failure domain osd, 2399 drives write. A chunk of a placement group has 267 GB, which one drive writes in 1.2 h."""
        request = read_request(["hosts=100", "drives=24x20T", "failure-domain=osd"])
        found = outcome(mds_profile(8, 3), request).drive
        groups = Layout(11, request.cluster).placement_groups
        self.assertAlmostEqual(found.limits["recovery-share"], 2400 * 20e12 / (groups * 11) / 60e6, places=3)

    def test_the_limit_is_named(self) -> None:
        def drive(*words: str) -> tuple[str, float]:
            found = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words]), Speeds(repair=20e9)).drive
            return found.limit, found.seconds

        self.assertEqual(drive("net=25G")[0], "recovery-share")
        self.assertEqual(drive("net=25G")[1], drive("net=100G")[1],
                         "a faster network must not help, because the drives are the limit")
        self.assertEqual(drive("net=100G", "recovery-share=100%", "max-backfills=9", "object=8M")[0], "drive")
        self.assertEqual(drive("net=100G", "recovery-share=100%")[0], "osd_max_backfills")
        self.assertEqual(drive("net=1G")[0], "network")
        self.assertAlmostEqual(drive("net=1G")[1], 20e12 / 125e6, msg="one host receives all chunks")
        wide = outcome(mds_profile(16, 3), read_request([*CLUSTER, "net=1G"])).drive
        self.assertAlmostEqual(wide.seconds, 16 / 12 * 20e12 / 125e6, msg="the hosts send 16 chunks")
        self.assertEqual(drive("drive-rate=10G", "net=400G", "cores=1", "recovery-share=100%", "drive-type=nvme")[0], "CPU")

    def test_small_objects_are_rebuilt_slowly(self) -> None:
        """osd_max_backfills=1: a drive takes 3 objects at a time, each after one read and one write."""
        for words, chunk, seek, rate, active in ((["object=4M"], 524288, 8e-3, 200e6, 3), (["object=64K"], 8192, 8e-3, 200e6, 3),
                                                 (["object=64K", "drive-type=ssd", "net=400G"], 8192, 10e-6, 500e6, 10)):
            found = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words])).drive
            allowed = active * chunk / (2 * (seek + chunk / rate))
            self.assertAlmostEqual(found.limits["osd_max_backfills"], 20e12 / 23 / allowed, delta=1)
            self.assertEqual(found.limit, "osd_max_backfills" if allowed < 0.3 * rate else "recovery-share")
            twice = outcome(mds_profile(8, 3), read_request([*CLUSTER, *words, "max-backfills=2"])).drive
            self.assertAlmostEqual(twice.limits["osd_max_backfills"], found.limits["osd_max_backfills"] / 2, delta=1)

    def test_an_osd_writes_few_small_objects(self) -> None:
        """At most osd_mclock_max_capacity_iops_ssd (21,500) per second, also on a drive of 3 GB/s."""
        request = read_request(["hosts=8", "drives=10x8T", "drive-type=nvme", "net=400G", "object=4K"])
        found = outcome(mds_profile(4, 2), request).drive
        self.assertEqual((found.limit, round(found.seconds)), ("operations", round(8e12 / 9 / (21_500 * 4096))))

    def test_no_free_host(self) -> None:
        full = outcome(mds_profile(8, 4), read_request(CLUSTER))
        self.assertEqual((full.layout.spare, full.host), (0, None))
        one_drive = outcome(mds_profile(8, 4), read_request(["hosts=12", "drives=1x20T"]))
        self.assertEqual((one_drive.drive, one_drive.object_nines), (None, None))

    def test_reads_of_sub_chunks_take_longer_on_hard_drives(self) -> None:
        """The article "Costs and benefits" (4+2): clay reads 41 % less than jerasure and recovers 15 % more slowly. The reads are
        those that --show-reads prints for clay 4+2 with a stripe unit of 32K."""
        answers = [Reads(chunks_read=5, network_factor=3, reads_per_helper=1, block_factor=2.5, block_reads_per_helper=reads)
                   for reads in (1, 1, 2, 2, 4, 4)]
        for kind, unit, stripes, least, most in (("hdd", 32 << 10, 32, 4.9, 5.1), ("hdd", 1 << 20, 1, 0, 4),  # few large pieces
                                                 ("nvme", 128 << 10, 8, 0, 4)):
            cluster = read_request([*CLUSTER, f"drive-type={kind}"]).cluster
            self.assertTrue(least < repair_of(answers, unit, stripes, cluster).busy < most, (kind, unit))
        clay = dataclasses.replace(mds_profile(4, 2, 3), read=2.5, busy=5, network=3, helpers=5, reads_per_helper=2.3)
        request = read_request(["hosts=9", "drives=12x4T"])
        rs, its = (outcome(one, request).host for one in (mds_profile(4, 2), clay))
        self.assertGreater(its.seconds, 1.1 * rs.seconds)

    def test_placement_groups_are_a_power_of_two(self) -> None:
        for words, n, groups in ((CLUSTER, 11, 2048), (["hosts=1000", "drives=60x20T"], 6, 65536)):  # mon_max_pool_pg_num
            self.assertEqual(Layout(n, read_request(words).cluster).placement_groups, groups)


class Sectors(unittest.TestCase):
    def test_the_rate_by_hand(self) -> None:
        """After m losses, the k chunks that a repair reads have no redundancy."""
        request = read_request([*CLUSTER, "uer=1e-15"])
        found = outcome(mds_profile(8, 3), request)
        years = (600 + found.drive.seconds) / (365 * 24 * 3600)
        bits = 8 * 8 * 288 * 20e12 / (2048 * 11)
        self.assertAlmostEqual(found.pool_losses.sectors / (2048 * 11 * 10 * 9 * 0.014**3 * years**2 / 2 * bits * 1e-15), 1,
                               delta=0.02)

    def test_the_interval_of_deep_scrubs(self) -> None:
        """Unreadable bits are proportional to the time since the last deep scrub."""
        week, month = (outcome(mds_profile(8, 3), read_request([*CLUSTER, *words])).object_losses
                       for words in ([], ["deep-scrub=28d"]))
        self.assertAlmostEqual(month.sectors / week.sectors, 4, delta=0.01)
        self.assertEqual(month.drives, week.drives)

    def test_they_dominate_the_pool_but_not_the_object(self) -> None:
        found = outcome(mds_profile(8, 3), read_request(CLUSTER))
        self.assertGreater(found.pool_losses.sectors, 100 * found.pool_losses.drives)
        self.assertLess(found.object_losses.sectors, found.object_losses.drives)


class SmallClusters(unittest.TestCase):
    def test_losses_that_the_data_survives_by_enumeration(self) -> None:
        """Every loss of `domains_survived` hosts leaves at least k chunks; some loss of one more host does not."""
        for k, m, hosts in itertools.product((2, 3, 4, 8), (2, 3, 4), (3, 4, 5, 6)):
            cluster = read_request([f"hosts={hosts}", "drives=8x1T"]).cluster
            if misfit(k + m, m, True, cluster):
                continue
            found = outcome(mds_profile(k, m), read_request([f"hosts={hosts}", "drives=8x1T"]))
            of_host = [chunk // found.layout.per_domain for chunk in range(k + m)]

            left = [min(sum(host not in gone for host in of_host) for gone in itertools.combinations(range(found.layout.used),
                                                                                                     lost))
                    for lost in range(found.domains_survived + 2)]
            self.assertGreaterEqual(left[found.domains_survived], k)
            self.assertLess(left[-1], k)
            self.assertGreaterEqual(left[found.domains_served], k + 1, "min_size is k+1")

    def test_min_size_counts_chunks(self) -> None:
        """lrc 4/2/3 loses data with some pairs, but with one of 8 chunks lost, it has more than k+1."""
        losses = [LossCount(lost, math.comb(8, lost), math.comb(8, lost), lost > 1) for lost in (1, 2, 3, 4)]
        lrc = Counted("lrc 4/2/3", "lrc", "", {}, 4, 8, 3, 3, 3, 3, 1, 1, losses, [2.0], [16384], fast_ec=False)
        found = outcome(lrc, read_request(CLUSTER))
        self.assertEqual((found.domains_survived, found.domains_served), (1, 1))

    def test_when_a_host_is_kept_in(self) -> None:
        """mon_osd_down_out_subtree_limit=host also stops the rebuild of a drive that is the only one of its host."""
        for hosts, drives, kept in ((6, 4, True), (7, 4, True), (8, 4, False), (7, 1, False), (6, 1, True), (3, 4, False)):
            request = read_request([f"hosts={hosts}", f"drives={drives}x8T"])
            found = outcome(mds_profile(4, 2), request)
            self.assertEqual("ceph config set mon mon_osd_down_out_subtree_limit host" in commands(found, request), kept)
            said = " ".join(failure_notes(found, request, WITHOUT_CRUSHTOOL))
            self.assertEqual("mon_osd_down_out_subtree_limit" in said, kept)

    def test_a_failed_host_in_a_rack(self) -> None:
        """Hosts, drives, racks, k, m (k=1: copies) → where the host is rebuilt. With two drives in each of two hosts, a rack with
        three chunks has too few left; with a chunk on each of three hosts, no host is left."""
        for hosts, drives, racks, k, m, where in (
                (6, 2, 3, 5, 4, "not rebuilt until it is replaced"), (9, 2, 3, 5, 4, "only when it is replaced"),
                (12, 2, 3, 5, 4, "on the other hosts of its rack."),
                (12, 2, 6, 4, 2, "on the other hosts of its rack."), (24, 12, 8, 1, 2, "on the other hosts."),
                (9, 2, 3, 1, 2, "on the other hosts of its rack.")):
            request = read_request([f"hosts={hosts}", f"drives={drives}x8T", "failure-domain=rack", f"racks={racks}"])
            found = outcome(mds_profile(k, m) if k > 1 else copies(request), request)
            said = failure_notes(found, request, WITHOUT_CRUSHTOOL)
            self.assertEqual([where in note for note in said if "ailed host is" in note], [True])
            self.assertEqual(found.host is None, "replaced" in where)

    def test_each_chunk_of_a_rack_on_its_own_host(self) -> None:
        """Hosts, drives, racks, k, m → steps of the rule, drives that write, chunks on a host, and the failed hosts
        that can destroy data if one stores several chunks."""
        for hosts, drives, racks, k, m, steps, writers, per_host, fatal in (
                (12, 24, 3, 5, 4, ["choose indep 3 type rack", "chooseleaf indep 3 type host"], 23, 1, ""),
                (9, 24, 3, 5, 4, ["choose indep 3 type rack", "chooseleaf indep 3 type host"], 23, 1, ""),
                (12, 1, 3, 5, 4, ["choose indep 3 type rack", "chooseleaf indep 3 type host"], 3 / (1 + 5 / 4), 1, ""),
                (6, 24, 3, 5, 4, ["choose indep 3 type rack", "choose indep 3 type osd"], 47 / (1 + 5 / 4), 3, "2 failed hosts"),
                (6, 2, 3, 5, 4, ["choose indep 3 type rack", "choose indep 3 type osd"], 3 / (1 + 5 / 4), 2, "3 failed hosts"),
                (12, 4, 3, 2, 1, ["chooseleaf indep 0 type rack"], 15, 1, "")):
            request = read_request([f"hosts={hosts}", f"drives={drives}x8T", "failure-domain=rack", f"racks={racks}"])
            found = outcome(mds_profile(k, m), request)
            self.assertEqual([step for step in found.layout.rule()[1] if step.startswith("choose")], steps)
            self.assertAlmostEqual(found.drive.limits["recovery-share"] * 60e6 / 8e12, 1 / writers)
            self.assertEqual(found.layout.per_host, per_host)
            said = failure_notes(found, request, WITHOUT_CRUSHTOOL)[0]
            self.assertEqual(fatal in said if fatal else "destroy" not in said, True, said)
            self.assertEqual("plus 1 host" in said, per_host == 1 and k == 5)

    def test_more_tries_are_advised_only_if_they_help(self) -> None:
        """crush_test.py compares such counts with crushtool."""
        for found, again, advised in (((0, 0, 0), (0, 0, 0), ""), ((0, 0, 13), (0, 0, 0), ": host out 0"),
                                      ((9, 9), (0, 0), ": all in 0, drive out 0"), ((0, 0, 30_000), (0, 0, 30_000), "")):
            one, two = (dict(zip(("all in", "drive out", "host out"), counts)) for counts in (found, again))
            self.assertEqual(verdict(one, two).partition("(crushtool -d)")[2], advised)

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
            self.assertEqual(Layout(n, small).drive_targets is not None,
                             fits and (drives > 1 or n < hosts))
