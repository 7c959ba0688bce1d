"""ecbench --workload overwrite verifies the bytes for every number of changed chunks. It prints how many chunks are read and
written. The experiment overwrite compares overwrites with re-encoding."""


import scene

RS = ["-p", "isa", "-P", "k=6", "-P", "m=2"]
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
        row = super().row("-w", "overwrite", *SMALL, *args)
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

    def test_the_table_has_columns_of_its_own(self):
        header, row = ecbench(*RS, *SMALL, "--changed", "2").stdout.splitlines()
        cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        self.assertEqual([cells[name] for name in ("changed", "delta reads+writes", "re-encoding reads+writes")],
                         ["2", "4+4", "4+4"])

    def test_what_it_cannot_do_is_refused(self):
        for options, words in ((["--changed", "7"], ["--changed 7", "1 to 6"]), (["--changed", "0"], ["--changed 0", "1 to 6"]),
                               (["--changed", "x"], ["--changed x"]), (["--timing", "api"], ["--timing api", "kernel"]),
                               (["-e", "1"], ["--erasures 1", "decode or repair"]),
                               (["-w", "encode", "--changed", "1"], ["--changed 1", "--workload overwrite"])):
            workload = [] if "-w" in options else ["-w", "overwrite"]
            self.assert_refused(scene.run([scene.ECBENCH, *workload, *RS, *options]), *words)
        for code in (["-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3"], ["-p", "clay", "-P", "k=4", "-P", "m=2"]):
            self.assert_refused(ecbench(*code), "no parity delta")


class Experiment(scene.Scene):
    def test_the_table_compares_each_number_of_chunks_with_encoding(self):
        result = scene.run(scene.mode("overwrite", "4+2", "size=16K", "--rounds", "1", "--min-time", "0.001", "--output",
                                      self.folder / "run.jsonl", "--ecbench", scene.FAKE), {"ECBENCH_PLUGIN_DIR": None})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\n  encode +none +\d\S+ +1 +\d\S+ +1\n")
        for changed in range(1, 5):
            self.assertRegex(result.stdout, rf"\n  overwrite +{changed} +\d\S+ +\d\S+ +inconclusive")  # one round has no interval
