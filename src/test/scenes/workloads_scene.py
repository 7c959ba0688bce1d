"""The workloads overwrite and repair, ecbench --show-reads, --pace and --background."""

import json
import os
import shlex

import jsonschema
import scene

RS_6_2 = ["-p", "isa", "-P", "k=6", "-P", "m=2"]
CODES = (RS_6_2, ["-p", "jerasure", "-P", "technique=cauchy_good", "-P", "k=6", "-P", "m=2", "-P", "packetsize=32"],
         ["-p", "replication"])
SMALL = ["-s", "24K", "-i", "13"]


class Overwrite(scene.Scene):
    def row(self, *args):
        row = super().row("-w", "overwrite", *SMALL, *args)
        self.assertTrue(row["verified"])
        return row

    def test_every_number_of_changed_chunks(self):
        for code in CODES:
            data_chunks = 1 if "replication" in code else 6
            for changed in range(1, data_chunks + 1):
                row = self.row(*code, "--changed", str(changed))
                self.assertEqual(row["changed"], changed)
                self.assertEqual(row["delta_reads"], changed + row["m"])
                self.assertEqual(row["reencoding_reads"], data_chunks - changed)

    def test_counts_changed_bytes(self):
        one, three = (self.row(*RS_6_2, "--changed", str(changed)) for changed in (1, 3))
        for row, share in ((one, 1 / 6), (three, 1 / 2)):
            self.assertAlmostEqual(row["gb_per_s"] * row["ns_per_op"], row["size"] * share)
        self.assertEqual((three["delta_reads"], three["delta_writes"]), (5, 5))
        self.assertEqual((three["reencoding_reads"], three["reencoding_writes"]), (3, 5))
        self.assertIn(" --changed 3 ", three["command"])

    def test_the_table_has_columns_of_its_own(self):
        cells = scene.cells_of(scene.ecbench("-w", "overwrite", *RS_6_2, *SMALL, "--changed", "2").stdout)
        self.assertEqual([cells[name] for name in ("changed", "delta reads+writes", "re-encoding reads+writes")],
                         ["2", "4+4", "4+4"])


class Experiment(scene.Scene):
    def test_the_table_compares_each_number_of_chunks_with_encoding(self):
        result = self.succeeded(scene.ask("overwrite", "4+2", "size=16K", "--rounds", "1", "--min-time", "0.001", "--output",
                                          self.folder / "run.jsonl", "--ecbench", scene.FAKE))
        self.assertRegex(result.stdout, r"\n  encode +none +\d\S+ +1 +\d\S+ +1\n")
        for changed in range(1, 5):
            self.assertRegex(result.stdout, rf"\n  overwrite +{changed} +\d\S+ +\d\S+ +inconclusive")  # one round has no interval


REPORT = scene.SOURCE / "src" / "report"
READS = json.loads((REPORT / "reads.schema.json").read_text(encoding="utf-8"))
RS = ["-p", "isa", "-P", "k=4", "-P", "m=2"]
CLAY = ["-p", "clay", "-P", "k=4", "-P", "m=2"]
SHEC = ["-p", "shec", "-P", "k=4", "-P", "m=3", "-P", "c=2"]


class ShowReads(scene.Scene):
    def losses(self, *args):
        result = self.silent(scene.ecbench("--show-reads", "--format", "json", *args))
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
        lines = scene.ecbench("--show-reads", *CLAY, "--erased", "2").stdout.splitlines()
        self.assertEqual(lines[0], "a chunk has 8 sub-chunks; 262144 bytes of a chunk are in one stripe")
        self.assertRegex(lines[2], r"^2 +5 +2\.500 +2\.500 +3\.000 +2\.0 +0\[0-1,4-5\] 1\[0-1,4-5\] ")

    def test_blocks_that_blue_store_reads(self):
        """Means over all chunks, in units of one chunk. isa, lrc and shec read whole chunks; clay as a Ceph cluster does it."""
        for words, unit, expected in ((RS, "16K", 4), (CLAY, "4K", 5), (CLAY, "16K", 20 / 6), (CLAY, "32K", 2.5),
                                      (["-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3"], "16K", 3),
                                      (["-p", "shec", "-P", "k=4", "-P", "m=3", "-P", "c=2"], "16K", 16 / 7)):
            factors = [loss["block_factor"] for loss in self.losses(*words, "--stripe-unit", unit, "--size", "256K")]
            self.assertAlmostEqual(sum(factors) / len(factors), expected)
        whole = self.losses(*CLAY, "--stripe-unit", "32K", "--size", "128K", "--csum-block", "16K")
        self.assertEqual(whole[4]["block_factor"], 5)


PACED = ["-p", "isa", "-P", "k=4", "-P", "m=2", "-s", "4K", "--format", "json"]
STILL = {"noise": 0, "launch": 0}


