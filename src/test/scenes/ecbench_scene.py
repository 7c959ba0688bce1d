"""Runs ecbench as users do, and checks the output in each format."""

import hashlib
import json
import random
import subprocess
import time

import scene

ARTICLE = ["--plugin", "jerasure", "--workload", "encode", "--iterations", "10", "--size", "1048576",
           "--parameter", "erasure-code-k=6", "--parameter", "erasure-code-m=2",
           "--parameter", "erasure-code-directory=.libs",  # has no effect
           "--parameter", "erasure-code-technique=cauchy_good", "--parameter", "erasure-code-packetsize=3072"]
SMALL = ["-i", "3", "-s", "4K"]


class Table(scene.Scene):
    def row(self, *args):
        cells = scene.cells_of(self.succeeded(scene.ecbench(*args)).stdout)
        self.assertEqual(list(cells), scene.HEADER)
        return cells

    def test_the_command_of_the_article_of_2013(self):
        row = self.row(*ARTICLE)
        self.assertRegex(row["seconds"], r"^\d+\.\d{6}$")
        expected = {"KB": "10240", "plugin": "jerasure", "k": "6", "m": "2", "work.": "encode", "iter.": "10",
                    "size": "1048576", "eras.": "0", "technique": "cauchy_good", "w": "8", "packetsize": "3072"}
        self.assertEqual({key: row[key] for key in expected}, expected)
        self.assertRegex(row["GB/s"], r"^\d+\.\d{3}!?$")
        self.assertRegex(row["CPU s/GB"], r"^\d+\.\d{4}$")
        self.assertEqual((row["±%"], row["%limit"]), ("-", "-"))  # both columns need several timed intervals

    def test_a_directory_in_the_profile_loads_nothing(self):
        for name in ("isa", "jerasure"):
            (self.folder / f"libec_{name}.so").write_text("not a plugin")
        for words in (("-P", f"directory={self.folder}"), ("-P", "directory=/usr/lib64/ceph/erasure-code"),
                      ("-P", f"erasure-code-directory={self.folder}", "--format", "json")):
            self.assertIn("is ignored", self.succeeded(scene.ecbench("-p", "isa", *words, *SMALL)).stderr)
        self.assert_refused(scene.ecbench("-p", "isa", "--erasure-code-dir", self.folder, *SMALL), "libec_isa.so")

    def test_the_command_repeats_the_row(self):
        row = self.row("-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2", "-w", "decode",
                       "--erased", "1", "4", "--want", "data", "--seed", "9", "--erasure-code-dir", scene.PLUGINS, *SMALL)
        again = scene.cells_of(self.succeeded(scene.run(["sh", "-c", row["command."]])).stdout)
        for measured in ("seconds", "GB/s", "CPU s/GB"):
            del row[measured], again[measured]
        self.assertEqual(again, row)


