"""Executes the commands of docs/restore.md on a real Ceph cluster (ceph_cluster.py), and compares each restored object with the
object that was stored, for every loss that its code can recover. Also compares the bytes that the cluster reads and sends during a
recovery with --show-reads. Needs root and the packages of Ceph."""

import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.parse
from collections.abc import Callable

import ceph_cluster
import debian

SECONDS = 7200  # a limit for a cluster that hangs; the tests take 8 minutes on an idle machine
OSDS = 9
SEED = 42
NONE = 2147483647  # in an acting set: no OSD
PROFILES = {
    "isa": {"plugin": "isa", "k": "4", "m": "2"},
    "cauchy": {"plugin": "jerasure", "technique": "cauchy_good", "k": "3", "m": "2", "packetsize": "64", "stripe_unit": "8K"},
    "lrc": {"plugin": "lrc", "k": "4", "m": "2", "l": "3", "stripe_unit": "16K"},
    "shec": {"plugin": "shec", "k": "4", "m": "3", "c": "2"},
    # With this stripe unit, the sub-chunks are not smaller than the blocks that BlueStore reads (4 KiB).
    "clay": {"plugin": "clay", "k": "4", "m": "2", "d": "5", "stripe_unit": "64K"},
}
# Ceph 20.2 computes the layers with isa.
LRC_OF_20 = {"plugin": "lrc", "mapping": "DD__DD__", "stripe_unit": "16K", "crush-steps": '[["chooseleaf","osd",0]]',
             "layers": '[["DDc_DDc_","plugin=isa"],["DDDc____","plugin=isa"],["____DDDc","plugin=isa"]]'}
OVERWRITTEN = "over write"  # an object that has no digest
RECOVERED = ("isa", "lrc", "shec", "clay")
RECOVERED_OBJECTS, RECOVERED_BYTES = 40, 2 << 20
TOLERANCE = 0.1
MOST_TRIES = 6


@dataclasses.dataclass(frozen=True)
class Name:
    """An object: its pool, its namespace, its snapshot (-2: the current object) and its name."""

    pool: str
    text: str
    namespace: str = ""
    snapshot: int = -2


def blocks() -> list[str]:
    """The shell commands of the page, one text for each block."""
    return re.findall(r"^```sh\n(.*?)^```", (debian.SOURCE / "docs/restore.md").read_text(), re.MULTILINE | re.DOTALL)


def block(begin: str) -> str:
    """The block that begins with `begin`. A block that is equal to `begin` has precedence."""
    found = [text for text in blocks() if text.strip() == begin] or [text for text in blocks() if text.startswith(begin)]
    if len(found) != 1:
        raise AssertionError(f"docs/restore.md has {len(found)} blocks that begin with {begin!r}")
    return found[0]


