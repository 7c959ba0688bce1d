"""Tests bench.sh fleet -i without hosts and without Ansible: the arguments, the host list of cephadm, and the program that runs on
each host. In class Control, a script replaces ansible-playbook, to test how bench.sh handles the files that hosts send."""

import json
import os
import pathlib
import shutil
import signal
import tempfile

import scene

# This script replaces ansible-playbook, and prints events as ecbench_events.py does. The directory `hosts` contains one file for
# each host. If the text of this file is "valid", the host sends a valid run file. If it is "EVENT|TASK|MESSAGE", TASK fails on the
# host with MESSAGE. All other texts, such as "garbage", are kinds of errors in the run file that the host sends.
ANSIBLE = r"""#!/usr/bin/python3
import json, os, pathlib, shutil, sys

here = pathlib.Path(__file__).parent
words = sys.argv[1:]
option = lambda name: words[words.index(name) + 1]
if "--version" in words:
    print("ansible-playbook [core 2.14.18]")
    sys.exit()
if os.path.isfile(option("-i")):
    shutil.copy(option("-i"), here / "inventory")
names = sorted(path.name for path in (here / "hosts").iterdir())
if "--list-hosts" in words:
    print("\n  play #1 (all)\n    hosts (%d):" % len(names))
    print(*["      " + name for name in names], sep="\n")
    sys.exit()
values = json.loads(pathlib.Path(option("--extra-vars")[1:]).read_text())
asked = pathlib.Path(option("--limit")[1:]).read_text().split()
(here / "call.json").write_text(json.dumps({"play": pathlib.Path(words[-1]).name, "hosts": asked, "values": values}))


def event(kind, host, task, **result):
    print(json.dumps({"event": kind, "host": host, "task": "ecbench : " + task, "result": result}), flush=True)


def sent(host, kind):
    if kind == "garbage":
        return "\x00\x01 no JSON\n"
    if kind == "empty":
        return ""
    name = kind.split()[1] if kind.startswith("of ") else host
    records = [json.loads(line) for line in (here / "run.jsonl").read_text().splitlines()]
    records[0] |= {"run": values["ecbench_run"] + "-" + (host if kind.startswith("of ") and "renamed" in kind else name),
                   "seed": int(values["ecbench_mode_words"][-1]), "words": values["ecbench_mode_words"][1:]}
    for record in records[1:]:
        record["at"] = "2026-11-22T00:00:%02dZ" % (names.index(name) % 60)
        record |= {"host": name} if record["record"] == "row" else {}
    records[0]["words"] += ["dispatch=native"] if kind == "words" else []
    records[0]["seed"] += kind == "seed"
    records[0]["run"] = "../../" + records[0]["run"] if kind == "path" else records[0]["run"]
    return "\n".join(map(json.dumps, records[:-1] if kind == "unfinished" else records)) + "\n"


for host in asked:
    kind = (here / "hosts" / host).read_text()
    if "|" in kind:
        result, task, reason = kind.split("|")
        event(result, host, task, msg=reason)
    else:
        event("ok", host, "Measure", stdout=json.dumps({"exit_code": 0, "hostname": host}))
        folder = pathlib.Path(values["ecbench_results"], host)
        folder.mkdir(parents=True)
        target = folder / (values["ecbench_run"] + "-" + host + ".jsonl")
        target.symlink_to("/etc/passwd") if kind == "link" else target.write_text(sent(host, kind))
        event("ok", host, "Fetch the result")
"""
WORDS = ["sweep", "plugin=isa", "technique=reed_sol_van", "k=2", "m=1", "size=4K", "workload=encode", "--min-time", "0.001",
         "--repetitions", "1"]


class Fleet(scene.Scene):
    def ask(self, *words, **variables):
        return scene.run(scene.mode("fleet", *words), env=variables)

    def inventory(self, text="[osds]\nosd-1\n"):
        path = self.folder / "an inventory"
        path.write_text(text)
        return path


