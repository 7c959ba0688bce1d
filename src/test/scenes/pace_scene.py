"""ecbench --pace and --background: latencies from the due times on the invented clock of fake_ecbench, real threads with ecbench,
and bad values."""

import json
import os

import scene

CODE = ["-p", "isa", "-P", "k=4", "-P", "m=2", "-s", "4K", "--format", "json"]
STILL = {"noise": 0, "launch": 0}


class Pace(scene.Scene):
    def row(self, *options, program=scene.FAKE):
        result = self.succeeded(scene.run([program, *CODE, *options]))
        return json.loads(result.stdout)

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
        self.assertEqual(percentiles, [301_000, 526_000, 546_000])
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

    def test_bad_values(self):
        for options, words in (
                *((["--pace", value], ["--pace", "0.001 to 1000000000", "1% to 100%"])
                  for value in ("0", "-1", "nan", "inf", "200%", "0.5%", "5x", "", "%")),
                *((["--background", value], [f"--background {value or repr('')}", "repair@50M"]) for value in ("", "x", "@5M")),
                (["--background", "repair@0"], ["--background repair@0", "at least 1 byte"]),
                (["--background", "repair@-1"], ["--background repair@-1", "4K"]),
                (["--background", "repair", "--background-cpu", "9999"], ["--background-cpu 9999"]),
                (["--background-cpu", "0"], ["--background"]),
                (["--pace", "5", "-i", "5"], ["--pace", "--iterations"]), (["--pace", "5", "--target-ci", "5"], ["--target-ci"]),
                (["-p", "clay", "-P", "d=5", "--background", "overwrite"], ["--background overwrite", "no parity delta"])):
            self.assert_refused(scene.run([scene.ECBENCH, *CODE[2:], *options]), *words)
