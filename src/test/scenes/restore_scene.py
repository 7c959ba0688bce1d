"""ecbench --chunks-in. If it finds an error, it writes no object. Without a digest, the object may be wrong, which it prints."""

import json
import os
import random
import shutil
import stat
import subprocess

import scene

JERASURE = ("-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=3")
NO_STRIPE_UNIT = "was read as one stripe; if it was encoded with a stripe unit, give --stripe-unit"
SIZE = 5000  # with 4 data chunks of 1280 bytes, the padding is 120 bytes


class RestoreScene(scene.Scene):
    def setUp(self):
        super().setUp()
        self.object = random.Random(1).randbytes(SIZE - 1) + b"x"  # the last byte must not look like padding
        (self.folder / "object").write_bytes(self.object)
        self.chunks = self.folder / "chunks"
        self.encode(*JERASURE)

    def encode(self, *words, with_manifest=False):
        """Writes chunk files. Without a manifest, the directory is like those in Ceph's corpus."""
        shutil.rmtree(self.chunks, ignore_errors=True)
        self.succeeded(scene.ecbench(*words, "--input", self.folder / "object", "--chunks-out", self.chunks, "-i", "1"))
        if not with_manifest:
            (self.chunks / "manifest.json").unlink()

    def restore(self, *words):
        """Returns the finished process, and the bytes of the object that the process wrote (None if it wrote no object)."""
        out = self.folder / "restored"
        result = scene.ecbench(*words, "--chunks-in", self.chunks, "--object-out", out)
        data = out.read_bytes() if out.exists() else None
        out.unlink(missing_ok=True)
        return result, data

    def assert_restored(self, *words, said=""):
        result, data = self.restore(*words)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertEqual(data, self.object, words)
        self.assertIn(f"restored {len(self.object)} bytes; verified: ", result.stderr)
        self.assertIn(said, result.stderr)
        if not said:
            self.assertNotIn("cannot be checked", result.stderr)

    def assert_nothing_restored(self, code, *words, said=()):
        before = sorted(path.name for path in self.folder.iterdir())
        result, data = self.restore(*words)
        self.assertEqual((result.returncode, result.stdout, data), (code, "", None), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in said:
            self.assertIn(word, result.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before, "a file was left or removed")

    def damage(self, chunk):
        path = self.chunks / str(chunk)
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(data)


class RightBytes(RestoreScene):
    def test_with_any_sufficient_chunks(self):
        self.assert_restored(*JERASURE, "--size", SIZE)
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "0", "6")
        for lost in (1, 5):
            (self.chunks / str(lost)).unlink()
        self.assert_restored(*JERASURE, "--size", SIZE)
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "1")  # the file of chunk 1 does not exist
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "2", said="chunks 0, 3, 4, 6, which cannot be checked")

    def test_to_standard_output(self):
        self.encode(*JERASURE, with_manifest=True)
        command = [scene.ECBENCH, *JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--erased", "1,2"]
        output = subprocess.run(list(map(str, command)), capture_output=True, check=True)
        self.assertEqual(output.stdout, self.object)
        self.assertTrue(output.stderr.endswith(b"verified: SHA-256 of the object and of chunks 0, 3, 4, 5, 6\n"), output.stderr)

    def test_without_size_the_padding_is_included(self):
        result, data = self.restore(*JERASURE, "--erased", "3")
        self.assertEqual(data, self.object + bytes(120))
        self.assertIn("padding, in total 5120 bytes", result.stderr)

    def test_in_stripes(self):
        words = (*JERASURE, "--stripe-unit", "512")
        self.encode(*words)
        self.assertEqual((self.chunks / "0").stat().st_size, 3 * 512)
        self.assert_restored(*words, "--size", SIZE, "--erased", "0", "2")
        self.assert_nothing_restored(1, *JERASURE, "--stripe-unit", "1K", "--size", SIZE, said=["1536 bytes", "1024"])
        self.assert_nothing_restored(1, *words, "--size", 2 * 2048, said=["chunks of 1024"])

    def test_an_existing_object_is_replaced_as_a_whole_and_through_a_link(self):
        out, link = self.folder / "target", self.folder / "link"
        out.write_bytes(b"before")
        link.symlink_to(out)
        for path in (out, link):
            result = scene.ecbench(*JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--object-out", path)
            self.assertEqual((result.returncode, path.read_bytes()), (0, self.object), result.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(out.read_bytes(), self.object)

    def test_permissions_of_a_file_that_is_replaced_stay(self):
        out = self.folder / "out"
        for mode in (0o600, 0o640, 0o604):
            out.write_bytes(b"before")
            out.chmod(mode)
            if os.geteuid() == 0:
                os.chown(out, 1234, 5678)
            owner = (out.stat().st_uid, out.stat().st_gid)
            result = scene.ecbench(*JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--object-out", out)
            self.assertEqual((result.returncode, out.read_bytes()), (0, self.object), result.stderr)
            self.assertEqual((stat.S_IMODE(out.stat().st_mode), (out.stat().st_uid, out.stat().st_gid)), (mode, owner))

    def test_a_file_that_a_killed_process_left_is_removed(self):
        (self.folder / ".restored.ecbench-0123456789abcdef.tmp").write_bytes(b"half")
        others = [".restored.ecbench-0123456789abcdef.tmp2", ".restored.ecbench-0123456789abcdeX.tmp",
                  ".other.ecbench-0123456789abcdef.tmp"]
        for name in others:
            (self.folder / name).write_bytes(b"another's")
        self.assert_restored(*JERASURE, "--size", SIZE)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted([*others, "chunks", "object"]))


class DamagedChunks(RestoreScene):
    def test_are_found_by_additional_chunks(self):
        for damaged in range(7):
            self.encode(*JERASURE)
            self.damage(damaged)
            self.assert_nothing_restored(2, *JERASURE, "--size", SIZE, said=["disagree", f"--erased {damaged}"])
            self.assert_restored(*JERASURE, "--size", SIZE, "--erased", damaged)

    def test_with_k_chunks_a_wrong_profile_is_not_detected(self):
        result, data = self.restore("-p", "isa", "-P", "k=4", "-P", "m=3", "--size", SIZE, "--erased", "0,1,2")
        self.assertEqual((result.returncode, data != self.object), (0, True))
        self.assertIn("chunks 3, 4, 5, 6, which cannot be checked", result.stderr)
        self.assertIn("if the profile or the stripe unit is wrong", result.stderr)

    def test_a_forgotten_stripe_unit_is_not_detected(self):
        self.encode(*JERASURE, "--stripe-unit", "64")
        result, data = self.restore(*JERASURE)
        self.assertEqual((result.returncode, data[:SIZE] != self.object), (0, True))
        self.assertIn(NO_STRIPE_UNIT, result.stderr)


class BadInput(RestoreScene):
    def test_files_that_do_not_fit(self):
        def shorten(name):
            (self.chunks / name).write_bytes(b"short")
        for said, change in (
                (("chunk 3 is shorter", "--erased"), lambda: shorten("3")),
                (("chunk 0 is shorter", "--erased"), lambda: (self.chunks / "0").write_bytes(b"")),
                (("empty",), lambda: [path.write_bytes(b"") for path in self.chunks.iterdir()]),
                (("has a file 7",), lambda: (self.chunks / "7").write_bytes(bytes(1280))),
                (("has a file 1.bak",), lambda: (self.chunks / "1.bak").write_bytes(bytes(1280))),
                (("regular file",), lambda: ((self.chunks / "2").unlink(), (self.chunks / "2").mkdir())),
                (("regular file",), lambda: ((self.chunks / "2").unlink(), os.mkfifo(self.chunks / "2"))),
                (("chunks/2: No such file",), lambda: ((self.chunks / "2").unlink(), (self.chunks / "2").symlink_to("nowhere"))),
                (("no chunk of this code",), lambda: [path.unlink() for path in self.chunks.iterdir()]),
                (("not a directory",), lambda: shutil.rmtree(self.chunks)),
                (("cannot be recovered", "0, 1, 2, 3"), lambda: [(self.chunks / lost).unlink() for lost in "0123"])):
            self.encode(*JERASURE)
            change()
            self.assert_nothing_restored(1, *JERASURE, "--size", SIZE, said=said)

    def test_a_file_that_is_left_out_is_not_read(self):
        (self.chunks / "3").write_bytes(b"short")
        self.assert_restored(*JERASURE, "--size", SIZE, "--erased", "3")

    def test_a_file_that_cannot_be_read(self):
        (self.chunks / "3").chmod(0)
        command = [scene.ECBENCH, *JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--object-out", self.folder / "restored"]
        self.assert_refused(scene.run([*scene.AS_USER, *command]), "chunks/3", "Permission denied")
        self.assertFalse((self.folder / "restored").exists())

    def test_sizes_that_do_not_fit(self):
        self.assert_nothing_restored(1, *JERASURE, "--size", SIZE - 1, said=["are not padding"])
        self.assert_nothing_restored(1, *JERASURE, "--size", "3000", said=["1280 bytes", "chunks of 768"])
        self.assert_nothing_restored(1, *JERASURE, "--size", "1G", said=["1280 bytes", "--size"])
        self.assert_nothing_restored(1, "-p", "jerasure", "-P", "technique=cauchy_good", "-P", "k=4", "-P", "m=3",
                                     said=["1280 bytes", "chunks of 65536", "profile is wrong"])

    def test_options(self):
        for words, said in (((*JERASURE, "-i", "1"), "--iterations is not allowed with --chunks-in"),
                            ((*JERASURE, "-w", "decode"), "--workload"), ((*JERASURE, "--input", "x"), "--input"),
                            ((*JERASURE, "--erased", "7"), "0 to 6"), (("-P", "k=4", "-P", "m=3"), "without --plugin"),
                            (("-p", "nope"), "nope"), ((*JERASURE, "--size", "0"), "--size")):
            self.assert_nothing_restored(1, *words, said=[said])
        self.assert_refused(scene.ecbench(*JERASURE, "--object-out", "x"), "--chunks-in")

    def test_destinations_that_are_refused(self):
        link = self.folder / "link"
        link.symlink_to(self.chunks / "3")
        for path, said in ((self.chunks / "9", "names that begin with a digit"), (link, "same file as"),
                           (self.folder, "not a regular file"),
                           ("/dev/null", "not a regular file"), (self.folder / "nowhere" / "x", "No such file")):
            self.assert_refused(scene.ecbench(*JERASURE, "--size", SIZE, "--chunks-in", self.chunks, "--object-out", path), said)
        self.assertEqual(sorted(path.name for path in self.chunks.iterdir()), list("0123456"))

    def test_a_full_disk(self):
        result = scene.ecbench(*JERASURE, "--size", SIZE, "--chunks-in", self.chunks, around='"$@" >/dev/full')
        self.assert_refused(result, "cannot write to standard output")


class WithManifest(RestoreScene):
    """The directory has a manifest that describes how the object was encoded."""

    WORDS = (*JERASURE, "--stripe-unit", "512")

    def setUp(self):
        super().setUp()
        self.encode(*self.WORDS, with_manifest=True)
        self.manifest = self.chunks / "manifest.json"

    def change(self, **values):
        self.manifest.write_text(json.dumps({**json.loads(self.manifest.read_text()), **values}))

    def test_describes_only_the_object_and_its_code(self):
        manifest = json.loads(self.manifest.read_text())
        profile = {"k": "4", "m": "3", "technique": "reed_sol_van", "w": "8"}
        self.assertEqual({key: manifest["profile"][key] for key in profile}, profile)
        self.assertEqual({key: manifest[key] for key in ("version", "plugin", "object_size", "stripe_unit", "chunk_size")},
                         {"version": 1, "plugin": "jerasure", "object_size": SIZE, "stripe_unit": 512, "chunk_size": 1536})
        sums = scene.run(["sha256sum", "object", *(f"chunks/{i}" for i in range(7))], cwd=self.folder).stdout
        self.assertEqual([line.split()[0] for line in sums.splitlines()], [manifest["object_sha256"], *manifest["chunk_sha256"]])
        before = self.manifest.read_bytes()
        self.encode(*self.WORDS, "--seed", "7", "-w", "decode", with_manifest=True)
        self.assertEqual(self.manifest.read_bytes(), before)

    def test_no_other_option_is_needed(self):
        for words in ((), ("--erased", "0,1,2"), self.WORDS, ("--size", SIZE), ("-P", "m=3"), ("-p", "jerasure")):
            self.assert_restored(*words)

    def test_of_every_plugin(self):
        listed = json.loads(scene.ecbench("--list", "--format", "json").stdout)
        plugins = {plugin["name"]: plugin for plugin in listed["plugins"]}
        self.assertIn("lrc", plugins)
        for name, plugin in plugins.items():
            technique = plugin["techniques"][0]["name"]
            words = ["-P", f"technique={technique}"] if technique else []
            if name == "lrc":
                words = ["-P", "k=4", "-P", "m=2", "-P", "l=3"]
            if name == "ceph":
                words = ["-P", "plugin=isa", "-P", "k=4", "-P", "m=2"]
                if "(Debian package: ceph-base)" in scene.ecbench("-p", name, *words, "-i", "1").stderr:
                    continue  # plugin ceph is built, but Ceph is not installed
            self.encode("-p", name, *words, with_manifest=True)
            self.assert_restored()
            self.assert_restored("--erased", "1")
        layers = ("-P", "mapping=__DD__DD", "-P", 'layers=[["_cDD_cDD",""],["cDDD____",""],["____cDDD",""]]')
        self.encode("-p", "lrc", *layers, with_manifest=True)
        self.assert_restored("--erased", "2")

    def test_an_old_name_of_a_plugin_is_that_plugin(self):
        self.encode("-p", "jerasure_generic", "-P", "technique=reed_sol_van", with_manifest=True)
        for words in ((), ("-p", "jerasure"), ("-p", "jerasure_generic"), ("-p", "jerasure_sse4")):
            self.assert_restored(*words)

    def test_contradictions_are_refused(self):
        for words, said in ((("-P", "k=5"), ("k=5", "k=4")), (("-p", "isa"), ("--plugin isa", "plugin jerasure")),
                            (("--size", "4999"), ("4999", "5000 bytes")), (("--stripe-unit", "256"), ("256", "stripe unit 512")),
                            (("--stripe-unit", "none"), ("none", "stripe unit 512")),
                            (("-P", "technique=cauchy_good"), ("cauchy_good", "technique=reed_sol_van")),
                            ((*JERASURE, "--stripe-unit", "1K"), ("1024", "512"))):
            self.assert_nothing_restored(1, *words, said=[*said, "manifest.json"])
        self.encode(*JERASURE, with_manifest=True)
        self.assert_nothing_restored(1, "--stripe-unit", "512", said=["512", "no stripe unit"])

    def test_damaged_chunks_are_treated_as_lost(self):
        self.damage(0)
        self.assert_restored(said="chunk 0 differs from ")
        (self.chunks / "5").write_bytes(b"")
        self.assert_restored(said="chunks 0, 5 differ from ")
        self.assert_restored("--erased", "0,5")
        (self.chunks / "6").unlink()
        self.assert_restored(said="treated as lost")
        (self.chunks / "1").write_bytes(b"short")
        self.assert_nothing_restored(2, said=["chunks 0, 1, 5 differ from", "are too few", "cannot be recovered"])

    def test_malformed_manifests_are_refused_with_one_line(self):
        text = self.manifest.read_text()
        digests = json.loads(text)["chunk_sha256"]
        for broken in ("", "{", "[]", "null", "7", '"x"', "[" * 100000, '{"a":' * 100000, text[:-20], "\xff\xfe", "1e999",
                       text.replace("5000", "1e999"), text.replace("5000", "1" * 400)):
            self.manifest.write_bytes(broken.encode("latin-1"))
            self.assert_nothing_restored(1, said=["manifest.json"])
        self.manifest.write_text(text)
        for key, values in {"format": (None, "other", 1), "version": (2, 0, "1", None, 1.5, -1),
                            "plugin": (None, "", 1, "nope", "../isa"),
                            "profile": (None, [], {"k": 4}, {"k": "99999999999999999999"}, {}, {"k": "4"}),
                            "object_size": (None, 0, -1, "5000", 5000.5, 2**64, 2**64 - 1, 2**63, 5001),
                            "stripe_unit": (0, -1, "512", 2**64 - 1, 7, 64, 1024, 1536),
                            "chunk_size": (None, 0, 1, 2**64 - 1, {}), "object_sha256": (None, "x", digests[0][:63], digests),
                            "chunk_sha256": (None, [], "x", digests[:6], digests * 2, [None] * 7, ["0" * 64] * 7)}.items():
            for value in values:
                self.manifest.write_text(text)
                self.change(**{key: value})
                result, data = self.restore()
                self.assertIn(result.returncode, (1, 2), result.stderr)
                self.assertEqual((result.stdout, data, len(result.stderr.splitlines())), ("", None, 1), result.stderr)
        self.manifest.unlink()
        os.mkfifo(self.manifest)
        self.assert_nothing_restored(1, said=["not a regular file"])

    def test_an_object_of_another_digest_is_not_written(self):
        self.change(object_sha256="0" * 64)
        self.assert_nothing_restored(2, said=["its SHA-256 differs"])
