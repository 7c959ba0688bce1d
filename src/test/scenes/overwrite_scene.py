"""ecbench --workload overwrite verifies the bytes for every number of changed chunks. It prints how many chunks are read and
written. bench.sh overwrite compares overwrites with re-encoding, for isa and simd at the same dispatch level. An interrupted run
can be continued."""

import json
import pathlib
import re
import signal
import tempfile

import jsonschema
import scene

ROW = scene.row_schema()
RS = ["-p", "isa", "-P", "k=6", "-P", "m=2"]
RESULT = scene.document_schema("overwrite")
CODES = (RS, ["-p", "isa", "-P", "technique=cauchy", "-P", "k=6", "-P", "m=3"],
         *(["-p", "jerasure", "-P", f"technique={technique}", "-P", "k=6", "-P", "m=2", *more] for technique, *more in (
             ("reed_sol_van",), ("reed_sol_van", "-P", "w=16"), ("reed_sol_van", "-P", "w=32"), ("reed_sol_r6_op",),
             ("cauchy_orig", "-P", "packetsize=32"), ("cauchy_good", "-P", "packetsize=32"),
             ("liberation", "-P", "packetsize=32"), ("blaum_roth", "-P", "w=6", "-P", "packetsize=32"),
             ("liber8tion", "-P", "packetsize=32"))),
         ["-p", "simd", "-P", "k=6", "-P", "m=3"],
         ["-p", "simd", "-P", "technique=cauchy_good", "-P", "k=6", "-P", "m=2", "-P", "packetsize=32"],
         ["-p", "shec", "-P", "k=6", "-P", "m=3", "-P", "c=2"], ["-p", "replication"])
SMALL = ["-s", "24K", "-i", "13"]


def ecbench(*args):
    return scene.run([scene.ECBENCH, "-w", "overwrite", *args])


