"""bench.sh fleet report reads the runs of many hosts. It rejects wrong files and prints their names. The log of a pod of
docs/kubernetes.yaml is its run file."""

import gzip
import json
import os
import random
import re
import shlex
import sys
import textwrap
import unittest

import jsonschema
import scene
import synthetic_fleet
from ecbench.runfile.header import MOST_BYTES_OF_LINE

SCHEMA = scene.document_schema("fleet")
STORED = synthetic_fleet.Stored()
IDS = STORED.ids(6)
CODE = ["k=4", "m=2"]


def fleet(*words, **options):
    return scene.run(scene.mode("fleet", *words), **options)


class FleetScene(scene.Scene):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "results"

    def write(self, host, seed=None, **options):
        records = STORED.records(host, IDS, random.Random(host if seed is None else seed), **options)
        return synthetic_fleet.write_host(self.results, host, records)

    def write_state(self, host, state, **more):
        synthetic_fleet.write_state(self.results, host, state, **more)

    def document(self):
        result = self.succeeded(fleet("report", self.results, "--format", "json"))
        document = json.loads(result.stdout)
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        return document


class Report(FleetScene):
    def test_each_class_has_a_fastest_profile(self):
        for number in range(4):
            self.write(f"osd-{number}", dispatch="ssse3" if number > 1 else "native", factor=0.5 if number > 1 else 1)
        document = self.document()
        self.assertEqual([one["hosts"] for one in document["classes"]], [["osd-0", "osd-1"], ["osd-2", "osd-3"]])
        self.assertEqual({one["dispatch"] for one in document["classes"]}, {"native", "ssse3"})
        self.assertEqual((document["rejected"], document["missing"], document["outliers"]), ([], [], []))
        for case in document["cases"]:
            for one in case["classes"]:
                best = one["profiles"][0]
                self.assertEqual(one["fastest"]["name"], best["name"])
                self.assertEqual(set(best["hosts"]), set(document["classes"]["AB".index(one["class"])]["hosts"]))
            costs = [one["cost_percent"] for one in case["for_all_classes"]["classes"]]
            self.assertEqual(len(costs), 2)
        printed = fleet("report", self.results)
        self.assertIn("one profile for all classes: ", printed.stdout)
        self.assertIn("no host differs from its class", printed.stdout)

    def test_a_slow_host_is_named_with_what_differs(self):
        other = {**STORED.header["environment"]["cpu"], "governor": "powersave", "microcode": "0xbad"}
        for number in range(6):
            self.write(f"osd-{number}", factor=0.85 if number == 3 else 1, environment={"cpu": other} if number == 3 else None)
        printed = fleet("report", self.results).stdout
        line = next(line for line in printed.splitlines() if line.startswith("outlier: "))
        for words in ("osd-3 is", "slower than class A", "governor powersave (others: unknown)", "microcode 0xbad"):
            self.assertIn(words, line)
        self.assertEqual([one["host"] for one in self.document()["outliers"]], ["osd-3"])

    def test_disturbed_and_missing_hosts_are_named_and_do_not_count(self):
        self.write("osd-0")
        self.write("osd-1", factor=0.2, warnings=["few_clean_samples"])
        self.write("osd-4", factor=0.2, warnings=["throttled"])
        self.write("osd-5", factor=0.2, cpu_share=0.85)
        self.write_state("osd-2", "unreachable", reason="no route to host")
        (self.results / "fleet.json").write_text(json.dumps({"format": "ecbench fleet 1", "hosts": [f"osd-{n}" for n in range(6)]}))
        document = self.document()
        self.assertEqual(document["unclean"], ["osd-1", "osd-4", "osd-5"])
        self.assertEqual({one["host"]: one["why"] for one in document["missing"]},
                         {"osd-2": "unreachable: no route to host", "osd-3": "no run file"})
        self.assertEqual(document["classes"][0]["clean_hosts"], ["osd-0"])
        for case in document["cases"]:
            self.assertEqual(set(case["classes"][0]["profiles"][0]["hosts"]), {"osd-0"})

    def test_a_host_whose_measurements_all_failed_is_missing(self):
        self.write("osd-0")
        path = self.write("osd-1")
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for row in records[1:-1]:
            row.update({"record": "failure", "kind": "failed", "why": "no memory"})
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        self.assertEqual(self.document()["missing"],
                         [{"host": "osd-1", "why": f"its run has no figure; {len(records) - 2} measurements failed"}])

    def test_the_page_does_not_replace_an_input(self):
        self.write("osd-0")
        for name in ("fleet.json", "osd-0/host.json", "osd-0/run.jsonl", "osd-0/other.jsonl"):
            path = self.results / name
            before = path.read_bytes() if path.exists() else None
            self.assert_refused(fleet("report", self.results, "--page", path), str(path))
            self.assertEqual(path.read_bytes() if path.exists() else None, before)

    def test_bad_files_are_rejected_by_name_and_harm_no_other_host(self):
        good = self.write("osd-0").read_bytes()
        cut = self.write("cut")
        cut.write_bytes(cut.read_bytes()[:-40])
        ended = self.write("ended")
        ended.write_bytes(b"".join(ended.read_bytes().splitlines(keepends=True)[:-1]))
        self.write_state("ended", "done")
        other = self.write("foreign")
        other.write_bytes(good)
        for name, content in (("garbage", b"\0\1\2" * 100), ("empty", b""), ("bomb", None)):
            (self.results / name).mkdir()
            path = self.results / name / ("run.jsonl.gz" if content is None else "run.jsonl")
            path.write_bytes(gzip.compress(b" " * (MOST_BYTES_OF_LINE + 1), 9) if content is None else content)
        (self.results / "linked").mkdir()
        (self.results / "linked" / "run.jsonl").symlink_to(self.results / "osd-0" / "run.jsonl")
        (self.results / "link").symlink_to(self.results / "osd-0")
        (self.results / "..evil").mkdir()
        (self.results / "bad name").mkdir()
        (self.results / "state").mkdir()
        (self.results / "state" / "host.json").write_text('{"format": "ecbench fleet host 1", "host": "../osd-0", "state": "done"}')
        rejected = {one["path"]: one["why"] for one in self.document()["rejected"]}
        for path, why in (("cut/run.jsonl", "cut off"), ("ended/run.jsonl", "cut off"), ("foreign/run.jsonl", "of the host osd-0"),
                          ("garbage/run.jsonl", "not JSON"), ("empty/run.jsonl", "empty"),
                          ("bomb/run.jsonl.gz", "limit for a line"),
                          ("linked/run.jsonl", "symbolic link"), ("link", "symbolic link"), ("bad name", "the name of a host"),
                          ("state/host.json", "name of a host")):
            self.assertIn(why, rejected[path], path)
            self.assertFalse(rejected[path].startswith(str(self.results)), rejected[path])
        self.assertEqual([one["host"] for one in self.document()["hosts"] if one["rows"]], ["osd-0"])

    def test_an_earlier_copy_of_a_run_does_not_count_twice(self):
        path = self.write("osd-0")
        lines = path.read_bytes().splitlines(keepends=True)
        path.with_name("early.jsonl").write_bytes(b"".join(lines[:4]))
        host, = self.document()["hosts"]
        self.assertEqual((host["files"], host["rows"]), (["run.jsonl"], len(lines) - 2))
        self.assertIn("early.jsonl is left out: run.jsonl has the same run", host["notes"][0])

    def test_a_copy_of_a_host_without_names_is_rejected(self):
        lines = [json.loads(line) for line in self.write("osd-0").read_text().splitlines()]
        for host in ("osd-0", "osd-1"):
            synthetic_fleet.write_host(self.results, host, [{key: value for key, value in line.items() if key != "host"}
                                                            for line in lines])
        rejected, = self.document()["rejected"]
        self.assertEqual(rejected, {"path": "osd-1/run.jsonl", "why": "a copy of osd-0/run.jsonl"})

    def test_many_hosts_are_read_by_several_processes(self):
        for number in range(12):
            self.write(f"osd-{number:02}", factor=0.8 if number == 3 else 1)
        (self.results / "osd-05" / "run.jsonl").write_bytes(b"garbage")
        one = scene.run(["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))),
                         *scene.mode("fleet", "report", self.results, "--format", "json")])
        document = self.document()
        self.assertEqual(json.loads(one.stdout), document)
        self.assertEqual([one["host"] for one in document["outliers"]], ["osd-03"])
        self.assertEqual([one["path"] for one in document["rejected"]], ["osd-05/run.jsonl"])

    def test_wrong_bytes_have_exit_code_2(self):
        path = self.write("osd-0")
        records = [json.loads(line) for line in path.read_text().splitlines()]
        row = records[1]
        records[1] = {"record": "failure", "id": row["id"], "repetition": row["repetition"], "at": row["at"], "kind": "wrong_bytes",
                      "why": "chunk 3 differs"}
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        result = fleet("report", self.results)
        self.assertEqual(result.returncode, 2)
        self.assertIn("WRONG BYTES: osd-0: ", result.stdout)

    @unittest.skipUnless(scene.HAS_PAGE_LIBRARY, "vl-convert-python is not installed")
    def test_the_page_has_the_hosts_of_each_class(self):
        page = self.folder / "page.html"
        for number in range(5):
            self.write(f"osd-{number}", factor=0.8 if number == 1 else 1)
        self.write("osd-5", dispatch="ssse3", factor=0.5)
        self.write_state("osd-6", "unreachable", reason="no route </script><b>&")
        (self.results / "osd-7").mkdir()
        (self.results / "osd-7" / "run.jsonl").write_bytes(b"garbage")
        self.succeeded(fleet("report", self.results, "--page", page))
        text = page.read_text(encoding="utf-8")
        self.assertIn("1 of 6 hosts is slower than its class: osd-1 ", text)
        for words in ("class B", "unreachable: no route &lt;/script&gt;&lt;b&gt;&amp;", "osd-7/run.jsonl: "):
            self.assertIn(words, text)
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
        hosts, kinds = (next(one for one in data["blocks"][0]["columns"] if one["key"] == key) for key in ("code", "kind"))
        found = {hosts["texts"][host]: kinds["texts"][kind] for host, kind in zip(hosts["of"], kinds["of"], strict=True)}
        self.assertEqual(found, {f"osd-{number}": "outlier" if number == 1 else "like its class" for number in range(5)})
        self.assertEqual(fleet("report", self.results, "--page", page).returncode, 0)
        self.assert_refused(fleet("report", self.results, "--page", self.results / "osd-0" / "run.jsonl"), "run.jsonl", "--page")

    def test_bad_arguments_are_refused(self):
        self.results.mkdir()
        for words, expected in ((("report", self.results), ("no directory of a host",)),
                                (("report", self.folder / "none"), ("none",)), (("report",), ("DIR",)), ((), ("fleet",)),
                                (("report", self.results, "--format", "rook"), ("rook",)),
                                (("--kubernetes", "--nodes", "2", "tune", *CODE), ("docs/kubernetes.yaml",)),
                                (("unpack", "a", "b"), ("kubectl logs",))):
            self.assert_refused(fleet(*words), *expected)


