"""bench.sh fplot prints JavaScript from which Ceph's bench.html draws charts. bench_output_test.py tests its names and labels."""

import json
import re

import scene
from bench_scene import bench


def read_javascript(text):
    """Name → value of the variables in the output. Fails if the output has anything except `var name = [ ... ];`."""
    variables = {}
    rest = text
    while rest.strip():
        match = re.match(r"\s*var (\w+) = (\[.*?\n\]);\n", rest, re.DOTALL)
        if not match:
            raise AssertionError(f"unexpected JavaScript: {rest[:200]!r}")
        variables[match[1]] = json.loads(re.sub(r",(\s*\])", r"\1", match[2].replace("'", '"')))
        rest = rest[match.end():]
    return variables


class Fplot(scene.Scene):
    def test_speed_is_gib_per_second_of_the_tables_rows(self):
        variables = read_javascript(bench("fplot", SIZE="1M", ITERATIONS=20, PLUGINS="isa", TECHNIQUES="cauchy").stdout)
        self.assertEqual(len(variables["encode_table"]), 9)
        for point, row in zip(variables["encode_cauchy_isa"], variables["encode_table"], strict=True):
            plugin, technique, seconds, kb, k, m, iterations, _ = row
            self.assertEqual((plugin, technique, kb, iterations), ("isa", "cauchy", 20 * 1024, 20))
            self.assertEqual(point[0], f"{k}/{m}")
            self.assertAlmostEqual(point[1] * seconds / (kb / 1024 / 1024), 1, delta=0.01)
        self.assertEqual([row[-1] for row in variables["decode_table"]][:3], [1, 1, 2])
