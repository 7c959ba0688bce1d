"""The experiments that count, or that compare codes with copies. Reads of a repair are those of the article "Erasure Code in Ceph:
costs and benefits"."""

import re

import scene

SHORT = ["--rounds", "1", "--min-time", "0.001", "--seed", "1"]
# k+m → chunks that a repair reads from drives and sends over the network. For Reed-Solomon, both are k.
CLAY = {"2+1": (2, 2), "2+2": (1.5, 2), "4+1": (4, 4), "4+2": (2.5, 3), "4+3": (2, 2.667), "6+2": (3.5, 4), "6+3": (2.667, 3.333),
        "6+4": (2.25, 3), "8+2": (4.5, 5), "8+3": (3.333, 4), "8+4": (2.75, 3.5), "9+3": (3.667, 4.333), "10+4": (3.25, 4),
        "12+4": (3.75, 4.5), "16+4": (4.75, 5.5)}
# k+m, c, and the article's number of chunks that a repair of SHEC reads, divided by k.
SHEC = (("6+4", "2", 0.5),)


class Experiments(scene.Scene):
    def printed(self, *args):
        return self.succeeded(scene.ask(*args, "--ecbench", scene.ECBENCH, timeout=300)).stdout

    def row(self, text, *cells):
        pattern = r"^ +" + r" +".join(map(re.escape, cells)) + r"( |$)"
        self.assertRegex(text, re.compile(pattern, re.MULTILINE))

    def test_the_reads_of_a_repair_are_those_of_the_article(self):
        text = self.printed("recovery", "--counts-only", ",".join(CLAY))
        cells = {tuple(line.split()[:4]): list(map(float, line.split()[4:])) for line in text.splitlines() if line.startswith("  ")
                 and line.split()[0] != "k+m"}
        for shape, factors in CLAY.items():
            k = int(shape.partition("+")[0])
            self.assertEqual(cells[shape, "isa", "-", "-"][1:3], [k, k])
            for found, expected in zip(cells[shape, "clay", "-", "-"][1:3], factors):
                self.assertAlmostEqual(found, expected, delta=0.006)
        for shape, c, overhead in SHEC:
            self.assertAlmostEqual(cells[shape, "shec", c, "-"][0], overhead * int(shape.partition("+")[0]), delta=0.006)
        self.assertIn(("8+4", "lrc", "-", "6"), cells)  # l=4, the article's, violates Ceph's rules
        self.assertNotIn(("8+4", "lrc", "-", "4"), cells)

    def test_speeds_are_next_to_the_reads(self):
        text = self.printed("recovery", "4+2", "size=64K", "cache=warm", *SHORT)
        self.assertRegex(text, r"\n +4\+2 +clay +- +- +5\.00 +2\.50 +3\.00 +5\.00 +2\.33 +[\d.]+!? +\d\.\d\d\n")

    def test_compares_codes_with_copies(self):
        text = self.printed("firefly", "size=4K,64K", *SHORT)
        self.assertEqual(re.findall(r"^size (.*)$", text, re.MULTILINE), ["4 KiB", "64 KiB"])
        self.row(text, "workload", "4+1", "6+2", "10+3", "2x", "3x")
        self.row(text, "stored / object", "5.00", "8.00", "13.0", "2.00", "3.00")
        self.row(text, "stored / object (Tentacle)", "2.00", "3.00", "4.00", "2.00", "3.00")
        self.assertRegex(text, r"\n +decode +GB/s( +[\d.]+!?){3} +- +-\n")
        self.assertRegex(text, r"\n +scrub +GB/s( +[\d.]+!?){5}\n +objects/s( +\d+){5}\n")

    def test_takes_other_codes_and_keeps_the_copies(self):
        text = self.printed("firefly", "8+3", "plugin=isa", "size=64K", "stripe-unit=4k", *SHORT)
        self.row(text, "workload", "8+3", "2x", "3x")
