"""ecbench under callgrind, which counts only the timed loop."""

import json
import re

import scene

POINTS = {
    "jerasure": ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2", "-s", "64K"],
    "isa": ["-p", "isa", "-P", "k=4", "-P", "m=2", "-s", "64K"],
}

QUICKLY = ["--instr-atstart=no"]


class Callgrind(scene.UnderCallgrind):
    def profile(self, *args, tool=()):
        path = self.folder / "callgrind.out"
        result = self.succeeded(scene.run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
                                           f"--callgrind-out-file={path}", *tool, scene.ECBENCH, *args]))
        return result, path

    def count(self, *args, tool=()):
        return int(re.search(r"^totals: (\d+)$", self.profile(*args, tool=tool)[1].read_text(), re.MULTILINE).group(1))

    def test_the_command_of_the_articles(self):
        result, _ = self.profile(*POINTS["jerasure"])
        self.assertEqual(scene.cells_of(result.stdout)["iter."], "10")
        self.assertRegex(result.stderr, r"(?m)^ecbench: under valgrind, .*10 iterations .*--iterations")
        result, _ = self.profile(*POINTS["isa"], "-i", "3", "--format", "json")
        found = json.loads(result.stdout)
        self.assertEqual((found["iterations"], found["call_overhead_ns"]), (3, None), "no empty call is timed")
        self.assertNotIn("ecbench:", result.stderr)

    def test_counts_repeat_and_are_linear_in_iterations(self):
        for plugin, point in POINTS.items():
            counts = [self.count(*point, "-i", str(iterations), tool=tool)
                      for iterations, tool in ((10, ()), (10, QUICKLY), (10, QUICKLY), (20, QUICKLY), (30, QUICKLY))]
            self.assertEqual(len(set(counts[:3])), 1, (plugin, counts))
            self.assertEqual(counts[4] - counts[3], counts[3] - counts[2], (plugin, counts))
            # Only the few instructions around the loop do not depend on the number of iterations.
            other = 2 * counts[2] - counts[3]
            self.assertLess(abs(other), counts[2] / 100, (plugin, counts))

    def test_sampling_is_an_option(self):
        result, _ = self.profile(*POINTS["isa"], "--min-time", "0.001", "--placements", "2", tool=QUICKLY)
        self.assertNotIn("ecbench: under valgrind", result.stderr)
        self.assertNotEqual(scene.cells_of(result.stdout)["±%"], "-")

    def test_an_illegal_instruction(self):
        result = scene.run(["valgrind", "-q", "--tool=none", scene.ECBENCH, "--erasure-code-dir", scene.TEST_PLUGINS,
                            "-p", "illegal_instruction", "-s", "4K"])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"(?m)^ecbench: illegal instruction .* in libec_illegal_instruction\.so\+0x.*valgrind")