class Pace(scene.Scene):
    def row(self, *options, program=scene.FAKE):
        return json.loads(self.succeeded(scene.run([program, *PACED, *options])).stdout)

    def percentiles(self, microseconds, *options):
        """If an operation takes so many microseconds."""
        self.invent(STILL)
        usual = self.row("--min-time", "0.001")["ns_per_op"]
        self.invent(STILL, {"speed": usual / 1e3 / microseconds})
        row = self.row(*options)
        return row, [round(row[name]) for name in ("p50", "p95", "p99")]

    def test_an_operation_that_does_not_wait_takes_its_time(self):
        row, percentiles = self.percentiles(700, "--pace", "1000", "--min-time", "1")
        self.assertEqual(percentiles, [700, 700, 700])
        self.assertEqual((row["pace"], row["iterations"], row["seconds"], row["warnings"]), (1000, 1000, 1, []))
        self.assertAlmostEqual(row["gb_per_s"], 4096 * 1000 / 1e9)

    def test_the_wait_behind_other_operations_counts(self):
        """Every ms, an operation of 2 ms is due. Operations 0 to 549 start, and end 2 to 551 ms after they are due; operations 550
        to 999 have waited for 550 to 101 ms when the measurement ends."""
        row, percentiles = self.percentiles(2000, "--pace", "1000", "--min-time", "1")
        self.assertEqual((percentiles, row["iterations"], row["seconds"]), ([301_000, 526_000, 546_000], 550, 1.1))
        self.assertEqual([warning["code"] for warning in row["warnings"]], ["pace_not_kept"])
        self.assertIn("450 of 1000 operations", row["warnings"][0]["text"])

    def test_a_load_is_a_share_of_the_greatest_rate(self):
        row, percentiles = self.percentiles(500, "--pace", "80%", "--threads", "2", "--min-time", "0.001")
        self.assertAlmostEqual(row["pace"], 0.8 * 2 / 500e-6, delta=1)
        self.assertEqual(percentiles, [500, 500, 500])
        self.assertEqual(row["iterations"], 1000)

    def test_too_few_operations_have_no_percentile(self):
        row = self.row("--pace", "100", "--max-time", "5")  # 500 operations
        self.assertIsNone(row["p99"])
        self.assertIsNotNone(row["p95"])

    def test_with_real_threads(self):
        cpus = [str(cpu) for cpu in sorted(os.sched_getaffinity(0))]
        row = self.row("--pace", "50%", "--background", "repair@10M", "--threads", "2", "--min-time", "0.1", "--cpu", cpus[-1],
                       "--background-cpu", cpus[0], program=scene.ECBENCH)
        self.assertTrue(row["verified"])
        self.assertEqual(row["background"], "repair@10485760")
        self.assertTrue(0 < row["p50"] <= row["p95"] <= row["p99"], row)
        self.assertGreater(row["background_gb_per_s"], 0)
        self.assertIn(f" --pace 50% --background repair@10485760 --background-cpu {cpus[0]} ", row["command"])
        row = self.row("--background", "scrub", "--min-time", "0.01", program=scene.ECBENCH)
        self.assertEqual((row["p50"], row["pace"], row["limit_gb_per_s"]), (None, None, None))


class Refused(scene.Scene):
    def test_what_a_workload_cannot_do(self):
        shape = ["-P", "k=4", "-P", "m=2"]
        for command, refused in (
                (["-w", "overwrite", *RS_6_2], (
                    ("--changed 7", "--changed 7", "1 to 6"), ("--changed 0", "--changed 0", "1 to 6"),
                    ("--changed x", "--changed x"), ("--timing api", "--timing api", "kernel"),
                    ("-e 1", "--erasures 1", "decode or repair"))),
                (["-w", "encode", *RS_6_2], (("--changed 1", "--changed 1", "--workload overwrite"),)),
                (["-w", "overwrite", *shape], (("-p lrc -P l=3", "no parity delta"), ("-p clay", "no parity delta"))),
                (["-w", "repair", *RS], (
                    ("-e 2", "--erasures 2", "one lost chunk"), ("--erased 0,1", "several chunks"), ("--want data", "--want data"),
                    ("-E exhaustive", "exhaustive", "in turn"), ("--timing api", "--timing api", "Ceph"),
                    ("--erased 6", "the chunks are 0 to 5"))),
                (["--show-reads", *RS], (
                    ("--format csv", "table or json"), ("--erased 6", "the chunks are 0 to 5"),
                    ("--csum-block 5000", "power of two"), ("--erasures 0", "at least 1 lost chunk"), ("--erasures 7", "7"))),
                (["--show-reads"], (("-p isa -P k=32 -P m=3 -e 8", "1000000"),)),
                (shape, (
                    *((f"--pace '{value}'", "--pace", "0.001 to 1000000000", "1% to 100%")
                      for value in ("0", "-1", "nan", "inf", "200%", "0.5%", "5x", "", "%")),
                    *((f"--background '{value}'", f"--background {value or repr('')}", "repair@50M") for value in ("", "x", "@5M")),
                    ("--background repair@0", "--background repair@0", "at least 1 byte"),
                    ("--background repair@-1", "--background repair@-1", "4K"), ("--background-cpu 0", "--background"),
                    ("--background repair --background-cpu 9999", "--background-cpu 9999"),
                    ("--pace 5 -i 5", "--pace", "--iterations"), ("--pace 5 --target-ci 5", "--target-ci"),
                    ("-p clay -P d=5 --background overwrite", "--background overwrite", "no parity delta")))):
            for words, *said in refused:
                self.assert_refused(scene.ecbench(*command, *shlex.split(words)), *said)