class Arguments(Fleet):
    def test_wrong_arguments(self):
        inventory = self.inventory()
        (self.folder / "a file").touch()
        for words, found in (
                (["-i", inventory], ["a fleet without a mode is not allowed; choose", "gate ab"]),
                (["-i", inventory, "swep"], ["'swep'", "did you mean sweep"]),
                (["-i", inventory, "gate", "ir"], ["'gate ir'", "choose sweep"]),
                (["-i", inventory, "plan", "k=2"], ["'plan'", "choose sweep"]),
                (["-i", self.folder / "none", *WORDS], ["none is not allowed: it does not exist"]),
                (["-i", "", *WORDS], ["-i '' is not allowed"]),
                (["-i", inventory, "tune", "k=0", "m=1"], ["k=0"]),
                (["-i", inventory, *WORDS, "--output", "x"], ["--output is not allowed in a fleet: every host"]),
                (["-i", inventory, *WORDS, "--cpu=1"], ["--cpu=1", "ecbench_cpus"]),
                (["-i", inventory, *WORDS, "dispatch={{ x }}"], ["{{ x }}", "braces"]),
                (["-i", inventory, "--bundle", self.folder / "a file", *WORDS], ["its name is not ecbench-VERSION"]),
                (["-i", inventory, "--bundle", self.folder / "ecbench-1-x86_64.tar.gz", *WORDS], ["it does not exist"]),
                (["-i", inventory, "--output", self.folder / "a file", *WORDS], ["a file is not allowed: it is not a directory"]),
                (["-i", inventory, "--unknown", *WORDS], ["--unknown is not an option"]),
                ([*WORDS], ["-i"])):
            with self.subTest(words=words):
                self.assert_refused(self.ask(*words), *found)

    def test_hosts_of_cephadm_that_cannot_be_used(self):
        for hosts, found in (([], "at least 1"), ([{"addr": "10.0.0.1"}], "[0].hostname must be text"),
                             ([{"hostname": "../../etc"}], "'../../etc' of the inventory is not allowed"),
                             ([{"hostname": "a", "addr": "-oProxyCommand=x"}], "the address '-oProxyCommand=x'"),
                             ([{"hostname": "a"}, {"hostname": "a"}], "the host a twice")):
            with self.subTest(hosts=hosts):
                self.assert_refused(self.ask("-i", self.inventory(json.dumps(hosts)), *WORDS), found)

    def test_ansible_is_missing_or_too_old(self):
        folder = self.folder / "bin"
        folder.mkdir()
        words = ["-i", self.inventory(), "--output", self.folder / "out", *WORDS]
        self.assert_refused(self.ask(*words, PATH=folder), "ansible-playbook is not on PATH: run scripts/install-deps.sh fleet")
        program = self.write_program("bin/ansible-playbook", "#!/bin/sh\necho 'ansible-playbook [core 2.12.1]'\n")
        self.assert_refused(self.ask(*words, PATH=f"{folder}:/bin:/usr/bin"), str(program), "is version 2.12; 2.14 or newer")


