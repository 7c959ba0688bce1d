"""bench.sh fleet -i without hosts; src/test/system/fleet_test.py runs ansible-playbook."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

import scene

# Replaces ansible-playbook and the role, which skips hosts with a run file. A file in `hosts` contains "valid", the state of a host
# without a result, or a kind of error in its run file.
ANSIBLE = r"""#!/usr/bin/python3
import json, pathlib, sys

here = pathlib.Path(__file__).parent
option = lambda name: sys.argv[sys.argv.index(name) + 1]
values = json.loads(pathlib.Path(option("--extra-vars")[1:]).read_text())
results, run, asked = pathlib.Path(values["ecbench_results"]), values["ecbench_run"], []
names = sorted(path.name for path in (here / "hosts").iterdir())


def sent(host, kind):
    if kind == "garbage":
        return "\x00\x01 no JSON\n"
    records = [json.loads(line) for line in (here / "run.jsonl").read_text().splitlines()]
    records[0] |= {"run": run + "-" + host, "words": values["ecbench_mode_words"][1:]}
    for record in records[1:]:
        record["at"] = "2026-11-22T00:00:%02dZ" % names.index("a" if kind == "of a" else host)
        record |= {"host": "a" if kind == "of a" else host} if record["record"] == "row" else {}
    return "".join(json.dumps(record) + "\n" for record in (records[:-1] if kind == "unfinished" else records))


for host in names:
    target = results / host / (run + "-" + host + ".jsonl")
    if target.exists():
        continue
    asked.append(host)
    kind = (here / "hosts" / host).read_text()
    target.parent.mkdir(exist_ok=True)
    state = kind if kind in ("unreachable", "refused") else "done"
    (target.parent / "host.json").write_text(json.dumps({"format": "ecbench fleet host 1", "host": host, "state": state}))
    if kind == "link":
        target.symlink_to("/etc/passwd")
    elif state == "done":
        target.write_text(sent(host, kind))
