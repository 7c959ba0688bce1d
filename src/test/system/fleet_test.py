"""`bench.sh fleet -i` with the real Ansible and with simulated hosts that run sshd (namespaces.py). Builds a bundle, unless
ECBENCH_BUNDLE=FILE is set. Takes some minutes.

ECBENCH_HOSTS=N (5 to 40, default 5) is the number of hosts. A quarter of them, at least 5, have a fault in the first call. With 40
hosts, -k second_call takes about ten minutes."""

import atexit
import collections
import fcntl
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from typing import Any

import debian
import namespaces

SECONDS = 1800  # the time limit of each call of fleet; long enough for a busy machine
SHORT = ["run", "plugin=isa", "technique=reed_sol_van", "k=2", "m=1", "size=4K", "workload=encode", "--min-time", "0.01",
         "--repetitions", "1"]
LONG = ["run", "plugin=isa", "technique=reed_sol_van", "k=2..9", "m=1", "size=4K", "workload=encode", "--min-time", "0.3",
        "--repetitions", "1"]
TWO_TECHNIQUES = ["run", "plugin=isa", "technique=reed_sol_van,cauchy", *SHORT[3:-1], "3"]
MODE = [sys.executable, "-E", "-s", str(debian.SOURCE / "scripts" / "mode.py")]
MODE_ON_HOST = "mode.py run"  # a part of the command line of the mode on a host
INCOMPLETE = 5  # the exit code if some hosts have no result
HOSTS = int(os.environ.get("ECBENCH_HOSTS", "5"))
THROTTLE = 4  # how many hosts measure at the same time
# Fault → the state of the host after the first call.
STATES = {"away": "unreachable", "processes killed, lock deleted": "running", "ssh killed": "running", "no space left": "failed",
          "off": "running"}
AWAY, KILLED, CUT, FULL, OFF = STATES
SMALL_HOME = 200 << 20  # size of a small home directory in bytes; the bundle needs 100 MB
# This script replaces ecbench on a host that sends wrong data.
LIAR = """#!/bin/sh
echo '{"state": "done", "reason": "", "exit_code": 0, "host": "host1", "hostname": "../../etc"}'
"""


def bundle_in(folder: pathlib.Path) -> pathlib.Path:
    if named := os.environ.get("ECBENCH_BUNDLE"):
        return pathlib.Path(named)
    printed = subprocess.run([debian.SOURCE / "packaging" / "build-bundle.sh", debian.BUILD, folder], check=True, text=True,
                             stdout=subprocess.PIPE, timeout=1800).stdout
    return pathlib.Path(printed.split()[-1])


def rows_of(stdout: str) -> list[list[dict[str, Any]]]:
    """The rows of each block of the report: hosts, differences, files that are not used, classes, speeds, and for all classes."""
    return [block["rows"] for block in json.loads(stdout)["blocks"]]


