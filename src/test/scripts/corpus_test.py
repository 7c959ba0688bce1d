"""The directories of Ceph's corpus."""

import unittest

from ecbench.conformance import corpus
from ecbench.point.point import Description
from ecbench.terminal.console import Refused

LAYERS = '[["_cDD_cDD","plugin=isa technique=cauchy"],["cDDD____","plugin=isa"]]'


class Program:
    """Simulates --describe. It rounds chunk sizes up to a multiple of the plugin's unit, and refuses k=9."""

    units = {"isa": 32, "jerasure": 48, "clay": 256, "example": 1}

    def __init__(self):
        self.asked = 0

    def describe(self, requests):
        self.asked += len(requests)
        return [self.answer(asked["words"]) for asked in requests]

    def answer(self, words):
        if "k=9" in words:
            return Description(refused="k=9 is not allowed: use 1 to 8")
        size = int(words[words.index("--size") + 1]) if "--size" in words else 1
        k = next((int(word[2:]) for word in words if word.startswith("k=")), 2)
        unit = self.units[words[1]]
        return Description(k=k, chunk_size=-(-size // (k * unit)) * unit)


class FolderNames(unittest.TestCase):
    def test_blanks_and_equals_signs_inside_of_quotes_belong_to_the_value(self):
        encoding = corpus.make_encoding("lrc", [("mapping", "__DD__DD"), ("layers", LAYERS)], 100)
        self.assertEqual(dict(corpus.parse(str(encoding)).parameters)["layers"], LAYERS)

    def test_other_names_are_refused(self):
        for name in ("plugin=isa", "plugin=isa k=2 stripe-width=1", "stripe-width=1 plugin=isa", "plugin=isa stripe-width=0",
                     "plugin=isa stripe-width=1K", "plugin=isa stripe-width=" + "9" * 19, "plugin=isa stripe-width=1 k",
                     "plugin=isa stripe-width=1 k=2 k=3", "plugin=isa stripe-width=1 k=2 ", "plugin=isa stripe-width=٣", ""):
            with self.assertRaisesRegex(Refused, "not a directory of a corpus"):
                corpus.parse(name)

    def test_names_that_would_be_read_as_another_encoding_are_refused(self):
        for parameters in ([("k", "2 m=3")], [("x", '"2'), ("k", "3")], [("directory", "a/b")], [("k", "2"), ("k", "3")],
                           [("layers", "x" * 300)]):
            self.assertRaises(Refused, corpus.make_encoding, "isa", parameters, 1)


class CommonChunkSize(unittest.TestCase):
    def test_the_search_ends_if_there_is_none(self):
        program = Program()
        program.units = {"isa": (1 << 24) - 1, "jerasure": 1 << 24}
        codes = [corpus.Encoding(plugin, (("k", "2"),), 0) for plugin in ("isa", "jerasure")]
        with self.assertRaisesRegex(Refused, "no chunk size"):
            corpus.common_chunk_size(2, codes, 4096, program)
        self.assertLess(program.asked, 10)

    def test_codes_are_compared_with_those_of_the_same_k(self):
        asked = [(plugin, (("k", k),), None) for plugin, k in (("isa", "4"), ("isa", "2"), ("isa", "9"), ("jerasure", "4"))]
        groups = corpus.codes_by_k(asked, Program())
        self.assertEqual({k: [code.plugin for code in codes] for k, codes in groups.items()}, {2: ["isa"], 4: ["isa", "jerasure"]})


class LossesToDecode(unittest.TestCase):
    def test_all_pairs_are_decoded_and_larger_losses_if_it_is_cheap(self):
        self.assertTrue(corpus.is_cheap(256, 2, 1 << 20))
        self.assertTrue(corpus.is_cheap(12, 4, 4096))
        self.assertFalse(corpus.is_cheap(20, 4, 4096))
        self.assertFalse(corpus.is_cheap(12, 4, 1 << 20))
