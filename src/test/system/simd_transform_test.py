"""Runs the unit test that checks the FFTs of plugin simd for all k and m with k+m <= 256. It takes one to two minutes."""

import subprocess
import unittest

from debian import BUILD

TEST = "SimdTransform.DISABLED_AllCodesHaveTheBytesOfTheMatrixAtEveryLevel"


class SimdTransform(unittest.TestCase):
    def test_all_codes(self) -> None:
        program = BUILD / "src" / "test" / "simd_test"
        if not program.exists():
            self.skipTest(f"{program} is not built")
        done = subprocess.run([program, "--gtest_also_run_disabled_tests", f"--gtest_filter={TEST}"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:] + done.stderr)
        self.assertIn("1 test", done.stdout)
