"""A build lists its capabilities. A program that is not ecbench, or an ecbench before this list, has none."""

import json
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from ecbench.measure.ecbench import Ecbench
from ecbench.terminal.console import Refused

LIST = {"contract": "0123", "options": ["help", "serve-slices"], "dispatch_levels": ["scalar", "native"]}


def capabilities(printed):
    return Ecbench("ecbench", mock.Mock(**{"run.return_value": (0, printed, "")})).capabilities()


class CapabilitiesTest(unittest.TestCase):
    def test_a_build_lists_them(self):
        listed = capabilities(json.dumps(LIST))
        self.assertEqual((listed.has("--serve-slices"), listed.has("--arena")), (True, False))
        for wrong in ({**LIST, "options": "all"}, {"contract": "1"}, [], 5):
            self.assertRaisesRegex(Refused, "--version printed JSON that", capabilities, json.dumps(wrong))

    def test_another_program_has_none(self):
        self.assertFalse(capabilities("ancient\n").has("--describe"))


if __name__ == "__main__":
    unittest.main()
