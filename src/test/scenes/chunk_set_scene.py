"""ecbench --chunks-out writes a complete chunk set or no file. No output overwrites an input."""

import hashlib
import json
import os
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
        (dangling := self.folder / "dangling").symlink_to(self.folder / "nowhere")
        for path, said in ((self.object, "not an empty directory"), (dangling, ""), ("/proc/chunks", "/proc/chunks")):
            self.chunks = path
            self.assert_refused(scene.run(self.command()), "--chunks-out", said)

    def test_a_full_disk_leaves_no_files(self):
        for left in ([], [self.chunks]):
            self.assert_refused(scene.run(self.command(), around='ulimit -f 500; "$@"'), "--chunks-out", "File too large")
            self.assertEqual([path for path in self.folder.rglob("*") if path not in (self.object, self.chunks.parent)], left)
            self.chunks.mkdir(parents=True, exist_ok=True)

    def test_a_standard_output_that_cannot_be_written_leaves_no_files(self):
        for redirection in (">&-", ">/dev/full"):
            for words in ((), ("--format", "json"), ("-w", "decode", "-e", "1")):
                done = scene.run(self.command(*words), around=f'"$@" {redirection}')
                self.assertEqual(done.returncode, 1)
                self.assertIn("standard output", done.stderr.splitlines()[-1])
                self.assertFalse(self.chunks.exists())

    def test_a_signal_leaves_all_files_or_none(self):
        begin = time.monotonic()
        self.assertEqual(scene.run(self.command()).returncode, 0)
        whole = time.monotonic() - begin
        for number, to_send in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGHUP] * 4):
            self.chunks = self.folder / f"chunks-{number}"
            with scene.start(self.command()) as process:
                time.sleep(whole * number / 10)
                process.send_signal(to_send)
            if self.chunks.exists():
                self.assert_complete()

    def test_the_command_measures_one_iteration_and_needs_no_option(self):
        result = scene.ecbench("chunks", self.chunks, *JERASURE, "--input", self.object, "--format", "json")
        self.assertEqual((result.returncode, json.loads(result.stdout)["iterations"]), (0, 1), result.stderr)
        self.assert_complete()
        self.assert_refused(scene.ecbench("chunks", *JERASURE), "ecbench chunks DIR")


CODE = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2", "-i", "1"]
COUNT = ["--count-instructions", "-s", "4K"]


class Overlaps(scene.Scene):
    def setUp(self):
        super().setUp()
        self.content = random.Random(1).randbytes(5000)
        (self.folder / "obj").write_bytes(self.content)
        self.succeeded(self.run_here(*CODE, "--input", "obj", "--chunks-out", "d"))
        for name in ("obj", "d/0"):
            (self.folder / (name.replace("/", "") + ".symbolic")).symlink_to(self.folder / name)
        (self.folder / "link to d").symlink_to("d")
        self.before = self.files()

    def run_here(self, *words, **options):
        return scene.ecbench(*words, cwd=self.folder, **options)

    def files(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def assert_overlap(self, *words, said=()):
        self.assert_refused(self.run_here(*words), "same file as", *said)
        self.assertEqual(self.files(), self.before)

    def test_an_input_that_is_an_output(self):
        for name in ("obj", "./d/../obj", "obj.symbolic", self.folder / "obj"):
            self.assert_overlap(*CODE, "--input", "obj", "--symbols", name, said=["--symbols", "--input obj"])
            self.assert_overlap(*CODE, "--input", name, "--output", "obj", said=["--output obj", "--input"])
            self.assert_overlap(*CODE, *COUNT, "--input", "obj", "--instructions-out", name, said=["--instructions-out"])

    def test_chunks_that_are_inputs(self):
        for name in ("d/0", "d0.symbolic"):
            self.assert_overlap("--chunks-in", "d", "--object-out", name, said=[f"--object-out {name}", "d/0 of DIR"])
        self.assert_overlap("--chunks-in", "d", "--object-out", "d/manifest.json", said=["d/manifest.json of DIR"])

    def test_chunks_that_are_links_to_the_object_file(self):
        os.replace(self.folder / "d/0", self.folder / "elsewhere")
        (self.folder / "d/0").symlink_to("../elsewhere")
        self.before = self.files()
        self.assert_overlap("--chunks-in", "d", "--object-out", "elsewhere", said=["d/0 of DIR"])

    def test_standard_output_and_input(self):
        for words, streams, same in ((["--chunks-in", "d"], ">>d/3", "d/3"), (["restore", "d"], ">>d0.symbolic", "d/0"),
                                     (["--describe", "obj"], ">>obj", "obj"), ([*CODE, "--input", "obj"], ">>obj", "obj"),
                                     (["--describe", "-"], "<obj >>obj", "standard input")):
            result = self.run_here(*words, around=f'"$@" {streams}')
            self.assert_refused(result, "standard output is not allowed: it is the same file as", same)
            self.assertEqual(self.files(), self.before)

    def test_what_the_program_is_loaded_from(self):
        plugins = self.plugins_of(*scene.PLUGINS.glob("libec_*.so"))
        self.before = self.files()
        self.assert_overlap(*CODE, "--erasure-code-dir", plugins, "--symbols", plugins / "libec_jerasure.so",
                            said=["plugin directory"])
        self.assert_refused(self.run_here(*CODE, "--symbols", scene.ECBENCH), "same file as the program")

    def test_the_reference_of_the_probe(self):
        reference = self.folder / "state" / "ecbench" / "probe"
        reference.parent.mkdir(parents=True)
        reference.write_text("")
        for option in ("--output", "--symbols"):
            result = scene.ecbench(*CODE, option, reference, env={"XDG_STATE_HOME": self.folder / "state"})
            self.assert_refused(result, option, "same file as the file in which ecbench stores the speeds")
            self.assertEqual(reference.read_text(), "")

    def test_what_is_no_input_is_allowed(self):
        (self.folder / "empty").mkdir()
        words = ["--input", "obj", "--symbols", "symbols", "--output", "rows", "--chunks-out", "e"]
        self.silent(self.run_here(*CODE, *words, around='"$@" >shown'))
        for words in (["--input", "obj", "--symbols", "/dev/null"], ["--symbols", "/dev/stdout"],
                      ["--output", "empty/rows", "--chunks-out", "empty"]):
            self.silent(self.run_here(*CODE, *words))
