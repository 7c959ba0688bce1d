"""The output of ecbench that other programs read: JSON, CSV and run files."""

import collections
import csv
import io
import json
import os
import re
import shlex
import subprocess

import jsonschema
import scene

VALIDATOR = scene.validator()
SCHEMA = VALIDATOR.schema

CODE = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2"]
QUICK = ["-s", "4K", "-i", "3"]
CLASSIC = [*CODE, *QUICK]
SAMPLED = [*CODE, "-s", "4K", "--min-time", "0.01"]
OF_SAMPLES = {"ci_low", "ci_high", "ci_percent", "ci_confidence_percent", "drift_percent", "drift_floor_percent", "mad_percent",
              "outliers"}
OF_LIMIT = {"limit_gb_per_s", "limit_percent"}
OF_REPAIR = {"reads", "chunks_read", "drive_factor", "network_factor", "reads_per_helper", "rebuilt_gb_per_s"}
OF_OVERWRITE = {"changed", "delta_reads", "delta_writes", "reencoding_reads", "reencoding_writes"}
NOT_ASKED = {"stripe_unit", "fill", "pool_bytes", "codec_lib", "codec_libraries", "instructions_per_iteration", "plan_ns",
             "repetitions_per_iteration", "limit_age_seconds", "pace", "p50", "p95", "p99", "background",
             "background_gb_per_s"} | OF_REPAIR | OF_OVERWRITE


def counted(row):
    """Returns the samples from which ecbench computes the speed: the clean samples, or all samples if too few are clean."""
    few = any(warning["code"] == "few_clean_samples" for warning in row["warnings"])
    return [sample for sample in row["samples"] if few or sample["clean"]]


def nulls_of(row):
    return {key for key, value in row.items() if value is None}


