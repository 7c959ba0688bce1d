"""bench.sh fleet report, also with the logs of the pods of docs/kubernetes.yaml."""

import collections
import gzip
import json
import os
import random
import re
import shlex
import sys
import textwrap
import unittest

import scene
import synthetic_fleet
from ecbench.runfile.header import MOST_BYTES_OF_LINE

STORED = synthetic_fleet.Stored()
IDS = STORED.ids(6)
CODE = ["k=4", "m=2"]


class FleetScene(scene.Scene):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "results"

    def write(self, host, **options):
        records = STORED.records(host, IDS, random.Random(host), **options)
        return synthetic_fleet.write_host(self.results, host, records)

    def write_state(self, host, state, **more):
        synthetic_fleet.write_state(self.results, host, state, **more)

    def report(self, *words):
        return scene.ask("fleet", "report", self.results, *words)

    def blocks(self):
        """The rows of the blocks: hosts, differences, files that are not used, classes, speeds, and profiles for all classes."""
        document = json.loads(self.succeeded(self.report("--format", "json")).stdout)
        scene.validator("fleet").validate(document)
        return [block["rows"] for block in document["blocks"]]


class Report(FleetScene):
    def test_each_class_has_a_fastest_profile(self):
        for number in range(4):
            self.write(f"osd-{number}", dispatch="ssse3" if number > 1 else "native", factor=0.5 if number > 1 else 1)
        hosts, differences, unused, classes, speeds, for_all = self.blocks()
        self.assertEqual([one["hosts"] for one in classes], [["osd-0", "osd-1"], ["osd-2", "osd-3"]])
        self.assertEqual([one["facts"]["dispatch"] for one in classes], ["native", "ssse3"])
        self.assertEqual((differences, unused, [host["verdict"] for host in hosts]), ([], [], ["like its class"] * 4))
        cases = collections.defaultdict(list)
        for row in speeds:
            cases[row["shape"], row["size"], row["workload"], row["host_class"]].append(row)
            self.assertEqual(set(row["hosts"]), set(classes["AB".index(row["host_class"])]["hosts"]))
        for first, *others in cases.values():
            self.assertEqual(first["ratio"], 1)
            self.assertTrue(all(row["low"] <= row["gb_per_s"] <= row["high"] for row in (first, *others)))
        self.assertEqual(collections.Counter(row["host_class"] for row in for_all), dict.fromkeys("AB", len(cases) // 2))
        best = {(row["size"], row["workload"], row["host_class"]): row["code"] for row in for_all}
        self.assertTrue(all(code == best[size, workload, "B"] for (size, workload, name), code in best.items() if name == "A"))

    def test_a_slow_host_is_first_with_what_differs(self):
        other = {**STORED.header["environment"]["cpu"], "governor": "powersave", "microcode": "0xbad"}
        for number in range(6):
            self.write(f"osd-{number}", factor=0.85 if number == 3 else 1, environment={"cpu": other} if number == 3 else None)
        hosts, differences, *_ = self.blocks()
        self.assertEqual([host["code"] for host in hosts if host["verdict"] == "slower"], ["osd-3"])
        self.assertAlmostEqual(hosts[0]["ratio"], 0.85, delta=0.02)
        self.assertEqual([list(one.values())[:3] for one in differences],
                         [["osd-3", "governor", "powersave"], ["osd-3", "microcode", "0xbad"]])
        printed = self.report().stdout.splitlines()
        self.assertTrue(printed[0].startswith("1 of 6 hosts is slower than its class: osd-3 ("), printed[0])
        self.assertRegex("\n".join(printed), r"\nosd-3 +governor +powersave +unknown\n")

    def test_hosts_and_files_in_trouble_harm_no_other_host(self):
        good, disturbed = self.write("osd-0").read_bytes(), ("few", "throttled", "shared")
        self.write("few", factor=0.2, warnings=["few_clean_samples"])
        self.write("throttled", factor=0.2, warnings=["throttled"])
        self.write("shared", factor=0.2, cpu_share=0.85)
        self.write_state("away", "unreachable", reason="no route to host")
        lines = good.splitlines(keepends=True)
        changed = {
            "cut": good[:-40], "garbage": b"\0\1\2" * 100, "empty": b"", "foreign": good, "ended": b"".join(lines[:-1]),
            "failed": b"".join([lines[0], *(row.replace(b'"record":"row"', b'"record":"failure","kind":"failed","why":"memory"')
                                            for row in lines[1:-1]), lines[-1]])}
        for name, content in changed.items():
            (self.results / name).mkdir()
            (self.results / name / "run.jsonl").write_bytes(content.replace(b'"osd-0"', b'"ended"') if name == "ended" else content)
        self.write_state("failed", "done", hostname="osd-0")
        self.write_state("ended", "done")
        for name in ("bomb", "linked", "many", "state", "..evil", "bad name"):
            (self.results / name).mkdir()
        (self.results / "bomb" / "run.jsonl.gz").write_bytes(gzip.compress(b" " * (MOST_BYTES_OF_LINE + 1), 9))
        (self.results / "linked" / "run.jsonl").symlink_to(self.results / "osd-0" / "run.jsonl")
        (self.results / "link").symlink_to(self.results / "osd-0")
        for number in range(101):
            (self.results / "many" / f"{number:03}.jsonl").touch()
        (self.results / "state" / "host.json").write_text('{"format": "ecbench fleet host 1", "host": "../osd-0", "state": "done"}')
        (self.results / "osd-0" / "early.jsonl").write_bytes(b"".join(lines[:4]))
        (self.results / "osd-0" / "run.dat").touch()
        (self.results / "osd-0" / "notes.txt").touch()
        unnamed = [{key: value for key, value in json.loads(line).items() if key != "host"} for line in lines]
        unnamed[1]["gb_per_s"] *= 1.01
        for host in ("unnamed", "unnamed-2"):
            synthetic_fleet.write_host(self.results, host, unnamed)
        (self.results / "fleet.json").write_text(json.dumps({"format": "ecbench fleet 1", "hosts": ["osd-0", "never"]}))
        hosts, _, unused, classes, speeds, _ = self.blocks()
        self.assertEqual({row["code"] for row in hosts if row["disturbed"]}, set(disturbed))
        missing = {row["code"]: row["missing"] for row in hosts if row["missing"]}
        self.assertEqual((missing.pop("away"), missing.pop("never"), missing.pop("failed")),
                         ("unreachable: no route to host", "no run file",
                          f"its run has no figure; {len(lines) - 2} measurements failed"))
        self.assertEqual(set(missing), {*changed, "bomb", "linked", "many", "state", "unnamed-2"} - {"failed"})
        self.assertEqual({host for row in speeds for host in row["hosts"]}, {"osd-0", "unnamed"})
        self.assertEqual((classes[0]["count"], classes[0]["clean_count"]), (5, 2))
        why = {row["code"]: row["why"] for row in unused}
        for path, expected in (
                ("cut/run.jsonl", "cut off"), ("ended/run.jsonl", "cut off"), ("foreign/run.jsonl", "of the host osd-0"),
                ("garbage/run.jsonl", "not JSON"), ("empty/run.jsonl", "empty"), ("bomb/run.jsonl.gz", "limit for a line"),
                ("linked/run.jsonl", "symbolic link"), ("link", "symbolic link"), ("bad name", "the name of a host"),
                ("state/host.json", "name of a host"), ("many/100.jsonl", "at most 100 run files"),
                ("osd-0/run.dat", "must end in .jsonl"), ("osd-0/early.jsonl", "run.jsonl has the same run"),
                ("unnamed-2/run.jsonl", "a copy of unnamed/run.jsonl")):
            self.assertIn(expected, why[path], path)
            self.assertFalse(why[path].startswith(str(self.results)), why[path])
        self.assertNotIn("osd-0/notes.txt", why)
        self.assertEqual([row["run"]["rows"] for row in hosts if row["code"] == "osd-0"], [len(lines) - 2])

    def test_a_directory_that_cannot_be_read_is_not_used(self):
        self.write("osd-0")
        self.write("closed").parent.chmod(0)
        result = self.silent(scene.run([*scene.AS_USER, *scene.mode("fleet", "report", self.results)]))
        self.assertRegex(result.stdout, r"\nclosed +cannot be read: Permission denied")
        self.assertIn("1 of 2 hosts have all results", result.stdout)

    def test_the_page_does_not_replace_an_input(self):
        self.write("osd-0")
        for name in ("fleet.json", "osd-0/host.json", "osd-0/run.jsonl", "osd-0/other.jsonl"):
            path = self.results / name
            before = path.read_bytes() if path.exists() else None
            self.assert_refused(self.report("--page", path), str(path))
            self.assertEqual(path.read_bytes() if path.exists() else None, before)

    def test_many_hosts_are_read_by_several_processes(self):
        for number in range(14):
            self.write(f"osd-{number:02}", factor=0.8 if number == 3 else 1)
        (self.results / "osd-05" / "run.jsonl").write_bytes(b"garbage")
        one = scene.run(["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))),
                         *scene.mode("fleet", "report", self.results, "--format", "json")])
        hosts, _, unused, *rest = self.blocks()
        self.assertEqual([block["rows"] for block in json.loads(one.stdout)["blocks"]], [hosts, _, unused, *rest])
        self.assertEqual([host["code"] for host in hosts if host["part"]], ["osd-03"])
        self.assertEqual([file["code"] for file in unused], ["osd-05/run.jsonl"])
        first, *_, last = re.search(r"\nHost .*\n((?:osd.*\n)+)2 more rows", self.report().stdout)[1].splitlines()
        self.assertRegex(first, "^osd-03 .* slower ")
        self.assertRegex(last, f"^{hosts[-3]['code']} ")

    def test_wrong_bytes_have_exit_code_2(self):
        path = self.write("osd-0")
        records = scene.records_of(path)
        row = records[1]
        records[1] = {"record": "failure", "id": row["id"], "repetition": row["repetition"], "at": row["at"], "kind": "wrong_bytes",
                      "why": "chunk 3 differs"}
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        result = self.report()
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stdout.startswith("WRONG BYTES: osd-0: "), result.stdout)

    @unittest.skipUnless(scene.HAS_PAGE_LIBRARY, "vl-convert-python is not installed")
    def test_the_page_has_the_hosts_of_each_class(self):
        page = self.folder / "page.html"
        for number in range(5):
            self.write(f"osd-{number}", factor=0.8 if number == 1 else 1)
        self.write("osd-5", dispatch="ssse3", factor=0.5)
        self.write_state("osd-6", "unreachable", reason="no route </script><b>&")
        (self.results / "osd-7").mkdir()
        (self.results / "osd-7" / "run.jsonl").write_bytes(b"garbage")
        self.succeeded(self.report("--page", page))
        text = page.read_text(encoding="utf-8")
        self.assertIn("1 of 6 hosts is slower than its class: osd-1 ", text)
        for words in ("class B", "unreachable: no route &lt;/script&gt;&lt;b&gt;&amp;", "osd-7/run.jsonl"):
            self.assertIn(words, text)
        found = {row["code"]: row["verdict"] for row in scene.rows_of_page(text)}
        self.assertEqual(found, {**{f"osd-{number}": "slower" if number == 1 else "like its class" for number in range(5)},
                                 **dict.fromkeys(("osd-5", "osd-6", "osd-7"), "")})
        self.assertEqual(self.report("--page", page).returncode, 0)
        self.assert_refused(self.report("--page", self.results / "osd-0" / "run.jsonl"), "run.jsonl", "--page")

    def test_bad_arguments_are_refused(self):
        self.results.mkdir()
        for words, expected in ((("report", self.results), ("no directory of a host",)),
                                (("report", self.folder / "none"), ("none",)), (("report",), ("DIR",)), ((), ("fleet",)),
                                (("-i", "a,", "plan"), ("give run or tune",)),
                                (("report", self.results, "--format", "rook"), ("rook",)),
                                (("--kubernetes", "--nodes", "2", "tune", *CODE), ("docs/kubernetes.yaml",)),
                                (("unpack", "a", "b"), ("kubectl logs",))):
            self.assert_refused(scene.ask("fleet", *words), *expected)


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
        return [block["rows"] for block in json.loads(self.report("--format", "json").stdout)["blocks"]]

    def test_the_log_is_the_run_file(self):
        log = self.log("run", "plugin=isa", "k=2", "m=1", "size=4K", "workload=encode", "technique=reed_sol_van", "--repetitions",
                       "1", "--min-time", "0.001", "--seed", "1")
        hosts, _, unused, *_ = self.collect(log)
        self.assertEqual([(one["code"], one["run"]["rows"], one["missing"]) for one in hosts], [("node-a", 1, "")])
        self.assertEqual(unused, [])
        unused = self.collect("".join(log.splitlines(keepends=True)[:-1]))[2]
        self.assertEqual([one["code"] for one in unused], ["node-a/run.jsonl"])

    def test_a_failed_mode_is_reported(self):
        log = self.log("run", "nonsense")
        self.assertIn("nonsense", log)
        self.assertEqual([one["code"] for one in self.collect(log)[0] if one["missing"]], ["node-a"])