(here / "call.json").write_text(json.dumps({"hosts": asked, "values": values}))
sys.exit(0 if names else 1)
"""
WORDS = ["run", "plugin=isa", "technique=reed_sol_van", "k=2", "m=1", "size=4K", "workload=encode", "--min-time", "0.001",
         "--repetitions", "1"]
INCOMPLETE = 5


class Fleet(scene.Scene):
    def ask(self, *words, **variables):
        return scene.ask("fleet", *words, env=variables)

    def inventory(self, text="[osds]\nosd-1\n"):
        path = self.folder / "an inventory"
        path.write_text(text)
        return path


class Arguments(Fleet):
    def test_wrong_arguments(self):
        inventory = self.inventory()
        self.write_program("bin/ansible-playbook", "#!/bin/sh\n")
        (self.folder / "a file").touch()
        (self.folder / "cephadm").write_text('[{"addr": "10.0.0.1", "hostname": "osd-1"}]')
        for words, given in (
                (["-i", inventory], "MODE"), (["-i", inventory, "swep"], "'swep'"),
                (["-i", inventory, "gate", "ab"], "'gate'"), (["-i", inventory, "plan", "k=2"], "'plan'"),
                (["-i", self.folder / "none", *WORDS], "none"), (["-i", "", *WORDS], "-i/--inventory"),
                (["-i", inventory, "tune", "k=0", "m=1"], "k=0"), (["-i", inventory, *WORDS, "--output", "x"], "--output"),
                (["-i", inventory, *WORDS, "--cpu=1"], "--cpu=1"), (["-i", inventory, *WORDS, "dispatch={{ x }}"], "{{ x }}"),
                (["-i", inventory, "--output", self.folder / "{{ x }}", *WORDS], "{{ x }}"),
                (["-i", inventory, "--bundle", self.folder / "a file", *WORDS], "a file"),
                (["-i", inventory, "--bundle", self.folder / "ecbench-1-x86_64.tar.gz", *WORDS], "ecbench-1-x86_64.tar.gz"),
                (["-i", inventory, "--output", self.folder / "a file", *WORDS], "a file"),
                (["-i", self.folder / "cephadm", *WORDS], "jq "), (["-i", inventory, "--unknown", *WORDS], "--unknown"),
                ([*WORDS], "-i")):
            self.assert_refused(self.ask(*words, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}"), given)

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_the_documented_conversions_make_inventories(self):
        cephadm = [{"addr": f"10.0.0.{number}", "hostname": f"osd-{number}", "labels": ["osd"]} for number in (1, 2)]
        rook = {"items": [{"spec": {"nodeName": f"osd-{number}"}, "status": {"hostIP": f"10.0.0.{number}"}} for number in (1, 2)]}
        conversions = re.findall("jq '(.*)'", (scene.SOURCE / "docs" / "fleet.md").read_text())
        for conversion, hosts in zip(conversions, (cephadm, rook), strict=True):
            done = subprocess.run(["jq", conversion], input=json.dumps(hosts), text=True, capture_output=True, check=True)
            self.assertEqual(json.loads(done.stdout), {"all": {"hosts": {
                "osd-1": {"ansible_host": "10.0.0.1"}, "osd-2": {"ansible_host": "10.0.0.2"}}}})


class Control(Fleet):
    """The script ANSIBLE replaces ansible-playbook."""

    @classmethod
    def setUpClass(cls):
        cls.run_file = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ecbench scene "))) / "run.jsonl"
        done = scene.ask(*WORDS, "--ecbench", scene.ECBENCH, "--output", cls.run_file)
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

    def hosts(self, **kinds):
        for name, kind in kinds.items():
            (self.folder / "bin" / "hosts" / name).write_text(kind)

    def fleet(self, *options, exit_code=0, words=WORDS, inventory=None):
        done = self.ask("-i", inventory or self.inventory(), "--output", self.out, "--format", "json", *options, *words,
                        PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done

    def rows(self, *options, **more):
        found = [block["rows"] for block in json.loads(self.fleet(*options, **more).stdout)["blocks"]]
        return found[0], found[3]

    def call(self):
        return json.loads((self.folder / "bin" / "call.json").read_text())

    def test_a_second_call_measures_the_hosts_without_results(self):
        self.hosts(a="valid", b="unreachable", c="refused")
        hosts, _ = self.rows("--bundle", self.bundle, exit_code=INCOMPLETE)
        self.assertEqual({one["code"]: (one["state"]["state"], bool(one["missing"])) for one in hosts},
                         {"a": ("done", False), "b": ("unreachable", True), "c": ("refused", True)})
        values = self.call()["values"]
        self.assertEqual((values["ecbench_force"], values["ecbench_remove"]), (False, False))
        measured = {path: path.read_bytes() for path in self.out.glob("a/*.jsonl")}
        self.hosts(b="valid", c="valid")
        second = self.fleet("--force", "--remove")
        self.assertEqual(self.call(), {"hosts": ["b", "c"], "values": {**values, "ecbench_force": True, "ecbench_remove": True}})
        self.assertEqual(values["ecbench_mode_words"][:-2], WORDS)
        self.assertEqual(measured, {path: path.read_bytes() for path in self.out.glob("a/*.jsonl")})
        self.assertEqual(self.fleet().stdout, second.stdout)
        self.assertEqual(self.call()["hosts"], [])

    def test_a_result_that_is_rejected_is_fetched_again(self):
        wrong = {"b": "garbage", "c": "of a", "d": "unfinished", "e": "link"}
        self.hosts(a="valid", **wrong)
        hosts, classes = self.rows("--bundle", self.bundle, exit_code=INCOMPLETE)
        self.assertEqual([one["code"] for one in hosts if one["missing"]], list(wrong))
        self.assertEqual([one["hosts"] for one in classes], [["a"]])
        self.hosts(**dict.fromkeys(wrong, "valid"))
        hosts, classes = self.rows()
        self.assertEqual(self.call()["hosts"], list(wrong))
        self.assertEqual([one["hosts"] for one in classes], [["a", *wrong]])

    def test_a_folder_has_one_fleet(self):
        self.hosts(a="valid")
        self.fleet("--bundle", self.bundle)
        (self.folder / "other").mkdir()
        other = self.folder / "other" / self.bundle.name
        other.write_bytes(b"another bundle")
        self.assert_refused(self.fleet(words=["tune", "k=2", "m=1"], exit_code=1), str(self.out))
        self.assert_refused(self.fleet("--bundle", other, exit_code=1), str(other))
        (self.out / "fleet.json").write_text("{}")
        self.assert_refused(self.fleet(exit_code=1), "fleet.json")

    def test_a_folder_from_elsewhere_runs_nothing(self):
        """Ansible would run a template of fleet.json, and each host the program of the bundle."""
        self.hosts(a="valid")
        self.fleet("--bundle", self.bundle)
        good, evil = json.loads((self.out / "fleet.json").read_text()), "{{ lookup('pipe', 'touch x') }}"
        call = self.folder / "bin" / "call.json"
        call.unlink()
        for change in ({"run": evil}, {"run": "../../x"}, {"bundle": f"ecbench-{evil}-x86_64.tar.gz"}, {"words": []},
                       *({"words": [*WORDS, *more]} for more in (["--seed", evil], ["--ecbench", "./x"], ["--seed"]))):
            (self.out / "fleet.json").write_text(json.dumps({**good, **change}))
            self.assert_refused(self.fleet(exit_code=1), str(self.out))
        (self.out / "fleet.json").write_text(json.dumps(good))
        (self.out / self.bundle.name).write_bytes(b"of somebody")
        self.assert_refused(self.fleet(exit_code=1), self.bundle.name)
        self.assertFalse(call.exists())
        self.fleet("--bundle", self.out / self.bundle.name)
        self.fleet()


class OnHost(scene.Scene):
    """The script that the Ansible role runs on each host."""

    SCRIPT = scene.SOURCE / "scripts/ecbench/fleet/roles/ecbench/files/run.sh"

    def setUp(self):
        super().setUp()
        self.home = self.folder / "ecbench"
        self.run_folder = self.home / "runs" / "fleet-a"
        self.run_file = self.run_folder / "fleet-a.jsonl"
        # The second measurement waits until the file `hurry` exists.
        first, hurry = (shlex.quote(str(self.folder / name)) for name in ("first", "hurry"))
        self.program = self.write_program("waiting", f"""#!/bin/sh
