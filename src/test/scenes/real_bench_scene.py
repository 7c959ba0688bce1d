"""The first answer of bench.sh, in real time: the verdict, then the table."""

import unittest

import scene
from bench_scene import OURS, rows_of


class FirstAnswer(scene.Scene):
    @unittest.skipUnless(scene.BUILD == scene.SOURCE / "build", "without variables, bench.sh measures with build/ecbench")
    def test_one_shape(self):
        result = self.succeeded(scene.run(scene.mode("bench", "k=2", "m=1"), {**OURS, "CEPH_ERASURE_CODE_BENCHMARK": None}))
        self.assertRegex(result.stderr, r"\n(sure|likely|unsure): ")
        rows = rows_of(result.stdout)
        self.assertEqual({row["plugin"] for row in rows}, {"isa", "jerasure"})
        for row in rows:
            for column in ("iter.", "±%", "%limit", "CPU s/GB"):
                self.assertGreater(float(row[column]), 0)
