"""ecbench --chunks-out replaces a chunk set as a whole. Even if ecbench is killed, the directory contains either the complete old
set or the complete new set. Other files in the directory are never lost."""

import hashlib
import json
import os
import random
import signal
import stat
import subprocess
import time

import scene

JERASURE = ("-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4")
NAMES = [*"0123456", "manifest.json"]


def digest(data):
    return hashlib.sha256(data).hexdigest()


class ChunkSetScene(scene.Scene):
    SIZE = 100_000

    def setUp(self):
        super().setUp()
        self.parent = self.folder / "parent"
        self.parent.mkdir()
        self.chunks = self.parent / "chunks"
        self.objects = {}
        for name in "ab":
            data = random.Random(name).randbytes(self.SIZE)
            (self.folder / name).write_bytes(data)
            self.objects[digest(data)] = name

    def command(self, name, m=3, chunks=None):
        words = [scene.ECBENCH, *JERASURE, "-P", f"m={m}", "--input", self.folder / name, "-i", "1", "--chunks-out",
                 chunks or self.chunks]
        return list(map(str, words))

    def write(self, name, m=3, said="", **options):
        result = scene.run(self.command(name, m), **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(said, result.stderr)

    def read(self):
        """Returns the name of the object (a or b) whose chunks are in the directory. The test does not run ecbench for this. It
        reads the manifest, and compares the digests of all chunk files with the digests in the manifest."""
        manifest = json.loads((self.chunks / "manifest.json").read_text())
        for i, expected in enumerate(manifest["chunk_sha256"]):
            self.assertEqual(digest((self.chunks / str(i)).read_bytes()), expected, f"chunk {i}")
        return self.objects[manifest["object_sha256"]]

    def restored(self):
        """Returns the name of the object (a or b) that ecbench --chunks-in decodes from the directory."""
        output = subprocess.run([str(scene.ECBENCH), "--chunks-in", str(self.chunks)], capture_output=True, check=False)
        self.assertEqual((output.returncode, output.stderr), (0, b""))
        return self.objects[digest(output.stdout)]

    def names(self):
        return sorted(path.name for path in self.chunks.iterdir())

    def assert_clean(self, *others):
        self.assertEqual(self.names(), sorted([*NAMES, *others]))
        self.assertEqual(os.listdir(self.parent), ["chunks"])


class Written(ChunkSetScene):
    def test_replaces_an_older_set_at_once(self):
        self.write("a")
        before = self.chunks.stat().st_ino
        self.write("b")
        self.assertNotEqual(self.chunks.stat().st_ino, before, "the directory was not replaced by a new one")
        self.assertEqual((self.read(), self.restored()), ("b", "b"))
        self.assert_clean()

    def test_chunks_that_the_new_code_does_not_have_are_removed(self):
        for others in ([], ["notes"]):
            self.write("a", m=4)
            for name in others:
                (self.chunks / name).write_text("mine")
            self.assertIn("7", self.names())
            self.write("b")
            self.assertEqual(self.restored(), "b")
            self.assert_clean(*others)

    def test_other_files_stay(self):
        self.chunks.mkdir()
        (self.chunks / "notes").write_text("mine")
        (self.chunks / "12").write_text("mine too")
        (self.chunks / "sub").mkdir()
        for name in "ab":
            self.write(name)
            self.assertEqual(self.restored(), name)
        self.assertEqual([(self.chunks / name).read_text() for name in ("notes", "12")], ["mine", "mine too"])
        self.assert_clean("notes", "12", "sub")

    def test_through_a_link_and_in_the_current_folder(self):
        self.chunks.mkdir()
        link = self.folder / "link"
        link.symlink_to(self.chunks)
        for name in "ab":
            result = scene.run(self.command(name, chunks=link))
            self.assertEqual((result.returncode, self.read()), (0, name), result.stderr)
        self.assertTrue(link.is_symlink())
        result = scene.run([*self.command("a", chunks=".")], cwd=self.chunks)
        self.assertEqual((result.returncode, self.read()), (0, "a"), result.stderr)
        before = self.chunks.stat().st_ino
        result = scene.run(["bash", "-c", '"$@" && ls', "-", *self.command("b", chunks=self.chunks)], cwd=self.chunks)
        self.assertEqual((self.read(), self.chunks.stat().st_ino), ("b", before), "the current directory of the shell was replaced")
        self.assertIn("manifest.json", result.stdout.splitlines())
        self.assert_clean()

    def test_permissions_stay(self):
        self.write("a")
        self.chunks.chmod(0o750)
        (self.chunks / "3").chmod(0o600)
        self.write("b")
        self.assertEqual([stat.S_IMODE(path.stat().st_mode) for path in (self.chunks, self.chunks / "3")], [0o750, 0o600])
        self.assertEqual((self.chunks / "2").stat().st_mode, (self.chunks / "manifest.json").stat().st_mode)

    def test_files_that_are_not_of_a_set_are_not_overwritten(self):
        self.write("a")
        for name, text in (("manifest.json", '{"name": "my web page"}'), ("manifest.json", "")):
            (self.chunks / name).write_text(text)
            self.assert_refused(scene.run(self.command("b")), name, "is not a manifest")
            self.assertEqual((self.chunks / name).read_text(), text)
        (self.chunks / "manifest.json").unlink()
        (self.chunks / "3").unlink()
        (self.chunks / "3").symlink_to(self.folder / "a")
        self.assert_refused(scene.run(self.command("b")), "chunks/3", "not a regular file")
        self.assertEqual(digest((self.folder / "a").read_bytes()), digest(random.Random("a").randbytes(self.SIZE)))
        self.assertTrue((self.chunks / "3").is_symlink())

    def test_a_parent_folder_without_write_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        self.write("a")
        self.parent.chmod(0o500)
        self.addCleanup(self.parent.chmod, 0o700)
        self.write("b")
        self.assertEqual(self.read(), "b")
        self.assert_clean()

    def test_several_writers_wait_for_each_other(self):
        processes = [subprocess.Popen(self.command(name), stdout=subprocess.DEVNULL) for name in "ababab"]
        self.assertEqual([process.wait(60) for process in processes], [0] * 6)
        self.assertIn(self.read(), "ab")
        self.assert_clean()


class Interrupted(ChunkSetScene):
    SIZE = 3_000_000

    def test_a_full_disk_leaves_the_old_set(self):
        for others in ([], ["notes"]):
            self.write("a")
            for name in others:
                (self.chunks / name).write_text("mine")
            result = scene.run(["bash", "-c", 'ulimit -f 500; exec "$@"', "-", *self.command("b")])
            self.assert_refused(result, "--chunks-out", "File too large")
            self.assertEqual((self.read(), self.restored()), ("a", "a"))
            self.assert_clean(*others)
            self.write("b")
        self.assert_refused(scene.run(["bash", "-c", 'ulimit -f 500; exec "$@"', "-",
                                       *self.command("b", chunks=self.parent / "new")]))
        self.assert_clean("notes")

    def end(self, number, after):
        """Starts ecbench to replace the chunks of one object by the chunks of the other object. Sends the signal `number` to
        ecbench after `after` seconds."""
        other = "b" if self.restored() == "a" else "a"
        with subprocess.Popen(self.command(other), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(after)
            process.send_signal(number)

    def moments(self, count):
        """Returns `count` random times in seconds, for the parameter `after` of end(). The longest possible time is 1.2 times the
        time that ecbench needs to write a set."""
        begin = time.monotonic()
        self.write("a")
        whole = time.monotonic() - begin
        return [random.uniform(0, 1.2 * whole) for _ in range(count)]

    def test_a_kill_leaves_one_of_the_sets(self):
        for after in self.moments(12):
            self.end(signal.SIGKILL, after)
            self.assertEqual(self.read(), self.restored(), f"killed after {after} s")
            self.assertEqual(self.names(), NAMES)
        self.write("b")
        self.assertEqual(self.read(), "b")
        self.assert_clean()

    def test_a_kill_among_other_files_leaves_one_of_the_sets(self):
        self.chunks.mkdir()
        (self.chunks / "notes").write_text("mine")
        for after in self.moments(12):
            self.end(signal.SIGKILL, after)
            self.restored()
        self.write("b")
        self.assertEqual((self.read(), self.restored()), ("b", "b"))
        self.assert_clean("notes")

    def test_other_signals_leave_nothing_behind(self):
        for others in ([], ["notes"]):
            for after in self.moments(4):
                for name in others:
                    (self.chunks / name).write_text("mine")
                self.end(random.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)), after)
                self.assertEqual(self.read(), self.restored())
                self.assert_clean(*others)

    def test_a_kill_amid_the_moves_of_a_set(self):
        for moved in range(len(NAMES) + 1):
            self.write("a", m=4)
            result = scene.run(self.command("b", chunks=self.chunks / ".ecbench-commit"))
            self.assertEqual(result.returncode, 0, result.stderr)
            # Only the old set has a chunk 7. ecbench moves the manifest last. Before that, it removes the file of chunk 7.
            if moved == len(NAMES):
                (self.chunks / "7").unlink()
            for name in NAMES[:moved]:
                os.replace(self.chunks / ".ecbench-commit" / name, self.chunks / name)
            with self.subTest(moved):
                self.assertEqual(self.restored(), "b")
                self.write("a")
                self.assertEqual(self.read(), "a")
                self.assert_clean()

    def test_only_files_that_killed_writers_left_are_removed(self):
        self.write("a")
        dead = self.parent / ".chunks.ecbench-0123456789abcdef.tmp"
        with_more = self.parent / ".chunks.ecbench-00000000000000aa.tmp"
        alike = [self.parent / name for name in (".chunks.ecbench-1.tmp", ".other.ecbench-0123456789abcdef.tmp", "1.tmp381")]
        for folder in (dead, with_more, *alike):
            folder.mkdir()
            (folder / "0").write_text("half")
        (with_more / "mine").write_text("mine")
        self.write("b")
        self.assertEqual(sorted(self.parent.iterdir()), sorted([self.chunks, with_more, *alike]))
        self.assertEqual((with_more / "mine").read_text(), "mine")


if __name__ == "__main__":
    scene.main()