class Control(Fleet):
    """The script ANSIBLE replaces ansible-playbook."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ecbench scene ")
        cls.addClassCleanup(folder.cleanup)
        cls.run_file = pathlib.Path(folder.name) / "run.jsonl"
        done = scene.run(scene.mode(*WORDS, "--ecbench", scene.ECBENCH, "--output", cls.run_file),
                         env={"ECBENCH_PLUGIN_DIR": None})
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def setUp(self):
        super().setUp()
        self.write_program("bin/ansible-playbook", ANSIBLE)
        shutil.copy(self.run_file, self.folder / "bin")
        (self.folder / "bin" / "hosts").mkdir()
        self.bundle = self.folder / "ecbench-1-x86_64.tar.gz"
        self.bundle.write_bytes(b"a bundle")
        self.out = self.folder / "results"

    def host(self, name, kind="valid"):
        (self.folder / "bin" / "hosts" / name).write_text(kind)

    def fleet(self, *options, words=WORDS, inventory=None):
        return self.ask("-i", inventory or self.inventory(), "--output", self.out, *options, *words,
                        PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def call(self):
        return json.loads((self.folder / "bin" / "call.json").read_text())

    def state(self, name):
        return json.loads((self.out / name / "host.json").read_text())

    def results(self):
        return sorted(path.parent.name for path in self.out.glob("*/*.jsonl"))

    def test_a_second_call_measures_the_hosts_without_results(self):
        self.host("a")
        self.host("b", "unreachable|Find the home directory|Failed to connect to the host via ssh: No route to host")
        self.host("c", "failed|Refuse a host that cannot or must not measure now|the load average is 9 on 2 CPUs")
        first = self.fleet("--bundle", self.bundle)
        self.assertEqual(first.returncode, 5, first.stderr)
        self.assertIn("b: unreachable: Failed to connect to the host via ssh: No route to host\n", first.stderr)
        self.assertIn("c: refused: the load average is 9 on 2 CPUs\n", first.stderr)
        self.assertIn("2 of 3 hosts have no result", first.stderr)
        self.assertEqual([self.state(name)["state"] for name in "abc"], ["done", "unreachable", "refused"])
        self.assertFalse(self.call()["values"]["ecbench_force"])
        measured = {path: path.read_bytes() for path in self.out.glob("a/*.jsonl")}
        words = self.call()["values"]["ecbench_mode_words"]
        self.host("b")
        self.host("c")
        second = self.fleet("--force")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(self.call()["hosts"], ["b", "c"])
        self.assertTrue(self.call()["values"]["ecbench_force"])
        self.assertEqual(self.call()["values"]["ecbench_mode_words"], words, "all hosts have the same seed")
        self.assertEqual(words[:-2], WORDS)
        self.assertEqual(self.results(), ["a", "b", "c"])
        self.assertEqual(measured, {path: path.read_bytes() for path in self.out.glob("a/*.jsonl")})
        (self.folder / "bin" / "call.json").unlink()
        third = self.fleet("--remove")
        self.assertIn("all 3 hosts have results", third.stderr)
        self.assertEqual(self.call()["play"], "remove.yml")
        self.assertEqual(third.stdout, second.stdout)

    def test_what_hosts_send_is_checked(self):
        self.host("a")
        self.host("b", "words")
        wrong = {"garbage": "line 1 is not JSON", "empty": "is empty", "of a": "the result is identical to that of a",
                 "of a renamed": "the result is identical to that of a", "unfinished": "the run is not finished",
                 "seed": "expected: sweep", "path": "the result is the run ../../sweep-", "link": "not a regular file"}
        for number, kind in enumerate(wrong):
            self.host(f"x{number}", kind)
        result = self.fleet("--bundle", self.bundle)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertEqual(self.results(), ["a", "b"])
        self.assertEqual(self.state("b")["words"], ["dispatch=native"])
        for number, (kind, why) in enumerate(wrong.items()):
            line = next(line for line in result.stderr.splitlines() if line.startswith(f"ecbench: x{number}: rejected: "))
            self.assertIn(why, line, kind)
            self.assertEqual(self.state(f"x{number}")["state"], "failed")
        self.assertEqual([path.name for path in self.out.glob(".incoming")], [])

    def test_a_folder_has_one_fleet(self):
        self.host("a")
        self.fleet("--bundle", self.bundle)
        (self.folder / "other").mkdir()
        other = self.folder / "other" / self.bundle.name
        other.write_bytes(b"another bundle")
        self.assert_refused(self.fleet(words=["tune", "k=2", "m=1"]), "has results of another command, fleet sweep plugin=isa",
                            "the same arguments")
        self.assert_refused(self.fleet("--bundle", other), "was begun with another bundle")
        (self.out / self.bundle.name).write_bytes(b"changed")
        self.assert_refused(self.fleet(), "is not the bundle with which this measurement began")
        (self.out / "fleet.json").write_text("{}")
        self.assert_refused(self.fleet(), "fleet.json")

    def test_host_names_that_cannot_be_names_of_folders(self):
        for name in ("-x", "a b", ".hidden"):
            (self.folder / "bin" / "hosts" / name).write_text("valid")
            with self.subTest(name=name):
                self.assert_refused(self.fleet("--bundle", self.bundle), f"the host name '{name}' of the inventory is not allowed")
            (self.folder / "bin" / "hosts" / name).unlink()
        self.assert_refused(self.fleet("--bundle", self.bundle), "has no hosts")

    def test_hosts_of_cephadm(self):
        self.host("osd-1")
        hosts = [{"addr": "10.0.0.1", "hostname": "osd-1", "labels": ["_admin", "osd"], "status": ""},
                 {"addr": "10.0.0.2", "hostname": "osd-2", "labels": ["osd", "9-rack"], "status": "Offline"}]
        result = self.fleet("--bundle", self.bundle, inventory=self.inventory(json.dumps(hosts)))
        self.assertEqual(result.returncode, 0, result.stderr)
        groups = json.loads((self.folder / "bin" / "inventory").read_text())["all"]["children"]
        self.assertEqual(groups["ceph"]["hosts"], {"osd-1": {"ansible_host": "10.0.0.1"}, "osd-2": {"ansible_host": "10.0.0.2"}})
        self.assertEqual({name: sorted(group["hosts"]) for name, group in groups.items()},
                         {"ceph": ["osd-1", "osd-2"], "_admin": ["osd-1"], "osd": ["osd-1", "osd-2"], "label_9_rack": ["osd-2"]})


class OnHost(scene.Scene):
    """Tests the program that the Ansible role runs on each host."""

    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "ecbench" / "runs" / "fleet-a"
        self.run_file = self.run_folder / "fleet-a.jsonl"
        self.words = [*WORDS[:5], "size=4K,8K", *WORDS[6:], "--ecbench", self.counting_program()]
        (self.folder / "hurry").touch()

    def on_host(self, *options, words=None):
        result = scene.run(scene.mode("fleet", "on-host", *options, self.run_folder, *(self.words if words is None else words)),
                           env={"ECBENCH_PLUGIN_DIR": None})
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout) if result.stdout else None

    def test_starts_once_and_ends(self):
        self.assertEqual(self.on_host("--look", words=[])["state"], "new")
        self.assertFalse(self.run_folder.exists())
        state = self.on_host("--wait", "60")
        self.assertEqual((state["state"], state["exit_code"], state["bytes"]), ("done", 0, self.run_file.stat().st_size))
        content = self.run_file.read_bytes()
        self.assertEqual(self.on_host("--wait", "60"), state)
        self.assertEqual(self.run_file.read_bytes(), content)
        self.on_host("--remove", words=[])
        self.assertFalse((self.folder / "ecbench").exists())

    def test_an_interrupted_run_is_resumed_by_the_next_call_only(self):
        (self.folder / "hurry").unlink()
        self.assertEqual(self.on_host("--call", "1")["state"], "running")
        self.wait_for_lines(self.run_file, 1)
        refused = scene.run(scene.mode("fleet", "on-host", "--remove", self.run_folder))
        self.assert_refused(refused, "the mode still runs")
        self.kill_all()
        self.assertEqual(self.on_host("--call", "1", "--wait", "60"),
                         self.on_host("--look", words=[]) | {"reason": "the processes were killed", "state": "failed"})
        (self.folder / "hurry").touch()
        self.assertEqual(self.on_host("--call", "2", "--wait", "60")["state"], "done")
        rows = [json.loads(line) for line in self.run_file.read_text().splitlines()]
        found = [(row["id"], row["repetition"]) for row in rows if row["record"] == "row" and not row.get("again")]
        self.assertEqual(len(found), 2)
        self.assertEqual(len(set(found)), 2)

    def kill_all(self):
        """Kills all processes of the run."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.folder).encode() in path.read_bytes() or str(self.run_folder) == os.readlink(path.parent / "cwd"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except OSError:  # the process has ended, or belongs to another user
                pass

    def test_a_mode_that_refuses_its_words(self):
        state = self.on_host("--wait", "60", words=["sweep", "plugin=none", "--ecbench", str(scene.ECBENCH)])
        self.assertEqual((state["state"], state["exit_code"]), ("failed", 1))
        self.assertIn("none", state["reason"])

    def test_wrong_arguments(self):
        self.assert_refused(scene.run(scene.mode("fleet", "on-host", self.run_folder)), "needs a mode after the directory")
        result = scene.run(scene.mode("fleet", "on-host", "--nice", "20", self.run_folder, "sweep"))
        self.assert_refused(result, "'20' is out of range")


if __name__ == "__main__":
    scene.main()