class Rows(scene.Scene):
    def test_the_schema_requires_every_key(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        self.assertEqual(list(SCHEMA["properties"]), SCHEMA["required"])
        self.assertTrue(all(each.get("description") for each in SCHEMA["properties"].values()))
        row = self.row(*CLASSIC)
        self.assertEqual(list(row), SCHEMA["required"])
        for wrong in ({**row, "surprise": 1}, {**row, "seconds": "1"}, {**row, "cache": "lukewarm"}, {**row, "schema_version": 1},
                      {key: value for key, value in row.items() if key != "drift_percent"}):
            self.assertFalse(VALIDATOR.is_valid(wrong))

    def test_without_the_limit(self):
        row = self.row(*SAMPLED, "-w", "encode", "--limit", "no")
        self.assertEqual(nulls_of(row), NOT_ASKED | OF_LIMIT)
        self.assertIn("--limit no", row["command"])

    def test_sampled_encode(self):
        row = self.row(*SAMPLED, "-w", "encode", "--placements", "3")
        self.assertEqual(nulls_of(row), NOT_ASKED)
        self.assertEqual((row["placements"], {sample["placement"] for sample in counted(row)}), (3, {0, 1, 2}))
        self.assertEqual(row["iterations"], row["sample_iterations"] * len(counted(row)))
        self.assertEqual(row["kb"], row["iterations"] * 4)
        self.assertAlmostEqual(row["seconds"], sum(sample["seconds"] for sample in counted(row)), places=6)
        self.assertAlmostEqual(row["cpu_seconds"], sum(sample["cpu_seconds"] for sample in counted(row)), places=6)
        self.assertEqual(row["sample_count"], len(row["samples"]))
        self.assertEqual(row["clean_samples"], sum(sample["clean"] for sample in row["samples"]))
        self.assertLess(row["ci_low"], row["gb_per_s"])
        self.assertGreater(row["ci_high"], row["gb_per_s"])
        self.assertAlmostEqual(row["limit_percent"], 100 * row["gb_per_s"] / row["limit_gb_per_s"], places=3)
        self.assertAlmostEqual(row["gb_per_s"] * row["ns_per_op"], 4096, places=3)
        self.assertLessEqual(row["minimum_ns_per_op"], row["ns_per_op"])

    def test_classic_has_one_sample_and_no_interval(self):
        row = self.row(*CLASSIC)
        self.assertEqual(nulls_of(row), NOT_ASKED | {"placement_spread_percent"} | OF_SAMPLES | OF_LIMIT)
        self.assertEqual((row["iterations"], row["sample_iterations"], row["placements"], len(row["samples"])), (3, 3, 1, 1))

    def test_other_choices(self):
        row = self.row(*CLASSIC, "-w", "decode", "-e", "2", "-E", "exhaustive")
        self.assertEqual((row["erasures_generation"], row["patterns"], row["kb"]), ("exhaustive", 15, 12))
        row = self.row(*SAMPLED, "--threads", "2")
        self.assertEqual((row["threads"], len(row["thread_gb_per_s"])), (2, 2))
        self.assertEqual(row["iterations"], 2 * row["sample_iterations"] * len(counted(row)))
        row = self.row(*SAMPLED, "--cache", "cold")
        self.assertEqual((row["cache"], row["pool_bytes"] > 1 << 20), ("cold", True))
        cpu = min(os.sched_getaffinity(0))
        row = self.row(*CODE, "-s", "64K", "-i", "3", "--timing", "api", "--stripe-unit", "4K", "--fill", "X", "--cpu", str(cpu))
        self.assertEqual((row["timing"], row["stripe_unit"], row["chunk_size"], row["fill"], row["cpus"]),
                         ("api", 4096, 4096, 88, [cpu]))

    def test_the_home_directory_is_a_tilde_and_the_command_works(self):
        home = self.folder / "zebra"
        home.mkdir()
        (home / "an object").write_bytes(bytes(range(256)) * 16)
        (home / "ecbench").symlink_to(scene.ECBENCH)
        env = {"HOME": home, "USER": "zebra", "LOGNAME": "zebra"}
        options = [*CODE, "-i", "3", "--input", home / "an object", "--erasure-code-dir", scene.PLUGINS, "--format", "json"]
        result = self.succeeded(scene.run([home / "ecbench", *options], env=env))
        self.assertNotIn("zebra", result.stdout)
        command = json.loads(result.stdout)["command"]
        self.assertIn("~/'an object'", command)
        again = self.succeeded(scene.run(["bash", "-c", f"{command} --format json"], env=env))
        self.assertEqual(json.loads(again.stdout)["command"], command)

    def test_an_empty_call_of_a_code_a_decode_plan_and_the_checksums_of_chunks_have_theirs(self):
        decode = [*CLASSIC, "-w", "decode", "-e"]
        for args, calls_code, has_plan in (
                (CLASSIC, True, False), (SAMPLED, True, False), ([*CLASSIC, "--timing", "api"], True, False),
                (["-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3", *QUICK], True, False),
                ([*CLASSIC, "--threads", "2", "--cpu", min(os.sched_getaffinity(0))], True, False),
                ([*decode, "1"], True, True), ([*decode, "2", "-E", "exhaustive"], True, True),
                ([*decode, "1", "--timing", "api"], True, True), ([*CLASSIC, "-w", "repair"], True, True),
                (["-p", "clay", "-P", "k=4", "-P", "m=2", *QUICK, "-w", "repair"], True, False),
                ([*CLASSIC, "-w", "overwrite"], True, False), ([*CLASSIC, "-w", "limit"], False, False),
                ([*CLASSIC, "-w", "memcpy"], False, False)):
            row = self.row(*args)
            found = [(row[name] or 0) > 0 for name in ("call_overhead_ns", "plan_ns", "crc32c_cpu_seconds_per_gb")]
            self.assertEqual(found, [calls_code, has_plan, row["workload"] == "encode"], args)

    def test_a_runtime_gets_the_number_of_threads_before_it_creates_a_code(self):
        runtime = ["--erasure-code-dir", scene.TEST_PLUGINS, "-p", "runtime"]
        told = {"kernel": "made for 3 threads"}
        self.assertEqual({"kernel": self.row(*runtime, *QUICK, "--threads", "3")["kernel"]}, told)
        self.assertEqual(self.row(*runtime, *QUICK)["kernel"], "made for 1 threads")
        environment = json.loads(scene.ecbench(*runtime, "--environment", "--threads", "3").stdout)
        self.assertEqual(environment["kernels"], {"runtime": told["kernel"]})
        questions = self.folder / "questions"
        questions.write_text("".join(json.dumps({"words": ["-p", "runtime", "--threads", threads]}) + "\n" for threads in "31"))
        answers = scene.ecbench("--erasure-code-dir", scene.TEST_PLUGINS, "--describe", questions).stdout.splitlines()
        self.assertEqual([json.loads(answer)["kernel"] for answer in answers], [told["kernel"], "made for 1 threads"])

    def test_csv_is_a_line_of_names_and_a_line_of_values(self):
        for args in (SAMPLED, [*CLASSIC, "-w", "decode", "--erased", "0", "4"]):
            result = self.succeeded(scene.ecbench("--format", "csv", *args))
            names, values = csv.reader(io.StringIO(result.stdout), strict=True)
            self.assertEqual(names, [key for key in SCHEMA["required"] if key != "samples"])
            row = dict(zip(names, values, strict=True))
            self.assertIn("technique=reed_sol_van", row["profile"].split(";"))
            self.assertEqual((row["plugin"], row["verified"], row["size"]), ("jerasure", "true", "4096"))
            self.assertEqual(row["erased"], "0;4" if "--erased" in args else "")
            self.assertEqual(row["ci_low"] == "", "-i" in args)
            self.assertGreater(float(row["gb_per_s"]), 0)
            self.assertIn("--plugin jerasure", row["command"])

    def test_a_column_is_one_declaration(self):
        declared = collections.Counter(name for path in (scene.SOURCE / "src" / "report").glob("*_columns.cc")
                                       for name in re.findall(r'^      \{"(\w+)",', path.read_text(), re.MULTILINE))
        self.assertEqual(declared, collections.Counter(SCHEMA["properties"].keys()))


class RunFile(scene.Scene):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "run.jsonl"

    def test_each_call_appends_a_line_in_every_format(self):
        for count, form in enumerate(("table", "json", "csv"), start=1):
            result = self.succeeded(scene.ecbench(*CLASSIC, "--format", form, "--output", self.path))
            self.assertNotEqual(result.stdout, "")
            lines = self.path.read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), count)
            VALIDATOR.validate(json.loads(lines[-1]))

    def test_files_that_cannot_be_written_are_refused_before_the_measurement(self):
        self.path.write_text('{"torn', encoding="utf-8")
        for word, path in (("newline", self.path), ("directory", self.folder), ("regular", "/dev/null")):
            self.assert_refused(scene.ecbench(*CLASSIC, "--output", path), word, str(path))
        self.assertEqual(self.path.read_text(encoding="utf-8"), '{"torn')

    def test_writers_at_the_same_time_write_whole_lines(self):
        command = shlex.join(str(word) for word in [scene.ECBENCH, *CLASSIC, "--output", self.path])
        writers = [subprocess.Popen(["sh", "-c", f"for i in 1 2 3; do {command}; done"],
                                    stdout=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual([writer.wait(timeout=60) for writer in writers], [0, 0, 0])
        lines = self.path.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 9)
        for line in lines:
            VALIDATOR.validate(json.loads(line))