def fault_of(number: int) -> str:
    """The fault of a host, "" if it has none."""
    return list(STATES)[number % len(STATES)] if number < max(HOSTS // 4, len(STATES)) else ""


class Shared:
    """All tests use these hosts and this bundle. Making the hosts and the bundle takes longer than most tests."""

    folder: pathlib.Path
    bundle: pathlib.Path
    hosts: list[namespaces.Host]


def setUpModule() -> None:
    if reason := namespaces.why_not():
        raise unittest.SkipTest(reason)
    if shutil.which("ansible-playbook") is None:
        raise unittest.SkipTest("ansible-playbook is not installed: scripts/install-deps.sh system-test installs it")
    namespaces.remove_leftovers()
    # With this handler, SIGTERM raises KeyboardInterrupt, as Ctrl-C does. After this exception, unittest does not call the
    # functions of addModuleCleanup(), but Python calls the functions of atexit.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = tempfile.TemporaryDirectory(prefix="ecbench-fleet-test-")
    atexit.register(folder.cleanup)
    Shared.folder = pathlib.Path(folder.name)
    Shared.bundle = bundle_in(Shared.folder)
    cpus = sorted(os.sched_getaffinity(0))
    Shared.hosts = []
    for number in range(HOSTS):
        home = SMALL_HOME if fault_of(number) == FULL else 0
        host = namespaces.Host(Shared.folder, number + 1, cpus[number % len(cpus)], home)
        atexit.register(host.remove)
        Shared.hosts.append(host)
        host.connect()
        host.start()


class Fleet(unittest.TestCase):
    def setUp(self) -> None:
        self.folder, self.bundle, self.hosts = Shared.folder, Shared.bundle, Shared.hosts[:4]
        self.out = self.folder / f"results of {self.id().rpartition('.')[2]}"
        self.variables: dict[str, dict[str, object]] = collections.defaultdict(dict)
        self.common: dict[str, object] = {"ecbench_nice": 0, "ecbench_least_disk_mib": 1, "ecbench_least_memory_mib": 1}

    def command(self, hosts: list[namespaces.Host], *words: str, out: pathlib.Path | None = None,
                bundle: pathlib.Path | None = None) -> list[str]:
        inventory = self.folder / "inventory.json"
        variables = {host.name: host.inventory(**self.common, **self.variables[host.name]) for host in hosts}
        inventory.write_text(json.dumps({"all": {"hosts": variables}}))
        return [*MODE, "fleet", "-i", str(inventory), "--format", "json", "--output", str(out or self.out),
                "--bundle", str(bundle or self.bundle), *words]

    def environment(self) -> dict[str, str]:
        """Without retries of connections, so that a call ends after a fault."""
        return {**os.environ, "ANSIBLE_SSH_RETRIES": "0", "ANSIBLE_TIMEOUT": "30"}

    def fleet(self, hosts: list[namespaces.Host], *words: str, exit_code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(self.command(hosts, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, env=self.environment(), check=False)
        self.assertEqual(done.returncode, exit_code, done.stderr + done.stdout)
        return done

    def start(self, hosts: list[namespaces.Host], *words: str, **options: pathlib.Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(self.command(hosts, *words, **options), stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment())
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_file(self, host: namespaces.Host, out: pathlib.Path | None = None) -> pathlib.Path | None:
        """Returns the path of the run file on the host, or None if the host has no run file."""
        path = (out or self.out) / "fleet.json"
        if not path.exists():
            return None
        name = f"{json.loads(path.read_text())['run']}-{host.name}"
        found = host.files / ".local" / "share" / "ecbench-fleet" / "runs" / name / f"{name}.jsonl"
        return found if found.exists() else None

    def rows_on(self, host: namespaces.Host, out: pathlib.Path | None = None) -> int:
        path = self.run_file(host, out)
        return path.read_bytes().count(b'"record":"row"') if path else 0

    def result(self, host: namespaces.Host) -> pathlib.Path | None:
        found = list((self.out / host.name).glob("*.jsonl"))
        return found[0] if found else None

    def state(self, host: namespaces.Host) -> dict[str, object]:
        return json.loads((self.out / host.name / "host.json").read_text())

    def check_complete(self, host: namespaces.Host, before: bytes = b"") -> None:
        """Each point was measured exactly once. The result begins with the complete lines of the run file before a fault."""
        path = self.result(host)
        assert path, host.name
        content = path.read_bytes()
        records = [json.loads(line) for line in content.splitlines()]
        found = collections.Counter((record["id"], record["repetition"]) for record in records
                                    if record["record"] == "row" and not record.get("again"))
        self.assertEqual(found, collections.Counter((point["id"], 0) for point in records[0]["points"]))
        self.assertTrue(content.startswith(before[:before.rfind(b"\n") + 1]))

    def wait(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def stop_in_the_middle(self, host: namespaces.Host, process: "subprocess.Popen[str]", out: pathlib.Path | None = None,
                           rows: int = 2) -> bytes:
        """Waits until `rows` points were measured, and stops the mode. Returns the content of the run file."""
        self.wait(lambda: (self.run_file(host, out) and self.rows_on(host, out) >= rows) or process.poll() is not None,
                  "no points are measured")
        self.addCleanup(host.signal, MODE_ON_HOST, signal.SIGCONT)
        return self.stop(host, process, out)

    def stop(self, host: namespaces.Host, process: "subprocess.Popen[str]", out: pathlib.Path | None = None) -> bytes:
        """Stops the mode, so that it cannot end before a fault on a busy machine. Returns the content of the run file."""
        self.assertIsNone(process.poll(), "fleet has ended")
        while host.signal(MODE_ON_HOST, signal.SIGSTOP) != 1:  # also a child between fork() and exec()
            host.signal(MODE_ON_HOST, signal.SIGCONT)
            self.assertIsNone(process.poll(), "fleet has ended")
        path = self.run_file(host, out)
        assert path
        return path.read_bytes()


class Classes(Fleet):
    def test_two_classes_one_host_at_a_time(self) -> None:
        self.common["ecbench_throttle"] = 1
        for host in self.hosts[2:]:
            self.variables[host.name]["ecbench_host_words"] = ["dispatch=ssse3"]
        _, _, _, classes, speeds, _ = rows_of(self.fleet(self.hosts, *TWO_TECHNIQUES).stdout)
        names = [host.name for host in self.hosts]
        self.assertEqual(sorted(sorted(one["hosts"]) for one in classes), [names[:2], names[2:]])
        self.assertEqual([(row["host_class"], row["profile"]["plugin"]) for row in speeds],
                         [("A", "isa"), ("A", "isa"), ("B", "isa"), ("B", "isa")])
        texts = [(self.result(host) or pathlib.Path()).read_text() for host in self.hosts]
        runs = [[json.loads(line) for line in text.splitlines()] for text in texts]
        self.assertEqual(len({run[0]["seed"] for run in runs}), 1)
        times = sorted((run[0]["started"], run[-1]["at"]) for run in runs)
        for (_, end), (begin, _) in itertools.pairwise(times):
            self.assertLessEqual(end, begin, "two hosts measured at the same time")

    def test_preflight(self) -> None:
        host = self.hosts[0]
        host.set_load(50)
        self.addCleanup(host.set_load, 0)
        self.fleet([host], *SHORT, exit_code=1)
        self.assertEqual((self.state(host)["state"], self.state(host).get("exit_code")), ("refused", None))
        self.fleet([host], "--force", *SHORT)
        self.check_complete(host)

    def test_remove(self) -> None:
        host = self.hosts[1]
        self.fleet([host], "--remove", *SHORT)
        self.check_complete(host)
        self.assertIsNone(self.run_file(host))

    def test_a_program_that_begins_after_the_preflight(self) -> None:
        host = self.hosts[0]
        process = self.start([host], *LONG)
        self.stop_in_the_middle(host, process, rows=0)
        hog = subprocess.Popen(host.entering("while :; do :; done & while :; do :; done"), start_new_session=True)
        self.addCleanup(hog.wait)
        self.addCleanup(os.killpg, hog.pid, signal.SIGKILL)
        host.signal(MODE_ON_HOST, signal.SIGCONT)
        stdout, stderr = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual([row["code"] for row in rows_of(stdout)[0] if row["disturbed"]], [host.name], stdout)


class Faults(Fleet):
    def test_a_second_call_completes_all_hosts(self) -> None:
        self.common["ecbench_throttle"] = THROTTLE
        hosts, before = Shared.hosts, dict[str, bytes]()
        kinds = {host: fault_of(number) for number, host in enumerate(hosts)}
        faulty = [host for host in hosts if kinds[host]]
        for host in faulty:
            if kinds[host] == AWAY:
                host.disconnect()
        process = self.start(hosts, *LONG)
        waiting = [host for host in faulty if kinds[host] != AWAY]
        while waiting and process.poll() is None:
            for host in [host for host in waiting if self.rows_on(host) >= 2]:
                before[host.name] = self.stop(host, process)
                self.cause(host, kinds[host])
                waiting.remove(host)
            time.sleep(0.05)
        stdout, stderr = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, waiting), (INCOMPLETE if hosts[len(faulty):] else 1, []), stderr + stdout)
        self.assertEqual({host.name: self.state(host)["state"] for host in faulty},
                         {host.name: STATES[kinds[host]] for host in faulty})
        before |= {host.name: path.read_bytes() for host in hosts if (path := self.result(host))}
        self.assertEqual({host.name for host in hosts} - before.keys(), {host.name for host in faulty if kinds[host] == AWAY})
        for host in faulty:
            recover = {AWAY: host.reconnect, OFF: host.start, FULL: lambda host=host: host.run("rm /home/bench/full")}
            recover.get(kinds[host], lambda: None)()
        self.fleet(hosts, *LONG)
        for host in hosts:
            self.check_complete(host, before.get(host.name, b""))
        print(f"{len(faulty)} of {len(hosts)} hosts had a fault; each host measured every point once")

    def cause(self, host: namespaces.Host, kind: str) -> None:
        if kind == OFF:
            host.stop()
            return
        if kind == KILLED:
            path = self.run_file(host)
            assert path
            self.assertGreater(host.kill_user(), 2)
            (path.parent / "lock").unlink(missing_ok=True)
        elif kind == CUT:
            host.kill("sshd: bench")
        elif kind == FULL:
            host.run("cat /dev/zero > /home/bench/full 2>/dev/null || true")
        host.signal(MODE_ON_HOST, signal.SIGCONT)

    def test_the_control_program_is_killed(self) -> None:
        host = self.hosts[2]
        process = self.start([host], *LONG)
        before = self.stop_in_the_middle(host, process)
        process.kill()
        process.wait()
        host.signal(MODE_ON_HOST, signal.SIGCONT)
        with open(self.out / ".lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # ansible-playbook holds this lock until it ends
        self.fleet([host], *LONG)
        self.check_complete(host, before)

    def test_a_host_waits_while_another_version_measures(self) -> None:
        host = self.hosts[1]
        other = self.folder / "other"
        other.mkdir()
        bundle = other / self.bundle.name
        # The copy of the bundle must have another SHA-256, but the same content. gzip ignores zeros at the end.
        bundle.write_bytes(self.bundle.read_bytes() + bytes(512))
        first = self.start([host], *LONG, out=other, bundle=bundle)
        self.stop_in_the_middle(host, first, other, rows=1)  # so the first run certainly holds ecbench's lock of the host
        second = self.start([host], *SHORT)
        self.wait(lambda: (self.out / host.name / "host.json").exists() and self.state(host)["state"] == "running",
                  "the second run does not start")
        self.assertIsNone(self.result(host))
        host.signal(MODE_ON_HOST, signal.SIGCONT)
        for process in (first, second):
            _, stderr = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 0, stderr)
        self.check_complete(host)


class HostileHosts(Fleet):
    def test_their_data_is_rejected_and_they_are_named(self) -> None:
        self.fleet(self.hosts, *SHORT)
        honest, thief, garbage, huge = self.hosts
        good = (self.result(honest) or pathlib.Path()).read_bytes()
        for host in (thief, garbage, huge):
            (self.result(host) or pathlib.Path()).unlink()
            # The host may have several bundles, because an earlier test may have copied another bundle to it.
            for program in host.files.glob(".local/share/ecbench-fleet/bundles/*/bin/ecbench"):
                self.addCleanup(shutil.rmtree, program.parent.parent)  # then the next test copies the unchanged bundle to the host
                program.unlink()
                program.write_text(LIAR)
                program.chmod(0o755)
        files = {host.name: self.run_file(host) for host in self.hosts}
        (files[thief.name] or pathlib.Path()).write_bytes(good)
        header = json.loads(good.splitlines()[0]) | {"run": "../../../etc/passwd"}
        lines = [json.dumps(header).encode(), *good.splitlines()[1:], b""]
        (files[garbage.name] or pathlib.Path()).write_bytes(b"\n".join(lines).replace(b'"at":"20', b'"at":"21'))
        os.truncate(files[huge.name] or "", 300 << 20)
        hosts, _, _, classes, _, _ = rows_of(self.fleet(self.hosts, *SHORT, exit_code=INCOMPLETE).stdout)
        self.assertEqual([row["code"] for row in hosts if row["missing"]], [thief.name, garbage.name, huge.name])
        fetched = self.result(huge)
        self.assertLess(fetched.stat().st_size if fetched else 0, 300 << 20, "the fetched part of a file has a limit")
        self.assertEqual((self.result(honest) or pathlib.Path()).read_bytes(), good)
        self.assertEqual([one["hosts"] for one in classes], [[honest.name]])


del Fleet  # this base class has no tests
