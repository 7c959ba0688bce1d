"""ecbench --mixed verifies and counts client operations during repairs. bench.sh mixed compares codes at several repair rates."""

import json
import os

import jsonschema
import scene

ROW = json.loads((scene.SOURCE / "src/report/mixed_row.schema.json").read_text(encoding="utf-8"))
RESULT = json.loads(scene.run(scene.mode("mixed", "--schema")).stdout)
RS = ["-p", "isa", "-P", "k=4", "-P", "m=2"]
CLAY = ["-p", "clay", "-P", "k=4", "-P", "m=2"]
SHARES = ["--shares", "read=40,degraded-read=20,encode=30,overwrite=10"]
SMALL = ["-s", "32K", "--pool", "1M", "--duration", "0.05"]
CPU = min(os.sched_getaffinity(0))


def ecbench(*args):
    return scene.run([scene.ECBENCH, "--mixed", *args])


class Program(scene.Scene):
    def row(self, *args, seconds="0.05"):
        result = ecbench("--format", "json", *SMALL[:-1], seconds, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        row = json.loads(result.stdout)
        jsonschema.Draft202012Validator(ROW).validate(row)
        return row

    def test_every_operation_is_counted_once(self):
        for code, overwrites in ((RS, "delta"), (CLAY, "reencoding")):
            for stripe_unit in ("none", "4K"):
                row = self.row(*code, *SHARES, "--foreground-rate", "200", "--repair-rate", "unlimited", "--stripe-unit",
                               stripe_unit)
                foreground = row["foreground"]
                self.assertEqual(foreground["operations"], 10)  # 200/s for 0.05 s
                self.assertEqual(sum(kind["operations"] for kind in row["kinds"].values()), 10)
                self.assertEqual(sum(count for _, count in foreground["histogram"]), 10)
                self.assertIsNone(foreground["latency_ms"]["p50"])
                self.assertEqual(row["overwrites_by"], overwrites)

    def test_repair_rate_zero_repairs_nothing(self):
        row = self.row(*RS, "--repair-rate", "0")
        self.assertEqual((row["repair"]["chunks"], row["repair"]["cpu_seconds"]), (0, 0))

    def test_a_deep_scrub_checks_all_chunks_at_its_rate(self):
        seconds = 0.4  # on a busy machine, a thread may not run for 0.1 s
        row = self.row(*RS, "--background", "deep-scrub", "--repair-rate", "2M", "--foreground-rate", "100", seconds=str(seconds))
        chunks = row["repair"]["chunks"]
        self.assertEqual((row["background"], row["repair"]["reads_per_byte"], chunks % 6), ("deep-scrub", 1, 0))
        self.assertGreater(chunks, 0)
        self.assertLessEqual(row["repair"]["bytes_per_s"] * seconds, seconds * (2 << 20) + 6 * row["chunk_size"])
        self.assertIn("--background deep-scrub", row["command"])

    def test_only_the_given_kinds_of_operations_run(self):
        row = self.row(*RS, "--shares", "encode=100", "--foreground-threads", "2")
        self.assertEqual(list(row["kinds"]), ["encode"])
        self.assertIsNone(row["overwrites_by"])

    def test_a_shared_cpu_is_noted(self):
        row = self.row(*RS, "--foreground-cpu", CPU, "--repair-cpu", CPU, "--repair-rate", "1M")
        self.assertTrue(row["shared_cpus"])
        self.assertEqual([note["code"] for note in row["notes"]], ["repairs_share_cpu"])

    def test_the_command_repeats_the_measurement(self):
        command = self.row(*RS, "--foreground-rate", "123.5", "--repair-rate", "1M")["command"]
        for words in ("--mixed", "--foreground-rate 123.5", "--repair-rate 1048576", "--duration 0.05", "--pool 1048576"):
            self.assertIn(words, command)

    def test_unfinished_operations_are_marked(self):
        """The requested rate is a million overwrites of 1 MiB objects per second. No machine reaches this rate."""
        result = ecbench(*RS, "-s", "1M", "--pool", "1M", "--duration", "0.05", "--foreground-rate", "1000000",
                         "--shares", "overwrite=100")
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("all", "overwrite"):
            cells = next(line.split() for line in result.stdout.splitlines() if line.startswith(name))
            self.assertEqual([cell[0] for cell in cells[-4:]], [">"] * 4, result.stdout)

    def test_a_measurement_without_operations_is_refused(self):
        for options in (["--duration", "1e-9"], ["--duration", "1e-300"],
                        ["--duration", "1e-9", "--foreground-rate", "1", "--repair-rate", "unlimited"]):
            self.assert_refused(ecbench(*RS, *SMALL[:4], "--format", "json", *options), "--duration 1e-", "longer --duration")

    def test_threads_that_cannot_be_started(self):
        if scene.is_sanitized():
            self.skipTest("a sanitizer needs terabytes of address space")
        limited = ["sh", "-c", 'ulimit -v 400000; exec "$@"', "sh", scene.ECBENCH, "--mixed", *RS, *SMALL,
                   "--foreground-threads", "200"]
        self.assert_refused(scene.run(limited), "--foreground-threads 200 ")
        self.assert_refused(scene.run([*limited, "--repair-rate", "1M"]), "--foreground-threads 200 with --repair-threads 1 ")

    def test_bad_options_are_refused(self):
        for options, words in ((["--shares", "read=50"], ["sum to 50", "sum to 100"]),
                               (["--shares", "x=100"], ["read, degraded-read"]),
                               (["--foreground-threads", "0"], ["--foreground-threads 0", "1 to 1024"]),
                               (["--repair-threads", "0"], ["--repair-threads 0", "1 to 1024"]),
                               (["--repair-cpu", "1023"], ["--repair-cpu 1023", "may use CPU"]),
                               (["--foreground-cpu", f"{CPU},{CPU}"], ["given twice", "--foreground-threads"]),
                               (["--repair-cpu", f"{CPU}-{CPU},{CPU}"], ["given twice", "--repair-threads"]),
                               (["--foreground-cpu", ""], ["--foreground-cpu ''"]), (["--repair-rate", "-1"], ["--repair-rate -1"]),
                               (["--background", "scrub"], ["--background scrub", "deep-scrub"]),
                               (["--foreground-rate", "0"], ["--foreground-rate 0"]), (["--duration", "0"], ["--duration 0"]),
                               (["--foreground-rate", "1e9"], ["lower rate"]),
                               (["--foreground-rate", "1e-300"], ["1e-300", "0.001"]),
                               (["--pool", "100T"], ["--pool", "smaller --pool"]),
                               (["--workload", "decode"], ["--workload", "--mixed"]),
                               (["--threads", "2"], ["--threads", "--mixed"]),
                               (["--format", "csv"], ["table|json"])):
            self.assert_refused(ecbench(*RS, *options), *words)
        self.assert_refused(scene.run([scene.ECBENCH, *RS, "--shares", "read=100"]), "--shares", "without --mixed")


class Mode(scene.Scene):
    """Tests bench.sh mixed."""

    WORDS = ("plugin=isa", "technique=reed_sol_van", "k=4", "m=2", "size=32K", "pool=1M", "--duration", "0.2")

    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "a run.jsonl"

    def ask(self, *args):
        return scene.run(scene.mode("mixed", "--ecbench", scene.FAKE, *args), env=self.environment())

    def environment(self):
        return {"ECBENCH_RESULTS_DIR": self.folder / "results", "ECBENCH_PLUGIN_DIR": None}

    def test_codes_are_compared_by_repair_rate(self):
        result = self.ask("plugin=isa,clay", *self.WORDS[1:], "repair=1M,unlimited", "--rounds", "1",
                          "--format", "json", "--seed", "1", "--output", self.run_file)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        jsonschema.Draft202012Validator(RESULT).validate(document)
        self.assertEqual({code["plugin"] for code in document["codes"]}, {"isa", "clay"})
        for code in document["codes"]:
            self.assertEqual(sorted(str(step["repair_limit"]) for step in code["steps"]), ["0.0", "1048576.0", "None"])
            self.assertAlmostEqual(code["load_operations_per_s"], 0.8 * code["maximum_operations_per_s"],
                                   delta=0.001 * code["maximum_operations_per_s"])
        printed = self.ask("--resume", self.run_file, "--format", "table")
        self.assertIn("repair MB/s", printed.stdout)
        self.assertRegex(printed.stdout, "p99 .*reach(es)? 2 times the p99 without repairs")

    def test_the_default_grid(self):
        """The profiles and sizes of "Firefly Erasure Coding CPU Tests": 6+2 and three copies at 4M, 128K and 4K."""
        result = self.ask("pool=1M", "background=deep-scrub", "repair=1M", "--rounds", "1", "--duration", "0.2", "--format",
                          "json", "--output", self.run_file)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        jsonschema.Draft202012Validator(RESULT).validate(document)
        self.assertEqual(document["background"], "deep-scrub")
        self.assertEqual(sorted((code["plugin"], code["size"], code["stripe_unit"]) for code in document["codes"]),
                         sorted((plugin, size, unit) for plugin, unit in (("isa", 4096), ("replication", None))
                                for size in (4 << 20, 128 << 10, 4 << 10)))
        self.assertEqual({code["profile"].get("k", "1") for code in document["codes"]}, {"6", "1"})
        summary = self.ask("--resume", self.run_file, "--format", "table").stdout.splitlines()[-8:-2]
        self.assertEqual(sum(line.startswith("replication size=3, ") for line in summary), 3, summary)

    def test_objects_larger_than_memory_are_refused_before_the_run(self):
        for word in ("size=1T", "pool=1024T"):
            words = [other for other in self.WORDS if other.partition("=")[0] != word.partition("=")[0]]
            result = self.ask(word, *words, "--output", self.run_file)
            self.assert_refused(result, word.partition("=")[0], "GiB are available", "smaller")
            self.assertFalse(self.run_file.exists())

    def test_a_page_is_written(self):
        page = self.folder / "page.html"
        result = self.ask(*self.WORDS, "repair=unlimited", "--rounds", "1", "--page", page, "--output", self.run_file)
        if not scene.HAS_PAGES:
            self.skipTest("matplotlib and jinja2 are not installed")
        self.assertEqual(result.returncode, 0, result.stderr)
        text = page.read_text(encoding="utf-8")
        self.assertEqual(text.count("<svg"), 2)
        self.assertIn("isa reed_sol_van 4+2, 32 KiB", text)


if __name__ == "__main__":
    scene.main()