case "$*" in *--min-time*) [ ! -e {first} ] || while [ ! -e {hurry} ]; do sleep 0.1; done; : >{first} ;; esac
exec {shlex.quote(str(scene.FAKE))} "$@"
""")
        self.front = self.write_program("ecbench/bundles/0/bin/ecbench",
                                        f"#!/bin/sh\nexec {shlex.join(map(str, scene.mode()))} \"$@\"\n")
        self.words = [*WORDS[:5], "size=4K,8K", *WORDS[6:], "--ecbench", self.program, "--output", self.run_file]
        (self.folder / "hurry").touch()

    def command(self, action, *more):
        return ["sh", self.SCRIPT, action, self.home, "fleet-a", *more]

    def measure(self, *words):
        return self.command("measure", "0", "", *([self.front, *words] if words else []))

    def on_host(self, command, exit_code=0):
        result = scene.run(command)
        self.assertEqual(result.returncode, exit_code, result.stderr)
        return result.stderr.strip() if exit_code else result.stdout.strip()

    def look(self, digest="0"):
        return json.loads(self.on_host(self.command("look", digest)))

    def state(self):
        return self.look()["state"]

    def test_looks(self):
        found = self.look()
        self.assertEqual((found["state"], found["home"], found["has_bundle"], found["cpus"]),
                         ("new", str(self.home), True, os.sysconf("SC_NPROCESSORS_ONLN")))
        self.assertFalse(self.look("1")["has_bundle"])
        self.assertFalse(self.run_folder.exists())
        for given in ("~/ecbench", "ecbench"):
            printed = scene.run(["sh", self.SCRIPT, "look", given, "fleet-a", "0"], env={"HOME": str(self.folder)}, cwd=self.folder)
            self.assertEqual(json.loads(printed.stdout), found | {key: json.loads(printed.stdout)[key] for key in
                                                                  ("load", "memory_mib", "disk_mib", "osd_percent", "health")})

    def test_starts_once_and_ends(self):
        printed = self.on_host(self.measure(*self.words))
        self.assertEqual(json.loads(printed), {"hostname": os.uname().nodename, "exit_code": 0})
        content = self.run_file.read_bytes()
        self.assertEqual((self.on_host(self.measure(*self.words)), self.on_host(self.measure()), self.state()),
                         (printed, printed, "done"))
        self.assertEqual(self.run_file.read_bytes(), content)
        self.on_host(self.command("remove"))
        self.assertFalse(self.home.exists())

    def test_an_interrupted_run_is_resumed(self):
        (self.folder / "hurry").unlink()
        waiting = scene.start(self.measure(*self.words))
        self.addCleanup(waiting.communicate)
        self.wait_for_lines(self.run_file, 1)
        waiting.kill()  # as if the connection were lost; the mode continues
        self.assertEqual(self.state(), "running")
        self.assertIn(str(self.run_folder), self.on_host(self.command("remove"), exit_code=1))
        for _ in range(20):  # a process may have started another one, which has the lock
            self.kill_all()
            if self.state() != "running":
                break
        self.assertEqual(self.state(), "begun")
        self.assertIn("killed", self.on_host(self.measure(), exit_code=137))
        (self.folder / "hurry").touch()
        self.on_host(self.measure("run", "--resume", self.run_file, "--ecbench", self.program))
        rows = scene.records_of(self.run_file)
        found = [(row["id"], row["repetition"]) for row in rows if row["record"] == "row" and not row.get("again")]
        self.assertEqual(len(found), 2)
        self.assertEqual(len(set(found)), 2)

    def kill_all(self):
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.folder).encode() in path.read_bytes() or str(self.run_folder) == os.readlink(path.parent / "cwd"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except OSError:  # the process has ended, or belongs to another user
                pass

    def test_a_mode_that_refuses_its_words(self):
        self.assertIn("none", self.on_host(self.measure("run", "plugin=none", "--ecbench", scene.ECBENCH), exit_code=1))
        self.assertEqual(self.state(), "new")

    def test_a_mode_that_ends_without_a_result_or_is_killed(self):
        for script, exit_code in (("exit 0", 1), ("exit 7", 7), ("kill -9 $PPID", 137)):
            self.front = self.write_program("front", f"#!/bin/sh\n{script}\n")
            self.assertTrue(self.on_host(self.measure(*self.words), exit_code=exit_code))


@unittest.skipUnless(shutil.which("ansible"), "ansible is not installed")
class Role(scene.Scene):
    """The variables of the role, as Ansible computes them."""

    def command(self, state, *words):
        folder = scene.SOURCE / "scripts/ecbench/fleet/roles/ecbench"
        given = {"ecbench_mode_words": words[:1], "ecbench_host_words": words[1:], "ecbench_digest": "0", "ecbench_run": "r",
                 "inventory_hostname": "h", "ecbench_look": {"stdout": json.dumps({"state": state, "home": "/home"})}}
        done = scene.run(["ansible", "localhost", "-i", "localhost,", "-c", "local", "-m", "ansible.builtin.debug", "-a",
                          "var=ecbench_command", "-e", f"@{folder}/defaults/main.yml", "-e", f"@{folder}/vars/main.yml", "-e",
                          json.dumps(given)], env={"ANSIBLE_NOCOLOR": "1"})
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout.partition("=> ")[2])["ecbench_command"]

    def test_what_names_a_library_is_given_again(self):
        words = ["run", "k=4 codec-lib=/a m=2", "codec-lib=/b", "--isal", "/c d", "--budget=1", "--seed", "1"]
        program, path = "/home/bundles/0/bin/ecbench", "/home/runs/r-h/r-h.jsonl"
        self.assertEqual(self.command("new", *words), [program, *words, "--output", path])
        self.assertEqual(self.command("begun", *words),
                         [program, "run", "--resume", path, "codec-lib=/a", "codec-lib=/b", "--isal", "/c d", "--budget=1"])
        for state in ("running", "done"):
            self.assertEqual(self.command(state, *words), [])