class Overwrite(scene.Scene):
    def row(self, *args):
        result = ecbench("--format", "json", *SMALL, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        row = json.loads(result.stdout)
        jsonschema.Draft202012Validator(ROW).validate(row)
        self.assertTrue(row["verified"])
        return row

    def test_every_number_of_changed_chunks_of_every_code(self):
        for code in CODES:
            data_chunks = 1 if "replication" in code else 6
            for changed in range(1, data_chunks + 1):
                with self.subTest(code=code, changed=changed):
                    row = self.row(*code, "--changed", str(changed))
                    self.assertEqual(row["changed"], changed)
                    self.assertEqual(row["delta_reads"], changed + row["m"])
                    self.assertEqual(row["reencoding_reads"], data_chunks - changed)

    def test_counts_changed_bytes(self):
        one, three = (self.row(*RS, "--changed", str(changed)) for changed in (1, 3))
        for row, share in ((one, 1 / 6), (three, 1 / 2)):
            self.assertAlmostEqual(row["gb_per_s"] * row["ns_per_op"], row["size"] * share)
        self.assertEqual((three["delta_reads"], three["delta_writes"]), (5, 5))
        self.assertEqual((three["reencoding_reads"], three["reencoding_writes"]), (3, 5))
        self.assertIn(" --changed 3 ", three["command"])

    def test_can_be_combined_with_other_options(self):
        for options in (["--cache", "cold"], ["--stripe-unit", "64"], ["--threads", "2"], ["--count-instructions"]):
            self.assertEqual(self.row(*RS, "--changed", "2", *options)["changed"], 2)

    def test_the_table_has_columns_of_its_own(self):
        header, row = ecbench(*RS, *SMALL, "--changed", "2").stdout.splitlines()
        cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        self.assertEqual([cells[name] for name in ("changed", "delta reads+writes", "re-encoding reads+writes")],
                         ["2", "4+4", "4+4"])

    def test_the_limit_is_measured(self):
        result = ecbench(*RS, "-s", "24K", "--min-time", "0.005", "--format", "json")
        self.assertGreater(json.loads(result.stdout)["limit_percent"], 0)

    def test_what_it_cannot_do_is_refused(self):
        for options, words in ((["--changed", "7"], ["--changed 7", "1 to 6"]), (["--changed", "0"], ["--changed 0", "1 to 6"]),
                               (["--changed", "x"], ["--changed x"]), (["--timing", "api"], ["--timing api", "kernel"]),
                               (["-e", "1"], ["--erasures 1", "decode or repair"]),
                               (["-w", "encode", "--changed", "1"], ["--changed 1", "--workload overwrite"])):
            workload = [] if "-w" in options else ["-w", "overwrite"]
            self.assert_refused(scene.run([scene.ECBENCH, *workload, *RS, *options]), *words)
        for code in (["-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3"], ["-p", "clay", "-P", "k=4", "-P", "m=2"]):
            self.assert_refused(ecbench(*code), "no parity delta")


class Mode(scene.Scene):
    """Tests bench.sh overwrite."""

    def ask(self, *args, ecbench=scene.ECBENCH):
        return scene.run(self.command(*args, ecbench=ecbench), env=self.environment())

    def command(self, *args, ecbench=scene.ECBENCH):
        return scene.mode("overwrite", "--ecbench", ecbench, *args)

    def environment(self):
        results = tempfile.mkdtemp(dir=self.folder)  # each call writes its run to an empty directory
        return {"ECBENCH_RESULTS_DIR": results, "ECBENCH_PLUGIN_DIR": None}

    def printed(self, *args):
        result = self.ask(*args, "--rounds", "1", "--min-time", "0.001", "--seed", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def document(self, *args):
        document = json.loads(self.printed("--format", "json", *args).stdout)
        jsonschema.Draft202012Validator(RESULT).validate(document)
        return document

    def test_the_table_has_times_reads_and_writes_of_each_number(self):
        text = self.printed("k=4", "m=2", "size=4K").stdout
        time = r" +\d+!?"
        for changed in range(1, 5):
            traffic = rf" +{changed + 2}\+{changed + 2} +{4 - changed}\+{changed + 2}\n"
            self.assertRegex(text, rf"\n  {changed}{time}{time} +\d+\.\d\d{traffic}")
        self.assertRegex(text, rf"\n  re-encoding{time}{time} +\d+\.\d\d +- +-\n")
        number = r"(from \d changed chunks?|for no measured number of changed chunks|inconclusive \([^)]*\))"
        self.assertRegex(text, rf"Re-encoding is faster: with isa {number}, with simd {number}\.\n")
        self.assertIn("Re-encoding reads fewer chunks: from 2 changed chunks.\n", text)
        self.assertIn("without intervals, which need 6 rounds", text)

    def test_both_plugins_run_at_the_same_level(self):
        plugins = {plugin["name"]: plugin["dispatch_levels"]
                   for plugin in json.loads(scene.run([scene.ECBENCH, "--list", "--format", "json"]).stdout)["plugins"]}
        common = [level for level in plugins["isa"] if level in plugins["simd"] and level != "native"]
        document = self.document("k=4", "m=2", "size=4K", "changed=1")
        self.assertEqual([case["dispatch"] for case in document["cases"]], common[-1:])
        header = json.loads(pathlib.Path(document["run"]).read_text().splitlines()[0])
        self.assertEqual({(entry["point"]["plugin"], entry["point"]["dispatch"]) for entry in header["points"]},
                         {("isa", common[-1]), ("simd", common[-1])})
        given, = self.document("k=4", "m=2", "size=4K", "changed=1,4", "dispatch=scalar", "technique=cauchy")["cases"]
        self.assertEqual(given["dispatch"], "scalar")
        self.assertEqual([(line["delta_reads"], line["reencoding_reads"], line["writes"]) for line in given["overwrites"]],
                         [(3, 3, 3), (6, 0, 6)])

    def test_the_ratio_to_reencoding_is_that_of_the_times(self):
        for line in (case := self.document("k=6", "m=2", "size=64K", "changed=1,6")["cases"][0])["overwrites"]:
            for plugin in ("isa", "simd"):
                self.assertAlmostEqual(line[plugin]["reencoding_ratio"]["median"] * case["reencoding"][plugin]["ns"],
                                       line[plugin]["ns"], delta=0.01 * line[plugin]["ns"])
            isa, simd = line["isa"]["ns"], line["simd"]["ns"]
            self.assertAlmostEqual(line["speed_ratio"]["median"] * simd, isa, delta=0.01 * isa)

    def test_an_interrupted_run_continues(self):
        run = self.folder / "a run.jsonl"
        words = ["k=6", "m=2", "size=4K", "changed=1,2", "--rounds", "2", "--min-time", "0.001", "--output", run]
        process = scene.start(self.command(*words, ecbench=self.counting_program()), self.environment())
        self.wait_for_lines(run, 5)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("continue with: ./bench.sh overwrite --resume", stderr.splitlines()[-1])
        (self.folder / "hurry").touch()
        resumed = scene.run(scene.mode("overwrite", "--resume", run), env=self.environment())
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertRegex(resumed.stdout, re.compile(r"^  re-encoding ", re.MULTILINE))
        self.assertIn("Medians of 2 interleaved rounds", resumed.stdout)
        self.assertLessEqual(self.measured(), 2 * 6 * 2 + 1)

    def test_k_and_m_that_a_plugin_refuses_are_left_out(self):
        result = self.printed("k=6,22", "m=4", "size=4K", "changed=1")
        self.assertIn("22+4, chunks of 4 KiB", result.stderr)
        self.assertNotIn("22+4", result.stdout)
        self.assert_refused(self.ask("k=22", "m=4"), "nothing can be measured")


if __name__ == "__main__":
    scene.main()
