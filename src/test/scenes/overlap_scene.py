"""ecbench refuses an output that is an input, also if one of their paths is a symbolic link, before it writes to any file."""

import os
import random
import subprocess

import scene

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

    def run_here(self, *words):
        return scene.run([scene.ECBENCH, *words], cwd=self.folder)

    def files(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def assert_overlap(self, *words, said=()):
        with self.subTest(words):
            self.assert_refused(self.run_here(*words), "same file as", *said)
            self.assertEqual(self.files(), self.before)

    def test_an_input_that_is_an_output(self):
        for name in ("obj", "./d/../obj", "obj.symbolic", self.folder / "obj"):
            self.assert_overlap(*CODE, "--input", "obj", "--symbols", name, said=["--symbols", "--input obj"])
            self.assert_overlap(*CODE, "--input", name, "--output", "obj", said=["--output obj", "--input"])
            self.assert_overlap(*CODE, *COUNT, "--input", "obj", "--instructions-out", name, said=["--instructions-out"])

    def test_chunks_that_are_inputs(self):
        for name in ("d/0", "d0.symbolic"):
            self.assert_overlap("--chunks-in", "d", "--object-out", name, said=[f"--object-out {name}", "d/0 of --chunks-in"])
        self.assert_overlap("--chunks-in", "d", "--object-out", "d/manifest.json", said=["d/manifest.json of --chunks-in"])

    def test_a_chunk_directory_with_files(self):
        for name in ("d", "link to d", "d/new/.."):
            self.assert_refused(self.run_here(*CODE, "--chunks-out", name), "--chunks-out")
        self.assertFalse((self.folder / "d/new").exists())
        self.assertEqual(self.files(), self.before)

    def test_chunks_that_are_links_to_the_object_file(self):
        os.replace(self.folder / "d/0", self.folder / "elsewhere")
        (self.folder / "d/0").symlink_to("../elsewhere")
        self.before = self.files()
        self.assert_overlap("--chunks-in", "d", "--object-out", "elsewhere", said=["d/0 of --chunks-in"])

    def test_standard_output_and_input(self):
        for words, file in ((["--chunks-in", "d"], "d/3"), (["restore", "d"], "d0.symbolic"), (["--describe", "obj"], "obj"),
                            ([*CODE, "--input", "obj"], "obj")):
            with self.subTest(words), open(self.folder / file, "ab") as out:
                self.before = self.files()
                command = list(map(str, [scene.ECBENCH, *words]))
                result = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, cwd=self.folder, check=False)
                self.assertEqual(result.returncode, 1)
                self.assertIn("standard output is not allowed: it is the same file as", result.stderr)
                self.assertEqual(self.files(), self.before)
        with open(self.folder / "obj", "rb") as lines, open(self.folder / "obj", "ab") as out:
            result = subprocess.run([str(scene.ECBENCH), "--describe", "-"], stdin=lines, stdout=out, stderr=subprocess.PIPE,
                                    check=False)
        self.assertIn(b"same file as standard input", result.stderr)

    def test_what_the_program_is_loaded_from(self):
        plugins = self.folder / "plugins"
        plugins.mkdir()
        for path in scene.PLUGINS.glob("libec_*.so"):
            (plugins / path.name).symlink_to(path)
        self.before = self.files()
        self.assert_overlap(*CODE, "--erasure-code-dir", plugins, "--symbols", plugins / "libec_jerasure.so",
                            said=["plugin directory"])
        self.assert_refused(self.run_here(*CODE, "--symbols", scene.ECBENCH), "same file as the program")

    def test_the_reference_of_the_probe(self):
        reference = self.folder / "state" / "ecbench" / "probe"
        reference.parent.mkdir(parents=True)
        reference.write_text("")
        for option in ("--output", "--symbols"):
            result = scene.run([scene.ECBENCH, *CODE, option, reference], env={"XDG_STATE_HOME": self.folder / "state"})
            self.assert_refused(result, option, "same file as the file in which ecbench stores the speeds")
            self.assertEqual(reference.read_text(), "")

    def test_what_is_no_input_is_allowed(self):
        with open(self.folder / "shown", "wb") as out:
            command = [*CODE, "--input", "obj", "--symbols", "symbols", "--output", "rows", "--chunks-out", "e"]
            result = subprocess.run(list(map(str, [scene.ECBENCH, *command])), stdout=out, stderr=subprocess.PIPE, cwd=self.folder,
                                    check=False, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([line for line in result.stderr.splitlines() if not scene.REMARK.match(line)], [])
        (self.folder / "empty").mkdir()
        for words in (["--input", "obj", "--symbols", "/dev/null"], ["--symbols", "/dev/stdout"],
                      ["--output", "empty/rows", "--chunks-out", "empty"]):
            result = self.run_here(*CODE, *words)
            self.assertEqual((result.returncode, result.stderr), (0, ""), words)
