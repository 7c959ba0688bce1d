"""Runs the unit test that checks the FFTs of plugin simd for all k and m with k+m <= 256. It takes one to two minutes."""

import scene

TEST = "SimdTransform.DISABLED_AllCodesHaveTheBytesOfTheMatrixAtEveryLevel"


class SimdTransform(scene.Scene):
    def test_all_codes(self) -> None:
        program = scene.BUILD / "src" / "test" / "simd_test"
        if not program.exists():
            self.skipTest(f"{program} is not built")
        done = scene.run([program, "--gtest_also_run_disabled_tests", f"--gtest_filter={TEST}"], timeout=1800)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:] + done.stderr)
        self.assertIn("1 test", done.stdout)
