"""bench.sh fplot prints JavaScript from which Ceph's bench.html draws charts. Tests the names of variables, the labels,
and the tables."""

import json
import re

import scene
from bench_scene import bench

# Ceph's plot.js draws one chart for encode and one for decode. Each chart has these curves.
DRAWN = ["vandermonde_isa", "cauchy_isa", "vandermonde_jerasure", "cauchy_jerasure", "reed_sol_r6_op_jerasure",
         "liberation_jerasure", "liber8tion_jerasure", "blaum_roth_jerasure"]


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
    def test_draws_the_series_of_cephs_page(self):
        result = bench("fplot", "jerasure", ITERATIONS=1)
        self.assertEqual(result.returncode, 0, result.stderr)
        variables = read_javascript(result.stdout)
        expected = {f"{workload}_{name}" for workload in ("encode", "decode") for name in DRAWN} | {"encode_table", "decode_table"}
        self.assertEqual(set(variables), expected)
        self.assertEqual([point[0] for point in variables["encode_vandermonde_isa"]],
                         ["2/1", "3/2", "4/2", "4/3", "6/2", "6/3", "6/4", "10/3", "10/4"])
        self.assertEqual([point and point[0] for point in variables["decode_liberation_jerasure"]],
                         [None, "3/2/1", "3/2/2", None, "4/2/1", "4/2/2", None, "6/2/1", "6/2/2"])

    def test_speed_is_gib_per_second_of_the_tables_rows(self):
        variables = read_javascript(bench("fplot", SIZE="1M", ITERATIONS=20, PLUGINS="isa", TECHNIQUES="cauchy").stdout)
        self.assertEqual(len(variables["encode_table"]), 9)
        for point, row in zip(variables["encode_cauchy_isa"], variables["encode_table"], strict=True):
            plugin, technique, seconds, kb, k, m, iterations, _ = row
            self.assertEqual((plugin, technique, kb, iterations), ("isa", "cauchy", 20 * 1024, 20))
            self.assertEqual(point[0], f"{k}/{m}")
            self.assertAlmostEqual(point[1] * seconds / (kb / 1024 / 1024), 1, delta=0.01)
        self.assertEqual([row[-1] for row in variables["decode_table"]][:3], [1, 1, 2])


if __name__ == "__main__":
    scene.main()
