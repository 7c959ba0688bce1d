"""ecbench --describe, and --list and --version with --format json."""

import json
import re
import subprocess

import jsonschema
import scene

REPORT = scene.SOURCE / "src" / "report"
DESCRIBE = json.loads((REPORT / "describe.schema.json").read_text(encoding="utf-8"))
LIST = json.loads((REPORT / "list.schema.json").read_text(encoding="utf-8"))
VERSION = json.loads((REPORT / "version.schema.json").read_text(encoding="utf-8"))
CODE = ["-p", "jerasure", "-P", "technique=cauchy_good", "-P", "k=6", "-P", "m=2", "-P", "packetsize=128"]
SHARED = ["plugin", "profile", "workload", "k", "m", "chunk_count", "size", "stripe_unit", "chunk_size", "erasures", "kernel"]


def ask(*questions):
    """A string is a line as it is; other questions are converted to JSON."""
    lines = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in questions)
    return scene.ecbench("--describe", "-", input=lines)


class Describe(scene.Scene):
    def answers(self, *questions):
        answers = [json.loads(line) for line in self.silent(ask(*questions)).stdout.splitlines()]
        self.assertEqual(len(answers), len(questions))
        for answer in answers:
            jsonschema.Draft202012Validator(DESCRIBE).validate(answer)
        return answers

    def test_has_the_values_of_the_row(self):
        for words in ([*CODE, "-w", "decode", "-e", "2", "-s", "10000"], [*CODE, "-s", "1"], [*CODE, "-w", "limit", "-s", "4K"],
                      ["-s", "100K", "--stripe-unit", "4K", "-P", "k=6", "-P", "m=2"], ["-w", "decode", "--erased", "0,3"],
                      ["-w", "repair"]):
            row = json.loads(scene.ecbench(*words, "-i", "1", "--format", "json").stdout)
            [answer] = self.answers({"words": words})
            self.assertEqual({key: answer[key] for key in SHARED}, {key: row[key] for key in SHARED})
            stored = answer["chunk_size"] * answer["stripes"]
            self.assertEqual(answer["stored_bytes"], stored * answer["chunk_count"])
            self.assertAlmostEqual(answer["padding_percent"], 100 * (answer["k"] * stored / answer["size"] - 1))
            self.assertGreaterEqual(answer["k"] * stored, answer["size"])

    def test_refuses_as_ecbench_does_and_continues(self):
        wrong = (["-p", "nosuch"], ["-P", "k=1"], ["-w", "decode", "-e", "9"], ["-s", "0"], ["--nosuch"], ["-s", "4K", "stray"],
                 [*CODE, "-P", "w=x"], ["-w", "overwrite", "--changed", "2147483647"], ["-P", "k"], ["--stripe-unit", "1"],
                 ["--dispatch", "mmx"], ["-w", "repair", "--erased", "10"],
                 ["-p", "jerasure", "-P", "technique=blaum_roth", "-P", "w=7", "-P", "k=6", "-w", "decode", "--erased", "0,1"])
        answers = self.answers(*({"words": words} for words in wrong), {"words": CODE})
        for words, answer in zip(wrong, answers):
            said = scene.ecbench(*words)
            if said.returncode == 1:
                self.assertEqual("ecbench: " + answer["refused"], said.stderr.splitlines()[-1])
            else:
                self.assertNotIn("refused", answer)
        self.assertEqual([("refused" in answer) for answer in answers[:12]] + [answers[-1]["plugin"]], [True] * 12 + ["jerasure"])

    def test_sizes_that_are_larger_than_memory_are_refused(self):
        codes = [["-p", plugin] for plugin in ("isa", "shec", "clay", "example", "replication", "rs-erasure", "rs-simd", "simd")
                 if (scene.PLUGINS / f"libec_{plugin}.so").exists()]
        codes += [CODE, ["-p", "jerasure", "-P", "technique=liber8tion"], ["-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3"]]
        wrong = [[*code, *sizes] for code in codes for size in (2**64 - 1, 2**64 - 64, 2**63, 2**63 - 1, 2**48, 2**45)
                 for sizes in (["-s", size], ["-s", size, "--stripe-unit", "4K"], ["-s", "4K", "--stripe-unit", size])]
        answers = self.answers(*({"words": list(map(str, words))} for words in wrong), {"words": CODE})
        for words, answer in zip(wrong, answers):
            self.assertIn("refused", answer, words)
        self.assertEqual(answers[-1]["plugin"], "jerasure")

    def test_options_that_are_not_of_a_point_are_refused(self):
        output = self.folder / "rows"
        wrong = (["--output", str(output)], ["--outp", str(output)], ["--format", "json"], ["--describe", "-"], ["--list"],
                 ["--help"], ["--version"], ["--environment"], ["--input", "/etc/passwd"], ["--chunks-out", str(output)],
                 ["--erasure-code-dir", "/"], ["--strict"])
        for answer in self.answers(*({"words": words} for words in wrong)):
            self.assertIn("not allowed in a line of --describe", answer["refused"])
        self.assertFalse(output.exists())

    def test_losses(self):
        whole, few, none, many = self.answers({"words": CODE, "losses": 2}, {"words": CODE, "losses": 2, "most_patterns": 5},
                                              {"words": CODE}, {"words": CODE, "losses": 3})
        self.assertEqual(whole["losses"], {"chunks": 2, "patterns": 28, "checked": 28, "unrecoverable": 0})
        self.assertEqual((few["losses"]["patterns"], few["losses"]["checked"]), (28, 5))
        self.assertNotIn("losses", none)
        self.assertIn("at most 2", many["refused"])

    def test_parameters_that_the_technique_lacks_are_ignored(self):
        words = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "packetsize=64"]
        answer, unknown = self.answers({"words": words}, {"words": [*words, "-P", "colour=red"]})
        self.assertEqual(answer["ignored"], ["packetsize"])
        self.assertNotIn("packetsize", answer["profile"])
        self.assertIn("no parameter colour", unknown["refused"])

    def test_an_invalid_line_ends_it_and_the_error_names_the_line(self):
        good = {"words": CODE}
        for bad in ("", "x", "[]", "{}", '{"words": "-p"}', '{"words": [1]}', '{"words": [], "wordz": 1}', '{"words": []',
                    '{"words": [], "losses": 0}', '{"words": [], "losses": 1.5}', '{"words": [], "losses": "2"}',
                    '{"words": [], "losses": 1, "most_patterns": 1000001}', '{"words": [], "losses": -1}', " " * (1 << 20) + "x"):
            result = ask(good, bad, good)
            self.assertEqual((result.returncode, len(result.stdout.splitlines()), len(result.stderr.splitlines())), (1, 1, 1), bad)
            self.assertIn("line 2", result.stderr)

    def test_a_device_without_lines_is_not_read_to_its_end(self):
        self.assert_refused(scene.ecbench("--describe", "/dev/zero"), "line 1", "1 MiB")

    def test_files(self):
        lines = self.folder / "lines"
        lines.write_text(json.dumps({"words": CODE}))
        self.assertIn('"plugin":"jerasure"', scene.ecbench("--describe", lines).stdout)
        for bad in (self.folder / "nosuch", self.folder, ""):
            self.assert_refused(scene.ecbench("--describe", bad), "--describe")
        self.assert_refused(scene.ecbench("--describe", lines, "-p", "isa"), "--plugin", "--describe")

    def test_each_line_is_answered_before_the_next_is_read(self):
        with scene.start([scene.ECBENCH, "--describe", "-"], stdin=subprocess.PIPE) as process:
            for size in (4096, 8192):
                process.stdin.write(json.dumps({"words": [*CODE, "-s", str(size)]}) + "\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["size"], size)
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)


