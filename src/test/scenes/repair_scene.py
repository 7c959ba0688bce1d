"""Tests ecbench --workload repair and ecbench --show-reads: which bytes a repair of a lost chunk reads, and which options ecbench
refuses."""

import json

import jsonschema
import scene

REPORT = scene.SOURCE / "src" / "report"
READS = json.loads((REPORT / "reads.schema.json").read_text(encoding="utf-8"))
RS = ["-p", "isa", "-P", "k=4", "-P", "m=2"]
CLAY = ["-p", "clay", "-P", "k=4", "-P", "m=2"]
SHEC = ["-p", "shec", "-P", "k=4", "-P", "m=3", "-P", "c=2"]


def ecbench(*args, **kwargs):
    return scene.run([scene.ECBENCH, *args], **kwargs)


class Repair(scene.Scene):
    def test_what_repair_cannot_do_is_refused(self):
        for options, words in ((["-e", "2"], ["--erasures 2", "one lost chunk"]), (["--erased", "0,1"], ["several chunks"]),
                               (["-E", "exhaustive"], ["exhaustive", "in turn"]), (["--want", "data"], ["--want data"]),
                               (["--timing", "api"], ["--timing api", "Ceph"]), (["--erased", "6"], ["the chunks are 0 to 5"])):
            self.assert_refused(ecbench("-w", "repair", *RS, *options), *words)

    def test_describe_supports_it(self):
        lines = "".join(json.dumps({"words": [*RS, "-w", "repair", *more]}) + "\n" for more in ([], ["--erased", "7"]))
        (self.folder / "lines").write_text(lines)
        known, refused = map(json.loads, ecbench("--describe", self.folder / "lines").stdout.splitlines())
        self.assertEqual((known["workload"], known["erasures"]), ("repair", 1))
        self.assertIn("--erased 7", refused["refused"])


class ShowReads(scene.Scene):
    def losses(self, *args):
        result = ecbench("--show-reads", "--format", "json", *args)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        losses = [json.loads(line) for line in result.stdout.splitlines()]
        for loss in losses:
            jsonschema.Draft202012Validator(READS).validate(loss)
        return losses

    def test_by_default_each_chunk_is_lost_in_turn(self):
        losses = self.losses(*CLAY)
        self.assertEqual([loss["erased"] for loss in losses], [[chunk] for chunk in range(6)])
        self.assertEqual({loss["network_factor"] for loss in losses}, {3})
        self.assertEqual(losses[0]["reads"], {str(helper): [[0, 4]] for helper in range(1, 6)})

    def test_erasures_shows_all_losses_of_this_number_of_chunks(self):
        losses = self.losses(*SHEC, "--erasures", "3")
        self.assertEqual(len(losses), 35)
        lost = [loss for loss in losses if "unrecoverable" in loss]
        self.assertEqual(lost[0]["erased"], [0, 1, 4])
        self.assertLess(len(lost), 35)
        self.assertTrue(all("unrecoverable" in loss for loss in self.losses(*RS, "--erasures", "3")))

    def test_erased_shows_the_loss_of_the_given_chunks(self):
        [loss] = self.losses(*RS, "--erased", "1,4")
        self.assertEqual((list(loss["reads"]), loss["drive_factor"], loss["network_factor"]), (["0", "2", "3", "5"], 4, 5))

    def test_a_table_for_people(self):
        lines = ecbench("--show-reads", *CLAY, "--erased", "2").stdout.splitlines()
        self.assertEqual(lines[0], "a chunk has 8 sub-chunks; 262144 bytes of a chunk are in one stripe")
        self.assertRegex(lines[2], r"^2 +5 +2\.500 +2\.500 +3\.000 +2\.0 +0\[0-1,4-5\] 1\[0-1,4-5\] ")

    def test_blocks_that_blue_store_reads(self):
        """Means over all chunks, in units of one chunk. isa, lrc and shec read whole chunks; clay as a Ceph cluster does it."""
        for words, unit, expected in ((RS, "16K", 4), (CLAY, "4K", 5), (CLAY, "16K", 20 / 6), (CLAY, "32K", 2.5),
                                      (["-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3"], "16K", 3),
                                      (["-p", "shec", "-P", "k=4", "-P", "m=3", "-P", "c=2"], "16K", 16 / 7)):
            with self.subTest(words=words, unit=unit):
                factors = [loss["block_factor"] for loss in self.losses(*words, "--stripe-unit", unit, "--size", "256K")]
                self.assertAlmostEqual(sum(factors) / len(factors), expected)
        whole = self.losses(*CLAY, "--stripe-unit", "32K", "--size", "128K", "--csum-block", "16K")
        self.assertEqual(whole[4]["block_factor"], 5)

    def test_what_cannot_be_shown_is_refused(self):
        for options, words in ((["--format", "csv"], ["table or json"]), (["--erased", "6"], ["the chunks are 0 to 5"]),
                               (["--csum-block", "5000"], ["power of two"]), (["--erasures", "0"], ["at least 1 lost chunk"]),
                               (["--erasures", "7"], ["7"])):
            self.assert_refused(ecbench("--show-reads", *RS, *options), *words)
        self.assert_refused(ecbench("--show-reads", "-p", "isa", "-P", "k=32", "-P", "m=3", "-e", "8"), "1000000")
