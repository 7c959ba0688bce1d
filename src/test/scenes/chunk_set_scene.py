"""ecbench --chunks-out writes a chunk set to a new or empty directory. If ecbench fails or is interrupted, it leaves no files."""

import hashlib
import json
import random
import signal
import subprocess
import time

import scene

JERASURE = ("-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=3")
NAMES = [*"0123456", "manifest.json"]
SIZE = 3_000_000


def digest(data):
    return hashlib.sha256(data).hexdigest()


class ChunkSet(scene.Scene):
    def setUp(self):
        super().setUp()
        self.object = self.folder / "object"
        self.object.write_bytes(random.Random(1).randbytes(SIZE))
        self.chunks = self.folder / "parent" / "chunks"

    def command(self, *words):
        return [scene.ECBENCH, *JERASURE, "--input", self.object, "-i", "1", "--chunks-out", self.chunks, *words]

    def assert_complete(self):
        self.assertEqual(sorted(path.name for path in self.chunks.iterdir()), NAMES)
        manifest = json.loads((self.chunks / "manifest.json").read_text())
        self.assertEqual([digest((self.chunks / str(i)).read_bytes()) for i in range(7)], manifest["chunk_sha256"])
        output = subprocess.run([scene.ECBENCH, "--chunks-in", self.chunks], capture_output=True, check=False)
        self.assertEqual((output.returncode, digest(output.stdout)), (0, digest(self.object.read_bytes())))

    def test_a_new_and_an_empty_directory(self):
        for is_empty in (False, True):
            if is_empty:
                self.chunks = self.folder / "empty"
                self.chunks.mkdir()
            self.succeeded(scene.run(self.command()))
            self.assert_complete()

    def test_a_directory_with_files_is_refused_and_not_changed(self):
        for name in ("notes", "0", "manifest.json"):
            self.chunks = self.folder / f"with-{name}"
            self.chunks.mkdir()
            (self.chunks / name).write_text("mine")
            self.assert_refused(scene.run(self.command()), "--chunks-out", "not an empty directory")
            self.assertEqual([(path.name, path.read_text()) for path in self.chunks.iterdir()], [(name, "mine")])
        self.chunks = self.object
        self.assert_refused(scene.run(self.command()), "--chunks-out", "not an empty directory")
        self.chunks = self.folder / "dangling"
        self.chunks.symlink_to(self.folder / "nowhere")
        self.assert_refused(scene.run(self.command()), "--chunks-out")

    def test_a_full_disk_leaves_no_files(self):
        limited = ["bash", "-c", 'ulimit -f 500; exec "$@"', "-"]
        self.assert_refused(scene.run([*limited, *self.command()]), "--chunks-out", "File too large")
        self.assertFalse(self.chunks.exists())
        self.chunks.mkdir()
        self.assert_refused(scene.run([*limited, *self.command()]), "--chunks-out", "File too large")
        self.assertEqual(list(self.chunks.iterdir()), [])

    def test_a_standard_output_that_cannot_be_written_leaves_no_files(self):
        for redirection in (">&-", ">/dev/full"):
            for words in ((), ("--format", "json"), ("-w", "decode", "-e", "1")):
                with self.subTest(redirection, words=words):
                    done = scene.run(["bash", "-c", f'exec "$@" {redirection}', "-", *self.command(*words)])
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("standard output", done.stderr.splitlines()[-1])
                    self.assertFalse(self.chunks.exists())

    def test_a_signal_leaves_all_files_or_none(self):
        begin = time.monotonic()
        self.assertEqual(scene.run(self.command()).returncode, 0)
        whole = time.monotonic() - begin
        for number, to_send in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGHUP] * 4):
            self.chunks = self.folder / f"chunks-{number}"
            with subprocess.Popen([str(word) for word in self.command()], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(whole * number / 10)
                process.send_signal(to_send)
            if self.chunks.exists():
                self.assert_complete()

    def test_the_command_measures_one_iteration_and_needs_no_option(self):
        result = scene.run([scene.ECBENCH, "chunks", self.chunks, *JERASURE, "--input", self.object, "--format", "json"])
        self.assertEqual((result.returncode, json.loads(result.stdout)["iterations"]), (0, 1), result.stderr)
        self.assert_complete()
        self.assert_refused(scene.run([scene.ECBENCH, "chunks", *JERASURE]), "ecbench chunks DIR")
