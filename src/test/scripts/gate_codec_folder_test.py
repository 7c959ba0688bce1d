"""If only one side of a gate loads codec libraries from a directory, the gate creates a directory for the other side. This
directory contains links to the system's codec libraries, so that both sides load their libraries in the same way."""

import pathlib
import tempfile
import unittest

from ecbench.gate.ab.launch import loaded_alike
from ecbench.gate.sides.sides import Side
from ecbench.runfile.environment import SharedObject


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