class Json(scene.Scene):
    def test_has_the_profile_completed_by_defaults(self):
        row = self.row("-p", "jerasure", "-P", "technique=cauchy_good", "-s", "1M", "-i", "2")
        self.assertEqual({key: row["profile"][key] for key in ("k", "m", "w", "packetsize", "technique")},
                         {"k": "7", "m": "3", "w": "8", "packetsize": "2048", "technique": "cauchy_good"})
        self.assertEqual((row["k"], row["m"], row["chunk_count"], row["erasures"], row["erased"]), (7, 3, 10, 0, []))
        self.assertIs(row["verified"], True)

    def test_erased_sets_erasures(self):
        row = self.row("-P", "k=4", "-P", "m=2", "-w", "decode", "--erased", "5", "--erased", "0", *SMALL)
        self.assertEqual((row["erased"], row["erasures"], row["patterns"]), ([0, 5], 2, 1))
        self.assertEqual(self.row("-w", "decode", "--erased", "1,0", *SMALL)["erased"], [0, 1])

    def test_the_limit_of_another_process_is_used(self):
        file = self.folder / "limits"
        words = ["-p", "isa", "-P", "k=4", "-P", "m=2", "--limit-file", file, "--min-time", "0.01", "-s", "64K"]
        # Invented times are undisturbed: a real measurement stores no limit, or that of a shared core, if others use the CPU.
        first = json.loads(self.succeeded(scene.run([self.invent(), *words, "--format", "json"])).stdout)
        self.assertIsNone(first["limit_age_seconds"])
        self.assertNotIn("limit-file", first["command"])
        [line] = file.read_text().splitlines()
        _, _, key = line.split()
        for age, is_used in ((0, True), (31, False)):
            file.write_text(f"{time.monotonic() - age} 1e-3 {key}\n")
            row = self.row(*words, "-P", "technique=cauchy")
            self.assertEqual(row["limit_age_seconds"] is not None, is_used)
            self.assertEqual(abs(row["limit_gb_per_s"] - 65536 / 1e6) < 1e-9, is_used)
        file.write_text(f"{time.monotonic()} 1e-3 {key}\n")
        self.assertIsNone(self.row(*words[:-1], "128K")["limit_age_seconds"])

    def test_scrub_of_every_code(self):
        for words in ("isa k=4 m=2", "jerasure technique=cauchy_good k=4 m=2 packetsize=64", "lrc k=4 m=2 l=3", "shec k=4 m=3 c=2",
                      "clay k=4 m=2", "replication size=3", "simd k=4 m=2"):
            plugin, *parameters = words.split()
            options = [option for parameter in parameters for option in ("-P", parameter)]
            row = self.row("-p", plugin, *options, "-w", "scrub", "-s", "100000", "--min-time", "0.01")
            self.assertIs(row["verified"], True, words)
            self.assertGreater(row["limit_gb_per_s"], 0, words)

    def test_each_stripe_is_encoded_separately(self):
        (self.folder / "object").write_bytes(random.Random(1).randbytes(20000))
        options = ["-P", "k=4", "-P", "m=2", "-i", "2", "--input", self.folder / "object"]
        row = self.row(*options, "--stripe-unit", "1K", "--chunks-out", self.folder / "chunks")
        self.assertEqual((row["size"], row["stripe_unit"], row["chunk_size"]), (20000, 1024, 1024))
        data = (self.folder / "object").read_bytes()
        stripes = [data[i:i + 4096].ljust(4096, bytes(1)) for i in range(0, len(data), 4096)]
        for chunk in range(4):
            expected = b"".join(stripe[chunk * 1024:(chunk + 1) * 1024] for stripe in stripes)
            self.assertEqual((self.folder / "chunks" / str(chunk)).read_bytes(), expected)

    def test_timing_api_gives_the_right_bytes_with_other_options(self):
        for options in (["-w", "encode"], ["-w", "decode", "-e", "2", "-E", "exhaustive"],
                        ["-w", "decode", "-e", "2", "--want", "data"]):
            for more in ([], ["--stripe-unit", "1K"], ["--threads", "2"], ["--cache", "cold"]):
                row = self.row("-P", "k=4", "-P", "m=2", "-s", "10000", "-i", "3", "--timing", "api", *options, *more)
                self.assertEqual(row["timing"], "api")

    def test_a_chunk_that_is_always_zero_is_not_wrong(self):
        for k in range(2, 10):
            for words in (["encode"], ["decode"], ["repair"], ["encode", "--timing", "api"], ["decode", "--timing", "api"]):
                self.succeeded(scene.ecbench("-p", "lrc", "-P", f"k={k}", "-P", "m=1", "-P", f"l={k + 1}", "-i", "1", "-s", "4K",
                                             "-w", *words))

    def test_patterns_that_cannot_be_recovered_are_left_out_and_counted(self):
        blaum_roth = ["-p", "jerasure", "-P", "technique=blaum_roth", "-P", "k=4", "-P", "m=2", "-P", "packetsize=64", "-w",
                      "decode", "-s", "4K", "-i", "50"]
        for generation in ("random", "exhaustive"):
            result = scene.ecbench("--format", "json", *blaum_roth, "-e", "2", "-E", generation)
            row = json.loads(result.stdout)
            self.assertEqual((row["unrecoverable"], row["patterns"]), (1, 14))
            self.assertIn("1 of 15", result.stderr)
        out = self.folder / "chunks"
        self.assert_refused(scene.ecbench(*blaum_roth, "--erased", "0", "2", "--chunks-out", out), "0, 2")
        self.assertFalse(out.exists())

    def test_stripe_unit_of_a_profile_of_ceph(self):
        for words in (["-P", "stripe_unit=4k"], ["-P", "stripe_unit=4096", "--stripe-unit", "4K"],
                      ["-P", "erasure-code-stripe_unit=4K"]):
            row = self.row("-P", "k=2", "-P", "m=1", "-s", "64K", "-i", "1", *words)
            self.assertEqual((row["stripe_unit"], row["chunk_size"]), (4096, 4096))
            self.assertIn("--stripe-unit 4096", row["command"])

    def test_old_names_of_ceph_limit_the_kernels(self):
        levels = {plugin["name"]: plugin["dispatch_levels"]
                  for plugin in json.loads(scene.ecbench("--list", "--format", "json").stdout)["plugins"]}
        parameters = {"jerasure": ["-P", "technique=reed_sol_van"], "shec": []}
        for plugin, more in parameters.items():
            for flavour, level in (("generic", "scalar"), ("sse3", "ssse3"), ("sse4", "native")):
                if level not in levels["jerasure"]:
                    continue
                row = self.row("-p", f"{plugin}_{flavour}", *more, *SMALL)
                limited = self.row("-p", plugin, "--dispatch", level, *more, *SMALL)
                self.assertEqual((row["plugin"], row["dispatch"], row["kernel"]), (f"{plugin}_{flavour}", level, limited["kernel"]))
                again = subprocess.run(row["command"] + " --format json", shell=True, capture_output=True, text=True, check=True)
                self.assertEqual(json.loads(again.stdout)["kernel"], row["kernel"])
                self.assertEqual(scene.ecbench("-p", plugin, "-P", f"plugin={plugin}_{flavour}", *more, *SMALL).returncode, 1)
        self.assert_refused(scene.ecbench("-p", "jerasure_generic", *parameters["jerasure"], "--dispatch", "native"),
                            "jerasure_generic", "--dispatch native", "--dispatch scalar")
        self.assert_refused(scene.ecbench("-p", "shec_generic", "-P", "backend=isa", *SMALL), "backend=isa", "jerasure")
        layers = 'layers=[["DDc","plugin=jerasure_generic technique=reed_sol_van"]]'
        self.assert_refused(scene.ecbench("-p", "lrc", "-P", "mapping=DD_", "-P", layers, *SMALL),
                            "jerasure_generic", "--dispatch scalar")

    def test_warns_of_a_parameter_given_twice_and_takes_the_last(self):
        result = scene.ecbench("--format", "json", "-P", "k=4", "-P", "k=5", *SMALL)
        self.assertEqual(json.loads(result.stdout)["k"], 5)
        self.assertIn("k=5", result.stderr)


