"""A build lists its capabilities. An old build has no such list, so its capabilities are derived from its contract version. In old
builds, some dispatch levels have other names. Commands for an old build must therefore contain the old names."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from ecbench.measure.capabilities import capabilities_of
from ecbench.measure.ecbench import Ecbench
from ecbench.point.levels import LevelUnknown
from ecbench.point.point import make_point
from ecbench.terminal.console import Refused

LIST = {"contract": "0123", "options": ["help", "serve-slices"], "dispatch_levels": ["scalar", "native"]}


class Program:
    """Replaces children.Child. run() starts no program. It returns `printed` as the output of the program."""

    def __init__(self, printed):
        self.printed = printed
        self.commands = []

    def run(self, command, _timeout=None):
        self.commands.append(command)
        return 0, self.printed, ""


class CapabilitiesTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.program = pathlib.Path(temporary.name) / "ecbench"

    def old(self, contract):
        """The capabilities of a build that does not list them. `contract` is its contract version."""
        self.program.write_bytes(b"\x7fELF..." + f"ecbench plugin contract {contract}".encode() + b"\0...")
        return capabilities_of("ecbench 0.1.0\ncompiler: GNU 12\n", str(self.program))

    def test_a_build_lists_them(self):
        listed = capabilities_of(json.dumps(LIST), "ecbench")
        self.assertEqual((listed.has("--serve-slices"), listed.has("--arena")), (True, False))
        for wrong in ({**LIST, "options": "all"}, {"contract": "1"}, [], 5):
            self.assertRaisesRegex(Refused, "--version printed JSON that", capabilities_of, json.dumps(wrong), "ecbench")

    def test_a_build_without_a_list_has_those_of_its_contract(self):
        for contract, has_slices in ((1, False), (2, False), (3, True), (5, True)):
            found = self.old(contract)
            self.assertEqual([found.has(option) for option in ("--serve-slices", "--count-instructions")], [has_slices] * 2)
            self.assertTrue(found.has("--describe"))

    def test_another_program_has_none(self):
        self.assertFalse(self.old("of another kind").has("--describe"))
        self.assertFalse(capabilities_of("ancient", "/nonexistent").has("--describe"))

    def test_an_old_build_gets_its_own_level_names(self):
        old, new = self.old(5), capabilities_of(json.dumps(LIST), "ecbench")
        for plugin, profile, today, then in (
                ("simd", {}, "avx512-gfni", "avx512"), ("klauspost", {}, "avx512-gfni", "avx512"),
                ("shec", {"backend": "simd"}, "avx512-gfni", "avx512"), ("isa", {}, "avx512", "avx512"),
                ("simd", {}, "avx2", "avx2"), ("isa", {}, "avx512-gfni", "avx512-gfni")):
            words = make_point(plugin, profile, "encode", 4096, 0, dispatch=today).words()
            self.assertEqual(old.words(words), make_point(plugin, profile, "encode", 4096, 0, dispatch=then).words())
            self.assertEqual(new.words(words), words)
        with self.assertRaises(LevelUnknown):
            old.words(make_point("simd", {}, "encode", 4096, 0, dispatch="avx512").words())

    def test_the_client_translates_for_an_old_build(self):
        self.old(5)
        child = Program("ecbench 0.1.0\n")
        ecbench = Ecbench(str(self.program), child)
        ecbench.run(make_point("simd", {}, "encode", 4096, 0, dispatch="avx512-gfni").words())
        self.assertEqual(child.commands[-1][-2:], ["--dispatch", "avx512"])
        refused = ecbench.measure(make_point("simd", {}, "encode", 4096, 0, dispatch="avx512").words())
        self.assertEqual((refused.kind, "too old" in refused.why), ("refused", True))


if __name__ == "__main__":
    unittest.main()
