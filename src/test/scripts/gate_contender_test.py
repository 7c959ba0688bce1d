"""A side of a gate can be a version of a Go module or of a Rust crate. Tests how the arguments of such versions are parsed, which
plugin uses the module or the crate, and the titles of the two sides."""

import pathlib
import tempfile
import unittest
from unittest import mock

from ecbench.gate.sides import contender
from ecbench.gate.sides.contender import CRATE, GO_MODULE, read_pair
from ecbench.gate.sides.sides import titles
from ecbench.runfile.environment import SharedObject
from ecbench.terminal.console import Refused

MODULE = "github.com/klauspost/reedsolomon"


class Reading(unittest.TestCase):
    def test_two_versions_of_a_library_that_a_plugin_uses(self):
        for option, library, versions, plugin, title in (
                (GO_MODULE, MODULE, ("v1.11.0", "v1.12.4"), "klauspost", "klauspost/reedsolomon v1.11.0"),
                (GO_MODULE, MODULE, ("master", "0123abcd"), "klauspost", "klauspost/reedsolomon master"),
                (CRATE, "reed-solomon-simd", ("3.0.1", "3.1.0"), "rs-simd", "reed-solomon-simd 3.0.1"),
                (CRATE, "reed-solomon-erasure", ("6.0.0", "6.0.0-beta.1"), "rs-erasure", "reed-solomon-erasure 6.0.0")):
            with self.subTest(library=library, versions=versions):
                old, new = read_pair(option, [f"{library}@{version}" for version in versions])
                self.assertEqual((old.side, old.library, old.version, old.plugin), ("OLD", library, versions[0], plugin))
                self.assertEqual((new.side, new.version), ("NEW", versions[1]))
                self.assertEqual(old.title(), title)

    def test_refuses_others_in_one_line(self):
        good = {GO_MODULE: f"{MODULE}@v1.12.4", CRATE: "reed-solomon-simd@3.1.0"}
        for option, text, why in (
                *((GO_MODULE, text, "give PATH@VERSION") for text in ("", MODULE, f"{MODULE}@", "@v1.0.0", f"{MODULE}@-v1",
                                                                      f"{MODULE}@v1 -x", f"{MODULE}@v1@v2")),
                (GO_MODULE, "github.com/klauspost/reedsolomons@v1.0.0", "did you mean"),
                (GO_MODULE, "reed-solomon-simd@3.1.0", "no plugin"),
                *((CRATE, f"reed-solomon-simd{text}", "give NAME@VERSION") for text in ("", "@3", "@v3.1.0", '@3.1.0"')),
                (CRATE, "foreign-code@0.1.0", "no plugin uses the crate foreign-code"), (CRATE, f"{MODULE}@v1", "NAME@VERSION")):
            for pair in ([text, good[option]], [good[option], text]):
                with self.subTest(pair=pair), self.assertRaisesRegex(Refused, why) as caught:
                    read_pair(option, pair)
                self.assertEqual(len(str(caught.exception).splitlines()), 1)
        with self.assertRaisesRegex(Refused, "two versions of one library"):
            read_pair(CRATE, ["reed-solomon-simd@3.1.0", "reed-solomon-erasure@6.0.0"])

    def test_an_installed_ecbench_cannot_build_them(self):
        with mock.patch.object(contender, "SOURCE", None), self.assertRaisesRegex(Refused, "in a clone"):
            read_pair(CRATE, ["reed-solomon-simd@3.1.0"] * 2)


class Manifest(unittest.TestCase):
    def test_gets_the_version_in_both_ways_to_write_it(self):
        for crate, version, line in (("reed-solomon-simd", "3.0.1", 'reed-solomon-simd = "=3.0.1"'),
                                     ("reed-solomon-erasure", "5.0.0", 'version = "=5.0.0", features')):
            old, _ = read_pair(CRATE, [f"{crate}@{version}"] * 2)
            with tempfile.TemporaryDirectory() as folder, mock.patch.object(contender, "fetched"):
                module = pathlib.Path(folder)
                before = (old.folder / "Cargo.toml").read_text("utf-8")
                (module / "Cargo.toml").write_text(before, "utf-8")
                contender.set_crate(old, module, mock.Mock())
                after = (module / "Cargo.toml").read_text("utf-8")
            self.assertIn(line, after)
            self.assertIn(str(contender.FOREIGN_CODE / "rust"), after)
            changed = [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]
            self.assertEqual(len(changed), 2, changed)


class Titles(unittest.TestCase):
    def side(self, **facts):
        return {"given": "build", "kind": "build", "revision": None, "codec_lib": None, "versions": [], **facts}

    def test_are_versions_then_directories_then_builds(self):
        isal_30, isal_32 = self.side(versions=["ISA-L 2.30"]), self.side(codec_lib="/x/.libs", versions=["ISA-L 2.32"])
        modules = [self.side(given=f"{MODULE}@v{number}", kind="module", versions=[f"klauspost/reedsolomon v{number}"])
                   for number in (1, 2)]
        main = self.side(given="main", kind="revision", revision="0123456789abcdef")
        for old, new, expected in (
                (isal_30, isal_32, ("ISA-L 2.30", "ISA-L 2.32")),
                (*modules, ("klauspost/reedsolomon v1", "klauspost/reedsolomon v2")),
                (self.side(versions=["ISA-L 2.32"]), isal_32, ("ISA-L 2.32 (system)", "ISA-L 2.32 (/x/.libs)")),
                (isal_30, self.side(codec_lib="/x/.libs"), ("ISA-L 2.30", "the codec libraries of /x/.libs")),
                (main, self.side(), ("main (0123456789ab)", "build")),
                (main, isal_32, ("main (0123456789ab) with the codec libraries of the system", "build with ISA-L 2.32"))):
            with self.subTest(expected):
                self.assertEqual(titles(old, new), expected)

    def test_of_libisal_is_the_release(self):
        for name, version, release in (("libisal.so.2", "2.0.32", "2.32"), ("libisal.so.2", "2.0", "2.0"),
                                       ("libJerasure.so.2", "2.0.0", "2.0.0")):
            self.assertEqual(SharedObject(name=name, version=version).release, release)
