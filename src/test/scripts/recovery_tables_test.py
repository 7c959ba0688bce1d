"""Tests the tables of `recovery` and `firefly`: figures that are computed from read sets, the comparison with the article "Erasure
Code in Ceph: costs and benefits", and missing figures."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

import synthetic_rows
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.experiment.results import stored
from ecbench.point.description import Reads
from ecbench.recovery import codes, local
from ecbench.recovery.counted import Counter, summed_up
from ecbench.recovery.request import read_request
from ecbench.recovery.tables import Tables
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused


def answer(chunks, drive, network):
    return Reads(chunks_read=chunks, drive_factor=drive, network_factor=network, reads_per_helper=1, block_factor=drive)


class Asked:
    """Simulates --show-reads. Reed-Solomon codes read k chunks. clay has the network factor `network`. A profile of lrc is refused
    if its l breaks Ceph's rules. Plugin shec is refused, as if it were not installed."""

    def __init__(self, network=3):
        self.network = network

    def show_reads(self, words):
        profile = dict(word.split("=", 1) for word in words if "=" in word)
        plugin, k, m = words[1], int(profile.get("k", 8)), int(profile.get("m", 4))
        if plugin == "shec":
            raise Refused("plugin shec does not exist")
        if plugin == "lrc" and "l" in profile and (k % ((k + m) // int(profile["l"])) or (k + m) % int(profile["l"])):
            raise Refused("l does not divide")
        drive, network = (2.5, self.network) if plugin == "clay" else (k, k)
        return [answer(k, drive, network)] * (k + m)


def row(rate, repetition=0):
    return synthetic_rows.row(repetition=repetition, gb_per_s=rate, cpu_seconds_per_gb=1 / rate)


class Counting(unittest.TestCase):
    def test_means_are_over_the_recoverable_losses(self):
        losses = summed_up([answer(2, 2, 2), answer(4, 4, 4), Reads("why")])
        self.assertEqual((losses.total, losses.recoverable, losses.chunks_read, losses.drive_factor), (3, 2, 3, 3))
        self.assertAlmostEqual(losses.share, 2 / 3)
        self.assertEqual(summed_up([Reads("why")]).chunks_read, 0)

    def test_what_is_refused_is_kept_with_its_reason(self):
        counter = Counter(Asked())
        self.assertIsNone(counter.losses(codes.Shec(6, 4, 3).code("isa")))
        self.assertEqual(counter.refusals, {"SHEC 6,4,3": "plugin shec does not exist"})

    def test_the_nearest_valid_local_codes_replace_a_refused_one(self):
        found = local.ask(8, 4, 4, Counter(Asked()), "isa")
        self.assertEqual((found.why, [code.name for code in found.valid[:2]]), ("l does not divide", ["LRC 8/4/3", "LRC 8/4/6"]))

    def test_codes_of_ceph_get_cephs_parameters(self):
        self.assertIn(("c", "2"), codes.Shec(6, 4, 3).code("isa").profile)
        self.assertIn(("l", "3"), codes.Shec(5, 3, 3).code("isa").profile)
        self.assertNotIn("backend", dict(codes.clay(4, 2, "jerasure").profile))


ARTICLE = read_request([])


class Words(unittest.TestCase):
    def test_give_k_and_m_which_are_by_default_those_of_the_article(self):
        self.assertEqual((ARTICLE.is_article, len(ARTICLE.shapes), len(ARTICLE.shec), len(ARTICLE.lrc)), (True, 15, 5, 2))
        request = read_request(["k=8,9", "m=3", "size=4k"])
        self.assertEqual((request.is_article, request.shapes, request.sizes), (False, [(8, 3), (9, 3)], (4096,)))
        self.assertEqual([shape.cells() for shape in request.shec[:2]], [["8", "3", "2.67", "1"], ["8", "3", "5.33", "2"]])
        self.assertEqual(request.lrc, [(8, 3, None), (9, 3, None)])
        self.assertEqual(read_request(["k=8", "m=4", "l=3"]).shec[0].cells(), ["8", "4", "3", "1.5"])
        self.assertEqual([shape.c for shape in read_request(["k=8 m=4 c=2,3"]).shec], [2, 3])
        self.assertEqual(read_request(["k=8"]).shapes, [(8, 2), (8, 3), (8, 4)])

    def test_that_cannot_be_used_are_refused(self):
        for words, said in (("k=8 m=x", "m=x"), ("l=4", "k and m are missing"), ("k=7", "m is missing"),
                            ("plugin=isa", "not an axis"),
                            ("backend=isa,jerasure", "one value"), ("cache=hot", "warm or cold")):
            with self.subTest(words), self.assertRaisesRegex(Refused, said):
                read_request(words.split())


class Table(unittest.TestCase):
    def test_differences_from_the_article_are_reported(self):
        tables = Tables(ARTICLE, Counter(Asked(network=3.5)), None)
        lines = tables.clay()
        self.assertEqual(lines[4], ["4", "2", "4", "4", "2.500", "3.500", "2.500", "1.0"])
        self.assertIn("CLAY 4+2: ecbench counted 3.500, but the article has 3.000", tables.unlike)

    def test_missing_figures_are_a_dash(self):
        lines = Tables(ARTICLE, Counter(Asked()), Comparison({})).shec()
        self.assertEqual(lines[1][5:9], ["-", "1.00/1.00", "-", "-"])

    def test_speeds_are_compared_by_the_ratio_of_their_rounds(self):
        speeds = {"RS 4+2": 1, "CLAY 4+2": 0.5}
        figures = Comparison({name: Candidate(None, [row((10 + number) * factor, number) for number in range(6)])
                              for name, factor in speeds.items()})
        lines = Tables(ARTICLE, Counter(Asked()), figures).clay()
        self.assertEqual(lines[4][-3:], ["12.50", "6.25", "0.50 (0.50..0.50)"])
        self.assertEqual(lines[5][-3:], ["-", "-", "-"])

    def test_columns_are_aligned(self):
        self.assertEqual(list(aligned([["a", "bb"], ["ccc", "d"]])), ["a    bb", "ccc   d"])


class StoredBytes(unittest.TestCase):
    def test_include_the_padding(self):
        coded = synthetic_rows.row(plugin="isa", profile={"technique": "reed_sol_van"}, k=4, chunk_size=16384, size=4096,
                                   chunk_count=6)
        copies = synthetic_rows.row(plugin="replication", profile={}, k=1, chunk_size=4096, size=4096, chunk_count=3)
        for release, expected in (("squid", 24), ("tentacle", 3)):
            self.assertEqual(stored(release, coded), expected)
            self.assertEqual(stored(release, copies), 3)


if __name__ == "__main__":
    unittest.main()
