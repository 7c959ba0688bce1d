"""The arguments of a gate: OLD, NEW and the grid."""

import contextlib
import pathlib
import tempfile
import types
import unittest
from unittest import mock

from ecbench.gate.sides import both_sides, builds, sides
from ecbench.gate.sides.both_sides import DEFAULT_GRID, expand_lines, grid_words, lines_of
from ecbench.gate.sides.builds import CRATE, GO_MODULE, read_pair
from ecbench.gate.sides.sides import titles
from ecbench.point.point import Description
from ecbench.runfile.header import SharedObject
from ecbench.terminal.console import Refused
from experiment_test import PLUGINS, describe


class Programs:
    """Replaces Child. The simulated git finds no revision."""

    def run(self, command, _timeout=None):
        return (128, "", "") if "git" in command else (0, '{"contract": "1", "options": [], "dispatch_levels": []}', "")


class SidesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench sides ")))

    def plugins(self, name, *plugins):
        folder = self.folder / name
        folder.mkdir(parents=True)
        for plugin in plugins or ("isa",):
            (folder / f"libec_{plugin}.so").touch()
        return str(folder)

    def build(self, name, *plugins):
        self.plugins(f"{name}/plugins", *plugins)
        (self.folder / name / "ecbench").touch(mode=0o755)
        return str(self.folder / name)

    def pair(self, old, new, program=None):
        return sides.resolve_pair((old, new), Programs(), program)


class Kinds(SidesTest):
    def test_a_side_has_a_program_and_plugins(self):
        """A plugin directory is run by the program of --ecbench, or else by that of the other side."""
        a, b, plugins, others = self.build("a"), self.build("b"), self.plugins("p"), self.plugins("q")
        for old, new, program, kinds, programs in (
                (a, b, None, ["build", "build"], [a, b]), (a, plugins, None, ["build", "plugins"], [a, a]),
                (others, b, None, ["plugins", "build"], [b, b]), (plugins, others, f"{a}/ecbench", ["plugins", "plugins"], [a, a])):
            pair = self.pair(old, new, program)
            self.assertEqual([side.kind for side in pair], kinds)
            self.assertEqual([side.program for side in pair], [f"{folder}/ecbench" for folder in programs])
            self.assertEqual([side.plugin_directory for side in pair],
                             [given if given in (plugins, others) else f"{given}/plugins" for given in (old, new)])

    def test_the_program_of_a_build_or_of_an_installed_ecbench_selects_the_plugins_next_to_it(self):
        build = self.build("build")
        self.plugins("usr/lib/x86_64-linux-gnu/ecbench")
        (self.folder / "usr" / "bin").mkdir()
        installed, other, moved = (self.folder / name for name in ("usr/bin/ecbench", "usr/bin/other", "ecbench"))
        for path in (installed, other, moved):
            path.touch(mode=0o755)
        for program, kind, plugins in ((f"{build}/ecbench", "build", f"{build}/plugins"),
                                       (str(installed), "installed", str(self.folder / "usr/lib/x86_64-linux-gnu/ecbench"))):
            side = sides.own_side("OLD", program)
            self.assertEqual((side.kind, side.program, side.plugin_directory), (kind, program, plugins))
        for program, said in ((other, "does not contain ecbench and plugins/"), (moved, "does not contain ecbench and plugins/"),
                              (self.folder / "usr" / "bin" / "missing", "is not an executable file")):
            self.assertRaisesRegex(Refused, said, sides.own_side, "OLD", str(program))

    def test_a_relative_folder_becomes_absolute_and_a_link_stays(self):
        self.build("a")
        (self.folder / "link").symlink_to("a")
        with contextlib.chdir(self.folder):
            side, _ = self.pair("link", "a")
        self.assertEqual((side.given, side.program), ("link", str(self.folder / "link" / "ecbench")))


class Likeness(SidesTest):
    def test_a_point_that_new_refuses_or_splits_differently_is_reported(self):
        points = {"1": types.SimpleNamespace(point=types.SimpleNamespace(words=list, codec_lib=None), chunk_size=512)}

        def answering(answer, codec_lib=None):
            return types.SimpleNamespace(name="NEW", codec_lib=codec_lib, codec_words=list, ecbench=lambda child:
                                         types.SimpleNamespace(describe=lambda requests: [answer]))

        self.assertEqual(both_sides.supported(points, answering(Description(chunk_size=512)), None), points)
        for answer, codec_lib, said in ((Description(refused="k=4 is not"), None, "OLD supports .*, but NEW does not: k=4 is not"),
                                        (Description(refused="no GF"), "/lib", "no GF"),
                                        (Description(chunk_size=1024), None, "512 bytes in OLD, 1024 bytes in NEW")):
            self.assertRaisesRegex(Refused, said, both_sides.supported, points, answering(answer, codec_lib), None)


MODULE = "github.com/klauspost/reedsolomon"