class Pool(unittest.TestCase):
    cluster: ceph_cluster.Cluster
    folder: pathlib.Path
    is_release_20: bool

    @classmethod
    def setUpClass(cls) -> None:
        cls.is_release_20 = ceph_cluster.run("ceph-osd", "--version").startswith("ceph version 20.")
        if cls.is_release_20:
            PROFILES["lrc"] = LRC_OF_20
        cls.cluster = ceph_cluster.Cluster(OSDS)
        cls.folder = cls.cluster.folder / "work"
        cls.folder.mkdir()
        (cls.folder / "build").symlink_to(debian.BUILD)
        programs = cls.cluster.folder / "bin"
        programs.mkdir()
        systemctl = programs / "systemctl"
        systemctl.write_text(f"""#!/bin/sh
[ "$*" = "stop ceph-osd.target" ] || exit 1
for file in {cls.cluster.folder}/osd.*.pid; do
  pid=$(cat "$file")
  kill "$pid"
  while [ -e "/proc/$pid/exe" ]; do sleep 0.1; done
done
""")
        systemctl.chmod(0o755)
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"

    def shell(self, text: str, folder: pathlib.Path, **variables: object) -> str:
        """Runs a block of the page. As in an interactive shell, later commands also run if a command fails."""
        folder.mkdir(exist_ok=True)
        if not (folder / "build").exists():
            (folder / "build").symlink_to(debian.BUILD)
        done = subprocess.run(["bash", "-u", "-c", text], cwd=folder, text=True, capture_output=True, check=False, timeout=SECONDS,
                              env={**os.environ, **{name: str(value) for name, value in variables.items()}})
        return done.stdout + done.stderr

    def monitor_shell(self, text: str, folder: pathlib.Path, is_done: Callable[[str], bool]) -> str:
        """Runs a block that calls `ceph`, and returns its output. On a busy machine, `ceph` sometimes fails with "EPERM: problem
        getting command descriptions", so the block is then repeated."""
        for _ in range(MOST_TRIES):
            output = self.shell(text, folder)
            if is_done(output):
                return output
        raise AssertionError(f"{text}{output}")

    def ecbench(self, *words: object) -> subprocess.CompletedProcess[str]:
        command = [str(word) for word in (debian.BUILD / "ecbench", *words)]
        return subprocess.run(command, text=True, capture_output=True, check=False, timeout=SECONDS)

    def test_recovery_reads_and_sends_what_show_reads_prints(self) -> None:
        for osd, name in enumerate(RECOVERED):
            self.recover(name, osd)

    def recover(self, name: str, osd: int) -> None:
        """Loses one OSD, and compares the bytes of the recovery with the predicted bytes."""
        pool = f"recovered-{name}"
        self.cluster.make_pool(pool, PROFILES[name], pg_count=16)
        self.cluster.wait_until_clean()
        with self.cluster.client.open_ioctx(pool) as objects:
            for number in range(RECOVERED_OBJECTS):
                objects.write_full(f"object{number}", random.Random(number).randbytes(RECOVERED_BYTES))
        reads_as = "isa" if name == "clay" and self.is_release_20 else name  # clay of 20.2 reads k whole chunks
        costs = {cost["erased"][0]: cost for cost in self.show_reads(reads_as, 1)}
        chunk = RECOVERED_BYTES // int(PROFILES[name].get("k", 4))
        acting = [self.cluster.command("osd map", pool=pool, object=f"object{number}")["acting"]
                  for number in range(RECOVERED_OBJECTS)]
        lost = [osds.index(osd) for osds in acting if osd in osds]
        self.assertGreater(len(lost), 0)
        self.cluster.stop(f"osd.{osd}")
        self.cluster.wait_until_down(osd)
        before = self.traffic(osd)
        self.cluster.make_osd(osd)
        self.cluster.wait_until_clean()
        after = self.traffic(osd)
        predicted = [chunk * sum(costs[position]["drive_factor"] for position in lost),
                     chunk * sum(costs[position]["network_factor"] for position in lost)]
        received = after[1] + self.received(osd) - before[1]
        measured = [after[0] - before[0], received]
        per_byte = [[value / len(lost) / chunk for value in values] for values in (predicted, measured)]
        print(f"recovery of {name}, bytes per lost byte: read {per_byte[0][0]:.2f} predicted, {per_byte[1][0]:.2f} measured; "
              f"sent {per_byte[0][1]:.2f} predicted, {per_byte[1][1]:.2f} measured", flush=True)
        self.cluster.command("osd pool delete", pool=pool, pool2=pool, yes_i_really_really_mean_it=True)
        for expected, found in zip(predicted, measured, strict=True):
            self.assertLess(abs(found - expected), TOLERANCE * expected)

    def traffic(self, without: int) -> tuple[int, int]:
        """The bytes that all OSDs except `without` have read from their drives, and the bytes that they have received."""
        others = [osd for osd in self.cluster.osds if osd != without]
        return sum(self.read(osd) for osd in others), sum(self.received(osd) for osd in others)

    def read(self, osd: int) -> int:
        text = pathlib.Path(f"/proc/{self.cluster.pid(f'osd.{osd}')}/io").read_text()
        return int(re.findall(r"^read_bytes: (\d+)", text, re.MULTILINE)[0])

    def received(self, osd: int) -> int:
        counters = self.cluster.counters(f"osd.{osd}")
        return sum(group["msgr_recv_bytes"] for name, group in counters.items() if name.startswith("AsyncMessenger::Worker"))

    def show_reads(self, name: str, losses: int) -> list[dict]:
        """The losses that the code can recover, with their cost."""
        words = ["-p", PROFILES[name]["plugin"]]
        for key, value in PROFILES[name].items():
            if key not in ("plugin", "stripe_unit", "crush-steps"):
                words += ["-P", f"{key}={value}"]
        done = self.ecbench(*words, "--show-reads", "--format", "json", "--erasures", losses)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return [line for line in lines if "unrecoverable" not in line]

    def test_an_osd_that_failed_earlier_has_old_shards(self) -> None:
        """An OSD fails, then an object is changed and another one is deleted. The page's commands name this OSD, with and without
        monitors. Without its shards, they restore the new bytes, and not the deleted object."""
        pool_id = self.cluster.make_pool("older", PROFILES["isa"], pg_count=1)
        self.cluster.wait_until_clean()
        old, new = (random.Random(seed).randbytes(50001) for seed in (SEED, SEED + 1))
        with self.cluster.client.open_ioctx("older") as objects:
            for name in ("changed", "deleted", "kept"):
                objects.write_full(name, old)
            failed = self.cluster.command("osd map", pool="older", object="changed")["acting"][1]
            self.cluster.stop(f"osd.{failed}")
            self.cluster.wait_until_down(failed)
            objects.write_full("changed", new)
            objects.remove_object("deleted")
        folder = self.folder / "an OSD failed earlier"
        down = self.monitor_shell(block("ceph osd set noout"), folder, lambda text: "TYPE NAME" in text)
        self.assertEqual(re.findall(r"osd\.(\d+)", down), [str(failed)], down)
        self.kill_monitor()
        self.shell(block("systemctl"), folder)
        text = self.shell(block("for osd in"), folder)
        epochs = {osd: int(epoch) for osd, epoch in re.findall(r"^(/var/lib/ceph/osd/ceph-\d+): (\d+)$", text, re.MULTILINE)}
        current = [osd for osd, epoch in epochs.items() if epoch == max(epochs.values())]
        self.assertEqual(set(epochs) - set(current), {f"/var/lib/ceph/osd/ceph-{failed}"}, text)
        self.shell(block("take()") + block('take "$POOL_ID."'), folder, POOL_ID=pool_id, OSDS=" ".join(current))
        self.shell(block("mkdir -p restored"), folder)
        restored = {urllib.parse.unquote(path.name).split(",", 4)[4]: path.read_bytes() for path in (folder / "restored").iterdir()}
        self.assertEqual(restored, {"changed": new, "kept": old})
        self.cluster.start_monitor()
        for osd in self.cluster.osds:
            self.cluster.start_osd(osd)
        for flag in ("noout", "pause"):
            self.cluster.command("osd unset", key=flag)
        self.cluster.wait_until_clean()
        self.cluster.command("osd pool delete", pool="older", pool2="older", yes_i_really_really_mean_it=True)

    def test_the_page(self) -> None:
        stored = self.store()
        self.cluster.wait_until_clean()
        with_monitors, without = self.folder / "with monitors", self.folder / "without monitors"
        self.monitor_shell(block("ceph osd set noout"), with_monitors,
                           lambda _: {"noout", "pausewr"} <= set(self.cluster.command("osd dump")["flags_set"]))
        self.check_none()
        self.shell(block("systemctl"), with_monitors)
        osdmap = with_monitors / "osdmap.json"
        self.monitor_shell(block("ceph osd dump"), with_monitors, lambda _: osdmap.read_text().strip() != "")
        self.kill_monitor()
        self.shell(block("for osd in"), without)
        maps = [json.loads((folder / "osdmap.json").read_text()) for folder in (with_monitors, without)]
        self.assertEqual(maps[0]["erasure_code_profiles"], maps[1]["erasure_code_profiles"])
        self.ids = {pool["pool_name"]: pool["pool"] for pool in maps[1]["pools"]}
        for pool in (*PROFILES, "overwritten"):
            output = self.shell(block("take()") + block('take "$POOL_ID."'), without, POOL_ID=self.ids[pool])
            self.assertFalse((without / "failed").exists(), f"a shard could not be read: {output[-2000:]}")
        self.check_one_object_and_one_group(without, with_monitors, stored)
        self.check_restored(without, stored)
        self.check_every_loss(without, stored)
        self.check_mistakes(without, stored)

    def store(self) -> dict[Name, str]:
        """Writes objects to pools with all profiles. Returns their SHA-256."""
        generator = random.Random(SEED)
        stored = {}

        def put(objects: object, name: Name, size: int) -> bytes:
            data = generator.randbytes(size)
            objects.set_namespace(name.namespace)
            objects.write_full(name.text, data)
            objects.set_namespace("")
            stored[name] = hashlib.sha256(data).hexdigest()
            return data

        for pool, profile in PROFILES.items():
            self.cluster.make_pool(pool, profile, pg_count=2)
        self.cluster.make_pool("overwritten", PROFILES["isa"], pg_count=2, overwrites=True)
        for pool in PROFILES:
            with self.cluster.client.open_ioctx(pool) as objects:
                put(objects, Name(pool, "object"), 50001)
                put(objects, Name(pool, "large"), 1000001)
                if pool != "isa":
                    continue
                put(objects, Name(pool, "empty"), 0)
                put(objects, Name(pool, "a/b c'd\"e%2f\\ü"), 1)
                put(objects, Name(pool, "object", "a name/space"), 5000)
                put(objects, Name(pool, "changed"), 30000)
                objects.create_snap("snapshot")
                stored[Name(pool, "changed", "", objects.lookup_snap("snapshot").snap_id)] = stored[Name(pool, "changed")]
                put(objects, Name(pool, "changed"), 20000)
        with self.cluster.client.open_ioctx("overwritten") as objects:
            put(objects, Name("overwritten", "object"), 50001)
            data = put(objects, Name("overwritten", OVERWRITTEN), 50001)
            objects.write(OVERWRITTEN, b"new bytes", 20000)
            stored[Name("overwritten", OVERWRITTEN)] = hashlib.sha256(data[:20000] + b"new bytes" + data[20009:]).hexdigest()
        return stored

    def check_none(self) -> None:
        """With an OSD down, the acting set has NONE at the position of the OSD's shard. The position of other shards stays."""
        before = self.cluster.command("osd map", pool="isa", object="object")["acting"]
        self.cluster.stop(f"osd.{before[2]}")
        self.cluster.wait_until_down(before[2])
        now = self.cluster.command("osd map", pool="isa", object="object")["acting"]
        self.assertEqual(now, [*before[:2], NONE, *before[3:]])
        self.acting = before
        self.cluster.start_osd(before[2])
        self.cluster.wait_until_clean()

    def kill_monitor(self) -> None:
        self.cluster.client.shutdown()
        for daemon in ("mon.a", "mgr.x"):
            self.cluster.stop(daemon, signal.SIGKILL)

    def directory(self, folder: pathlib.Path, name: Name) -> pathlib.Path:
        """The directory of an object, found by the dump. The name of the directory is not used."""
        for path in (folder / "chunks").iterdir():
            identity = json.loads((path / "dump").read_text())["id"]
            if (identity["oid"], identity["namespace"], identity["snapid"], identity["pool"]) == (
                    name.text, name.namespace, name.snapshot, self.ids[name.pool]):
                return path
        raise AssertionError(f"{folder} has no directory for {name}")

    def check_one_object_and_one_group(self, all_objects: pathlib.Path, folder: pathlib.Path, stored: dict[Name, str]) -> None:
        """The other two commands of the page take the same shards."""
        text = self.shell("osdmaptool osdmap --test-map-object object --pool " + str(self.ids["isa"]), all_objects)
        group, acting = re.findall(r"-> (\S+) -> \[(.*)\]", text)[0]
        self.assertTrue(group.startswith(f"{self.ids['isa']}."), text)
        self.assertEqual(len(acting.split(",")), len(self.acting), text)
        drives = " ".join(f"/var/lib/ceph/osd/ceph-{osd}" for osd in self.acting)
        same_name = [name for name in stored if name.pool == "isa" and name.text == "object"]
        for command, names in (('take "$POOL_ID." "$OBJECT"', same_name), ('take "${PG}s"', [Name("isa", "object")])):
            shutil.rmtree(folder / "chunks", ignore_errors=True)
            self.shell(block("take()") + block(command), folder, POOL_ID=self.ids["isa"], OBJECT="object", PG=group, OSDS=drives)
            self.assertFalse((folder / "failed").exists(), "a shard could not be read")
            for name in names:
                taken, expected = self.directory(folder, name), self.directory(all_objects, name)
                self.assertEqual(taken.name, expected.name)
                for shard in expected.iterdir():
                    if shard.name != "dump" and (name.namespace == "" or (taken / shard.name).exists()):
                        self.assertEqual((taken / shard.name).read_bytes(), shard.read_bytes(), shard)

    def check_restored(self, folder: pathlib.Path, stored: dict[Name, str]) -> None:
        """The loop of the page restores all objects, names those that it cannot restore, and continues."""
        broken = folder / "chunks" / "0,broken"
        shutil.copytree(self.directory(folder, Name("isa", "large")), broken)
        for shard in "024":
            (broken / shard).unlink()
        self.shell(block("mkdir -p restored"), folder)
        self.assertEqual((folder / "failed-objects").read_text(), "chunks/0,broken\n")
        shutil.rmtree(broken)
        self.assertEqual(len(list((folder / "chunks").iterdir())), len(stored))
        for name, digest in stored.items():
            restored = folder / "restored" / self.directory(folder, name).name
            self.assertEqual(hashlib.sha256(restored.read_bytes()).hexdigest(), digest)
            parts = urllib.parse.unquote(restored.name).split(",", 4)
            self.assertEqual(parts[2:], [name.namespace, str(name.snapshot), name.text])

    def check_every_loss(self, folder: pathlib.Path, stored: dict[Name, str]) -> None:
        out = folder / "object"
        count = 0
        for name, digest in stored.items():
            directory = self.directory(folder, name)
            profile = "isa" if name.pool == "overwritten" else name.pool
            most = int(PROFILES[profile].get("m", 2))
            for loss in itertools.chain.from_iterable(self.show_reads(profile, losses) for losses in range(1, most + 1)):
                done = self.restore(directory, folder, out, "--erased", ",".join(map(str, loss["erased"])))
                self.assertEqual(done.returncode, 0, (name, loss["erased"], done.stderr))
                self.assertEqual(hashlib.sha256(out.read_bytes()).hexdigest(), digest, (name, loss["erased"]))
                self.assertEqual("digest" in done.stderr, name.text == OVERWRITTEN, done.stderr)
                count += 1
        print(f"{count} of {count} restored objects have their SHA-256", flush=True)

    def restore(self, directory: pathlib.Path, folder: pathlib.Path, out: pathlib.Path,
                *words: object) -> subprocess.CompletedProcess[str]:
        return self.ecbench("--chunks-in", directory, "--ceph-dump", directory / "dump", "--osdmap", folder / "osdmap.json",
                            "--object-out", out, *words)

    def check_mistakes(self, folder: pathlib.Path, stored: dict[Name, str]) -> None:
        """A wrong stripe unit and the map of another pool are errors. A damaged chunk is treated as lost."""
        out = folder / "mistaken"
        directory = self.directory(folder, Name("isa", "large"))
        words = ["--chunks-in", directory, "--object-out", out, "--ceph-dump", directory / "dump"]
        done = self.ecbench(*words, "-p", "isa", "-P", "k=4", "-P", "m=2", "--stripe-unit", 8192)
        self.assertEqual((done.returncode, out.exists()), (2, False), done.stderr)
        self.assertIn("--stripe-unit 4096", done.stderr)
        done = self.ecbench(*words, "--osdmap", folder / "osdmap.json", "--ceph-pool", "clay")
        self.assertEqual((done.returncode, out.exists()), (1, False), done.stderr)
        shard = directory / "1"
        data = shard.read_bytes()
        shard.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        done = self.restore(directory, folder, out)
        self.assertEqual(hashlib.sha256(out.read_bytes()).hexdigest(), stored[Name("isa", "large")])
        self.assertIn("chunk 1 ", done.stderr)


def main() -> int:
    if ceph_cluster.INSIDE in os.environ:
        unittest.main(verbosity=2, failfast=True)
    if reason := ceph_cluster.why_not():
        print(f"test_pool (pool_test) ... skipped '{reason}'", file=sys.stderr)
        return 0
    return ceph_cluster.enter(__file__, SECONDS)


if __name__ == "__main__":
    sys.exit(main())