class Chunks(scene.Scene):
    def test_a_mapping_changes_the_positions_of_chunks(self):
        for name, parameters in (("plain", []), ("mapped", ["-P", "mapping=_D_D"])):
            scene.ecbench("-p", "isa", "-P", "k=2", "-P", "m=2", *parameters, *SMALL, "--chunks-out", self.folder / name)
        def digest(name, chunk):
            return hashlib.sha256((self.folder / name / chunk).read_bytes()).hexdigest()
        for plain, mapped in zip("0123", "1302", strict=True):
            self.assertEqual(digest("plain", plain), digest("mapped", mapped))

    def test_size_cuts_the_input(self):
        (self.folder / "object").write_bytes(bytes(5000))
        row = json.loads(scene.ecbench("--input", self.folder / "object", "-s", "4K", "-i", "1", "--format", "json").stdout)
        self.assertEqual(row["size"], 4096)


class Help(scene.Scene):
    def test_help_version_and_list(self):
        for option in ("--help", "-h"):
            result = self.succeeded(scene.ecbench(option))
            self.assertEqual(scene.ecbench(option, "-i", "0").returncode, 0, "help must be printed with any other options")
            for word in ("--erasures-generation", "--erased", "--parameter", "--erasure-code-dir", "--chunks-out"):
                self.assertIn(word, result.stdout)
        self.assertRegex(scene.ecbench("--version").stdout, r"^ecbench \d+\.\d+\.\d+\ncompiler: .+\n$")
        listed = self.succeeded(scene.ecbench("--list")).stdout
        for word in ("alias jerasure_generic: means --dispatch scalar", "alias shec_sse4", "technique=cauchy_good"):
            self.assertIn(word, listed)
