"""Tests which program, plugins and codec libraries a gate uses for the arguments OLD and NEW."""

import json
import os
import pathlib
import tempfile
import types
import unittest
from unittest import mock

from ecbench.gate.sides import both_sides, sides
from ecbench.point.description import Description
from ecbench.terminal.console import Refused


class Programs:
    """Replaces children.Child. The simulated git finds no revision. The simulated `ecbench --version` prints `options`."""

    def __init__(self, *options):
        self._said = json.dumps({"contract": "1", "options": options, "dispatch_levels": []})

    def run(self, command, _timeout=None):
        return (128, "", "") if "git" in command else (0, self._said, "")


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
        return sides.resolve_pair(old, new, Programs(), program)


class Kinds(SidesTest):
    def test_build_folders_have_a_program_and_plugins_each(self):
        old, new = self.pair(self.build("a"), self.build("b"))
        self.assertEqual((old.name, old.kind, new.name, new.kind), ("OLD", "build", "NEW", "build"))
        self.assertEqual(old.words(), ["--erasure-code-dir", str(self.folder / "a" / "plugins")])
        self.assertEqual(new.program, str(self.folder / "b" / "ecbench"))

    def test_a_plugin_folder_is_run_by_the_other_side_s_program(self):
        for given in ((self.build("a"), self.plugins("p")), (self.plugins("q"), self.build("b"))):
            old, new = self.pair(*given)
            self.assertEqual(old.program, new.program)
            self.assertNotEqual(old.plugin_directory, new.plugin_directory)

    def test_the_program_of_a_build_or_of_an_installed_ecbench_selects_the_plugins_next_to_it(self):
        build = self.build("build")
        self.plugins("usr/lib/x86_64-linux-gnu/ecbench")
        (self.folder / "usr" / "bin").mkdir()
        installed = self.folder / "usr" / "bin" / "ecbench"
        installed.touch(mode=0o755)
        for program, kind, plugins in ((f"{build}/ecbench", "build", f"{build}/plugins"),
                                       (str(installed), "installed", str(self.folder / "usr/lib/x86_64-linux-gnu/ecbench"))):
            side = sides.own_side("OLD", program)
            self.assertEqual((side.kind, side.program, side.plugin_directory), (kind, program, plugins))
        with mock.patch.object(sides, "OWN_BUILD", self.folder / "usr"):
            self.assertEqual(sides.own_side("OLD").program, str(installed))
        other = self.folder / "usr" / "bin" / "other"
        other.touch(mode=0o755)
        alone = self.folder / "ecbench"
        alone.touch(mode=0o755)
        for program, said in ((other, "does not contain ecbench and plugins/"), (alone, "does not contain ecbench and plugins/"),
                              (self.folder / "usr" / "bin" / "missing", "is not an executable file")):
            self.assertRaisesRegex(Refused, said, sides.own_side, "OLD", str(program))

    def test_two_plugin_folders_are_run_by_the_program_that_is_named(self):
        program = self.build("a") + "/ecbench"
        for side in self.pair(self.plugins("p"), self.plugins("q"), program):
            self.assertEqual((side.kind, side.program), ("plugins", program))

    def test_a_relative_folder_becomes_absolute_and_a_link_stays(self):
        self.build("a")
        (self.folder / "link").symlink_to("a")
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            side, _ = sides.resolve_pair("link", "a", Programs())
        finally:
            os.chdir(before)
        self.assertEqual((side.given, side.program), ("link", str(self.folder / "link" / "ecbench")))


class CodecLibraries(SidesTest):
    def test_are_an_option_of_the_program(self):
        pair = sides.resolve_pair(self.build("OLD"), self.build("NEW"), Programs())
        library = self.folder / "lib"
        library.mkdir()
        for given in (library, self.folder / "none", self.folder / "OLD" / "ecbench"):
            self.assertRaisesRegex(Refused, "--codec-lib", sides.check_codec_lib, "NEW", str(given))
        (library / "libisal.so.2").touch()
        with mock.patch.object(sides, "versions_of", lambda _side, names, _child: tuple(names)):
            system, mine = sides.with_codec_libs(*pair, ["system", str(library)], Programs())
        self.assertEqual(system.words(), pair[0].words())
        self.assertEqual(mine.words()[2:], ["--codec-lib", str(library)])
        self.assertIn(str(library), str(mine))
        self.assertEqual([side.versions for side in (system, mine)], [("libisal.so.2",)] * 2,
                         "only libraries that differ between the sides must be named")


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