class List(scene.Scene):
    def test_version_has_what_the_build_can_do(self):
        listed = json.loads(self.silent(scene.ecbench("--version", "--format", "json")).stdout)
        jsonschema.Draft202012Validator(VERSION).validate(listed)
        options = re.findall(r"--([a-z][a-z0-9-]+)", scene.ecbench("--help").stdout)
        self.assertEqual(set(listed["options"]) - set(options), set())
        for key, words in (("options", {"serve-slices", "count-instructions", "dispatch", "version"}),
                           ("workloads", {"encode", "decode", "repair"}), ("formats", {"table", "csv", "json", "ceph"}),
                           ("dispatch_levels", {"scalar", "avx512", "native"})):
            self.assertLessEqual(words, set(listed[key]))
        row = scene.ecbench(*CODE, "-i", "1", "-s", "4K", "--format", "json")
        self.assertEqual(json.loads(row.stdout)["schema_version"], listed["row_schema_version"])

    def test_contains_what_the_text_contains(self):
        listed = json.loads(self.silent(scene.ecbench("--list", "--format", "json")).stdout)
        jsonschema.Draft202012Validator(LIST).validate(listed)
        text = scene.ecbench("--list").stdout
        self.assertEqual([plugin["name"] for plugin in listed["plugins"]], re.findall(r"^([\w-]+): ", text, re.MULTILINE))
        rows = [parameter for plugin in listed["plugins"] for technique in plugin["techniques"]
                for parameter in technique["parameters"]]
        lines = re.findall(r"^ {4}(.*)$", text, re.MULTILINE)
        self.assertEqual(len(rows), len(lines))
        for row, line in zip(rows, lines):
            for value in (row["name"], row["allowed"], "default " + (row["default"] or "none"), row["meaning"]):
                self.assertIn(value, line)
            for number in (row["minimum"], row["maximum"], *(row["choices"] or [])):
                self.assertIn("" if number is None else str(number), line)

    def test_other_formats_are_refused(self):
        for name in ("csv", "ceph"):
            self.assert_refused(scene.ecbench("--list", "--format", name), "--format " + name, "--list")
