"""ecbench --chunks-in decodes an object from chunk files: the right bytes, or one line that says why not, never half of it."""

import os
import shutil
import subprocess

import scene

JERASURE = ("-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=3")
SIZE = 5000  # in chunks of 1280 bytes: 120 bytes of padding


class RestoreScene(scene.Scene):
    def setUp(self):
        super().setUp()
        self.object = os.urandom(SIZE - 1) + b"x"  # whose last byte is no padding
        (self.folder / "object").write_bytes(self.object)
        self.chunks = self.folder / "chunks"
        self.encode(*JERASURE)

    def encode(self, *words):
        shutil.rmtree(self.chunks, ignore_errors=True)
        result = scene.run([scene.ECBENCH, *words, "--input", self.folder / "object", "--chunks-out", self.chunks, "-i", "1"])
        self.assertEqual(result.returncode, 0, result.stderr)

    def restore(self, *words):
        """The result, whose stdout is bytes here, and what was said."""
        out = self.folder / "restored"
        result = scene.run([scene.ECBENCH, *words, "--chunks-in", self.chunks, "--object-out", out])
        data = out.read_bytes() if out.exists() else None
        out.unlink(missing_ok=True)
        return result, data

    def assert_restored(self, *words, said=""):
        result, data = self.restore(*words)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertEqual(data, self.object, words)
        self.assertIn(said, result.stderr)
        if not said:
            self.assertEqual(result.stderr, "")

    def assert_nothing_restored(self, code, *words, said=()):
        before = sorted(path.name for path in self.folder.iterdir())
        result, data = self.restore(*words)
        self.assertEqual((result.returncode, result.stdout, data), (code, "", None), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in said:
            self.assertIn(word, result.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before, "a file is left behind")

    def damage(self, chunk, offset=100):
        path = self.chunks / str(chunk)
        data = bytearray(path.read_bytes())
        data[offset] ^= 1
        path.write_bytes(data)


class RightBytes(RestoreScene):
    def test_whatever_chunks_are_left(self):
        self.assert_restored(*JERASURE, "--size", SIZE)
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "0", "6")
        for lost in (1, 5):
            (self.chunks / str(lost)).unlink()
        self.assert_restored(*JERASURE, "--size", SIZE)
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "1")  # lost anyway
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "2", said="no chunk is left over to check the others by")

    def test_to_standard_output(self):
        command = [scene.ECBENCH, *JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--erased", "1,2"]
        output = subprocess.run(list(map(str, command)), capture_output=True, check=True)
        self.assertEqual((output.stdout, output.stderr), (self.object, b""))

    def test_without_size_the_padding_comes_too(self):
        result, data = self.restore(*JERASURE, "--erased", "3")
        self.assertEqual(data, self.object + bytes(120))
        self.assertIn("padding, 5120 bytes", result.stderr)

    def test_of_every_kind_of_code(self):
        for words in (("-p", "isa", "-P", "technique=cauchy", "-P", "k=5", "-P", "m=2"),
                      ("-p", "isa", "-P", "k=2", "-P", "m=2", "-P", "mapping=_D_D"),
                      ("-p", "jerasure", "-P", "technique=liberation", "-P", "k=3", "-P", "packetsize=8"),
                      ("-p", "shec", "-P", "k=4", "-P", "m=3", "-P", "c=2"), ("-p", "example",),
                      ("-p", "replication", "-P", "size=3"), ("-p", "lrc", "-P", "k=4", "-P", "m=2", "-P", "l=3"),
                      ("-p", "lrc", "-P", "mapping=__DD__DD", "-P", 'layers=[["_cDD_cDD",""],["cDDD____",""],["____cDDD",""]]'),
                      ("-p", "clay", "-P", "k=4", "-P", "m=2", "-P", "d=5")):
            with self.subTest(words):
                self.encode(*words)
                count = len(list(self.chunks.iterdir()))
                for lost in range(count):
                    result, data = self.restore(*words, "--size", SIZE, "--erased", lost)
                    self.assertEqual((result.returncode, data), (0, self.object), f"lost {lost}: {result.stderr}")

    def test_in_stripes(self):
        words = (*JERASURE, "--stripe-unit", "512")
        self.encode(*words)
        self.assertEqual((self.chunks / "0").stat().st_size, 3 * 512)
        self.assert_restored(*words, "--size", SIZE, "--erased", "0", "2")
        self.assert_nothing_restored(1, *JERASURE, "--stripe-unit", "1K", "--size", SIZE, said=["1536 bytes", "1024"])
        self.assert_nothing_restored(1, *words, "--size", 2 * 2048, said=["chunks of 1024"])

    def test_a_folder_of_cephs_corpus(self):
        (self.chunks / "content").write_bytes(self.object)
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "0", "1")

    def test_an_object_that_was_there_is_replaced_whole_and_through_a_link(self):
        out, link = self.folder / "target", self.folder / "link"
        out.write_bytes(b"before")
        link.symlink_to(out)
        for path in (out, link):
            result = scene.run([scene.ECBENCH, *JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--object-out", path])
            self.assertEqual((result.returncode, path.read_bytes()), (0, self.object), result.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(out.read_bytes(), self.object)


class DamagedChunks(RestoreScene):
    def test_are_found_by_the_chunks_that_are_left_over(self):
        for damaged in range(7):
            with self.subTest(damaged):
                self.encode(*JERASURE)
                self.damage(damaged)
                self.assert_nothing_restored(2, *JERASURE, "--size", SIZE, said=["disagree", f"--erased {damaged}"])
                self.assert_restored(*JERASURE, "--size", SIZE, "--erased", damaged)

    def test_cannot_be_told_apart_by_one_that_is_left_over(self):
        self.damage(0)
        for lost in ("1", "4"):
            (self.chunks / lost).unlink()
        self.assert_nothing_restored(2, *JERASURE, "--size", SIZE, said=["disagrees", "too few are left to tell"])

    def test_two_are_not_blamed_on_a_third(self):
        self.damage(0)
        self.damage(5)
        self.assert_nothing_restored(2, *JERASURE, "--size", SIZE, said=["several are"])
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "0", "5")

    def test_chunks_of_another_code_are_damaged_too(self):
        self.assert_nothing_restored(2, "-p", "isa", "-P", "k=4", "-P", "m=3", "--size", SIZE, said=["disagree", "profile"])

    def test_in_the_second_stripe(self):
        words = (*JERASURE, "--stripe-unit", "512")
        self.encode(*words)
        self.damage(1, offset=600)
        self.assert_nothing_restored(2, *words, "--size", SIZE, said=["4, 5, 6 disagree", "--erased 1"])


class BadInput(RestoreScene):
    def test_files_that_do_not_fit(self):
        def shorten(name):
            (self.chunks / name).write_bytes(b"short")
        for said, change in (
                (("file 3 has 5",), lambda: shorten("3")),
                (("0 is not allowed", "empty"), lambda: (self.chunks / "0").write_bytes(b"")),
                (("holds a file 7",), lambda: (self.chunks / "7").write_bytes(bytes(1280))),
                (("holds a file 1.bak",), lambda: (self.chunks / "1.bak").write_bytes(bytes(1280))),
                (("regular file",), lambda: ((self.chunks / "2").unlink(), (self.chunks / "2").mkdir())),
                (("chunks/2: No such file",), lambda: ((self.chunks / "2").unlink(), (self.chunks / "2").symlink_to("nowhere"))),
                (("none of this code's chunks",), lambda: [path.unlink() for path in self.chunks.iterdir()]),
                (("No such file",), lambda: shutil.rmtree(self.chunks)),
                (("cannot be recovered", "0, 1, 2, 3"), lambda: [(self.chunks / lost).unlink() for lost in "0123"])):
            with self.subTest(said):
                self.encode(*JERASURE)
                change()
                self.assert_nothing_restored(1, *JERASURE, "--size", SIZE, said=said)

    def test_a_file_that_is_to_be_left_out_is_not_looked_at(self):
        (self.chunks / "3").write_bytes(b"short")
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "3")

    def test_a_file_that_cannot_be_read(self):
        if os.geteuid() == 0:
            self.skipTest("root reads everything")
        (self.chunks / "3").chmod(0)
        self.assert_nothing_restored(1, *JERASURE, "--size", SIZE, said=["chunks/3", "Permission denied"])

    def test_sizes_that_do_not_fit(self):
        self.assert_nothing_restored(1, *JERASURE, "--size", SIZE - 1, said=["goes on behind it"])
        self.assert_nothing_restored(1, *JERASURE, "--size", "3000", said=["1280 bytes", "chunks of 768"])
        self.assert_nothing_restored(1, *JERASURE, "--size", "1G", said=["1280 bytes", "--size"])
        self.assert_nothing_restored(1, "-p", "jerasure", "-P", "technique=cauchy_good", "-P", "k=4", "-P", "m=3",
                                     said=["1280 bytes", "chunks of 65536", "profile is another"])

    def test_options(self):
        for words, said in (((*JERASURE, "-i", "1"), "--iterations is not allowed with --chunks-in"),
                            ((*JERASURE, "-w", "decode"), "--workload"), ((*JERASURE, "--input", "x"), "--input"),
                            ((*JERASURE, "--erased", "7"), "0 to 6"), (("-P", "k=4", "-P", "m=3"), "needs --plugin"),
                            (("-p", "nope"), "nope"), ((*JERASURE, "--size", "0"), "--size")):
            with self.subTest(words):
                self.assert_nothing_restored(1, *words, said=[said])
        self.assert_refused(scene.run([scene.ECBENCH, *JERASURE, "--object-out", "x"]), "--chunks-in")

    def test_places_where_no_object_goes(self):
        link = self.folder / "link"
        link.symlink_to(self.chunks / "3")
        for path, said in ((self.chunks / "9", "look like one"), (link, "look like one"), (self.folder, "no regular file"),
                           ("/dev/null", "no regular file"), (self.folder / "nowhere" / "x", "No such file")):
            with self.subTest(path):
                self.assert_refused(scene.run([scene.ECBENCH, *JERASURE, "--size", SIZE, "--chunks-in", self.chunks,
                                               "--object-out", path]), said)
        self.assertEqual(sorted(path.name for path in self.chunks.iterdir()), list("0123456"))

    def test_a_file_that_may_not_grow_so_large_leaves_no_half(self):
        command = f'ulimit -f 2; exec "$0" {" ".join(JERASURE)} --size {SIZE} --chunks-in chunks --object-out restored'
        result = scene.run(["bash", "-c", command, scene.ECBENCH], cwd=self.folder)
        self.assert_refused(result, "--object-out restored", "File too large")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["chunks", "object"])

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="ascii") as full:
            command = list(map(str, [scene.ECBENCH, *JERASURE, "--size", SIZE, "--chunks-in", self.chunks]))
            result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (1, "ecbench: cannot write to standard output\n"))


if __name__ == "__main__":
    scene.main()