class Pods(FleetScene):
    """The container of docs/kubernetes.yaml runs a program of a few lines."""

    def log(self, *words):
        """The log that `kubectl logs` prints has stdout and stderr of the pod."""
        manifest = (scene.SOURCE / "docs" / "kubernetes.yaml").read_text()
        program = textwrap.dedent(re.search(r"- \|\n((?: {14}.*\n)+)", manifest)[1])
        front = self.write_program("front", f"#!/bin/sh\nexec {shlex.join(map(str, scene.mode()))} \"$@\"\n")
        program = program.replace("/opt/ecbench/bin/ecbench", str(front)).replace("/tmp/run.jsonl", str(self.folder / "run.jsonl"))
        result = self.succeeded(scene.run([sys.executable, "-c", program, *words]))
        return result.stderr + result.stdout

    def collect(self, log):
        """Does what the comments of the manifest do. The name of the node is not the host name in the rows."""
        self.write_state("node-a", "done", hostname=os.uname().nodename)
        (self.results / "node-a" / "run.jsonl").write_text(log)
        return json.loads(fleet("report", self.results, "--format", "json").stdout)

    def test_the_log_is_the_run_file(self):
        log = self.log("run", "plugin=isa", "k=2", "m=1", "size=4K", "workload=encode", "technique=reed_sol_van", "--repetitions",
                       "1", "--min-time", "0.001", "--seed", "1")
        report = self.collect(log)
        self.assertEqual([(one["host"], one["rows"]) for one in report["hosts"]], [("node-a", 1)])
        self.assertEqual((report["rejected"], report["missing"]), ([], []))
        report = self.collect("".join(log.splitlines(keepends=True)[:-1]))
        self.assertEqual([one["path"] for one in report["rejected"]], ["node-a/run.jsonl"])

    def test_a_failed_mode_is_reported(self):
        log = self.log("run", "nonsense")
        self.assertIn("nonsense", log)
        self.assertEqual([one["host"] for one in self.collect(log)["missing"]], ["node-a"])