class Reading(unittest.TestCase):
    def test_two_versions_of_a_library_that_a_plugin_uses(self):
        for option, library, versions, plugin, title in (
                (GO_MODULE, MODULE, ("v1.11.0", "v1.12.4"), "klauspost", "klauspost/reedsolomon v1.11.0"),
                (GO_MODULE, MODULE, ("master", "0123abcd"), "klauspost", "klauspost/reedsolomon master"),
                (CRATE, "reed-solomon-simd", ("3.0.1", "3.1.0"), "rs-simd", "reed-solomon-simd 3.0.1"),
                (CRATE, "reed-solomon-erasure", ("6.0.0", "6.0.0-beta.1"), "rs-erasure", "reed-solomon-erasure 6.0.0")):
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
                with self.assertRaisesRegex(Refused, why) as caught:
                    read_pair(option, pair)
                self.assertEqual(len(str(caught.exception).splitlines()), 1)
        with self.assertRaisesRegex(Refused, "two versions of one library"):
            read_pair(CRATE, ["reed-solomon-simd@3.1.0", "reed-solomon-erasure@6.0.0"])

    def test_an_installed_ecbench_cannot_build_them(self):
        with mock.patch.object(builds, "SOURCE", None), self.assertRaisesRegex(Refused, "in a clone"):
            read_pair(CRATE, ["reed-solomon-simd@3.1.0"] * 2)


class Manifest(unittest.TestCase):
    def test_gets_the_version_in_both_ways_to_write_it(self):
        for crate, version, line in (("reed-solomon-simd", "3.0.1", 'reed-solomon-simd = "=3.0.1"'),
                                     ("reed-solomon-erasure", "5.0.0", 'version = "=5.0.0", features')):
            old, _ = read_pair(CRATE, [f"{crate}@{version}"] * 2)
            with tempfile.TemporaryDirectory() as folder, mock.patch.object(builds, "fetched"):
                module = pathlib.Path(folder)
                before = (old.folder / "Cargo.toml").read_text("utf-8")
                (module / "Cargo.toml").write_text(before, "utf-8")
                builds.set_crate(old, module, mock.Mock())
                after = (module / "Cargo.toml").read_text("utf-8")
            self.assertIn(line, after)
            self.assertIn(str(builds.FOREIGN_CODE / "rust"), after)
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
            self.assertEqual(titles(old, new), expected)

    def test_of_libisal_is_the_release(self):
        for name, version, release in (("libisal.so.2", "2.0.32", "2.32"), ("libJerasure.so.2", "2.0.0", "2.0.0")):
            self.assertEqual(SharedObject(name=name, version=version).release, release)


def read(grid):
    return expand_lines(lines_of(types.SimpleNamespace(grid=grid.splitlines(), wanted=()), PLUGINS), PLUGINS, describe)[0]


class Tolerance(unittest.TestCase):
    def test_is_half_a_percent_unless_a_line_says_otherwise(self):
        points = read("plugin=isa technique=cauchy k=4 m=2 size=4K workload=encode")
        self.assertEqual([point.tolerance_percent for point in points.values()], [0.5])
        points = read("plugin=isa technique=cauchy k=4 m=2 size=4K workload=encode,decode tolerance=2.5")
        self.assertEqual([point.tolerance_percent for point in points.values()], [2.5, 2.5])

    def test_the_smallest_of_duplicate_points_is_used(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('points = ["plugin=isa technique=cauchy k=4 m=2 workload=encode tolerance=3",'
                       '"plugin=isa technique=cauchy k=4,6 m=2 workload=encode tolerance=1"]')
            file.flush()
            points = read(file.name)
        self.assertEqual({point.point.get("k"): point.tolerance_percent for point in points.values()}, {"4": 1, "6": 1})

    def test_bad_ones_are_refused(self):
        for text in ("tolerance=", "tolerance=x", "tolerance=-1", "tolerance=101", "tolerance=nan", "tolerance=1 tolerance=2",
                     "tolerance=1,2"):
            with self.assertRaisesRegex(Refused, "tolerance"):
                read(f"plugin=isa k=4 m=2 {text}")


class Words(unittest.TestCase):
    def test_axes_replace_those_of_a_named_grid(self):
        for grid in (f"{DEFAULT_GRID}\nsize=8k\ntolerance=2", f"{DEFAULT_GRID} size=8K tolerance=2"):
            points = read(grid).values()
            self.assertEqual({(point.point.size, point.tolerance_percent) for point in points}, {(8192, 2.0)})

    def test_after_the_option_end_at_the_first_argument_that_is_no_grid_word(self):
        self.assertEqual(grid_words(["ab", "--grid", "quick", "k=4", "m=2", "old", "x=1", "--grid=k=4", "m=1", "--seed", "1"]),
                         ["ab", "--grid", "quick\nk=4\nm=2", "old", "x=1", "--grid=k=4\nm=1", "--seed", "1"])


class Source(unittest.TestCase):
    def test_the_default_grid_has_24_points_of_both_plugins(self):
        points = [one.point for one in read(DEFAULT_GRID).values()]
        self.assertEqual(len(points), 24)
        self.assertEqual({point.plugin for point in points}, {"isa", "jerasure"})
        self.assertEqual({point.workload for point in points}, {"encode", "decode"})
        self.assertFalse([point for point in points if point.cache == "warm" and point.size > 128 << 10])
