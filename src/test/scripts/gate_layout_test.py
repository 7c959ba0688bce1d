"""Both sides of a gate are loaded alike: names of one length, and the same libraries from directories."""

import pathlib
import random
import tempfile
import unittest

from ecbench.gate.ab.launch import loaded_alike, names_of_one_length
from ecbench.gate.sides.sides import Side
from ecbench.runfile.environment import SharedObject
from ecbench.terminal.console import Refused, WrongBytes


class Names(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench layout ")))
        self.sides = {}
        for name, length, codec_lib in (("old", 1, None), ("new", 40, "codecs")):
            build = folder / ("b" * length)
            (build / "plugins").mkdir(parents=True)
            (build / "plugins" / "libec_isa.so").write_text(name)
            (build / "ecbench").write_text(name)
            (build / "codecs").mkdir()
            self.sides[name] = Side(name.upper(), str(build), "build", str(build / "ecbench"), str(build / "plugins"),
                                    codec_lib and str(build / codec_lib))

    def test_have_one_length_and_lead_to_the_same_files(self):
        with names_of_one_length(self.sides, random.Random(1)) as linked:
            for key in ("program", "plugin_directory"):
                self.assertEqual(*(len(getattr(side, key)) for side in linked.values()))
            for name, side in linked.items():
                self.assertEqual(pathlib.Path(side.program).read_text(), name)
                self.assertEqual(pathlib.Path(side.plugin_directory, "libec_isa.so").read_text(), name)
            self.assertIsNone(linked["old"].codec_lib)
            self.assertTrue(pathlib.Path(linked["new"].codec_lib).samefile(self.sides["new"].codec_lib))
        self.assertFalse(pathlib.Path(linked["old"].program).parent.exists())

    def test_change_their_length_from_launch_to_launch_as_the_seed_says(self):
        def length(seed):
            with names_of_one_length(self.sides, random.Random(seed)) as linked:
                return len(linked["old"].plugin_directory)
        lengths = {length(seed) for seed in range(20)}
        self.assertGreater(len(lengths), 15)
        self.assertLess(max(lengths), 2500)  # PATH_MAX is 4096
        self.assertEqual(length(7), length(7))

    def test_are_not_in_messages(self):
        for kind in (Refused, WrongBytes):
            with self.assertRaises(kind) as raised, names_of_one_length(self.sides, random.Random(1)) as linked:
                raise kind(f"{linked['new'].plugin_directory}/libec_isa.so is no plugin of {linked['old'].program}")
            self.assertEqual(str(raised.exception), f"{self.sides['new'].plugin_directory}/libec_isa.so is no plugin of "
                                                    f"{self.sides['old'].program}")


def side(name, codec_lib=None):
    return Side(name, "build", "build", "/build/ecbench", "/build/plugins", codec_lib)


class SameLoading(unittest.TestCase):
    def setUp(self):
        self.mine = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench codecs ")))
        (self.mine / "libisal.so.2").touch()
        self.loads = [SharedObject(name=name, path=path) for name, path in (
            ("libisal.so.2", "/usr/lib/libisal.so.2.0.30"), ("libJerasure.so.2", "/usr/lib/libJerasure.so.2.0.0"),
            ("libec_isa.so", "/build/plugins/libec_isa.so"))]

    def objects(self):
        return {"OLD": self.loads, "NEW": self.loads}

    def test_the_systems_libraries_are_linked_if_the_other_side_has_them(self):
        for old, new in ((side("OLD"), side("NEW", str(self.mine))), (side("OLD", str(self.mine)), side("NEW"))):
            with loaded_alike(old, new, self.objects()) as sides:
                self.assertEqual([one.name for one in sides], ["OLD", "NEW"])
                of_system = next(one for one in sides if one.codec_lib != str(self.mine))
                links = {path.name: str(path.readlink()) for path in pathlib.Path(of_system.codec_lib).iterdir()}
            self.assertEqual(links, {"libisal.so.2": "/usr/lib/libisal.so.2.0.30"})
            self.assertFalse(pathlib.Path(of_system.codec_lib).exists())

    def test_other_sides_stay_as_they_are(self):
        for codec_lib in (None, str(self.mine)):
            given = side("OLD", codec_lib), side("NEW", codec_lib)
            with loaded_alike(*given, self.objects()) as sides:
                self.assertEqual(sides, given)

    def test_nothing_is_linked_where_the_system_has_no_such_library(self):
        self.loads = []
        given = side("OLD"), side("NEW", str(self.mine))
        with loaded_alike(*given, self.objects()) as sides:
            self.assertEqual(sides, given)
